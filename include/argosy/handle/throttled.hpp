// A decorator that makes a slow device: latency and bandwidth, in real time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy {

struct throttle_rates {
  std::chrono::nanoseconds latency{0};  // per call and, in a list of parts, per run
  double bytes_per_second = 0;          // 0: not limited
};

// The device. Handles that share it share its bandwidth; their latencies overlap.
class throttle {
 public:
  using clock = std::chrono::steady_clock;
  explicit throttle(throttle_rates rates) : rates_(rates) {}

  // Waits until a call that began at `begin` would be done.
  void finish(clock::time_point begin, std::int64_t calls, std::int64_t bytes) {
    clock::time_point done = begin;
    if (rates_.bytes_per_second > 0 && bytes > 0) {
      auto const takes = std::chrono::duration_cast<clock::duration>(
          std::chrono::duration<double>(static_cast<double>(bytes) / rates_.bytes_per_second));
      std::lock_guard const guard(mutex_);
      free_at_ = (free_at_ < begin ? begin : free_at_) + takes;
      done = free_at_;
    }
    std::this_thread::sleep_until(done + rates_.latency * calls);
  }

 private:
  throttle_rates rates_;
  std::mutex mutex_;
  clock::time_point free_at_{};
};

template <handle H>
class throttled {
 public:
  throttled()
    requires std::default_initializable<H>
  = default;
  throttled(H slowed, std::shared_ptr<throttle> device) : inner_(std::move(slowed)), device_(std::move(device)) {}
  throttled(H slowed, throttle_rates rates) : throttled(std::move(slowed), std::make_shared<throttle>(rates)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    return transfer(1, [&] { return inner_.read(offset, memory); });
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    return transfer(1, [&] { return inner_.write(offset, memory); });
  }
  io_result read(std::span<read_part const> parts) {
    return transfer(detail::count_runs(parts), [&] { return inner_.read(parts); });
  }
  io_result write(std::span<write_part const> parts) {
    return transfer(detail::count_runs(parts), [&] { return inner_.write(parts); });
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return late([&] { return inner_.lock(offset, length, kind); });
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return late([&] { return inner_.unlock(offset, length); });
  }
  std::int64_t size(std::error_code& error) {
    return late([&] { return inner_.size(error); });
  }
  std::error_code resize(std::int64_t bytes) {
    return late([&] { return inner_.resize(bytes); });
  }
  std::error_code preallocate(std::int64_t bytes) {
    return late([&] { return inner_.preallocate(bytes); });
  }
  std::error_code sync() {
    return late([&] { return inner_.sync(); });
  }
  std::error_code close() {
    return late([&] { return inner_.close(); });
  }
  bool is_open() const { return inner_.is_open(); }
  std::error_code fcntl(std::span<std::byte> argument) {
    return late([&] { return fcntl_of(inner_, argument); });
  }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }
  bool takes_hints() const { return argosy::takes_hints(inner_); }
  int node() const { return node_of(inner_); }

  H& inner() noexcept { return inner_; }

 private:
  template <class Call>
  io_result transfer(std::int64_t calls, Call&& call) {
    auto const begin = throttle::clock::now();
    io_result const done = call();
    device_->finish(begin, calls, done.bytes);
    return done;
  }
  template <class Call>
  auto late(Call&& call) {
    auto const begin = throttle::clock::now();
    auto const done = call();
    device_->finish(begin, 1, 0);
    return done;
  }

  mutable H inner_;
  std::shared_ptr<throttle> device_ = std::make_shared<throttle>(throttle_rates{});
};

inline opener with_throttle(opener inner, std::shared_ptr<throttle> device) {
  return inner.opening([inner, device = std::move(device)](std::string const& path, open_flags flags,
                                                           std::error_code& error) -> any_handle {
    auto const begin = throttle::clock::now();
    any_handle opened = inner(path, flags, error);
    device->finish(begin, 1, 0);
    if (error) return {};
    return any_handle(throttled(std::move(opened), device));
  });
}

static_assert(handle<throttled<posix>>);

}  // namespace argosy

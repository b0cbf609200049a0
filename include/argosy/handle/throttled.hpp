// A decorator that imitates a slow device: latency and bandwidth, in real time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <argosy/extend.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy {

struct throttle_rates {
  std::chrono::nanoseconds latency{0};  // per call and, in a list of parts, per run
  double bytes_per_second = 0;          // 0: unlimited
};

// The device. Handles that share it share its bandwidth; their latencies overlap.
class throttle {
 public:
  using clock = std::chrono::steady_clock;
  explicit throttle(throttle_rates rates) : rates_(rates) {}
  throttle_rates const& rates() const noexcept { return rates_; }

  // Waits until the end of a call that began at `begin`.
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

namespace extend {

template <handle H>
class throttled : public forwarding<throttled<H>, H> {
  using base = forwarding<throttled, H>;

 public:
  throttled()
    requires std::default_initializable<H>
  = default;
  throttled(H slowed, std::shared_ptr<throttle> device)
      : base(std::move(slowed)), device_(std::move(device)) {}
  throttled(H slowed, throttle_rates rates)
      : throttled(std::move(slowed), std::make_shared<throttle>(rates)) {}

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    auto const begin = throttle::clock::now();
    io_result const done = act();
    bool const moves = call.moves_data();
    device_->finish(begin, moves ? call.runs() : 1, moves ? done.bytes : 0);
    return done;
  }

  // Returns the storage of the handle inside, slowed by the device, so that policies use the real
  // time of a call. Each rank is assumed to have a device of its own.
  argosy::extend::storage storage() const {
    auto const [latency, bytes_per_second] = device_->rates();
    return base::storage().slowed(std::chrono::duration<double, std::nano>(latency).count(),
                                  bytes_per_second > 0 ? 1e9 / bytes_per_second : 0);
  }

 private:
  std::shared_ptr<throttle> device_ = std::make_shared<throttle>(throttle_rates{});
};

}  // namespace extend

// Returns an opener that opens with `inner`, and slows the opened handles by `device`.
inline opener with_throttle(opener const& inner, std::shared_ptr<throttle> device) {
  return inner.opening(
      [inner, device = std::move(device)](std::string const& path, extend::open_flags flags,
                                          std::error_code& error) -> extend::any_handle {
        auto const begin = throttle::clock::now();
        extend::any_handle opened = inner(path, flags, error);
        device->finish(begin, 1, 0);
        if (error) return {};
        return extend::any_handle(extend::throttled(std::move(opened), device));
      });
}

static_assert(extend::handle<extend::throttled<extend::any_handle>>);

}  // namespace argosy

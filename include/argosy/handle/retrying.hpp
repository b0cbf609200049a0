// Makes a handle from a raw handle: interrupted calls are repeated, short ones continued.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/extend.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy {

namespace extend {

// Limits of retries. EINTR is repeated without limit. EAGAIN, and a write of 0 bytes, are repeated
// after pauses that double; progress resets them. When all pauses are used up, the call returns
// EAGAIN, or EIO for the write of 0 bytes.
struct retry_limits {
  std::chrono::microseconds first_pause{100};
  std::chrono::microseconds longest_pause{50'000};
  std::chrono::microseconds all_pauses{5'000'000};    // their sum, since the last progress
  void (*sleep)(std::chrono::nanoseconds) = nullptr;  // how to pause; null: this thread sleeps
};

}  // namespace extend

namespace detail {

class patience {
 public:
  explicit patience(retry_limits const& limits) : limits_(limits) { reset(); }
  void reset() {
    next_ = limits_.first_pause;
    left_ = limits_.all_pauses;
  }
  // Pauses. Returns true if there was time left.
  bool pause() {
    if (left_.count() <= 0) return false;
    auto const now = next_ < left_ ? next_ : left_;
    limits_.sleep ? limits_.sleep(now) : std::this_thread::sleep_for(now);
    left_ -= now;
    next_ = next_ * 2 < limits_.longest_pause ? next_ * 2 : limits_.longest_pause;
    return true;
  }
  // Returns true if the call should be made again.
  bool again(std::error_code const& error) {
    if (error == std::errc::interrupted) return true;
    return (error == std::errc::resource_unavailable_try_again ||
            error == std::errc::operation_would_block) &&
           pause();
  }

 private:
  retry_limits const& limits_;
  std::chrono::microseconds next_, left_;
};

// Repeats the call until it succeeds or fails with a permanent error.
template <class Call>
std::error_code repeated(retry_limits const& limits, Call&& call) {
  std::error_code error = call();
  if (!error) return error;
  for (patience patient(limits); error && patient.again(error);) error = call();
  return error;
}

}  // namespace detail

namespace extend {

// Repeats interrupted calls and continues short ones. If a read returns no bytes, the size of the
// file decides the result:
// - If the offset is at or beyond the size, or the size cannot be read, it is the end of the file.
//   The count says how far the read went.
// - If the size is less than this call has read already, the file was truncated during the call:
//   errc::truncated.
// - If there should be bytes, but repeated reads return none, the file is being truncated again and
//   again: errc::truncated as well.
//
// In all other cases a truncated file looks like one that was always so short, and the count is
// right for it.
template <handle Raw>
class retrying : public forwarding<retrying<Raw>, Raw> {
  using base = forwarding<retrying, Raw>;

 public:
  retrying()
    requires std::default_initializable<Raw>
  = default;
  explicit retrying(Raw raw, retry_limits limits = {}) : base(std::move(raw)), limits_(limits) {}

  static retrying open(std::string const& path, open_flags flags, std::error_code& error)
    requires openable<Raw>
  {
    retrying opened{Raw{}};
    error = detail::repeated(opened.limits_, [&] {
      std::error_code e;
      opened.raw() = Raw::open(path, flags, e);
      return e;
    });
    return opened;
  }

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    read_part const all{offset, memory};
    return one<read_part>(all);
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    write_part const all{offset, memory};
    return one<write_part>(all);
  }
  io_result read(std::span<read_part const> parts) { return transfer(parts); }
  io_result write(std::span<write_part const> parts) { return transfer(parts); }

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    // close is never repeated, because the descriptor may belong to another file by now
    if (call.kind == file_call::close) {
      io_result const done = act();
      return done.error == std::errc::interrupted ? io_result{} : done;
    }
    io_result done;
    done.error = detail::repeated(limits_, [&] {
      done = act();
      return done.error;
    });
    return done;
  }

  Raw& raw() noexcept { return base::inner(); }
  Raw const& raw() const noexcept { return base::inner(); }

 private:
  template <class Part>
  io_result call(std::span<Part const> parts, std::size_t within) {
    if (within == 0 && parts.size() > 1) {
      if constexpr (std::same_as<Part, read_part>)
        return raw().read(parts);
      else
        return raw().write(parts);
    }
    auto const offset = parts.front().offset + static_cast<std::int64_t>(within);
    auto const memory = parts.front().memory.subspan(within);
    if constexpr (std::same_as<Part, read_part>)
      return raw().read(offset, memory);
    else
      return raw().write(offset, memory);
  }

  // Transfers one part. Most calls end at once, with all requested bytes.
  template <class Part>
  io_result one(Part const& all) {
    std::span<Part const> const parts(&all, 1);
    io_result done = all.memory.empty() ? io_result{} : call(parts, 0);
    if (done.error || done.bytes != detail::bytes_of(all)) [[unlikely]]
      done = transfer(parts, &done);
    return done;
  }
  // Transfers parts. `first` is the result of the first call of the raw handle, if that was made
  // already.
  template <class Part>
  io_result transfer(std::span<Part const> parts, io_result const* first = nullptr);

  retry_limits limits_;
};

}  // namespace extend

template <extend::handle Raw>
template <class Part>
extend::io_result extend::retrying<Raw>::transfer(std::span<Part const> parts,
                                                  extend::io_result const* first) {
  constexpr bool reading = std::same_as<Part, read_part>;
  std::int64_t done = 0;
  std::int64_t highest = 0;  // end of the bytes read so far
  std::size_t within = 0;    // bytes of the first part that are done
  int surprises = 0;
  detail::patience patient(limits_);
  for (;;) {
    while (!parts.empty() && within == parts.front().memory.size()) {
      parts = parts.subspan(1);
      within = 0;
    }
    if (parts.empty()) return {done, {}};

    extend::io_result const got = first ? *std::exchange(first, nullptr) : call(parts, within);
    if (got.bytes > 0) {
      done += got.bytes;
      surprises = 0;
      patient.reset();
      for (auto left = static_cast<std::size_t>(got.bytes); left > 0;) {
        std::size_t const here = std::min(left, parts.front().memory.size() - within);
        within += here;
        left -= here;
        highest = std::max(highest, parts.front().offset + static_cast<std::int64_t>(within));
        if (left == 0) break;
        parts = parts.subspan(1);
        within = 0;
      }
    }
    if (got.error) {
      if (!patient.again(got.error)) return {done, got.error};
    } else if (got.bytes == 0) {
      if constexpr (reading) {
        std::error_code unknown;
        std::int64_t const there = this->size(unknown);
        std::int64_t const here = parts.front().offset + static_cast<std::int64_t>(within);
        if (unknown) return {done, {}};
        if (there < highest) return {done, errc::truncated};
        if (there <= here) return {done, {}};
        if (++surprises == 4) return {done, errc::truncated};
      } else if (!patient.pause()) {
        return {done, std::make_error_code(std::errc::io_error)};
      }
    }
  }
}

}  // namespace argosy

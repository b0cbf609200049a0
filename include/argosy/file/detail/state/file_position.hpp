// The individual pointer of a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include <argosy/file/detail/state/short_lock.hpp>

namespace argosy::detail {

// A move of the pointer. It is taken back if the call fails, unless the pointer was set again
// meanwhile.
struct pointer_move {
  std::int64_t from = 0;
  std::uint64_t settings = 0;  // value of the counter after the move; 0: there was no move
};

// The individual pointer, in etypes, and a counter of how often it was set. Any thread: concurrent
// calls of several threads get places one behind the other.
class file_position {
 public:
  std::int64_t get() const noexcept {
    std::lock_guard const guard(lock_);
    return etypes_;
  }
  void set(std::int64_t to) noexcept {
    std::lock_guard const guard(lock_);
    put(to);
  }
  // Sets the pointer to `next` of its value; if that is empty, leaves it.
  template <class Next>
  void change(Next&& next) {
    std::lock_guard const guard(lock_);
    if (std::optional<std::int64_t> const to = next(etypes_)) put(*to);
  }
  // Moves the pointer, unless the result would be beyond 2^63, where no data can be.
  pointer_move advance(std::int64_t by) noexcept {
    std::lock_guard const guard(lock_);
    std::int64_t const from = etypes_;
    put(by > INT64_MAX - from ? from : from + by);
    return {from, settings_};
  }
  void take_back(pointer_move const& m) noexcept {
    std::lock_guard const guard(lock_);
    if (m.settings != 0 && settings_ == m.settings) put(m.from);
  }

 private:
  void put(std::int64_t to) noexcept {
    etypes_ = to;
    ++settings_;
  }

  mutable short_lock lock_;
  std::int64_t etypes_ = 0;
  std::uint64_t settings_ = 0;
};

}  // namespace argosy::detail

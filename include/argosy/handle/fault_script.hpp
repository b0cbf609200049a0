// A fault script: the calls of a file that fail, stop short or are late.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/file_call.hpp>

namespace argosy {

// A fault of some calls of one kind. They are numbered from 1, over all handles that share the
// script.
struct fault {
  static constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t all_bytes = std::numeric_limits<std::int64_t>::max();

  file_call kind = file_call::write;
  std::int64_t first = 1;  // the first call with the fault
  std::int64_t times = 1;  // number of calls from there on
  // The call returns it and does not touch the file. There are two exceptions: close always closes,
  // and a transfer with `most_bytes` first moves so many bytes.
  std::error_code error = {};
  // The most bytes that a transfer moves before it ends, with the error or without one.
  std::int64_t most_bytes = all_bytes;
  std::chrono::nanoseconds delay{0};  // before the call
};

// The faults of a file's calls.
//
//   fault_script script;
//   script.add(fail_at(file_call::write, 3, std::errc::io_error));
class fault_script {
 public:
  fault_script() = default;
  fault_script(std::initializer_list<fault> faults) {
    for (fault const& f : faults) add(f);
  }

  // Adds a fault. Any thread may call it at any time.
  void add(fault f) {
    std::lock_guard const guard(mutex_);
    faults_.push_back({f, 0});
  }
  // Removes all faults and the limit of fill_disk_at. Call numbers start again from 1.
  void clear() {
    std::lock_guard const guard(mutex_);
    faults_.clear();
    disk_bytes_ = fault::all_bytes;
    for (auto& n : calls_) n = 0;
  }
  // Sets the file offset at which the disk is full. Writes stop there with ENOSPC, and preallocate
  // beyond it fails with ENOSPC. resize does not. Any thread may call it at any time.
  void fill_disk_at(std::int64_t offset) { disk_bytes_ = offset; }
  std::int64_t disk_bytes() const noexcept { return disk_bytes_; }
  // Sets the function that delays. A virtual world sets its own clock here. Call it before the
  // first file call.
  void sleep_by(std::function<void(std::chrono::nanoseconds)> sleep) { sleep_ = std::move(sleep); }

  std::int64_t calls(file_call kind) const noexcept {
    return calls_[static_cast<std::size_t>(kind)];
  }
  std::int64_t struck() const noexcept { return struck_; }  // calls with a fault so far
  // Returns the number of calls with the i-th fault, counted from 0 in the order of adding. 0 if it
  // has not happened. Throws std::out_of_range if there is no such fault.
  std::int64_t struck(std::size_t i) const {
    std::lock_guard const guard(mutex_);
    return faults_.at(i).struck;
  }

  struct verdict {
    std::error_code error;
    std::int64_t most_bytes = fault::all_bytes;
  };
  // Counts the next call of this kind, delays it if the script says so, and returns its fault. If
  // several faults concern one call, it has the first error, the fewest bytes, and all delays. An
  // error without a number of bytes has most_bytes 0.
  verdict next(file_call kind);

 private:
  struct added {
    fault what;
    std::int64_t struck = 0;
  };
  mutable std::mutex mutex_;
  std::vector<added> faults_;
  std::array<std::atomic<std::int64_t>, detail::file_call_count> calls_{};
  std::atomic<std::int64_t> struck_{0};
  std::atomic<std::int64_t> disk_bytes_{fault::all_bytes};
  std::function<void(std::chrono::nanoseconds)> sleep_;
};

inline fault fail_at(file_call kind, std::int64_t call, std::errc error) {
  return {.kind = kind, .first = call, .error = {static_cast<int>(error), std::system_category()}};
}
inline fault fail_at(file_call kind, std::int64_t call, std::error_code error) {
  return {.kind = kind, .first = call, .error = error};
}
inline fault fail_from(file_call kind, std::int64_t call, std::errc error) {
  return {.kind = kind,
          .first = call,
          .times = fault::forever,
          .error = {static_cast<int>(error), std::system_category()}};
}
// Returns a fault that tears a transfer: `bytes` bytes are moved before the error.
inline fault write_partly_at(file_call kind, std::int64_t call, std::int64_t bytes,
                             std::errc error) {
  return {.kind = kind,
          .first = call,
          .error = {static_cast<int>(error), std::system_category()},
          .most_bytes = bytes};
}
// Returns a fault that shortens a transfer without an error. For a read this means the end of the
// file. Only raw handles may write short.
inline fault shorten_at(file_call kind, std::int64_t call, std::int64_t bytes,
                        std::int64_t times = 1) {
  return {.kind = kind, .first = call, .times = times, .most_bytes = bytes};
}
inline fault delay_at(file_call kind, std::int64_t call, std::chrono::nanoseconds delay,
                      std::int64_t times = 1) {
  return {.kind = kind, .first = call, .times = times, .delay = delay};
}
// Returns a fault with EINTR, `times` times in a row. For raw handles only.
inline fault interrupt_at(file_call kind, std::int64_t call, std::int64_t times = 1) {
  return {.kind = kind,
          .first = call,
          .times = times,
          .error = {static_cast<int>(std::errc::interrupted), std::system_category()}};
}

}  // namespace argosy

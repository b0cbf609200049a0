// One call of a handle, as a decorator sees it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include <argosy/extend.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy::extend {

// One call. It refers to the caller's parts, and lives as long as the call.
struct handle_call {
  file_call kind = file_call::read;
  std::int64_t offset = -1;  // offset of a transfer (its first part) and of a lock; -1: none
  // The length of a lock or of an argument to the file system, or the new size of a resize. -1 if
  // none.
  std::int64_t length = -1;
  std::span<read_part const> reads = {};    // parts of a read; a plain one is a list of one part
  std::span<write_part const> writes = {};  // parts of a write
  lock_kind lock = lock_kind::exclusive;

  bool moves_data() const noexcept { return kind == file_call::read || kind == file_call::write; }

  // Returns f(parts) of a transfer.
  template <class F>
  auto of_parts(F&& f) const {
    return kind == file_call::read ? f(reads) : f(writes);
  }

  // Returns, for transfers, the requested bytes, the number of contiguous ranges of the file, and
  // the end of the last one. O(parts).
  std::int64_t bytes() const noexcept {
    return of_parts([](auto parts) { return detail::total_bytes(parts); });
  }
  std::int64_t runs() const noexcept {
    return of_parts([](auto parts) { return detail::count_runs(parts); });
  }
  std::int64_t end() const noexcept {
    return of_parts([](auto parts) { return detail::end_of(parts); });
  }
};

}  // namespace argosy::extend

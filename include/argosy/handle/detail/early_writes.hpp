// Early writes: which written bytes begin their way to the disk at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace argosy::detail {

// The system keeps written bytes in memory for seconds. A sync then begins with an idle disk, and
// waits for all of them. If the bytes go to the disk while the program writes more, the sync finds
// little to do. A program that never syncs would only be slowed down to the speed of the disk.
//
// Therefore writes are early if the program has asked for it. Otherwise they are early after a
// sync, until twice as much is written as before that sync. Any thread may call these functions. If
// several write at a time, some bytes may not be counted.
class early_writes {
 public:
  static constexpr std::int64_t least = 64 << 10;  // shorter writes are not early, and not counted

  explicit early_writes(bool asked) noexcept : asked_(asked) {}

  // Counts a write. Returns true if its bytes should go to the disk now.
  bool is_early(std::int64_t bytes) noexcept {
    if (bytes < least) return false;
    std::int64_t const now = since_sync_.load(std::memory_order_relaxed);
    std::int64_t const then = now + std::min(bytes, largest - now);
    since_sync_.store(then, std::memory_order_relaxed);
    return asked_ || then <= expected_.load(std::memory_order_relaxed);
  }
  // Notes a sync. One without writes before it tells nothing: some programs sync twice.
  void note_sync() noexcept {
    std::int64_t const written = since_sync_.exchange(0, std::memory_order_relaxed);
    if (written == 0) return;
    // A small step between large ones does not make these unexpected.
    std::int64_t const before = expected_.load(std::memory_order_relaxed);
    expected_.store(std::max(2 * std::min(written, largest / 2), before / 2),
                    std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  bool const asked_;
  std::atomic<std::int64_t> since_sync_{0}, expected_{0};
};

}  // namespace argosy::detail

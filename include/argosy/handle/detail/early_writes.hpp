// Early writes: which written bytes begin their way to the disk at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>

namespace argosy::detail {

// The system keeps written bytes in memory for seconds. A sync then begins with an idle disk, and
// waits for all of them. If the bytes go to the disk while the program writes more, the sync finds
// little to do. A program that never syncs would only be slowed down to the speed of the disk.
//
// Therefore writes are early if the program has asked for it. Otherwise they are early after a
// sync, until twice as much is written as before that sync. The range from the first to the last
// written byte may have room for fewer bytes than were written. Some were then written twice, and
// no write is early, because the disk would get these twice, too.
//
// Any thread may call these functions. If several write at a time, some bytes may not be counted.
class early_writes {
 public:
  static constexpr std::int64_t least = 64 << 10;  // shorter writes are not early, and not counted

  explicit early_writes(bool asked) noexcept : asked_(asked) {}

  // Counts a write. Returns true if its bytes should go to the disk now.
  bool is_early(std::int64_t offset, std::int64_t bytes) noexcept {
    if (bytes < least) return false;
    std::int64_t const before = get(written_), all = before + std::min(bytes, largest - before),
                       low = std::min(get(low_), offset),
                       high = std::max(get(high_), offset + std::min(bytes, largest - offset));
    put(written_, all);
    put(low_, low);
    put(high_, high);
    return asked_ || (all <= get(expected_) && all <= high - low);
  }
  // Notes a sync. One without writes before it tells nothing: some programs sync twice.
  void note_sync() noexcept {
    std::int64_t const step = get(written_);
    if (step == 0) return;
    // A small step between large ones does not make these unexpected.
    put(expected_, std::max(2 * std::min(step, largest / 2), get(expected_) / 2));
    put(written_, 0);
    put(low_, largest);
    put(high_, 0);
  }
  // Keeps an error of an early write for the next sync, because the system may not tell it again.
  // All errors but these mean that nothing was begun.
  void note_error(int error) noexcept {
    constexpr std::array kept{EIO, ENOSPC, EDQUOT, EROFS, ENXIO, ENODEV, EUCLEAN};
    int none = 0;
    if (std::ranges::find(kept, error) != kept.end())
      lost_.compare_exchange_strong(none, error, std::memory_order_relaxed);
  }
  // Returns the first error since the last call, or 0.
  int take_error() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  using number = std::atomic<std::int64_t>;
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  static std::int64_t get(number const& n) noexcept { return n.load(std::memory_order_relaxed); }
  static void put(number& n, std::int64_t value) noexcept {
    n.store(value, std::memory_order_relaxed);
  }

  bool const asked_;
  // since the last sync: the number of bytes, and the range that they lie in
  number written_{0}, low_{largest}, high_{0};
  number expected_{0};
  std::atomic<int> lost_{0};
};

}  // namespace argosy::detail

// Guided prefetching: decides which ranges to announce to a file system, when to access them, and
// when to release them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <argosy/handle/gpfs_fcntl.hpp>

namespace argosy::detail {

// The multiple access range hint, step by step. This class makes no calls itself. The ranges are
// those of one access, in its order, one for each block:
//
//   1  hint(): asks for the first max_pre ranges, or all if there are fewer; answered() gets the
//      number that were accepted
//   2  step(): if none is accepted access one, else as many as are accepted, but at most `most`;
//      accessed()
//   3  hint(): releases the accessed ranges, and asks for ranges that are neither accessed nor
//      accepted, until max_pre are accepted; answered()
//   4  2 and 3 again until step() is 0: then the last hint has released the rest
//
// An accepted range is released once, by an identical entry. After a hint that fails, no further
// ranges are asked for.
class guided_prefetch {
 public:
  using range = gpfs::gpfsRangeArray_t;
  static constexpr std::int64_t max_pre = gpfs::range_count_max;

  // `most`, the paper's max_acc, is at least 1.
  guided_prefetch(std::span<range const> ranges, std::int64_t most)
      : ranges_(ranges), most_(most) {}

  bool has_hint() const { return released_ < release_end() || ask_end() > ask_begin(); }
  gpfs::gpfsMultipleAccessRange_t hint() const {
    gpfs::gpfsMultipleAccessRange_t h;
    for (std::int64_t i = released_; i < release_end(); ++i)
      h.relRangeArray[h.relRangeCnt++] = at(i);
    for (std::int64_t i = ask_begin(); i < ask_end(); ++i) h.accRangeArray[h.accRangeCnt++] = at(i);
    return h;
  }
  // `accepted`: how many of the ranges in the hint were accepted. Ranges to release are treated as
  // released.
  void answered(std::int64_t accepted) {
    std::int64_t const begin = ask_begin();
    released_ = release_end();
    if (released_ == accepted_) released_ = begin;
    accepted_ = begin + accepted;
  }
  void refused() { asks_ = false; }

  std::int64_t next() const { return accessed_; }
  std::int64_t step() const {
    std::int64_t const left = size() - accessed_, ahead = accepted_ - accessed_;
    if (!asks_) return left;
    return std::min(left, ahead > 0 ? std::min(ahead, most_) : 1);
  }
  // Called after an access. `ranges` may be more than step() if they cannot be accessed separately.
  void accessed(std::int64_t ranges) { accessed_ += ranges; }
  // Ends the access: the next hint releases everything.
  void end() {
    asks_ = false;
    accessed_ = size();
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(ranges_.size()); }
  range const& at(std::int64_t i) const { return ranges_[static_cast<std::size_t>(i)]; }
  std::int64_t release_end() const { return std::min(accessed_, accepted_); }
  std::int64_t ask_begin() const { return std::max(accessed_, accepted_); }
  std::int64_t ask_end() const {
    return asks_ ? std::min(size(), accessed_ + max_pre) : ask_begin();
  }

  std::span<range const> ranges_;
  std::int64_t most_;
  // Ranges [released_, accepted_) are accepted and not released. Those before accessed_ were
  // accessed.
  std::int64_t released_ = 0, accepted_ = 0, accessed_ = 0;
  bool asks_ = true;
};

}  // namespace argosy::detail

// Checks whether an access is regular.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::detail {

// Takes the pieces of an access in the order of the file, window by window. One byte range, or runs
// of one length at one distance, are regular: file systems detect them without help. An access is
// still regular if windows of other agents are missing in between and cut the runs.
class run_pattern {
 public:
  // Begins a window: the pieces that follow lie in [begin, end).
  void window(std::int64_t begin, std::int64_t end) {
    if (begin != end_) {
      end_stretch();
      begin_ = begin;
    }
    end_ = end;
  }
  void piece(std::int64_t offset, std::int64_t length) {
    if (length == 0) return;
    if (to_ == offset && from_ < to_) {
      to_ += length;
      return;
    }
    end_run();
    from_ = offset;
    to_ = offset + length;
  }
  // Returns true if the access is regular. Called after the last piece.
  bool regular() {
    end_stretch();
    return runs_ <= 1 || (same_ && short_ <= 2 && (long_ > 0 || cut_ > 0));
  }
  bool may_be_regular() const { return same_; }

 private:
  static constexpr std::int64_t enough = 3;  // number of runs that make a stride

  void end_run() {
    if (from_ == to_) return;
    ++runs_;
    if (from_ > begin_ && to_ < end_) {  // a run at the edge is cut: its length has no meaning
      ++whole_;
      if (length_ == 0) length_ = to_ - from_;
      if (last_ >= 0 && stride_ == 0) stride_ = from_ - last_;
      same_ = same_ && to_ - from_ == length_ && (last_ < 0 || from_ - last_ == stride_);
      last_ = from_;
    }
    from_ = to_;
  }
  // Ends a range of adjacent windows. Two of these ranges, the first and the last, may be too short
  // to judge.
  void end_stretch() {
    std::int64_t const before = runs_;
    end_run();
    if (whole_ >= enough)
      ++long_;
    else if (whole_ > 0)
      ++short_;
    else if (runs_ > before)
      end_cut();
    whole_ = 0;
    last_ = -1;
  }
  // If one byte range is distributed to several agents, the ranges have equal distances. Only the
  // first may begin late.
  void end_cut() {
    std::int64_t const distance = begin_ - last_cut_;
    if (cut_ > 2) same_ = same_ && distance == cut_stride_;
    last_cut_ = begin_;
    cut_stride_ = distance;
    ++cut_;
  }

  std::int64_t begin_ = 0, end_ = -1;     // the current range of adjacent windows
  std::int64_t from_ = 0, to_ = 0;        // the current run
  std::int64_t length_ = 0, stride_ = 0;  // shared by all runs
  std::int64_t last_ = -1, whole_ = 0;    // within the current range
  std::int64_t last_cut_ = 0, cut_stride_ = 0;
  std::int64_t runs_ = 0, long_ = 0, short_ = 0, cut_ = 0;
  bool same_ = true;
};

}  // namespace argosy::detail

// Does an access look regular?
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace argosy::detail {

// Takes the pieces of an access in the order of the file, window by window. One byte range, or runs
// of one length at one distance, are regular: file systems detect those by themselves. They still
// count as regular if windows in between are missing (they are other agents') and cut them.
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
  // Call after the last piece.
  bool regular() {
    end_stretch();
    return runs_ <= 1 || (same_ && short_ <= 2 && (long_ > 0 || cut_ > 0));
  }
  bool may_be_regular() const { return same_; }

 private:
  static constexpr std::int64_t enough = 3;  // runs that make a stride

  void end_run() {
    if (from_ == to_) return;
    ++runs_;
    if (from_ > begin_ && to_ < end_) {  // a run at the edge is cut: its length says nothing
      ++whole_;
      if (length_ == 0) length_ = to_ - from_;
      if (last_ >= 0 && stride_ == 0) stride_ = from_ - last_;
      same_ = same_ && to_ - from_ == length_ && (last_ < 0 || from_ - last_ == stride_);
      last_ = from_;
    }
    from_ = to_;
  }
  // A stretch of the file ends where windows are left out. Two stretches, the first and the last,
  // may be too short to judge.
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
  // If one byte range is dealt to several agents, the stretches are equally far apart; only the
  // first may begin late.
  void end_cut() {
    std::int64_t const distance = begin_ - last_cut_;
    if (cut_ > 2) same_ = same_ && distance == cut_stride_;
    last_cut_ = begin_;
    cut_stride_ = distance;
    ++cut_;
  }

  std::int64_t begin_ = 0, end_ = -1;     // of the stretch
  std::int64_t from_ = 0, to_ = 0;        // of the run
  std::int64_t length_ = 0, stride_ = 0;  // of all runs
  std::int64_t last_ = -1, whole_ = 0;    // of this stretch
  std::int64_t last_cut_ = 0, cut_stride_ = 0;
  std::int64_t runs_ = 0, long_ = 0, short_ = 0, cut_ = 0;
  bool same_ = true;
};

}  // namespace argosy::detail

// Runs: a short description of the bytes of a window that a message is about. Equal runs at one
// distance share an entry.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <argosy/layout/detail/marks.hpp>
#include <argosy/plan/collective_plan.hpp>

namespace argosy::detail {

// Writes entries: the gap behind the entry before, the length of a run, and the number of further
// runs. If there are further runs, the gap between two of them follows. Numbers are varints: 7 bits
// to a byte, the lowest first.
class run_writer {
 public:
  explicit run_writer(std::vector<std::byte>& out) : out_(out) {}

  // Adds a run. Runs must ascend and must not touch. `from` counts from the begin of the window.
  void add(std::int64_t from, std::int64_t length) {
    bytes_ += length;
    if (count_ > 0 && length == length_ && (count_ == 1 || from - last_ == stride_)) {
      stride_ = from - last_;
      last_ = from;
      ++count_;
      return;
    }
    finish();
    first_ = last_ = from;
    length_ = length;
    count_ = 1;
  }
  // Called after the last run.
  void finish() {
    if (count_ == 0) return;
    number(first_ - end_);
    number(length_);
    number(count_ - 1);
    if (count_ > 1) number(stride_ - length_);
    end_ = last_ + length_;
    count_ = 0;
  }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  void number(std::int64_t n) {
    auto left = static_cast<std::uint64_t>(n);
    for (; left >= 0x80; left >>= 7) out_.push_back(static_cast<std::byte>(left | 0x80));
    out_.push_back(static_cast<std::byte>(left));
  }

  std::vector<std::byte>& out_;
  std::int64_t first_ = 0, last_ = 0, length_ = 0, stride_ = 0, count_ = 0, end_ = 0, bytes_ = 0;
};

// Calls f(from, length) for each run.
template <class F>
void for_each_run(std::span<std::byte const> runs, F&& f) {
  std::size_t at = 0;
  auto const number = [&] {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      auto const b = static_cast<std::uint64_t>(runs[at++]);
      n |= (b & 0x7f) << shift;
      if (b < 0x80) return static_cast<std::int64_t>(n);
    }
  };
  for (std::int64_t end = 0; at < runs.size();) {
    std::int64_t from = end + number();
    std::int64_t const length = number(), more = number(), gap = more > 0 ? number() : 0;
    for (std::int64_t i = 0; i <= more; ++i, from += length + gap) f(from, length);
    end = from - gap;
  }
}

// Writes the runs of a window's marks. Returns their bytes.
template <class Marks>
std::int64_t write_runs(Marks const& covered, file_window const& w, std::int64_t granule,
                        std::vector<std::byte>& out) {
  std::int64_t const bits = (w.length() + granule - 1) / granule;
  run_writer runs(out);
  for (std::int64_t from = covered.next_set(0, bits); from < bits;) {
    std::int64_t const to = covered.next_clear(from, bits);
    runs.add(from * granule, std::min(to * granule, w.length()) - from * granule);
    from = covered.next_set(to, bits);
  }
  runs.finish();
  return runs.bytes();
}

}  // namespace argosy::detail

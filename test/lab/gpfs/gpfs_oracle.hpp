// The values that the bytes of a file may have while writes overlap, and the sizes of the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>

namespace argosy::test {

namespace gpfs = argosy::lab::gpfs;

// Notes writes by their time in the simulation.
class oracle {
 public:
  explicit oracle(std::int64_t bytes) : history_(static_cast<std::size_t>(bytes)) {}

  struct write {
    std::byte value{};
    gpfs::detail::instant begin{}, end = gpfs::detail::instant::max();
  };

  // Returns a number for `finished`.
  std::size_t started(std::int64_t offset, std::int64_t length, std::byte value,
                      gpfs::detail::instant at) {
    writes_.push_back({value, at, gpfs::detail::instant::max()});
    for (std::int64_t k = offset; k < offset + length; ++k)
      history_[static_cast<std::size_t>(k)].push_back(writes_.size() - 1);
    ends_.push_back(offset + length);
    return writes_.size() - 1;
  }
  void finished(std::size_t note, gpfs::detail::instant at) { writes_[note].end = at; }

  bool allows(std::int64_t offset, std::byte value, gpfs::detail::instant begin,
              gpfs::detail::instant end) const {
    // A write that ended before this read began hides all writes that ended before that write
    // began.
    auto latest = gpfs::detail::instant::min();
    std::vector<std::size_t> const& h = history_[static_cast<std::size_t>(offset)];
    for (std::size_t const w : h)
      if (writes_[w].end <= begin) latest = std::max(latest, writes_[w].begin);
    if (latest == gpfs::detail::instant::min() && value == std::byte{}) return true;
    return std::any_of(h.begin(), h.end(), [&](std::size_t w) {
      return writes_[w].value == value && writes_[w].begin <= end && writes_[w].end >= latest;
    });
  }
  std::int64_t size_at_least(gpfs::detail::instant begin) const {
    std::int64_t size = 0;
    for (std::size_t w = 0; w < writes_.size(); ++w)
      if (writes_[w].end <= begin) size = std::max(size, ends_[w]);
    return size;
  }
  std::int64_t size_at_most(gpfs::detail::instant end) const {
    std::int64_t size = 0;
    for (std::size_t w = 0; w < writes_.size(); ++w)
      if (writes_[w].begin <= end) size = std::max(size, ends_[w]);
    return size;
  }

 private:
  std::vector<std::vector<std::size_t>> history_;
  std::vector<write> writes_;
  std::vector<std::int64_t> ends_;
};

}  // namespace argosy::test

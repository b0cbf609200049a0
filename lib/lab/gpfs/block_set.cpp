// Implements lab/gpfs/detail/block_set.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/block_set.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace argosy::lab::gpfs::detail {

namespace {

// Returns the first range that ends behind `block`.
auto first_behind(auto& ranges, std::int64_t block) {
  return std::lower_bound(ranges.begin(), ranges.end(), block,
                          [](block_range const& r, std::int64_t at) { return r.end <= at; });
}

}  // namespace

bool block_set::contains(std::int64_t block) const {
  auto const r = first_behind(ranges, block);
  return r != ranges.end() && r->contains(block);
}

bool block_set::sound() const {
  for (std::size_t k = 0; k < ranges.size(); ++k)
    if (ranges[k].begin < 0 || ranges[k].empty() || (k > 0 && ranges[k].begin <= ranges[k - 1].end))
      return false;
  return true;
}

block_set block_set::within(block_range range) const {
  block_set part;
  if (range.empty()) return part;
  for (auto r = first_behind(ranges, range.begin); r != ranges.end() && r->begin < range.end; ++r)
    part.ranges.push_back(intersection(*r, range));
  return part;
}

void block_set::add(block_range range) {
  if (range.empty()) return;
  auto const first =
      std::lower_bound(ranges.begin(), ranges.end(), range.begin,
                       [](block_range const& r, std::int64_t at) { return r.end < at; });
  auto last = first;
  for (; last != ranges.end() && last->begin <= range.end; ++last)
    range = {std::min(range.begin, last->begin), std::max(range.end, last->end)};
  if (first == last) {
    ranges.insert(first, range);
  } else {
    *first = range;
    ranges.erase(first + 1, last);
  }
}

// Long sets are merged in one pass, so that the time is linear in their lengths.
void block_set::add(block_set const& other) {
  if (other.ranges.size() <= 1) {
    for (block_range const& r : other.ranges) add(r);
    return;
  }
  std::vector<block_range> all;
  all.reserve(ranges.size() + other.ranges.size());
  std::merge(ranges.begin(), ranges.end(), other.ranges.begin(), other.ranges.end(),
             std::back_inserter(all),
             [](block_range const& a, block_range const& b) { return a.begin < b.begin; });
  ranges.clear();
  for (block_range const& r : all)
    if (!ranges.empty() && r.begin <= ranges.back().end)
      ranges.back().end = std::max(ranges.back().end, r.end);
    else
      ranges.push_back(r);
}

void block_set::remove(block_range range) {
  if (range.empty()) return;
  block_set const behind = within({range.end, no_end});
  *this = within({0, range.begin});
  ranges.insert(ranges.end(), behind.ranges.begin(), behind.ranges.end());
}

}  // namespace argosy::lab::gpfs::detail

// Implements lab/gpfs/detail/token_map.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/token_map.hpp>

#include <algorithm>
#include <utility>

namespace argosy::lab::gpfs::detail {

// Returns the first token that ends behind a block.
auto token_map::behind(std::int64_t block) const -> std::vector<token>::const_iterator {
  return std::partition_point(tokens_.begin(), tokens_.end(),
                              [&](token const& before) { return before.range.end <= block; });
}

bool token_map::covers(block_range range, token_mode mode) const {
  for (auto t = behind(range.begin); t != tokens_.end() && !range.empty(); ++t) {
    if (t->range.begin > range.begin || t->mode < mode) return false;
    range.begin = t->range.end;
  }
  return range.empty();
}

token_mode token_map::at(std::int64_t block) const {
  auto const t = behind(block);
  return t != tokens_.end() && t->range.contains(block) ? t->mode : token_mode::none;
}

auto token_map::conflicting(block_range range, token_mode mode) const -> token const* {
  for (auto t = behind(range.begin); t != tokens_.end() && t->range.begin < range.end; ++t)
    if (conflict(t->mode, mode)) return &*t;
  return nullptr;
}

// Looks at the neighbours of `required` only, because a node may have thousands of tokens.
block_range token_map::free_around(block_range required, block_range range, token_mode mode) const {
  for (auto t = behind(required.end); t != tokens_.end() && t->range.begin < range.end; ++t)
    if (t->range.begin >= required.end && conflict(t->mode, mode)) range.end = t->range.begin;
  for (auto t = behind(required.begin); t != tokens_.begin();) {
    --t;
    if (t->range.end <= range.begin) break;
    if (conflict(t->mode, mode)) range.begin = t->range.end;
  }
  return range;
}

// Replaces the mode of every block of the range by how(mode). Visits only tokens that overlap the
// range or touch it, which may be joined with the result, because a node may have thousands of
// tokens.
template <class Change>
void token_map::change(block_range range, Change const& how) {
  if (range.empty()) return;
  std::vector<token> all;
  auto const add = [&](token t) {
    if (t.range.empty() || t.mode == token_mode::none) return;
    if (!all.empty() && all.back().range.end == t.range.begin && all.back().mode == t.mode &&
        all.back().number == t.number)
      all.back().range.end = t.range.end;
    else
      all.push_back(t);
  };
  std::int64_t at = range.begin;  // the range before it is done
  auto const fill = [&](std::int64_t end) {
    if (at < end) add(how(token{{at, end}, token_mode::none, 0}));
    at = std::max(at, end);
  };
  auto const first = behind(range.begin - 1);
  auto last = first;
  for (; last != tokens_.end() && last->range.begin <= range.end; ++last) {
    token const& t = *last;
    if (t.range.begin >= range.end) fill(range.end);
    add({{t.range.begin, std::min(t.range.end, range.begin)}, t.mode, t.number});
    block_range const inside = intersection(t.range, range);
    if (!inside.empty()) {
      fill(inside.begin);
      add(how(token{inside, t.mode, t.number}));
      at = inside.end;
    }
    if (t.range.end > range.end) {
      fill(range.end);
      add({{std::max(t.range.begin, range.end), t.range.end}, t.mode, t.number});
    }
  }
  fill(range.end);
  // If as many tokens are inserted as removed, the other tokens do not move.
  std::ptrdiff_t const begin = first - tokens_.begin(), old = last - first, now = std::ssize(all);
  auto const at_begin = tokens_.begin() + begin;
  std::copy_n(all.begin(), std::min(old, now), at_begin);
  if (now < old)
    tokens_.erase(at_begin + now, at_begin + old);
  else
    tokens_.insert(at_begin + old, all.begin() + old, all.end());
}

void token_map::raise(block_range range, token_mode mode, std::int64_t number) {
  change(range, [=](token t) {
    return token{t.range, std::max(t.mode, mode), std::max(t.number, number)};
  });
}

void token_map::lower(block_range range, token_mode mode, std::int64_t number) {
  change(range, [=](token t) {
    if (t.number <= number) t.mode = std::min(t.mode, mode);
    return t;
  });
}

}  // namespace argosy::lab::gpfs::detail

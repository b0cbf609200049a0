// Finds the known word that the user probably meant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::tool {

// Returns the number of letters to insert, remove, change, or swap with their neighbour. O(a x b).
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

// Returns the nearest known word; empty if none is near. A word that begins with `word` is near to
// it.
inline std::string nearest(std::string_view word, std::span<std::string_view const> known) {
  // longer words are not compared, because no known word is that long
  constexpr std::size_t longest = 40;
  std::string_view best;
  std::size_t least = word.size() / 3 + 2;
  if (word.empty() || word.size() > longest) return {};
  for (std::string_view const k : known) {
    std::size_t const d = word.size() >= 3 && k.starts_with(word) ? 0 : distance(word, k);
    if (d < least && d < std::max(k.size(), word.size())) {
      least = d;
      best = k;
    }
  }
  return std::string(best);
}

}  // namespace argosy::tool

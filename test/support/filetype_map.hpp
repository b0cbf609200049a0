// An oracle for filetypes: a map of their bytes. With random maps, data and policies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

namespace argosy::test {

using namespace extend;

using random_source = std::mt19937_64;
inline std::int64_t from_to(random_source& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// The oracle: pieces in the order of the stream, repeated every `extent` bytes.
struct filetype_map {
  std::vector<std::int64_t> offsets, lengths;
  std::int64_t lower = 0, extent = 0;

  std::int64_t size() const {
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  }
  std::int64_t offset_of(std::int64_t byte) const {
    std::int64_t const tile = byte / size();
    std::int64_t rest = byte % size();
    std::size_t k = 0;
    while (rest >= lengths[k]) rest -= lengths[k++];
    return tile * extent + offsets[k] + rest;
  }
  // Returns true if bytes are named twice in the first `tiles` copies. 24 copies reach beyond the
  // end of the first one.
  bool names_twice(std::int64_t tiles = 24) const {
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < tiles * size(); ++i)
      if (!seen.insert(offset_of(i)).second) return true;
    return false;
  }
  auto filetype() const {
    return resized(hindexed(lengths, offsets, type<std::uint8_t>), lower, extent);
  }
  std::string text() const {
    std::string s = "extent " + std::to_string(extent) + " from " + std::to_string(lower) + ":";
    for (std::size_t k = 0; k < offsets.size(); ++k)
      s += " [" + std::to_string(offsets[k]) + ", +" + std::to_string(lengths[k]) + ")";
    return s;
  }
};

// Returns a random map. Offsets never decrease. All lengths are multiples of `unit` bytes, except
// holes if `uneven`.
inline filetype_map random_map(random_source& random, std::int64_t unit, bool uneven) {
  filetype_map m;
  std::int64_t const hole = uneven ? 1 : unit;
  std::int64_t at = hole * from_to(random, 0, 3);
  for (std::int64_t k = from_to(random, 1, 4); k > 0; --k) {
    m.offsets.push_back(at);
    m.lengths.push_back(unit * from_to(random, 1, 2));
    if (from_to(random, 0, 9) == 0)
      // one etype: the next piece is at the same place, and etypes may not go back
      m.lengths.back() = unit;
    else
      at += m.lengths.back() + hole * from_to(random, 0, 5);
  }
  std::int64_t const end = m.offsets.back() + m.lengths.back();
  m.extent = hole * from_to(random, 0, end / hole + 3);
  m.lower = hole * from_to(random, -3, 3);
  return m;
}

inline std::vector<std::uint8_t> numbers(std::size_t n, int salt) {
  std::vector<std::uint8_t> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = static_cast<std::uint8_t>(1 + (i * 7 + static_cast<std::size_t>(salt)) % 255);
  return all;
}

inline any_policy random_policy(random_source& random) {
  switch (from_to(random, 0, 3)) {
    case 0:
      return independent{.buffer_bytes = from_to(random, 1, 40)};
    case 1:
      return sieving{.read_window_bytes = 16,
                     .write_window_bytes = 16,
                     .reads = sieving_mode::always,
                     .writes = sieving_mode::always};
    case 2:
      return two_phase{};
    default:
      return {};
  }
}

}  // namespace argosy::test

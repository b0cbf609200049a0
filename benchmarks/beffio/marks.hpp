// The contents of memory: words that encode their place in the file, so that a chunk in a wrong
// place, or a stale one, is detected.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules.hpp"

namespace beffio {

// Returns the first or the last word of a chunk. From the highest bit on: 1 bit set; 1 bit rewrite;
// 3 bits type; 4 bits pattern; 1 bit last word; 12 bits rank; 11 bits chunk of the call; 31 bits
// call of the pattern.
constexpr std::uint64_t mark(bool rewritten, int type, int pattern, int rank, std::int64_t call,
                             std::int64_t chunk, bool last) {
  auto const field = [](auto value, int bits) {
    return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
  };
  return std::uint64_t{1} << 63 | field(rewritten ? 1 : 0, 1) << 62 | field(type, 3) << 59 |
         field(pattern, 4) << 55 | field(last ? 1 : 0, 1) << 54 | field(rank, 12) << 42 |
         field(chunk, 11) << 31 | field(call, 31);
}
// Returns any other word, by its place in the memory of the call. It is never a mark.
constexpr std::uint64_t fill(int rank, std::int64_t word) {
  return (static_cast<std::uint64_t>(rank) & 0xffff) << 40 | static_cast<std::uint64_t>(word);
}

// Memory of one rank, to write from and to read into. Another type may replace it if its `out` and
// `in` are ranges of words, too.
class buffers {
 public:
  buffers(int rank, std::int64_t bytes) : rank_(rank), out(words(bytes)), in(words(bytes)) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = fill(rank, static_cast<std::int64_t>(k));
  }

  void set(bool rewritten, int type, int number, pattern const& p, std::int64_t call) {
    each(p, [&](std::size_t at, std::int64_t chunk, bool last) {
      out[at] = mark(rewritten, type, number, rank_, call, chunk, last);
    });
  }
  // Restores the state before all calls.
  void unset(pattern const& p) {
    each(p, [&](std::size_t at, std::int64_t, bool) {
      out[at] = fill(rank_, static_cast<std::int64_t>(at));
    });
  }
  // Returns the number of marks that differ from those written.
  std::int64_t wrong(bool rewritten, int type, int number, pattern const& p,
                     std::int64_t call) const {
    std::int64_t n = 0;
    each(p, [&](std::size_t at, std::int64_t chunk, bool last) {
      n += in[at] != mark(rewritten, type, number, rank_, call, chunk, last);
    });
    return n;
  }

 private:
  static std::size_t words(std::int64_t bytes) { return static_cast<std::size_t>(bytes / 8); }
  // A chunk of one word has only a last word.
  template <class F>
  static void each(pattern const& p, F&& f) {
    std::int64_t const length = p.chunk / 8;
    for (std::int64_t chunk = 0, at = 0; at < p.memory / 8; ++chunk, at += length) {
      if (length > 1) f(static_cast<std::size_t>(at), chunk, false);
      f(static_cast<std::size_t>(at + length - 1), chunk, true);
    }
  }
  int rank_;

 public:
  std::vector<std::uint64_t> out, in;
};

}  // namespace beffio

// The expected content of the files of b_eff_io, word by word, computed from the counts of a run
// and the definition alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <beffio/result.hpp>

namespace argosy::test {

using words = std::vector<std::uint64_t>;

// Computes a mark by the table of bits in marks.hpp, written a second time.
inline std::uint64_t mark_of(bool rewritten, int type, int pattern, int rank, std::int64_t call,
                             std::int64_t chunk, bool last) {
  std::uint64_t bits = 1;
  bits = bits * 2 + (rewritten ? 1 : 0);
  bits = bits * 8 + static_cast<std::uint64_t>(type);
  bits = bits * 16 + static_cast<std::uint64_t>(pattern);
  bits = bits * 2 + (last ? 1 : 0);
  bits = bits * 4096 + static_cast<std::uint64_t>(rank);
  bits = bits * 2048 + static_cast<std::uint64_t>(chunk);
  return bits * (std::uint64_t{1} << 31) + static_cast<std::uint64_t>(call);
}

// Returns the file of a type (of one rank, for type 2). Words that no rank wrote are empty.
inline words expected_file(beffio::run_result const& r, int partition, int type, int of_rank) {
  bool const rewritten = r.find(partition, beffio::method::rewrite, type, 0) != nullptr;
  std::vector<beffio::cell> cells;
  std::int64_t each = 0;  // bytes of a rank
  for (beffio::cell const& c : r.cells)
    if (c.partition == partition && c.how == beffio::method::write && c.type == type) {
      cells.push_back(c);
      each += c.calls * c.what.memory;
    }
  int const ranks = type == 2 ? 1 : partition;
  words file(static_cast<std::size_t>(each * ranks / 8));
  std::int64_t before = 0;
  for (beffio::cell const& c : cells) {
    std::int64_t const chunks = c.what.memory / c.what.chunk, length = c.what.chunk / 8;
    for (int k = 0; k < ranks; ++k) {
      int const rank = type == 2 ? of_rank : k;
      for (std::int64_t call = 0; call < c.calls; ++call)
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
          std::int64_t const number = call * chunks + chunk;  // index among the chunks of this rank
          std::int64_t const at = type <= 1   ? before * ranks + (number * ranks + k) * c.what.chunk
                                  : type == 2 ? before + number * c.what.chunk
                                              : k * each + before + number * c.what.chunk;
          for (std::int64_t i = 0; i < length; ++i) {
            std::int64_t const place = chunk * length + i;  // in memory
            file[static_cast<std::size_t>(at / 8 + i)] =
                i == 0 ? mark_of(rewritten, type, c.number, rank, call, chunk, false)
                : i == length - 1
                    ? mark_of(rewritten, type, c.number, rank, call, chunk, true)
                    : static_cast<std::uint64_t>(rank) << 40 | static_cast<std::uint64_t>(place);
          }
        }
    }
    before += c.calls * c.what.memory;
  }
  return file;
}

inline std::string name_of_file(std::string const& implementation, int partition, int type,
                                int rank) {
  char const* const names[] = {"scatter", "shared", "separated", "segmented", "seg_coll"};
  return implementation + "_np" + std::to_string(partition) + "_" + names[type] +
         (type == 2 ? "_" + std::to_string(rank) : "");
}

}  // namespace argosy::test

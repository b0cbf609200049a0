// The experiments: each measures some settings at one number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <argosy/layout/layout.hpp>
#include <argosy/policy/any_policy.hpp>

#include "options.hpp"
#include "stage.hpp"

namespace shapes {

using argosy::access_kind;

struct row {
  std::string experiment;
  int ranks = 0;
  std::string setting, op;
  double mb_per_s = 0;
  std::int64_t messages = 0, revocations = 0, file_calls = 0;
};
inline char const* op_name(access_kind kind) {
  return kind == access_kind::write ? "write" : "read";
}

// Gets the name of the current measurement, and its result.
struct observer {
  std::function<void(std::string const& setting)> begins;
  std::function<void(std::string const& setting, access_kind kind, std::int64_t bytes,
                     measured const& m)>
      ends;
};

struct experiment {
  char const* name;
  char const* title;
  void (*measure)(options const& o, int ranks, observer const& tell);
};

void discontiguous(options const& o, int ranks, observer const& tell);
void contiguous(options const& o, int ranks, observer const& tell);
void strided(options const& o, int ranks, observer const& tell);
void agents(options const& o, int ranks, observer const& tell);
void random_blocks(options const& o, int ranks, observer const& tell);

inline constexpr experiment experiments[] = {
    {"discontiguous", "Blocks of 1 KiB, dealt to the ranks at random", discontiguous},
    {"contiguous", "A stretch of 4 MiB for each rank", contiguous},
    {"strided", "Records of 512 bytes, of each rank in turn", strided},
    {"agents",
     "Blocks of 1 KiB, dealt at random, in one independent call of each rank that agents carry out",
     agents},
    {"random", "16 pieces of 4 KiB in each of some blocks, dealt at random", random_blocks},
};

// How a rank accesses a file of the library. `offsets` are its pieces, of one length, in file
// order.
struct file_access {
  argosy::extend::any_policy policy;
  bool together = true;
  bool served = false;  // by agents that exist from open to close
  bool each = false;    // a call for each piece
};
// Runs once: all ranks write, or read, the pieces that `pieces_of` returns. The data read is
// checked.
measured through_file(stage& s, access_kind kind, file_access const& how, std::uint64_t salt,
                      std::int64_t piece_bytes,
                      std::function<std::vector<std::int64_t>(int rank)> const& pieces_of);
// Runs once, with a call of the file system for each piece.
measured by_calls(stage& s, access_kind kind, std::uint64_t salt, std::int64_t piece_bytes,
                  std::function<std::vector<std::int64_t>(int rank)> const& pieces_of,
                  bool partitioned = false);

// Writes the file, checks all of it, and reads it back.
struct setting {
  std::string name;
  std::function<measured(stage& s, access_kind kind)> run;
  bool reads = true;  // if false, the reads are those of another setting
};
void write_and_read(stage& s, setting const& what, std::int64_t bytes, std::uint64_t salt,
                    observer const& tell);

}  // namespace shapes

// The published rows, as data: what was measured where, and which part a row plays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace papers {

// Which part a row plays. It was fixed before the first fit, by a rule: of each series of a table
// both ends and at most one in the middle may be fitted, no more than a third. `claims`: nothing
// was published of it but sentences, which need it.
enum class part { calibrate, hold, duplicate, out, claims };
char const* name_of(part p);

// What of several runs was published.
enum class statistic { mean, most };

struct row {
  std::string key, source, table, machine;
  std::string software;  // of software.hpp
  std::string workload;
  std::string op;  // what of the program is measured: write, read, or another name that it knows
  int nodes = 1, per_node = 1;
  std::int64_t bytes_per_task = 0;  // of beffio: its memory
  std::int64_t transfer_bytes = 0;  // of a call, or of a piece
  std::int64_t stripe_bytes = 0;    // IBM_io_buffer_size; 0: its default
  // calls of the file system: unique: with file partitioning
  bool unique = false, largeblock = false;
  std::string hints;  // of beffio: the name of a set; empty: none
  // ranges per step of the range hint, 0: no hint; none: as the software has it
  std::optional<std::int64_t> max_acc;
  // of ROMIO: 0 a call for each piece, 2 one independent call, 3 one collective call
  int level = 3;
  statistic of_runs = statistic::mean;
  double published = 0, published_sd = 0;  // MB/s; 0: not published, of rows for claims
  part role = part::hold;
  std::string reason;

  int tasks() const { return nodes * per_node; }
  bool is_write() const { return op.starts_with("write"); }
};

// The columns hints, max_acc, level and statistic may be missing, or empty. Throws
// std::invalid_argument for what makes no sense, a key that is there twice, and a workload that
// nobody knows.
std::vector<row> read_rows(std::string const& file, std::string_view text);

}  // namespace papers

// The published rows, as data: what was measured on which machine, and the role of each row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace papers {

// The role of a row. A rule fixed it before the first fit: of each series of a table both ends and
// at most one row in the middle may be fitted, and at most a third. `claims`: only sentences about
// it were published, and they need it.
enum class part { calibrate, hold, duplicate, out, claims };
char const* name_of(part p);

// The statistic of several runs that was published.
enum class statistic { mean, most };

struct row {
  std::string key, source, table, machine;
  std::string software;  // a name of software.hpp
  std::string workload;
  std::string op;  // the result of the program: write, read, or another name that it has
  int nodes = 1, per_node = 1;
  std::int64_t bytes_per_task = 0;  // for beffio: its memory
  std::int64_t transfer_bytes = 0;  // for a call, or for a piece
  std::int64_t stripe_bytes = 0;    // IBM_io_buffer_size; 0: its default
  // `unique`: files are opened unique, and partitioned if agents serve; of calls of the file system
  // always; of beffio all but those of type 2
  bool unique = false, largeblock = false;
  std::string hints;  // for beffio: the name of a set; empty: none
  int release = 2;    // for beffio: of its rules, 1 or 2
  // Ranges for each step of the range hint; 0: no hint; nothing: the software's default.
  std::optional<std::int64_t> max_acc;
  // for ROMIO: 0 a call for each piece, 2 one independent call, 3 one collective call
  int level = 3;
  statistic of_runs = statistic::mean;
  double published = 0, published_sd = 0;  // MB/s; 0 if not published, in rows for claims
  part role = part::hold;
  std::string reason;

  int tasks() const { return nodes * per_node; }
  bool is_write() const { return op.starts_with("write"); }
};

// Parses rows. The columns hints, max_acc, level and statistic may be missing, or empty. Throws
// std::invalid_argument for invalid values, for a key that is there twice, and for an unknown
// workload.
std::vector<row> read_rows(std::string const& file, std::string_view text);

// Moves the roles of the rows that are fitted or held out down by so many places, in each table of
// each machine. The roles of the last rows go to the first.
void rotate_roles(std::vector<row>& rows, int places);

}  // namespace papers

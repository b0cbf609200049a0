// Hints by number of processes, method, type and chunk: a file of lines
//   procs|all  write|rewrite|read|all  scatter|shared|separated|segmented|seg_coll|all
//   on_open|1024|1032|32768|32776|1048576|1048584|Lmax|all  key  value
// with comments from # on. If the fourth column is `all`, the hint is given at open and for every
// chunk. If several lines have one key, the last one counts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules.hpp"

namespace beffio {

using hint_list = std::vector<std::pair<std::string, std::string>>;

struct hint_line {
  static constexpr std::int64_t at_open = -1, any_chunk = -2, longest = -3;

  int ranks = 0;     // 0: any number
  int how = -1;      // a method; -1: any method
  int of_type = -1;  // -1: any type
  std::int64_t chunk = any_chunk;
  std::string key, value;
};

class hint_file {
 public:
  hint_file() = default;
  // Throws std::runtime_error with the number of a line that cannot be parsed.
  static hint_file parse(std::string_view text);

  bool empty() const { return lines_.empty(); }
  hint_list at_open(int ranks, method m, int type) const {
    return chosen(ranks, m, type, hint_line::at_open, 0);
  }
  // Returns the hints of a pattern with chunks of `chunk` bytes. `longest` is MPART.
  hint_list of(int ranks, method m, int type, std::int64_t chunk, std::int64_t longest) const {
    return chosen(ranks, m, type, chunk, longest);
  }

 private:
  hint_list chosen(int ranks, method m, int type, std::int64_t chunk, std::int64_t longest) const;
  std::vector<hint_line> lines_;
};

}  // namespace beffio

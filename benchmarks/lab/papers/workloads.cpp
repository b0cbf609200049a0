// Implements find_workload of workload.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "workloads.hpp"

namespace papers {

workload_function find_workload(std::string_view name) {
  struct entry {
    char const* name;
    workload_function run;
  };
  constexpr entry all[] = {{"segmented", segmented},
                           {"strided", strided},
                           {"sparse", sparse},
                           {"dealt_blocks", dealt_blocks},
                           {"discontiguous", discontiguous},
                           {"random_records", random_records},
                           {"block_pieces", block_pieces},
                           {"tile3d", tile3d},
                           {"dist3d", dist3d},
                           {"btio", btio},
                           {"unstruc", unstruc},
                           {"serial_tile", serial_tile},
                           {"gathered_tile", gathered_tile},
                           {"beffio", b_eff_io}};
  for (entry const& e : all)
    if (name == e.name) return e.run;
  return nullptr;
}

}  // namespace papers

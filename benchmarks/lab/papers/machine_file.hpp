// A published machine, read from a text file in which every number says where it comes from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace papers {

// stated: printed in a paper; derived: computed from printed numbers; calibrated: fitted to rows of
// the role `calibrate`; assumed: from elsewhere, or by judgement.
enum class origin { stated, derived, calibrated, assumed };
char const* name_of(origin o);

struct parameter {
  double value = 0;
  origin kind = origin::assumed;
  std::string source;
  double low = 0, high = 0;  // equal: no interval
  std::string place;         // "frost-1.3.machine:7"
};

// The file system, and the network between ranks; what the file does not name has the default of
// argosy::lab. The file system is a GPFS, or where `striped_servers` is named one that stripes
// files over servers and has no tokens.
struct paper_machine {
  std::string name;
  argosy::lab::gpfs::machine fs;
  argosy::lab::virtual_disk disk;
  bool is_striped = false;
  argosy::lab::virtual_network net;
  std::map<std::string, parameter> given;

  // Throws std::invalid_argument: there is no such parameter, or it takes no such value.
  void set(std::string const& which, double value);
  std::uint64_t hash() const;  // of names and values
};

// Names of all parameters; their units are in them. Those of the network between ranks begin with
// mpi_, those of a file system without tokens with striped_.
std::vector<std::string> parameter_names();

// Gives the text of a file that is included. Throws std::invalid_argument if there is none.
using include_function = std::function<std::string(std::string const& name)>;

// One parameter per line:
//
//   include frost-1.3.machine
//   client_read_mb_per_s  335  calibrated  PC 1.4, n = 1  [250, 500]   # a comment
//   servers               2    stated      PC, section "machine"
//
// name, value, origin, source, and the interval that the source allows, in the same unit. A later
// line replaces an included one. Throws std::invalid_argument with file and line for: unknown
// names, values that are no numbers, unknown origins, no source, calibrated or assumed values
// without an interval or outside of it, a name twice in one file, includes behind a parameter, in a
// circle or nested deeper than 8, names of files with a directory.
paper_machine read_paper_machine(std::string const& name, std::string const& text,
                                 include_function const& include);
// From a directory.
paper_machine load_paper_machine(std::string const& directory, std::string const& name);

}  // namespace papers

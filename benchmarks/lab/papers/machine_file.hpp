// A published machine, read from a text file in which every number has its source.
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
  double low = 0, high = 0;  // equal if there is no interval
  std::string place;         // "frost-1.3.machine:7"
};

// The file system, and the network between ranks. Parameters that the file does not name have the
// defaults of argosy::lab. The file system is a GPFS. If `striped_servers` is named, it stripes
// files over servers and has no tokens.
struct paper_machine {
  std::string name;
  argosy::lab::gpfs::machine fs;
  argosy::lab::virtual_disk disk;
  bool is_striped = false;
  argosy::lab::virtual_network net;
  std::map<std::string, parameter> given;

  // Throws std::invalid_argument if there is no such parameter, or if the value is invalid.
  void set(std::string const& which, double value);
  std::uint64_t hash() const;  // hash of names and values
};

// Returns the names of all parameters, which contain their units. Those of the network between
// ranks begin with mpi_, those of a file system without tokens with striped_.
std::vector<std::string> parameter_names();

// Returns the text of an included file. Throws std::invalid_argument if there is none.
using include_function = std::function<std::string(std::string const& name)>;

// Parses a machine, with one parameter per line:
//
//   include frost-1.3.machine
//   client_read_mb_per_s  335  calibrated  PC 1.4, n = 1  [250, 500]   # a comment
//   servers               2    stated      PC, section "machine"
//
// A line has name, value, origin, source, and the interval that the source allows, in one unit. A
// later line replaces an included one.
//
// Throws std::invalid_argument with file and line for these faults:
//
// - unknown names and origins, values that are no numbers, no source, a name twice in one file
// - calibrated or assumed values without an interval or outside of it
// - includes behind a parameter, in a circle or nested deeper than 8
// - names of files with a directory
paper_machine read_paper_machine(std::string const& name, std::string const& text,
                                 include_function const& include);
// Reads a machine from a directory.
paper_machine load_paper_machine(std::string const& directory, std::string const& name);

}  // namespace papers

// Implements ibm_variables.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "ibm_variables.hpp"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include <argosy/file/hints_file.hpp>

namespace argosy::mpiio {
namespace {

std::string value_of(char const* variable) {
  char const* const set = std::getenv(variable);
  return set ? set : "";
}

// Values of these variables are read without regard to capitals.
std::string word_of(char const* variable) {
  std::string word = value_of(variable);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// MP_IO_ERRLOG=yes asks for a line for each failed call of a file, as ARGOSY_TRACE=errors does.
// Set while this library is loaded, before there are threads that read the environment.
[[maybe_unused]] bool const errors_are_logged = [] {
  return word_of("MP_IO_ERRLOG") == "yes" && ::setenv("ARGOSY_TRACE", "errors", 0) == 0;
}();

// Returns "node1:*,node2:*" for a file with a node in each line. Lines that begin with ! or * are
// comments there. Returns an empty string if the file names no node.
std::string limits_of(std::istream& nodes) {
  std::string limits, line;
  std::set<std::string> seen;
  while (std::getline(nodes, line)) {
    std::size_t const begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '!' || line[begin] == '*') continue;
    std::string node = line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
    if (!seen.insert(node).second) continue;
    if (!limits.empty()) limits += ",";
    limits += node + ":*";
  }
  return limits;
}

void add_node_file(hints& all) {
  std::string const path = value_of("MP_IONODEFILE");
  if (path.empty()) return;
  std::ifstream nodes(path);
  std::string const limits = nodes ? limits_of(nodes) : std::string();
  if (!limits.empty())
    all.named.push_back({"cb_config_list", limits, "MP_IONODEFILE"});
  else
    all.named.push_back(
        {"MP_IONODEFILE", path, "", "the file cannot be read, or no line of it names a node"});
}

}  // namespace

hints hints_of_ibm_variables() {
  hints all;
  std::string const checking = word_of("MP_EUIDEVELOP");
  if (checking == "yes" || checking == "develop" || checking == "debug")
    all.named.push_back({"argosy_develop", "true", "MP_EUIDEVELOP"});
  if (std::string bytes = value_of("MP_IO_BUFFER_SIZE"); !bytes.empty())
    all.named.push_back({"IBM_io_buffer_size", std::move(bytes), "MP_IO_BUFFER_SIZE"});
  add_node_file(all);
  if (all.named.empty()) return all;
  hints const own = argosy::detail::environment_hints();
  std::erase_if(all.named, [&](auto const& one) {
    for (auto const& h : own.named)
      if (h.name == one.name) return true;
    return false;
  });
  return all;
}

}  // namespace argosy::mpiio

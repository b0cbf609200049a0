// Implements handle/detail/mounts.hpp. proc_pid_mountinfo(5) explains the lines.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/mounts.hpp>

#include <sys/sysmacros.h>

#include <fstream>
#include <istream>
#include <sstream>

namespace argosy::detail {

mounted mounted_as(std::istream& lines, dev_t device) {
  std::string const wanted = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, parent, place, word;
    if (!(words >> number >> parent >> place) || place != wanted) continue;
    while (words >> word && word != "-") {  // the number of options varies
    }
    mounted found;
    if (words >> found.type >> found.source) return found;
  }
  return {};
}

mounted mounted_as(dev_t device) {
  std::ifstream lines("/proc/self/mountinfo");
  return mounted_as(lines, device);
}

}  // namespace argosy::detail

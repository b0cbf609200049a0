// Implements hints_file.hpp: reads hints from text files and from the environment.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hints_file.hpp>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "parse.hpp"

namespace argosy {

hints parse_hints(std::string_view text, std::string_view origin) {
  hints result;
  for (int number = 1; !text.empty(); ++number) {
    std::size_t const end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    // A # inside a word belongs to it.
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) line = line.substr(0, i);
    line = detail::trimmed(line);
    if (line.empty()) continue;
    std::string const where = std::string(origin) + ":" + std::to_string(number);
    std::size_t const gap = line.find_first_of(" \t=");  // no name has a =, and `name = value` is what many write
    std::string_view value = gap == std::string_view::npos ? std::string_view() : detail::trimmed(line.substr(gap));
    if (value.starts_with('=')) value = detail::trimmed(value.substr(1));
    if (gap == 0)
      result.named.push_back({std::string(line), "", where, "a line needs a name before its value"});
    else if (value.empty())
      result.named.push_back({std::string(line.substr(0, gap)), "", where, "a line needs a name and a value"});
    else
      result.named.push_back({std::string(line.substr(0, gap)), std::string(value), where, ""});
  }
  return result;
}

hints read_hints_file(std::string const& path, std::string_view variable) {
  errno = 0;
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) text += line + "\n";
  if (!file.is_open() || file.bad()) {
    std::string const why = errno != 0 ? std::generic_category().message(errno) : std::string("unknown error");
    hints unreadable;
    unreadable.named.push_back({std::string(variable), path, "", "the file cannot be read: " + why});
    return unreadable;
  }
  return parse_hints(text, path);
}

hints detail::environment_hints() {
  char const* const path = std::getenv("ARGOSY_HINTS");
  return path == nullptr || *path == '\0' ? hints() : read_hints_file(path);
}

hints detail::overriding_hints() {
  constexpr char const* variable = "ARGOSY_HINTS_OVERRIDE";
  char const* const path = std::getenv(variable);
  return path == nullptr || *path == '\0' ? hints() : read_hints_file(path, variable);
}

}  // namespace argosy

// Implements hints_file.hpp: reads hints from text files and from the environment.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/hints_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "parse.hpp"

namespace argosy {

namespace extend {

hints parse_hints(std::string_view text, std::string_view origin) {
  hints result;
  for (int number = 1; !text.empty(); ++number) {
    std::size_t const end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    // A # inside a word belongs to the word.
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
        line = line.substr(0, i);
    line = detail::trimmed(line);
    if (line.empty()) continue;
    std::string const where = std::string(origin) + ":" + std::to_string(number);
    // no name contains a =, and many users write `name = value`
    std::size_t const gap = line.find_first_of(" \t=");
    std::string_view value =
        gap == std::string_view::npos ? std::string_view() : detail::trimmed(line.substr(gap));
    if (value.starts_with('=')) value = detail::trimmed(value.substr(1));
    if (gap == 0)
      result.named.push_back(
          {std::string(line), "", where, "a line needs a name before its value"});
    else if (value.empty())
      result.named.push_back(
          {std::string(line.substr(0, gap)), "", where, "a line needs a name and a value"});
    else
      result.named.push_back({std::string(line.substr(0, gap)), std::string(value), where, ""});
  }
  return result;
}

}  // namespace extend

namespace {

constexpr std::size_t most_bytes = 1 << 20;

// Reads a file of hints. Returns the reason if it cannot be read. The name in the environment may
// be of anything: a pipe, an endless device, a file of data.
std::string read_text(std::string const& path, std::string& text) {
  auto const by_errno = [] {
    return "the file cannot be read: " + std::generic_category().message(errno);
  };
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return by_errno();
  struct close_at_end {
    int descriptor;
    ~close_at_end() { ::close(descriptor); }
  } const at_end{descriptor};
  struct stat about{};
  if (::fstat(descriptor, &about) != 0) return by_errno();
  if (S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    return by_errno();
  }
  if (!S_ISREG(about.st_mode))
    return "this is no regular file, and hints are read from nothing else";
  std::array<char, 4096> some;
  for (;;) {
    ssize_t const got = ::read(descriptor, some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return by_errno();
    if (got == 0) return {};
    text.append(some.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes) return "the file has more than 1 MiB, so it is none of hints";
  }
}

}  // namespace

namespace extend {

hints read_hints_file(std::string const& path, std::string_view variable) {
  std::string text;
  std::string why =
      path.find('\0') == std::string::npos ? read_text(path, text) : "a path has no byte 0";
  if (why.empty()) return parse_hints(text, path);
  hints unreadable;
  unreadable.named.push_back({std::string(variable), path, "", std::move(why)});
  return unreadable;
}

}  // namespace extend

hints detail::environment_hints() {
  char const* const path = std::getenv("ARGOSY_HINTS");
  return path == nullptr || *path == '\0' ? hints() : extend::read_hints_file(path);
}

hints detail::overriding_hints() {
  constexpr char const* variable = "ARGOSY_HINTS_OVERRIDE";
  char const* const path = std::getenv(variable);
  return path == nullptr || *path == '\0' ? hints() : extend::read_hints_file(path, variable);
}

}  // namespace argosy

// Implements handle/tracer.hpp: options from the environment.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/tracer.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace argosy {

namespace {

// Prints each complaint once per process.
void complain(char const* variable, char const* value, std::string const& why) {
  static std::mutex mutex;
  static std::map<std::string, bool> said;
  std::lock_guard const guard(mutex);
  if (!said.emplace(std::string(variable) + "=" + value, true).second) return;
  std::fprintf(stderr, "argosy: %s=%s is %s\n", variable, value, why.c_str());
}
void complain_of_value(char const* variable, char const* value, char const* allowed) {
  complain(variable, value, "not understood (" + std::string(allowed) + "); the default holds");
}

template <class Value>
Value choice(int rank, char const* variable, Value value,
             std::initializer_list<std::pair<char const*, Value>> choices, char const* allowed) {
  char const* const said = std::getenv(variable);
  if (!said || !*said) return value;
  for (auto const& [name, meaning] : choices)
    if (std::strcmp(name, said) == 0) return meaning;
  if (rank == 0)
    complain_of_value(variable, said, allowed);  // all ranks mostly have the same environment
  return value;
}

}  // namespace

extend::trace_options extend::trace_options::from_environment(int rank, std::string agent) {
  extend::trace_options o;
  o.rank = rank;
  o.agent = std::move(agent);
  o.mode = choice(rank, "ARGOSY_TRACE", extend::trace_mode::off,
                  {{"off", extend::trace_mode::off},
                   {"0", extend::trace_mode::off},
                   {"1", extend::trace_mode::calls},
                   {"errors", extend::trace_mode::errors},
                   {"calls", extend::trace_mode::calls},
                   {"phases", extend::trace_mode::phases}},
                  "off, errors, calls or phases");
  // ARGOSY_TRACE_FORMAT is from programs that chose between two formats. Only `chrome` is left.
  if (char const* const format = std::getenv("ARGOSY_TRACE_FORMAT");
      format && *format && std::strcmp(format, "chrome") != 0 &&
      o.mode != extend::trace_mode::off && rank == 0)
    complain("ARGOSY_TRACE_FORMAT", format,
             "no longer understood: traces are JSON, and `argosy trace --text FILE...` prints them "
             "as text");
  if (char const* const from = std::getenv("ARGOSY_TRACE_FROM"); from && *from) {
    char* end = nullptr;
    errno = 0;
    long long const bytes = std::strtoll(from, &end, 10);
    if (!*end && !errno && bytes >= 0)
      o.from_offset = bytes;
    else if (rank == 0)
      complain_of_value("ARGOSY_TRACE_FROM", from, "a file offset in bytes");
  }
  if (char const* const directory = std::getenv("ARGOSY_TRACE_DIR")) o.directory = directory;
  o.write = choice(
      rank, "ARGOSY_TRACE_WRITE", detail::trace_write::gathered,
      {{"gathered", detail::trace_write::gathered}, {"at_once", detail::trace_write::at_once}},
      "gathered or at_once");
  return o;
}

}  // namespace argosy

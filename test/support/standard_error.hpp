// Captures what a test writes to standard error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace argosy::test {

// Calls f, and returns what this process writes to standard error meanwhile.
template <class F>
std::string errors_of(F&& f) {
  std::FILE* const all = std::tmpfile();
  std::fflush(stderr);
  int const before = ::dup(STDERR_FILENO);
  ::dup2(::fileno(all), STDERR_FILENO);
  f();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::string text(static_cast<std::size_t>(std::ftell(all)), ' ');
  std::rewind(all);
  text.resize(std::fread(text.data(), 1, text.size(), all));
  std::fclose(all);
  return text;
}

}  // namespace argosy::test

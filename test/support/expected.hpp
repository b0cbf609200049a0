// Compares the output of a program with a file below test/expected/ that a person has checked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace argosy::test {

// Compares `text` with the file. If the environment has ARGOSY_TEST_EXPECTED=write, the text is
// written to the file instead; check it again before you commit it.
inline void check_expected(std::string const& name, std::string const& text) {
  std::string const path = std::string(ARGOSY_TEST_EXPECTED_FILES) + "/" + name;
  char const* const asked = std::getenv("ARGOSY_TEST_EXPECTED");
  if (asked != nullptr && std::string_view(asked) == "write") {
    std::ofstream to(path, std::ios::binary);
    CHECK(to.write(text.data(), static_cast<std::streamsize>(text.size())).flush());
    return;
  }
  std::ifstream from(path, std::ios::binary);
  std::string const expected{std::istreambuf_iterator<char>(from), {}};
  if (text == expected) return;
  // The failure shows only the first line that differs, because pictures are long.
  std::size_t line = 1, begin = 0, at = 0;
  for (; at < text.size() && at < expected.size() && text[at] == expected[at]; ++at)
    if (text[at] == '\n') ++line, begin = at + 1;
  auto const line_of = [&](std::string const& of) {
    return of.substr(begin, of.find('\n', begin) - begin);
  };
  FAIL_CHECK(path << ", line " << line << "\n  is        " << line_of(text) << "\n  should be "
                  << line_of(expected)
                  << "\nIf the new one is right: ARGOSY_TEST_EXPECTED=write, and look at it.");
}

}  // namespace argosy::test

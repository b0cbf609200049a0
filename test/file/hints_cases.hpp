// What tests of hints have in common: hints that are given, and what became of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/file/file_hints.hpp>

namespace argosy::test {

inline file_hints given(hints const& h) { return {{}, {}, h}; }
inline file_hints given(std::string const& name, std::string const& value) {
  return given(hints{.named = {{name, value}}});
}
inline hint_state state(std::string const& name, std::string const& value) {
  return *given(name, value).find(name);
}

}  // namespace argosy::test

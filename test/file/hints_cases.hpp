// Shared by tests of hints: makes hints, and looks up their status.
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

// The name of a member, from the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

namespace argosy::detail {

// Returns the name. g++ gives "... [with auto Member = &space::particle::x; ...]", clang "...
// [Member = &space::particle::x]".
template <auto Member>
constexpr std::string_view member_name() {
  std::string_view all = __PRETTY_FUNCTION__;
  all.remove_prefix(all.find("Member = ") + 9);
  all = all.substr(0, all.find_first_of(";]"));
  std::size_t const last = all.rfind(':');
  return last == std::string_view::npos ? all : all.substr(last + 1);
}

}  // namespace argosy::detail

// Names in the directory of a group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace argosy::detail {

// Returns true for names of arrays that are not finished: "u.0123456789abcdef.part".
inline bool is_unfinished(std::string_view name) {
  constexpr std::string_view part = ".part", old = ".old";
  if (name.ends_with(old)) name.remove_suffix(old.size());
  if (!name.ends_with(part)) return false;
  name.remove_suffix(part.size());
  constexpr std::size_t digits = 16;
  if (name.size() <= digits || name[name.size() - digits - 1] != '.') return false;
  return name.substr(name.size() - digits).find_first_not_of("0123456789abcdef") ==
         std::string_view::npos;
}

}  // namespace argosy::detail

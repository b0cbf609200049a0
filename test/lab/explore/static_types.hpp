// Datatypes that the compiler knows, for the memory of programs. Each has a twin whose numbers are
// known at run time; the oracle uses only the twin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/file/data.hpp>

#include "places.hpp"
#include "support/tree.hpp"

namespace argosy::explore {

struct static_type {
  basic_type element;
  test::tree twin;
  std::string name;     // the twin as text
  std::int64_t bytes;   // bytes of one copy
  std::int64_t extent;  // from one copy to the next
  // Returns `copies` copies at an address as the data of a call.
  target (*data)(std::byte* address, std::int64_t copies);
};

inline constexpr int static_type_count = 64;
std::span<static_type const> static_types();

// Returns the first datatype from number `choice` on, counted from 1 and in a circle, whose copies
// have `n` bytes and suit such a view. Returns null if there is none.
static_type const* static_type_for(int choice, std::int64_t n, view_choice const& v);

// Returns a buffer for n bytes, which are whole copies of the datatype.
memory_map memory_of(static_type const& t, std::int64_t n);

}  // namespace argosy::explore

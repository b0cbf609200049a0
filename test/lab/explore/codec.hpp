// The data representations of programs as the oracle computes them: how an item of a basic type is
// stored in the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/view/representation.hpp>

namespace argosy::explore {

using namespace extend;

enum class representation_choice {
  native,
  internal,
  external32,
  shrinking,  // user-defined: stores items in fewer bytes, and in odd numbers of bytes
  picky,      // user-defined: refuses some items of a file
};

// Thrown by code of the program that the library calls.
struct thrown_on_purpose : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr bool converts(representation_choice r) noexcept {
  return r > representation_choice::internal;
}
constexpr bool is_users(representation_choice r) noexcept {
  return r > representation_choice::external32;
}
std::int64_t memory_bytes_of(basic_type item) noexcept;
std::int64_t file_bytes_of(representation_choice r, basic_type item) noexcept;

// Any bytes of a file are an item. Encoding a decoded item gives the same bytes.
void decode(representation_choice r, basic_type item, std::byte const* file,
            std::byte* memory) noexcept;
void encode(representation_choice r, basic_type item, std::byte const* memory,
            std::byte* file) noexcept;
// Returns true if reading the item is an error (errc::conversion), as `picky` reports.
bool is_wrong(representation_choice r, basic_type item, std::byte const* file) noexcept;

// Return true if there are values in memory that do not fit, or at which the user's functions
// throw. Such values are used only on purpose.
bool can_misfit(representation_choice r, basic_type item) noexcept;
bool can_throw(representation_choice r, basic_type item) noexcept;
inline constexpr std::byte misfit_byte{0x7e}, throwing_byte{0x7d};  // all bytes of the item

// Returns the representation for the library. Those of the user are registered at the first call.
representation representation_of(representation_choice r);

}  // namespace argosy::explore

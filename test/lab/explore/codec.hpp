// Data representations of programs, as the oracle knows them: how an item of a basic type is
// written in the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include <argosy/datatype/basic.hpp>
#include <argosy/view/representation.hpp>

namespace argosy::explore {

enum class representation_choice {
  native,
  internal,
  external32,
  shrinking,  // of the user: fewer and odd numbers of bytes
  picky,      // of the user: finds some items of a file wrong
};

// What code of the program throws at the library.
struct thrown_on_purpose : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr bool converts(representation_choice r) noexcept {
  return r > representation_choice::internal;
}
constexpr bool is_users(representation_choice r) noexcept {
  return r > representation_choice::external32;
}
std::int64_t memory_bytes_of(basic item) noexcept;
std::int64_t file_bytes_of(representation_choice r, basic item) noexcept;

// Any bytes of a file are an item, and encoding what was decoded gives them back.
void decode(representation_choice r, basic item, std::byte const* file, std::byte* memory) noexcept;
void encode(representation_choice r, basic item, std::byte const* memory, std::byte* file) noexcept;
// Reading it is an error (errc::conversion): `picky` says so.
bool is_wrong(representation_choice r, basic item, std::byte const* file) noexcept;

// Values in memory that do not fit, or at which the user's functions throw. They do not come up
// otherwise.
bool can_misfit(representation_choice r, basic item) noexcept;
bool can_throw(representation_choice r, basic item) noexcept;
inline constexpr std::byte misfit_byte{0x7e}, throwing_byte{0x7d};  // all bytes of the item

// What the library is given. Those of the user are registered at the first call.
representation representation_of(representation_choice r);

}  // namespace argosy::explore

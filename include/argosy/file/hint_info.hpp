// The table of known hints, which checks, reports and documentation share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

enum class hint_kind : std::uint8_t {
  bytes,        // a decimal integer; argosy also accepts a suffix k, m or g, in powers of 1024
  count,        // a decimal integer
  number,       // a decimal fraction
  boolean,      // true or false
  tristate,     // automatic, enable or disable
  choice,       // one of `choices`
  list,         // some of `choices`, separated by commas; any words if `choices` is empty
  permissions,  // octal
  hosts,        // host:most,host:most,... as ROMIO's cb_config_list
  text,
};

// When a hint may be given. At any other time the hint is rejected, and its value stays.
enum class hint_time : std::uint8_t {
  open,        // at open only
  any,         // at open, set_view and set_hints
  quiet,       // at open, set_view and set_hints, but not while an operation on the file is pending
  switchable,  // at open; later only if its value at open was `switchable`
  never,       // set by the library itself
};

struct hint_info {
  std::string_view name;
  hint_kind kind;
  std::string_view choices;   // separated by commas, or empty
  std::string_view standard;  // the default, as text
  hint_time when;
  bool same;                // must be equal on all ranks
  bool used;                // false: valid values are accepted as text, and ignored
  std::string_view effect;  // its effect in argosy, or why it has none
  std::string_view from;    // its origin: MPI, ROMIO, IBM or argosy
  std::int64_t least = 0, most = INT64_MAX;  // valid bytes and counts, inclusive

  // Returns true if the value of rank 0 counts when ranks give different ones. MPI requires equal
  // values for the hints that it defines itself.
  constexpr bool first_counts() const noexcept { return same && used && from != "MPI"; }
};

// Returns all hints that argosy knows, in the order of the documentation. Local.
std::span<hint_info const> known_hints() noexcept;

}  // namespace extend

namespace detail {

// Returns the row of a hint; null if the name is unknown.
hint_info const* find_hint(std::string_view name) noexcept;

}  // namespace detail

namespace extend {

std::string_view name_of(hint_kind kind) noexcept;
std::string_view name_of(hint_time when) noexcept;

}  // namespace extend

using extend::name_of;

}  // namespace argosy

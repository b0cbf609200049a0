// What is known of each hint: the table that checks, reports and documentation share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace argosy {

enum class hint_kind : std::uint8_t {
  bytes,        // a decimal integer; argosy also takes a suffix k, m or g, in powers of 1024
  count,        // a decimal integer
  number,       // a decimal fraction
  boolean,      // true or false
  toggle,       // automatic, enable or disable
  choice,       // one of `choices`
  list,         // some of `choices`, with commas; any words if there are none
  permissions,  // octal
  hosts,        // host:most,host:most,... as ROMIO's cb_config_list
  text,
};

// When a hint may be given. What comes at another time is rejected, and the value stays.
enum class hint_time : std::uint8_t {
  open,        // at open only
  any,         // at open, set_view and set_hints
  quiet,       // the same, but not while an operation on the file is pending
  switchable,  // at open; later only if it was `switchable` there
  never,       // the library tells it
};

struct hint_info {
  std::string_view name;
  hint_kind kind;
  std::string_view choices;   // with commas, or empty
  std::string_view standard;  // the default, as text
  hint_time when;
  bool same;                // must be equal on all ranks
  bool used;                // false: valid values are accepted as text, and ignored
  std::string_view effect;  // what it does here; why it does nothing
  std::string_view from;    // who defined it: MPI, ROMIO, IBM, argosy
  std::int64_t least = 0, most = INT64_MAX;  // of bytes and counts

  // Ranks may be given different values, of which that of rank 0 counts. MPI demands that those it
  // defines itself are given equal.
  constexpr bool first_counts() const noexcept { return same && used && from != "MPI"; }
};

// All that argosy knows, in the order of the documentation.
std::span<hint_info const> known_hints() noexcept;

namespace detail {

// Null if it is unknown.
hint_info const* find_hint(std::string_view name) noexcept;

}  // namespace detail

std::string_view name_of(hint_kind kind) noexcept;
std::string_view name_of(hint_time when) noexcept;

}  // namespace argosy

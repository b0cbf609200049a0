// A plan: the file accesses of one call, as a value that can be printed and tested before a byte
// moves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <argosy/plan/window.hpp>

namespace argosy {

namespace detail {

constexpr std::int64_t wanted_of(std::span<window const> windows) noexcept {
  std::int64_t bytes = 0;
  for (window const& w : windows) bytes += w.wanted;
  return bytes;
}
constexpr std::int64_t file_calls_of(std::span<window const> windows, access_kind kind) noexcept {
  std::int64_t calls = 0;
  for (window const& w : windows)
    calls += w.how == transfer_mode::pieces || w.how == transfer_mode::gathered ? w.pieces
             : w.how == transfer_mode::merged && kind == access_kind::write     ? 2
                                                                                : 1;
  return calls;
}

}  // namespace detail

struct plan {
  std::string policy;
  std::string reason;  // why this policy and these windows
  access_kind kind = access_kind::read;
  std::vector<extend::window> windows;
  std::int64_t buffer_bytes = 0;  // staging memory that the call will take

  // Returns the requested bytes of all windows.
  constexpr std::int64_t wanted() const noexcept { return detail::wanted_of(windows); }
  // Returns the number of calls that read or write the file, if none is short and every merge
  // succeeds. A merged window of a write counts as two. Locks are not counted.
  constexpr std::int64_t file_calls() const noexcept {
    return detail::file_calls_of(windows, kind);
  }
  friend constexpr bool operator==(plan const&, plan const&) = default;
};

// Returns a table for people: a line for each window. If there are many, only the first and the
// last. Local.
std::string to_string(plan const& p);

}  // namespace argosy

#include <argosy/plan/detail/print.hpp>

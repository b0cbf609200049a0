// An agreement: whether a call succeeded, and what each rank tells its caller.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/error/failure.hpp>

namespace argosy {

// The same on every rank but for `code` and `thrown`.
struct agreement {
  std::error_code code = {};       // of this rank: none, its own errc, or errc::error_on_another_rank
  int failed_rank = -1;            // the lowest rank that failed
  std::error_code cause = {};      // with what: an errno, or errc
  std::string detail = {};         // in its words
  std::exception_ptr thrown = {};  // on this rank, by code of the user

  explicit operator bool() const noexcept { return !code; }  // all is well
};

// For calls that concern one rank alone.
inline agreement alone(int rank, failure f) {
  if (!f) return {};
  return {classify(f.code), rank, f.code, std::move(f.detail), std::move(f.thrown)};
}

namespace detail {
// Of a code that is neither an errno nor an errc: "category 7: message".
std::string foreign_words(std::error_code const& code);
}  // namespace detail

// "write_at_all of 'state.dat' failed on rank 3 (said by rank 0): no space left on the file system (ENOSPC): ..."
std::string message_of(agreement const& a, std::string_view call, std::string_view path, int rank);

}  // namespace argosy

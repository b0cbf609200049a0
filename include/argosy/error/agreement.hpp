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

// Equal on every rank, except for `code`, `thrown` and `own`.
struct agreement {
  // this rank's: none, its own errc, or errc::error_on_another_rank
  std::error_code code = {};
  int failed_rank = -1;            // the lowest rank that failed
  std::error_code cause = {};      // why that rank failed: an errno, or an errc
  std::string detail = {};         // the message of that rank
  std::exception_ptr thrown = {};  // what code of the user threw on this rank
  // of this rank, if it failed, too, but is not the lowest that did
  failure own = {};
  std::string advice = {};  // from that rank; empty: the remedy of the cause's class

  explicit operator bool() const noexcept { return !code; }  // all is well
};

// The agreement of a call that concerns one rank only.
inline agreement alone(int rank, failure f) {
  if (!f) return {};
  return {classify(f.code),   rank, f.code, std::move(f.detail), std::move(f.thrown), {},
          std::move(f.advice)};
}

namespace detail {

// Text for a code that is neither an errno nor an errc: "category 7: message".
std::string foreign_words(std::error_code const& code);

// Returns "write_at_all of 'state.dat' failed on rank 3 (this is rank 0): no space left on the file
// system (ENOSPC): ... What to do: ...". A rank that failed itself reports its own failure, and
// names the first. The advice of the failure ends the message, or the remedy of its class; neither
// does if the detail says all, as it does of arguments and datatypes.
std::string message_of(agreement const& a, std::string_view call, std::string_view path, int rank);
// Returns what that message advises; empty if it gives no advice.
std::string_view advice_of(agreement const& a) noexcept;
// Returns true if the failure itself brings that advice, or needs none.
bool has_own_advice(agreement const& a) noexcept;

}  // namespace detail

}  // namespace argosy

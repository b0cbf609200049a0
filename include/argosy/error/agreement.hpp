// An agreement: the outcome of a call, and the error of each rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// The outcome of a call. Equal on every rank, except for `code`, `thrown` and `own`.
struct agreement {
  // This rank's code: no error, its own errc, or errc::error_on_another_rank.
  std::error_code code = {};
  int failed_rank = -1;            // the lowest rank that failed; -1 if no single rank did
  std::error_code cause = {};      // error of that rank: an errno, or an errc
  std::string detail = {};         // the message of that rank
  std::exception_ptr thrown = {};  // exception of the user's code on this rank
  // The failure of this rank, if it also failed but is not the lowest that did.
  failure own = {};
  std::string advice = {};  // from that rank; if empty, the remedy of the cause's class

  explicit operator bool() const noexcept { return !code; }  // true if the call succeeded
};

}  // namespace extend

namespace detail {

// Returns the agreement of a call that concerns one rank only: success if `f` is none, otherwise a
// failure with `rank` as the failed rank. Local.
inline agreement local_agreement(int rank, failure f) {
  if (!f) return {};
  return {classify(f.code),   rank, f.code, std::move(f.detail), std::move(f.thrown), {},
          std::move(f.advice)};
}

// Returns text for a code that is neither an errno nor an errc: "category 7: message".
std::string foreign_words(std::error_code const& code);

// Returns "write_at_all of 'state.dat' failed on rank 3 (this is rank 0): no space left on the file
// system (ENOSPC): ... What to do: ...". If this rank failed itself, its own failure is reported,
// and the first one is named. The message ends with the advice of the failure, or the remedy of its
// class. It has no advice if the detail is enough, as for arguments and datatypes.
std::string message_of(agreement const& a, std::string_view call, std::string_view path, int rank);
// Returns the advice of that message, or an empty string. Valid until `a` is changed or destroyed.
std::string_view advice_of(agreement const& a) noexcept;
// Returns true if that message does not use the remedy of the class. The reported failure then has
// advice of its own, or a detail that is enough.
bool has_own_advice(agreement const& a) noexcept;

}  // namespace detail

}  // namespace argosy

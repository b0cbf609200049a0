// Implements error/agreement.hpp: the message of a failed call.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <string>
#include <string_view>

#include <argosy/error/agreement.hpp>

namespace argosy {
namespace {

// "ENOSPC: No space left on device"
std::string errno_words(std::error_code const& code) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  if (char const* const name = ::strerrorname_np(code.value())) return std::string(name) + ": " + code.message();
#endif
  return "errno " + std::to_string(code.value()) + ": " + code.message();
}

}  // namespace

std::string detail::foreign_words(std::error_code const& code) {
  return std::string(code.category().name()) + " " + std::to_string(code.value()) + ": " + code.message();
}

std::string message_of(agreement const& a, std::string_view call, std::string_view path, int rank) {
  errc const why = a.cause ? classify(a.cause) : classify(a.code);
  std::string s = "argosy: " + std::string(call);
  if (!path.empty()) s += " of '" + std::string(path) + "'";
  s += " failed";
  bool const differ = a.code == errc::not_same;  // the rest says which ranks
  if (!differ) s += " on rank " + std::to_string(a.failed_rank);
  if (differ || a.failed_rank != rank) s += " (this is rank " + std::to_string(rank) + ")";
  s += ": " + make_error_code(why).message();
  if (a.cause && a.cause.category() != category())
    s += " (" + (is_errno(a.cause) ? errno_words(a.cause) : detail::foreign_words(a.cause)) + ")";
  if (!a.detail.empty()) s += "; " + a.detail;
  if (a.code && a.code != errc::error_on_another_rank && classify(a.code) != why)
    s += "; on this rank: " + a.code.message();
  return s + ". What to do: " + std::string(remedy(why)) + ".";
}

}  // namespace argosy

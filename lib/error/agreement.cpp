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

// The class, the code behind it, and the words that were added to it.
std::string reason_of(errc why, std::error_code const& cause, std::string_view detail) {
  std::string s = make_error_code(why).message();
  if (cause && cause.category() != category())
    s += " (" + (detail::is_errno(cause) ? errno_words(cause) : detail::foreign_words(cause)) + ")";
  if (detail.starts_with(s)) return std::string(detail);
  if (!detail.empty()) s += "; " + std::string(detail);
  return s;
}

// What an argument must be, or a datatype, its detail has said already; others may bring their own remedy.
bool says_what_to_do(errc why, std::string_view detail) {
  if (detail.find("What to do: ") != std::string_view::npos) return true;
  return !detail.empty() && (why == errc::argument || why == errc::datatype);
}

}  // namespace

std::string detail::foreign_words(std::error_code const& code) {
  return std::string(code.category().name()) + " " + std::to_string(code.value()) + ": " + code.message();
}

std::string detail::message_of(agreement const& a, std::string_view call, std::string_view path, int rank) {
  bool const own = a.own && a.failed_rank != rank;
  std::error_code const& cause = own ? a.own.code : a.cause;
  std::string const& detail = own ? a.own.detail : a.detail;
  errc const first = a.cause ? classify(a.cause) : classify(a.code), why = own ? classify(cause) : first;
  std::string s = "argosy: " + std::string(call);
  if (!path.empty()) s += " of '" + std::string(path) + "'";
  s += " failed";
  bool const differ = a.code == errc::not_same && !own;  // the rest says which ranks
  if (!differ && (own || a.failed_rank >= 0)) s += " on rank " + std::to_string(own ? rank : a.failed_rank);
  if (own)
    s += ", and first on rank " + std::to_string(a.failed_rank) +
         (why == first ? std::string() : " (" + make_error_code(first).message() + ")");
  else if (differ || a.failed_rank != rank)
    s += " (this is rank " + std::to_string(rank) + ")";
  s += ": " + reason_of(why, cause, detail);
  if (!own && a.code && a.code != errc::error_on_another_rank && classify(a.code) != why)
    s += "; on this rank: " + a.code.message();
  return s + (says_what_to_do(why, detail) ? "." : ". What to do: " + std::string(remedy(why)) + ".");
}

}  // namespace argosy

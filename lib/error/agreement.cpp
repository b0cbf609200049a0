// Implements error/agreement.hpp: the message of a failed call.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <argosy/error/agreement.hpp>
#include <argosy/error/error.hpp>

namespace argosy {
namespace {

// Returns "ENOSPC: No space left on device".
std::string errno_words(std::error_code const& code) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  if (char const* const name = ::strerrorname_np(code.value()))
    return std::string(name) + ": " + code.message();
#endif
  return "errno " + std::to_string(code.value()) + ": " + code.message();
}

// Returns the class, the code behind it, and the added detail.
std::string reason_of(errc why, std::error_code const& cause, std::string_view detail) {
  std::string s = make_error_code(why).message();
  if (cause && cause.category() != category())
    s += " (" + (detail::is_errno(cause) ? errno_words(cause) : detail::foreign_words(cause)) + ")";
  if (detail.starts_with(s)) return std::string(detail);
  if (!detail.empty()) s += "; " + std::string(detail);
  return s;
}

constexpr std::string_view before_advice = ". What to do: ";

errc class_of_first(extend::agreement const& a) noexcept {
  return a.cause ? classify(a.cause) : classify(a.code);
}

// The failure that the message of an agreement reports: this rank's own if there is one.
struct reported {
  bool own;
  errc why;
  std::error_code const& code;
  std::string const& detail;
  std::string const& advice;
};
reported reported_by(extend::agreement const& a) noexcept {
  if (a.own) return {true, classify(a.own.code), a.own.code, a.own.detail, a.own.advice};
  return {false, class_of_first(a), a.cause, a.detail, a.advice};
}

}  // namespace

bool detail::has_own_advice(extend::agreement const& a) noexcept {
  reported const r = reported_by(a);
  // The detail already says how an argument or a datatype must be.
  bool const all_is_said = r.why == errc::argument || r.why == errc::datatype;
  return !r.advice.empty() || (all_is_said && !r.detail.empty());
}

std::string_view detail::advice_of(extend::agreement const& a) noexcept {
  reported const r = reported_by(a);
  return has_own_advice(a) ? std::string_view(r.advice) : remedy(r.why);
}

std::string detail::words_without_advice(error const& e) {
  std::string words = e.what();
  std::string_view const advice = advice_of(agreed_of(e));
  std::size_t const more = advice.empty() ? 1 : before_advice.size() + advice.size() + 1;
  words.resize(words.size() - std::min(more, words.size()));
  return words;
}

std::string detail::foreign_words(std::error_code const& code) {
  return std::string(code.category().name()) + " " + std::to_string(code.value()) + ": " +
         code.message();
}

std::string detail::message_of(extend::agreement const& a, std::string_view call,
                               std::string_view path, int rank) {
  auto const [own, why, cause, detail, own_advice] = reported_by(a);
  errc const first = class_of_first(a);
  std::string s = "argosy: " + std::string(call);
  if (!path.empty()) s += " of '" + std::string(path) + "'";
  s += " failed";
  bool const differ = a.code == errc::not_same && !own;  // the rest says which ranks
  if (!differ && (own || a.failed_rank >= 0))
    s += " on rank " + std::to_string(own ? rank : a.failed_rank);
  if (own)
    s += ", and first on rank " + std::to_string(a.failed_rank) +
         (why == first ? std::string() : " (" + make_error_code(first).message() + ")");
  else if (differ || a.failed_rank != rank)
    s += " (this is rank " + std::to_string(rank) + ")";
  s += ": " + reason_of(why, cause, detail);
  if (!own && a.code && a.code != errc::error_on_another_rank && classify(a.code) != why)
    s += "; on this rank: " + a.code.message();
  std::string_view const advice = advice_of(a);
  if (!advice.empty()) (s += before_advice) += advice;
  return s + ".";
}

}  // namespace argosy

// The exception of calls that throw.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/error/agreement.hpp>

namespace argosy {

struct report;  // plan/report.hpp
class error;
namespace detail {
// A further fact about an error, and advice that replaces the one of its class. Each may be empty.
struct fact_and_advice {
  std::string fact, advice;
};
error told_as(error const& e, std::string_view call, std::string_view path, int rank,
              fact_and_advice const& more);
agreement const& agreed_of(error const& e) noexcept;
// Returns what() up to its advice.
std::string words_without_advice(error const& e);
}  // namespace detail

// The exception of a failed call. Its code() is an errc, the same that the error_code& form returns
// on this rank. Its what() says which call, which file, which rank, why, and what to do.
class error : public std::system_error {
 public:
  error(extend::agreement const& a, std::string_view call, std::string_view path, int rank,
        std::shared_ptr<argosy::report const> done = {})
      : std::system_error(a.code),
        failed_rank_(a.failed_rank),
        cause_(a.cause),
        agreed_(std::make_shared<extend::agreement const>(a)),
        report_(std::move(done)),
        message_(detail::message_of(a, call, path, rank)) {}

  char const* what() const noexcept override { return message_.what(); }

  // Returns the lowest rank that failed, or -1 if no single rank did. Equal on every rank.
  int failed_rank() const noexcept { return failed_rank_; }
  // Returns the original error of that rank: an errno in std::system_category(), or an errc if
  // there was no errno. Equal on every rank, unlike code().
  std::error_code cause() const noexcept { return cause_; }
  // Returns the report of the part of a read or write that this rank did before the failure. Null
  // for other calls. Valid until this exception and all its copies are destroyed.
  argosy::report const* report() const noexcept { return report_.get(); }

 private:
  friend error detail::told_as(error const&, std::string_view, std::string_view, int,
                               detail::fact_and_advice const&);
  friend extend::agreement const& detail::agreed_of(error const&) noexcept;

  int failed_rank_;
  std::error_code cause_;
  std::shared_ptr<extend::agreement const> agreed_;
  std::shared_ptr<argosy::report const> report_;
  std::runtime_error message_;  // a string with a copy that cannot fail
};

// Returns the error as that of the call which the program made, if another call inside it failed.
inline error detail::told_as(error const& e, std::string_view call, std::string_view path, int rank,
                             fact_and_advice const& more) {
  extend::agreement a = *e.agreed_;
  for (std::string* const words : {&a.detail, &a.own.detail})
    if (!more.fact.empty()) *words += (words->empty() ? "" : "; ") + more.fact;
  for (std::string* const words : {&a.advice, &a.own.advice})
    if (!more.advice.empty()) *words = more.advice;
  return error(a, call, path, rank, e.report_);
}

inline extend::agreement const& detail::agreed_of(error const& e) noexcept { return *e.agreed_; }

}  // namespace argosy

// The exception that the throwing forms throw.
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
// A further fact about an error, and what to do instead of what its class advises. Each may be
// empty.
struct fact_and_advice {
  std::string fact, advice;
};
error told_as(error const& e, std::string_view call, std::string_view path, int rank,
              fact_and_advice const& more);
agreement const& agreed_of(error const& e) noexcept;
// Returns what() up to its advice.
std::string words_without_advice(error const& e);
}  // namespace detail

// code() is what the error_code& form returns on this rank: an errc. what() says which call, which
// file, which rank, why, and what to do.
class error : public std::system_error {
 public:
  error(agreement const& a, std::string_view call, std::string_view path, int rank,
        std::shared_ptr<argosy::report const> done = {})
      : std::system_error(a.code),
        failed_rank_(a.failed_rank),
        cause_(a.cause),
        agreed_(std::make_shared<agreement const>(a)),
        report_(std::move(done)),
        message_(detail::message_of(a, call, path, rank)) {}

  char const* what() const noexcept override { return message_.what(); }

  // The lowest rank that failed, the same on every rank.
  int failed_rank() const noexcept { return failed_rank_; }
  // Why that rank failed: an errno in std::system_category(), or an errc if there was no errno.
  std::error_code cause() const noexcept { return cause_; }
  // What this rank did of a read or write before it failed; null for other calls.
  argosy::report const* report() const noexcept { return report_.get(); }

 private:
  friend error detail::told_as(error const&, std::string_view, std::string_view, int,
                               detail::fact_and_advice const&);
  friend agreement const& detail::agreed_of(error const&) noexcept;

  int failed_rank_;
  std::error_code cause_;
  std::shared_ptr<agreement const> agreed_;
  std::shared_ptr<argosy::report const> report_;
  std::runtime_error message_;  // a string that can be copied without failing
};

// Returns the error as one of the call that the program made, if another one failed on its way.
inline error detail::told_as(error const& e, std::string_view call, std::string_view path, int rank,
                             fact_and_advice const& more) {
  agreement a = *e.agreed_;
  for (std::string* const words : {&a.detail, &a.own.detail})
    if (!more.fact.empty()) *words += (words->empty() ? "" : "; ") + more.fact;
  for (std::string* const words : {&a.advice, &a.own.advice})
    if (!more.advice.empty()) *words = more.advice;
  return error(a, call, path, rank, e.report_);
}

inline agreement const& detail::agreed_of(error const& e) noexcept { return *e.agreed_; }

}  // namespace argosy

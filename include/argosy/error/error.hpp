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

// code() is what the error_code& form returns on this rank: an errc. what() says which call, which file, which rank,
// why, and what to do.
class error : public std::system_error {
 public:
  error(agreement const& a, std::string_view call, std::string_view path, int rank,
        std::shared_ptr<argosy::report const> done = {})
      : std::system_error(a.code),
        failed_rank_(a.failed_rank),
        cause_(a.cause),
        report_(std::move(done)),
        message_(message_of(a, call, path, rank)) {}

  char const* what() const noexcept override { return message_.what(); }

  // The lowest rank that failed, the same on every rank.
  int failed_rank() const noexcept { return failed_rank_; }
  // Why that rank failed: an errno in std::system_category(), or an errc if there was no errno.
  std::error_code cause() const noexcept { return cause_; }
  // What this rank did of a read or write before it failed; null for other calls.
  argosy::report const* report() const noexcept { return report_.get(); }

 private:
  int failed_rank_;
  std::error_code cause_;
  std::shared_ptr<argosy::report const> report_;
  std::runtime_error message_;  // a string that can be copied without failing
};

}  // namespace argosy

// A failure: the error of this rank, before other ranks know of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

struct failure {
  std::error_code code = {};       // the original code: an errno, or an errc
  std::string detail = {};         // place and numbers
  std::exception_ptr thrown = {};  // exception of the user's code; this rank rethrows it
  std::string advice = {};         // for the user; if empty, the remedy of the code's class

  failure() = default;
  failure(std::error_code c, std::string words = {}, std::string what_to_do = {})
      : code(c), detail(std::move(words)), advice(std::move(what_to_do)) {}
  failure(errc c, std::string words = {}, std::string what_to_do = {})
      : failure(make_error_code(c), std::move(words), std::move(what_to_do)) {}

  explicit operator bool() const noexcept { return static_cast<bool>(code); }

  // Stores the first failure. Later ones are ignored.
  void keep(failure later) {
    if (!code) *this = std::move(later);
  }
};

}  // namespace extend

namespace detail {

// Returns the failure for the exception that is being handled, for a catch clause around code of
// the user. The code is errc::no_memory for std::bad_alloc, otherwise errc::user_code with a
// detail: `whose` names the code of the user. The exception itself is in `thrown`.
failure failure_by(std::string_view whose);

}  // namespace detail

}  // namespace argosy

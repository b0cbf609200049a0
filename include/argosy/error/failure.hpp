// A failure: what went wrong on this rank, before the others know of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/error/errc.hpp>

namespace argosy {

struct failure {
  std::error_code code = {};       // the original code: an errno, or an errc
  std::string detail = {};         // where and with which numbers
  std::exception_ptr thrown = {};  // what code of the user threw; this rank throws it again
  std::string advice = {};         // to the user; empty: the remedy of the code's class

  failure() = default;
  failure(std::error_code c, std::string words = {}, std::string what_to_do = {})
      : code(c), detail(std::move(words)), advice(std::move(what_to_do)) {}
  failure(errc c, std::string words = {}, std::string what_to_do = {})
      : failure(make_error_code(c), std::move(words), std::move(what_to_do)) {}

  explicit operator bool() const noexcept { return static_cast<bool>(code); }

  // Keeps the first failure: a later one is ignored.
  void keep(failure later) {
    if (!code) *this = std::move(later);
  }
};

namespace detail {

// What is being handled, in a catch clause around code of the user, `whose`.
failure failure_by(std::string_view whose);

}  // namespace detail

}  // namespace argosy

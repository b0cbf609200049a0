// Where an error of a call goes, and where in the program the call stands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

#include <argosy/error/source_location.hpp>

namespace argosy {

// The last argument of calls that may fail: nothing, and the error is thrown, or an
// std::error_code& that is set.
//   f.sync();
//   f.sync(error);
class on_error {
 public:
  on_error(source_location where = source_location::current()) noexcept : where_(where) {}
  on_error(std::error_code& error, source_location where = source_location::current()) noexcept
      : error_(&error), where_(where) {}

  std::error_code* error() const noexcept { return error_; }  // null: it is thrown
  source_location const& where() const noexcept { return where_; }

 private:
  std::error_code* error_ = nullptr;
  source_location where_;
};

}  // namespace argosy

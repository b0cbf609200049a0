// Where an error of a call goes, and where in the program the call stands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <source_location>
#include <system_error>

namespace argosy {

// The last argument of calls that may fail: nothing, and the error is thrown, or an std::error_code& that is set.
//   f.sync();
//   f.sync(error);
class on_error {
 public:
  on_error(std::source_location where = std::source_location::current()) noexcept : where_(where) {}
  on_error(std::error_code& error, std::source_location where = std::source_location::current()) noexcept
      : error_(&error), where_(where) {}

  std::error_code* error() const noexcept { return error_; }  // null: it is thrown
  std::source_location const& where() const noexcept { return where_; }

 private:
  std::error_code* error_ = nullptr;
  std::source_location where_;
};

}  // namespace argosy

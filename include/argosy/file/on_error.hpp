// The way in which a call reports an error, and the place of the call in the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <system_error>

#include <argosy/error/source_location.hpp>

namespace argosy {

// The last argument of calls that may fail. If it is left out, the call throws its error. If it is
// an std::error_code, the call sets it.
//   f.sync();
//   f.sync(error);
class on_error {
 public:
  on_error(extend::source_location where = extend::source_location::current()) noexcept
      : where_(where) {}
  on_error(std::error_code& error,
           extend::source_location where = extend::source_location::current()) noexcept
      : error_(&error), where_(where) {}

  std::error_code* error() const noexcept { return error_; }  // null: errors are thrown
  extend::source_location const& where() const noexcept { return where_; }

 private:
  std::error_code* error_ = nullptr;
  extend::source_location where_;
};

}  // namespace argosy

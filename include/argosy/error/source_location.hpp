// The place of a call in the program: std::source_location, also for compilers without it (clang
// 14).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <source_location>

#include <argosy/extend.hpp>

namespace argosy {

#ifdef __cpp_lib_source_location
namespace extend {

using std::source_location;

}  // namespace extend
#else
namespace extend {

class source_location {
 public:
  // Returns the place of the caller if used as a default argument. The builtins do this at any
  // depth of default arguments.
  static constexpr source_location current(char const* file = __builtin_FILE(),
                                           char const* function = __builtin_FUNCTION(),
                                           std::uint_least32_t line = __builtin_LINE()) noexcept {
    source_location here;
    here.file_ = file;
    here.function_ = function;
    here.line_ = line;
    return here;
  }
  constexpr char const* file_name() const noexcept { return file_; }
  constexpr char const* function_name() const noexcept { return function_; }
  constexpr std::uint_least32_t line() const noexcept { return line_; }

 private:
  char const* file_ = "";
  char const* function_ = "";
  std::uint_least32_t line_ = 0;
};

}  // namespace extend
#endif

}  // namespace argosy

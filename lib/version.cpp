// Implements version.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/version.hpp>

#define ARGOSY_TEXT_OF(number) #number
#define ARGOSY_DOTTED(a, b, c) ARGOSY_TEXT_OF(a) "." ARGOSY_TEXT_OF(b) "." ARGOSY_TEXT_OF(c)

namespace argosy {

auto version() noexcept -> std::string_view {
  return ARGOSY_DOTTED(ARGOSY_VERSION_MAJOR, ARGOSY_VERSION_MINOR, ARGOSY_VERSION_PATCH);
}

}  // namespace argosy

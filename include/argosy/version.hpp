// The version of the headers and of the compiled library. CMakeLists.txt reads it from here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#define ARGOSY_VERSION_MAJOR 0
#define ARGOSY_VERSION_MINOR 1
#define ARGOSY_VERSION_PATCH 0

namespace argosy {

// Returns the version of the compiled library that is linked, as "major.minor.patch". Local. Needs
// argosy::argosy. If headers and library come from different installations, it differs from the
// macros above.
auto version() noexcept -> std::string_view;

}  // namespace argosy

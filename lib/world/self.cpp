// Implements world/self.hpp for programs that link the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/self.hpp>

#include <argosy/world/detail/self.hpp>

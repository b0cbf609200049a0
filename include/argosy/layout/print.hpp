// Layouts as text: one line of algebra, or a tree with numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/layout/layout.hpp>

namespace argosy {

// Returns the normal form as calls of the algebra. The text reads back as C++, except that tables
// are shown as a summary and long lists are cut. Bounds are named only if they differ from those of
// the data. Local.
//   repeat(4, 1024, repeat(8, 64, bytes(32)))
//   resized(concat(bytes(8), at(16, bytes(4))), 0, 24)
std::string to_string(layout const& l);

// Returns one line per node: its kind, its place in its parent, its bytes, pieces and true extent.
// A node that is used in several places is shown at the first one. Ends with a newline. Local.
std::string to_tree(layout const& l);

}  // namespace argosy

#include <argosy/layout/detail/print.hpp>

// Layouts as text: one line of algebra, or a tree with numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/layout/layout.hpp>

namespace argosy {

// The normal form as calls of the algebra. It reads back as C++, except for tables, of which only a
// summary is shown, and long lists, which are cut. Bounds are named only where they are not those
// of the data. Local.
//   repeat(4, 1024, repeat(8, 64, bytes(32)))
//   resized(concat(bytes(8), at(16, bytes(4))), 0, 24)
std::string to_string(layout const& l);

// One line per node: what it is, where it lies in its parent, and bytes, pieces and true extent of
// it. A node that is used in several places is shown at the first one. Ends with a newline. Local.
std::string to_tree(layout const& l);

}  // namespace argosy

#include <argosy/layout/detail/print.hpp>

// A view, as a constant, that begins before the file.
// SPDX-License-Identifier: BSD-3-Clause
// build error: throw_displacement

#include <argosy/datatype.hpp>
#include <argosy/view/view.hpp>

namespace io = argosy;

constexpr io::view v(-8, io::type<int>);

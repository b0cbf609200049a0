// The twin of explain_overlap_written.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

constexpr auto plan = io::explain<io::sieving{}, io::access_kind::write>(
    io::vector(constant<3>, constant<2>, constant<2>, io::type<int>), io::type<int>);

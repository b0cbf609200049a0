// A write that would name a byte twice.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the filetype names a byte twice, so it cannot be written

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

constexpr auto plan = io::explain<io::sieving{}, io::access_kind::write>(
    io::vector(constant<3>, constant<2>, constant<1>, io::type<int>), io::type<int>);

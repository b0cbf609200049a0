// A plan of all ranks cannot be made from the data of one.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::explain: this is no policy of one rank by itself

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

constexpr auto plan = io::explain<io::two_phase{}>(
    io::vector(constant<4>, constant<2>, constant<8>, io::type<double>), io::type<double>);

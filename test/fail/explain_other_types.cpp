// Integers for a view of doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: the data is of other types than the etype of the view

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

constexpr auto plan =
    io::explain<io::sieving{}>(io::vector(constant<4>, constant<2>, constant<8>, io::type<double>),
                               io::contiguous(constant<4>, io::type<std::int64_t>));

// Three floats are no whole number of doubles.
// SPDX-License-Identifier: BSD-3-Clause
// build error: (12L?, 8L?>.*no whole number of etypes|no whole number of etypes.*fixed<3>)

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

constexpr auto plan =
    io::explain<io::sieving{}>(io::vector(constant<4>, constant<2>, constant<8>, io::type<double>),
                               io::contiguous(constant<3>, io::type<float>));

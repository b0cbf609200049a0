// The twin of explain_other_types.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

constexpr auto plan =
    io::explain<io::sieving{}>(io::vector(constant<4>, constant<2>, constant<8>, io::type<double>),
                               io::contiguous(constant<4>, io::type<double>));

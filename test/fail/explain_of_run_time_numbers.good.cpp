// The twin of explain_of_run_time_numbers.cpp, with the remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;

using io::constant;

auto plan() {
  return io::explain<io::sieving{}>(
      io::vector(constant<4>, constant<2>, constant<8>, io::type<double>),
      io::contiguous(constant<4>, io::type<double>));
}

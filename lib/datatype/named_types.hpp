// What MPI's predefined datatypes hold: items of basic types, side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/basic.hpp>

namespace argosy::detail {

struct item_run {
  basic type;
  std::int64_t count;
};

// In the order of the stream, together of `bytes` bytes in memory; empty for a type whose items are
// not known.
std::vector<item_run> items_of_named(MPI_Datatype type, std::int64_t bytes);

// Fortran's types of a precision and a range (MPI_UNDEFINED: either), which MPI made of `bytes`
// bytes.
std::vector<item_run> items_of_f90(int combiner, std::int64_t precision, std::int64_t range,
                                   std::int64_t bytes);

}  // namespace argosy::detail

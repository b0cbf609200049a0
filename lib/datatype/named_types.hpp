// The items of MPI's predefined datatypes: basic types without gaps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/basic_type.hpp>

namespace argosy::detail {

struct item_run {
  basic_type type;
  std::int64_t count;
};

// Returns the items in the order of the stream, together `bytes` bytes in memory. Empty for a type
// with unknown items.
std::vector<item_run> items_of_named(MPI_Datatype type, std::int64_t bytes);

// Returns the items of a Fortran type of a precision and a range (either may be MPI_UNDEFINED), for
// which MPI uses `bytes` bytes.
std::vector<item_run> items_of_f90(int combiner, std::int64_t precision, std::int64_t range,
                                   std::int64_t bytes);

}  // namespace argosy::detail

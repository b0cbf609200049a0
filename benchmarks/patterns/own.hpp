// The exchange that a program writes by hand if it has no library for collective I/O.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "implementation.hpp"

namespace patterns {

// Each rank owns an equal part of the file. All ranks send their pieces to the owners by
// MPI_Alltoallv, and each owner writes or reads its part by one call, or by one for each stretch if
// the part has gaps. Buffers and lists of pieces are made outside of the timing. All levels are
// alike.
std::unique_ptr<implementation> make_own();

}  // namespace patterns

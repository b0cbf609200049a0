// Files on the worlds of tests under mpiexec. They are compiled once, because each takes longer
// than most of the tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>

#include "nodes_world.hpp"
#include "plain_world.hpp"

namespace argosy {

extern template class basic_file<test::nodes_world>;
extern template class basic_file<test::plain_world>;

}  // namespace argosy

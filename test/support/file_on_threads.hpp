// Files on thread_world: compiled once, as those of files_on_worlds.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>

#include "thread_world.hpp"

namespace argosy {

extern template class basic_file<test::thread_world>;

}  // namespace argosy

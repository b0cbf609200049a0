// Files on thread_world.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/any_world.hpp>

#include "support/file_on_threads.hpp"

template class argosy::basic_file<argosy::test::thread_world>;

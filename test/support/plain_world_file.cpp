// Files on plain_world.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/any_world.hpp>

#include "support/files_on_worlds.hpp"

template class argosy::basic_file<argosy::test::plain_world>;

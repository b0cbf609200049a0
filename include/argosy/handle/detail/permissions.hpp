// Permissions of files of the operating system. Other handles have none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <argosy/handle/any_handle.hpp>

namespace argosy::detail {

// Returns the permissions of an open file, or nothing if they are not known.
std::optional<unsigned> permissions_of(any_handle& file);
// Gives an open file these permissions where it has some. A file system that refuses keeps its own.
void permit(any_handle& file, unsigned permissions);

}  // namespace argosy::detail

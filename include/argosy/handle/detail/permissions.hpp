// Permissions of files of the operating system. Other handles have none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <argosy/handle/any_handle.hpp>

namespace argosy::detail {

// Returns the permissions of an open file. No value if they are not known.
std::optional<unsigned> permissions_of(any_handle& file);
// Sets the permissions of an open file if there are some. If the file system refuses, they stay as
// they are.
void permit(any_handle& file, unsigned permissions);

}  // namespace argosy::detail

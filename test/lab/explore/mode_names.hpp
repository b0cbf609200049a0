// The names of the modes of an open.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <argosy/file/mode.hpp>

namespace argosy::explore {

std::vector<std::string> names_of(mode m);

}  // namespace argosy::explore

// Advice after an error of a format's call, if the caller cannot apply the remedy of its class.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/error/error.hpp>

namespace argosy::detail {

// The use of a name by a call of a format. `uses_open_file`: the call has no name.
enum class name_use { uses_open_file, reads_file, makes_file, replaces_file };

// Returns advice for told_as. It is empty if the failure has its own advice, or if the remedy of
// its class can be applied.
fact_and_advice advice_for(name_use use, error const& e);

}  // namespace argosy::detail

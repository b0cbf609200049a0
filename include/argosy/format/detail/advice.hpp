// Says what to do after an error of a format's call, if the caller cannot apply the remedy of its
// class.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/error/error.hpp>

namespace argosy::detail {

// The use that a call of a format makes of a name. `uses_open_file`: it is given none.
enum class name_use { uses_open_file, reads_file, makes_file, replaces_file };

// Returns words for told_as. They are empty if the failure brings its own advice, or if the remedy
// of its class can be followed.
fact_and_advice advice_for(name_use use, error const& e);

}  // namespace argosy::detail

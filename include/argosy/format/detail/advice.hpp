// Says what to do after an error of a format's call, if the caller cannot apply the remedy of its class.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <argosy/error/error.hpp>

namespace argosy::detail {

// Returns words for told_as: a fact, and "What to do: ...". Empty if the message has a remedy of
// its own, or if the remedy of the class can be followed.
std::string advice_for(std::string_view call, error const& e);
// Returns the two together, each of which may be empty.
std::string fact_and_advice(std::string fact, std::string const& advice);

}  // namespace argosy::detail

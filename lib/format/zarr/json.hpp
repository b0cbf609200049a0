// Boost.JSON under a name of its own, because a program may link or compile another version of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define json argosy_json
#include <boost/json.hpp>
#undef json

namespace argosy::detail {

namespace json = boost::argosy_json;

}  // namespace argosy::detail

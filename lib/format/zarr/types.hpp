// Data types of Zarr and their fill values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/dtype.hpp>

#include "json.hpp"

namespace argosy::detail {

// Returns the JSON value of a text. Nothing if it is none, or if a number is beyond all doubles.
std::optional<json::value> json_in(std::string_view text);
// Returns the text of a value. Has NaN and Infinity, as Python does; Boost.JSON has them in some
// versions.
std::string json_text(json::value const& v);

// Returns Zarr's name of a type: "float64". Empty if Zarr has no such type.
std::string zarr_name_of(dtype const& type);
// Returns the type of a name, in the order of this machine. No value if it is not known.
std::optional<dtype> zarr_type_of(std::string_view name);

// Returns the bytes of a fill value, in the order of this machine. No value if the type has no such
// value.
std::optional<std::vector<std::byte>> fill_bytes(dtype const& type, json::value const& v);

}  // namespace argosy::detail

// Values of elements whose type is known at run time only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include <argosy/format/dtype.hpp>

namespace argosy::tool {

// The largest error that still counts as equal. Any number is more than the default.
struct tolerance {
  long double absolute = -1, relative = -1;
};

// The difference of two elements. The errors are those of the numbers in them; NaN counts as equal
// to NaN, and has no error.
struct value_difference {
  bool differs = false;
  long double absolute = 0, relative = 0;  // the largest of the element
};

// Returns true if values of the two types can be compared: numbers of any type, and elements of the
// same type in any byte order.
bool comparable(dtype const& a, dtype const& b);
// Compares two elements of types that are comparable, in the byte order of this machine.
value_difference difference(dtype const& a, std::byte const* in_a, dtype const& b,
                            std::byte const* in_b, tolerance const& allowed);
// Returns the element as Python prints it: "1.5", "(1+2j)", "[1, 2]".
std::string value_text(dtype const& type, std::byte const* element);

}  // namespace argosy::tool

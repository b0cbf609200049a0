// The description of a class by a function `describe` in the namespace of that class.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace argosy::detail {

// Converts to T and to none of its bases: a class does not inherit the description of a base.
template <class T>
struct exactly {
  template <std::same_as<T> Same>
  operator Same const&() const noexcept;
};

namespace function_of_class {

// Hides argosy::describe, so that argument-dependent lookup finds the function of the program.
void describe();

template <class T>
using description = decltype(describe(std::declval<exactly<T>>()));

}  // namespace function_of_class

// True if such a function returns a description. Other functions of that name do not count.
template <class T>
concept described_by_function =
    std::is_class_v<T> && requires { function_of_class::description<T>::form(); };

}  // namespace argosy::detail

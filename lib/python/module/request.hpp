// Arrays, parts and hints as Python describes them: by functions that a collective call calls under
// its agreement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <argosy/error/source_location.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/format/detail/together.hpp>

#include "errors.hpp"
#include "format/any_array.hpp"
#include "world.hpp"

namespace argosy::python {

using numbers = detail::any_sizes;

// An array in a file. No shape: as many elements as the file has.
struct array_facts {
  detail::any_element of = {};
  std::optional<numbers> shape = {};
  order in = order::c;
};

// A function of Python without arguments, which raises what is wrong with the user's arguments.
class described {
 public:
  explicit described(nb::callable f) : function_(std::move(f)) {}

  // Calls the function, and returns its result as these types. Throws `raised` if it raises.
  template <class... Types>
  std::tuple<Types...> as() const {
    return in_python([&] { return nb::cast<std::tuple<Types...>>(function_()); });
  }

 private:
  nb::callable function_;
};

inline order order_of(std::string const& letter) {
  return letter == "F" ? order::fortran : order::c;
}

inline argosy::hints hints_of(std::vector<std::pair<std::string, std::string>> const& named) {
  argosy::hints h;
  for (auto const& [name, value] : named) h.named.push_back({name, value});
  return h;
}

// Runs a collective call: `body(joint_call)` as in the formats. The caller has released the lock of
// the interpreter.
template <class Body>
void in_call(ranks const& world, std::string_view name, std::string_view path, Body&& body) {
  std::string words;
  detail::in_one_call(world, {name, path, extend::source_location::current()}, nullptr, words,
                      std::forward<Body>(body));
}

// The elements of a slice, and the array in memory.
struct slice_and_array {
  detail::any_selection part = {};
  detail::any_memory array = {};
};
inline slice_and_array slice_of(described const& d) {
  auto [starts, counts, steps, address, strides] =
      d.as<numbers, numbers, numbers, std::uintptr_t, numbers>();
  return {{std::move(starts), std::move(counts), std::move(steps)}, {address, std::move(strides)}};
}

}  // namespace argosy::python

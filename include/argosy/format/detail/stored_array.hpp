// An array as a file has it, beside what a rank wants of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/datatype/order.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/file/data.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

// A layout with the types along its stream, where basic types have the sizes that they have in
// memory.
struct typed_form {
  static constexpr bool is_static = false;
  layout bytes;
  signature all;
  layout form() const { return bytes; }
  signature types() const { return all; }
  layout file_form(basic_sizes const&) const { return bytes; }
};

// What the file says of the array.
struct stored_array {
  dtype const& type;
  argosy::order order;
  std::vector<std::int64_t> const& shape;
  std::int64_t offset;
};

// The view of a rank's part; or why the array is another one: then the failure names both. Fields
// are found by their names: the file may have more of them than the program. Numbers of the other
// byte order are converted.
failure view_of(stored_array const& stored, array_part const& part, view& into);

// Is the data the whole part, of its types? `whose` is the name of the array.
failure fault_of(array_part const& part, const_buffer const& data, std::string_view whose);

// For comparing what ranks have, byte by byte: a number as it is, of all else its size and a sum.
std::string value_words(const_buffer const& data);

}  // namespace argosy::detail

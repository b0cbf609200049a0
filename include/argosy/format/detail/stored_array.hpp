// An array of a file, compared with a rank's part.
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

// A layout with the types along its stream. Basic types have their sizes in memory.
struct typed_form {
  static constexpr bool is_static = false;
  layout bytes;
  signature all;
  layout form() const { return bytes; }
  signature types() const { return all; }
  layout file_form(basic_sizes const&) const { return bytes; }
};

// The description of the array in the file.
struct stored_array {
  dtype const& type;
  argosy::order order;
  std::vector<std::int64_t> const& shape;
  std::int64_t offset;
};

// Makes the view of a rank's part. Returns a failure if the array in the file is another one; it
// names both. Fields are found by name, and the file may have more of them than the program.
// Numbers of the other byte order are converted.
failure view_of(stored_array const& stored, array_part const& part, view& into);

// Returns a failure unless the data is the whole part, of its types. `whose` is the name of the
// array.
failure fault_of(array_part const& part, const_buffer const& data, std::string_view whose);

// Returns text by which ranks compare data byte by byte: a number itself, and the size and a sum of
// anything else.
std::string value_words(const_buffer const& data);

}  // namespace argosy::detail

// Arrays whose type and dimensions are known at run time only, for other languages: their parts in
// files, and their memory as data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/dtype.hpp>

namespace argosy::detail {

using any_sizes = std::vector<std::int64_t>;

// The type of an element in a file, and the basic types of one element.
struct any_element {
  dtype type = {};
  signature types = {};
};
// Returns the element of a type as NumPy's headers have it, such as "'<f8'" or
// "[('x', '<f8', (3,)), ('id', '<i4')]". Throws std::invalid_argument if a file cannot have it.
any_element any_element_of(std::string const& text);
// Returns the same type in the byte order of this machine.
dtype native_type(dtype type);

// Elements of an array, as slices select them: counts[d] elements of dimension d, from starts[d]
// on, steps[d] apart. Steps are positive.
struct any_selection {
  any_sizes starts = {}, counts = {}, steps = {};
};
// Returns all elements of an array, or none.
any_selection everything_of(any_sizes const& shape);
any_selection nothing_of(any_sizes const& shape);

// Returns the part that a rank selects of an array. A selection outside of the array is a fault
// of the part.
array_part part_of(any_sizes const& shape, order o, any_element const& e, any_selection const& s);

// An array in memory: the address of its first element, and the bytes from one element to the next
// along each dimension, which may be negative.
struct any_memory {
  std::uintptr_t address = 0;
  any_sizes strides = {};
};
// Returns the elements of `m` in the order `o`, as data of a call. Their number along each
// dimension is `counts`. Throws invalid_layout if they are too many.
buffer buffer_of(any_memory const& m, any_sizes const& counts, order o, any_element const& e);

}  // namespace argosy::detail

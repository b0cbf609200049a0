// Implements any_array.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "any_array.hpp"

#include <functional>
#include <stdexcept>
#include <utility>

#include <argosy/datatype/memory.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/layout/layout.hpp>

#include "dtype_text.hpp"

namespace argosy::detail {

namespace {

// Returns how many items of which basic type make a value. Only the width counts, and whether it
// has a byte order. No items if there is no basic type of that width.
signature types_of_value(dtype const& t) {
  auto const integer = [](std::int64_t bytes) {
    return bytes == 1   ? basic_type::character
           : bytes == 2 ? basic_type::uint16
           : bytes == 4 ? basic_type::uint32
                        : basic_type::uint64;
  };
  auto const real = [&](std::int64_t bytes, std::int64_t count) -> signature {
    if (bytes == 2) return signature(basic_type::uint16, count);
    if (bytes == 4) return signature(basic_type::float32, count);
    if (bytes == 8) return signature(basic_type::float64, count);
    if (bytes == sizeof(long double)) return signature(basic_type::long_double, count);
    return {};
  };
  switch (t.kind) {
    case 'b':
      return signature(basic_type::boolean);
    case 'f':
      return real(t.bytes, 1);
    case 'c':
      return real(t.bytes / 2, 2);
    case 'U':
      return signature(basic_type::uint32, t.bytes / 4);
    case 'S':
    case 'V':
      return signature(basic_type::byte, t.bytes);
    default:
      return signature(integer(t.bytes));
  }
}

signature types_of(dtype const& t) {
  if (t.kind != 'r') {
    signature const one = types_of_value(t);
    if (one.size() != t.bytes)
      throw std::invalid_argument("argosy: this machine has no number of type " + to_string(t));
    return one;
  }
  signature all;
  for (dtype_field const& f : t.fields) {
    std::int64_t copies = 1;
    for (std::int64_t const n : f.shape) copies *= n;
    all.append(types_of(f.type), copies);
  }
  return all;
}

// Returns counts[d] copies along each dimension, strides[d] bytes apart, in the order `o`.
layout copies(layout one, any_sizes const& counts, any_sizes const& strides, order o) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::size_t const d = o == order::c ? counts.size() - 1 - i : i;
    one = repeat(counts[d], strides[d], one);
  }
  return one;
}

}  // namespace

any_element any_element_of(std::string const& text) {
  any_element e;
  literal parsed;
  std::string why;
  if (!parse_literal(text, false, parsed, why) || !dtype_from(parsed, e.type, why))
    throw std::invalid_argument("argosy: " + text + " is no type for a file: " + why);
  e.types = types_of(e.type);
  return e;
}

dtype native_type(dtype type) {
  if (type.order != '|') type.order = native_order;
  for (dtype_field& f : type.fields) f.type = native_type(std::move(f.type));
  return type;
}

any_selection everything_of(any_sizes const& shape) {
  return {any_sizes(shape.size(), 0), shape, any_sizes(shape.size(), 1)};
}

any_selection nothing_of(any_sizes const& shape) {
  return {any_sizes(shape.size(), 0), any_sizes(shape.size(), 0), any_sizes(shape.size(), 1)};
}

array_part part_of(any_sizes const& shape, order o, any_element const& e, any_selection const& s) {
  auto const form = [shape, o, s](layout const& one) {
    any_sizes strides(shape.size());
    std::int64_t whole = one.extent(), first = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::size_t const d = o == order::c ? shape.size() - 1 - i : i;
      std::int64_t const last = mul(s.counts[d] - 1, s.steps[d]);
      if (s.counts[d] < 0 || s.steps[d] < 1 || s.starts[d] < 0 ||
          (s.counts[d] > 0 && last >= shape[d] - s.starts[d]))
        throw invalid_layout("argosy: the slice reaches beyond dimension " + std::to_string(d) +
                             ", which has " + std::to_string(shape[d]) + " elements");
      strides[d] = mul(s.steps[d], whole);
      first = add(first, mul(s.starts[d], whole));
      whole = mul(whole, shape[d]);
    }
    return resized(at(first, copies(one, s.counts, strides, o)), 0, whole);
  };
  return part_of(shape, o, inner_type{native_type(e.type)}, e.types, form);
}

buffer buffer_of(any_memory const& m, any_sizes const& counts, order o, any_element const& e) {
  signature all;
  std::int64_t n = 1;
  for (std::int64_t const c : counts) n = mul(n, c);
  all.append(e.types, n);
  typed_form const form{copies(bytes(e.type.bytes), counts, m.strides, o), all};
  return argosy::memory(reinterpret_cast<std::byte*>(m.address), form, 1);
}

}  // namespace argosy::detail

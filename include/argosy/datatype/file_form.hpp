// The parts of a datatype that a data representation needs beside its form: the types along its
// stream, and its form if basic types have other sizes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {
namespace detail {

// A C++ type as a leaf: it knows both itself.
template <class D>
concept typed_leaf = requires(D const& d, basic_sizes const& sizes) {
  { d.types() } -> std::convertible_to<signature>;
  { d.file_form(sizes) } -> std::convertible_to<layout>;
};
// Whole copies of one other datatype, one after the other in the stream: all constructors but
// record.
template <class D>
concept typed_copies = requires(D const& d) {
  { d.copies() } -> std::convertible_to<std::int64_t>;
  d.old();
  d.with(layout());
};
struct any_part {
  template <class Old>
  constexpr void operator()(std::int64_t, std::int64_t, Old const&) const {}
};
// Parts of several datatypes, in this order: calls f(displacement, copies, old) for each.
template <class D>
concept typed_parts = requires(D const& d) { d.visit(any_part{}); };

// The basic types along the stream; size() is that of form_of(type). Data that comes without types
// - a `layout`, what `flatten` returns, a `describe` that gives only a form - is bytes, which no
// representation converts. Local; O(the description), however many pieces.
template <datatype D>
constexpr signature signature_of(D const& type) {
  if constexpr (detail::typed_leaf<D>) {
    return type.types();
  } else if constexpr (detail::typed_copies<D>) {
    signature all;
    all.append(signature_of(type.old()), type.copies());
    return all;
  } else if constexpr (detail::typed_parts<D>) {
    signature all;
    type.visit([&](std::int64_t, std::int64_t copies, auto const& old) {
      all.append(signature_of(old), copies);
    });
    return all;
  } else {
    return signature(basic::byte, form_of(type).size());
  }
}

// The same of `count` copies, one after the other. A datatype that finds out its types when asked
// is not asked here.
template <datatype D>
stream_types types_of_copies(D const& type, std::int64_t count) {
  if constexpr (requires { type.types_of_copies(count); })
    return type.types_of_copies(count);
  else if constexpr (detail::typed_copies<D>)
    return types_of_copies(type.old(), detail::mul(count, type.copies()));
  else
    return signature().append(signature_of(type), count);
}

// The form where basic types have other sizes, as in a file of another representation: the
// constructors are applied to the extents there, while displacements in bytes, bounds given by
// `resized` and the places of members in a struct are taken as they are (MPI 3.1, 13.5.1: no
// scaling is done). Its extent is what MPI_File_get_type_extent tells.
template <datatype D>
constexpr layout file_form_of(D const& type, basic_sizes const& sizes) {
  if constexpr (detail::typed_leaf<D>) {
    return type.file_form(sizes);
  } else if constexpr (detail::typed_copies<D>) {
    return type.with(file_form_of(type.old(), sizes)).form();
  } else if constexpr (detail::typed_parts<D>) {
    detail::assembler all;
    type.visit([&](std::int64_t displacement, std::int64_t copies, auto const& old) {
      layout const part = file_form_of(old, sizes);
      all.add(displacement, repeat(copies, part.extent(), part));
    });
    return all.finish();
  } else {
    return form_of(type);
  }
}

// A basic type by its name, for C++ types that do not tell: std::int64_t is `long` on most systems,
// which external32 writes in 4 bytes. As MPI_INT64_T beside MPI_LONG:
//   io::contiguous(n, io::int64_type)
template <basic Type>
struct basic_element {
  static constexpr bool is_static = true;
  constexpr layout form() const { return bytes(size_in(native_sizes, Type)); }
  constexpr signature types() const { return signature(Type); }
  constexpr layout file_form(basic_sizes const& sizes) const { return bytes(size_in(sizes, Type)); }
};
inline constexpr basic_element<basic::int64> int64_type{};
inline constexpr basic_element<basic::uint64> uint64_type{};

}  // namespace detail

}  // namespace argosy

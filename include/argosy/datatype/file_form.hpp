// The properties of a datatype that a data representation needs in addition to its form. They are
// the types along its stream, and its form for other sizes of basic types.
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

// A C++ type as a leaf, which has both functions itself.
template <class D>
concept typed_leaf = requires(D const& d, basic_sizes const& sizes) {
  { d.types() } -> std::convertible_to<signature>;
  { d.file_form(sizes) } -> std::convertible_to<layout>;
};
// Whole copies of one other datatype, one after the other in the stream. All constructors but
// record are of this kind.
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
// Parts of several datatypes, in this order. visit() calls f(displacement, copies, old) for each.
template <class D>
concept typed_parts = requires(D const& d) { d.visit(any_part{}); };

// Returns the basic types along the stream; its size() is that of form_of(type). Data without types
// is bytes, which no representation converts: a `layout`, a result of `flatten`, a `describe` that
// gives only a form. Local. Costs O(the description), whatever the number of pieces.
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
    return signature(basic_type::byte, form_of(type).size());
  }
}

// Static leaves whose items are all of one basic type, and their run.
template <class D>
concept of_basic_items =
    typed_leaf<D> && static_datatype<D> &&
    (signature_of(D{}).nodes().size() == 1 && signature_of(D{}).nodes()[0].body == 0);
template <of_basic_items D>
inline constexpr signature_node one_run = signature_of(D{}).nodes()[0];

// Returns the basic types of `count` copies, one after the other. If a datatype finds its types
// only on demand, this call does not demand them.
template <datatype D>
constexpr stream_types types_of_copies(D const& type, std::int64_t count) {
  if constexpr (requires { type.types_of_copies(count); })
    return type.types_of_copies(count);
  else if constexpr (detail::typed_copies<D>)
    return types_of_copies(type.old(), detail::mul(count, type.copies()));
  else if constexpr (of_basic_items<D>)
    return {one_run<D>.type, detail::mul(count, one_run<D>.count)};
  else
    return signature().append(signature_of(type), count);
}

// Returns the form for other sizes of basic types, as in a file of another representation. The
// constructors are applied to the extents there. Displacements in bytes, bounds given by `resized`
// and the places of members in a struct are not scaled (MPI 3.1, 13.5.1). MPI_File_get_type_extent
// returns its extent. Local.
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

// A basic type by its name, for C++ types that are ambiguous. std::int64_t is `long` on most
// systems, which external32 writes in 4 bytes. Like MPI_INT64_T in contrast to MPI_LONG:
//   io::contiguous(n, io::detail::int64_type)
template <basic_type Type>
struct basic_element {
  static constexpr bool is_static = true;
  constexpr layout form() const { return bytes(size_in(native_sizes, Type)); }
  constexpr signature types() const { return signature(Type); }
  constexpr layout file_form(basic_sizes const& sizes) const { return bytes(size_in(sizes, Type)); }
};
inline constexpr basic_element<basic_type::int64> int64_type{};
inline constexpr basic_element<basic_type::uint64> uint64_type{};

}  // namespace detail

}  // namespace argosy

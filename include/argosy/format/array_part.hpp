// One rank's part of an array in a file: shape, order and type of the whole array, and the elements
// of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/carried_fault.hpp>
#include <argosy/datatype/detail/other_type.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/format/dtype.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

class array_part;

namespace detail {

// Returns the part with all elements of an array of one dimension, or with the only element of an
// array without dimensions.
array_part all_of(std::vector<std::int64_t> shape, inner_type element, signature types);
// Returns the part whose layout `form` returns, for elements of a type that is known at run time
// only.
array_part part_of(std::vector<std::int64_t> shape, order o, inner_type element, signature types,
                   std::function<layout(layout const&)> form);

template <class D>
inline constexpr bool is_element = choice_of_members<D>;
template <class T>
inline constexpr bool is_element<element<T>> = true;
template <class D>
concept copies_of_elements = typed_copies<D> && is_element<typename D::old_type>;

// Returns the element of the file that this datatype makes, and its basic types in memory.
template <class T>
inner_type inner_type_of(element<T>) {
  return inner_type_of<T>();
}
template <choice_of_members Choice>
inner_type inner_type_of(Choice) {
  return {record_of_fields<Choice>()};
}

// A darray or a subarray of a C++ type, or of chosen members of one. These contain the whole array.
template <class D>
concept array_datatype = detail::copies_of_elements<D> && requires(D const& d) {
  d.sizes();
  { d.element_order() } -> std::same_as<order>;
};

}  // namespace detail

// One rank's part of an array in a file.
//
//   io::array_part u = io::darray<double, 3>({nx, ny, nz}, io::distribute::block, grid,
//                                            world.rank());
//   io::array_part cells({n}, io::indexed_block(1, numbers, io::type<cell>));
//   io::array_part places = io::subarray({all}, {n}, {first}, io::members<&particle::x>{});
// A regular value; an argument converts from a datatype. Elements in the file are dense: they have
// the described members of a struct, and no gaps. Arrays as elements are further dimensions: the
// last ones of an array in C order, the first ones in Fortran order.
//
// If the datatype has a fault, or the shape does not contain the part, the constructor does not
// throw. The collective call with this part reports the error on every rank.
class array_part {
 public:
  // Makes a part from a darray or a subarray, which contain the whole array.
  template <detail::array_datatype D>
  array_part(D const& tile) : array_part(shape_of(tile.sizes()), tile, tile.element_order()) {}
  // Makes a part from any other datatype of a C++ type. Its displacements select elements of the
  // whole array in the file. Elements there are dense, so displacements in bytes count dense
  // elements, without the gaps of a struct in memory.
  template <detail::copies_of_elements D>
  array_part(std::vector<std::int64_t> shape, D const& part, argosy::order o = order::c)
      : array_part(std::move(shape), o, detail::inner_type_of(typename D::old_type{}),
                   typename D::old_type{}.types(),
                   [part](layout const& element) { return part.with(element).form(); }) {}
  // Makes a part of one element, of an array without dimensions.
  template <class T>
  array_part(extend::element<T>)
      : array_part({}, order::c, detail::inner_type_of<T>(), detail::types_of<T>(),
                   [](layout const& e) { return e; }) {}

  std::vector<std::int64_t> const& shape() const noexcept { return shape_; }
  argosy::order order() const noexcept { return order_; }
  extend::dtype const& type() const noexcept { return type_; }
  // Returns the bytes of the whole array in the file. This function, part_bytes(), elements() and
  // form() throw invalid_layout if the part has a fault.
  std::int64_t bytes() const { return fault_.require_none(), bytes_; }
  // Returns the bytes of this rank's part in the file.
  std::int64_t part_bytes() const { return fault_.require_none(), size_; }
  // Returns the basic types of one element in memory. Never throws.
  extend::signature const& types() const noexcept { return types_; }
  // Returns the number of elements of this rank. An element is one value of the C++ type, even if
  // it is an array, whose items are further dimensions of shape().
  std::int64_t elements() const {
    std::int64_t const one = types_.size();
    return one == 0 ? 0 : part_bytes() / one;
  }
  // Returns the layout of the part in the file, if each element there has the layout `element`. The
  // second function uses dense elements.
  layout form(layout const& element) const { return fault_.require_none(), form_(element); }
  layout form() const { return form(argosy::bytes(types_.size())); }

  // Returns "'<f8' (30, 20)". Also works for a part with a fault.
  friend std::string to_string(array_part const& p);
  friend array_part detail::part_of(std::vector<std::int64_t> shape, argosy::order o,
                                    detail::inner_type element, extend::signature types,
                                    std::function<layout(layout const&)> form);

 private:
  using form_function = std::function<layout(layout const&)>;
  array_part(std::vector<std::int64_t> shape, argosy::order o, detail::inner_type element,
             extend::signature types, form_function form);
  void measure();  // throws if the part has a fault

  template <class Sizes>
  static std::vector<std::int64_t> shape_of(Sizes const& sizes) {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < sizes.size(); ++i) all.push_back(sizes[i]);
    return all;
  }

  std::vector<std::int64_t> shape_;
  argosy::order order_;
  extend::dtype type_;
  extend::signature types_;
  form_function form_;
  std::int64_t bytes_ = 0, size_ = 0;
  detail::carried_fault fault_;
};

std::string to_string(array_part const& p);

}  // namespace argosy

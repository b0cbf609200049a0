// members<&P::x, &P::id>: a description by chosen members, in that order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/detail/member_name.hpp>
#include <argosy/datatype/detail/member_offset.hpp>
#include <argosy/datatype/element.hpp>

namespace argosy {
namespace detail {

template <auto A, auto B>
constexpr bool is_same_member() {
  if constexpr (std::is_same_v<decltype(A), decltype(B)>)
    return A == B;
  else
    return false;
}
template <auto A, auto... More>
constexpr bool are_named_once() {
  if constexpr (sizeof...(More) == 0)
    return true;
  else
    return !(is_same_member<A, More>() || ...) && are_named_once<More...>();
}

}  // namespace detail

// A description by chosen members, in their order.
//   io::members<&particle::x, &particle::id> describe(particle const&);
// It is also a datatype of its own, to choose other members at one place only. Its stride is
// sizeof(particle) as well:
//   f.write_all({particles.data(), io::members<&particle::x>{}, n});
template <auto First, auto... Rest>
struct members {
  static_assert(std::is_member_object_pointer_v<decltype(First)> &&
                    (std::is_member_object_pointer_v<decltype(Rest)> && ...),
                "argosy::members: give pointers to data members, such as &particle::x");

 private:
  static_assert(detail::are_named_once<First, Rest...>(),
                "argosy::members: a member is named twice; name each member once");

  template <class A, class B, class... More>
  struct most_derived : most_derived<std::conditional_t<std::is_base_of_v<A, B>, B, A>, More...> {};
  template <class A, class B>
  struct most_derived<A, B> {
    using type = std::conditional_t<std::is_base_of_v<A, B>, B, A>;
  };

  template <class M, class C>
  static std::type_identity<C> class_of(M C::*);
  template <class M, class C>
  static std::type_identity<M> value_of(M C::*);
  template <auto Member>
  using class_type = typename decltype(class_of(Member))::type;
  template <auto Member>
  using value_type = typename decltype(value_of(Member))::type;

  template <class T, auto Member>
  static constexpr layout place() {
    if constexpr (std::is_base_of_v<class_type<Member>, T>) {
      constexpr std::int64_t offset = detail::offset_in<T>(&(detail::outline<T>.object.*Member));
      static_assert(
          offset >= 0,
          "argosy::members: the compiler does not tell where this member lies (a virtual base?); "
          "write the form by hand, see docs/use/datatypes.md");
      return at(offset, detail::layout_of<value_type<Member>>());
    } else {
      static_assert(std::is_base_of_v<class_type<Member>, T>,
                    "argosy::members: this is a member of another class; name members of the class "
                    "that is described");
      return {};
    }
  }
  template <class T, auto Member>
  static constexpr layout place_in_file(basic_sizes const& sizes) {
    if constexpr (std::is_base_of_v<class_type<Member>, T>)
      return at(detail::offset_in<T>(&(detail::outline<T>.object.*Member)),
                detail::file_layout_of<value_type<Member>>(sizes));
    else
      return {};  // place() reports the fault
  }

 public:
  // The class that has all members. `describe` may be specialised for a class derived from it.
  using owner =
      typename most_derived<class_type<First>, class_type<First>, class_type<Rest>...>::type;
  static constexpr bool is_static = detail::has_constant_form<value_type<First>>() &&
                                    (detail::has_constant_form<value_type<Rest>>() && ...);

  template <class T>
  static constexpr layout form_in() {
    return resized(concat(place<T, First>(), place<T, Rest>()...), 0, sizeof(T));
  }
  static constexpr layout form() { return form_in<owner>(); }

  template <class T>
  static constexpr layout file_form_in(basic_sizes const& sizes) {
    return resized(concat(place_in_file<T, First>(sizes), place_in_file<T, Rest>(sizes)...), 0,
                   sizeof(T));
  }
  static constexpr layout file_form(basic_sizes const& sizes) { return file_form_in<owner>(sizes); }
  static constexpr extend::signature types() {
    extend::signature all;
    all.append(detail::types_of<value_type<First>>());
    (all.append(detail::types_of<value_type<Rest>>()), ...);
    return all;
  }
  // Calls f(name, std::type_identity<type>()) for each member, in this order.
  template <class F>
  static constexpr void visit_fields(F&& f) {
    f(detail::member_name<First>(), std::type_identity<value_type<First>>());
    (f(detail::member_name<Rest>(), std::type_identity<value_type<Rest>>()), ...);
  }
};

template <class A, class B>
struct describe<std::pair<A, B>> : members<&std::pair<A, B>::first, &std::pair<A, B>::second> {};

}  // namespace argosy

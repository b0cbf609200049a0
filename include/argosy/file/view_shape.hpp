// The argument of set_view: a filetype, with its etype and its representation if they are given.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/view/filetype.hpp>
#include <argosy/view/representation.hpp>
#include <argosy/view/view.hpp>

namespace argosy {

namespace detail {

// A data representation, or the name of one.
template <class R>
concept representation_like =
    std::same_as<R, representation> || std::convertible_to<R const&, std::string_view>;

// Users write the parts in braces:
//   f.set_view(0, filetype);
//   f.set_view(0, {etype, filetype});
//   f.set_view(0, {filetype, io::external32});
//   f.set_view(0, {etype, filetype, "external32"});
// A mistake in static datatypes does not compile. A datatype may be a function that returns one.
// The view is made inside the call: if that throws, the call reports the error on every rank. An
// argument only: it refers to its parts and must not outlive the call.
class view_shape {
 public:
  template <class Filetype>
    requires(!std::same_as<Filetype, view_shape>)
  view_shape(Filetype const& filetype) noexcept : parts_{address_of(filetype)} {
    if constexpr (static_datatype<Filetype>)
      (void)require_rules<view_use::read_only, etype_type_of<Filetype>, Filetype>();
    make_ = [](view_shape const& s, std::int64_t at) { return view(at, s.made<Filetype>(0)); };
  }
  template <class Filetype, representation_like R>
  view_shape(Filetype const& filetype, R const& r) noexcept
      : parts_{address_of(filetype), address_of(r)} {
    require_order<Filetype>();
    make_ = [](view_shape const& s, std::int64_t at) {
      return view(at, s.made<Filetype>(0), s.named<R>(1));
    };
  }
  template <class Etype, class Filetype>
    requires(!representation_like<Filetype>)
  view_shape(Etype const& etype, Filetype const& filetype) noexcept
      : parts_{address_of(etype), address_of(filetype)} {
    if constexpr (static_datatype<Etype> && static_datatype<Filetype>)
      (void)require_rules<view_use::read_only, Etype, Filetype>();
    make_ = [](view_shape const& s, std::int64_t at) {
      return view(at, s.made<Etype>(0), s.made<Filetype>(1));
    };
  }
  template <class Etype, class Filetype, representation_like R>
  view_shape(Etype const& etype, Filetype const& filetype, R const& r) noexcept
      : parts_{address_of(etype), address_of(filetype), address_of(r)} {
    require_order<Filetype>();
    make_ = [](view_shape const& s, std::int64_t at) {
      return view(at, s.made<Etype>(0), s.made<Filetype>(1), s.named<R>(2));
    };
  }
  view_shape(view_shape const&) = delete;
  view_shape& operator=(view_shape const&) = delete;

  // Makes a shape from a whole view. at() then ignores its argument and returns that view.
  static view_shape exactly(view const& v) noexcept { return view_shape(ready{}, v); }

  view at(std::int64_t displacement) const { return make_(*this, displacement); }

 private:
  // Does not compile if displacements of a static filetype are negative or decrease. A
  // representation may change all sizes, so other rules are checked when the view is made.
  template <class Filetype>
  static constexpr void require_order() {
    if constexpr (static_datatype<Filetype>)
      (void)require_rules<view_use::read_only, element<std::byte>, Filetype>();
  }

  struct ready {};
  view_shape(ready, view const& v) noexcept : parts_{address_of(v)} {
    make_ = [](view_shape const& s, std::int64_t) { return s.part<view>(0); };
  }

  template <class T>
  static void const* address_of(T const& x) noexcept {
    if constexpr (std::is_function_v<T>)
      return reinterpret_cast<void const*>(&x);
    else
      return std::addressof(x);
  }
  template <class T>
  T const& part(std::size_t i) const noexcept {
    if constexpr (std::is_function_v<T>)
      return *reinterpret_cast<T*>(const_cast<void*>(parts_[i]));
    else
      return *static_cast<T const*>(parts_[i]);
  }
  template <class T>
  decltype(auto) made(std::size_t i) const {
    if constexpr (std::invocable<T const&>) {
      return part<T>(i)();
    } else if constexpr (datatype<T>) {
      return (part<T>(i));
    } else {
      constexpr bool is_datatype = datatype<T>;
      static_assert(is_datatype,
                    "argosy: a view is made of datatypes, and this is none: give io::type<double>, "
                    "not a double; data goes "
                    "to the calls that read and write");
      return element<std::byte>();
    }
  }
  template <class R>
  representation named(std::size_t i) const {
    if constexpr (std::convertible_to<R const&, std::string_view>)
      return find_representation(part<R>(i));
    else
      return part<R>(i);
  }

  std::array<void const*, 3> parts_ = {};
  view (*make_)(view_shape const&, std::int64_t) = nullptr;
};

}  // namespace detail

}  // namespace argosy

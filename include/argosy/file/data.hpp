// The data of a call: the buffers that it reads into or writes, described inside the call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/detail/other_type.hpp>
#include <argosy/datatype/detail/static_data.hpp>
#include <argosy/datatype/memory.hpp>
#include <argosy/datatype/numbers.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/layout/error.hpp>

#define ARGOSY_WHAT_BRACES_TAKE                                                                   \
  "argosy: data in braces is {container, datatype} or {container, datatype, count}, such as {u, " \
  "inside} or {v, io::members<&particle::x>{}}, whose elements lie one behind the other or are "  \
  "pointers; or {address, datatype, count}; of numbers make an array with a name"

namespace argosy {
namespace detail {

// The type of text in quotes. An array of characters that may change is not text in quotes.
template <class T>
inline constexpr bool is_quoted = false;
template <std::size_t N>
inline constexpr bool is_quoted<char const (&)[N]> = true;

// A description that follows an address. The place of the call is not one.
template <class D>
concept beside_address = !std::same_as<D, source_location>;

// The first item of a list in braces is an address, or anything else.
template <class A>
concept address_of_data = std::is_pointer_v<A> && (std::is_void_v<std::remove_pointer_t<A>> ||
                                                   std::is_object_v<std::remove_pointer_t<A>>);
template <class A>
concept no_address =
    !std::is_pointer_v<std::remove_cvref_t<A>> && !std::same_as<std::remove_cvref_t<A>, failure>;

// Items at a valid address: nothing about them can be wrong. They are numbers one behind the other,
// or copies of a static datatype.
struct item_row {
  void const* address;
  basic_type type;
  std::int64_t count;
  static_data const* known = nullptr;  // the static datatype; null: numbers

  // Returns true if the items are one stretch of memory.
  bool is_stretch() const noexcept {
    return !known || known->in_a_row || (known->pieces == 1 && count == 1);
  }
  // Returns the address of the first byte of data.
  std::byte const* first() const noexcept {
    return static_cast<std::byte const*>(address) + (known ? known->low : 0);
  }
  std::int64_t bytes() const noexcept {
    return count * (known ? known->size : size_in(native_sizes, type));
  }
};

// The form and the types of datatype D in memory of type T.
template <class T, class D>
struct in_memory {
  static constexpr layout form() { return layout(form_at<T>(D{})); }
  static stream_types types(std::int64_t copies) { return types_of_copies(D{}, copies); }
};
// A datatype whose form in memory of type T is a constant.
template <class D, class T>
concept static_in_memory = static_datatype<D> && std::is_object_v<T>;
template <class T, static_in_memory<T> D>
inline constexpr static_data const& known_data = static_data_of<in_memory<T, D>>::value;

// A datatype of which only the shape is known at run time, out of a few: a darray of fixed numbers.
template <class D, class T>
concept shaped_in_memory = std::is_object_v<T> && requires { requires D::has_shapes; };
template <class T, class D>
inline constexpr auto known_shapes = []<std::size_t... Shape>(std::index_sequence<Shape...>) {
  return std::array<static_data const*, sizeof...(Shape)>{
      &known_data<T, typename D::template part_of_rank<D::shapes::first_rank(Shape)>>...};
}(std::make_index_sequence<D::shapes::number>());

// Returns the datatype, or the result of a function that returns one.
template <class D>
decltype(auto) datatype_in(D const& type) {
  if constexpr (std::invocable<D const&>)
    return type();
  else
    return (type);
}
template <class D>
concept gives_datatype =
    datatype<std::remove_cvref_t<decltype(datatype_in(std::declval<D const&>()))>>;

template <class C, class D>
concept container_and_datatype = holds_data<C> && gives_datatype<D>;

}  // namespace detail

// The data that a call writes. It refers to the memory and does not copy it, so the memory must
// live until the call, or its request, has ended. Calls take this by value; users write the
// description:
//   f.write(u);                                   anything that io::memory accepts
//   f.write({u, inside});                         a datatype in a container; the call fails if the
//                                                 container is too small
//   f.write({u, inside, count});                  several copies
//   f.write({particles, members<&particle::x>{}}) these members of all elements
//   f.write({blocks, members<&block::u>{}})       behind each pointer of a container
//   f.write({address, datatype, count});          as in MPI; the size of the memory is not checked
// `datatype` may be a function that returns one.
//   f.write({MPI_BOTTOM, from_mpi(type), 1});     absolute addresses
//   f.write_all({});                              no data, on a rank that has none
// A description may be invalid: a negative count, a null address, an invalid datatype, or a
// function that throws. The error is stored here and becomes an error of the call, so a collective
// call reports it on every rank.
class source {
 public:
  source(extend::source_location where = extend::source_location::current()) noexcept
      : where_(where) {}
  template <class T>
    requires(!std::derived_from<std::remove_cvref_t<T>, source>)
  source(T&& x, extend::source_location where = extend::source_location::current())
      : where_(where) {
    static_assert(!detail::is_quoted<T>,
                  "argosy: text in quotes ends with a zero byte, which would be written, too; give "
                  "std::string_view(\"text\"), "
                  "or std::span(array) for all of an array");
    describe([&] {
      if (!take(x)) refer(memory(std::forward<T>(x)));
    });
  }
  template <detail::address_of_data Address, detail::beside_address Datatype,
            detail::integer Count = std::int64_t>
  source(Address const& address, Datatype const& type, Count copies = 1,
         extend::source_location where = extend::source_location::current())
      : where_(where) {
    if constexpr (std::is_arithmetic_v<Datatype>)
      static_assert(!std::is_arithmetic_v<Datatype>,
                    "argosy: an address and a number do not say what lies there; give {address, "
                    "io::type<double>, count}, "
                    "or std::span(address, count)");
    else
      describe([&] {
        auto const count = count_of(copies);
        auto const& one = detail::datatype_in(type);
        if (!take(address, one, count, any_room)) refer(memory(address, one, count));
      });
  }

  // A datatype in a container, or behind its pointers.
  template <detail::no_address Container, detail::beside_address Datatype>
  source(Container&& x, Datatype const& type,
         extend::source_location where = extend::source_location::current())
      : where_(where) {
    constexpr bool is_data = detail::container_and_datatype<Container, Datatype>;
    static_assert(is_data, ARGOSY_WHAT_BRACES_TAKE);
    if constexpr (is_data)
      describe([&] {
        auto const& one = detail::datatype_in(type);
        if (!take_elements(x, one, detail::default_count(x, one)))
          refer(memory(std::forward<Container>(x), one));
      });
  }
  template <detail::no_address Container, detail::beside_address Datatype, detail::integer Count>
  source(Container&& x, Datatype const& type, Count copies,
         extend::source_location where = extend::source_location::current())
      : where_(where) {
    constexpr bool is_data = detail::container_and_datatype<Container, Datatype>;
    static_assert(is_data, ARGOSY_WHAT_BRACES_TAKE);
    if constexpr (is_data)
      describe([&] {
        auto const count = count_of(copies);
        auto const& one = detail::datatype_in(type);
        if (!take_elements(x, one, count)) refer(memory(std::forward<Container>(x), one, count));
      });
  }
  // Does not compile, and says how to describe data.
  template <detail::no_address A, class B, detail::beside_address C>
    requires(!detail::integer<C>)
  source(A const&, B const&, C const&) {
    static_assert(std::is_void_v<A>, ARGOSY_WHAT_BRACES_TAKE);
  }

  source(detail::item_row const r, extend::source_location where) : row_(r), where_(where) {}
  // Makes invalid data: the call reports the error `f`, if it is collective on every rank.
  source(extend::failure f, extend::source_location where) : fault_(std::move(f)), where_(where) {}

  const_buffer const& buffer() const& {
    if (!buffer_) {
      if (row_.known)
        buffer_.emplace(row_.known->buffer(row_.address, row_.count));
      else if (row_.address)
        buffer_.emplace(static_cast<std::byte const*>(row_.address), row_.type, row_.count);
      else
        buffer_.emplace();
    }
    return *buffer_;
  }
  const_buffer buffer() && {
    buffer();
    return *std::move(buffer_);
  }
  // The address, type and number of items if a row describes them, so that no buffer need be made.
  // Otherwise its address is null.
  detail::item_row const& row() const noexcept { return row_; }
  std::optional<extend::failure> const& fault() const noexcept { return fault_; }
  // The place of the call in the program.
  extend::source_location const& where() const noexcept { return where_; }

 private:
  static constexpr std::int64_t any_room = std::numeric_limits<std::int64_t>::max();

  template <detail::integer Count>
  static std::int64_t count_of(Count copies) {
    auto const count = detail::store<std::int64_t>(copies);
    detail::require_number(count);
    return count;
  }

  // Each takes the data as a row if it is numbers in a row, or of a static datatype, and nothing
  // about it is wrong. Otherwise returns false, and the data must be described by a buffer.
  template <class T>
  bool take(T& x) {
    if constexpr (detail::numbers_in_a_row<T&>) {
      using value = std::ranges::range_value_t<T>;
      constexpr std::size_t most = any_room / sizeof(value);
      auto const count = static_cast<std::size_t>(std::ranges::size(x));
      if (count > most) return false;
      row_ = {detail::first_byte(std::ranges::data(x)), detail::basic_of<value>(),
              static_cast<std::int64_t>(count)};
      return row_.address != nullptr;
    } else if constexpr (detail::structs_in_a_row<T&>) {
      using value = std::remove_cv_t<std::ranges::range_value_t<T>>;
      return take_elements(x, type<value>, static_cast<std::int64_t>(std::ranges::size(x)));
    } else {
      return false;
    }
  }
  template <class T, class Datatype>
  bool take(T* address, [[maybe_unused]] Datatype const& one, std::int64_t count,
            std::int64_t room) {
    if constexpr (detail::static_in_memory<Datatype, T>) {
      constexpr detail::static_data const& known = detail::known_data<T, Datatype>;
      if (address == nullptr || !known.fits(count, room)) return false;
      row_ = {detail::first_byte(address), extend::basic_type::byte, count, &known};
      return true;
    } else if constexpr (detail::shaped_in_memory<Datatype, T>) {
      auto const mine = one.shape();
      detail::static_data const& known = *detail::known_shapes<T, Datatype>[mine.shape];
      std::int64_t const moved = mine.elements * one.old().form().extent();
      if (address == nullptr || moved < 0 || !known.fits(count, room - moved)) return false;
      row_ = {detail::first_byte(address) + moved, extend::basic_type::byte, count, &known};
      return true;
    } else {
      return false;
    }
  }
  template <class Container, class Datatype>
  bool take_elements(Container& x, Datatype const& one, std::int64_t count) {
    if constexpr (detail::elements_in_a_row<Container&>) {
      auto* const first = std::ranges::data(x);
      auto const elements = static_cast<std::size_t>(std::ranges::size(x));
      return elements <= any_room / sizeof(*first) &&
             take(first, one, count, static_cast<std::int64_t>(elements * sizeof(*first)));
    } else {
      return false;
    }
  }

  template <class Buffer>
  void refer(Buffer&& to) {
    buffer_.emplace(std::forward<Buffer>(to));
    if (!buffer_->address() && buffer_->size() > 0)
      fault_.emplace(errc::argument, "the address is null, and " + std::to_string(buffer_->size()) +
                                         " bytes are wanted");
  }
  // Calls `f`, which describes the data and may be code of the program. Stores what it throws. The
  // call that gets the data reports it.
  template <class F>
  void describe(F&& f) {
    try {
      f();
    } catch (invalid_layout const& e) {
      fault_.emplace(errc::argument, e.what());
    } catch (...) {
      fault_ = detail::failure_by("describing the data");
    }
    if (fault_) buffer_.reset();
  }

  detail::item_row row_{nullptr, extend::basic_type::byte, 0};
  mutable std::optional<const_buffer> buffer_;  // for a row: made at the first use
  std::optional<extend::failure> fault_;
  extend::source_location where_;
};

// The data that a call reads into. All of it can also be written.
class target : public source {
 public:
  target(extend::source_location where = extend::source_location::current()) noexcept
      : source(where) {}
  target(extend::failure f, extend::source_location where) : source(std::move(f), where) {}
  target(detail::item_row const r, extend::source_location where) : source(r, where) {}
  template <class T>
    requires(!std::derived_from<std::remove_cvref_t<T>, source>)
  target(T&& x, extend::source_location where = extend::source_location::current())
      : source(std::forward<T>(x), where) {
    static_assert(std::convertible_to<decltype(memory(std::forward<T>(x))), argosy::buffer>,
                  "argosy: this data is const, so a file cannot be read into it");
  }
  template <detail::address_of_data Address, detail::beside_address Datatype,
            detail::integer Count = std::int64_t>
  target(Address const& address, Datatype const& type, Count copies = 1,
         extend::source_location where = extend::source_location::current())
      : source(address, type, copies, where) {
    static_assert(!std::is_const_v<std::remove_pointer_t<Address>>,
                  "argosy: this data is const, so a file cannot be read into it");
  }
  template <detail::no_address Container, detail::beside_address Datatype>
  target(Container&& x, Datatype const& type,
         extend::source_location where = extend::source_location::current())
      : source(std::forward<Container>(x), type, where) {
    require_changeable<Container, Datatype>();
  }
  template <detail::no_address Container, detail::beside_address Datatype, detail::integer Count>
  target(Container&& x, Datatype const& type, Count copies,
         extend::source_location where = extend::source_location::current())
      : source(std::forward<Container>(x), type, copies, where) {
    require_changeable<Container, Datatype>();
  }
  template <detail::no_address A, class B, detail::beside_address C>
    requires(!detail::integer<C>)
  target(A const& a, B const& b, C const& c) : source(a, b, c) {}

 private:
  template <class Container, class Datatype>
  static constexpr void require_changeable() {
    if constexpr (detail::container_and_datatype<Container, Datatype>) {
      using described = decltype(memory(std::declval<Container>(),
                                        detail::datatype_in(std::declval<Datatype const&>())));
      constexpr bool can_change = std::convertible_to<described, argosy::buffer>;
      static_assert(can_change, "argosy: this data is const, so a file cannot be read into it");
    }
  }
};

}  // namespace argosy

#undef ARGOSY_WHAT_BRACES_TAKE

// The data of a call: the buffers that it reads into or writes, described inside the call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

// Items one behind the other at a valid address: nothing about them can be wrong.
struct item_row {
  void const* address;
  basic type;
  std::int64_t count;
};

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
    if constexpr (detail::numbers_in_a_row<T&>) carry([&] { row_ = row_of(x); });
    if (!row_.address && !fault_) describe([&] { return memory(std::forward<T>(x)); });
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
        auto const count = detail::store<std::int64_t>(copies);
        detail::require_number(count);
        return memory(address, detail::datatype_in(type), count);
      });
  }

  // A datatype in a container, or behind its pointers.
  template <detail::no_address Container, detail::beside_address Datatype>
  source(Container&& x, Datatype const& type,
         extend::source_location where = extend::source_location::current())
      : where_(where) {
    static_assert(detail::container_and_datatype<Container, Datatype>, ARGOSY_WHAT_BRACES_TAKE);
    if constexpr (detail::container_and_datatype<Container, Datatype>)
      describe([&] { return memory(std::forward<Container>(x), detail::datatype_in(type)); });
  }
  template <detail::no_address Container, detail::beside_address Datatype, detail::integer Count>
  source(Container&& x, Datatype const& type, Count copies,
         extend::source_location where = extend::source_location::current())
      : where_(where) {
    static_assert(detail::container_and_datatype<Container, Datatype>, ARGOSY_WHAT_BRACES_TAKE);
    if constexpr (detail::container_and_datatype<Container, Datatype>)
      describe([&] {
        auto const count = detail::store<std::int64_t>(copies);
        detail::require_number(count);
        return memory(std::forward<Container>(x), detail::datatype_in(type), count);
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
      if (row_.address)
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
  // The address, type and number of items if they lie one behind the other, so that no buffer need
  // be made. Otherwise its address is null.
  detail::item_row const& row() const noexcept { return row_; }
  std::optional<extend::failure> const& fault() const noexcept { return fault_; }
  // The place of the call in the program.
  extend::source_location const& where() const noexcept { return where_; }

 private:
  // Returns the numbers of a contiguous range. The address is null if `x` is not one, or too long.
  template <class T>
  static detail::item_row row_of(T& x) {
    if constexpr (detail::numbers_in_a_row<T&>) {
      using value = std::ranges::range_value_t<T>;
      constexpr std::size_t most = std::numeric_limits<std::int64_t>::max() / sizeof(value);
      auto const count = static_cast<std::size_t>(std::ranges::size(x));
      if (count <= most)
        return {detail::first_byte(std::ranges::data(x)), detail::basic_of<value>(),
                static_cast<std::int64_t>(count)};
    }
    return {nullptr, extend::basic::byte, 0};
  }

  template <class F>
  void describe(F&& f) {
    carry([&] {
      buffer_.emplace(f());
      if (!buffer_->address() && buffer_->size() > 0)
        fault_.emplace(errc::argument, "the address is null, and " +
                                           std::to_string(buffer_->size()) + " bytes are wanted");
    });
    if (fault_) buffer_.reset();
  }
  // Calls `f`, which may be code of the program, and stores what it throws. The call that gets the
  // data reports it.
  template <class F>
  void carry(F&& f) {
    try {
      f();
    } catch (invalid_layout const& e) {
      fault_.emplace(errc::argument, e.what());
    } catch (...) {
      fault_ = detail::failure_by("describing the data");
    }
  }

  detail::item_row row_{nullptr, extend::basic::byte, 0};
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
    if constexpr (detail::container_and_datatype<Container, Datatype>)
      static_assert(std::convertible_to<decltype(memory(
                                            std::declval<Container>(),
                                            detail::datatype_in(std::declval<Datatype const&>()))),
                                        argosy::buffer>,
                    "argosy: this data is const, so a file cannot be read into it");
  }
};

}  // namespace argosy

#undef ARGOSY_WHAT_BRACES_TAKE

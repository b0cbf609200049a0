// A buffer: data in memory, with its address and its layout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/detail/carried_fault.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace detail {

// Data in memory. The layout's offsets count from `address`. A const_buffer can be written to a
// file, but not read into. Without types the data is bytes, which no representation converts.
//
// If the data cannot be described, the buffer stores the exception. Its form, size and types then
// throw that exception. A collective call with such a buffer reports the error on all ranks.
template <class Byte>
  requires(std::same_as<std::remove_const_t<Byte>, std::byte>)
class basic_buffer {
 public:
  basic_buffer() = default;
  basic_buffer(Byte* address, layout form)
      : address_(address),
        form_(std::move(form)),
        types_(signature(basic_type::byte, form_.size())) {}
  basic_buffer(Byte* address, layout const& form, stream_types const& types)
      : address_(address), form_(form), types_(types) {}
  basic_buffer(Byte* address, layout&& form, stream_types&& types)
      : address_(address), form_(std::move(form)), types_(std::move(types)) {}
  // A buffer of `count` items without gaps. The layout is built in place, because a move would cost
  // more than its construction.
  basic_buffer(Byte* address, basic_type type, std::int64_t count)
      : address_(address),
        form_(bytes(detail::mul(count, size_in(native_sizes, type)))),
        types_(type, count) {}
  explicit basic_buffer(detail::carried_fault why) noexcept : fault_(std::move(why)) {}
  // Makes a buffer that can only be written to a file of one that can also be read into.
  template <std::same_as<std::byte> Other>
    requires(std::is_const_v<Byte>)
  basic_buffer(basic_buffer<Other> const& b)
      : address_(b.address_), form_(b.form_), types_(b.types_), fault_(b.fault_) {}
  template <std::same_as<std::byte> Other>
    requires(std::is_const_v<Byte>)
  basic_buffer(basic_buffer<Other>&& b)
      : address_(b.address_),
        form_(std::move(b.form_)),
        types_(std::move(b.types_)),
        fault_(std::move(b.fault_)) {}

  // Returns the address of offset 0. Never throws.
  Byte* address() const noexcept { return address_; }
  // Returns the layout, the types along its stream, and the bytes of data. They throw the stored
  // exception if the data cannot be described.
  layout const& form() const {
    fault_.require_none();
    return form_;
  }
  stream_types const& types() const {
    fault_.require_none();
    return types_;
  }
  std::int64_t size() const { return form().size(); }

 private:
  friend class basic_buffer<std::byte const>;

  Byte* address_ = nullptr;
  layout form_;
  stream_types types_;
  detail::carried_fault fault_;
};

}  // namespace detail

using buffer = detail::basic_buffer<std::byte>;
using const_buffer = detail::basic_buffer<std::byte const>;

namespace detail {

template <class T>
using byte_like = std::conditional_t<std::is_const_v<T>, std::byte const, std::byte>;

// Returns the address of the first byte of an object.
template <class T>
byte_like<T>* first_byte(T* address) {
  static_assert(!std::is_volatile_v<T>,
                "argosy: volatile memory cannot be a buffer; copy it first");
  using any = std::conditional_t<std::is_const_v<T>, void const, void>;
  return static_cast<byte_like<T>*>(static_cast<any*>(address));
}

template <class T>
basic_buffer<byte_like<T>> make_buffer(T* address, layout&& form, stream_types&& types) {
  return {first_byte(address), std::move(form), std::move(types)};
}

// Returns the buffer that `describe` returns, or a buffer that stores the exception which
// `describe` throws.
template <class Describe>
auto described_buffer(Describe&& describe) -> decltype(describe()) {
  try {
    return describe();
  } catch (...) {
    return decltype(describe())(carried_fault::current());
  }
}

}  // namespace detail
}  // namespace argosy

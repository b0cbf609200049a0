// A buffer: where data lies in memory, and what of it is meant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

// The layout's offsets count from `address`. A const_buffer can be written to a file, but not read into. Without types
// the data is bytes, which no representation converts.
template <class Byte>
  requires(std::same_as<std::remove_const_t<Byte>, std::byte>)
struct basic_buffer {
  Byte* address = nullptr;
  layout form;
  stream_types types = signature(basic::byte, form.size());

  constexpr std::int64_t size() const noexcept { return form.size(); }
  constexpr operator basic_buffer<Byte const>() const
    requires(!std::is_const_v<Byte>)
  {
    return {address, form, types};
  }
};

using buffer = basic_buffer<std::byte>;
using const_buffer = basic_buffer<std::byte const>;

namespace detail {

template <class T>
using byte_like = std::conditional_t<std::is_const_v<T>, std::byte const, std::byte>;

template <class T>
basic_buffer<byte_like<T>> make_buffer(T* address, layout form, stream_types types) {
  static_assert(!std::is_volatile_v<T>, "argosy: volatile memory cannot be a buffer; copy it first");
  if constexpr (std::is_const_v<T>)
    return {static_cast<std::byte const*>(static_cast<void const*>(address)), std::move(form), std::move(types)};
  else
    return {static_cast<std::byte*>(static_cast<void*>(address)), std::move(form), std::move(types)};
}

}  // namespace detail
}  // namespace argosy

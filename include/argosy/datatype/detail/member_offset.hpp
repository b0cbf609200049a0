// The offsets of members as constants, without their names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace argosy::detail {

// An object of T whose lifetime never begins. In a constant expression, addresses inside it can be
// formed and compared, although nothing can be read. T therefore needs no constructor, and alignas,
// padding and bases are the compiler's own.
template <class T>
union never_begun {
  char nothing;
  T object;
  char raw[sizeof(T)];

  constexpr never_begun() noexcept : nothing() {}
  constexpr ~never_begun() {}
};

template <class T>
inline constexpr never_begun<T> outline{};

// Returns the offset in T of the object at `address` inside outline<T>.object, or -1 if the
// compiler cannot compare them.
template <class T>
constexpr std::int64_t offset_in(void const* address) {
  for (std::size_t k = 0; k < sizeof(T); ++k)
    if (static_cast<void const*>(&outline<T>.raw[k]) == address)
      return static_cast<std::int64_t>(k);
  return -1;
}

}  // namespace argosy::detail

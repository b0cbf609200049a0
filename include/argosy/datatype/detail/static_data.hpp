// Data with a static datatype: its sizes as constants, and loops that copy it, as one object for
// each datatype. Code that is compiled once can use them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <argosy/datatype/buffer.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy::detail {

struct static_data {
  std::int64_t size, extent;  // bytes of one copy; distance of the next one
  std::int64_t low, high;     // hull of the bytes of one copy
  std::int64_t pieces;        // pieces of one copy
  bool in_a_row;              // any number of copies is one stretch
  // Copy between `copies` copies in memory and a stream without gaps.
  void (*pack)(void const* memory, std::int64_t copies, void* stream);
  void (*unpack)(void const* stream, std::int64_t copies, void* memory);
  // Returns the data with a layout made at run time, for everything else.
  const_buffer (*buffer)(void const* address, std::int64_t copies);

  // Returns true if `copies` copies can be addressed, and are all within `room` bytes. A datatype
  // that steps backwards is left to the layout.
  constexpr bool fits(std::int64_t copies, std::int64_t room) const noexcept {
    std::int64_t all = 0, last = 0;
    return copies >= 0 && low >= 0 && extent >= 0 && !__builtin_mul_overflow(copies, size, &all) &&
           !__builtin_mul_overflow(copies, extent, &last) &&
           (copies == 0 || last - extent <= room - high);
  }
};

// `Source` has a constant form(), and types(copies).
template <class Source>
struct static_data_of {
  static constexpr auto form = static_form_of<Source>();
  using flat = static_layout<form>;

  template <direction Way>
  static void transfer(std::byte* memory, std::int64_t copies, std::byte* stream) {
    for (std::int64_t i = 0; i < copies; ++i)
      transfer_static<Way, form>(memory + i * flat::extent(), stream + i * flat::size());
  }
  static void pack(void const* memory, std::int64_t copies, void* stream) {
    transfer<direction::pack>(moved(memory, 0), copies, moved(stream, 0));
  }
  static void unpack(void const* stream, std::int64_t copies, void* memory) {
    transfer<direction::unpack>(moved(memory, 0), copies, moved(stream, 0));
  }
  static const_buffer buffer(void const* address, std::int64_t copies) {
    return {static_cast<std::byte const*>(address), repeat(copies, flat::extent(), flat::value()),
            Source::types(copies)};
  }

  static constexpr static_data value = {flat::size(),
                                        flat::extent(),
                                        flat::true_lower_bound(),
                                        flat::true_upper_bound(),
                                        flat::pieces(),
                                        flat::pieces() == 1 && flat::size() == flat::extent(),
                                        &pack,
                                        &unpack,
                                        &buffer};
};

}  // namespace argosy::detail

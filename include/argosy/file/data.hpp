// What a call reads into and what it writes: buffers, described inside of the call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include <argosy/datatype/memory.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/layout/error.hpp>

namespace argosy {

// Calls take these by value; users write what they describe:
//   f.write(u);                                   anything that io::memory takes
//   f.write({address, datatype, count});          as in MPI; `datatype` may be a function that returns one
//   f.write({MPI_BOTTOM, from_mpi(type), 1});     absolute addresses
// What cannot be described - a negative count, a null address, a datatype whose function throws - is an error of the call,
// so that a collective call reports it on every rank.
template <class Byte>
class basic_data {
 public:
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, basic_data> &&
             !std::same_as<std::remove_cvref_t<T>, basic_data<std::byte>>)
  basic_data(T&& x, std::source_location where = std::source_location::current()) : where_(where) {
    describe([&] {
      auto described = memory(std::forward<T>(x));
      static_assert(std::convertible_to<decltype(described), basic_buffer<Byte>>,
                    "argosy: this data is const, so a file cannot be read into it");
      return described;
    });
  }
  template <class T, class Datatype>
    requires std::is_void_v<T> || std::is_object_v<T>
  basic_data(T* address, Datatype const& type, std::int64_t count = 1,
             std::source_location where = std::source_location::current())
      : where_(where) {
    static_assert(std::is_const_v<Byte> || !std::is_const_v<T>,
                  "argosy: this data is const, so a file cannot be read into it");
    describe([&] {
      if constexpr (std::invocable<Datatype const&>)
        return memory(address, type(), count);
      else
        return memory(address, type, count);
    });
  }

  // What can be read into can be written.
  template <class Other>
    requires(std::is_const_v<Byte> && !std::is_const_v<Other>)
  basic_data(basic_data<Other> const& x) : buffer_(x.buffer()), fault_(x.fault()), where_(x.where()) {}

  basic_buffer<Byte> const& buffer() const noexcept { return buffer_; }
  failure const& fault() const noexcept { return fault_; }
  // Where in the program the call stands.
  std::source_location const& where() const noexcept { return where_; }

 private:
  template <class F>
  void describe(F&& f) {
    try {
      buffer_ = f();
      if (!buffer_.address && buffer_.size() > 0)
        fault_ = {errc::argument, "the address is null, and " + std::to_string(buffer_.size()) + " bytes are wanted"};
    } catch (invalid_layout const& e) {
      fault_ = {errc::argument, e.what()};
    } catch (...) {
      fault_ = failure_by("describing the data");
    }
    if (fault_) buffer_ = {};
  }

  basic_buffer<Byte> buffer_;
  failure fault_;
  std::source_location where_;
};

using source = basic_data<std::byte const>;  // of a write
using target = basic_data<std::byte>;        // of a read

}  // namespace argosy

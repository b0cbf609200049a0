// What a call reads into and what it writes: buffers, described inside of the call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/memory.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/layout/error.hpp>

namespace argosy {

// Calls take these by value; users write what they describe:
//   f.write(u);                                   anything that io::memory takes
//   f.write({address, datatype, count});          as in MPI; `datatype` may be a function that returns one
//   f.write({MPI_BOTTOM, from_mpi(type), 1});     absolute addresses
// What cannot be described - a negative count, a null address, a datatype that cannot be or whose function throws - is an error
// of the call, so that a collective call reports it on every rank.
class source {
 public:
  template <class T>
    requires(!std::derived_from<std::remove_cvref_t<T>, source>)
  source(T&& x, source_location where = source_location::current()) : where_(where) {
    describe([&] { return memory(std::forward<T>(x)); });
  }
  template <class T, class Datatype>
    requires std::is_void_v<T> || std::is_object_v<T>
  source(T* address, Datatype const& type, std::int64_t count = 1, source_location where = source_location::current())
      : where_(where) {
    if constexpr (std::is_arithmetic_v<Datatype>)
      static_assert(
          !std::is_arithmetic_v<Datatype>,
          "argosy: an address and a number do not say what lies there; give {address, io::type<double>, count}, "
          "or std::span(address, count)");
    else
      describe([&] {
        if constexpr (std::invocable<Datatype const&>)
          return memory(address, type(), count);
        else
          return memory(address, type, count);
      });
  }

  // Data that is wrong for other reasons: the call ends with this error, on every rank.
  source(failure f, source_location where) : fault_(std::move(f)), where_(where) {}

  const_buffer const& buffer() const& noexcept { return buffer_; }
  const_buffer buffer() && noexcept { return std::move(buffer_); }
  failure const& fault() const noexcept { return fault_; }
  // Where in the program the call stands.
  source_location const& where() const noexcept { return where_; }

 private:
  template <class F>
  void describe(F&& f) {
    try {
      buffer_ = f();
      if (!buffer_.address() && buffer_.size() > 0)
        fault_ = {errc::argument, "the address is null, and " + std::to_string(buffer_.size()) + " bytes are wanted"};
    } catch (invalid_layout const& e) {
      fault_ = {errc::argument, e.what()};
    } catch (...) {
      fault_ = failure_by("describing the data");
    }
    if (fault_) buffer_ = {};
  }

  const_buffer buffer_;
  failure fault_;
  source_location where_;
};

// What can be read into can be written.
class target : public source {
 public:
  target(failure f, source_location where) : source(std::move(f), where) {}
  template <class T>
    requires(!std::derived_from<std::remove_cvref_t<T>, source>)
  target(T&& x, source_location where = source_location::current()) : source(std::forward<T>(x), where) {
    static_assert(std::convertible_to<decltype(memory(std::forward<T>(x))), argosy::buffer>,
                  "argosy: this data is const, so a file cannot be read into it");
  }
  template <class T, class Datatype>
    requires std::is_void_v<T> || std::is_object_v<T>
  target(T* address, Datatype const& type, std::int64_t count = 1, source_location where = source_location::current())
      : source(address, type, count, where) {
    static_assert(!std::is_const_v<T>, "argosy: this data is const, so a file cannot be read into it");
  }
};

}  // namespace argosy

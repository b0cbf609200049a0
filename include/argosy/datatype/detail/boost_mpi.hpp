// The datatypes that Boost.MPI makes of C++ types and of contents, as typed layouts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include <mpi.h>
#include <pthread.h>

#include <boost/mpi/datatype.hpp>
#include <boost/mpi/skeleton_and_content.hpp>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/typed_layout.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

// A class that Boost.MPI sends as a datatype, and that this library does not know otherwise.
template <class T>
concept sent_by_boost =
    std::is_class_v<T> && !is_std_array<T> && !is_complex<T> && !described_by_function<T> &&
    static_cast<bool>(boost::mpi::is_mpi_datatype<T>::value);

// Throws invalid_layout if MPI is not running. Boost.MPI would end the program.
inline void require_mpi_runs() { static_cast<void>(from_mpi(MPI_BYTE).form()); }

// Excludes threads from each other while Boost.MPI makes a datatype, because it stores all of them
// in one map.
inline std::mutex& making_boost_datatypes() {
  static std::mutex one;
  return one;
}

// Returns the datatype that Boost.MPI has for T, decoded. Only the first call for a T calls MPI. If
// it throws, the next call tries again.
template <class T>
extend::typed_layout const& datatype_of_boost() {
  static_assert(
      std::default_initializable<T>,
      "argosy: Boost.MPI describes a class by an object of it, and this class has no default "
      "constructor; give it one, or choose its members with argosy::describe<T>, see "
      "docs/use/datatypes.md");
  static extend::typed_layout const decoded = [] {
    require_mpi_runs();
    T const object = T();
    std::lock_guard const guard(making_boost_datatypes());
    extend::typed_layout found = from_mpi(boost::mpi::get_mpi_datatype(object));
    static_cast<void>(found.form());  // throws if the datatype could not be decoded
    return found;
  }();
  return decoded;
}

// A description by that datatype. It knows no names of members.
template <class T>
struct description_of_boost {
  static constexpr bool is_static = false;
  static layout form() { return datatype_of_boost<T>().form(); }
  static extend::signature types() { return datatype_of_boost<T>().types(); }
  static layout file_form(basic_sizes const& sizes) {
    return datatype_of_boost<T>().file_form(sizes);
  }
};

// Throws invalid_layout if data lies in this thread's stack below `frame`, where objects of
// functions were that have returned. Does nothing on a stack that the program has made itself.
inline void refuse_data_of_ended_calls(layout const& form, void const* frame) {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  int const failed = pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  auto const from = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(lowest));
  auto const to = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(frame));
  if (failed != 0 || to < from || to - from > static_cast<std::int64_t>(bytes)) return;
  for (extend::cursor at(form); !at.done(); at.next())
    if (at.current().offset >= from && at.current().offset < to)
      throw invalid_layout(
          "argosy::content_of: the archive was given a value that exists only while it is given: "
          "an enum, an element of std::vector<bool>, or a local variable of serialize(). What to "
          "do: give the archive members of the object that are numbers");
}

// Returns the datatype of the content of x, with absolute addresses. Not inlined, because objects
// of the functions that it calls must lie below its frame.
template <class T>
[[gnu::noinline]] extend::typed_layout datatype_of_content(T const& x) {
  require_mpi_runs();
  extend::typed_layout found;
  {
    std::lock_guard const guard(making_boost_datatypes());
    boost::mpi::content const content = boost::mpi::get_content(x);
    found = from_mpi(content.get_mpi_datatype());
  }
  refuse_data_of_ended_calls(found.form(), __builtin_frame_address(0));
  return found;
}

}  // namespace argosy::detail

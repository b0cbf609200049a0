// Data that Boost.MPI can send: classes that have a datatype there, and the contents of lists and
// trees. Opt-in: needs Boost.MPI and Boost.Serialization.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/datatype/buffer.hpp>
#include <argosy/datatype/detail/boost_mpi.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/memory.hpp>

namespace argosy {

// Describes a class by the datatype of Boost.MPI: is_mpi_datatype<T> is true, and serialize() names
// the members. This is a specialisation of `describe`, and not a call of its own, because such a
// class then works wherever a described class does:
//   f.set_view(0, io::packed(io::type<particle>));
//   f.write_all(particles);
// A description by a function `describe` or a specialisation for the class is used instead, if
// there is one. This one is used instead of that by the aggregate header. Include this header
// before the first use of the class.
//
// The form is known at run time only. Its first use for a class calls MPI and makes a default
// object, later uses do neither. It throws invalid_layout outside of MPI_Init ... MPI_Finalize, and
// if serialize() names data outside of the object. As data of a call, that is an error of the call.
// An array has the stride sizeof(T).
template <detail::sent_by_boost T>
struct describe<T> : detail::description_of_boost<T> {};
template <detail::sent_by_boost T>
  requires detail::plain_aggregate<T>
struct describe<T> : detail::description_of_boost<T> {};

// Returns the buffer of the content of x: all numbers that its serialization reaches, in that
// order, without its skeleton (sizes, pointers, class ids). The object may be a list, a tree, or
// anything else that boost::mpi::get_content takes.
//   std::list<double> found;
//   f.write(io::content_of(found));
//   f.read(io::content_of(again));      a list of the same length
// Local. If x is const, the content can be written only. The file has no skeleton, so an object
// that is read into must have the same skeleton before.
//
// Does not throw itself: the buffer throws when it is used, and a call reports the error. It throws
// invalid_layout outside of MPI_Init ... MPI_Finalize. It also throws invalid_layout if the archive
// was given a value that is not in the object: Boost.Serialization copies enums, and the elements
// of std::vector<bool>. An exception of serialize() is stored in the same way.
//
// Valid until x is destroyed or its structure changes. It changes if nodes are inserted or erased,
// a container is resized, or a pointer is set. Values may change. A changed structure cannot be
// detected: a call then reads or writes memory that is no longer the object's. An array of 2^31
// elements or more is beyond Boost.MPI, and cannot be detected, either.
//
// Costs O(blocks) memory and time, where numbers of one array are one block.
template <class T>
auto content_of(T& x) {
  using byte = detail::byte_like<T>;
  return detail::described_buffer([&]() -> detail::basic_buffer<byte> {
    return memory(static_cast<byte*>(nullptr), detail::datatype_of_content(x));
  });
}
// Does not compile: a temporary dies before its data is used.
template <class T>
void content_of(T const&& x) = delete;

}  // namespace argosy

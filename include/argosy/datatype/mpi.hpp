// MPI's datatypes as typed layouts, and layouts as MPI's datatypes. Opt-in: needs MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include <mpi.h>

#include <argosy/datatype/typed_layout.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

// Returns the normal form of a committed MPI datatype, and the types along its stream. Its bounds
// are MPI's own, which pad records as the compiler would. A view and a call take it like any
// datatype. Local. The MPI datatype may be freed afterwards.
//   io::layout const l = io::from_mpi(MPI_DOUBLE_INT);      resized(bytes(12), 0, 16)
//   f.set_view(0, io::from_mpi(MPI_DOUBLE), io::from_mpi(column), io::external32);
// Data is converted by external32 or a representation of the user like data of C++ types. In a
// converting file, items have the sizes of the representation. Displacements in bytes and bounds
// set by hand are not scaled, pairs such as MPI_DOUBLE_INT are adjacent, and nothing is padded.
//
// Does not throw invalid_layout itself: the result throws it when it is used. This happens for
// MPI_DATATYPE_NULL, for a datatype that is not committed (if MPI reports that), and outside of
// MPI_Init ... MPI_Finalize. It also happens for a named type of unknown size. If an MPI call fails
// and its error handler returns, the text is MPI's message.
//
// A named type with unknown items is bytes, until a representation has to convert it. Every
// combiner is decoded. Costs O(the description): a subarray or darray of any size is a few nested
// repeats.
extend::typed_layout from_mpi(MPI_Datatype type);

// Owns an MPI datatype, and frees it unless MPI is finalized before.
class mpi_datatype {
 public:
  mpi_datatype() noexcept = default;
  // Takes over the ownership of a datatype.
  explicit mpi_datatype(MPI_Datatype owned) noexcept : type_(owned) {}
  mpi_datatype(mpi_datatype&& other) noexcept
      : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  mpi_datatype& operator=(mpi_datatype&& other) noexcept {
    mpi_datatype(std::move(other)).swap(*this);
    return *this;
  }
  ~mpi_datatype();

  // Returns the MPI datatype. Valid as long as this object.
  MPI_Datatype get() const noexcept { return type_; }
  // Returns the MPI datatype, and gives up its ownership: the caller frees it.
  MPI_Datatype release() noexcept { return std::exchange(type_, MPI_DATATYPE_NULL); }
  void swap(mpi_datatype& other) noexcept { std::swap(type_, other.type_); }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Returns a committed MPI datatype of the same bytes in the same order, with the same bounds.
// from_mpi turns it back into an equal layout. Its elements are MPI_BYTE, so both sides must have
// the same representation of data. Numbers beyond 2^31 are split into nested types. A part that is
// used in several places is built once.
//   MPI_Send(u, 1, io::to_mpi(io::subarray({ny, nx}, {ny - 2, nx - 2}, {1, 1},
//                                          io::type<double>).form()).get(), ...);
// Local. Throws invalid_layout outside of MPI_Init ... MPI_Finalize, and if an MPI call fails and
// its error handler returns. Costs O(nodes).
mpi_datatype to_mpi(layout const& l);

}  // namespace argosy

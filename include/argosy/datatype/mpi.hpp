// MPI's datatypes as typed layouts, and layouts as MPI's datatypes. Opt-in: needs MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include <mpi.h>

#include <argosy/datatype/typed_layout.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

// The normal form of a committed MPI datatype, with MPI's own bounds (which pad records as the
// compiler would), and the types along its stream: a view and a call take it for any datatype, and
// external32 or a representation of the user converts its data as that of C++ types. In a file that
// converts, items have the sizes there; displacements in bytes and bounds set by hand stay as they
// are, pairs such as MPI_DOUBLE_INT lie side by side, and nothing is padded. Decodes every
// combiner; costs O(the description): a subarray or darray of any size is a few nested repeats.
//   io::layout const l = io::from_mpi(MPI_DOUBLE_INT);      resized(bytes(12), 0, 16)
//   f.set_view(0, io::from_mpi(MPI_DOUBLE), io::from_mpi(column), io::external32);
// Local. What it returns throws invalid_layout, when it is asked for anything, for
// MPI_DATATYPE_NULL and what is not committed (where MPI says so), outside of MPI_Init ...
// MPI_Finalize, for a named type whose bytes are not known, and with MPI's message where an MPI
// call fails and its error handler returns. A named type whose items are not known is bytes, until
// a representation has to convert it.
typed_layout from_mpi(MPI_Datatype type);

// Owns an MPI datatype and frees it, unless MPI is finalized by then.
class mpi_datatype {
 public:
  mpi_datatype() noexcept = default;
  explicit mpi_datatype(MPI_Datatype owned) noexcept : type_(owned) {}
  mpi_datatype(mpi_datatype&& other) noexcept
      : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  mpi_datatype& operator=(mpi_datatype&& other) noexcept {
    mpi_datatype(std::move(other)).swap(*this);
    return *this;
  }
  ~mpi_datatype();

  MPI_Datatype get() const noexcept { return type_; }
  MPI_Datatype release() noexcept { return std::exchange(type_, MPI_DATATYPE_NULL); }
  void swap(mpi_datatype& other) noexcept { std::swap(type_, other.type_); }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// A committed MPI datatype of the same bytes in the same order, with the same bounds: from_mpi
// gives the layout back. Its elements are MPI_BYTE, so it fits wherever both sides have one
// representation of data. Numbers beyond 2^31 are split into nested types; a part that stands in
// several places is built once.
//   MPI_Send(u, 1, io::to_mpi(io::subarray({ny, nx}, {ny - 2, nx - 2}, {1, 1},
//   io::type<double>).form()).get(), ...);
// Local. Costs O(nodes). Throws as from_mpi.
mpi_datatype to_mpi(layout const& l);

}  // namespace argosy

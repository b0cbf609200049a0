// MPI's datatypes as this library uses them: each is taken apart once, and the result kept with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include <argosy/datatype/basic.hpp>
#include <argosy/datatype/typed_layout.hpp>

namespace argosy::mpiio {

struct known_type {
  argosy::typed_layout form;
  std::string fault = {};  // why it cannot be used; then nothing else counts
  std::int64_t size = 0;
  bool dense = false;  // copies of it are bytes side by side, from the address on
  // If they are also items of one basic type: how many in a copy. 0: they are not.
  basic item = basic::byte;
  std::int64_t items = 0;
};

// Valid until the datatype is freed or, for one that cannot be used, until this thread asks again.
known_type const& known(MPI_Datatype type);

// A datatype that is kept for MPI_File_get_view: a duplicate, or the predefined one itself.
class kept_type {
 public:
  explicit kept_type(MPI_Datatype type);
  kept_type(kept_type&& other) noexcept;
  kept_type& operator=(kept_type&& other) noexcept;
  ~kept_type();

  // As MPI_File_get_view hands it out: the caller frees it, unless it is predefined.
  MPI_Datatype handed_out() const;

 private:
  MPI_Datatype type_;
  bool owned_;
};

}  // namespace argosy::mpiio

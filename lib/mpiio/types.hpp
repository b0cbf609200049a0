// MPI's datatypes for this library. Each is decoded once, and the result is cached with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include <mpi.h>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/typed_layout.hpp>

namespace argosy::mpiio {

struct known_type {
  argosy::extend::typed_layout form;
  std::string fault = {};  // why it cannot be used; if set, no other member counts
  std::int64_t size = 0;
  bool dense = false;  // true if copies of it are adjacent bytes, from the address on
  // The number of items in a copy, if all are of one basic type, otherwise 0.
  basic_type item = basic_type::byte;
  std::int64_t items = 0;
};

// Returns the decoded datatype. Valid until the datatype is freed. For a datatype that cannot be
// used, valid until this thread calls again.
known_type const& known(MPI_Datatype type);

// A datatype that is stored for MPI_File_get_view: a duplicate, or the predefined datatype itself.
class kept_type {
 public:
  explicit kept_type(MPI_Datatype type);
  kept_type(kept_type&& other) noexcept;
  kept_type& operator=(kept_type&& other) noexcept;
  ~kept_type();

  // Returns it as MPI_File_get_view does: the caller frees it, unless it is predefined.
  MPI_Datatype handed_out() const;

 private:
  MPI_Datatype type_;
  bool owned_;
};

}  // namespace argosy::mpiio

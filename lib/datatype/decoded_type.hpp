// A decoded MPI datatype: the parts that it is made of, without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <argosy/datatype/stream_types.hpp>
#include <argosy/layout/layout.hpp>

#include "mpi_calls.hpp"
#include "named_types.hpp"

namespace argosy::detail {

// Returns the layout of a datatype that one of MPI's constructors makes of others. `old(i)` is the
// layout of the i-th.
layout combined(mpi_calls::contents const& how,
                std::function<layout const&(std::size_t)> const& old);

// One of the datatypes of which another is made.
struct decoded_part {
  mpi_calls::contents how;          // its handles are no longer used
  std::vector<std::uint32_t> olds;  // numbers of other parts
  std::int64_t copies = 0;          // copies of its only old; unused in a struct
  std::vector<item_run> items;      // items of a predefined type
  std::string unknown;              // the name of a type with unknown items

  bool is_struct() const {
    return how.combiner == MPI_COMBINER_STRUCT || how.combiner == mpi_calls::struct_integer;
  }
  bool is_predefined() const { return olds.empty() && !is_struct(); }
};

// Parts stand before the parts that use them. The last one is the whole.
class decoded_type : public type_source {
 public:
  explicit decoded_type(std::vector<decoded_part> parts) : parts_(std::move(parts)) {}

  signature const& types() const override;
  // Returns the form that the same calls of MPI's constructors would make for other sizes of items.
  // Displacements in bytes and bounds set by hand are not scaled. The members of MPI's pairs are
  // adjacent, and there is no padding, which depends on the machine.
  layout file_form(basic_sizes const& sizes) const override;

 private:
  signature types_now() const;

  std::vector<decoded_part> parts_;
  mutable std::once_flag asked_;
  mutable signature types_;
};

}  // namespace argosy::detail

// An MPI datatype that was taken apart: what it is made of, without MPI.
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

// The layout of a datatype made of others by one of MPI's constructors; `old(i)` is that of the
// i-th.
layout combined(mpi_calls::contents const& how,
                std::function<layout const&(std::size_t)> const& old);

// One datatype among those that another is made of.
struct decoded_part {
  mpi_calls::contents how;          // its handles are not used any more
  std::vector<std::uint32_t> olds;  // numbers of other parts
  std::int64_t copies = 0;          // of the one old that it has, unless it is a struct
  std::vector<item_run> items;      // of a predefined type
  std::string unknown;              // the name of one whose items are not known

  bool is_struct() const {
    return how.combiner == MPI_COMBINER_STRUCT || how.combiner == mpi_calls::struct_integer;
  }
  bool is_predefined() const { return olds.empty() && !is_struct(); }
};

// Parts stand before what is made of them; the last one is the whole.
class decoded_type : public type_source {
 public:
  explicit decoded_type(std::vector<decoded_part> parts) : parts_(std::move(parts)) {}

  signature const& types() const override;
  // As the same calls of MPI's constructors would make it where items have other sizes:
  // displacements in bytes and bounds set by hand as they are, the members of MPI's pairs side by
  // side, and no padding, which depends on the machine.
  layout file_form(basic_sizes const& sizes) const override;

 private:
  signature types_now() const;

  std::vector<decoded_part> parts_;
  mutable std::once_flag asked_;
  mutable signature types_;
};

}  // namespace argosy::detail

// The texts of errors about darrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/datatype/detail/deal.hpp>
#include <argosy/layout/detail/linked.hpp>

namespace argosy::detail {

[[noreturn]] ARGOSY_ONCE void throw_grid_differs(std::int64_t given, std::size_t dimensions) {
  throw_invalid("darray", "the grid has " + std::to_string(given) +
                              " dimensions, but the array has " + std::to_string(dimensions) +
                              "; give one grid dimension for each of the array");
}

[[noreturn]] ARGOSY_ONCE void throw_deal(deal_fault fault, std::size_t i, std::int64_t size,
                                         std::int64_t processes, distribute::rule r) {
  auto const index = "[" + std::to_string(i) + "]";
  auto const n = std::to_string(size), p = std::to_string(processes),
             k = std::to_string(r.size == no_number::zero ? 0 : r.size);
  switch (fault) {
    case deal_fault::size:
      throw_negative_element("darray", "size", i, size);
    case deal_fault::grid:
      throw_invalid("darray", "grid" + index + " is " + p + "; give 1 or more processes");
    case deal_fault::rule_size:
      if (r.size == no_number::too_large) throw_no_number(r.size, 1);
      throw_invalid("darray", "the block size of dimension " + std::to_string(i) + " is " + k +
                                  "; give 1 or more");
    case deal_fault::none_is_dealt:
      throw_invalid("darray", "distribution" + index + " is none, but grid" + index + " is " + p +
                                  "; give 1 process there, or another distribution");
    default:
      throw_invalid("darray", "distribution" + index + " is block(" + k + "), but " + p +
                                  " blocks do not cover size" + index + " = " + n +
                                  "; give block(" +
                                  std::to_string((size + processes - 1) / processes) +
                                  ") or more, or leave the block size out");
  }
}

}  // namespace argosy::detail

// The arithmetic of darray: the indices of a dimension that belong to a coordinate of the grid, and
// the faults.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <argosy/datatype/detail/box.hpp>
#include <argosy/datatype/distribute.hpp>

namespace argosy::detail {

enum class deal_fault { no_fault, size, grid, rule_size, block_too_small, none_is_dealt };

constexpr deal_fault check_deal(std::int64_t size, std::int64_t processes, distribute::rule r) {
  if (size < 0) return deal_fault::size;
  if (processes < 1) return deal_fault::grid;
  if (r.size < 0) return deal_fault::rule_size;
  if (r.kind == distribute::kind::none && processes != 1) return deal_fault::none_is_dealt;
  // The condition is r.size * processes < size, without overflow.
  if (r.kind == distribute::kind::block && r.size > 0 &&
      (size + processes - 1) / processes > r.size)
    return deal_fault::block_too_small;
  return deal_fault::no_fault;
}

[[noreturn]] void throw_grid_differs(std::int64_t given, std::size_t dimensions);
[[noreturn]] void throw_deal(deal_fault fault, std::size_t i, std::int64_t size,
                             std::int64_t processes, distribute::rule r);

// Adds one dimension: the part of coordinate `c` of `processes`.
constexpr void deal(array_form& array, std::int64_t size, std::int64_t processes, std::int64_t c,
                    distribute::rule r) {
  switch (r.kind) {
    case distribute::kind::none:
      return array.add_box(size, size, 0);
    case distribute::kind::block: {
      std::int64_t const block =
          r.size > 0 ? r.size : size / processes + (size % processes != 0 ? 1 : 0);
      std::int64_t const start = block == 0 || c > size / block ? size : std::min(size, c * block);
      return array.add_box(size, std::min(block, size - start), start);
    }
    case distribute::kind::cyclic:
      break;
  }
  // A block as long as the dimension is one block. The limit keeps the products below within 64
  // bits for a sane array.
  std::int64_t const block = std::clamp<std::int64_t>(r.size, 1, std::max<std::int64_t>(size, 1));
  array.add_cyclic(size, block, mul(c, block), mul(processes, block));
}

// Returns the fault that the types of a darray show, or no_fault if the numbers are not known from
// the types.
template <class Sizes, class Rules, class Grid>
constexpr deal_fault known_deal_fault() {
  if constexpr (Sizes::static_size != std::dynamic_extent ||
                Grid::static_size != std::dynamic_extent) {
    constexpr std::size_t dimensions = common_size<Sizes, Grid>();
    for (std::size_t i = 0; i < dimensions; ++i) {
      auto const size = known_list<Sizes>::at(i), processes = known_list<Grid>::at(i);
      distribute::rule r{distribute::kind::cyclic, 0};  // fits everything
      if constexpr (are_fixed_rules<Rules>) r = Rules{}[i];
      if (!size && r.kind == distribute::kind::block) r.size = 0;
      if (!processes && r.kind != distribute::kind::cyclic) r = {distribute::kind::cyclic, 0};
      auto const fault = check_deal(size.value_or(0), processes.value_or(1), r);
      if (fault != deal_fault::no_fault) return fault;
    }
  }
  return deal_fault::no_fault;
}

// Returns the number of processes of a grid that is all in the type, otherwise 0.
template <class Grid>
constexpr std::int64_t known_processes() {
  if constexpr (is_fixed_list<Grid>) {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < Grid::static_size; ++i) product = mul(product, Grid{}[i]);
    return product;
  } else {
    return 0;
  }
}

}  // namespace argosy::detail

#ifndef ARGOSY_LINKED
#include <argosy/datatype/detail/deal_faults.hpp>
#endif

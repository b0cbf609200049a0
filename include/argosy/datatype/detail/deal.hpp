// The arithmetic of darray: the indices of a dimension that belong to a coordinate of the grid, and
// the faults.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
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

// Returns the block of a cyclic rule. A block as long as the dimension is one block. The limit
// keeps products within 64 bits for a sane array.
constexpr std::int64_t cyclic_block(std::int64_t size, distribute::rule r) {
  return std::clamp<std::int64_t>(r.size, 1, std::max<std::int64_t>(size, 1));
}

// The indices of a dimension that belong to one coordinate: the first, and how many there are.
struct dealt_indices {
  std::int64_t start, count;
};

// Returns the indices of coordinate `c` of `processes`.
constexpr dealt_indices dealt_to(std::int64_t size, std::int64_t processes, std::int64_t c,
                                 distribute::rule r) {
  if (r.kind == distribute::kind::none) return {0, size};
  if (r.kind == distribute::kind::block) {
    std::int64_t const block =
        r.size > 0 ? r.size : size / processes + (size % processes != 0 ? 1 : 0);
    std::int64_t const start = block == 0 || c > size / block ? size : std::min(size, c * block);
    return {start, std::min(block, size - start)};
  }
  std::int64_t const block = cyclic_block(size, r), start = mul(c, block),
                     period = mul(processes, block), rest = size > start ? size - start : 0;
  return {start, rest / period * block + std::min(block, rest % period)};
}

// Adds one dimension: the part of coordinate `c` of `processes`.
constexpr void deal(array_form& array, std::int64_t size, std::int64_t processes, std::int64_t c,
                    distribute::rule r) {
  dealt_indices const part = dealt_to(size, processes, c, r);
  if (r.kind != distribute::kind::cyclic) return array.add_box(size, part.count, part.start);
  std::int64_t const block = cyclic_block(size, r);
  array.add_cyclic(size, block, part.start, mul(processes, block));
}

// The rule of a dimension, as far as its type shows it. The default value faults nowhere, and
// neither does the default size of a rule that has a size of run time.
template <class Rule>
inline constexpr distribute::rule known_rule{distribute::kind::cyclic, 0};
template <distribute::kind Kind>
inline constexpr distribute::rule known_rule<distribute::default_rule<Kind>>{Kind, 0};
template <distribute::kind Kind, class Size>
inline constexpr distribute::rule known_rule<distribute::kind_rule<Kind, Size>>{
    Kind, known_number<Size>().value_or(0)};

template <class Rules>
struct known_rules_of {
  static constexpr distribute::rule at(std::size_t) { return known_rule<void>; }
};
template <class Rule>
struct known_rules_of<rule_for_all<Rule>> {
  static constexpr distribute::rule at(std::size_t) { return known_rule<Rule>; }
};
template <class... Rules>
struct known_rules_of<distribute::rule_list<Rules...>> {
  static constexpr distribute::rule at(std::size_t i) {
    std::array<distribute::rule, sizeof...(Rules)> const all{known_rule<Rules>...};
    return i < all.size() ? all[i] : known_rule<void>;
  }
};

// Returns the fault that the types of a darray show, or no_fault if the numbers are not known from
// the types. Each dimension is looked at by itself.
template <class Sizes, class Rules, class Grid>
constexpr deal_fault known_deal_fault() {
  constexpr std::size_t dimensions = common_size<Sizes, Grid>();
  if constexpr (dimensions != std::dynamic_extent)
    for (std::size_t i = 0; i < dimensions; ++i) {
      auto const size = known_list<Sizes>::at(i), processes = known_list<Grid>::at(i);
      distribute::rule r = known_rules_of<Rules>::at(i);
      if (!size && r.kind == distribute::kind::block) r.size = std::min<std::int64_t>(r.size, 0);
      if (!processes && r.kind != distribute::kind::cyclic) r = known_rule<void>;
      auto const fault = check_deal(size.value_or(0), processes.value_or(1), r);
      if (fault != deal_fault::no_fault) return fault;
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

// The reasons of collective plans. A plan keeps their numbers, which become words when somebody
// reads them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/reason_text.hpp>
#include <argosy/policy/access_summary.hpp>

namespace argosy::detail {

// The comparison of a plan with separate access, in microseconds.
struct compared_prices {
  std::int64_t together_us = 0, alone_us = 0;
  bool together = false;  // true if that is cheaper
};

// The numbers of a reason, by their places.
struct reason_number {
  enum : std::size_t { ranks, pieces, span, bytes, equal_work, layers, together_us, alone_us, way };
  // Values of `way`.
  enum : std::int64_t { not_compared, alone, together };
};

inline std::string words_of_plan(reason_text::numbers const& n, std::string_view prices) {
  using at = reason_number;
  std::string words = counted(n[at::ranks], "rank") + ", " + counted(n[at::pieces], "piece") +
                      " in " + std::to_string(n[at::span]) + " bytes of the file, " +
                      std::to_string(n[at::bytes]) + " of them wanted";
  if (n[at::equal_work] != 0) words += "; domains of equal work";
  if (n[at::layers] > 1) words += "; what ranks of a node send elsewhere is put together";
  if (n[at::way] == at::not_compared) return words;
  return words +
         (n[at::way] == at::together ? "; together takes about "
                                     : "; each by itself: together would take about ") +
         std::to_string(n[at::together_us]) + " us, alone " + std::to_string(n[at::alone_us]) +
         " us, by the prices of " + std::string(prices);
}

// Returns the numbers of a plan for these requests that was not compared, or was.
constexpr reason_text::numbers numbers_of_plan(access_summary const& all, bool equal_work = false,
                                               std::int64_t layers = 1) {
  return {all.ranks, all.pieces, all.span(), all.bytes, equal_work, layers};
}
constexpr reason_text::numbers numbers_of_plan(access_summary const& all, bool equal_work,
                                               std::int64_t layers, compared_prices const& by) {
  return {
      all.ranks,      all.pieces,  all.span(),
      all.bytes,      equal_work,  layers,
      by.together_us, by.alone_us, by.together ? reason_number::together : reason_number::alone};
}

}  // namespace argosy::detail

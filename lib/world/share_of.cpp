// Implements world/share_of.hpp: sums of counts, and the errors of invalid counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/share_of.hpp>

#include <string>

#include <argosy/error/error.hpp>

namespace argosy::detail {

counted_elements counted_elements::of(std::int64_t count, int rank) {
  if (count < 0) return {.wrong_rank = rank, .wrong = count};
  auto const n = static_cast<std::uint64_t>(count);
  return {.high = n >> 32, .low = n & 0xffff'ffff};
}

std::int64_t sum_of(counted_elements const& all, int rank) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  std::uint64_t const high = all.high + (all.low >> 32), low = all.low & 0xffff'ffff;
  agreement a;
  if (all.wrong_rank != std::numeric_limits<int>::max()) {
    a.failed_rank = all.wrong_rank;
    a.code = make_error_code(rank == all.wrong_rank ? errc::argument : errc::error_on_another_rank);
    a.detail = all.wrong == std::numeric_limits<std::int64_t>::min()
                   ? "the number of elements does not fit into 64 bits; give one below 2^63"
                   : "the number of elements is " + std::to_string(all.wrong) + "; give 0 or more";
  } else if (high > static_cast<std::uint64_t>(largest) >> 32) {
    a.code = make_error_code(errc::argument);
    a.detail = "all ranks together have 2^63 elements or more; give fewer";
  } else {
    return static_cast<std::int64_t>(high << 32 | low);
  }
  a.cause = make_error_code(errc::argument);
  throw error(a, "share_of", {}, rank);
}

}  // namespace argosy::detail

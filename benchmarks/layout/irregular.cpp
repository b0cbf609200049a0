// Blocks at random places: every second slot of a file, dealt in any order.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <argosy/layout.hpp>

#include "cases.hpp"

namespace contest {
namespace {

template <int Length>
void enter_blocks() {
  constexpr std::int64_t count = (256 << 10) / Length;
  auto const offsets = std::make_shared<std::vector<std::int64_t>>(2 * count);
  std::iota(offsets->begin(), offsets->end(), 0);
  std::shuffle(offsets->begin(), offsets->end(), std::mt19937_64(1));
  offsets->resize(count);
  for (std::int64_t& o : *offsets) o *= Length;
  std::vector<MPI_Aint> const displacements(offsets->begin(), offsets->end());
  MPI_Datatype type;
  MPI_Type_create_hindexed_block(static_cast<int>(count), Length / 8, displacements.data(),
                                 MPI_DOUBLE, &type);
  committed(type);
  enter_both(
      "random/" + std::to_string(Length) + "B/blocks", argosy::table(*offsets, Length), type,
      [offsets](std::byte const* __restrict from, std::byte* __restrict to) {
        std::int64_t const* const at = offsets->data();
        for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * Length, from + at[i], Length);
      },
      [offsets](std::byte const* __restrict from, std::byte* __restrict to) {
        std::int64_t const* const at = offsets->data();
        for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + at[i], from + i * Length, Length);
      });
}

}  // namespace

void enter_irregular() {
  enter_blocks<8>();
  enter_blocks<64>();
}

}  // namespace contest

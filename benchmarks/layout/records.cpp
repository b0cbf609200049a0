// Two members of a record, for many records, whose number is known at run time or at compile time.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>

#include <argosy/datatype.hpp>

#include "cases.hpp"

namespace contest {
namespace {

namespace io = argosy;

struct particle {
  double x, y, z;
  std::int32_t id, kind;
};
using chosen = io::members<&particle::x, &particle::id>;

}  // namespace

void enter_records() {
  constexpr std::int64_t count = 16384;
  std::array<int, 2> const lengths{1, 1};
  std::array<MPI_Aint, 2> const displacements{offsetof(particle, x), offsetof(particle, id)};
  std::array<MPI_Datatype, 2> const types{MPI_DOUBLE, MPI_INT32_T};
  MPI_Datatype one, padded, all;
  MPI_Type_create_struct(2, lengths.data(), displacements.data(), types.data(), &one);
  MPI_Type_create_resized(one, 0, sizeof(particle), &padded);
  MPI_Type_contiguous(static_cast<int>(count), padded, &all);
  committed(all);
  auto const pack_loop = [](std::byte const* __restrict from, std::byte* __restrict to) {
    auto const* const p = reinterpret_cast<particle const*>(from);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + 12 * i, &p[i].x, 8);
      std::memcpy(to + 12 * i + 8, &p[i].id, 4);
    }
  };
  auto const unpack_loop = [](std::byte const* __restrict from, std::byte* __restrict to) {
    auto* const p = reinterpret_cast<particle*>(to);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&p[i].x, from + 12 * i, 8);
      std::memcpy(&p[i].id, from + 12 * i + 8, 4);
    }
  };
  std::int64_t volatile n = count;
  enter_both("members/8B/of_n_records", io::flatten(io::contiguous(std::int64_t{n}, chosen{})), all,
             pack_loop, unpack_loop);
  enter_both("static_members/8B/of_16384_records",
             io::flatten(io::contiguous(io::constant<count>, chosen{})), all, pack_loop,
             unpack_loop);
}

}  // namespace contest

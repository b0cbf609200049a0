// Pieces of one length at a distance of twice their length, known at run time and at compile time.
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <argosy/datatype.hpp>

#include "cases.hpp"

namespace contest {
namespace {

namespace io = argosy;

constexpr std::int64_t data_bytes = 256 << 10;

// The unit in which an MPI program would count.
template <int Length>
MPI_Datatype unit_type() {
  if constexpr (Length == 1)
    return MPI_BYTE;
  else if constexpr (Length == 4)
    return MPI_INT;
  else
    return MPI_DOUBLE;
}

template <int Length, std::int64_t Bytes = data_bytes>
void enter_length(std::string const& suffix = "") {
  constexpr std::int64_t count = Bytes / Length;
  constexpr int unit = Length < 8 ? Length : 8;
  MPI_Datatype type;
  MPI_Type_vector(static_cast<int>(count), Length / unit, 2 * Length / unit, unit_type<Length>(),
                  &type);
  committed(type);
  auto const pack_loop = [](std::byte const* __restrict from, std::byte* __restrict to) {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * Length, from + i * 2 * Length, Length);
  };
  auto const unpack_loop = [](std::byte const* __restrict from, std::byte* __restrict to) {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * 2 * Length, from + i * Length, Length);
  };
  std::string const name = std::to_string(Length) + "B" + suffix;
  std::int64_t volatile n = count;
  enter_both("stride/" + name, io::repeat(n, 2 * Length, io::bytes(Length)), type, pack_loop,
             unpack_loop);
  enter_both("static_stride/" + name,
             io::flatten(io::hvector(io::constant<count>, io::constant<Length>,
                                     io::constant<2 * Length>, io::type<char>)),
             type, pack_loop, unpack_loop);
}

}  // namespace

void enter_strided() {
  enter_length<1>();
  enter_length<4>();
  enter_length<8>();
  enter_length<16>();
  enter_length<64>();
  enter_length<256>();
  enter_length<1024>();
  enter_length<8192>();
  enter_length<8, 64 << 20>("/64MiB");
  enter_length<1024, 64 << 20>("/64MiB");
}

}  // namespace contest

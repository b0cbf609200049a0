// The cases of bench_layout, by the shape of their data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include <argosy/layout.hpp>

#include "contest.hpp"

namespace contest {

// Scattered memory, the stream, and what the stream should be; shared by all contestants of a case.
struct buffers {
  std::vector<std::byte> memory, stream, expected_stream, expected_memory;

  explicit buffers(argosy::layout const& l);
  bool packed() const { return stream == expected_stream; }
  bool unpacked() const { return memory == expected_memory; }
};

// An MPI datatype that lives until MPI is finalized, as the cases do.
inline MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

// Pack and unpack of one layout: `pack_loop` and `unpack_loop` are what an expert writes for it. `Flat` is what
// io::flatten gave: a layout, a static layout or one of elements.
template <class Flat, class PackLoop, class UnpackLoop>
void enter_both(std::string const& name, Flat const& flat, MPI_Datatype type, PackLoop pack_loop, UnpackLoop unpack_loop) {
  argosy::layout const& l = flat;
  std::int64_t const bytes = l.size();
  auto const b = std::make_shared<buffers>(l);
  auto const mpi_bytes = static_cast<int>(bytes);
  enter({name + "/pack", bytes, [b, flat] { argosy::pack(flat, b->memory.data(), b->stream.data()); },
         [b, pack_loop] { pack_loop(b->memory.data(), b->stream.data()); },
         [b, type, mpi_bytes] {
           int position = 0;
           MPI_Pack(b->memory.data(), 1, type, b->stream.data(), mpi_bytes, &position, MPI_COMM_SELF);
         },
         [b, bytes] { std::memcpy(b->stream.data(), b->memory.data(), static_cast<std::size_t>(bytes)); },
         [b] { return std::exchange(b->stream, std::vector<std::byte>(b->stream.size())) == b->expected_stream; }});
  auto const u = std::make_shared<buffers>(l);
  u->stream = u->expected_stream;
  std::fill(u->memory.begin(), u->memory.end(), std::byte{0});
  enter({name + "/unpack", bytes, [u, flat] { argosy::unpack(flat, u->stream.data(), u->memory.data()); },
         [u, unpack_loop] { unpack_loop(u->stream.data(), u->memory.data()); },
         [u, type, mpi_bytes] {
           int position = 0;
           MPI_Unpack(u->stream.data(), mpi_bytes, &position, u->memory.data(), 1, type, MPI_COMM_SELF);
         },
         [u, bytes] { std::memcpy(u->memory.data(), u->stream.data(), static_cast<std::size_t>(bytes)); },
         [u] { return std::exchange(u->memory, std::vector<std::byte>(u->memory.size())) == u->expected_memory; }});
}

void enter_strided();    // pieces of one length at twice their length
void enter_arrays();     // interior of a block, BTIO cells, block-cyclic matrices
void enter_records();    // two members of a record
void enter_irregular();  // random blocks
void enter_copies();     // layout to layout
void enter_seeks();      // finding a place

}  // namespace contest

// The cases of bench_layout, by the shape of their data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include <argosy/layout.hpp>

#include "entry.hpp"

namespace contest {

// Scattered memory, the stream, and the expected stream. All contestants of a case share them.
struct buffers {
  std::vector<std::byte> memory, stream, expected_stream, expected_memory;

  explicit buffers(argosy::layout const& l);
};

inline void wipe(std::vector<std::byte>& bytes) {
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
}

inline bool matched_and_wiped(std::vector<std::byte>& bytes,
                              std::vector<std::byte> const& expected) {
  bool const matched = bytes == expected;
  wipe(bytes);
  return matched;
}

// Commits an MPI datatype. It lives until MPI is finalized, as the cases do.
inline MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

// Packs and unpacks one layout. `pack_loop` and `unpack_loop` are the loops that an expert writes
// for it. `Flat` is the result of io::flatten: a layout, a static layout, or a layout of elements.
template <class Flat, class PackLoop, class UnpackLoop>
void enter_both(std::string const& name, Flat const& flat, MPI_Datatype type, PackLoop pack_loop,
                UnpackLoop unpack_loop) {
  auto const mpi_bytes = static_cast<int>(argosy::layout(flat).size());
  enter(name + "/pack", [=] {
    auto const b = std::make_shared<buffers>(flat);
    entry e;
    e.bytes = mpi_bytes;
    e.argosy = [=] { argosy::pack(flat, b->memory.data(), b->stream.data()); };
    e.loop = [=] { pack_loop(b->memory.data(), b->stream.data()); };
    e.mpi = [=] {
      int position = 0;
      MPI_Pack(b->memory.data(), 1, type, b->stream.data(), mpi_bytes, &position, MPI_COMM_SELF);
    };
    e.copy = [=] { std::memcpy(b->stream.data(), b->memory.data(), b->stream.size()); };
    e.check = [=] { return matched_and_wiped(b->stream, b->expected_stream); };
    return e;
  });
  enter(name + "/unpack", [=] {
    auto const b = std::make_shared<buffers>(flat);
    b->stream = b->expected_stream;
    wipe(b->memory);
    entry e;
    e.bytes = mpi_bytes;
    e.argosy = [=] { argosy::unpack(flat, b->stream.data(), b->memory.data()); };
    e.loop = [=] { unpack_loop(b->stream.data(), b->memory.data()); };
    e.mpi = [=] {
      int position = 0;
      MPI_Unpack(b->stream.data(), mpi_bytes, &position, b->memory.data(), 1, type, MPI_COMM_SELF);
    };
    e.copy = [=] { std::memcpy(b->memory.data(), b->stream.data(), b->stream.size()); };
    e.check = [=] { return matched_and_wiped(b->memory, b->expected_memory); };
    return e;
  });
}

void enter_strided();    // pieces of one length at twice their length
void enter_arrays();     // interior of a block, BTIO cells, block-cyclic matrices
void enter_records();    // two members of a record
void enter_irregular();  // random blocks
void enter_copies();     // layout to layout
void enter_seeks();      // finding a place

}  // namespace contest

// Reads and writes of a rank's part of a dataset whose chunks have any places in the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/format/array_part.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>
#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::detail {

// The chunks as one range of bytes, one behind the other, with elements of the program.
zarr_grid hdf5_grid(hdf5_dataset const& d, hdf5_place const& p, dtype const& element);

// Reads a rank's part, each chunk that it touches. The table of chunks must be known. Local.
failure read_hdf5_chunks(hdf5_read const& read, hdf5_dataset const& d, hdf5_place const& p,
                         array_part const& part, buffer const& into);

// Chunks from `first` on, before `end`.
struct hdf5_chunk_range {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), end = 0;
};

// Ranks agree on it before they write chunks.
struct hdf5_write_extent {
  hdf5_chunk_range chunks;  // that any rank touches
  int threads = 1;          // the most threads of a rank that encode
  void combine(hdf5_write_extent const& other) noexcept {
    chunks.first = std::min(chunks.first, other.chunks.first);
    chunks.end = std::max(chunks.end, other.chunks.end);
    threads = std::max(threads, other.threads);
  }
};

// A chunk that was written, and its number.
struct hdf5_written_chunk {
  std::int64_t number = 0;
  hdf5_chunk chunk = {};
};

// Memory for the encoding of a chunk, to be used again: the result, and what a filter makes of it.
struct hdf5_space {
  std::vector<std::byte> now, next;
};

// One collective write of encoded chunks. Each chunk has one owner, which gets all bytes of it and
// encodes it. Owners do so in rounds, because the memory of a rank is limited. All functions are
// local.
class hdf5_chunk_writes {
 public:
  // The file, the dataset and the data must outlive this object.
  hdf5_chunk_writes(hdf5_dataset const& d, hdf5_place const& p, array_part const& part,
                    const_buffer const& from);

  // Returns the chunks that this rank's part touches.
  hdf5_chunk_range touched() const;
  // Begins the rounds, and returns how many there are.
  std::int64_t begin(hdf5_write_extent const& all, int rank, int ranks) noexcept;
  // Returns the bytes of this rank for other ranks that own chunks in a round. They are kept until
  // the next round, which uses their memory again.
  std::vector<parcel> const& send(std::int64_t round);
  // Encodes this rank's chunks of a round, on threads. Chunks that exist are read first, because
  // the parts may not cover them.
  failure encode(std::int64_t round, std::vector<parcel> const& parts, hdf5_read const& read,
                 int threads);
  // Returns the encoded chunks of the round, one behind the other.
  std::vector<std::byte> const& bytes() const noexcept { return bytes_; }
  // Says where these bytes are written.
  void place(std::int64_t address);
  // Returns all chunks that this rank has written.
  std::vector<hdf5_written_chunk> const& written() const noexcept { return written_; }

 private:
  hdf5_chunk_range chunks_of(int rank, std::int64_t round) const noexcept;
  std::int64_t first_of(int rank) const noexcept;
  std::vector<std::span<std::byte const>> put_together(hdf5_chunk_range mine,
                                                       std::vector<parcel> const& parts,
                                                       hdf5_read const& read);
  void encode_some(std::span<std::span<std::byte const> const> chunks, std::int64_t first,
                   int threads);
  std::span<std::byte> room_of(std::size_t i);
  std::span<std::byte const> dense(std::int64_t begin) const;

  hdf5_dataset const& dataset_;
  hdf5_place const& place_;
  const_buffer const& from_;
  zarr_grid grid_;
  zarr_selection selection_;
  layout memory_;
  hdf5_chunk_range all_ = {0, 0};
  int rank_ = 0, ranks_ = 1;
  std::int64_t in_round_ = 1;
  std::vector<parcel> sent_;
  std::size_t rooms_ = 0;           // chunks of this rank in a round
  std::vector<std::byte> room_;     // their memory
  std::vector<hdf5_space> spaces_;  // for chunks that are encoded at the same time
  std::vector<std::byte> bytes_;
  std::size_t unplaced_ = 0;  // the first chunk of the round in written_
  std::vector<hdf5_written_chunk> written_;
};

}  // namespace argosy::detail

// The costs of a Zarr array: the encoding that has been done, and a prediction of a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/extend.hpp>
#include <argosy/plan/collective_plan.hpp>

namespace argosy {

// The encoding and decoding of one rank since it opened an array. A regular value.
//
//   io::zarr_encoding const e = z.encoding();
//   std::cout << e.encoded.ratio() << " : 1 in " << e.encoded.seconds << " s\n";
struct zarr_encoding {
  struct work {
    std::int64_t chunks = 0;
    std::int64_t bytes = 0;         // the bytes of the chunks
    std::int64_t stored_bytes = 0;  // the bytes of the encoded chunks
    double seconds = 0;             // from start to end; threads at the same time count once
    double thread_seconds = 0;      // the sum over the threads
    // Returns bytes of chunks for each stored byte, or 0 if there are none.
    double ratio() const noexcept {
      return stored_bytes > 0 ? static_cast<double>(bytes) / static_cast<double>(stored_bytes) : 0;
    }

    friend bool operator==(work const&, work const&) = default;
  };
  work encoded = {}, decoded = {};
  int threads = 1;  // most threads that work at the same time, with that of the caller

  friend bool operator==(zarr_encoding const&, zarr_encoding const&) = default;
};

// Returns a line for each kind of work. Local.
std::string to_string(zarr_encoding const& e);

// A prediction of a collective call: which rank encodes which shards, and its memory. A regular
// value.
struct zarr_plan {
  // The shards from first_shard to last_shard, in the order of the file. Each is one file. A rank
  // has several such ranges if shards are dealt round robin, as data_shipping does.
  struct owner {
    int rank = 0;
    std::int64_t first_shard = 0, last_shard = 0;

    friend bool operator==(owner const&, owner const&) = default;
  };
  collective_plan file = {};       // the plan of the linear space
  std::vector<owner> owners = {};  // empty if each rank goes by itself
  std::int64_t shards = 0;         // the number in the whole array
  std::int64_t chunks_in_shard = 1;
  std::int64_t shard_bytes = 0, chunk_bytes = 0;  // decoded
  // The shards of this rank's part, and those of them that the part does not fill. If ranks go by
  // themselves, these are read before they are written.
  std::int64_t own_shards = 0, cut_shards = 0;
  std::int64_t memory_bytes = 0;  // most memory of an owner, for windows and encoded chunks
  int threads = 1;                // the threads of this rank, for encoding
  // The time by the prices of storage and codecs, in nanoseconds, right within a factor of two or
  // three. If each rank has whole shards, the time of this rank.
  double expected_ns = 0;

  friend bool operator==(zarr_plan const&, zarr_plan const&) = default;
};

// Returns the prediction as text for people. Local.
std::string to_string(zarr_plan const& p);

}  // namespace argosy

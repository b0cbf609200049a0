// The blocks of a checkpoint with codecs. Ranks encode them in rounds, and a handle decodes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <argosy/datatype/buffer.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/file/views.hpp>
#include <argosy/format/checkpoint_header.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/world/parcel.hpp>

namespace argosy::detail {

// One rank's part of an array.
struct block_source {
  layout file = {};  // places in the array
  const_buffer const* data = nullptr;
  bool everywhere = false;  // all ranks have the whole array
};

// The end of a round. Ranks reduce it to the first block that is too much for one of them.
struct round_end {
  std::int64_t block = std::numeric_limits<std::int64_t>::max();
  void combine(round_end const& other) noexcept { block = std::min(block, other.block); }
};

// Bytes that all ranks write.
struct round_bytes {
  std::int64_t all = 0;
  void combine(round_bytes const& other) noexcept { all += other.all; }
};

// Checks the codecs of a header, and the size of its blocks. Local.
failure fault_of_codecs(checkpoint_header const& h);

// One collective write of encoded blocks, in rounds, because the memory of a rank is limited. In a
// round each block has one owner, which gets all bytes of it and encodes it. Blocks are numbered
// through all arrays. All functions are local.
class block_writes {
 public:
  // The header and the sources' data must outlive this object. Precondition: fault_of_codecs()
  // accepts the header.
  block_writes(checkpoint_header const& h, std::vector<block_source> all, int rank, int ranks,
               int threads);
  ~block_writes();
  block_writes(block_writes const&) = delete;
  block_writes& operator=(block_writes const&) = delete;

  // Returns true if all blocks are written, on all ranks at the same time.
  bool done() const noexcept;
  // Returns the end of the next round, as far as the memory of this rank allows.
  round_end reach() const;
  // Begins a round, and returns the bytes of this rank for the owners of its blocks.
  std::vector<parcel> send(round_end until);
  // Encodes this rank's blocks of the round. Returns a failure if the parts of the ranks do not
  // cover one of them exactly once.
  failure encode(std::vector<parcel> const& parcels);
  // Returns the bytes of this rank's encoded blocks.
  std::int64_t bytes() const noexcept;
  // Ends the round. Returns what this rank writes if its encoded blocks begin at `place`: these and
  // their part of the table. Valid until the next round.
  std::vector<viewed_source> written(std::int64_t place);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// The header of a file with codecs, and the last block that was decoded.
class decoded_blocks;

std::shared_ptr<decoded_blocks> new_decoded_blocks();
// Returns an opener of the same files. When decode_from_now_on() was called, its handles read the
// decoded blocks: bytes of an array from the place on that its header says.
opener decoding_opener(opener files, std::shared_ptr<decoded_blocks> of);
// Returns a failure if this build does not have the codecs. Local.
failure decode_from_now_on(decoded_blocks& of, checkpoint_header const& h, int threads);
// Returns the reason of the last error of a handle, or an empty string. Local.
std::string reason_in(decoded_blocks const& of);

}  // namespace argosy::detail

// The chunks and shards of a Zarr array as one range of bytes: the decoded shards one behind the
// other, each with its chunks in order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <argosy/datatype/order.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/format/zarr_header.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

// The numbers of chunks and shards. All chunks and shards have their full size in the linear space,
// also those that reach beyond the array.
class zarr_grid {
 public:
  zarr_grid() = default;
  // Precondition: complete() accepts the header.
  explicit zarr_grid(zarr_header const& h);

  std::vector<std::int64_t> const& shape() const noexcept { return shape_; }
  std::size_t dimensions() const noexcept { return shape_.size(); }
  std::int64_t item_bytes() const noexcept { return item_bytes_; }
  std::int64_t chunk_bytes() const noexcept { return chunk_bytes_; }
  std::int64_t shard_bytes() const noexcept { return chunk_bytes_ * chunks_in_shard_; }
  std::int64_t chunks_in_shard() const noexcept { return chunks_in_shard_; }
  std::int64_t shards() const noexcept { return shards_; }
  std::int64_t bytes() const noexcept { return shards_ * shard_bytes(); }
  std::vector<std::int64_t> const& chunk() const noexcept { return chunk_; }

  // Returns the name of a shard below the directory of the array: "c/0/1".
  std::string name_of(std::int64_t shard, zarr_options const& how) const;

  // Returns the linear offset of an element.
  std::int64_t offset_of(std::span<std::int64_t const> index) const;

 private:
  friend class zarr_selection;
  std::vector<std::int64_t> shape_, shard_, chunk_;
  std::vector<std::int64_t> counts_;  // shards along each dimension
  std::vector<std::int64_t> inner_;   // chunks of a shard along each dimension
  std::int64_t item_bytes_ = 1, chunk_bytes_ = 1, chunks_in_shard_ = 1, shards_ = 1;
};

// Returns a failure if the numbers of an array's bytes, with whole shards, are beyond 2^61.
failure fits_zarr_grid(zarr_header const& h);

// A box of chunks or shards: from `low` on, before `high`.
struct zarr_box {
  static constexpr std::size_t most_dimensions = 8;
  std::array<std::int64_t, most_dimensions> low = filled(INT64_MAX), high = filled(0);

  // Makes it the box around both.
  void combine(zarr_box const& other) noexcept {
    for (std::size_t k = 0; k < most_dimensions; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }

 private:
  static constexpr std::array<std::int64_t, most_dimensions> filled(std::int64_t n) {
    std::array<std::int64_t, most_dimensions> all{};
    all.fill(n);
    return all;
  }
};

// A rank's part of the array, as a layout of the linear space. The layout is in order, so its
// stream is not that of the part. The selection also has the places of its bytes in that stream.
//
// A box has a regular layout of at most 5^d parts, and of 3^d if chunks are not in shards. It is
// made without a list. Any other part has a list of its pieces.
class zarr_selection {
 public:
  zarr_selection() = default;
  // `part`: the bytes of the part in the array without chunks, in the order `o`.
  zarr_selection(zarr_grid const& grid, layout const& part, order o);

  // Returns the bytes in the linear space. Its extent is the whole space.
  layout const& file() const noexcept { return file_; }
  // Returns the layout of memory in the order of file(). `memory` is its layout in the order of the
  // part.
  layout memory(layout const& memory) const;
  bool is_box() const noexcept { return box_; }
  // Return true if the part is a box, or empty, and has each chunk or shard wholly or not at all.
  // Chunks and shards count without what lies beyond the array.
  bool has_whole_chunks() const noexcept;
  bool has_whole_shards() const noexcept;
  // Return the chunks or shards in which the box has elements. Precondition: it is a box.
  zarr_box chunks() const noexcept { return boxed(grid_.chunk_); }
  zarr_box shards() const noexcept { return boxed(grid_.shard_); }
  std::size_t dimensions() const noexcept { return grid_.dimensions(); }

 private:
  struct strides {
    std::vector<std::int64_t> shard, chunk, element;
    std::int64_t first = 0;
  };
  struct range {
    std::int64_t low, high;
  };
  void find_box(layout const& part, order o);
  bool begins_and_ends_at(std::vector<std::int64_t> const& parts) const noexcept;
  zarr_box boxed(std::vector<std::int64_t> const& parts) const noexcept;
  std::vector<std::int64_t> index_at(std::int64_t offset, order o) const;
  layout whole_part(std::vector<std::int64_t> const& steps) const;
  std::vector<std::int64_t> stream_steps() const;
  strides in_file() const;
  strides in_memory(std::vector<std::int64_t> const& steps) const;
  layout shards_of(strides const& s, std::size_t k, std::vector<range>& within) const;
  layout chunks_of(strides const& s, std::size_t k, std::vector<range> const& shard,
                   std::vector<range>& within) const;
  layout elements_of(strides const& s, std::vector<range> const& within) const;
  void list(layout const& part, order o);

  zarr_grid grid_;
  order order_ = order::c;
  bool box_ = false;
  std::vector<std::int64_t> low_, high_;  // the box
  layout file_, stream_;
};

}  // namespace argosy::detail

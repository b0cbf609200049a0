// Implements block_writes of format/detail/encoded_blocks.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/encoded_blocks.hpp>

#include <cstring>
#include <span>
#include <utility>

#include <argosy/format/detail/block_shares.hpp>
#include <argosy/layout/layout.hpp>

#include "block_codec.hpp"
#include "piece_parcel.hpp"
#include "zarr/chunk_crew.hpp"
#include "zarr/codec_settings.hpp"
#include "zarr/crc32c.hpp"

namespace argosy::detail {

namespace {

// The bytes that a rank sends or receives in a round, at most, unless a block is larger.
constexpr std::int64_t round_limit = std::int64_t{16} << 20;

// Blocks of one array.
struct block_range {
  std::size_t array = 0;
  std::int64_t first = 0, end = 0;  // numbers in the array
};

}  // namespace

struct block_writes::state {
  checkpoint_header const& header;
  std::vector<block_source> sources;
  int rank, ranks, threads;
  std::vector<std::int64_t> starts = {0};  // the number of the first block of each array
  std::vector<chunk_codec> codecs = {};    // one for each array
  std::int64_t begin = 0, end = 0;         // blocks of the round
  std::vector<std::byte> bytes = {}, table = {};
  std::int64_t table_begin = 0;  // the first block in `table`

  // Calls `use` for each array that has blocks in this range.
  template <class Use>
  void for_arrays(std::int64_t from, std::int64_t to, Use&& use) const {
    auto const next = std::ranges::upper_bound(starts, from);
    for (auto i = static_cast<std::size_t>(next - starts.begin()) - 1;
         i < sources.size() && starts[i] < to; ++i) {
      block_range const r{i, std::max(from, starts[i]) - starts[i],
                          std::min(to, starts[i + 1]) - starts[i]};
      if (r.first < r.end) use(r);
    }
  }
  // Returns the stream of this rank's bytes in the blocks of an array.
  std::pair<std::int64_t, std::int64_t> stream_of(block_range const& r) const {
    layout const& file = sources[r.array].file;
    return {file.bytes_before(r.first * header.block_bytes),
            file.bytes_before(r.end * header.block_bytes)};
  }
  // Returns the bytes that this rank sends to others if the round has these blocks.
  std::int64_t sent(std::int64_t from, std::int64_t to) const {
    std::int64_t all = 0;
    for_arrays(from, to, [&](block_range const& r) {
      if (sources[r.array].everywhere) return;
      auto const [first, last] = stream_of(r);
      all += last - first;
    });
    return all;
  }
  std::pair<std::int64_t, std::int64_t> owned_by(int owner) const {
    block_shares const shares(end - begin, rank, ranks);
    return {begin + shares.first(owner), begin + shares.first(owner + 1)};
  }
  // Copies the pieces into `room`, and adds up what they cover.
  std::vector<block_part> gather(std::vector<parcel> const& parcels, std::span<std::byte> room,
                                 std::size_t count) const {
    std::vector<block_part> parts(count);
    for (parcel const& p : parcels)
      for_pieces(p, [&](std::int64_t offset, std::span<std::byte const> piece) {
        std::memcpy(room.data() + offset, piece.data(), piece.size());
        for (std::int64_t left = std::ssize(piece); left > 0;) {
          std::int64_t const at = offset % header.block_bytes,
                             n = std::min(left, header.block_bytes - at);
          block_part& part = parts[static_cast<std::size_t>(offset / header.block_bytes)];
          part.cover += cover_of_piece(at, at + n);
          part.length += n;
          offset += n;
          left -= n;
        }
      });
    return parts;
  }
};

failure fault_of_codecs(checkpoint_header const& h) {
  if (h.codecs.empty()) return {};
  if (h.codecs.size() > most_codecs)
    return {errc::argument, "a checkpoint has at most " + std::to_string(most_codecs) + " codecs"};
  if (h.block_bytes < least_encoded_block || h.block_bytes > most_encoded_block)
    return {errc::argument, "encoded blocks have " + std::to_string(least_encoded_block) +
                                " bytes to 64 MiB, and not " + std::to_string(h.block_bytes)};
  for (zarr_codec c : h.codecs) {
    using kind = zarr_codec::kind;
    if (c.what() != kind::gzip && c.what() != kind::zstd && c.what() != kind::blosc &&
        c.what() != kind::crc32c)
      return {errc::unsupported, "checkpoints have no codec '" + std::string(c.name()) + "'",
              "use gzip, zstd, blosc or crc32c"};
    if (failure f = complete_codec(c, 1)) return f;
  }
  return {};
}

block_writes::block_writes(checkpoint_header const& h, std::vector<block_source> all, int rank,
                           int ranks, int threads)
    : state_(new state{h, std::move(all), rank, ranks, threads}) {
  for (checkpoint_array const& a : h.arrays) {
    state_->starts.push_back(state_->starts.back() + h.blocks(a));
    state_->codecs.push_back(codec_of_blocks(h, a.type.bytes));
  }
}

block_writes::~block_writes() = default;

bool block_writes::done() const noexcept { return state_->end == state_->starts.back(); }

round_end block_writes::reach() const {
  state const& s = *state_;
  std::int64_t const each = std::max<std::int64_t>(1, round_limit / s.header.block_bytes);
  std::int64_t low = s.end + 1, high = std::min(s.starts.back(), s.end + each * s.ranks);
  while (low < high) {  // `low` is allowed, and all numbers above `high` are not
    std::int64_t const middle = low + (high - low + 1) / 2;
    if (s.sent(s.end, middle) <= round_limit)
      low = middle;
    else
      high = middle - 1;
  }
  return {low};
}

std::vector<parcel> block_writes::send(round_end until) {
  state& s = *state_;
  s.begin = std::exchange(s.end, until.block);
  std::int64_t const size = s.header.block_bytes;
  std::vector<parcel> all;
  for (int owner = 0; owner < s.ranks; ++owner) {
    auto const [first, last] = s.owned_by(owner);
    parcel p{owner, {}};
    piece_writer message(p);
    s.for_arrays(first, last, [&](block_range const& r) {
      block_source const& from = s.sources[r.array];
      if (from.everywhere && owner != s.rank) return;  // the owner has them
      auto const [b, e] = s.stream_of(r);
      if (b < e)
        message.add(from.file, (s.starts[r.array] - first) * size, from.data->form(),
                    from.data->address(), b, e);
    });
    if (message.finish()) all.push_back(std::move(p));
  }
  return all;
}

failure block_writes::encode(std::vector<parcel> const& parcels) {
  state& s = *state_;
  auto const [first, last] = s.owned_by(s.rank);
  auto const count = static_cast<std::size_t>(last - first),
             size = static_cast<std::size_t>(s.header.block_bytes);
  std::vector<std::byte> room(count * size);
  std::vector<block_part> const parts = s.gather(parcels, room, count);
  struct one_block {
    std::size_t array = 0;
    std::span<std::byte const> decoded, encoded;
    codec_space space;
    std::uint32_t sum = 0;
  };
  std::vector<one_block> blocks(count);
  failure why;
  s.for_arrays(first, last, [&](block_range const& r) {
    checkpoint_array const& a = s.header.arrays[r.array];
    for (std::int64_t b = r.first; b < r.end; ++b) {
      auto const i = static_cast<std::size_t>(s.starts[r.array] + b - first);
      blocks[i].array = r.array;
      blocks[i].decoded = std::span(room).subspan(
          i * size, static_cast<std::size_t>(bytes_of_block(s.header, a, b)));
      why.keep(fault_of_cover(s.header, a, b, parts[i]));
    }
  });
  if (why) return why;
  for_each_at_once(count, threads_for_blocks(s.header, count, s.threads), [&](std::size_t i) {
    blocks[i].encoded = s.codecs[blocks[i].array].encode(blocks[i].decoded, blocks[i].space);
    blocks[i].sum = checksum_of(blocks[i].decoded);
  });
  s.bytes.clear();
  s.table.resize(count * static_cast<std::size_t>(table_entry_bytes));
  s.table_begin = first;
  std::byte* entry = s.table.data();
  for (one_block const& b : blocks) {
    put_little(static_cast<std::uint64_t>(s.bytes.size()), entry);
    put_little(static_cast<std::uint32_t>(b.encoded.size()), entry + 8);
    put_little(b.sum, entry + 12);
    entry += table_entry_bytes;
    s.bytes.insert(s.bytes.end(), b.encoded.begin(), b.encoded.end());
  }
  return {};
}

std::int64_t block_writes::bytes() const noexcept { return std::ssize(state_->bytes); }

std::vector<viewed_source> block_writes::written(std::int64_t place) {
  state& s = *state_;
  std::vector<viewed_source> all;
  if (s.table.empty()) return all;
  for (std::size_t at = 0; at < s.table.size(); at += table_entry_bytes)
    put_little(little<std::uint64_t>(s.table.data() + at) + static_cast<std::uint64_t>(place),
               s.table.data() + at);
  std::int64_t const entries = s.header.arrays.front().sums + s.table_begin * table_entry_bytes;
  all.push_back({argosy::view(entries, argosy::bytes(1)), s.table});
  all.push_back({argosy::view(place, argosy::bytes(1)), s.bytes});
  return all;
}

}  // namespace argosy::detail

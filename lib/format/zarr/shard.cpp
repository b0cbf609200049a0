// Implements shard.hpp: the index of a shard, and its reader.
// SPDX-License-Identifier: BSD-3-Clause
#include "shard.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

#include "crc32c.hpp"

namespace argosy::detail {

namespace {

constexpr std::uint64_t missing = std::numeric_limits<std::uint64_t>::max();

std::size_t place_of_chunk(std::int64_t chunk) { return static_cast<std::size_t>(16 * chunk); }

}  // namespace

shard_index::shard_index(std::int64_t chunks)
    : places_(static_cast<std::size_t>(16 * chunks), std::byte{0xff}) {}

bool shard_index::parse(std::vector<std::byte> bytes, bool checksum, std::string& why) {
  if (checksum) {
    std::size_t const n = bytes.size() - 4;
    if (crc32c(std::span(bytes).first(n)) != little<std::uint32_t>(bytes.data() + n)) {
      why = "the checksum of its index differs";
      return false;
    }
    bytes.resize(n);
  }
  places_ = std::move(bytes);
  return true;
}

std::optional<chunk_place> shard_index::find(std::int64_t chunk) const noexcept {
  std::byte const* const at = places_.data() + place_of_chunk(chunk);
  auto const offset = little<std::uint64_t>(at), bytes = little<std::uint64_t>(at + 8);
  if (offset == missing && bytes == missing) return {};
  // Numbers of 2^63 and more are negative, which the reader refuses.
  return chunk_place{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes)};
}

void shard_index::set(std::int64_t chunk, chunk_place where) noexcept {
  std::byte* const at = places_.data() + place_of_chunk(chunk);
  put_little(static_cast<std::uint64_t>(where.offset), at);
  put_little(static_cast<std::uint64_t>(where.bytes), at + 8);
}

std::vector<std::byte> shard_index::bytes(bool checksum) const {
  std::vector<std::byte> all = places_;
  if (checksum) {
    all.resize(all.size() + 4);
    put_little(crc32c(places_), all.data() + places_.size());
  }
  return all;
}

std::error_code damaged_shard(zarr_store const& s, std::int64_t shard, std::string const& how) {
  s.words->set("'" + s.grid.name_of(shard, s.header.options) + "' is damaged: " + how);
  return errc::damaged;
}

std::error_code shard_reader::damaged(std::string const& how) const {
  return damaged_shard(store_, shard_, how);
}

std::error_code shard_reader::open(std::int64_t shard) {
  shard_ = shard;
  decoded_ = -1;
  std::error_code error;
  file_ = store_.files(store_.path_of(shard), {.read = true, .may_be_missing = true}, error);
  exists_ = !error;
  if (error) return classify(error) == errc::no_such_file ? std::error_code() : error;
  size_ = file_.size(error);
  return error ? error : read_index();
}

std::error_code shard_reader::read_at(std::int64_t offset, std::span<std::byte> into) {
  io_result const got = file_.read(offset, into);
  if (got.error) return got.error;
  return got.bytes == std::ssize(into) ? std::error_code() : damaged("the file became shorter");
}

std::error_code shard_reader::read_index() {
  zarr_options const& how = store_.header.options;
  if (how.shards.empty()) {
    index_ = shard_index(1);
    index_.set(0, {0, size_});
    return {};
  }
  std::int64_t const bytes =
      shard_index::bytes_of(store_.grid.chunks_in_shard(), how.index_checksum);
  if (size_ < bytes)
    return damaged("it has " + std::to_string(size_) + " bytes, and its index alone has " +
                   std::to_string(bytes));
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  if (auto const error = read_at(how.index_at_start ? 0 : size_ - bytes, all)) return error;
  std::string why;
  return index_.parse(std::move(all), how.index_checksum, why) ? std::error_code() : damaged(why);
}

std::error_code shard_reader::encoded(std::int64_t chunk,
                                      std::optional<std::vector<std::byte>>& into) {
  auto const where = exists_ ? index_.find(chunk) : std::nullopt;
  if (!where) return into.reset(), std::error_code();
  if (where->offset < 0 || where->bytes < 0 || where->offset > size_ ||
      where->bytes > size_ - where->offset)
    return damaged("chunk " + std::to_string(chunk) + " lies beyond its end");
  if (where->bytes > store_.codec.most_encoded_bytes())
    return damaged("chunk " + std::to_string(chunk) + " has " + std::to_string(where->bytes) +
                   " bytes, which are too many");
  if (!into) into.emplace();
  into->resize(static_cast<std::size_t>(where->bytes));
  return read_at(where->offset, *into);
}

std::error_code shard_reader::read(std::int64_t chunk, std::int64_t within,
                                   std::span<std::byte> into) {
  auto const where = exists_ ? index_.find(chunk) : std::nullopt;
  if (!where) return store_.fill(into, within), std::error_code();
  std::int64_t const all = store_.grid.chunk_bytes();
  if (store_.codec.is_plain() && where->bytes == all && where->offset >= 0 &&
      where->offset <= size_ - all)
    return read_at(where->offset + within, into);
  if (decoded_ != chunk && std::ssize(into) == all) return decode(chunk, *where, into);
  if (decoded_ != chunk) {
    chunk_.resize(static_cast<std::size_t>(all));
    decoded_ = -1;
    if (auto const error = decode(chunk, *where, chunk_)) return error;
    decoded_ = chunk;
  }
  std::memcpy(into.data(), chunk_.data() + within, into.size());
  return {};
}

std::error_code shard_reader::decode(std::int64_t chunk, chunk_place, std::span<std::byte> into) {
  std::optional<std::vector<std::byte>> bytes(std::move(encoded_));
  if (auto const error = encoded(chunk, bytes)) return error;
  encoded_ = *std::move(bytes);
  std::string why;
  auto const begun = std::chrono::steady_clock::now();
  bool const well = store_.codec.decode(encoded_, into, space_, why);
  std::chrono::duration<double> const time = std::chrono::steady_clock::now() - begun;
  store_.counts->add(zarr_counts::decoding,
                     {1, std::ssize(into), std::ssize(encoded_), time.count(), time.count()});
  if (well) return {};
  return damaged("chunk " + std::to_string(chunk) + ": " + why);
}

}  // namespace argosy::detail

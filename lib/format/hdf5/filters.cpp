// Implements filters.hpp, and what hdf5_filter.hpp declares.
// SPDX-License-Identifier: BSD-3-Clause
#include "filters.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../zarr/compression.hpp"
#include "bytes.hpp"

namespace argosy {

std::string_view hdf5_filter::name() const noexcept {
  switch (what_) {
    case kind::shuffle:
      return "shuffle";
    case kind::deflate:
      return "deflate";
    case kind::zstd:
      return "zstd";
    case kind::fletcher32:
      break;
  }
  return "fletcher32";
}

bool hdf5_filter::is_available() const noexcept {
  if (what_ == kind::deflate) return detail::has_zlib();
  if (what_ == kind::zstd) return detail::has_zstd();
  return true;
}

namespace detail::hdf5 {

namespace {

struct named_filter {
  int id;
  std::string_view name;
};
// The filters that programs use most, with the names that their documents give.
constexpr named_filter known_filters[] = {{deflate_id, "deflate"},
                                          {shuffle_id, "shuffle"},
                                          {fletcher32_id, "fletcher32"},
                                          {4, "szip"},
                                          {5, "nbit"},
                                          {6, "scaleoffset"},
                                          {307, "bzip2"},
                                          {32000, "lzf"},
                                          {32001, "blosc"},
                                          {32004, "lz4"},
                                          {32008, "bitshuffle"},
                                          {32013, "zfp"},
                                          {zstd_id, "zstd"},
                                          {32026, "blosc2"}};

std::vector<std::byte> shuffled(std::span<std::byte const> from, std::size_t element, bool back) {
  std::vector<std::byte> to(from.begin(), from.end());
  std::size_t const n = element > 1 ? from.size() / element : 0;
  for (std::size_t k = 0; k < element && n > 1; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      if (back)
        to[i * element + k] = from[k * n + i];
      else
        to[k * n + i] = from[i * element + k];
    }
  return to;  // bytes of a last element that is not whole stay where they are
}

// Fletcher's checksum of 16-bit words, as the library of HDF5 computes it.
std::uint32_t fletcher32(std::span<std::byte const> data) noexcept {
  std::uint32_t low = 0, high = 0;
  auto const fold = [](std::uint32_t n) { return (n & 0xffff) + (n >> 16); };
  std::size_t i = 0, in_block = 0;
  auto const add = [&](std::uint32_t word) {
    low += word;
    high += low;
    if (++in_block < 360) return;  // the sums have no room for more
    low = fold(low), high = fold(high), in_block = 0;
  };
  for (; i + 1 < data.size(); i += 2)
    add(std::to_integer<std::uint32_t>(data[i]) << 8 | std::to_integer<std::uint32_t>(data[i + 1]));
  if (i < data.size()) {
    low = fold(low), high = fold(high), in_block = 0;
    add(std::to_integer<std::uint32_t>(data[i]) << 8);
  }
  return fold(fold(high)) << 16 | fold(fold(low));
}

std::size_t element_of(hdf5_step const& s) { return s.values.empty() ? 1 : s.values[0]; }

void encode_step(hdf5_step const& s, std::span<std::byte const> from, std::vector<std::byte>& to) {
  bool well = true;
  int const level = s.values.empty() ? 0 : static_cast<int>(s.values[0]);
  switch (s.id) {
    case shuffle_id:
      to = shuffled(from, element_of(s), false);
      break;
    case deflate_id:
      well = zlib_compress(from, level, to);
      break;
    case zstd_id:
      well = zstd_compress(from, level, false, to);
      break;
    default: {
      writer all;
      all.bytes(from).number(fletcher32(from), 4);
      to = std::move(all.all());
    }
  }
  if (!well)
    throw std::runtime_error("argosy: the library of the filter " + std::string(filter_name(s.id)) +
                             " failed");
}

std::vector<std::byte> decode_step(hdf5_step const& s, std::vector<std::byte> from,
                                   std::size_t most) {
  if (s.id == shuffle_id) return shuffled(from, element_of(s), true);
  if (s.id == fletcher32_id) {
    if (from.size() < 4) throw_damaged("a chunk has no checksum (fletcher32)");
    std::span const data = std::span(from).first(from.size() - 4);
    taker sum{std::span(from).last(4), "a chunk"};
    if (sum.number(4) != fletcher32(data))
      throw_damaged("the checksum of a chunk (fletcher32) differs");
    from.resize(data.size());
    return from;
  }
  std::vector<std::byte> to(most);
  std::ptrdiff_t const n =
      s.id == deflate_id ? zlib_decompress(from, to) : zstd_decompress(from, to);
  if (n < 0)
    throw_damaged("the bytes of a chunk are no valid " + std::string(filter_name(s.id)) +
                  " data of a chunk");
  to.resize(static_cast<std::size_t>(n));
  return to;
}

}  // namespace

std::string_view filter_name(int id) {
  auto const found = std::ranges::find(known_filters, id, &named_filter::id);
  return found == std::end(known_filters) ? "of an unknown kind" : found->name;
}

hdf5_step step_of(hdf5_filter const& f, std::int64_t element_bytes) {
  switch (f.what()) {
    case hdf5_filter::kind::shuffle:
      return {shuffle_id, {static_cast<std::uint32_t>(element_bytes)}};
    case hdf5_filter::kind::deflate:
      return {deflate_id, {static_cast<std::uint32_t>(f.level())}};
    case hdf5_filter::kind::zstd:
      return {zstd_id, {static_cast<std::uint32_t>(f.level())}};
    case hdf5_filter::kind::fletcher32:
      break;
  }
  return {fletcher32_id, {}};
}

hdf5_filter filter_of(hdf5_step const& s) {
  int const level = s.values.empty() ? 0 : static_cast<int>(s.values[0]);
  hdf5_filter const f = s.id == shuffle_id   ? hdf5_filter::shuffle()
                        : s.id == deflate_id ? hdf5_filter::deflate(level)
                        : s.id == zstd_id    ? hdf5_filter::zstd(level)
                                             : hdf5_filter::fletcher32();
  bool const known =
      s.id == shuffle_id || s.id == deflate_id || s.id == zstd_id || s.id == fletcher32_id;
  if (!known)
    throw_unsupported("the filter " + std::string(filter_name(s.id)) + " (" + std::to_string(s.id) +
                      ")");
  if (!f.is_available())
    throw unreadable{{errc::unsupported,
                      "the filter " + std::string(f.name()) + ", which this build does not have",
                      "build argosy with the library of that filter"}};
  return f;
}

std::span<std::byte const> encoded(std::vector<hdf5_step> const& steps,
                                   std::span<std::byte const> chunk, hdf5_space& space) {
  std::span<std::byte const> now = chunk;
  for (hdf5_step const& s : steps) {
    encode_step(s, now, space.next);
    std::swap(space.now, space.next);
    now = space.now;
  }
  return now;
}

void decode(std::vector<hdf5_step> const& steps, std::uint32_t left_out,
            std::vector<std::byte> bytes, std::span<std::byte> chunk) {
  // Checksums add a little, and data that cannot be compressed becomes a little longer.
  std::size_t const most = chunk.size() + chunk.size() / 8 + 4096;
  for (std::size_t k = steps.size(); k-- > 0;)
    if ((left_out >> k & 1) == 0) bytes = decode_step(steps[k], std::move(bytes), most);
  if (bytes.size() != chunk.size())
    throw_damaged("a chunk has " + std::to_string(bytes.size()) + " bytes and not " +
                  std::to_string(chunk.size()));
  std::ranges::copy(bytes, chunk.begin());
}

}  // namespace detail::hdf5
}  // namespace argosy

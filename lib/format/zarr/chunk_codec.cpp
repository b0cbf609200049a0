// Implements chunk_codec.hpp, and what zarr_codec.hpp declares.
// SPDX-License-Identifier: BSD-3-Clause
#include "chunk_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "compression.hpp"
#include "crc32c.hpp"

namespace argosy {

std::string_view zarr_codec::name() const noexcept {
  switch (what_) {
    case kind::bytes:
      return "bytes";
    case kind::transpose:
      return "transpose";
    case kind::gzip:
      return "gzip";
    case kind::zstd:
      return "zstd";
    case kind::blosc:
      return "blosc";
    case kind::zlib:
      return "zlib";
    case kind::crc32c:
      break;
  }
  return "crc32c";
}

bool zarr_codec::is_available() const noexcept {
  if (what_ == kind::gzip || what_ == kind::zlib) return detail::has_zlib();
  if (what_ == kind::blosc) return detail::has_blosc();
  if (what_ == kind::zstd) return detail::has_zstd();
  return true;
}

namespace detail {

namespace {

using step_kind = zarr_codec::kind;

// Data that cannot be compressed becomes a little longer.
std::int64_t most_after(zarr_codec const& step, std::int64_t bytes) {
  return step.what() == step_kind::crc32c ? bytes + 4 : bytes + bytes / 8 + 4096;
}

// The price of encoding at levels up to this one.
struct price_to_level {
  int level = 0;
  double ns = 0;
};

template <std::size_t N>
double price_of_level(price_to_level const (&prices)[N], int level) noexcept {
  for (price_to_level const& p : prices)
    if (level <= p.level) return p.ns;
  return prices[N - 1].ns;
}

codec_prices price_of(zarr_codec const& step) noexcept {
  constexpr price_to_level zlib[] = {{0, 1}, {1, 17}, {5, 40}, {8, 90}, {9, 300}};
  constexpr price_to_level zstd[] = {{-1, 3}, {4, 6}, {8, 15}, {11, 40}, {16, 150}, {22, 1000}};
  int const level = step.level();
  switch (step.what()) {
    case step_kind::gzip:
    case step_kind::zlib:
      return {price_of_level(zlib, level), 5};
    case step_kind::zstd:
      return {price_of_level(zstd, level), 2};
    case step_kind::blosc: {
      std::string const& inner = step.compressor();
      if (inner == "zlib") return {price_of_level(zlib, level), 4};
      return inner == "zstd" ? codec_prices{6, 1} : codec_prices{1, 0.5};
    }
    case step_kind::transpose:
      return {1, 1};
    case step_kind::crc32c:
      return {0.2, 0.2};
    case step_kind::bytes:
      break;
  }
  return {};
}

void compress(zarr_codec const& step, std::span<std::byte const> from,
              std::vector<std::byte>& into) {
  bool well = true;
  switch (step.what()) {
    case step_kind::gzip:
      well = gzip_compress(from, step.level(), into);
      break;
    case step_kind::zstd:
      well = zstd_compress(from, step.level(), step.checksum(), into);
      break;
    case step_kind::blosc:
      well = blosc_compress(from,
                            {step.compressor(), step.level(), static_cast<int>(step.shuffling()),
                             step.item_bytes(), step.block_bytes()},
                            into);
      break;
    case step_kind::zlib:  // arrays of version 2 are read only
      well = false;
      break;
    default:
      into.assign(from.begin(), from.end());
      into.resize(from.size() + 4);
      put_little(crc32c(from), into.data() + from.size());
      break;
  }
  if (!well)
    throw std::runtime_error("argosy: the library of the codec " + std::string(step.name()) +
                             " failed");
}

// Returns the number of bytes, or -1 and the reason.
std::ptrdiff_t decompress(zarr_codec const& step, std::span<std::byte const> from,
                          std::span<std::byte> into, std::string& why) {
  std::ptrdiff_t n = -1;
  switch (step.what()) {
    case step_kind::gzip:
      n = gzip_decompress(from, into);
      break;
    case step_kind::zstd:
      n = zstd_decompress(from, into);
      break;
    case step_kind::blosc:
      n = blosc_decompress(from, into);
      break;
    case step_kind::zlib:
      n = zlib_decompress(from, into);
      break;
    default: {
      if (from.size() < 4 || from.size() - 4 > into.size()) break;
      std::span const data = from.first(from.size() - 4);
      if (crc32c(data) != little<std::uint32_t>(from.data() + data.size())) {
        why = "its checksum (crc32c) differs";
        return -1;
      }
      std::ranges::copy(data, into.begin());
      return std::ssize(data);
    }
  }
  if (n < 0) why = "its bytes are no valid " + std::string(step.name()) + " data of a chunk";
  return n;
}

}  // namespace

codec_prices prices_of(zarr_header const& h) noexcept {
  codec_prices all{1, 0.3};  // a shard is copied and written; a chunk is copied
  for (zarr_codec const& step : h.options.codecs) {
    codec_prices const one = price_of(step);
    all.encode_ns += one.encode_ns;
    all.decode_ns += one.decode_ns;
  }
  return all;
}

chunk_codec::chunk_codec(zarr_header const& h)
    : chunk_bytes_(h.type.bytes), item_bytes_(h.type.bytes) {
  swap_bytes_ = h.type.kind == 'c' ? item_bytes_ / 2 : item_bytes_;
  std::vector<std::int64_t> const& chunk = h.options.chunks;
  std::vector<std::size_t> order(chunk.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (zarr_codec const& c : h.options.codecs) {
    if (c.what() == step_kind::transpose) {
      std::vector<std::size_t> next;
      for (int const k : c.order()) next.push_back(order[static_cast<std::size_t>(k)]);
      order = std::move(next);
    } else if (c.what() == step_kind::bytes) {
      swapped_ = swap_bytes_ > 1 && h.type.kind != 'V' &&
                 c.big_endian() != (std::endian::native == std::endian::big);
    } else {
      steps_.push_back(c);
    }
  }
  std::vector<std::int64_t> steps(chunk.size());
  for (std::size_t k = chunk.size(); k-- > 0;) {
    steps[k] = chunk_bytes_;
    chunk_bytes_ *= chunk[k];
  }
  in_order_ = std::ranges::is_sorted(order);
  for (std::size_t const k : order) {
    count_.push_back(chunk[k]);
    stride_.push_back(steps[k]);
  }
  most_encoded_ = chunk_bytes_;
  for (zarr_codec const& c : steps_) {
    most_.push_back(most_encoded_);
    most_encoded_ = most_after(c, most_encoded_);
  }
}

std::int64_t chunk_codec::most_space_bytes() const noexcept {
  auto const stages = std::ssize(steps_) + (in_order_ && !swapped_ ? 0 : 1);
  return std::min<std::int64_t>(stages, 2) * most_encoded_;
}

// Copies all items between a chunk and its stored order. If `storing`, `from` is the chunk.
void chunk_codec::arrange(std::byte const* from, std::byte* to, bool storing) const {
  auto const item = static_cast<std::size_t>(item_bytes_),
             part = static_cast<std::size_t>(swap_bytes_);
  auto const copy = [&](std::byte const* a, std::byte* b) {
    std::memcpy(b, a, item);
    if (!swapped_) return;
    for (std::size_t i = 0; i < item; i += part) std::reverse(b + i, b + i + part);
  };
  std::vector<std::int64_t> index(count_.size());
  std::int64_t place = 0;  // in the chunk
  for (std::int64_t stored = 0; stored < chunk_bytes_; stored += item_bytes_) {
    if (storing)
      copy(from + place, to + stored);
    else
      copy(from + stored, to + place);
    for (std::size_t k = index.size(); k-- > 0;) {
      place += stride_[k];
      if (++index[k] < count_[k]) break;
      place -= count_[k] * stride_[k];
      index[k] = 0;
    }
  }
}

std::span<std::byte const> chunk_codec::encode(std::span<std::byte const> chunk,
                                               codec_space& space) const {
  std::span<std::byte const> now = chunk;
  std::vector<std::byte>*next = &space.first, *other = &space.second;
  if (!in_order_ || swapped_) {
    next->resize(chunk.size());
    arrange(chunk.data(), next->data(), true);
    now = *next;
    std::swap(next, other);
  }
  for (zarr_codec const& c : steps_) {
    compress(c, now, *next);
    now = *next;
    std::swap(next, other);
  }
  return now;
}

bool chunk_codec::decode(std::span<std::byte const> encoded, std::span<std::byte> chunk,
                         codec_space& space, std::string& why) const {
  bool const direct = in_order_ && !swapped_;
  std::span<std::byte const> now = encoded;
  std::vector<std::byte>*next = &space.first, *other = &space.second;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    std::span<std::byte> into = chunk;
    if (k > 0 || !direct) {
      next->resize(static_cast<std::size_t>(most_[k]));
      into = *next;
    }
    std::ptrdiff_t const n = decompress(steps_[k], now, into, why);
    if (n < 0) return false;
    now = into.first(static_cast<std::size_t>(n));
    std::swap(next, other);
  }
  if (now.size() != chunk.size()) {
    why = "it has " + std::to_string(now.size()) + " bytes and not the " +
          std::to_string(chunk.size()) + " of a chunk";
    return false;
  }
  if (!direct)
    arrange(now.data(), chunk.data(), false);
  else if (steps_.empty())
    std::ranges::copy(now, chunk.begin());
  return true;
}

}  // namespace detail
}  // namespace argosy

// Codecs of chunks, and indices of shards: what is encoded is decoded, and damage is found.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <argosy/format/detail/codec_threads.hpp>
#include <argosy/format/detail/zarr/zarr_file.hpp>

#include "format/zarr/chunk_codec.hpp"
#include "format/zarr/compression.hpp"
#include "format/zarr/crc32c.hpp"
#include "format/zarr/shard.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using io::zarr_codec;
using io::detail::chunk_codec;
using io::detail::codec_space;
using bytes = std::vector<std::byte>;
using Catch::Matchers::ContainsSubstring;

namespace {

bytes bytes_of(std::string_view text) {
  auto const b = std::as_bytes(std::span(text));
  return {b.begin(), b.end()};
}

chunk_codec codec_of(std::vector<zarr_codec> steps, std::vector<std::int64_t> chunk = {4, 6},
                     io::extend::dtype type = io::extend::dtype_of<std::int32_t>()) {
  io::zarr_header h{chunk, std::move(type), {.chunks = chunk, .codecs = std::move(steps)}};
  io::extend::failure const f = io::detail::complete(h);
  CAPTURE(f.detail);
  REQUIRE_FALSE(f);
  return chunk_codec(h);
}

bytes encoded(chunk_codec const& c, bytes const& chunk) {
  codec_space space;
  auto const e = c.encode(chunk, space);
  CHECK(std::ssize(e) <= c.most_encoded_bytes());
  return {e.begin(), e.end()};
}

bytes some_chunk(std::mt19937_64& random, std::int64_t n) {
  bytes all(static_cast<std::size_t>(n));
  std::uint64_t const different = random() % 3 == 0 ? 256 : 3;
  for (std::byte& b : all) b = static_cast<std::byte>(random() % different);
  return all;
}

zarr_codec any_blosc(std::mt19937_64& random) {
  std::vector<std::string> names;
  for (char const* const name : {"blosclz", "lz4", "lz4hc", "zlib", "zstd"})
    if (io::detail::has_blosc_compressor(name)) names.emplace_back(name);
  return zarr_codec::blosc(names[random() % names.size()], static_cast<int>(random() % 10),
                           static_cast<zarr_codec::shuffle>(random() % 3),
                           static_cast<int>(random() % 9), random() % 2 == 0 ? 0 : 128);
}

std::vector<zarr_codec> any_steps(std::mt19937_64& random, std::size_t dimensions) {
  std::vector<zarr_codec> all;
  for (auto k = random() % 3; k > 0; --k) {
    std::vector<int> order;
    for (std::size_t i = 0; i < dimensions; ++i) order.push_back(static_cast<int>(i));
    std::ranges::shuffle(order, random);
    all.push_back(zarr_codec::transpose(order));
  }
  all.push_back(zarr_codec::bytes(random() % 2 == 0));
  for (auto k = random() % 4; k > 0; --k) {
    std::vector<zarr_codec> some{zarr_codec::crc32c()};
    if (io::detail::has_zlib()) some.push_back(zarr_codec::gzip(static_cast<int>(random() % 10)));
    if (io::detail::has_zstd())
      some.push_back(zarr_codec::zstd(static_cast<int>(random() % 9) - 3, random() % 2 == 0));
    if (io::detail::has_blosc()) some.push_back(any_blosc(random));
    all.push_back(some[random() % some.size()]);
  }
  return all;
}

}  // namespace

TEST_CASE("what any codecs encode is decoded, and damage never is another chunk's size",
          "[format][zarr][random]") {
  std::mt19937_64 random(seed());
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round, seed());
    std::vector<std::int64_t> chunk;
    for (auto k = random() % 4; k > 0; --k)
      chunk.push_back(static_cast<std::int64_t>(1 + random() % 9));
    auto const type =
        std::vector{io::extend::dtype_of<std::uint8_t>(), io::extend::dtype_of<float>(),
                    io::extend::dtype_of<std::complex<double>>()}[random() % 3];
    chunk_codec const c = codec_of(any_steps(random, chunk.size()), chunk, type);
    bytes const data = some_chunk(random, c.chunk_bytes());
    bytes e = encoded(c, data);
    bytes back(data.size());
    codec_space space;
    std::string why;
    REQUIRE(c.decode(e, back, space, why));
    CHECK(back == data);
    // Broken bytes, fewer and more: an error, or a chunk, but no access beyond memory.
    if (!e.empty()) e[random() % e.size()] ^= static_cast<std::byte>(1 + random() % 255);
    c.decode(e, back, space, why);
    e.resize(random() % (e.size() + 1));
    bool const cut = e.size() < encoded(c, data).size();
    if (cut) CHECK_FALSE(c.decode(e, back, space, why));
  }
}

TEST_CASE("a codec has a price, which rises with its level", "[format][zarr]") {
  auto const encoding = [](std::vector<zarr_codec> steps) {
    return io::detail::prices_of({{4}, io::extend::dtype_of<float>(), {.codecs = std::move(steps)}})
        .encode_ns;
  };
  CHECK(encoding({}) > 0);
  CHECK(encoding({zarr_codec::zstd(-5)}) < encoding({zarr_codec::zstd(1)}));
  CHECK(encoding({zarr_codec::zstd(0)}) == encoding({zarr_codec::zstd(3)}));
  CHECK(encoding({zarr_codec::zstd(3)}) < encoding({zarr_codec::zstd(22)}));
  CHECK(encoding({zarr_codec::gzip(1)}) < encoding({zarr_codec::gzip(9)}));
  CHECK(encoding({zarr_codec::gzip(1)}) < encoding({zarr_codec::crc32c(), zarr_codec::gzip(1)}));
}

TEST_CASE("the time of a plan follows from shards and prices", "[format][zarr]") {
  io::extend::prices const array{.call_ns = 10, .write_call_ns = 1000, .byte_ns = 2},
      calls{.call_ns = 1, .write_call_ns = 100, .byte_ns = 2};
  io::detail::shared_processors processors{.each = 0.5, .all = 100};
  auto const time = [&](io::zarr_plan const& p) {
    return io::detail::expected_ns(p, 50, array, calls, processors);
  };
  io::zarr_plan p{.chunks_in_shard = 4, .own_shards = 5};
  p.file.policy = "whole_shards";
  p.file.kind = io::access_kind::write;
  CHECK(time(p) == 2 * (5 * 1000 + 50 * 2));
  p.threads = 3;
  CHECK(time(p) == 6 * (5 * 1000 + 50 * 2));
  p.threads = 1;
  processors.each = 4;
  CHECK(time(p) == 5 * 1000 + 50 * 2);
  p.file.kind = io::access_kind::read;
  CHECK(time(p) == 5 * 4 * 10 + 50 * 2);
  p.file.policy = "two_phase";
  p.file.expected_ns = 7000;
  CHECK(time(p) == 7000);  // without owners
  p.file.kind = io::access_kind::write;
  p.file.window_bytes = 16;
  p.file.domains = std::vector<io::extend::file_domain>{{.begin = 0, .end = 32, .rank = 0}};
  p.owners = {{0, 0, 1}, {1, 2, 7}};
  CHECK(time(p) == 7000 + 6 * 1000 - 2 * 100);
  p.owners = {{0, 0, 1}, {1, 2, 4}, {0, 5, 6}};  // dealt: rank 0 has most
  CHECK(time(p) == 7000 + 4 * 1000 - 2 * 100);
  // Owners that are more than the processors take turns, and so do their threads.
  p.file.domains = std::vector<io::extend::file_domain>{{.begin = 0, .end = 32, .rank = 0},
                                                        {.begin = 32, .end = 56, .rank = 1}};
  p.owners = {{0, 0, 1}, {1, 2, 7}};
  processors.all = 2;
  CHECK(time(p) == 7000 + 6 * 1000 - 2 * 100);
  processors.all = 1;
  CHECK(time(p) == 7000 + 8 * 1000 - 2 * 2 * 100);
  processors.all = 2;
  p.threads = 4;
  CHECK(time(p) == 7000 + 16 * 1000 - 2 * 100);
}

TEST_CASE("the bytes of chunks are those of the format", "[format][zarr]") {
  bytes chunk(24);
  for (std::size_t i = 0; i < 6; ++i) {
    std::uint32_t const n = 0x01020300u + static_cast<std::uint32_t>(i);
    std::memcpy(chunk.data() + 4 * i, &n, 4);
  }
  auto const numbers = [](bytes const& b) {
    std::vector<int> last;
    for (std::size_t i = 0; i < b.size(); i += 4)
      last.push_back(static_cast<int>(b[i]) | static_cast<int>(b[i + 3]));
    return last;
  };
  CHECK(encoded(codec_of({}, {2, 3}), chunk) == chunk);
  bytes const big = encoded(codec_of({zarr_codec::bytes(true)}, {2, 3}), chunk);
  CHECK(big[0] == std::byte{1});
  CHECK(big[3] == std::byte{0});
  CHECK(big[23] == std::byte{5});
  bytes const columns = encoded(codec_of({zarr_codec::transpose({1, 0})}, {2, 3}), chunk);
  CHECK(numbers(columns) == std::vector<int>{1 | 0, 1 | 3, 1 | 1, 1 | 4, 1 | 2, 1 | 5});
  CHECK(io::detail::crc32c(bytes_of("123456789")) == 0xe3069283u);
  CHECK(io::detail::crc32c(bytes_of("")) == 0);
  bytes const summed = encoded(codec_of({zarr_codec::crc32c()}, {2, 3}), chunk);
  REQUIRE(summed.size() == 28);
  CHECK(io::detail::little<std::uint32_t>(summed.data() + 24) == io::detail::crc32c(chunk));
}

TEST_CASE("a damaged chunk is named", "[format][zarr]") {
  std::mt19937_64 random(seed());
  codec_space space;
  std::string why;
  auto const broken = [&](chunk_codec const& c, bytes const& e) {
    bytes back(static_cast<std::size_t>(c.chunk_bytes()));
    why.clear();
    CHECK_FALSE(c.decode(e, back, space, why));
    return why;
  };
  chunk_codec const plain = codec_of({}), summed = codec_of({zarr_codec::crc32c()});
  bytes const data = some_chunk(random, plain.chunk_bytes());
  CHECK_THAT(broken(plain, bytes(95)), ContainsSubstring("95 bytes and not the 96"));
  bytes e = encoded(summed, data);
  e[7] ^= std::byte{1};
  CHECK_THAT(broken(summed, e), ContainsSubstring("checksum (crc32c) differs"));
  CHECK_FALSE(broken(summed, bytes(3)).empty());
  if (io::detail::has_zlib()) {
    chunk_codec const zipped = codec_of({zarr_codec::gzip()});
    CHECK_THAT(broken(zipped, data), ContainsSubstring("no valid gzip data"));
    // A bomb: far more bytes than a chunk has.
    bytes bomb;
    io::detail::gzip_compress(bytes(std::size_t{1} << 24), 9, bomb);
    CHECK_THAT(broken(zipped, bomb), ContainsSubstring("no valid gzip data"));
    bytes half;  // two members
    io::detail::gzip_compress(std::span(data).first(40), 5, half);
    bytes second;
    io::detail::gzip_compress(std::span(data).subspan(40), 5, second);
    half.insert(half.end(), second.begin(), second.end());
    bytes back(data.size());
    CHECK(zipped.decode(half, back, space, why));
    CHECK(back == data);
  }
  if (io::detail::has_zstd()) {
    chunk_codec const zstd = codec_of({zarr_codec::zstd()});
    CHECK_THAT(broken(zstd, data), ContainsSubstring("no valid zstd data"));
    bytes bomb;
    io::detail::zstd_compress(bytes(std::size_t{1} << 24), 19, false, bomb);
    CHECK_THAT(broken(zstd, bomb), ContainsSubstring("no valid zstd data"));
  }
  if (io::detail::has_blosc()) {
    chunk_codec const blosc = codec_of({zarr_codec::blosc()});
    CHECK_THAT(broken(blosc, data), ContainsSubstring("no valid blosc data"));
    bytes bomb;
    io::detail::blosc_compress(bytes(std::size_t{1} << 24), {.compressor = "lz4"}, bomb);
    CHECK_THAT(broken(blosc, bomb), ContainsSubstring("no valid blosc data"));
  }
}

TEST_CASE("an index has the places of chunks, and finds its own damage", "[format][zarr]") {
  io::detail::shard_index index(3);
  index.set(1, {7, 9});
  for (bool const checksum : {false, true}) {
    bytes b = index.bytes(checksum);
    CHECK(std::ssize(b) == io::detail::shard_index::bytes_of(3, checksum));
    io::detail::shard_index back(0);
    std::string why;
    REQUIRE(back.parse(b, checksum, why));
    CHECK_FALSE(back.find(0));
    CHECK_FALSE(back.find(2));
    REQUIRE(back.find(1));
    CHECK(back.find(1)->offset == 7);
    CHECK(back.find(1)->bytes == 9);
    b[3] ^= std::byte{1};
    CHECK(back.parse(b, checksum, why) == !checksum);
  }
}

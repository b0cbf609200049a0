// Threads that encode and decode chunks, what they report, and the prediction of a call.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <argosy/format/zarr.hpp>
#include <argosy/policy.hpp>

#include "format/zarr/chunk_crew.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;
using zarr = io::basic_zarr<io::self>;

namespace {

std::vector<io::zarr_codec> compression() {
  for (io::zarr_codec const& c :
       {io::zarr_codec::zstd(1), io::zarr_codec::gzip(1), io::zarr_codec::blosc("lz4")})
    if (c.is_available()) return {c};
  return {};
}

io::darray<float, 2> square(std::int64_t n) {
  return io::darray<float, 2>({n, n}, io::distribute::block, {1, 1}, 0);
}

std::vector<float> ramp(std::int64_t n) {
  std::vector<float> v(static_cast<std::size_t>(n * n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i / 7);
  return v;
}

}  // namespace

TEST_CASE("each number is worked on once, by at most so many threads", "[format][zarr]") {
  for (int const threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(100);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    io::detail::for_each_at_once(done.size(), threads, [&](std::size_t i) {
      ++done[i];
      std::lock_guard const guard(mutex);
      seen.insert(std::this_thread::get_id());
    });
    CHECK(std::ranges::all_of(done, [](auto const& n) { return n == 1; }));
    CHECK(std::ssize(seen) <= threads);
  }
  io::detail::for_each_at_once(0, 3, [](std::size_t) { FAIL("there is no work"); });
}

TEST_CASE("an exception of a thread reaches the caller when all threads have ended",
          "[format][zarr]") {
  std::atomic<int> running = 0;
  auto const work = [&](std::size_t i) {
    ++running;
    if (i == 5) {
      --running;
      throw std::runtime_error("five");
    }
    std::this_thread::yield();
    --running;
  };
  CHECK_THROWS_WITH(io::detail::for_each_at_once(50, 4, work), "five");
  CHECK(running == 0);
}

TEST_CASE("threads are those of processors without ranks, unless a number is given",
          "[format][zarr]") {
  using io::detail::codec_threads;
  CHECK(codec_threads(8, 8, 2, 0) == 4);
  CHECK(codec_threads(8, 8, 8, 0) == 1);   // each processor has a rank
  CHECK(codec_threads(8, 8, 20, 0) == 1);  // and more
  CHECK(codec_threads(1, 8, 2, 0) == 1);   // the rank is bound to one processor
  CHECK(codec_threads(8, 8, 8, 3) == 3);
  CHECK(codec_threads(4096, 4096, 1, 0) == 1024);
}

TEST_CASE("several threads write and read what one does", "[format][zarr]") {
  scratch const here;
  std::int64_t const n = 700;
  std::vector<float> const v = ramp(n);
  for (std::vector<std::int64_t> const& shards :
       {std::vector<std::int64_t>{}, std::vector<std::int64_t>{256, 320}}) {
    std::vector<std::vector<std::byte>> files;
    for (std::int64_t const threads : {1, 5}) {
      CAPTURE(shards, threads);
      io::hints const with{.codec_threads = threads};
      std::string const path = here / "u";
      zarr z = zarr::create(io::self(), path, square(n),
                            {.chunks = {64, 80}, .shards = shards, .codecs = compression()}, with);
      z.write_all(v);
      z.close();
      io::zarr_encoding const e = z.encoding();
      if (!compression().empty()) {
        CHECK(e.threads == threads);
        CHECK(e.encoded.chunks == 11 * 9);
        CHECK(e.encoded.bytes == 11 * 9 * 64 * 80 * 4);
        CHECK(e.encoded.stored_bytes < e.encoded.bytes);
        CHECK(e.encoded.ratio() > 1);
      }
      z = zarr::open(io::self(), path, square(n), io::mode::read, with);
      std::vector<float> back(v.size());
      z.read_all(back);
      z.close();
      CHECK(back == v);
      if (!compression().empty()) {
        // Chunks that reach beyond the array may be decoded for each of their rows.
        CHECK(z.encoding().decoded.chunks >= 11 * 9);
        CHECK_THAT(to_string(z.encoding()), ContainsSubstring("decoded "));
      }
      auto const bytes = content_of(path + (shards.empty() ? "/c/1/3" : "/c/1/1"));
      files.emplace_back(std::as_bytes(std::span(bytes)).begin(),
                         std::as_bytes(std::span(bytes)).end());
    }
    CHECK(files[0] == files[1]);
  }
}

TEST_CASE("a damaged chunk is named, whichever thread finds it", "[format][zarr]") {
  if (compression().empty()) return;
  scratch const here;
  std::int64_t const n = 512;
  std::vector<float> const v = ramp(n);
  for (std::int64_t const threads : {1, 4}) {
    io::hints const with{.codec_threads = threads};
    zarr z = zarr::create(io::self(), here / "u", square(n),
                          {.chunks = {64, 64}, .codecs = compression()}, with);
    z.write_all(v);
    z.close();
    std::ofstream(here / "u/c/3/2") << "no chunk";
    z = zarr::open(io::self(), here / "u", square(n), io::mode::read, with);
    std::vector<float> back(v.size());
    std::error_code error;
    z.read_all(back, error);
    CHECK(error == io::errc::damaged);
    CHECK_THAT(z.what_failed(), ContainsSubstring("'c/3/2' is damaged: chunk 0"));
    z.close();
  }
}

TEST_CASE("a call is predicted: shards, owners and memory", "[format][zarr]") {
  scratch const here;
  std::int64_t const n = 512;
  std::vector<float> const v = ramp(n);
  zarr z = zarr::create(io::self(), here / "u", square(n),
                        {.chunks = {64, 64}, .shards = {128, 256}, .codecs = compression()},
                        io::hints{.codec_threads = 2});
  io::zarr_plan const p = z.explain_all(io::access_kind::write, v, io::two_phase{});
  CHECK(p.file.together);
  CHECK(p.shards == 8);
  CHECK(p.own_shards == 8);
  CHECK(p.cut_shards == 0);
  CHECK(p.chunks_in_shard == 8);
  CHECK(p.shard_bytes == 128 * 256 * 4);
  CHECK(p.owners == std::vector<io::zarr_plan::owner>{{0, 0, 7}});
  CHECK(p.memory_bytes >= 2 * p.file.window_bytes);
  CHECK_THAT(to_string(p), ContainsSubstring("8 shards of 0.131 MB in 8 chunks of 0.0164 MB"));
  CHECK_THAT(to_string(p), ContainsSubstring("rank 0: shards 0 to 7"));
  io::zarr_plan many = p;
  many.owners.resize(16, {1, 0, 7});
  CHECK_THAT(to_string(many), ContainsSubstring("rank 1") && !ContainsSubstring("more"));
  many.owners.resize(20);
  CHECK_THAT(to_string(many), ContainsSubstring("and 4 more"));
  io::report const r = z.write_all(v, io::two_phase{});
  CHECK(r.write_calls <= p.shards);
  z.close();
  // A part that cuts shards, by a rank that goes by itself.
  auto const part = io::subarray({n, n}, {100, 256}, {28, 0}, io::type<float>);
  z = zarr::open(io::self(), here / "u", part, io::mode::read_write);
  std::vector<float> const some(100 * 256);
  io::zarr_plan const alone = z.explain_all(io::access_kind::write, some, io::independent{});
  CHECK(alone.owners.empty());
  CHECK(alone.own_shards == 1);
  CHECK(alone.cut_shards == 1);
  std::error_code error;
  z.explain_all(io::access_kind::write, v, error);
  CHECK(error == io::errc::datatype);
  z.close();
}

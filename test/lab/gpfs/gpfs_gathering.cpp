// Calls with several pieces of memory on the simulated GPFS. There is one call for each stretch of
// the file; bytes and time are checked.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::lab::contents;

namespace {

constexpr std::int64_t row_bytes = 800;

// Returns every second row of an array, as parts that follow one another in the file from its
// beginning.
template <class Part, class Memory>
std::vector<Part> rows_of(Memory memory, int rows) {
  std::vector<Part> parts;
  for (int k = 0; k < rows; ++k)
    parts.push_back(
        {k * row_bytes, memory.subspan(static_cast<std::size_t>(2 * k * row_bytes), row_bytes)});
  return parts;
}

// Returns the virtual seconds in which one task writes or reads.
double seconds_of(gpfs::machine const& m, auto const& access) {
  io::lab::virtual_gpfs const files(m, 1, {}, contents::none);
  double seconds = 0;
  io::lab::virtual_cluster({.ranks = 1}, {.contents = contents::none})
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code error;
        auto f = files.open("f", {.read = true, .write = true, .create = true}, error);
        REQUIRE_FALSE(error);
        io::lab::hollow_memory const file(static_cast<std::size_t>(1000 * row_bytes));
        REQUIRE_FALSE(f.write(0, file.bytes()).error);
        REQUIRE_FALSE(f.sync());
        double const began = world.now();
        access(f);
        seconds = world.now() - began;
      });
  return seconds;
}

}  // namespace

TEST_CASE("a call of many pieces costs a call once, and each piece its share",
          "[gpfs][mechanisms]") {
  gpfs::machine m;
  m.call_us = 10;
  m.write_call_us = 50;
  m.segment_us = 2;
  io::lab::hollow_memory const memory(std::size_t{2000} * row_bytes);
  auto const bytes = memory.bytes();
  auto const reads = rows_of<io::read_part>(bytes, 1000);
  auto const writes = rows_of<io::write_part>(std::span<std::byte const>(bytes), 1000);
  auto const whole = bytes.first(1000 * row_bytes);

  double const written_at_once =
      seconds_of(m, [&](auto& f) { REQUIRE_FALSE(f.write(0, whole).error); });
  double const written =
      seconds_of(m, [&](auto& f) { REQUIRE(f.write(writes).bytes == 1000 * row_bytes); });
  double const written_by_rows = seconds_of(m, [&](auto& f) {
    for (auto const& p : writes) REQUIRE_FALSE(f.write(p.offset, p.memory).error);
  });
  CHECK(written - written_at_once > 0.99 * 999 * 2e-6);
  CHECK(written - written_at_once < 1.01 * 999 * 2e-6);
  CHECK(written_by_rows - written_at_once > 0.99 * 999 * 60e-6);

  double const read_at_once =
      seconds_of(m, [&](auto& f) { REQUIRE_FALSE(f.read(0, whole).error); });
  double const read =
      seconds_of(m, [&](auto& f) { REQUIRE(f.read(reads).bytes == 1000 * row_bytes); });
  CHECK(read - read_at_once > 0.99 * 999 * 2e-6);
  CHECK(read - read_at_once < 1.01 * 999 * 2e-6);
}

TEST_CASE("pieces of one call are gathered into the file, and scattered from it", "[gpfs]") {
  gpfs::machine m;
  m.block_bytes = 4096;
  gpfs::loopback host(m, 1);
  std::error_code error;
  auto f =
      gpfs::loopback_file::open(host, 0, "f", {.read = true, .write = true, .create = true}, error);
  REQUIRE_FALSE(error);
  constexpr int rows = 2500;  // more than a call may have pieces
  std::vector<std::byte> array(2 * rows * row_bytes), expected(rows * row_bytes);
  for (std::size_t k = 0; k < array.size(); ++k) array[k] = static_cast<std::byte>(k * 7 / 5);
  for (int k = 0; k < rows; ++k)
    std::copy_n(array.begin() + 2 * k * row_bytes, row_bytes, expected.begin() + k * row_bytes);

  auto const calls = [&] { return host.client(0).counters().calls; };
  std::int64_t before = calls();
  auto const written = f.write(rows_of<io::write_part>(std::span<std::byte const>(array), rows));
  CHECK(written.bytes == rows * row_bytes);
  CHECK_FALSE(written.error);
  CHECK(calls() - before == 3);
  // Blocks that a call has filled are written behind at once, except the last one of each call.
  CHECK(host.client(0).counters().write_behinds >= rows * row_bytes / m.block_bytes - 3);
  REQUIRE_FALSE(f.sync());
  CHECK(host.content("f") == expected);

  std::vector<std::byte> back(array.size());
  before = calls();
  CHECK(f.read(rows_of<io::read_part>(std::span(back), rows)).bytes == rows * row_bytes);
  CHECK(calls() - before == 3);
  for (int k = 0; k < rows; ++k)
    REQUIRE(std::equal(back.begin() + 2 * k * row_bytes, back.begin() + (2 * k + 1) * row_bytes,
                       array.begin() + 2 * k * row_bytes));

  SECTION("a hole ends a call") {
    std::vector<io::write_part> parts =
        rows_of<io::write_part>(std::span<std::byte const>(array), 10);
    for (auto& p : parts)
      if (p.offset >= 5 * row_bytes) p.offset += 3;
    before = calls();
    CHECK(f.write(parts).bytes == 10 * row_bytes);
    CHECK(calls() - before == 2);
  }
  SECTION("what is one piece of memory is one piece") {
    std::vector<io::write_part> parts;
    for (int k = 0; k < rows; ++k)
      parts.push_back({k * row_bytes, std::span<std::byte const>(array).subspan(
                                          static_cast<std::size_t>(k * row_bytes), row_bytes)});
    before = calls();
    CHECK(f.write(parts).bytes == rows * row_bytes);
    CHECK(calls() - before == 1);
  }
  SECTION("a read ends where the file does") {
    std::vector<std::byte> more(20 * row_bytes, std::byte{9});
    std::vector<io::read_part> parts = rows_of<io::read_part>(std::span(more), 10);
    for (auto& p : parts) p.offset += (rows - 5) * row_bytes - 100;
    auto const done = f.read(parts);
    CHECK(done.bytes == 5 * row_bytes + 100);
    CHECK_FALSE(done.error);
    CHECK(more[10 * row_bytes + 99] == expected.back());
    CHECK(more[10 * row_bytes + 100] == std::byte{9});
  }
  SECTION("beyond what offsets can say nothing is written") {
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    std::vector<io::write_part> const parts{{last - 4, std::span<std::byte const>(array).first(4)},
                                            {last, std::span<std::byte const>(array).first(4)}};
    CHECK(f.write(parts).error);
  }
}

// A run without contents must be the same run: the same time and the same trace, whatever is
// written.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy.hpp>

#include "support/files.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::lab::contents;
using io::test::seed;

namespace {

constexpr int ranks = 6, per_node = 2;

// Ranks write and read records in turn, by collective and local calls, by agents, ordered, and at
// the shared pointer. The program depends only on the salt. `memory` belongs to this rank.
void random_program(io::lab::virtual_rank const& world, io::opener const& files, std::uint64_t salt,
                    std::span<std::byte> memory) {
  std::mt19937_64 random(salt);
  auto const below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  io::hints h;
  if (below(2) == 0) h.largeblock_io = io::largeblock::off;
  auto f = io::basic_file<io::lab::virtual_rank>::open(
      world, "state", io::mode::create | io::mode::read_write, h, files);
  for (int step = 0; step < 12; ++step) {
    std::int64_t const record = 1 + below(5000), records = 1 + below(40);
    f.set_view(0, {io::bytes(1), io::resized(io::at(world.rank() * record, io::bytes(record)), 0,
                                             ranks * record)});
    std::span<std::byte> const all = memory.first(static_cast<std::size_t>(record * records));
    std::int64_t const at = below(20) * record;
    io::extend::any_policy const policy =
        below(2) == 0
            ? io::extend::any_policy(io::two_phase{.window_bytes = 20'000, .layers = 1 + below(2)})
            : io::extend::any_policy(io::data_shipping{.sparse = below(2) == 0});
    switch (below(7)) {
      case 0:
        f.write_at_all(at, all, policy);
        break;
      case 1:
        f.read_at_all(at, all, policy);
        break;
      case 2:
        f.write_at(at, all);
        break;
      case 3:
        f.read_at(at, all);
        break;
      case 4:
        f.set_view(0, {io::bytes(1), io::bytes(1)});
        f.write_ordered(all);
        break;
      case 5:
        f.set_view(0, {io::bytes(1), io::bytes(1)});
        f.write_shared(all);
        break;
      default:
        f.sync();
    }
  }
  f.close();
}

io::lab::virtual_report run(std::uint64_t salt, io::opener const& files, contents kept) {
  io::lab::scenario s{.ranks = ranks, .ranks_per_node = per_node, .seed = salt};
  if (salt % 2 == 0) s.network.eager_bytes = 100;
  if (salt % 3 == 0)
    s.network.pack_mb_per_s = 50,
    s.network.piece_ns = 300;  // copies take time, whether they are made or not
  std::vector<std::byte> const one(std::size_t{5000} * 40);
  io::lab::hollow_memory const hollow(one.size());
  return io::lab::virtual_cluster(s, {.stack_bytes = std::size_t{1} << 20, .contents = kept})
      .run([&](io::lab::virtual_rank const& world) {
        std::vector<std::byte> mine(one);
        random_program(world, files, salt,
                       kept == contents::real ? std::span(mine) : hollow.bytes());
      });
}

std::int64_t peak_memory_bytes() {
  rusage used{};
  REQUIRE(::getrusage(RUSAGE_SELF, &used) == 0);
  return used.ru_maxrss * 1024;
}

// Limit for runs that would need a gigabyte or more with contents. Sanitizers hold back 256 MB of
// freed memory.
constexpr std::int64_t most_memory_bytes = std::int64_t{io::test::sanitized ? 512 : 128} << 20;

}  // namespace

TEST_CASE("a run on the simulated GPFS has the same trace with contents and without",
          "[virtual][gpfs][contents][random]") {
  for (std::uint64_t k = 0; k < 20; ++k) {
    std::uint64_t const salt = seed() + k;
    CAPTURE(salt);
    io::lab::gpfs::machine const m{
        .block_bytes = 16384, .pagepool_bytes = 16384 * 20, .lease_s = 1};
    io::lab::virtual_gpfs const full(m, ranks / per_node),
        empty(m, ranks / per_node, {}, contents::none);
    io::lab::virtual_report const with = run(salt, full.opener(), contents::real),
                                  without = run(salt, empty.opener(), contents::none);
    CHECK(with.trace_hash == without.trace_hash);
    CHECK(with.seconds == without.seconds);
    CHECK(with.events == without.events);
    CHECK(with.file_bytes == without.file_bytes);
    CHECK(full.names() == empty.names());
  }
}

TEST_CASE("a run on virtual files has the same trace with contents and without",
          "[virtual][contents][random]") {
  for (std::uint64_t k = 0; k < 20; ++k) {
    std::uint64_t const salt = seed() + k;
    CAPTURE(salt);
    io::lab::virtual_disk const d{.capacity_bytes = std::int64_t{1} << 30};
    io::lab::virtual_files const full(d), empty(d, contents::none);
    io::lab::virtual_report const with = run(salt, full.opener(), contents::real),
                                  without = run(salt, empty.opener(), contents::none);
    CHECK(with.trace_hash == without.trace_hash);
    CHECK(with.seconds == without.seconds);
    CHECK(full.allocated_bytes() == empty.allocated_bytes());
  }
}

TEST_CASE("partitioned files have the same trace with contents and without",
          "[virtual][gpfs][contents]") {
  struct {
    io::gpfs::gpfsFcntlHeader_t header{sizeof(header) + sizeof(start)};
    io::gpfs::gpfsDataShipStart_t start;
  } directive;
  directive.start.numInstances = ranks;
  io::lab::virtual_report seen[2];
  for (contents const kept : {contents::real, contents::none}) {
    io::lab::virtual_gpfs const files({.block_bytes = 4096}, ranks, {}, kept);
    std::vector<std::byte> memory(10'000);
    seen[kept == contents::none] =
        io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1})
            .run([&](io::lab::virtual_rank const& world) {
              std::error_code error;
              auto f = files.open("state", {.read = true, .write = true, .create = true}, error);
              auto mine = directive;
              REQUIRE_FALSE(f.fcntl(mine));
              for (int k = 0; k < 10; ++k) {
                REQUIRE_FALSE(f.write((k * ranks + world.rank()) * 9000, memory).error);
                REQUIRE_FALSE(f.read((k * ranks + world.rank()) * 5000, memory).error);
              }
              REQUIRE_FALSE(f.sync());
              REQUIRE_FALSE(f.close());
            });
  }
  CHECK(seen[0].trace_hash == seen[1].trace_hash);
}

TEST_CASE("without contents a file of gigabytes takes no memory", "[virtual][gpfs][contents]") {
  constexpr std::int64_t transfer = std::int64_t{1} << 20, calls = 200;
  io::lab::virtual_gpfs const files({.block_bytes = transfer}, 16, {}, contents::none);
  io::lab::hollow_memory const data(transfer);
  std::int64_t const before = peak_memory_bytes();
  auto const r =
      io::lab::virtual_cluster({.ranks = 16, .ranks_per_node = 1})
          .run([&](io::lab::virtual_rank const& world) {
            std::error_code error;
            auto f = files.open("state", {.read = true, .write = true, .create = true}, error);
            for (std::int64_t k = 0; k < calls; ++k)
              REQUIRE_FALSE(f.write((world.rank() * calls + k) * transfer, data.bytes()).error);
            REQUIRE_FALSE(f.sync());
          });
  CHECK(r.file_bytes == 16 * calls * transfer);
  CHECK(peak_memory_bytes() - before < most_memory_bytes);
}

// Each rank is an agent with two windows of 4 MB, and with as much for messages. With contents this
// would be 1 GB in all.
TEST_CASE("without contents collective calls take no memory for windows and messages",
          "[virtual][gpfs][contents]") {
  constexpr std::int64_t stripe = std::int64_t{4} << 20, record = 5000, records = 4000;
  constexpr int all = 32;
  io::extend::any_policy const agents =
      io::data_shipping{.stripe_bytes = stripe, .agents = all, .window_bytes = stripe};
  io::lab::virtual_gpfs const files({.block_bytes = 1 << 20}, 8, {}, contents::none);
  io::lab::hollow_memory const data(std::size_t{record * records});
  std::int64_t const before = peak_memory_bytes();
  auto const r =
      io::lab::virtual_cluster({.ranks = all, .ranks_per_node = 4},
                               {.stack_bytes = std::size_t{1} << 20, .contents = contents::none})
          .run([&](io::lab::virtual_rank const& world) {
            auto f = io::lab::virtual_file::open(
                world, "state", io::mode::create | io::mode::read_write, {}, files.opener());
            f.set_view(
                0, {io::bytes(1), io::resized(io::at(world.rank() * record, io::bytes(record)), 0,
                                              all * record)});
            f.write_at_all(0, data.bytes(), agents);
            f.read_at_all(0, data.bytes(), agents);
            f.close();
          });
  CHECK(r.file_bytes >= 2 * all * record * records);
  CHECK(peak_memory_bytes() - before < most_memory_bytes);
}

TEST_CASE("what has no contents does not pretend to have any", "[virtual][gpfs][contents]") {
  std::vector<std::byte> const bytes(100);
  io::lab::virtual_gpfs system({}, 1, {}, contents::none);
  system.put("state", bytes);
  CHECK(system.exists("state"));
  CHECK_THROWS_AS(system.content("state"), std::logic_error);
  CHECK_THROWS_AS(system.on_disk("state"), std::logic_error);
  system.put("some/.state.pointer", bytes);  // the library's own file has contents
  CHECK(system.content("some/.state.pointer") == bytes);

  io::lab::virtual_files files(io::lab::virtual_disk{}, contents::none);
  files.put("state", bytes);
  CHECK_THROWS_AS(files.content("state"), std::logic_error);
  CHECK_THROWS_AS(files.crash(1), std::logic_error);
}

TEST_CASE("hollow memory is as long as it says, and keeps no file open", "[virtual][contents]") {
  std::size_t const open_before = io::test::open_descriptors();
  for (std::size_t const n :
       {std::size_t{0}, std::size_t{1}, (std::size_t{3} << 20) + 5, std::size_t{1} << 32}) {
    io::lab::hollow_memory const m(n);
    REQUIRE(m.bytes().size() == n);
    CHECK(io::test::open_descriptors() == open_before);
    if (n == 0) continue;
    m.bytes().front() = std::byte{7};
    m.bytes().back() = std::byte{8};
    CHECK(m.bytes().back() == std::byte{8});
  }
}

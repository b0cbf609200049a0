// The ranks of a world on one simulated GPFS over sockets.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/lab/gpfs/mount_together.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/world/mpi.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using Catch::Matchers::ContainsSubstring;
using io::test::seed;

namespace {

constexpr std::int64_t B = 256;

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD); }

gpfs::machine small() {
  gpfs::machine m;
  m.block_bytes = B;
  m.servers = 2;
  m.disks_per_server = 2;
  m.pagepool_bytes = 8 * B;
  m.write_behind_max_blocks = 4;
  m.lease_s = 0.1;
  return m;
}

// Mounts the file system in a directory that rank 0 makes.
struct mounted {
  explicit mounted(gpfs::machine const& m = small()) {
    gpfs::host_options o;
    o.hardware = m;
    if (world.rank() == 0) o.directory = dir.emplace().string();
    fs = gpfs::mount_together(world, o, error);
    REQUIRE_FALSE(error);
  }
  ~mounted() { fs.unmount(world); }
  io::mpi const world = everyone();
  std::optional<io::test::scratch> dir;
  std::error_code error;
  gpfs::mounted_together fs;
};

}  // namespace

TEST_CASE("random reads and writes of all ranks on shared blocks see the last completed write",
          "[gpfs][together]") {
  CAPTURE(seed());
  enum class how { tokens, hints, partitioned };
  how const mode = GENERATE(how::tokens, how::hints, how::partitioned);
  mounted m;
  io::mpi const& world = m.world;
  std::error_code error;
  {
    auto f = gpfs::mounted_file::open(m.fs.node(), "shared",
                                      {.read = true, .write = true, .create = true}, error);
    REQUIRE_FALSE(error);
    if (mode == how::partitioned) {
      auto start = io::test::ship_start(world.size());
      REQUIRE_FALSE(f.fcntl(start));
    }
    // All ranks draw the same random numbers, so each knows what every rank does.
    std::mt19937_64 random(seed());
    std::int64_t const room = 12 * B;
    std::vector<std::byte> oracle;
    for (int step = 0; step < 300; ++step) {
      CAPTURE(step);
      int const actor = static_cast<int>(random() % static_cast<unsigned>(world.size()));
      std::int64_t const offset = static_cast<std::int64_t>(random() % static_cast<unsigned>(room));
      std::int64_t const length =
          1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(3 * B));
      bool const is_write = random() % 2 == 0, hinted = mode == how::hints && random() % 2 == 0;
      bool const syncs = random() % 10 == 0;
      auto const value = static_cast<std::byte>(1 + random() % 255);
      if (world.rank() == actor) {
        io::test::ranges_hint h;
        if (hinted) {
          auto& entry = h.a.accRangeArray[h.a.accRangeCnt++];
          entry.blockNumber = offset / B;
          entry.start = static_cast<int>(offset % B);
          entry.length = static_cast<int>(std::min(length, B - offset % B));
          entry.isWrite = is_write ? 1 : 0;
          REQUIRE_FALSE(f.fcntl(h));
        }
        if (is_write) {
          auto const r =
              f.write(offset, std::vector<std::byte>(static_cast<std::size_t>(length), value));
          REQUIRE_FALSE(r.error);
          REQUIRE(r.bytes == length);
        } else {
          std::vector<std::byte> bytes(static_cast<std::size_t>(length));
          auto const r = f.read(offset, bytes);
          REQUIRE_FALSE(r.error);
          REQUIRE(r.bytes == std::clamp<std::int64_t>(
                                 static_cast<std::int64_t>(oracle.size()) - offset, 0, length));
          REQUIRE(std::equal(
              bytes.begin(), bytes.begin() + r.bytes,
              oracle.begin() +
                  std::min<std::int64_t>(offset, static_cast<std::int64_t>(oracle.size()))));
        }
        if (hinted && h.a.accRangeCnt > 0) {
          h.a.relRangeCnt = 1;
          h.a.relRangeArray[0] = h.a.accRangeArray[0];
          h.a.accRangeCnt = 0;
          REQUIRE_FALSE(f.fcntl(h));
        }
        if (syncs) REQUIRE_FALSE(f.sync());
      }
      if (is_write) {
        auto const end = static_cast<std::size_t>(offset + length);
        if (oracle.size() < end) oracle.resize(end);
        std::fill(oracle.begin() + offset, oracle.begin() + offset + length, value);
      }
      world.barrier();
    }
    if (mode == how::partitioned) {
      CHECK(m.fs.node().counters().revokes_received == 0);
      io::test::ship_stop stop;
      REQUIRE_FALSE(f.fcntl(stop));
    } else if (world.size() > 1) {
      CHECK(m.fs.node().counters().revokes_received > 0);
    }
    REQUIRE_FALSE(f.close());
    world.barrier();
    auto again = gpfs::mounted_file::open(m.fs.node(), "shared", {.read = true}, error);
    REQUIRE_FALSE(error);
    std::vector<std::byte> all(oracle.size() + 1);
    CHECK(again.read(0, all).bytes == static_cast<std::int64_t>(oracle.size()));
    all.pop_back();
    CHECK(all == oracle);
    world.barrier();
    if (world.rank() == 0) {
      std::string const rest = io::test::content_of(*m.dir / "shared");
      CHECK(rest.size() == oracle.size());
      CHECK(std::equal(oracle.begin(), oracle.end(), rest.begin(),
                       [](std::byte a, char b) { return a == static_cast<std::byte>(b); }));
    }
  }
  world.barrier();
}

TEST_CASE("ranks that compute answer revocations", "[gpfs][together]") {
  mounted m;
  io::mpi const& world = m.world;
  std::error_code error;
  {
    auto f = gpfs::mounted_file::open(m.fs.node(), "shared",
                                      {.read = true, .write = true, .create = true}, error);
    REQUIRE_FALSE(error);
    int const last = world.size() - 1;
    for (int r = 0; r < last; ++r) {
      if (world.rank() == r)
        f.write(r * B, std::vector<std::byte>(B, static_cast<std::byte>(r + 1)));
      world.barrier();
    }
    if (world.rank() == last) {  // the other ranks make no more calls of the file system
      std::vector<std::byte> all(static_cast<std::size_t>(last * B));
      CHECK(f.read(0, all).bytes == last * B);
      for (std::size_t k = 0; k < all.size(); ++k)
        REQUIRE(all[k] == static_cast<std::byte>(k / B + 1));
      CHECK(f.write(0, all).bytes == last * B);
    }
    world.barrier();
    if (world.rank() != last) CHECK(m.fs.node().counters().revoke_answers > 0);
    CHECK_FALSE(f.close());
  }
  world.barrier();
}

TEST_CASE("two ranks in one block: exact numbers of messages", "[gpfs][together]") {
  mounted m;
  io::mpi const& world = m.world;
  if (world.size() > 1) {
    std::error_code error;
    auto f = gpfs::mounted_file::open(m.fs.node(), "shared",
                                      {.read = true, .write = true, .create = true}, error);
    int const rounds = 10;
    for (int r = 0; r < 2 * rounds; ++r) {
      if (world.rank() == r % 2) CHECK(f.write(r, std::vector<std::byte>(1)).bytes == 1);
      world.barrier();
    }
    auto const c = m.fs.node().counters();
    if (world.rank() == 0) {
      CHECK(c.token_messages() == 2 + 6 * (rounds - 1));
      CHECK(c.revoke_flushes == rounds);
      CHECK(c.merge_reads == rounds - 1);
      CHECK(m.fs.host()->manager().conflicts == 2 * rounds - 1);
      CHECK(m.fs.host()->servers().writes == 2 * rounds - 1);
    } else if (world.rank() == 1) {
      CHECK(c.token_messages() == 6 * rounds);
      CHECK(c.revoke_flushes == rounds - 1);
      CHECK(c.merge_reads == rounds);
    } else {
      CHECK(c.token_messages() == 0);
    }
    world.barrier();
    CHECK_FALSE(f.close());
  }
  world.barrier();
}

TEST_CASE("files with views, collective and independent calls", "[gpfs][together]") {
  CAPTURE(seed());
  mounted m;
  io::mpi const& world = m.world;
  int const ranks = world.size(), me = world.rank();
  {
    auto f =
        io::file::open(world, "state", io::mode::create | io::mode::read_write, {}, m.fs.files());
    int const per_block = 7, blocks = 40;
    // Rank r has every ranks-th group of seven ints.
    std::vector<int> mine(per_block * blocks);
    f.set_view(me * per_block * 4,
               {io::type<int>,
                io::resized(io::contiguous(per_block, io::type<int>), 0, ranks * per_block * 4)});
    auto const value = [&](int rank, int k, int round) {
      return rank * 1000000 + k + round * 10000;
    };
    for (int round = 0; round < 3; ++round) {
      for (int k = 0; k < per_block * blocks; ++k)
        mine[static_cast<std::size_t>(k)] = value(me, k, round);
      if (round == 1)
        f.write_at(0, mine);
      else
        f.write_at_all(0, mine);
      world.barrier();
      std::vector<int> back(mine.size());
      if (round == 2)
        f.read_at(0, back);
      else
        f.read_at_all(0, back);
      REQUIRE(back == mine);
      world.barrier();
    }
    f.sync();
    world.barrier();
    f.set_view(0, io::type<int>);
    std::vector<int> all(mine.size() * static_cast<std::size_t>(ranks));
    f.read_at_all(0, all);
    for (int k = 0; k < per_block * blocks; ++k)
      for (int r = 0; r < ranks; ++r)
        REQUIRE(all[static_cast<std::size_t>(((k / per_block) * ranks + r) * per_block +
                                             k % per_block)] == value(r, k, 2));
    CHECK(f.size() == static_cast<std::int64_t>(all.size()) * 4);
    f.close();
    if (me == 0) CHECK(std::filesystem::file_size(*m.dir / "state") == all.size() * 4);
  }
  world.barrier();
}

TEST_CASE("a file opened unique whose calls are shipped is partitioned, or left as it is in time",
          "[gpfs][together][partitioning]") {
  gpfs::machine hardware = small();
  hardware.ship_wait_s = 0.3;  // real seconds
  mounted m(hardware);
  io::mpi const& world = m.world;
  int const ranks = world.size();
  for (int who = -1; who < ranks; ++who) {  // the rank whose first directive fails; -1: none
    if (ranks == 1 && who == 0) continue;   // no other rank could wait
    CAPTURE(who, world.rank());
    auto const script = std::make_shared<io::fault_script>();
    if (world.rank() == who)
      script->add(io::fail_at(io::file_call::fcntl, 1, std::errc::not_enough_memory));
    auto f = io::basic_file<io::mpi>::open(
        world, "records" + std::to_string(who),
        io::mode::create | io::mode::read_write | io::mode::unique_open,
        io::hints{.largeblock_io = io::largeblock::off}, io::with_faults(m.fs.files(), script));
    f.set_view(100 * world.rank(),
               {io::type<std::byte>, io::resized(io::bytes(100), 0, 100 * ranks)});
    std::vector<std::byte> const mine(100 * 40, static_cast<std::byte>(world.rank() + 1));
    CHECK_THAT(
        f.write_at(0, mine).reason,
        ContainsSubstring(who < 0 ? "; partitioned in the file system" : "; not partitioned: "));
    CHECK_THAT(
        f.write_at_all(0, mine, io::data_shipping{}).reason,
        ContainsSubstring(who < 0 ? "; partitioned in the file system" : "; not partitioned: "));
    f.set_size(100 * 40 * ranks);
    std::vector<std::byte> back(mine.size());
    f.read_at(0, back);
    CHECK(back == mine);
    f.close();
  }
}

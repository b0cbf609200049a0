// Ranks on several nodes in an agreed order: a read must return the last write that was complete
// when it began.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "support/catch.hpp"
#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::test::seed;

namespace {

using engine = std::mt19937_64;
using bytes = std::vector<std::byte>;

std::int64_t pick(engine& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

gpfs::machine small_machine(engine& random) {
  gpfs::machine m;
  m.block_bytes = std::int64_t{64} << pick(random, 0, 3);
  m.servers = pick(random, 1, 3);
  m.pagepool_bytes = m.block_bytes * pick(random, 1, 12);
  m.prefetch_max_blocks = pick(random, 1, 6);
  m.write_behind_max_blocks = pick(random, 1, 6);
  m.range_quota_blocks = pick(random, 1, 6);
  m.sub_blocks = std::int64_t{1} << pick(random, 0, 4);
  m.server_cache_bytes = m.block_bytes * pick(random, 0, 4);
  m.server_dirty_bytes = m.block_bytes * pick(random, 0, 2);
  m.close_flushes = pick(random, 0, 1);
  m.stride_tokens = pick(random, 0, 1);
  m.server_buffer_bytes = m.block_bytes * pick(random, 0, 3);
  m.retry_ms = static_cast<double>(pick(random, 1, 20));
  m.disk_us = static_cast<double>(pick(random, 1, 2000));
  return m;
}

// One call of each rank between two meetings. While a rank writes, no other rank uses these bytes,
// but ranks share blocks. The plan is equal on all ranks, so every rank knows the bytes that a read
// must return.
struct turn {
  enum class kind { write, read, hint, free, sync, none } what = kind::none;
  std::int64_t offset = 0, length = 0;
};

struct plan {
  std::vector<std::vector<turn>> turns;  // by meeting, then by rank
  // meetings before which partitioning starts and stops
  std::vector<int> start, stop;
  std::int64_t bytes = 0;
};

plan make_plan(engine& random, int ranks, int meetings, bool partitioned) {
  plan p;
  p.bytes = pick(random, ranks, 3000);
  if (partitioned)
    for (int k = 0; k + 6 < meetings; k += 10) p.start.push_back(k + 2), p.stop.push_back(k + 6);
  for (int k = 0; k < meetings; ++k) {
    auto& all = p.turns.emplace_back(static_cast<std::size_t>(ranks));
    // Writers get disjoint stretches, and readers get stretches that no rank writes now.
    std::int64_t const share = p.bytes / ranks;
    std::int64_t const shift = pick(random, 0, ranks - 1);
    std::vector<bool> written(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
      turn& t = all[static_cast<std::size_t>(r)];
      std::int64_t const slot = (r + shift) % ranks;
      if (share == 0 || pick(random, 0, 2) > 0) continue;
      t.what = turn::kind::write;
      t.offset = slot * share + pick(random, 0, share - 1);
      t.length = pick(random, 1, (slot + 1) * share - t.offset);
      written[static_cast<std::size_t>(slot)] = true;
    }
    for (turn& t : all) {
      if (t.what == turn::kind::write) continue;
      auto const choice = pick(random, 0, 9);
      t.what = choice < 6    ? turn::kind::read
               : choice == 6 ? turn::kind::hint
               : choice == 7 ? turn::kind::free
               : choice == 8 ? turn::kind::sync
                             : turn::kind::none;
      std::int64_t slot = pick(random, 0, ranks - 1);
      if (written[static_cast<std::size_t>(slot)]) {
        if (t.what == turn::kind::read) t.what = turn::kind::none;
        continue;
      }
      t.offset = slot * share;
      while (slot < ranks && !written[static_cast<std::size_t>(slot)]) ++slot;
      t.length = slot * share - t.offset;
    }
  }
  return p;
}

class actor {
 public:
  actor(io::lab::virtual_gpfs const& files, io::lab::virtual_rank const& world, plan const& p,
        std::uint64_t number, bool hints)
      : world_(world),
        plan_(p),
        random_(number + static_cast<std::uint64_t>(world.rank())),
        hints_(hints) {
    std::error_code error;
    file_ = files.open("f", {.read = true, .write = true, .create = true}, error);
    REQUIRE(!error);
    block_ = file_.block_bytes();
  }

  void run() {
    bytes there(static_cast<std::size_t>(plan_.bytes));
    std::int64_t size = 0;
    for (int k = 0; k < static_cast<int>(plan_.turns.size()); ++k) {
      if (std::count(plan_.start.begin(), plan_.start.end(), k) > 0) {
        auto start = io::test::ship_start(world_.size());
        REQUIRE(!file_.fcntl(start));
      }
      if (std::count(plan_.stop.begin(), plan_.stop.end(), k) > 0) {
        io::test::ship_stop stop;
        REQUIRE(!file_.fcntl(stop));
      }
      auto const& all = plan_.turns[static_cast<std::size_t>(k)];
      if (pick(random_, 0, 2) == 0)
        world_.compute(1e-6 * static_cast<double>(pick(random_, 1, 5000)));
      act(all[static_cast<std::size_t>(world_.rank())], k, there, size);
      for (int r = 0; r < world_.size(); ++r) {
        turn const& t = all[static_cast<std::size_t>(r)];
        if (t.what != turn::kind::write) continue;
        std::fill_n(there.begin() + t.offset, t.length, value_of(k, r));
        size = std::max(size, t.offset + t.length);
      }
      world_.barrier();
      if (pick(random_, 0, 19) == 0) {
        std::error_code error;
        REQUIRE(file_.size(error) == size);
      }
      world_.barrier();
    }
    REQUIRE(!file_.close());
  }

 private:
  static std::byte value_of(int meeting, int rank) {
    return static_cast<std::byte>((meeting * 37 + rank) % 255 + 1);
  }

  void act(turn const& t, int k, bytes const& there, std::int64_t size) {
    switch (t.what) {
      case turn::kind::write: {
        bytes const mine(static_cast<std::size_t>(t.length), value_of(k, world_.rank()));
        if (hints_) announce(t, true);
        REQUIRE(file_.write(t.offset, mine).bytes == t.length);
        break;
      }
      case turn::kind::read: {
        bytes got(static_cast<std::size_t>(t.length), std::byte{});
        if (hints_) announce(t, false);
        auto const done = file_.read(t.offset, got);
        REQUIRE(!done.error);
        // If other ranks extend the file meanwhile, the read may end at the old or a new end. Bytes
        // behind the written ones are zeros.
        REQUIRE(done.bytes >= std::clamp<std::int64_t>(size - t.offset, 0, t.length));
        REQUIRE(std::equal(got.begin(), got.begin() + done.bytes, there.begin() + t.offset));
        break;
      }
      case turn::kind::hint:
        announce(t, pick(random_, 0, 1) == 1);
        break;
      case turn::kind::free: {
        auto free = io::test::free_range(t.offset, pick(random_, 0, 1) * t.length);
        REQUIRE(!file_.fcntl(free));
        break;
      }
      case turn::kind::sync:
        REQUIRE(!file_.sync());
        break;
      case turn::kind::none:
        break;
    }
  }

  // Gives a multiple access range hint for some blocks of the turn, and releases ranges that were
  // accepted before.
  void announce(turn const& t, bool writes) {
    io::test::ranges_hint h;
    for (auto const& r : accepted_)
      if (h.a.relRangeCnt < gpfs::range_count_max) h.a.relRangeArray[h.a.relRangeCnt++] = r;
    accepted_.erase(accepted_.begin(), accepted_.begin() + h.a.relRangeCnt);
    for (std::int64_t b = t.offset / block_;
         b * block_ < t.offset + t.length && h.a.accRangeCnt < 3; ++b) {
      gpfs::gpfsRangeArray_t& r = h.a.accRangeArray[h.a.accRangeCnt++];
      r.blockNumber = b;
      r.length = static_cast<int>(block_);
      r.isWrite = writes ? 1 : 0;
    }
    REQUIRE(!file_.fcntl(h));
    accepted_.insert(accepted_.end(), h.a.accRangeArray, h.a.accRangeArray + h.a.accRangeCnt);
  }

  io::lab::virtual_rank const& world_;
  plan const& plan_;
  engine random_;
  bool hints_;
  io::lab::virtual_gpfs_handle file_;
  std::int64_t block_ = 0;
  std::vector<gpfs::gpfsRangeArray_t> accepted_;
};

void many(std::uint64_t first, int rounds, bool partitioned, bool hints) {
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t const number = seed() + first + static_cast<std::uint64_t>(round);
    CAPTURE(seed(), round);
    engine random(number);
    int const ranks = static_cast<int>(pick(random, 2, 7)),
              per_node = static_cast<int>(pick(random, 1, 3));
    gpfs::machine const m = small_machine(random);
    gpfs::troubles const t{.seed = number,
                           .delay_max = std::chrono::nanoseconds(pick(random, 0, 1) * 2'000'000)};
    plan const p = make_plan(random, ranks, 40, partitioned);
    io::lab::virtual_gpfs const files(m, (ranks - 1) / per_node + 1, t);
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = per_node, .seed = number})
        .run([&](io::lab::virtual_rank const& world) {
          actor(files, world, p, number, hints).run();
        });
    bytes expected(static_cast<std::size_t>(p.bytes));
    std::int64_t size = 0;
    for (int k = 0; k < 40; ++k)
      for (int r = 0; r < ranks; ++r) {
        turn const& one = p.turns[static_cast<std::size_t>(k)][static_cast<std::size_t>(r)];
        if (one.what != turn::kind::write) continue;
        std::fill_n(expected.begin() + one.offset, one.length,
                    static_cast<std::byte>((k * 37 + r) % 255 + 1));
        size = std::max(size, one.offset + one.length);
      }
    expected.resize(static_cast<std::size_t>(size));
    REQUIRE(files.content("f") == expected);
  }
}

}  // namespace

TEST_CASE("reads see the last complete write: tokens", "[virtual_gpfs][coherence]") {
  many(0, 150, false, false);
}
TEST_CASE("reads see the last complete write: tokens and range hints",
          "[virtual_gpfs][coherence]") {
  many(1000, 150, false, true);
}
TEST_CASE("reads see the last complete write: partitioned now and then",
          "[virtual_gpfs][coherence]") {
  many(2000, 100, true, false);
}
TEST_CASE("reads see the last complete write: everything", "[virtual_gpfs][coherence]") {
  many(3000, 100, true, true);
}

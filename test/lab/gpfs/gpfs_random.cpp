// Many tasks on several nodes make any mixture of calls and hints, and messages are delayed at
// random. A read must return the last write that was complete when it began, or a write during the
// read.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <random>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>

#include "lab/gpfs/gpfs_oracle.hpp"
#include "support/gpfs_hints.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::test::oracle;
using io::test::seed;

namespace {

using engine = std::mt19937_64;

std::int64_t pick(engine& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

gpfs::machine small_machine(engine& random) {
  gpfs::machine m;
  m.block_bytes = std::int64_t{16} << pick(random, 0, 2);
  m.servers = pick(random, 1, 3);
  m.disks_per_server = pick(random, 1, 2);
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
  m.disk_us = static_cast<double>(pick(random, 1, 500));
  return m;
}

struct task {
  gpfs::loopback_file file;
  enum class kind { none, read, write, size, other } doing = kind::none;
  gpfs::loopback::ticket ticket;
  gpfs::detail::instant begin{};
  std::int64_t offset = 0;
  std::vector<std::byte> memory;
  std::size_t note = 0;
  io::test::hint<gpfs::gpfsAccessRange_t> access;
  io::test::hint<gpfs::gpfsFreeRange_t> free;
  io::test::hint<gpfs::gpfsClearFileCache_t> clear;
  io::test::hint<gpfs::gpfsCancelHints_t> cancel;
  io::test::ranges_hint ranges;
  std::vector<gpfs::gpfsRangeArray_t> accepted;
  bool asked_ranges = false;
  std::int64_t next = 0, stride = 0, record = 0;  // state of a stream
  int in_stream = 0;
};

class run {
 public:
  run(engine& random, std::int64_t bytes, std::int64_t tasks, std::uint64_t host_seed)
      : random_(random),
        bytes_(bytes),
        host_(small_machine(random), static_cast<int>(pick(random, 1, 4)),
              {host_seed, gpfs::detail::instant(pick(random, 0, 1) * pick(random, 1, 2'000'000))}),
        oracle_(bytes) {
    for (std::int64_t t = 0; t < tasks; ++t) {
      task& added = tasks_.emplace_back();
      std::error_code error;
      added.file =
          gpfs::loopback_file::open(host_, static_cast<int>(pick(random, 0, host_.nodes() - 1)),
                                    "f", {.read = true, .write = true, .create = true}, error);
      REQUIRE(!error);
    }
  }

  void go(std::int64_t calls) {
    std::int64_t left = calls;
    for (;;) {
      for (task& t : tasks_) {
        if (t.doing != task::kind::none && host_.done(t.ticket)) check(t);
        if (t.doing == task::kind::none && left > 0 && pick(random_, 0, 2) > 0) {
          start(t);
          --left;
        }
      }
      if (!host_.step()) {
        bool const waits = std::any_of(tasks_.begin(), tasks_.end(),
                                       [](task const& t) { return t.doing != task::kind::none; });
        REQUIRE((!waits || left > 0 || all_done()));
        if (left == 0 && !waits) break;
        if (waits && !all_done() && left == 0) FAIL("a call waits for ever");
      }
    }
  }

  // Starts partitioning; every task takes part.
  void partition(bool with_map) {
    std::vector<int> nodes;
    for (task& t : tasks_) nodes.push_back(t.file.node());
    std::vector<io::test::ship_start_map> maps(tasks_.size());
    std::vector<io::test::hint<gpfs::gpfsDataShipStart_t>> starts(tasks_.size());
    std::vector<gpfs::loopback::ticket> tickets;
    int const blocks = static_cast<int>(pick(random_, 1, 3));
    std::size_t k = 0;
    for (task& t : tasks_) {
      gpfs::detail::call c = t.file.make(gpfs::detail::call_kind::fcntl);
      auto const n = static_cast<int>(tasks_.size());
      if (with_map) {
        maps[k] = io::test::ship_start_with(
            n, blocks * static_cast<int>(host_.hardware().block_bytes), nodes);
        c.argument = std::as_writable_bytes(std::span(&maps[k], 1));
      } else {
        starts[k] = io::test::ship_start(n);
        c.argument = std::as_writable_bytes(std::span(&starts[k], 1));
      }
      tickets.push_back(t.file.start(c));
      ++k;
    }
    for (auto const& t : tickets) REQUIRE(host_.wait(t).error == 0);
  }
  void stop() {
    std::vector<io::test::ship_stop> stops(tasks_.size());
    std::vector<gpfs::loopback::ticket> tickets;
    std::size_t k = 0;
    for (task& t : tasks_) {
      gpfs::detail::call c = t.file.make(gpfs::detail::call_kind::fcntl);
      c.argument = std::as_writable_bytes(std::span(&stops[k++], 1));
      tickets.push_back(t.file.start(c));
    }
    for (auto const& t : tickets) REQUIRE(host_.wait(t).error == 0);
  }

  gpfs::loopback& host() { return host_; }

 private:
  bool all_done() const {
    return std::all_of(tasks_.begin(), tasks_.end(), [&](task const& t) {
      return t.doing == task::kind::none || host_.done(t.ticket);
    });
  }

  void start(task& t) {
    gpfs::detail::call c;
    t.begin = host_.now();
    auto const choice = pick(random_, 0, 99);
    std::int64_t const block = host_.hardware().block_bytes;
    if (choice < 80) {
      bool const writes = choice < 40;
      if (t.in_stream == 0 && pick(random_, 0, 5) == 0) {
        t.in_stream = static_cast<int>(pick(random_, 2, 10));
        t.record = pick(random_, 1, block);
        t.stride = t.record + pick(random_, 0, 1) * pick(random_, 1, 2 * block);
        t.next = pick(random_, 0, bytes_ / 2);
      }
      std::int64_t length =
          pick(random_, 0, 3) == 0 ? pick(random_, 1, 4 * block) : pick(random_, 1, block);
      t.offset = pick(random_, 0, bytes_ - 1);
      if (t.in_stream > 0) {
        --t.in_stream;
        t.offset = std::min(t.next, bytes_ - 1);
        length = t.record;
        t.next += t.stride;
      }
      length = std::min(length, bytes_ - t.offset);
      auto const value = static_cast<std::byte>(next_value_++ % 255 + 1);
      t.memory.assign(static_cast<std::size_t>(length), writes ? value : std::byte{});
      c = t.file.make(writes ? gpfs::detail::call_kind::write : gpfs::detail::call_kind::read);
      c.offset = t.offset;
      if (writes)
        c.from = t.memory;
      else
        c.into = t.memory;
      t.doing = writes ? task::kind::write : task::kind::read;
      if (writes) t.note = oracle_.started(t.offset, length, value, t.begin);
    } else if (choice < 84) {
      c = t.file.make(gpfs::detail::call_kind::size);
      t.doing = task::kind::size;
    } else if (choice < 88) {
      c = t.file.make(gpfs::detail::call_kind::sync);
      t.doing = task::kind::other;
    } else {
      c = t.file.make(gpfs::detail::call_kind::fcntl);
      t.doing = task::kind::other;
      if (choice < 90) {
        t.access = io::test::access_range(pick(random_, 0, bytes_), pick(random_, 0, 3 * block),
                                          choice == 88);
        c.argument = std::as_writable_bytes(std::span(&t.access, 1));
      } else if (choice < 92) {
        t.free = io::test::free_range(pick(random_, 0, bytes_), pick(random_, 0, 5 * block));
        c.argument = std::as_writable_bytes(std::span(&t.free, 1));
      } else if (choice == 92) {
        c.argument = std::as_writable_bytes(std::span(&t.clear, 1));
      } else if (choice == 93) {
        c.argument = std::as_writable_bytes(std::span(&t.cancel, 1));
        t.accepted.clear();
      } else {
        t.ranges = {};
        t.asked_ranges = true;
        for (auto n = pick(random_, 0, 8); n > 0; --n) {
          gpfs::gpfsRangeArray_t& r = t.ranges.a.accRangeArray[t.ranges.a.accRangeCnt++];
          r.blockNumber = pick(random_, 0, bytes_ / block);
          r.start = static_cast<int>(pick(random_, 0, 1) * pick(random_, 0, block - 1));
          r.length = static_cast<int>(block) - r.start;
          r.isWrite = static_cast<int>(pick(random_, 0, 1));
        }
        while (!t.accepted.empty() && t.ranges.a.relRangeCnt < gpfs::range_count_max &&
               pick(random_, 0, 3) > 0) {
          t.ranges.a.relRangeArray[t.ranges.a.relRangeCnt++] = t.accepted.back();
          t.accepted.pop_back();
        }
        c.argument = std::as_writable_bytes(std::span(&t.ranges, 1));
      }
    }
    t.ticket = t.file.start(c);
  }

  void check(task& t) {
    gpfs::detail::completion const done = host_.result(t.ticket);
    REQUIRE(done.error == 0);
    auto const n = static_cast<std::int64_t>(t.memory.size());
    switch (t.doing) {
      case task::kind::write:
        REQUIRE(done.value == n);
        oracle_.finished(t.note, done.at);
        break;
      case task::kind::read: {
        REQUIRE(done.value >= std::min(n, oracle_.size_at_least(t.begin) - t.offset));
        REQUIRE(done.value <=
                std::clamp<std::int64_t>(oracle_.size_at_most(done.at) - t.offset, 0, n));
        for (std::int64_t k = 0; k < done.value; ++k)
          if (!oracle_.allows(t.offset + k, t.memory[static_cast<std::size_t>(k)], t.begin,
                              done.at)) {
            CAPTURE(t.offset, k, t.file.node());
            FAIL("a byte that cannot be there");
          }
        break;
      }
      case task::kind::size:
        REQUIRE(done.value >= oracle_.size_at_least(t.begin));
        REQUIRE(done.value <= oracle_.size_at_most(done.at));
        break;
      default:
        break;
    }
    if (std::exchange(t.asked_ranges, false))
      for (int k = 0; k < t.ranges.a.accRangeCnt; ++k)
        t.accepted.push_back(t.ranges.a.accRangeArray[k]);
    t.doing = task::kind::none;
  }

  engine& random_;
  std::int64_t bytes_;
  gpfs::loopback host_;
  oracle oracle_;
  std::list<task> tasks_;
  unsigned next_value_ = 0;
};

}  // namespace

TEST_CASE("reads see the last completed write, whatever the nodes and messages do",
          "[gpfs][random]") {
  for (std::uint64_t round = 0; round < 400; ++round) {
    CAPTURE(seed(), round);
    engine random(seed() + round);
    run r(random, pick(random, 1, 600), pick(random, 1, 6), round);
    r.go(150);
  }
}

TEST_CASE("so they do while the file is partitioned, and before and after",
          "[gpfs][random][partitioning]") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    CAPTURE(seed(), round);
    engine random(seed() + 1000 + round);
    run r(random, pick(random, 1, 600), pick(random, 1, 6), round);
    for (int phase = 0; phase < 3; ++phase) {
      r.go(40);
      r.partition(pick(random, 0, 1) == 1);
      r.go(40);
      r.stop();
    }
    r.go(40);
  }
}

TEST_CASE("one call after the other, with changes of the size, is a vector of bytes",
          "[gpfs][random]") {
  for (std::uint64_t round = 0; round < 150; ++round) {
    CAPTURE(seed(), round);
    engine random(seed() + 2000 + round);
    gpfs::loopback host(small_machine(random), 3, {round, gpfs::detail::instant(1'000'000)});
    std::vector<std::byte> expected;
    std::vector<gpfs::loopback_file> files;
    std::error_code error;
    for (int n = 0; n < 3; ++n)
      files.push_back(gpfs::loopback_file::open(
          host, n, "f", {.read = true, .write = true, .create = true}, error));
    for (int k = 0; k < 120; ++k) {
      gpfs::loopback_file& f = files[static_cast<std::size_t>(pick(random, 0, 2))];
      std::int64_t const offset = pick(random, 0, 500);
      switch (pick(random, 0, 8)) {
        case 0: {
          REQUIRE(!f.resize(offset));
          expected.resize(static_cast<std::size_t>(offset));
          break;
        }
        case 1:
          REQUIRE(f.size(error) == static_cast<std::int64_t>(expected.size()));
          break;
        case 2: {
          int const node = f.node();
          REQUIRE(!f.close());
          f = gpfs::loopback_file::open(host, node, "f", {.read = true, .write = true}, error);
          REQUIRE(!error);
          break;
        }
        case 3:
        case 4:
        case 5: {
          std::vector<std::byte> const data(static_cast<std::size_t>(pick(random, 0, 200)),
                                            static_cast<std::byte>(k % 255 + 1));
          io::extend::io_result const done = f.write(offset, data);
          REQUIRE(!done.error);
          REQUIRE(done.bytes == static_cast<std::int64_t>(data.size()));
          if (data.empty()) break;
          expected.resize(
              std::max(expected.size(), static_cast<std::size_t>(offset) + data.size()));
          std::copy(data.begin(), data.end(), expected.begin() + offset);
          break;
        }
        default: {
          std::vector<std::byte> got(static_cast<std::size_t>(pick(random, 0, 300)));
          io::extend::io_result const done = f.read(offset, got);
          REQUIRE(!done.error);
          auto const there =
              std::clamp<std::int64_t>(static_cast<std::int64_t>(expected.size()) - offset, 0,
                                       static_cast<std::int64_t>(got.size()));
          REQUIRE(done.bytes == there);
          REQUIRE(std::equal(got.begin(), got.begin() + there,
                             expected.begin() + (there > 0 ? offset : 0)));
        }
      }
    }
  }
}

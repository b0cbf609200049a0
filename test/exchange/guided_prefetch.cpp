// Guided prefetching: its steps alone and on a simulated GPFS. One page because both halves check
// one algorithm.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/exchange/detail/guided_access.hpp>
#include <argosy/exchange/detail/guided_prefetch.hpp>
#include <argosy/exchange/detail/run_pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/loopback_file.hpp>
#include <argosy/layout/table.hpp>

#include "support/catch.hpp"
#include "support/memory_handle.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace gpfs = io::lab::gpfs;
using io::test::seed;
using bytes = std::vector<std::byte>;
using block_part = io::detail::guided_prefetch::range;

namespace {

constexpr int B = 1024;

std::vector<block_part> ranges_in(std::int64_t blocks) {
  std::vector<block_part> all;
  for (std::int64_t b = 0; b < blocks; ++b)
    all.push_back({7 * b % 31 + 31 * b, 10, static_cast<int>(20 + b), 0, {}});
  return all;
}

// A file system as the paper describes it. It records the numbers of the ranges that it has
// accepted.
struct accepting {
  explicit accepting(std::vector<block_part> const& all) : ranges(all) {}

  std::int64_t number_of(block_part const& r) const {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      block_part const& k = ranges[i];
      if (k.blockNumber == r.blockNumber && k.start == r.start && k.length == r.length &&
          k.isWrite == r.isWrite)
        return static_cast<std::int64_t>(i);
    }
    return -1;
  }
  // Accepts n of the ranges in a hint.
  void take(gpfs::gpfsMultipleAccessRange_t const& h, std::int64_t n) {
    for (int i = 0; i < h.relRangeCnt; ++i) {
      std::int64_t const k = number_of(h.relRangeArray[i]);
      REQUIRE(held.erase(k) == 1);  // identical to an accepted range, and released once
      CHECK(released.insert(k).second);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t const k = number_of(h.accRangeArray[i]);
      REQUIRE(k >= 0);
      CHECK(accepted.insert(k).second);
      CHECK(held.insert(k).second);
    }
  }

  std::vector<block_part> const& ranges;
  std::set<std::int64_t> held, accepted, released;
};

}  // namespace

TEST_CASE("the steps of the paper, whatever the file system accepts", "[guided][random]") {
  std::mt19937 random(seed());
  auto const pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    std::int64_t const n = pick(0, 40), most = pick(1, 8);
    // number of ranges that are accepted of each hint; -1: any number
    std::int64_t const always = pick(-1, 8);
    std::int64_t const stops = pick(0, 3) == 0 ? pick(0, n) : n + 1;
    INFO("seed " << seed() << ", round " << round << ": " << n << " ranges, " << most
                 << " per step, accepts " << always);
    auto const all = ranges_in(n);
    accepting system(all);
    io::detail::guided_prefetch g(all, most);
    std::set<std::int64_t> ahead;  // accepted, and not accessed yet
    std::int64_t accessed = 0;
    while (accessed < stops) {
      if (g.has_hint()) {
        auto const h = g.hint();
        // The hint must name ranges that are neither accessed nor prefetched, until eight are
        // prefetched or no more remain.
        std::int64_t const have = static_cast<std::int64_t>(ahead.size());
        CHECK(h.accRangeCnt == std::min(8 - have, n - accessed - have));
        for (int i = 0; i < h.accRangeCnt; ++i)
          CHECK(system.number_of(h.accRangeArray[i]) == accessed + have + i);
        std::int64_t const accepts =
            std::min<std::int64_t>(h.accRangeCnt, always < 0 ? pick(0, 8) : always);
        for (std::int64_t i = 0; i < accepts; ++i) ahead.insert(accessed + have + i);
        system.take(h, accepts);
        g.answered(accepts);
        CHECK(system.held == ahead);  // all accessed ranges have been released
      }
      std::int64_t const step = g.step();
      if (accessed == n) {
        CHECK(step == 0);
        break;
      }
      CHECK(step == (ahead.empty() ? 1 : std::min(static_cast<std::int64_t>(ahead.size()), most)));
      CHECK(g.next() == accessed);
      std::int64_t const here = std::min(n - accessed, step + (pick(0, 3) == 0 ? pick(0, 9) : 0));
      g.accessed(here);
      accessed += here;
      std::erase_if(ahead, [&](std::int64_t k) { return k < accessed; });
    }
    g.end();
    if (g.has_hint()) {
      auto const last = g.hint();
      CHECK(last.accRangeCnt == 0);
      system.take(last, 0);
      g.answered(0);
    }
    CHECK_FALSE(g.has_hint());
    CHECK(system.held.empty());
    CHECK(system.released == system.accepted);
  }
}

TEST_CASE("a hint that fails is the last one, but what was accepted comes back", "[guided]") {
  auto const all = ranges_in(20);
  accepting system(all);
  io::detail::guided_prefetch g(all, 2);
  system.take(g.hint(), 8);
  g.answered(8);
  g.accessed(g.step());
  CHECK(g.hint().relRangeCnt == 2);
  g.refused();
  CHECK(g.step() == 18);  // all remaining ranges at once
  g.accessed(18);
  CHECK(g.hint().relRangeCnt == 8);
  CHECK(g.hint().accRangeCnt == 0);
  system.take(g.hint(), 0);
  CHECK(system.held.empty());
}

TEST_CASE("what looks regular, and what does not", "[guided]") {
  using pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
  auto const regular = [](pieces const& all, std::int64_t window = 1 << 20,
                          std::int64_t every = 1) {
    io::detail::run_pattern p;
    std::int64_t last = -1;
    for (auto const& [offset, length] : all)  // only every `every`-th window, cut at its borders
      for (std::int64_t at = offset; at < offset + length;) {
        std::int64_t const w = at / window, end = std::min(offset + length, (w + 1) * window);
        if (w % every == 0) {
          if (w != last) p.window(w * window, (w + 1) * window);
          last = w;
          p.piece(at, end - at);
        }
        at = end;
      }
    return p.regular();
  };
  pieces strided, dense, random;
  for (std::int64_t i = 0; i < 1000; ++i) {
    strided.emplace_back(5 + 300 * i, 100);
    dense.emplace_back(5 + 100 * i, 100);
    random.emplace_back(5 + 300 * i + 7 * i * i % 190, 100);
  }
  CHECK(regular({}));
  CHECK(regular({{5, 100}}));
  CHECK(regular({{5, 100}, {105, 10}, {115, 1}}));
  CHECK(regular(strided));
  CHECK(regular(dense));
  CHECK_FALSE(regular(random));
  CHECK_FALSE(regular({{5, 100}, {300, 100}}));
  CHECK_FALSE(regular({{5, 100}, {305, 100}, {605, 101}}));
  // Other agents have the windows in between.
  CHECK(regular(strided, 4096, 3));
  CHECK(regular(dense, 4096, 3));
  CHECK_FALSE(regular(random, 4096, 3));
  // Whole windows at any places are not one range of bytes that is dealt to several agents.
  pieces blocks;
  for (std::int64_t const b : {1, 4, 11, 13, 20, 29}) blocks.emplace_back(4096 * b, 4096);
  CHECK_FALSE(regular(blocks, 4096, 1));
}

TEST_CASE("one range for each block: from the first to the last byte that is wanted", "[guided]") {
  io::detail::block_ranges r(B, true);
  r.add(10, 20);
  r.add(100, 130);
  r.add(B + 1000, 3 * B + 5);
  r.add(9 * B, 10 * B);
  auto const all = r.get();
  REQUIRE(all.size() == 5);
  std::vector<std::vector<long long>> seen;
  for (block_part const& a : all) seen.push_back({a.blockNumber, a.start, a.length, a.isWrite});
  CHECK(seen == std::vector<std::vector<long long>>{
                    {0, 10, 120, 1}, {1, 1000, 24, 1}, {2, 0, B, 1}, {3, 0, 5, 1}, {9, 0, B, 1}});
  CHECK(r.end_of(1) == 2 * B);

  // A layout, added part by part, must give the same ranges.
  io::detail::block_ranges of_layout(B, false);
  std::vector<std::int64_t> offsets(50);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = 300 * static_cast<std::int64_t>(i);
  io::layout const form = io::table(offsets, 10);
  CHECK(of_layout.add(form, 0, 15) == 0);
  CHECK(of_layout.add(form, 15, 495) == 0);  // begins in the same block
  CHECK(of_layout.add(form, 495, 500) == static_cast<std::int64_t>(of_layout.get().size()) - 1);
  io::detail::block_ranges by_pieces(B, false);
  for (std::int64_t i = 0; i < 50; ++i) by_pieces.add(300 * i, 300 * i + 10);
  REQUIRE(of_layout.get().size() == by_pieces.get().size());
  for (std::size_t i = 0; i < by_pieces.get().size(); ++i) {
    CHECK(of_layout.get()[i].blockNumber == by_pieces.get()[i].blockNumber);
    CHECK(of_layout.get()[i].start == by_pieces.get()[i].start);
    CHECK(of_layout.get()[i].length == by_pieces.get()[i].length);
  }
}

namespace {

struct simulated {
  simulated(int quota, std::int64_t blocks) {
    gpfs::machine m;
    m.block_bytes = B;
    m.pagepool_bytes = 64 * B;
    m.servers = 2;
    m.range_quota_blocks = quota;
    host = std::make_unique<gpfs::loopback>(m, 1);
    std::error_code error;
    file = gpfs::loopback_file::open(*host, 0, "f", {.read = true, .write = true, .create = true},
                                     error);
    REQUIRE_FALSE(error);
    before.resize(static_cast<std::size_t>(blocks * B));
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::byte>(i * 31 / 7);
    REQUIRE(file.write(0, before).bytes == blocks * B);
  }
  std::unique_ptr<gpfs::loopback> host;
  gpfs::loopback_file file;
  bytes before;
};

}  // namespace

TEST_CASE("parts are moved as without hints, and every accepted range comes back",
          "[guided][random]") {
  std::mt19937 random(seed());
  auto const pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  std::int64_t accepted = 0;
  for (int round = 0; round < 60; ++round) {
    INFO("seed " << seed() << ", round " << round);
    simulated s(static_cast<int>(pick(0, 10)), 40);
    bool const reading = pick(0, 1) == 0;
    bytes memory(s.before.size(), std::byte{0xee}), hoped = reading ? memory : s.before;
    std::vector<io::read_part> reads;
    std::vector<io::write_part> writes;
    std::int64_t wanted = 0, end = 0;
    std::size_t place = 0;
    for (;;) {
      end += pick(0, 2) == 0 ? 0 : pick(0, 2000);
      std::int64_t const length = pick(1, pick(0, 5) == 0 ? 3000 : 200);
      if (end + length > 40 * B) break;
      auto const at = std::span(memory).subspan(place, static_cast<std::size_t>(length));
      auto const here = s.before.begin() + end;
      if (reading)
        std::copy_n(here, length, hoped.begin() + static_cast<std::ptrdiff_t>(place));
      else
        std::fill_n(hoped.begin() + end, length, std::byte{0xee});
      reads.push_back({end, at});
      writes.push_back({end, at});
      place += at.size();
      end += length;
      wanted += length;
    }
    io::report done;
    auto const most = pick(0, 8);
    auto const got = reading
                         ? io::detail::guided_transfer<io::read_part>(s.file, reads, most, done)
                         : io::detail::guided_transfer<io::write_part>(s.file, writes, most, done);
    CHECK_FALSE(got.error);
    CHECK(got.bytes == wanted);
    if (!reading) REQUIRE(s.file.read(0, memory).bytes == 40 * B);
    CHECK(memory == hoped);
    gpfs::client_counters const& c = s.host->client(0).counters();
    CHECK(c.ranges_accepted == done.hinted_ranges);
    CHECK(c.ranges_released == c.ranges_accepted);
    CHECK(c.ranges_unknown == 0);
    if (most == 0) CHECK(c.hint_calls == 0);
    accepted += c.ranges_accepted;
  }
  CHECK(accepted > 0);
}

namespace {

// Records its calls, accepts `accepts` ranges, and fails at the chosen calls.
class scripted : public io::test::memory_handle {
 public:
  struct state {
    std::vector<gpfs::gpfsMultipleAccessRange_t> hints = {};
    std::vector<std::pair<std::int64_t, std::int64_t>> reads = {};  // offsets and lengths
    int accepts = 8;
    std::size_t failing_hint = 1000, failing_read = 1000;
    bool throws = false;
  };
  explicit scripted(state& s)
      : memory_handle(std::make_shared<io::test::memory_file>()), state_(&s) {
    resize(100 * 4096);
  }
  using memory_handle::read;
  io::extend::io_result read(std::span<io::read_part const> parts) {
    if (state_->reads.size() >= state_->failing_read) {
      if (state_->throws) throw std::runtime_error("thrown");
      return {0, std::make_error_code(std::errc::io_error)};
    }
    for (io::read_part const& p : parts) state_->reads.emplace_back(p.offset, p.memory.size());
    return memory_handle::read(parts);
  }
  std::error_code fcntl(std::span<std::byte> argument) {
    gpfs::gpfsMultipleAccessRange_t h;
    std::memcpy(&h, argument.data() + sizeof(gpfs::gpfsFcntlHeader_t), sizeof h);
    if (state_->hints.size() == state_->failing_hint) {
      state_->failing_hint = 1000;
      return std::make_error_code(std::errc::io_error);
    }
    h.accRangeCnt = std::min(h.accRangeCnt, state_->accepts);
    state_->hints.push_back(h);
    std::memcpy(argument.data() + sizeof(gpfs::gpfsFcntlHeader_t), &h, sizeof h);
    return {};
  }
  bool takes_hints() const { return true; }
  int node() const { return 0; }

 private:
  state* state_;
};

struct outcome {
  io::extend::io_result got;
  std::int64_t accepted = 0, released = 0;
};
outcome read_scattered(scripted::state& s, std::int64_t most) {
  scripted file(s);
  std::vector<std::byte> memory(1000);
  std::vector<io::read_part> parts;
  std::size_t place = 0;
  for (std::int64_t const block : {1, 3, 4, 9, 15, 16, 30, 31, 40, 80}) {
    parts.push_back({4096 * block + 7 * block, std::span(memory).subspan(place, 100)});
    place += 100;
  }
  io::report done;
  outcome o;
  try {
    o.got = io::detail::guided_transfer<io::read_part>(file, parts, most, done);
  } catch (std::runtime_error const&) {
    o.got.error = std::make_error_code(std::errc::operation_canceled);
  }
  for (auto const& h : s.hints) {
    o.accepted += h.accRangeCnt;
    o.released += h.relRangeCnt;
  }
  return o;
}

}  // namespace

TEST_CASE("ranges are read in order, as many at a time as were accepted and are allowed",
          "[guided]") {
  for (int accepts = 0; accepts <= 8; ++accepts)
    for (std::int64_t most = 1; most <= 8; ++most) {
      CAPTURE(accepts, most);
      scripted::state s;
      s.accepts = accepts;
      outcome const o = read_scattered(s, most);
      CHECK(o.got.bytes == 1000);
      CHECK(o.accepted == o.released);
      CHECK((o.accepted > 0) == (accepts > 0));
      CHECK(s.reads.size() == 10);
      CHECK(std::is_sorted(s.reads.begin(), s.reads.end()));
      CHECK(s.hints.front().relRangeCnt == 0);
      // Hints come before the first access and after each access.
      if (accepts == 8 && most == 1) CHECK(s.hints.size() == 11);
      if (accepts == 0) CHECK(s.hints.size() == 10);  // there is no range to release
    }
}

TEST_CASE("what was accepted comes back when an access fails, or throws, or a hint fails",
          "[guided][errors]") {
  for (std::size_t k = 0; k < 12; ++k)
    for (bool const throws : {false, true}) {
      CAPTURE(k, throws);
      scripted::state s;
      s.failing_read = k;
      s.throws = throws;
      outcome o = read_scattered(s, 2);
      CHECK(o.accepted == o.released);
      CHECK(static_cast<bool>(o.got.error) == (k <= 8));  // two ranges at a time
      if (!throws) CHECK(o.got.bytes == static_cast<std::int64_t>(100 * s.reads.size()));

      scripted::state other;
      other.failing_hint = k;
      o = read_scattered(other, 2);
      CHECK(o.got.bytes == 1000);
      CHECK_FALSE(o.got.error);
      CHECK(o.accepted == o.released);
    }
}

// The costs that automatic estimates for a collective call and for ranks by themselves. Each price
// alone is compared with sums made by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <regex>
#include <string>

#include <argosy/policy.hpp>

#include "support/catch.hpp"

namespace io = argosy;
using io::access_kind;

namespace {

// Four ranks with interleaved pieces; some ranks have more to do.
io::extend::access_summary wanted() {
  io::extend::access_summary all;
  all.low = 0;
  all.high = 1'000'000;
  all.bytes = 800'000;
  all.most_bytes = 300'000;
  all.pieces = 4000;
  all.most_pieces = 1500;
  all.spans = 4'000'000;
  all.granule = 8;
  all.alone_ns = 1'000'000;
  all.alone_sum_ns = 3'000'000;
  all.alone_calls = 4000;
  all.alone_bytes = 900'000;
  all.ranks = 4;
  return all;
}

// Two aggregators, and all prices 0. Windows end at multiples of their length, so the second
// domain, from 499,712 on, has three.
io::automatic free_of_charge() {
  io::automatic p;
  p.two_phase.window_bytes = 256 << 10;
  p.two_phase.aggregators = 2;
  p.sieving.prices = {.call_ns = 0, .write_call_ns = 0, .lock_ns = 0, .byte_ns = 0, .piece_ns = 0};
  p.exchange = {.round_ns = 0, .byte_ns = 0, .piece_ns = 0, .crowd = 1, .write = 1};
  return p;
}

struct reckoned {
  std::int64_t together_us, alone_us;
};
reckoned reckon(io::automatic const& p, access_kind kind, io::extend::access_summary const& all,
                std::int64_t processors = 4) {
  io::extend::rank_group const ranks{
      .size = 4, .nodes = 2, .block_bytes = 4096, .processors = processors};
  std::string const reason = p.plan(kind, all, ranks).reason.str();
  CAPTURE(reason);
  std::smatch found;
  REQUIRE(std::regex_search(reason, found,
                            std::regex("about ([0-9]+) us, alone ([0-9]+) us, by the prices of ")));
  return {std::stoll(found[1]), std::stoll(found[2])};
}

}  // namespace

TEST_CASE("the price of a call together is that of rounds, of what is moved, and of the file",
          "[automatic][prices]") {
  auto const all = wanted();
  auto const together = [&](io::automatic const& p, access_kind kind = access_kind::read,
                            std::int64_t processors = 4) {
    return reckon(p, kind, all, processors).together_us;
  };
  io::automatic p = free_of_charge();
  CHECK(together(p) == 0);
  p.exchange.round_ns = 1000;
  CHECK(together(p) == 4);  // three rounds, and the end

  p = free_of_charge();
  p.exchange.byte_ns = 10;
  CHECK(together(p) == 3000);  // the rank with most bytes
  CHECK(together(p, access_kind::read, 1) == 8000);
  p.exchange.write = 2;
  CHECK(together(p) == 3000);
  CHECK(together(p, access_kind::write) == 6000);

  p = free_of_charge();
  p.exchange.piece_ns = 1000;
  CHECK(together(p) == 1500);
  CHECK(together(p, access_kind::read, 1) == 4000);

  p = free_of_charge();
  p.sieving.prices.byte_ns = 10;
  CHECK(together(p) == 5000);  // two aggregators at a time
  CHECK(together(p, access_kind::read, 1) == 10'000);

  p = free_of_charge();
  p.sieving.prices.call_ns = 1'000'000;
  p.sieving.prices.write_call_ns = 3'000'000;
  CHECK(together(p) == 3000);  // three rounds of two windows
  CHECK(together(p, access_kind::write) == 9000);

  p = free_of_charge();
  p.exchange.server_byte_ns = 2;
  CHECK(together(p) == 2000);
  p.exchange.server_call_ns = 1'000'000;
  CHECK(together(p, access_kind::read, 1) == 8000);
}

TEST_CASE(
    "the price of ranks by themselves is that of the slowest, of turns, and of what servers bring",
    "[automatic][prices]") {
  auto all = wanted();
  auto const alone = [&](io::automatic const& p, access_kind kind = access_kind::read,
                         std::int64_t processors = 4) {
    return reckon(p, kind, all, processors).alone_us;
  };
  io::automatic p = free_of_charge();
  CHECK(alone(p) == 1000);
  CHECK(alone(p, access_kind::read, 2) == 1500);
  CHECK(alone(p, access_kind::read, 1) == 3000);
  p.exchange.crowd = 2;
  CHECK(alone(p) == 2000);
  CHECK(alone(p, access_kind::read, 1) == 3000);  // one rank at a time is no crowd

  p = free_of_charge();
  p.exchange.crowd_call_ns = 500;
  CHECK(alone(p) == 1000);
  CHECK(alone(p, access_kind::write) == 1000 + 1968);  // 4,000 calls but 16 of each of four ranks
  CHECK(alone(p, access_kind::write, 1) == 3000);
  all.alone_calls = 64;
  CHECK(alone(p, access_kind::write) == 1000);
  all.alone_calls = 4000;

  p = free_of_charge();
  p.exchange.server_byte_ns = 2;
  CHECK(alone(p) == 1800);
  all.alone_bytes = 3'000'000;
  CHECK(alone(p) == 4000);  // a node caches what one of its ranks has read
  CHECK(alone(p, access_kind::write) == 6000);
  p.exchange.server_call_ns = 1000;
  CHECK(alone(p) == 8000);
}

TEST_CASE("blocks that go from rank to rank have their price", "[automatic][prices]") {
  io::automatic p = free_of_charge();
  p.exchange.block_ns = 100'000;
  auto all = wanted();
  // Each of 245 blocks goes to all four ranks: 980 times, four at a time.
  CHECK(reckon(p, access_kind::write, all).alone_us == 1000 + 24'500);
  CHECK(reckon(p, access_kind::read, all).alone_us == 1000);
  // In a collective call, a block that the call covers in part moves once, unless agents own it.
  CHECK(reckon(p, access_kind::write, all).together_us == 0);
  p.data_shipping.stripe_bytes = 4096;
  p.exchange.round_ns = 1000;
  // 62 rounds of four agents for 245 stripes, and the end
  CHECK(reckon(p, access_kind::write, all).together_us == 63);
  p.exchange.round_ns = 2000;
  CHECK(reckon(p, access_kind::write, all).together_us == 8 + 100);
  CHECK(reckon(p, access_kind::read, all).together_us == 8);
  p.exchange.round_ns = 0;
  p.sieving.prices.byte_ns = 1;
  CHECK(reckon(p, access_kind::read, all).alone_us == 1003);  // 980 / 4 blocks, each of 4096 bytes
  p.sieving.prices.byte_ns = 0;
  p.exchange.server_byte_ns = 1;
  CHECK(reckon(p, access_kind::read, all).alone_us == 4014);  // all 980 blocks
  p.exchange.server_byte_ns = 0;
  // With fewer pieces, blocks move once for each piece. If parts are not interleaved, once for each
  // neighbour.
  all.pieces = 40;
  CHECK(reckon(p, access_kind::write, all).alone_us == 1000 + 1000);
  all.spans = all.high;
  CHECK(reckon(p, access_kind::write, all).alone_us == 1000 + 75);
  // Whole blocks do not move.
  all.granule = 4096;
  CHECK(reckon(p, access_kind::write, all).alone_us == 1000);
}

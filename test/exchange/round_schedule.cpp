// The steps of collective calls: which windows each step has. Compared with a count of the windows
// with data.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/exchange/detail/round_schedule.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using io::detail::file_window;

namespace {

using window_of_domain = std::pair<std::size_t, std::int64_t>;

struct walk {
  std::vector<window_of_domain> windows;  // with data, in order
  std::int64_t steps = 0;
  bool contiguous = true, ascending = true, empty_elsewhere = true;
};

walk walk_through(io::collective_plan const& plan, io::layout const& file, std::int64_t bytes) {
  io::self const world;
  io::detail::stream_range const mine{&file, 0, file.size()};
  io::detail::round_schedule<io::self> schedule(world, plan, mine, bytes);
  walk w;
  std::vector<bool> gone(plan.domains.size());
  std::vector<std::int64_t> last(plan.domains.size(), -1);
  while (auto const k = schedule.next()) {
    if (k->number != w.steps++) w.contiguous = false;
    for (std::size_t a = 0; a < plan.domains.size(); ++a) {
      if (!schedule.takes_part(a, *k)) {
        gone[a] = true;
        continue;
      }
      if (gone[a]) w.contiguous = false;
      file_window const part = schedule.window_of(a, *k);
      auto const round = schedule.round_of(a, *k);
      if (!round) {
        if (part.length() != 0) w.empty_elsewhere = false;
        continue;
      }
      if (!mine.within(part).empty()) w.windows.emplace_back(a, *round);
      if (*round <= last[a]) w.ascending = false;
      last[a] = *round;
    }
  }
  CHECK(schedule.steps() == w.steps);
  return w;
}

}  // namespace

TEST_CASE("steps have each window with data once, and those of a domain in order",
          "[exchange][schedule][random]") {
  engine random(seed());
  for (int round = 0; round < (sanitized ? 20 : 100); ++round) {
    CAPTURE(seed(), round);
    std::int64_t const stripe = 4096, agents = pick(random, 1, 200), pieces = pick(random, 1, 700);
    std::set<std::int64_t> offsets;
    for (std::int64_t i = 0, at = 0; i < pieces; ++i) {
      at += pick(random, 0, 3) == 0 ? pick(random, 8, 200) : pick(random, 8, 400) * stripe;
      offsets.insert(at);
    }
    io::layout const file =
        io::flatten(io::table(std::vector<std::int64_t>(offsets.begin(), offsets.end()), 8));
    io::data_shipping const how{.stripe_bytes = stripe,
                                .agents = agents,
                                .window_bytes = pick(random, 0, 1) == 0 ? stripe : stripe / 4};
    io::collective_plan const plan =
        how.bound(io::access_kind::write, *offsets.begin(), *offsets.rbegin() + 8,
                  {.size = static_cast<int>(agents), .nodes = 1, .block_bytes = 1024});
    walk const w = walk_through(plan, file, file.size());
    CHECK(w.contiguous);
    CHECK(w.ascending);
    CHECK(w.empty_elsewhere);
    // Counts piece by piece, without the plan's own arithmetic of rounds. The keys are agent and
    // window in the file.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> expected;
    for (std::int64_t const at : offsets)
      for (std::int64_t const byte : {at, at + 7})
        ++expected[{byte / stripe % agents, byte / plan.window_bytes}];
    CHECK(w.windows.size() == expected.size());
    CHECK(std::set(w.windows.begin(), w.windows.end()).size() == w.windows.size());
  }
}

TEST_CASE("agents whose data lies in different rounds are at work in the same step",
          "[exchange][schedule]") {
  // 64 pieces, each for another agent and in another round.
  std::int64_t const stripe = 4096, agents = 64;
  std::vector<std::int64_t> offsets;
  for (std::int64_t k = 0; k < 64; ++k) offsets.push_back((k * agents + k) * stripe);
  io::layout const file = io::flatten(io::table(offsets, 8));
  io::data_shipping const how{.stripe_bytes = stripe, .agents = agents, .window_bytes = stripe};
  io::collective_plan const plan = how.bound(io::access_kind::write, 0, offsets.back() + 8,
                                             {.size = 64, .nodes = 1, .block_bytes = 1024});
  walk const w = walk_through(plan, file, file.size());
  CHECK(w.windows.size() == 64);
  CHECK(w.steps == 1);
}

TEST_CASE("where agents have data round by round there are as many steps as rounds with data",
          "[exchange][schedule]") {
  std::int64_t const stripe = 4096, agents = 50;
  std::vector<std::int64_t> offsets;  // a piece for each agent in each tenth round
  for (std::int64_t round = 0; round < 1000; round += 10)
    for (std::int64_t a = 0; a < agents; ++a) offsets.push_back((round * agents + a) * stripe);
  io::layout const file = io::flatten(io::table(offsets, 8));
  io::data_shipping const how{.stripe_bytes = stripe, .agents = agents, .window_bytes = stripe};
  io::collective_plan const plan = how.bound(io::access_kind::write, 0, offsets.back() + 8,
                                             {.size = 50, .nodes = 1, .block_bytes = 1024});
  walk const w = walk_through(plan, file, file.size());
  CHECK(w.windows.size() == offsets.size());
  CHECK(w.steps == 100);
}

TEST_CASE("a collective call of far segments takes a step, not one for each segment",
          "[exchange][schedule][data_shipping]") {
  constexpr int ranks = 12;
  // each segment begins in the stripe of another agent
  constexpr std::int64_t stripe = 4096, segment = stripe * (ranks * 9 + 1);
  for (bool const overlap : {true, false}) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 3, .seed = seed()},
                             {.stack_bytes = std::size_t{1} << 20})
        .run([&](io::lab::virtual_rank const& world) {
          io::data_shipping const how{
              .stripe_bytes = stripe, .agents = ranks, .window_bytes = stripe, .overlap = overlap};
          auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::read_write,
                                               {}, files.opener());
          std::vector<std::byte> const mine(1000, static_cast<std::byte>(world.rank() + 1));
          std::vector<std::byte> back(mine.size());
          for (std::int64_t call = 0; call < 3; ++call) {
            io::report const put = f.write_at_all(world.rank() * segment + call * 1000, mine, how);
            CHECK(put.bytes == 1000);
            CHECK(put.rounds == 1);
          }
          world.barrier();
          int const other = (world.rank() + 5) % ranks;
          for (std::int64_t call = 0; call < 3; ++call) {
            io::report const got = f.read_at_all(other * segment + call * 1000, back, how);
            CHECK(got.bytes == 1000);
            CHECK(got.rounds == 1);
            CHECK(back == std::vector<std::byte>(1000, static_cast<std::byte>(other + 1)));
          }
          f.close();
        });
  }
}

// Collective calls whose exchange and file access overlap, and calls in which they take turns.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy.hpp>

#include "support/catch.hpp"

namespace io = argosy;

namespace {

constexpr std::int64_t piece = 4096;
constexpr std::int64_t each = 512 * piece;

struct seconds {
  double write = 0, read = 0;
};

// Pieces are dealt to the ranks, so that all ranks exchange with all. Times are those of rank 0,
// because calls end on all ranks together.
io::lab::virtual_report run(io::lab::scenario const& s, io::extend::any_policy const& policy,
                            seconds& took, io::access_kind const kind = io::access_kind::read,
                            bool const timeline = false) {
  io::lab::virtual_files const files(s.disk);
  std::vector<std::byte> const hoped(static_cast<std::size_t>(each * s.ranks), std::byte{3});
  if (kind == io::access_kind::read)
    io::lab::virtual_cluster({.ranks = 1}).run([&](io::lab::virtual_rank const& world) {
      auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::write, {},
                                           files.opener());
      f.write_at(0, hoped);
      f.close();
    });
  auto const together = [&](io::lab::virtual_rank const& world) {
    auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::read_write, {},
                                         files.opener());
    std::vector<std::byte> mine(static_cast<std::size_t>(each), std::byte{1});
    f.set_view(piece * world.rank(), io::resized(io::bytes(piece), 0, piece * world.size()));
    double const began = world.now();
    if (kind == io::access_kind::write)
      f.write_all(mine, policy);
    else
      f.read_all(mine, policy);
    if (world.rank() == 0)
      (kind == io::access_kind::write ? took.write : took.read) = world.now() - began;
    if (kind == io::access_kind::read)
      CHECK(std::memcmp(mine.data(), hoped.data(), mine.size()) == 0);
    f.close();
  };
  return io::lab::virtual_cluster(s, {.stack_bytes = std::size_t{1} << 20, .timeline = timeline})
      .run(together);
}
seconds times_of(io::lab::scenario const& s, io::extend::any_policy const& policy) {
  seconds took;
  run(s, policy, took, io::access_kind::write);
  run(s, policy, took, io::access_kind::read);
  return took;
}

// A machine of four nodes whose adapters take as long as its file servers.
io::lab::scenario in_balance(int per_node) {
  io::lab::scenario s{.ranks = 4 * per_node, .ranks_per_node = per_node, .seed = 5};
  s.network.adapter_mb_per_s = 75;
  s.disk.servers = 5;  // windows of one round are on different servers
  s.disk.stripe_bytes = 256 << 10;
  s.disk.server_mb_per_s = 32;
  s.disk.request_ns = 0;
  return s;
}

io::two_phase rounds(bool overlap, std::int64_t layers = 1) {
  return {
      .window_bytes = 256 << 10, .aggregators_per_node = 1, .layers = layers, .overlap = overlap};
}
io::data_shipping stripes(bool overlap) {
  return {.stripe_bytes = 256 << 10,
          .agents_per_node = 1,
          .window_bytes = 256 << 10,
          .overlap = overlap};
}

// Returns the number of messages that travel while their aggregator, as receiver or sender, is in a
// file call.
std::int64_t beside_the_file(io::lab::virtual_report const& r, io::access_kind kind) {
  std::vector<io::lab::virtual_span> in_file;
  for (io::lab::virtual_span const& s : r.timeline)
    if (s.kind == std::string_view("file") && s.offset >= 0) in_file.push_back(s);
  return std::ranges::count_if(r.flows, [&](io::lab::virtual_flow const& f) {
    int const aggregator = kind == io::access_kind::write ? f.to : f.from;
    return f.bytes >= piece && std::ranges::any_of(in_file, [&](io::lab::virtual_span const& s) {
             return s.rank == aggregator && s.begin_ps < f.received_ps && f.sent_ps < s.end_ps;
           });
  });
}

}  // namespace

TEST_CASE("without overlap a call takes the sum of its two phases, and with it less",
          "[overlap][virtual]") {
  struct {
    char const* name;
    int per_node, layers;
    io::extend::any_policy overlapped, in_turn;
  } const all[] = {{"two-phase", 1, 1, rounds(true), rounds(false)},
                   {"two-phase, two to a node", 2, 1, rounds(true), rounds(false)},
                   {"two layers", 2, 2, rounds(true, 2), rounds(false, 2)},
                   {"stripes", 1, 1, stripes(true), stripes(false)},
                   {"stripes, two to a node", 2, 1, stripes(true), stripes(false)}};
  for (auto const& x : all) {
    CAPTURE(x.name);
    io::lab::scenario const both = in_balance(x.per_node);
    io::lab::scenario no_network = both, no_disk = both;
    no_network.network.adapter_mb_per_s = 1'000'000;
    no_disk.disk.server_mb_per_s = 1'000'000;
    seconds const exchange = times_of(no_disk, x.in_turn), file = times_of(no_network, x.in_turn);
    seconds const in_turn = times_of(both, x.in_turn), overlapped = times_of(both, x.overlapped);
    CAPTURE(exchange.write, file.write, in_turn.write, overlapped.write);
    CAPTURE(exchange.read, file.read, in_turn.read, overlapped.read);
    CHECK(std::abs(in_turn.write / (exchange.write + file.write) - 1) < 0.05);
    CHECK(std::abs(in_turn.read / (exchange.read + file.read) - 1) < 0.05);
    CHECK(overlapped.write < 0.95 * in_turn.write);
    // relays alone overlap little
    CHECK(overlapped.read < (x.layers == 1 ? 0.95 : 1.05) * in_turn.read);
  }
}

TEST_CASE("without overlap no data of an aggregator travels while it is in the file",
          "[overlap][virtual]") {
  for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read})
    for (int const per_node : {1, 2}) {
      CAPTURE(per_node, kind == io::access_kind::write);
      auto const beside = [&](io::extend::any_policy const& policy) {
        seconds unused;
        io::lab::virtual_report const r = run(in_balance(per_node), policy, unused, kind, true);
        REQUIRE(r.flows.size() > 50);
        return beside_the_file(r, kind);
      };
      CHECK(beside(rounds(false)) == 0);
      CHECK(beside(stripes(false)) == 0);
      CHECK(beside(rounds(true)) > 20);
      CHECK(beside(stripes(true)) > 20);
      if (per_node > 1) {
        CHECK(beside(rounds(false, 2)) == 0);
        if (kind == io::access_kind::write) CHECK(beside(rounds(true, 2)) > 20);
      }
    }
}

TEST_CASE("a plan says whether it overlaps, and ranks must want the same", "[overlap]") {
  io::extend::access_summary all;
  all.low = 0;
  all.high = all.bytes = 10 << 20;
  all.ranks = 4;
  all.granule = 1;
  io::extend::rank_group const ranks{.size = 4, .nodes = 4, .block_bytes = 4096};
  for (bool const overlap : {true, false}) {
    for (io::collective_plan const& p :
         {rounds(overlap).plan(io::access_kind::write, all, ranks),
          stripes(overlap).plan(io::access_kind::write, all, ranks)}) {
      CHECK(p.overlap == overlap);
      CHECK((to_string(p).find("exchange and file access by turns") == std::string::npos) ==
            overlap);
    }
  }
  CHECK(rounds(true).key() != rounds(false).key());
  CHECK(stripes(true).key() != stripes(false).key());
}

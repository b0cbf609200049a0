// Two-phase between nodes: the cases of one node, with messages.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/far_apart_cases.hpp"
#include "support/files_on_worlds.hpp"
#include "support/throwing_cases.hpp"
#include "support/two_phase_cases.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// Calls `check` with one rank to a node, with two, with ranks dealt to three nodes, and with a node
// that has no memory to share.
template <class Check>
void in_each_world(Check&& check) {
  io::mpi const ranks(MPI_COMM_WORLD);
  for (nodes_world::shape const& s : {nodes_world::shape{1, false, true},
                                      {2, false, true},
                                      {3, true, true},
                                      {2, false, ranks.rank() / 2 != 0}}) {
    if (s.per_node > 1 && s.per_node >= ranks.size()) continue;
    INFO(s.per_node << " ranks on a node, " << (s.dealt ? "dealt" : "neighbours")
                    << (s.shares ? "" : ", no memory"));
    check(nodes_world(ranks, s));
  }
}

using file = io::basic_file<nodes_world>;

// Between nodes the flavours differ only in the place of the data, so two are enough.
constexpr flavour few[] = {flavour::at, flavour::ordered};

}  // namespace

TEST_CASE("what ranks write together is what each of them wrote, and nothing else",
          "[two_phase][random]") {
  in_each_world([](nodes_world const& w) { check_random_transfers(w, 30); });
}
TEST_CASE("pieces of several ranks that overlap and are equal are there once",
          "[two_phase][ghosts][random]") {
  in_each_world([](nodes_world const& w) { check_ghosts(w, 10); });
}
TEST_CASE("data that lies far apart costs no rounds in between", "[two_phase][far][random]") {
  in_each_world([](nodes_world const& w) { check_far_apart(w, 8, std::int64_t{1} << 40); });
}
TEST_CASE("external32 goes through windows, too", "[two_phase][representation]") {
  in_each_world([](nodes_world const& w) { check_converted_windows(w); });
}
TEST_CASE("an aggregator that cannot write goes on; windows that did not fail are complete",
          "[two_phase][errors]") {
  in_each_world([](nodes_world const& w) { check_failing_writers(w, few); });
}
TEST_CASE("an aggregator that cannot read goes on", "[two_phase][errors]") {
  in_each_world([](nodes_world const& w) { check_failing_readers(w, few); });
}

TEST_CASE("collective calls go on while ranks do other things", "[later]") {
  in_each_world([](nodes_world const& w) { check_calls_under_way(w); });
}

TEST_CASE("a view is told once, and a regular one in few bytes", "[two_phase][views]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  nodes_world const world(ranks, {1, false, true});
  shared_scratch const dir(world);
  int const rank = world.rank(), size = world.size();
  file f = file::open(world, dir / "f", io::mode::create | io::mode::read_write);
  constexpr std::int64_t each = 20'000;
  io::two_phase const policy{.window_bytes = 4096, .aggregators = size};
  std::vector<int> data(each), back(each);
  std::iota(data.begin(), data.end(), rank * 1000);

  // Every rank has a part of each domain. The calls are at different places.
  f.set_view(4 * rank, {io::type<int>, io::resized(io::type<int>, 0, 4 * size)});
  for (int call = 0; call < 3; ++call) {
    io::report const r = f.write_at_all(call * each, data, policy);
    CHECK(r.messages >= (size - 1) * (r.rounds - 1));
    CHECK(r.messages <= (size - 1) * (r.rounds + 2));
    CHECK(r.message_bytes <= 4 * each);
    if (call == 0)
      CHECK(r.view_bytes <= (size - 1) * 200);
    else
      CHECK(r.view_bytes == (size - 1) * 24);
  }

  // Irregular pieces, the same number for each aggregator. Each gets only the pieces of its domain,
  // and none in later calls.
  std::vector<std::int64_t> offsets;
  engine random(seed());
  for (std::int64_t i = 0; i < each; ++i)
    offsets.push_back((2 * i + pick(random, 0, 1)) * 4 * size + 4 * rank);
  f.set_view(0, {io::type<int>, io::resized(io::table(offsets, 4), 0, 8 * each * size)});
  for (int call = 0; call < 3; ++call) {
    io::report const r = f.write_at_all(0, data, policy);
    if (call == 0)
      CHECK(r.view_bytes <= each * 18 * (size - 1) / size + 200 * size);
    else
      CHECK(r.view_bytes == (size - 1) * 24);
    CHECK(f.read_at_all(0, back, policy).bytes == 4 * each);
    CHECK(back == data);
    back.assign(back.size(), 0);
  }

  // In stripes, a single agent gets the view as a whole.
  for (std::int64_t const agents : {std::int64_t{size}, std::int64_t{1}}) {
    io::data_shipping const striped{.stripe_bytes = 8192, .agents = agents, .window_bytes = 4096};
    std::iota(data.begin(), data.end(), rank * 1000 + 7 + static_cast<int>(agents));
    f.set_view(0, {io::type<int>, io::resized(io::table(offsets, 4), 0, 8 * each * size)});
    for (int call = 0; call < 3; ++call) {
      io::report const r = f.write_at_all(0, data, striped);
      bool const far = agents == size ? size > 1 : rank != 0;
      if (call == 0)
        CHECK(r.view_bytes <= each * 18 * (agents == size ? size - 1 : size) / size + 200 * size);
      else
        CHECK(r.view_bytes == (far ? (agents == size ? size - 1 : 1) * 24 : 0));
      CHECK(f.read_at_all(0, back, striped).bytes == 4 * each);
      CHECK(back == data);
      back.assign(back.size(), 0);
    }
  }
  f.close();
}

TEST_CASE("what many want is read once, in bounded memory", "[two_phase][read]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  in_each_world([&](nodes_world const& world) {
    shared_scratch const dir(world);
    file f = file::open(world, dir / "f", io::mode::create | io::mode::read_write);
    constexpr std::int64_t count = 50'000;
    std::vector<int> data(count), back(count);
    std::iota(data.begin(), data.end(), 1);
    if (world.rank() == 0) f.write_at(0, data);
    world.barrier();
    // All ranks have the same pieces, with holes.
    f.set_view(0, {io::type<int>, io::resized(io::contiguous(3, io::type<int>), 0, 16)});
    std::vector<int> hoped;
    for (int i = 1; i <= count; ++i)
      if (i % 4 != 0) hoped.push_back(i);
    back.resize(hoped.size());
    io::report const r = f.read_at_all(0, back, io::two_phase{.window_bytes = 3000});
    CHECK(back == hoped);
    CHECK(sum(world, r.bytes_read) < 4 * count + 16);
    f.close();
  });
}

TEST_CASE("hosts have as many aggregators as they may have", "[two_phase][hints]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  int const size = ranks.size();
  for (bool const dealt : {false, true}) {
    nodes_world const world(ranks, {2, dealt, true});
    int const nodes = (size + 1) / 2;
    auto const host_of = [&](int rank) {
      return "node" + std::to_string(dealt ? rank % nodes : rank / 2);
    };
    shared_scratch const dir(world);
    file f = file::open(world, dir / "f", io::mode::create | io::mode::read_write);
    std::vector<std::byte> const data(1 << 20);
    auto const owners = [&](std::string const& list) {
      io::hints h;
      h.cb_config_list = list;
      f.set_hints(h);
      std::vector<int> result;
      io::collective_plan const p = f.explain_at_all(io::access_kind::write, world.rank() << 20,
                                                     data, io::two_phase{.window_bytes = 4096});
      for (io::extend::file_domain const& d : p.domains) result.push_back(d.rank);
      // The aggregators of the plan must be those that write.
      io::report const r =
          f.write_at_all(world.rank() << 20, data, io::two_phase{.window_bytes = 4096});
      CHECK((r.write_calls > 0) ==
            (std::find(result.begin(), result.end(), world.rank()) != result.end()));
      return result;
    };
    auto const count = [&](std::vector<int> const& those, std::string const& host) {
      return std::count_if(those.begin(), those.end(), [&](int r) { return host_of(r) == host; });
    };
    CHECK(owners("*:*").size() == static_cast<std::size_t>(size));
    CHECK(owners("*:1").size() == static_cast<std::size_t>(nodes));
    std::vector<int> const one = owners("*:1");
    for (int n = 0; n < nodes; ++n) CHECK(count(one, "node" + std::to_string(n)) == 1);
    CHECK(owners("node0:2") ==
          (dealt && nodes > 1 ? std::vector<int>{0, nodes} : std::vector<int>{0, 1}));
    std::vector<int> const all_but = owners("node0:0,*:1");
    // No host is left, so the list does not count.
    CHECK(count(all_but, "node0") == (nodes == 1 ? 2 : 0));
    CHECK(owners("elsewhere:3").size() == static_cast<std::size_t>(size));
    f.close();
  }
}

TEST_CASE("who throws in a collective write leaves nothing strange in the file",
          "[two_phase][exceptions]") {
  in_each_world([](nodes_world const& w) {
    shared_scratch const dir(w);
    check_throwing_writers(w, dir / "f", io::posix_opener(), true);
    check_throwing_plans(w, dir / "p", io::posix_opener());
  });
}

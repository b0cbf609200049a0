// Two-phase and data shipping of collective calls in the virtual cluster: between nodes, within
// nodes, and both.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/far_apart_cases.hpp"
#include "support/sanitized.hpp"
#include "support/throwing_cases.hpp"
#include "support/two_phase_cases.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// An exception on a stack of the cluster takes long under sanitizers.
constexpr int most_ranks = io::test::sanitized ? 5 : 8;

// Runs each case twice. The second time messages wait for their receives and are late, and one rank
// is slow.
template <class Check>
void in_each_cluster(Check&& check) {
  for (bool const late : {false, true})
    for (int const per_node : {1, 2, 8})
      for (int const ranks : {1, 2, 3, 5, 8}) {
        if (ranks > most_ranks || (per_node > 1 && per_node >= 2 * ranks)) continue;
        if (late && ranks == 1) continue;
        CAPTURE(ranks, per_node, late);
        io::lab::scenario s{.ranks = ranks, .ranks_per_node = per_node, .seed = seed()};
        if (late) {
          s.network.eager_bytes = 0;
          s.network.jitter_ns = 100'000;
          s.slow.push_back({.rank = ranks / 2, .factor = 50});
        }
        io::lab::virtual_files const files;
        io::lab::virtual_cluster(s, {.stack_bytes = std::size_t{1} << 20})
            .run([&](io::lab::virtual_rank const& world) { check(world, "f", files.opener()); });
      }
}

}  // namespace

TEST_CASE("what ranks write together is what each of them wrote, and nothing else",
          "[virtual][two_phase][random]") {
  in_each_cluster(
      [](auto const& world, auto&&... all) { check_random_transfers(world, 20, all...); });
}
TEST_CASE("pieces of several ranks that overlap and are equal are there once",
          "[virtual][two_phase][ghosts][random]") {
  in_each_cluster([](auto const& world, auto&&... all) { check_ghosts(world, 25, all...); });
}
TEST_CASE("data that lies far apart costs no rounds in between",
          "[virtual][two_phase][far][random]") {
  for (std::int64_t const span :
       {std::int64_t{1} << 22, std::int64_t{1} << 40, std::int64_t{1} << 62})
    in_each_cluster(
        [&](auto const& world, auto&&... all) { check_far_apart(world, 6, span, all...); });
}
TEST_CASE("who throws in a collective write leaves nothing strange in the file",
          "[virtual][two_phase][exceptions]") {
  in_each_cluster([](auto const&... all) { check_throwing_writers(all...); });
}
TEST_CASE("who throws in a collective read leaves nothing strange in memory",
          "[virtual][two_phase][exceptions]") {
  in_each_cluster([](auto const&... all) { check_throwing_readers(all...); });
}
TEST_CASE("a policy that throws leaves what it wrote, and the rest as it was",
          "[virtual][exceptions]") {
  in_each_cluster([](auto const&... all) { check_throwing_policies(all...); });
}
TEST_CASE("a policy of all ranks that throws ends its call, and no other",
          "[virtual][two_phase][exceptions]") {
  in_each_cluster([](auto const&... all) { check_throwing_plans(all...); });
}
TEST_CASE("a collective write that merges keeps off a request that is under way",
          "[virtual][two_phase][merging]") {
  for (io::mode const more : {io::mode::none, io::mode::unique_open})
    in_each_cluster(
        [&](io::lab::virtual_rank const& world, std::string const& path, io::opener const& files) {
          constexpr int each = 1000;
          io::hints h;
          h.ds_write = io::tristate::enable;
          auto f = io::basic_file<io::lab::virtual_rank>::open(
              world, path, io::mode::create | io::mode::read_write | more, h, files);
          f.set_view(4 * world.rank(),
                     {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())});
          for (int who = 0; who < world.size(); ++who) {
            std::vector<int> const data(each, world.rank() + 100 * who);
            std::vector<int> back(each);
            bool const here = world.rank() == who;
            // The ints of this rank lie between those of the others, who write at the same time.
            io::request later;
            if (here) later = f.iwrite_at(0, data, io::independent{.buffer_bytes = 64});
            f.write_at_all(0, std::span(data).first(here ? 0 : each),
                           io::two_phase{.window_bytes = 4096});
            if (here) CHECK(later.wait().bytes == 4 * each);
            world.barrier();
            f.read_at(0, back);
            CHECK(back == data);
            world.barrier();
          }
          f.close();
        });
}

// Services in the virtual cluster: questions are messages, answers take time, and a death is
// reported.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/service.hpp>

#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include "support/catch.hpp"
#include "support/service_cases.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

constexpr io::lab::virtual_options roomy{.stack_bytes = std::size_t{1} << 20};

}  // namespace

TEST_CASE("virtual ranks answer whatever they are asked, in the order of the questions",
          "[service][virtual]") {
  int const n = GENERATE(1, 2, 3, 7, 16);
  std::int64_t const jitter_ns = GENERATE(0, 100'000);
  CAPTURE(n, jitter_ns);
  io::lab::scenario s{.ranks = n, .ranks_per_node = 3, .seed = 9};
  s.network.jitter_ns = jitter_ns;
  auto const run = [&] {
    return io::lab::virtual_cluster(s, roomy).run([](io::lab::virtual_rank const& world) {
      check_answers(world);
      check_end_of_service(world);
      check_two_services(world);
    });
  };
  io::lab::virtual_report const one = run(), two = run();
  CHECK(one.trace_hash == two.trace_hash);
  CHECK(one.messages > 0);
}

TEST_CASE("a rank that computes answers meanwhile, and questions take the time of messages",
          "[service][virtual]") {
  double asked_for = 0;
  auto const r =
      io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1, .seed = 1})
          .run([&](io::lab::virtual_rank const& world) {
            std::error_code error;
            auto const mine = world.serve(
                [&](int, std::span<std::byte const> question) {
                  return std::vector<std::byte>(question.size());
                },
                error);
            if (world.rank() == 0) {
              world.compute(1);
            } else {
              double const began = world.now();
              CHECK(mine->call({{0, std::vector<std::byte>(1'250'000)}})[0].content.size() ==
                    1'250'000);
              asked_for = world.now() - began;
            }
            world.barrier();
          });
  CHECK(r.messages == 2);
  CHECK(r.message_bytes == 2'500'000);
  // 100 us each way at 12.5 GB/s, plus the time of a short message.
  CHECK(asked_for > 2 * 100e-6);
  CHECK(asked_for < 2 * 100e-6 + 10e-6);
}

TEST_CASE("who asks a rank that dies is told so, whenever that is", "[service][virtual][death]") {
  int told = 0, answered = 0;
  for (std::int64_t operation = 1; operation < 60; ++operation) {
    CAPTURE(operation);
    io::lab::scenario s{.ranks = 3, .ranks_per_node = 1, .seed = 3};
    s.deaths.push_back({1, operation});
    auto const r = io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
      std::error_code error;
      auto const mine = world.serve(
          [&](int, std::span<std::byte const>) {
            for (int i = 0; i < 20; ++i) world.pause();  // the answer takes a while
            return std::vector<std::byte>(1);
          },
          error);
      if (world.rank() == 1) {
        for (int i = 0; i < 100; ++i) world.pause();
        return;
      }
      for (int i = 0; i < 3; ++i) {
        auto const answers = mine->call({{1, {}}, {2 - world.rank(), {}}});
        if (answers[0].error)
          CHECK(answers[0].error == io::errc::rank_failed);
        else
          CHECK(answers[0].content.size() == 1);
        ++(answers[0].error ? told : answered);
        CHECK_FALSE(answers[1].error);
      }
      world.compute(1e-3);  // the other rank may still ask
      world.pause();
    });
    CHECK(r.dead.size() >= 1);
  }
  CHECK(told > 0);
  CHECK(answered > 0);
}

// The contract of a service, for every world. Each function is called by all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/world/service.hpp>

#include "catch.hpp"
#include "random.hpp"
#include "seed.hpp"

namespace argosy::test {

using namespace extend;

// Returns an answer: this rank, the asking rank, and the question backwards. Throws if the question
// begins with 255.
inline std::vector<std::byte> reversed(int me, int from, std::span<std::byte const> question) {
  if (!question.empty() && question[0] == std::byte{255})
    throw std::runtime_error("a question that nobody answers");
  std::vector<std::byte> answer(question.size() + 2);
  answer[0] = static_cast<std::byte>(me);
  answer[1] = static_cast<std::byte>(from);
  std::reverse_copy(question.begin(), question.end(), answer.begin() + 2);
  return answer;
}

template <serving World>
void check_answers(World const& world) {
  int const me = world.rank(), n = world.size();
  std::error_code error;
  auto const mine = world.serve(
      [me](int from, std::span<std::byte const> question) { return reversed(me, from, question); },
      error);
  REQUIRE_FALSE(error);
  engine random(seed() + static_cast<unsigned>(me));
  CHECK(mine->call({}).empty());
  for (int round = 0; round < 20; ++round) {
    INFO("seed " << seed() << ", round " << round);
    // Each rank asks as often as it likes. The rank that answers need not be in any call.
    if (pick(random, 0, 3) == 0) continue;
    std::vector<parcel> questions;
    for (std::int64_t k = pick(random, 1, 2 * n); k > 0; --k) {
      parcel& p = questions.emplace_back();
      p.rank = static_cast<int>(pick(random, 0, n - 1));
      p.content.resize(static_cast<std::size_t>(pick(random, 0, 4) == 0   ? 0
                                                : pick(random, 0, 9) == 0 ? pick(random, 1, 300'000)
                                                                          : pick(random, 1, 100)));
      for (std::byte& b : p.content) b = static_cast<std::byte>(random());
      if (!p.content.empty() && pick(random, 0, 5) == 0) p.content[0] = std::byte{255};
    }
    auto const answers = mine->call(questions);
    REQUIRE(answers.size() == questions.size());
    bool right = true;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      std::vector<std::byte> const& q = questions[i].content;
      bool const refused = !q.empty() && q[0] == std::byte{255};
      right = right && (refused ? static_cast<bool>(answers[i].error)
                                : !answers[i].error &&
                                      answers[i].content == reversed(questions[i].rank, me, q));
    }
    CHECK(right);
  }
  world.barrier();
}

// A question to a rank that has ended its service fails, and other ranks still answer.
template <serving World>
void check_end_of_service(World const& world) {
  int const me = world.rank();
  std::error_code error;
  std::atomic<int> asked{0};
  auto mine = world.serve(
      [&](int from, std::span<std::byte const> question) {
        ++asked;
        return reversed(me, from, question);
      },
      error);
  REQUIRE_FALSE(error);
  world.barrier();
  if (me == 0) mine.reset();
  world.barrier();
  if (mine) {
    auto const answers = mine->call({{0, {}}, {me, {}}, {0, std::vector<std::byte>(100'000)}});
    // The error is that of a rank that cannot be reached. Its number is compared, because worlds
    // that do not link the library run this code, too.
    CHECK(answers[0].error.value() == static_cast<int>(errc::rank_failed));
    CHECK_FALSE(answers[1].error);
    CHECK(answers[2].error.value() == static_cast<int>(errc::rank_failed));
  }
  world.barrier();
  CHECK(asked == (me == 0 ? 0 : 1));
}

// Two services at the same time do not receive each other's questions.
template <serving World>
void check_two_services(World const& world) {
  int const me = world.rank(), next = (me + 1) % world.size();
  std::error_code error;
  auto const one =
      world.serve([](int, std::span<std::byte const>) { return std::vector<std::byte>(1); }, error);
  auto const two =
      world.serve([](int, std::span<std::byte const>) { return std::vector<std::byte>(2); }, error);
  for (int i = 0; i < 10; ++i) {
    CHECK(one->call({{next, {}}})[0].content.size() == 1);
    CHECK(two->call({{next, {}}})[0].content.size() == 2);
  }
  world.barrier();
}

}  // namespace argosy::test

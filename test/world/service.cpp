// Ranks answer each other while they compute, or wait in MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/service.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::errc;
using io::extend::parcel;
using bytes = std::vector<std::byte>;
using namespace std::chrono_literals;

namespace {

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD); }

bytes numbered(std::size_t n, std::uint64_t salt) {
  bytes b(n);
  for (std::byte& one : b)
    one = static_cast<std::byte>((salt = salt * 6364136223846793005 + 1442695040888963407) >> 56);
  return b;
}

template <class T>
bytes to_bytes(T const& value) {
  bytes b(sizeof value);
  std::memcpy(b.data(), &value, sizeof value);
  return b;
}
template <class T>
T from_bytes(std::span<std::byte const> b) {
  T value;
  REQUIRE(b.size() == sizeof value);
  std::memcpy(&value, b.data(), sizeof value);
  return value;
}

// A question: the size of its answer, a salt, and the asking rank.
struct question {
  std::int64_t answer_bytes = 0;
  std::uint64_t salt = 0;
  int from = 0;
};

io::extend::serve_function answering(int me, std::atomic<int>& served) {
  return [me, &served](int from, std::span<std::byte const> request) {
    question q;
    if (request.size() < sizeof q) throw std::runtime_error("too short");
    std::memcpy(&q, request.data(), sizeof q);
    if (q.from != from) throw std::runtime_error("not from there");
    ++served;
    return numbered(static_cast<std::size_t>(q.answer_bytes),
                    q.salt + static_cast<std::uint64_t>(me));
  };
}

parcel ask(int to, question q, std::size_t more = 0) {
  bytes b = to_bytes(q);
  b.resize(b.size() + more);
  return {to, b};
}

}  // namespace

static_assert(io::extend::serving<io::mpi>);

TEST_CASE("every rank asks every rank, many at a time, while ranks compute", "[service]") {
  CAPTURE(io::test::seed());
  auto const world = everyone();
  std::atomic<int> served{0};
  std::error_code error;
  auto const s = world.serve(answering(world.rank(), served), error);
  REQUIRE_FALSE(error);
  std::mt19937_64 random(io::test::seed() + static_cast<std::uint64_t>(world.rank()));
  int asked = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<parcel> requests;
    std::vector<question> questions;
    for (int i = 0; i < 8; ++i) {
      question const q{static_cast<std::int64_t>(random() % 20000), random(), world.rank()};
      questions.push_back(q);
      requests.push_back(ask(static_cast<int>(random() % static_cast<unsigned>(world.size())), q,
                             random() % 5000));
      ++asked;
    }
    auto const answers = s->call(requests);
    REQUIRE(answers.size() == requests.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      REQUIRE_FALSE(answers[i].error);
      REQUIRE(answers[i].content ==
              numbered(static_cast<std::size_t>(questions[i].answer_bytes),
                       questions[i].salt + static_cast<std::uint64_t>(requests[i].rank)));
    }
  }
  world.barrier();
  struct sum {
    std::int64_t asked, served;
    void combine(sum const& o) { asked += o.asked, served += o.served; }
  } all{asked, served};
  world.all_reduce(all);
  CHECK(all.asked == all.served);
}

TEST_CASE("a rank in a barrier answers", "[service]") {
  auto const world = everyone();
  std::atomic<int> served{0};
  std::error_code error;
  auto const s = world.serve(answering(world.rank(), served), error);
  REQUIRE_FALSE(error);
  int const last = world.size() - 1;
  if (world.rank() == last) {
    for (int round = 0; round < 20; ++round) {
      std::vector<parcel> requests;
      for (int r = 0; r < world.size(); ++r) requests.push_back(ask(r, {100, 7, last}));
      for (auto const& a : s->call(requests)) {
        CHECK_FALSE(a.error);
        CHECK(a.content.size() == 100);
      }
    }
    CHECK(served == 20);
  }
  world.barrier();  // the other ranks have been here for long
  if (world.rank() != last) CHECK(served == 20);
}

TEST_CASE("big requests and answers in both directions", "[service]") {
  auto const world = everyone();
  std::atomic<int> served{0};
  std::error_code error;
  auto const s = world.serve(answering(world.rank(), served), error);
  std::int64_t const big = 70 << 20;
  int const next = (world.rank() + 1) % world.size();
  auto const answers = s->call({ask(next, {big, 3, world.rank()}, static_cast<std::size_t>(big))});
  REQUIRE_FALSE(answers[0].error);
  CHECK(answers[0].content ==
        numbered(static_cast<std::size_t>(big), 3 + static_cast<std::uint64_t>(next)));
  world.barrier();
}

TEST_CASE("what a handler throws is an error for who asked, and for no one else", "[service]") {
  auto const world = everyone();
  std::atomic<int> served{0};
  std::error_code error;
  auto const s = world.serve(answering(world.rank(), served), error);
  std::vector<parcel> requests;
  for (int r = 0; r < world.size(); ++r) {
    requests.push_back({r, bytes(1)});
    requests.push_back(ask(r, {10, 1, world.rank()}));
  }
  auto const answers = s->call(requests);
  for (std::size_t i = 0; i < answers.size(); i += 2) {
    CHECK(answers[i].error == errc::io);
    CHECK(answers[i].content.empty());
    CHECK_FALSE(answers[i + 1].error);
    CHECK(answers[i + 1].content.size() == 10);
  }
  CHECK(s->call({{world.size(), {}}, {-1, {}}})[0].error == errc::argument);
  CHECK(s->call({}).empty());
  world.barrier();
}

TEST_CASE("several requests are answered at the same time", "[service]") {
  auto const world = everyone();
  std::atomic<int> now{0};
  std::atomic<bool> together{false};
  std::error_code error;
  // The first question waits for the second, which must be served at the same time.
  auto const s = world.serve(
      [&](int, std::span<std::byte const>) {
        int const n = ++now;
        for (int i = 0; i < 20000 && n == 1 && !together; ++i) std::this_thread::sleep_for(1ms);
        if (n == 2) together = true;
        return to_bytes(together.load());
      },
      error);
  if (world.size() > 1 && world.rank() == 0) {
    auto const answers = s->call({{1, {}}, {1, {}}});
    CHECK(from_bytes<bool>(answers[0].content));
    CHECK(from_bytes<bool>(answers[1].content));
  }
  world.barrier();
}

TEST_CASE("threads of a rank ask at the same time", "[service]") {
  auto const world = everyone();
  std::atomic<int> served{0}, wrong{0};
  std::error_code error;
  auto const s = world.serve(answering(world.rank(), served), error);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 100; ++i) {
        int const to = (world.rank() + t + static_cast<int>(i)) % world.size();
        auto const a = s->call({ask(to, {50, i, world.rank()})});
        if (a[0].error || a[0].content != numbered(50, i + static_cast<std::uint64_t>(to))) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
  world.barrier();
  CHECK(served == 300);
}

TEST_CASE("who asks a rank that has ended its service gets an error", "[service]") {
  auto const world = everyone();
  if (world.size() == 1) return;
  std::atomic<int> served{0};
  std::error_code error;
  auto s = world.serve(answering(world.rank(), served), error);
  bool const met = GENERATE(true, false);  // connected before
  if (met) {
    std::vector<parcel> all;
    for (int r = 0; r < world.size(); ++r) all.push_back(ask(r, {10, 1, world.rank()}));
    for (auto const& a : s->call(all)) CHECK_FALSE(a.error);
  }
  world.barrier();
  if (world.rank() == 0) s.reset();
  world.barrier();
  if (world.rank() != 0)
    for (int i = 0; i < 3; ++i) {
      auto const answers =
          s->call({ask(0, {10, 1, world.rank()}), ask(world.rank(), {10, 1, world.rank()})});
      CHECK(answers[0].error == errc::rank_failed);
      CHECK_FALSE(answers[1].error);
    }
  world.barrier();
}

TEST_CASE("a service that ends while it is asked answers or refuses, and hangs nobody",
          "[service]") {
  auto const world = everyone();
  if (world.size() == 1) return;
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> served{0};
    std::error_code error;
    auto s = world.serve(answering(world.rank(), served), error);
    if (world.rank() == round % world.size()) {
      std::this_thread::sleep_for(std::chrono::microseconds(500 * round));
      s.reset();
    } else {
      std::vector<parcel> all;
      for (int i = 0; i < 40; ++i)
        all.push_back(ask(round % world.size(), {5000, 1, world.rank()}));
      for (auto const& a : s->call(all)) {
        if (a.error)
          CHECK(a.error == errc::rank_failed);
        else
          CHECK(a.content.size() == 5000);
      }
    }
    world.barrier();
  }
}

TEST_CASE("services come and go without a trace", "[service]") {
  auto const world = everyone();
  auto once = [&] {
    std::atomic<int> served{0};
    std::error_code error;
    auto const s = world.serve(answering(world.rank(), served), error);
    CHECK_FALSE(s->call({ask((world.rank() + 1) % world.size(), {10, 1, world.rank()})})[0].error);
    world.barrier();
  };
  once();
  auto const before = io::test::open_descriptors();
  for (int i = 0; i < 3; ++i) once();
  CHECK(io::test::open_descriptors() == before);
}

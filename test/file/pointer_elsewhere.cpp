// The shared pointer on rank 0 and in memory, and the lock of a rank's callers.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/file/detail/protocol/shared_pointer.hpp>
#include <argosy/world/background.hpp>

#include "file/pointer_value.hpp"
#include "support/catch.hpp"

namespace io = argosy;
using io::errc;
using io::detail::pointer_lock;
using io::detail::pointer_turn;
using io::detail::shared_pointer;
using io::extend::failure;
using io::test::value_of;

namespace {

// Fails the test if a pointer uses a file.
io::opener no_files() {
  return {[](std::string const&, io::extend::open_flags, std::error_code&) {
            FAIL_CHECK("a file is opened");
            return io::extend::any_handle();
          },
          [](std::string const&) {
            FAIL_CHECK("a file is removed");
            return std::error_code();
          }};
}

// Answers as rank 0 does, or as told.
class one_service : public io::extend::service {
 public:
  using function = std::function<std::vector<io::extend::service_answer>(
      std::vector<io::extend::parcel> const&)>;
  explicit one_service(function f) : f_(std::move(f)) {}
  std::vector<io::extend::service_answer> call(
      std::vector<io::extend::parcel> const& all) override {
    return f_(all);
  }

 private:
  function f_;
};

}  // namespace

TEST_CASE("rank 0 keeps the pointer for ranks that ask", "[file][shared]") {
  shared_pointer first(no_files(), "hidden"), other(no_files(), "hidden");
  io::extend::serve_function const serve = first.answers();
  auto const asks = [&](std::vector<io::extend::parcel> const& questions)
      -> std::vector<io::extend::service_answer> {
    REQUIRE(questions.size() == 1);
    CHECK(questions[0].rank == 0);
    return {{{}, serve(1, questions[0].content)}};
  };
  first.ask(std::make_unique<one_service>(asks));
  other.ask(std::make_unique<one_service>(asks));
  CHECK_FALSE(other.is_in_file());
  failure f;
  CHECK(other.add(5, f) == 0);
  CHECK(first.add(2, f) == 5);
  CHECK(value_of(other) == 7);
  CHECK(other.get(false, f) == 7);
  first.set(40, 0);
  other.set(40, 1);
  CHECK(value_of(other) == 40);
  CHECK(other.add(INT64_MAX - 39, f) == 40);
  CHECK(other.add(INT64_MAX - 40, f) == 40);
  CHECK(value_of(other) == INT64_MAX);
  // A question of another size asks for nothing.
  CHECK(serve(1, std::array<std::byte, 3>{}).size() == 8);
  CHECK(value_of(other) == INT64_MAX);
  CHECK_FALSE(f);
  other.remove();
}

TEST_CASE("rank 0 that does not answer is an error", "[file][shared][error]") {
  using answers = std::vector<io::extend::service_answer>;
  std::vector<std::byte> const eight(8, std::byte{1});
  std::error_code const dead = make_error_code(errc::rank_failed);
  for (auto const& [given, code] :
       {std::pair{answers{}, make_error_code(errc::io)},
        {answers{{dead, {}}}, dead},
        {answers{{dead, eight}}, dead},
        {answers{{{}, std::vector<std::byte>(7)}}, make_error_code(errc::io)},
        {answers{{{}, std::vector<std::byte>(9)}}, make_error_code(errc::io)},
        {answers{{{}, eight}, {{}, eight}}, make_error_code(errc::io)},
        {answers{{dead, eight}, {{}, eight}}, make_error_code(errc::io)}}) {
    shared_pointer p;
    p.ask(std::make_unique<one_service>([&, g = given](auto const&) { return g; }));
    failure f;
    CHECK(p.add(1, f) == 0);
    CHECK(f.code == code);
    CHECK_THAT(f.detail, Catch::Contains("asking rank 0 for the shared pointer"));
  }
}

TEST_CASE("a pointer in memory is added to once for all ranks", "[file][shared]") {
  auto const memory = io::extend::shared_memory::private_zeros(shared_pointer::memory_bytes);
  std::vector<shared_pointer> ranks;
  for (int r = 0; r < 3; ++r) ranks.emplace_back(memory.part(0, shared_pointer::memory_bytes));
  failure f;
  CHECK_FALSE(ranks[0].is_in_file());
  CHECK(ranks[1].add(4, f) == 0);
  CHECK(ranks[2].add(INT64_MAX, f) == 4);
  std::int64_t model = 4;
  for (int turn = 0; turn < 5; ++turn) {
    for (std::size_t r = 0; r < 3; ++r)
      CHECK(ranks[(r + static_cast<std::size_t>(turn)) % 3].add_together(10 + turn) == model);
    model += 10 + turn;
    CHECK(value_of(ranks[0]) == model);
  }
  for (int i = 0; i < 3; ++i) ranks[static_cast<std::size_t>(i)].set(i == 0 ? 6 : 99, i);
  CHECK(value_of(ranks[2]) == 6);
  CHECK(ranks[1].get(false, f) == 6);
  CHECK_FALSE(f);
}

TEST_CASE("a rank waits while another one adds to a pointer in memory", "[file][shared]") {
  auto const memory = io::extend::shared_memory::private_zeros(shared_pointer::memory_bytes);
  shared_pointer mine(memory.part(0, shared_pointer::memory_bytes));
  auto& turn = *reinterpret_cast<pointer_turn*>(memory.bytes().data() + sizeof(std::int64_t));
  std::atomic_ref<std::uint64_t> const stage(turn.stage);
  stage.store(1);  // another rank adds
  std::int64_t told = -1;
  std::thread waits([&] { told = mine.add_together(5); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  turn.before = 33;
  stage.store(2);
  waits.join();
  CHECK(told == 33);
}

TEST_CASE("callers of a rank that works in the background wait for each other", "[file][shared]") {
  struct fake : io::extend::background {
    std::function<void()> meanwhile = {};
    int waits = 0, wakes = 0;
    void start(std::function<void()>) override {}
    void wait(std::function<bool()> const& ended) override {
      ++waits;
      while (!ended()) meanwhile();
    }
    void wake() override { ++wakes; }
    void pause(int) override {}
  };
  auto const beside = std::make_shared<fake>();
  pointer_lock lock;
  lock.wait_beside(beside);
  lock.lock();
  CHECK(beside->waits == 0);
  bool let_go = false;
  beside->meanwhile = [&] { lock.unlock(), let_go = true; };
  lock.lock();  // by other work of the rank
  CHECK(let_go);
  CHECK(beside->waits == 1);
  CHECK(beside->wakes == 1);
  lock.unlock();
  lock.lock();
  CHECK(beside->waits == 1);
  lock.unlock();
  // A pointer has such a lock.
  shared_pointer p;
  p.wait_beside(beside);
  int const before = beside->wakes;
  CHECK_FALSE(p.file_was_used());
  CHECK(beside->wakes == before + 1);
}

// Deferred calls by themselves: who carries them out, in which order, and whose time it is.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/detail/protocol/deferred.hpp>
#include <argosy/file/views.hpp>
#include <argosy/policy/two_phase.hpp>

#include "file/one_rank.hpp"

namespace io = argosy;
using namespace io::test;
using io::detail::background_call;
using io::detail::collective_call;
using io::detail::operation;

namespace {

using deferred_calls = io::detail::deferred<mortal_world>;
using names = std::vector<std::string>;
constexpr std::int64_t each = 64;  // bytes of a call

// The deferred calls of a file of one rank.
struct deferring {
  one_rank rank;
  std::shared_ptr<noted_workers> workers;
  std::optional<deferred_calls> calls;
  std::vector<std::byte> data = std::vector<std::byte>(each, std::byte{7});

  explicit deferring(bool works, io::mode more = io::mode::none) : rank({}, 1, more) {
    if (works) workers = std::make_shared<noted_workers>();
    calls.emplace(rank.world, rank.file, rank.pointer, rank.ranks, workers);
    rank.file->seen_by().report_on("f", 0);
  }
  ~deferring() { rank.file->seen_by().report()->told(); }

  std::shared_ptr<background_call> start(operation what, std::int64_t at,
                                         io::access_options const& with = {}) {
    io::source memory{data};
    io::detail::call const c{what, at, memory, with};
    collective_call all(c, *rank.file, false, true);
    all.work().keep(std::move(memory));
    return calls->start(std::move(all));
  }
  std::shared_ptr<background_call> write(std::int64_t at) {
    return start(operation::iwrite_at_all, at);
  }
  std::int64_t waited_in_report() const {
    return rank.file->seen_by().report()->numbers().of(&io::report::waited_ns).sum;
  }
};

struct knows_the_dead {
  int known;
  int revoke() const { return known; }
};
struct knows_nothing {};

}  // namespace

TEST_CASE("a call that lost a rank names the rank that the world knows to be dead", "[file]") {
  io::extend::rank_failure const lost(3, "rank 3 died");
  auto const named = [&](auto const& world) {
    return io::detail::without(lost, world).failed_rank;
  };
  CHECK(named(std::optional<knows_nothing>(std::in_place)) == 3);
  CHECK(named(std::optional(knows_the_dead{2})) == 2);
  CHECK(named(std::optional(knows_the_dead{0})) == 0);
  CHECK(named(std::optional(knows_the_dead{-1})) == 3);
  CHECK(named(std::optional<knows_the_dead>()) == 3);
}

TEST_CASE("without workers, a rank carries out deferred calls where it waits", "[file]") {
  deferring d(false);
  auto const first = d.write(0), second = d.write(each), third = d.write(2 * each);
  CHECK_FALSE(d.calls->goes_on());
  CHECK(d.rank.bytes->bytes.empty());
  SECTION("by waiting for one of them: the others before it, too") {
    second->wait();
    CHECK(std::ssize(d.rank.bytes->bytes) == 2 * each);
    CHECK(first->done.bytes == each);
    CHECK(first->done.reason.str().find("where it was waited for") != std::string::npos);
    // The program counts its whole wait for the second call.
    CHECK(first->waited_ns() == one_rank::ns_of_access);
    CHECK(second->waited_ns() == -one_rank::ns_of_access);
    CHECK(d.waited_in_report() == 0);
    CHECK(third->test());
    CHECK(std::ssize(d.rank.bytes->bytes) == 3 * each);
    CHECK(third->waited_ns() == 0);
  }
  SECTION("by another call of the file") {
    d.calls->finish();
    CHECK(std::ssize(d.rank.bytes->bytes) == 3 * each);
    for (auto const& one : {first, second, third})
      CHECK(one->waited_ns() == one_rank::ns_of_access);
    CHECK(d.waited_in_report() == 3 * one_rank::ns_of_access);
  }
  auto const numbers = d.rank.file->seen_by().report()->numbers();
  CHECK(numbers.of(&io::report::bytes).sum == 3 * each);
}

TEST_CASE("workers carry out deferred calls one after the other", "[file]") {
  deferring d(true);
  CHECK(d.calls->goes_on());
  auto const first = d.write(0), second = d.write(each);
  CHECK(d.workers->asked == names{"start"});
  CHECK(d.rank.file->others().has_requests());
  CHECK_FALSE(first->test());
  CHECK(d.workers->asked == names{"start", "pause"});
  CHECK(d.rank.bytes->bytes.empty());
  SECTION("while the program goes on") { d.workers->work(); }
  SECTION("while the program waits for one of them") {
    first->wait();
    CHECK(first->waited_ns() == 0);  // counted by who waits
    CHECK(d.waited_in_report() == 0);
  }
  SECTION("while another call of the file waits for all") {
    d.calls->finish();
    CHECK(d.waited_in_report() == 2 * one_rank::ns_of_access);
  }
  CHECK(std::ranges::count(d.workers->asked, "wake") == 2);
  CHECK_FALSE(d.rank.file->others().has_requests());
  CHECK(std::ssize(d.rank.bytes->bytes) == 2 * each);
  CHECK((first->test() && second->test()));
  // The next call starts work again.
  auto const third = d.write(2 * each);
  CHECK(d.workers->asked.back() == "start");
  third->wait();
  CHECK(third->done.bytes == each);
}

TEST_CASE("a deferred call whose file is gone waits for nothing", "[file]") {
  deferring d(false);
  auto const left = d.write(0);
  d.calls.reset();
  left->wait();
  CHECK_FALSE(left->test());
  CHECK(d.rank.bytes->bytes.empty());
}

TEST_CASE("a deferred write that loses a rank does not say how much it wrote", "[file]") {
  deferring d(false);
  d.write(0)->wait();  // makes what the first call of a file needs
  auto const dies = [&](operation what) {
    auto const c = d.start(what, 0);
    d.rank.life->dies_in = d.rank.life->reductions + 2;  // at its end
    c->wait();
    CHECK(c->result.code == io::errc::rank_failed);
    CHECK(c->result.detail == "the rank died");
    return c;
  };
  auto const wrote = dies(operation::iwrite_at_all), read = dies(operation::iread_at_all);
  CHECK((wrote->done.bytes == 0 && wrote->done.memory_bytes == 0));
  CHECK(read->done.bytes == each);
  CHECK(d.rank.file->seen_by().report()->numbers().of(&io::report::bytes).sum == 2 * each);
}

TEST_CASE("a thread that waits for a deferred call returns when another has carried it out",
          "[file]") {
  deferring d(false);
  auto const c = d.write(0);
  std::atomic<bool> writes = false, may_write = false, seen_ended = false;
  d.rank.before_call = [&](io::extend::handle_call const& call) {
    if (call.kind == io::file_call::write) writes = true;
    while (writes && !may_write) std::this_thread::yield();
    return std::error_code();
  };
  std::thread first([&] { c->wait(); });
  while (!writes) std::this_thread::yield();
  std::thread second([&] {
    c->wait();
    seen_ended = may_write.load();
  });
  // Time for the second thread to come back too early.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  may_write = true;
  first.join();
  second.join();
  CHECK(seen_ended);
}

TEST_CASE("a deferred call knows of threads of the program that may write", "[file]") {
  for (bool const several : {false, true}) {
    CAPTURE(several);
    deferring d(false, io::mode::unique_open);
    d.rank.file->look_through(io::detail::checked_view(
        {0, io::type<int>, io::resized(io::type<int>, 0, 16)}, true, false, false));
    d.rank.bytes->bytes.resize(4096);
    if (several) d.rank.file->others().threads().expect_others();
    auto const c = d.start(operation::iwrite_at_all, 0, io::two_phase());
    c->wait();
    CHECK(c->done.merged_bytes > 0);
    CHECK((c->done.locks > 0) == several);
  }
}

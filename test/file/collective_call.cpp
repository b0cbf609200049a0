// A collective call of one rank by itself: its own facts, and its plan.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/two_phase.hpp>

#include "file/one_call.hpp"

namespace io = argosy;
using namespace io::test;
using io::collective_plan;
using io::extend::any_policy;

TEST_CASE("a collective call knows what it is", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call c(r, operation::write_at_all, 8, data);
  collective_call& plain = c.plain();
  CHECK(plain.plain() != nullptr);
  CHECK((plain.has_place() && !plain.develop && !plain.has_work()));
  CHECK((plain.at() == 8 && plain.all.bytes == 64 && plain.all.low == 8));
  plain.fill(*r.file);
  CHECK((plain.plain() == nullptr && plain.has_work()));
  CHECK((plain.work().bytes == 64 && plain.work().told.timed));

  one_call beyond(r, operation::write_at_all, largest, data);
  CHECK_FALSE(beyond.plain().has_place());
  one_call wrong(r, operation::write_at_all, -1, data);
  CHECK(wrong.in_full().all == io::extend::access_summary());
  CHECK(wrong.in_full(true).develop);
}

TEST_CASE("the summary of an ordered call is its number of etypes", "[file]") {
  one_rank r;
  for (std::size_t const n : {0u, 1u, 8u}) {
    auto data = some_bytes(n);
    auto const all = one_call(r, operation::write_ordered, 0, data).in_full().all;
    CHECK(all.spans == static_cast<std::int64_t>(n));
    CHECK(all.unsorted == (n > 0 ? 1 : 0));
    CHECK(all.bytes == 0);
  }
}

TEST_CASE("calls at different pointers have one digest only in a lenient file", "[file]") {
  for (bool const lenient : {false, true}) {
    one_rank r(io::hints{.lenient = lenient});
    auto data = some_bytes();
    auto const digest = [&](operation what) {
      return one_call(r, what, 0, data).plain().digest(1);
    };
    CHECK((digest(operation::write_all) == digest(operation::write_at_all)) == lenient);
    CHECK(digest(operation::write_all) != digest(operation::read_all));
  }
}

TEST_CASE("a call stores the facts of its plan for the status of hints", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call made(r, operation::write_at_all, 0, data);
  collective_call& c = made.in_full();
  CHECK_FALSE(c.plan());
  for (bool const weighed : {false, true}) {
    c.planned_alone(weighed);
    CHECK(c.plan()->weighed == weighed);
    CHECK_FALSE((c.plan()->together || c.plan()->shipped));
    CHECK((c.plan()->aggregators == 0 && c.plan()->window_bytes == 0));

    collective_plan p{.policy = "", .reason = "", .together = !weighed, .weighed = weighed};
    p.window_bytes = 512;
    p.domains.as_list().resize(3);
    c.planned(*r.file, p);
    CHECK((c.plan()->together == !weighed && c.plan()->weighed == weighed));
    CHECK((c.plan()->aggregators == 3 && c.plan()->window_bytes == 512));
    p.domains.as_list().front().stripe_bytes = 64;
    c.planned(*r.file, p);
    CHECK(c.plan()->window_bytes == 0);
  }
}

TEST_CASE("the place of an ordered call, and its limit", "[file]") {
  one_rank r;
  io::extend::failure f;
  auto const place = [&](std::int64_t etypes, std::int64_t before) {
    f = {};
    return io::detail::find_ordered_place(r.world, *r.pointer, etypes, etypes, before, f);
  };
  for (std::int64_t const before : {0, -1}) {
    CAPTURE(before);
    r.pointer->set(10, 0);
    CHECK(place(5, before) == 10);
    CHECK(place(largest - 15, before) == 15);  // up to the limit
    CHECK_FALSE(f);
    r.pointer->set(10, 0);
    for (std::int64_t const too_many : {largest - 9, largest}) {
      CHECK_FALSE(place(too_many, before));
      CHECK(f.code == io::errc::argument);
    }
    r.pointer->set(0, 0);
    CHECK_FALSE(place(largest, before));  // stands for more
    CHECK(f.code == io::errc::argument);
    CHECK(place(1, before) == 0);
  }
  CHECK(place(1, 3) == 4);  // the ranks before this one ask for 3
}

TEST_CASE("in atomic mode each rank goes by itself, whatever the policy", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call c(r, operation::write_at_all, 0, data);
  collective_call& call = c.in_full();
  auto const small = [&](any_policy const& by) {
    return io::detail::too_small(r.world, *r.ranks, *r.file, by, call.kind(), call.all).has_value();
  };
  CHECK(small(io::automatic()));
  CHECK_FALSE(small(io::two_phase()));
  r.file->be_atomic(true);
  CHECK_FALSE(small(io::automatic()));
  one_call together(r, operation::write_at_all, 0, data, io::two_phase());
  together.in_full();
  CHECK(together.run());
  CHECK(together.done.reason == "atomic mode: each rank by itself, under a lock");
}

TEST_CASE("a policy of the program is asked once, unless it fails or nobody asks", "[file]") {
  one_rank r;
  auto data = some_bytes();
  SECTION("once") {
    counting_policy const by;
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    CHECK(c.run());
    CHECK((c.done.policy == "counting" && *by.plans == 1));
  }
  SECTION("never, if there is nothing to do") {
    counting_policy const by;
    std::vector<std::byte> none;
    one_call c(r, operation::write_at_all, 0, none, by);
    c.in_full();
    CHECK(c.run());
    CHECK(*by.plans == 0);
  }
  SECTION("not again after a wrong plan") {
    counting_policy by;
    by.domains_more = 1;
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    auto const result = c.run();
    CHECK(result.cause == io::errc::argument);
    CHECK(*by.plans == 1);
    CHECK(r.bytes->bytes.empty());
  }
  SECTION("again if accesses are uneven, with a histogram") {
    // Asked of the function itself, because one rank is never uneven.
    counting_policy const by;
    one_call c(r, operation::write_at_all, 0, data, by);
    collective_call& call = c.in_full();
    io::extend::agreement result;
    io::detail::access_histogram const where{};
    auto const plan = ask_for_plan(r.world, *r.file, call, call.all,
                                   r.ranks->group(r.world, *r.file), &where, result);
    CHECK(plan.reason == "by a histogram");
  }
}

TEST_CASE("the reason says whose prices decided, and whether the file is partitioned", "[file]") {
  one_rank r;
  auto data = some_bytes();
  auto const reason = [&](any_policy const& by, std::size_t bytes = 64) {
    data.resize(bytes);
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    return c.explain().reason.str();
  };
  auto const says = [](std::string const& text, char const* words) {
    return text.find(words) != std::string::npos;
  };
  io::automatic given;
  given.storage = "a tape";
  CHECK(says(reason(given), "of the policy that the program gave"));
  CHECK_FALSE(says(reason({}), "of the policy that the program gave"));

  constexpr char const* words = "; not partitioned: no tokens";
  r.file->agents().parts().is_now({.bytes = 4096, .agents = 1}, "no tokens");
  io::automatic ships;
  ships.exchange = {.round_ns = 0, .byte_ns = 0, .piece_ns = 0, .block_ns = 1e9};
  look_through(r, with_gaps());
  CHECK(says(reason(ships), words));
  counting_policy of_program;
  of_program.exchange.reset();
  CHECK(says(reason(io::data_shipping()), words));
  CHECK(says(reason(io::data_shipping(), 0), words));
  CHECK_FALSE(says(reason(io::two_phase()), words));
  CHECK_FALSE(says(reason(of_program), words));
}

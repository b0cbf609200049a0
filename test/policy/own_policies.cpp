// The checks of plans. The library's own plans must pass all of them, and mistakes must be named.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <argosy/agree/detail/mismatch.hpp>
#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>
#include <argosy/policy/detail/domain_check.hpp>

#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"
#include "support/slipping_policies.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;
using io::access_kind;

namespace {

// A policy of the program that works like one of the library.
template <class P>
struct wrapped : P {
  static constexpr std::string_view name = "wrapped";
  friend bool operator==(wrapped const&, wrapped const&) = default;
};

}  // namespace

TEST_CASE("windows of the library's policies keep the rules for those of programs",
          "[policy][random]") {
  engine random(seed());
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const piece = pick(random, 1, 600), stride = piece + pick(random, 0, 900);
    io::layout const file = io::flatten(
        io::resized(io::vector(pick(random, 1, 3), piece, stride, io::type<char>), 0, 3 * stride));
    io::layout const view = io::repeat(pick(random, 1, 50), file.extent(), file),
                     memory = io::bytes(view.size());
    std::int64_t const from = pick(random, 0, view.size() - 1),
                       bytes = pick(random, 1, view.size() - from);
    io::access const wanted{pick(random, 0, 1) == 0 ? access_kind::read : access_kind::write, view,
                            from, bytes, memory};
    auto const window = pick(random, 1, 5000);
    wrapped<io::sieving> s;
    s.read_window_bytes = s.write_window_bytes = window;
    s.reads = s.writes = static_cast<io::sieving_mode>(pick(random, 0, 2));
    CHECK_NOTHROW(io::make_plan(s, wanted));
    wrapped<io::independent> i;
    i.buffer_bytes = window;
    CHECK_NOTHROW(io::make_plan(i, wanted));
  }
}

TEST_CASE("domains of the library's policies keep the rules for those of programs",
          "[policy][random]") {
  engine random(seed());
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const granule = pick(random, 1, 9), low = pick(random, 0, 3000) * granule;
    io::extend::access_summary all;
    all.low = low;
    all.high = low + pick(random, 1, 4000) * granule;
    all.bytes = all.most_bytes = all.spans = all.span();
    all.pieces = all.most_pieces = all.ranks = 1;
    all.granule = granule;
    io::extend::rank_group const ranks{
        .size = pick(random, 1, 9),
        .nodes = 1,
        .block_bytes = pick(random, 1, 3) == 1 ? pick(random, 1, 100) : 4096};
    io::layout const file = io::bytes(all.high), memory = io::bytes(all.high);
    io::access const mine{access_kind::write, file, all.low, all.span(), memory};
    io::detail::access_histogram const where = io::detail::histogram_of(mine, all);
    std::int64_t const window = pick(random, 1, 3000);
    io::two_phase const together{.window_bytes = window, .aggregators = pick(random, 0, 6)};
    io::data_shipping const shipped{.stripe_bytes = pick(random, 0, 3000),
                                    .agents = pick(random, 0, 6),
                                    .window_bytes = window};
    for (io::collective_plan const& p : {together.plan(access_kind::write, all, ranks),
                                         together.plan(access_kind::write, all, ranks, where),
                                         shipped.plan(access_kind::write, all, ranks)}) {
      CAPTURE(io::to_string(p));
      io::detail::domain_check const check("mine", p);
      CHECK_NOTHROW(check.look(access_kind::write, all, ranks));
      CHECK_NOTHROW(check.covers(mine));
    }
  }
}

TEST_CASE("no two aggregators have parts of one block, if its size is asked for",
          "[policy][random]") {
  engine random(seed());
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(seed(), round);
    std::int64_t const granule = pick(random, 1, 9), low = pick(random, 0, 3000) * granule;
    io::extend::access_summary all;
    all.low = low;
    all.high = low + pick(random, 1, 4000) * granule;
    all.bytes = all.most_bytes = all.spans = all.span();
    all.pieces = all.most_pieces = all.ranks = 1;
    all.granule = granule;
    std::int64_t const block = pick(random, 1, 900);
    io::two_phase const together{
        .window_bytes = block * pick(random, 1, 3), .aggregators = 6, .align_bytes = block};
    io::collective_plan const p = together.plan(access_kind::write, all, {.size = 6, .nodes = 1});
    CAPTURE(block, io::to_string(p));
    for (io::extend::file_domain const& d : p.domains) {
      if (d.begin == d.end) continue;  // there are fewer blocks than aggregators
      if (d.begin != all.low) CHECK(d.begin % block == 0);
      if (d.end != all.high) CHECK(d.end % block == 0);
      for (std::int64_t r = 0; r < p.rounds_of(d); ++r) {
        io::detail::file_window const w = p.window_of(d, r);
        if (w.begin != d.begin) CHECK(w.begin % block == 0);
      }
    }
  }
}

TEST_CASE("make_plan names the window with a slip, and ends", "[policy][errors]") {
  io::layout const view = io::repeat(1000, 16, io::bytes(4)), memory = io::bytes(4000);
  for (auto const& [slip, words] : window_slips()) {
    CAPTURE(words);
    io::access const wanted{access_kind::write, view, 0, 4000, memory};
    CHECK_THROWS_WITH(io::make_plan(slipping{slip}, wanted),
                      ContainsSubstring("policy 'slipping': ") && ContainsSubstring(words));
    CHECK_THROWS_AS(io::extend::any_policy(slipping{slip}).plan(wanted), io::invalid_plan);
  }
  CHECK_THROWS_WITH(
      io::make_plan(slipping{slipping::beyond}, {access_kind::write, view, 0, 4000, memory}),
      ContainsSubstring("the access ends at 4000"));
}

TEST_CASE("each slip of a plan for all ranks is named", "[policy][errors]") {
  io::extend::access_summary all;
  all.low = 0;
  all.high = all.bytes = all.spans = 12800;
  all.pieces = 3200;
  all.granule = 4;
  all.ranks = 4;
  io::extend::rank_group const ranks{.size = 4, .nodes = 2, .block_bytes = 4096};
  io::layout const file = io::bytes(12800), memory = io::bytes(12800);
  for (access_kind const kind : {access_kind::read, access_kind::write}) {
    io::access const mine{kind, file, 0, 12800, memory};
    auto const look = [&](slipping_plans::what slip) {
      io::collective_plan const p = slipping_plans{slip}.plan(kind, all, ranks);
      io::detail::domain_check const check("mine", p);
      check.look(kind, all, ranks);
      check.covers(mine);
    };
    CHECK_NOTHROW(look(slipping_plans::none));
    for (auto const& [slip, words] : plan_slips()) {
      CAPTURE(words);
      CHECK_THROWS_WITH(look(slip),
                        ContainsSubstring("policy 'mine': ") && ContainsSubstring(words));
    }
  }
  io::extend::access_summary twice = all;
  twice.unsorted = 1;
  io::collective_plan const p = slipping_plans{}.plan(access_kind::read, all, ranks);
  CHECK_THROWS_WITH(io::detail::domain_check("mine", p).look(access_kind::read, twice, ranks),
                    ContainsSubstring("a view names bytes twice"));
}

TEST_CASE("windows of a view that names bytes twice are never merged", "[policy][errors]") {
  io::layout const view = io::repeat(1000, 4, io::bytes(8)), memory = io::bytes(8000);
  io::access const wanted{access_kind::read, view, 0, 8000, memory, false};
  CHECK_THROWS_WITH(io::make_plan(slipping{}, wanted),
                    ContainsSubstring("the view names bytes twice"));
}

TEST_CASE("a plan is told in lines of one word and its value", "[policy]") {
  io::collective_plan p{
      .policy = "a", .together = true, .domains = {{0, 10, 1}}, .window_bytes = 5};
  auto values = io::detail::values_of(io::detail::lines_of_plan(p));
  CHECK(values.at("carried_out").value == "together");
  CHECK(values.at("window_bytes").value == "5");
  CHECK(values.at("granule").value == std::to_string(p.granule));
  CHECK(values.at("layers").value == std::to_string(p.layers));
  CHECK(values.at("domains").value == "1");
  CHECK(values.at("domain_0").value == "[0, 10) by rank 1");
  p.together = false;
  values = io::detail::values_of(io::detail::lines_of_plan(p));
  CHECK(values.at("carried_out").value == "apart");
}

TEST_CASE("plans that ranks may carry out together have one key", "[policy]") {
  io::collective_plan const p{
      .policy = "a", .together = true, .domains = {{0, 10, 1}, {10, 20, 2}}, .window_bytes = 5};
  io::collective_plan q = p;
  q.policy = "b";
  q.max_ranges = 7;
  CHECK(io::detail::key_of_plan(p) == io::detail::key_of_plan(q));
  for (auto const change : std::vector<void (*)(io::collective_plan&)>{
           [](auto& x) { x.kind = access_kind::write; }, [](auto& x) { x.together = false; },
           [](auto& x) { x.window_bytes = 6; }, [](auto& x) { x.granule = 2; },
           [](auto& x) { x.sparse = true; }, [](auto& x) { x.domains.as_list().pop_back(); },
           [](auto& x) { x.domains.as_list()[1].rank = 3; },
           [](auto& x) { x.domains.as_list()[0].end = 9; },
           [](auto& x) { x.domains.as_list()[1].begin = 9; },
           [](auto& x) { x.domains.as_list()[1].stripe_bytes = 4; },
           [](auto& x) { x.domains.as_list()[1].dealt_to = 4; }}) {
    q = p;
    change(q);
    CHECK(io::detail::key_of_plan(p) != io::detail::key_of_plan(q));
    // the lines do not show the kind of call
    if (p.kind == q.kind) CHECK(io::detail::lines_of_plan(p) != io::detail::lines_of_plan(q));
  }
}

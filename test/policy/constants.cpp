// Policies, plans and views that the compiler makes, and policies that are given as constants.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <string>

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>
#include <argosy/view/view.hpp>

#include "support/catch.hpp"

namespace io = argosy;
using io::access_kind;
using io::constant;
using io::extend::any_policy;

namespace {

constexpr auto tile =
    io::subarray(io::list(constant<8>, constant<8>), io::list(constant<4>, constant<4>),
                 io::list(constant<2>, constant<2>), io::type<double>);
constexpr auto block = io::contiguous(constant<32>, io::type<double>);  // two tiles

// A policy of the program, whose windows are checked, also by the compiler.
struct by_piece {
  static constexpr std::string_view name = "by piece";
  constexpr io::extend::window next(io::access const& wanted, std::int64_t position) const {
    return io::extend::window_of(wanted, position,
                                 io::extend::cursor(wanted.file, position).current().length);
  }
  constexpr std::int64_t buffer_for(io::access const&) const { return 4096; }
  constexpr io::extend::reason_text reason(io::access const&) const { return "a piece at a time"; }
  bool operator==(by_piece const&) const = default;
};

// Returns the plan of the same access, made by the program.
template <class Policy>
io::plan plan_now(Policy const& policy, access_kind kind) {
  io::view const v(0, io::type<double>, tile.form());
  io::layout const memory = block.form();
  return io::make_plan(policy, {kind, v.stream(), 0, memory.size(), memory, v.in_order()});
}

template <std::size_t Windows>
bool are_equal(io::extend::static_plan<Windows> const& a, io::plan const& b) {
  return a.policy == b.policy && a.kind == b.kind && a.buffer_bytes == b.buffer_bytes &&
         a.wanted() == b.wanted() && a.file_calls() == b.file_calls() &&
         std::ranges::equal(a.each, b.windows);
}

constexpr io::extend::access_summary four_ranks() {
  io::extend::access_summary all;
  all.low = 0;
  all.high = all.bytes = all.spans = 4 << 20;
  all.most_bytes = all.granule = 1 << 20;
  all.pieces = all.ranks = 4;
  all.most_pieces = 1;
  return all;
}

}  // namespace

static_assert(io::explain<io::sieving{}>(tile, block).windows() == 1);
static_assert(io::explain<io::sieving{}>(tile, block).each[0].how == io::transfer_mode::merged);
static_assert(io::explain<io::independent{}, access_kind::write>(tile, block).file_calls() == 8);
static_assert(io::explain<by_piece{}>(tile, block).windows() == 8);

TEST_CASE("the compiler's plan is the plan that the program makes", "[policy]") {
  constexpr auto merged = io::explain<io::sieving{}>(tile, block);
  CHECK(are_equal(merged, plan_now(io::sieving{}, access_kind::read)));
  constexpr io::sieving small{.read_window_bytes = 100};
  CHECK(are_equal(io::explain<small>(tile, block), plan_now(small, access_kind::read)));
  CHECK(are_equal(io::explain<io::sieving{}, access_kind::write>(tile, block),
                  plan_now(io::sieving{}, access_kind::write)));
  CHECK(are_equal(io::explain<io::independent{.buffer_bytes = 40}, access_kind::write>(tile, block),
                  plan_now(io::independent{.buffer_bytes = 40}, access_kind::write)));
  CHECK(are_equal(io::explain<by_piece{}>(tile, block), plan_now(by_piece{}, access_kind::read)));
}

// libstdc++ 12 cannot make a short std::string as a constant for clang.
#if !defined(__clang__) || !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE >= 13
namespace {

template <class Policy>
constexpr std::int64_t domains_of(Policy const& policy, std::int64_t alone_ns = 0) {
  io::extend::rank_group const ranks{.size = 4, .nodes = 2};
  auto all = four_ranks();
  all.alone_ns = all.alone_sum_ns = alone_ns;
  io::collective_plan const p = policy.plan(access_kind::write, all, ranks);
  return static_cast<std::int64_t>(p.domains.size()) * (p.rounds() >= 0 ? 1 : 0);
}

}  // namespace

static_assert(domains_of(io::two_phase{}) == 4);
static_assert(domains_of(io::data_shipping{}) == 4);
static_assert(domains_of(io::automatic{}) == 0);  // each rank by itself: one piece for each
static_assert(domains_of(io::automatic{}, 1'000'000'000) == 4);  // together: alone takes a second
#endif

TEST_CASE("a constant is the policy that it is made of", "[policy]") {
  any_policy const fixed = constant<io::two_phase{.window_bytes = 1 << 20}>;
  any_policy const held = io::two_phase{.window_bytes = 1 << 20};
  REQUIRE(fixed.target<io::two_phase>());
  CHECK(*fixed.target<io::two_phase>() == *held.target<io::two_phase>());
  CHECK(fixed.target<io::sieving>() == nullptr);
  CHECK(fixed.is_collective());
  CHECK(fixed.keeps_rules());
  CHECK(fixed.balances());
  CHECK(fixed.name() == held.name());
  CHECK(fixed.key() == held.key());
  CHECK(fixed.key() != any_policy(io::two_phase{}).key());
  io::extend::rank_group const ranks{.size = 4, .nodes = 2};
  CHECK(fixed.plan_together(access_kind::read, four_ranks(), ranks) ==
        held.plan_together(access_kind::read, four_ranks(), ranks));
  any_policy const copy = fixed;
  CHECK(copy.target<io::two_phase>() == fixed.target<io::two_phase>());
}

TEST_CASE("a constant of one rank has the windows of its policy", "[policy]") {
  io::view const v(0, tile);
  io::layout const memory = block.form();
  io::access const wanted{access_kind::read, v.stream(), 0, memory.size(), memory, true};
  for (any_policy const& p :
       {any_policy(constant<io::sieving{}>), any_policy(constant<by_piece{}>)}) {
    CAPTURE(p.name());
    CHECK_FALSE(p.is_collective());
    io::plan const made = p.plan(wanted);
    CHECK(made.buffer_bytes == p.buffer_for(wanted));
    CHECK(made.reason == p.reason(wanted).str());
    CHECK(p.next(wanted, 0) == made.windows.front());
    CHECK(made.wanted() == memory.size());
  }
  CHECK(any_policy(constant<io::sieving{}>).plan(wanted).windows.size() == 1);
  CHECK(any_policy(constant<by_piece{}>).plan(wanted).windows.size() == 8);
  CHECK(any_policy(constant<io::sieving{}>).keeps_rules());
  CHECK_FALSE(any_policy(constant<by_piece{}>).keeps_rules());
}

TEST_CASE("reasons of collective plans are words when they are read", "[policy]") {
  io::extend::rank_group const ranks{.size = 4, .nodes = 2};
  io::two_phase const policy{.layers = 2};
  std::string const what = "4 ranks, 4 pieces in 4194304 bytes of the file, 4194304 of them wanted";
  CHECK(policy.plan(access_kind::write, four_ranks(), ranks).reason ==
        what + "; what ranks of a node send elsewhere is put together");
  io::detail::access_histogram where;
  where.bytes.fill(32 << 10);
  CHECK(io::two_phase{.layers = 1}.plan(access_kind::write, four_ranks(), ranks, where).reason ==
        what + "; domains of equal work");
  CHECK(io::data_shipping{}.plan(access_kind::write, four_ranks(), ranks).reason == what);
}

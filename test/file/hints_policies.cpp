// Hints that choose a policy, and those that override the program.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/hints_cases.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;
using io::hint_source;
using io::hint_status;
using io::extend::hint_moment;
using namespace io::literals;
using namespace io::test;

TEST_CASE("what ARGOSY_HINTS_OVERRIDE says, nobody changes", "[hints][override]") {
  io::hints const file = io::extend::parse_hints(
      "cb_nodes 3\nargosy_window_size many\nromio_ds_read enable\nno_such 1", "site");
  io::file_hints h({}, {}, io::hints{.cb_nodes = 8, .window_bytes = 1_MiB}, file);
  CHECK(h.values().cb_nodes == 3);
  CHECK(*h.find("cb_nodes") ==
        io::hint_state{"cb_nodes", "3", hint_status::accepted, hint_source::overriding, "site:1"});
  // An invalid value overrides nothing.
  CHECK(h.values().window_bytes == 1_MiB);
  CHECK(h.find("argosy_window_size")->status == hint_status::rejected);
  CHECK(h.find("no_such")->status == hint_status::ignored);
  CHECK_FALSE(h.values().overrides("argosy_window_size"));
  CHECK(h.values().overrides("romio_ds_read"));

  for (io::extend::hint_moment const moment : {hint_moment::set_view, hint_moment::set_hints}) {
    h.merge(io::hints{.cb_nodes = 5, .window_bytes = 2_MiB}, hint_source::code, moment);
    CHECK(h.values().cb_nodes == 3);
    CHECK(h.values().window_bytes == 2_MiB);
    CHECK(*h.find("cb_nodes") == io::hint_state{"cb_nodes", "3", hint_status::overridden,
                                                hint_source::code,
                                                "\"5\": ARGOSY_HINTS_OVERRIDE has another say"});
  }
  h.merge(io::hints{.named = {{"cb_nodes", "some"}}}, hint_source::code, hint_moment::set_hints);
  CHECK(h.find("cb_nodes")->status == hint_status::rejected);
  // A hint that overrides changes the rules of policies, so it must be equal on all ranks, too.
  CHECK(h.same_hash() !=
        io::file_hints({}, {}, io::hints{.cb_nodes = 3, .window_bytes = 2_MiB}).same_hash());
}

TEST_CASE("an overriding hint that chooses the policy is not contradicted by others of the program",
          "[hints][override]") {
  auto const chosen = [](io::hints const& code, std::string const& over,
                         io::access_kind kind) -> std::string {
    io::file_hints const h({}, {}, code, io::extend::parse_hints(over, "site"));
    io::extend::any_policy const together = io::detail::chosen(h.values()).together(kind);
    return together.has_value() ? std::string(together.name()) : "alone";
  };
  using enum io::access_kind;
  io::hints const against{.collective_buffering = false,
                          .cb_read = io::tristate::disable,
                          .cb_write = io::tristate::disable,
                          .largeblock_io = io::largeblock::on,
                          .policy = "sieving"};
  for (io::access_kind const kind : {read, write}) {
    CHECK(chosen(against, "", kind) == "alone");
    CHECK(chosen(against, "argosy_policy two_phase", kind) == "two_phase");
    CHECK(chosen(against, "argosy_policy data_shipping", kind) == "data_shipping");
    CHECK(chosen(against, "collective_buffering true", kind) == "automatic");
    CHECK(chosen(against, "IBM_largeblock_io false", kind) == "data_shipping");
    CHECK(chosen(io::hints{.cb_read = io::tristate::enable, .cb_write = io::tristate::enable},
                 "collective_buffering false", kind) == "alone");
    CHECK(chosen({}, "collective_buffering false\nromio_cb_read enable\nromio_cb_write enable",
                 kind) == "two_phase");
    CHECK(chosen(io::hints{.policy = "two_phase"}, "romio_cb_read disable\nromio_cb_write disable",
                 kind) == "alone");
  }
  CHECK(chosen(against, "romio_cb_write enable", write) == "two_phase");
  CHECK(chosen(against, "romio_cb_write enable", read) == "automatic");
  io::file_hints const told({}, {}, against,
                            io::extend::parse_hints("romio_cb_write enable", "site"));
  CHECK(told.find("argosy_policy")->status == hint_status::overridden);
  CHECK(told.find("argosy_policy")->why == "ARGOSY_HINTS_OVERRIDE chooses the policy");
  CHECK(told.find("romio_cb_write")->status == hint_status::accepted);
}

TEST_CASE("overriding hints change the policies that calls are given", "[hints][override]") {
  auto const changed = [](io::extend::any_policy const& given, std::string const& over,
                          bool together = true, io::access_kind kind = io::access_kind::write) {
    return io::detail::overridden(
        given, io::file_hints({}, {}, {}, io::extend::parse_hints(over, "site")).values(), kind,
        together);
  };
  io::two_phase const program{
      .buffer_bytes = 1_MiB, .window_bytes = 64_KiB, .aggregators = 2, .align_bytes = 3};
  CHECK(*changed(program, "").target<io::two_phase>() == program);
  CHECK(*changed(program, "romio_ds_write disable").target<io::two_phase>() == program);
  io::two_phase expected = program;
  expected.aggregators = 7;
  CHECK(*changed(program, "cb_nodes 7").target<io::two_phase>() == expected);
  expected.align_bytes = 4096;
  expected.least_domain_bytes = 100;
  expected.buffer_bytes = 32_MiB;
  expected.window_bytes = 16_MiB;
  std::string const all =
      "cb_nodes 7\ncb_block_size 4096\nromio_min_fdomain_size 100\nargosy_window_size 16m";
  CHECK(*changed(program, all).target<io::two_phase>() == expected);
  CHECK(changed(io::automatic{}, all).target<io::automatic>()->two_phase.window_bytes == 16_MiB);
  CHECK(changed(io::automatic{}, "argosy_price_block_ns 5")
            .target<io::automatic>()
            ->exchange.block_ns == 5);
  CHECK(changed(io::automatic{}, "argosy_price_lock_ns 5")
            .target<io::automatic>()
            ->prices_from_hints);
  CHECK_FALSE(changed(io::automatic{}, "cb_nodes 5").target<io::automatic>()->prices_from_hints);
  CHECK(changed(io::data_shipping{}, "IBM_io_buffer_size 1m\ncb_nodes 3")
            .target<io::data_shipping>()
            ->stripe_bytes == 1_MiB);
  io::sieving const sieving_mode =
      *changed(io::sieving{},
               "romio_ds_write disable\nind_rd_buffer_size 64\nargosy_price_lock_ns 9")
           .target<io::sieving>();
  CHECK((sieving_mode.writes == io::sieving_mode::never && sieving_mode.read_window_bytes == 64 &&
         sieving_mode.prices.lock_ns == 9));
  CHECK(sieving_mode.write_window_bytes == io::sieving().write_window_bytes);

  // Hints that choose a policy replace it. Hints romio_cb_* do not concern a rank by itself.
  CHECK_FALSE(changed(program, "argosy_policy sieving").has_value());
  CHECK_FALSE(changed(io::sieving{}, "argosy_policy sieving", false).has_value());
  CHECK_FALSE(changed(program, "romio_cb_write disable").has_value());
  CHECK(changed(program, "romio_cb_write disable", true, io::access_kind::read).has_value());
  CHECK(changed(io::sieving{}, "romio_cb_write enable", false).has_value());
  CHECK_FALSE(changed({}, "cb_nodes 7").has_value());
}

TEST_CASE("each hint that sets a member of a policy overrides it", "[hints][override]") {
  auto const check = []<class Policy>(Policy const& given, std::vector<std::string> const& hints) {
    for (std::string const& line : hints) {
      CAPTURE(line);
      io::file_hints const h({}, {}, {}, io::extend::parse_hints(line, "site"));
      io::extend::any_policy const changed =
          io::detail::overridden(given, h.values(), io::access_kind::write, true);
      Policy mine = *changed.target<Policy>();
      if constexpr (std::is_same_v<Policy, io::automatic>) mine.storage = given.storage;
      CHECK_FALSE(mine == given);
    }
  };
  check(io::two_phase{}, {"cb_block_size 4k", "cb_buffer_size 1m", "cb_nodes 3",
                          "romio_min_fdomain_size 1m", "argosy_window_size 1m"});
  check(io::sieving{},
        {"romio_ds_read enable", "romio_ds_write disable", "ind_rd_buffer_size 1k",
         "ind_wr_buffer_size 1k", "argosy_price_call_ns 1", "argosy_price_write_call_ns 1",
         "argosy_price_lock_ns 1", "argosy_price_byte_ns 1", "argosy_price_piece_ns 1"});
  check(io::data_shipping{},
        {"IBM_io_buffer_size 1m", "IBM_sparse_access true", "argosy_max_ranges 0", "cb_nodes 3"});
  check(io::automatic{}, {"argosy_price_message_ns 1", "argosy_price_message_byte_ns 1",
                          "argosy_price_block_ns 1", "argosy_price_crowd_call_ns 1"});
}

TEST_CASE("a buffer or a window that is given makes larger windows of two_phase", "[hints]") {
  auto const made = [](io::hints const& h) {
    return *io::detail::chosen(given(io::hints{h}.set("argosy_policy", "two_phase")).values())
                .writing.target<io::two_phase>();
  };
  CHECK(made({}) == io::two_phase{});
  CHECK(made({.cb_buffer_bytes = 4_MiB}).window_bytes == 2_MiB);
  CHECK(made({.cb_buffer_bytes = 32_MiB}).window_bytes == 16_MiB);
  CHECK(made({.cb_buffer_bytes = 64_KiB}).window_bytes == 32_KiB);
  CHECK(made({.cb_buffer_bytes = 1}).window_bytes == 1);
  CHECK(made({.window_bytes = 16_MiB}).window_bytes == 16_MiB);
  CHECK(made({.window_bytes = 16_MiB}).buffer_bytes == 32_MiB);
  CHECK(made({.window_bytes = 1_MiB}).buffer_bytes == 4_MiB);
  CHECK(made({.cb_buffer_bytes = 8_MiB, .window_bytes = 1_MiB}).window_bytes == 1_MiB);
  // The plan uses the smaller of the two.
  CHECK(made({.cb_buffer_bytes = 8_MiB, .window_bytes = 16_MiB}).buffer_bytes == 8_MiB);
  CHECK(made({.window_bytes = std::numeric_limits<std::int64_t>::max()}).window_bytes == 1_GiB);
  CHECK(made({.cb_buffer_bytes = std::numeric_limits<std::int64_t>::max()}).window_bytes == 1_GiB);

  io::extend::access_summary all;
  all.high = 64_MiB;
  all.bytes = all.most_bytes = all.spans = all.high;
  all.pieces = all.most_pieces = all.granule = all.ranks = 1;
  all.low = 0;
  auto const window = [&](io::two_phase const& p) {
    return p.plan(io::access_kind::write, all, {4, 1, 4096, 4}).window_bytes;
  };
  CHECK(window(made({.window_bytes = 16_MiB})) == 16_MiB);
  CHECK(window(made({.cb_buffer_bytes = 8_MiB, .window_bytes = 16_MiB})) == 4_MiB);
  CHECK(window(made({.window_bytes = 1_GiB})) == 64_MiB);  // the size of the access
  all.high = 100;
  CHECK(window(made({.window_bytes = 1_GiB})) == 512_KiB);
  CHECK(window(made({})) == 512_KiB);
  // The status shows the window in force, so that hints which come back through an MPI_Info mean
  // the same.
  CHECK(given(io::hints{.cb_buffer_bytes = 8_MiB}).find("argosy_window_size")->value == "4194304");
  CHECK(given(io::hints{}).find("argosy_window_size")->value == "524288");
  // It matters whether the default was given.
  CHECK(given(io::hints{.cb_buffer_bytes = 4_MiB}).same_hash() != given(io::hints{}).same_hash());
}

TEST_CASE("collective_buffering = false means no two-phase, unless said otherwise", "[hints]") {
  CHECK(given("collective_buffering", "false").values().cb_read == io::tristate::disable);
  auto const h = given(io::hints{.collective_buffering = false, .cb_write = io::tristate::enable});
  CHECK(h.values().cb_read == io::tristate::disable);
  CHECK(h.values().cb_write == io::tristate::enable);
  auto again = h;
  again.merge(io::hints{.collective_buffering = true}, hint_source::code, hint_moment::set_hints);
  CHECK(again.values().cb_read == io::tristate::automatic);
  // An invalid value does not count.
  io::hints wrong{.collective_buffering = false};
  wrong.set("romio_cb_read", "perhaps");
  CHECK(given(wrong).values().cb_read == io::tristate::disable);
}

TEST_CASE("a rejected hint does not say otherwise", "[hints]") {
  auto h = given(io::hints{.collective_buffering = false, .named = {{"romio_cb_read", "maybe"}}});
  CHECK(h.find("romio_cb_read")->status == hint_status::rejected);
  CHECK(h.values().cb_read == io::tristate::disable);
  CHECK(h.values().cb_write == io::tristate::disable);
  // The valid value before it counts.
  h.merge(io::hints{.named = {{"romio_cb_read", "enable"}, {"romio_cb_read", "perhaps"}}},
          hint_source::code, hint_moment::set_hints);
  CHECK(h.find("romio_cb_read")->status == hint_status::rejected);
  CHECK(h.values().cb_read == io::tristate::enable);
}

TEST_CASE("hints choose the policy of collective calls", "[hints]") {
  using io::access_kind;
  auto const chosen =
      [](access_kind kind,
         std::vector<std::pair<std::string, std::string>> const& all) -> std::string {
    io::hints h;
    for (auto const& [name, value] : all) h.named.push_back({name, value});
    io::extend::any_policy const together = io::detail::chosen(given(h).values()).together(kind);
    return together.has_value() ? std::string(together.name()) : "each rank by itself";
  };
  for (access_kind const kind : {access_kind::read, access_kind::write}) {
    bool const reads = kind == access_kind::read;
    std::string const mine = reads ? "romio_cb_read" : "romio_cb_write";
    std::string const other = reads ? "romio_cb_write" : "romio_cb_read";
    CHECK(chosen(kind, {}) == "automatic");
    for (std::string const own : {"independent", "sieving"}) {
      CHECK(chosen(kind, {{"argosy_policy", own}}) == "each rank by itself");
      CHECK(chosen(kind, {{"argosy_policy", own}, {mine, "enable"}}) == "each rank by itself");
      CHECK(chosen(kind, {{"argosy_policy", own}, {"IBM_largeblock_io", "false"}}) ==
            "each rank by itself");
    }
    for (std::string const named : {"two_phase", "data_shipping"}) {
      CHECK(chosen(kind, {{"argosy_policy", named}}) == named);
      CHECK(chosen(kind, {{"argosy_policy", named}, {mine, "disable"}}) == "each rank by itself");
      CHECK(chosen(kind, {{"argosy_policy", named}, {other, "disable"}}) == named);
    }
    CHECK(chosen(kind, {{mine, "disable"}}) == "each rank by itself");
    CHECK(chosen(kind, {{mine, "enable"}}) == "two_phase");
    CHECK(chosen(kind, {{other, "enable"}}) == "automatic");
    CHECK(chosen(kind, {{"IBM_largeblock_io", "false"}}) == "data_shipping");
    CHECK(chosen(kind, {{"IBM_largeblock_io", "true"}}) == "each rank by itself");
    CHECK(chosen(kind, {{"IBM_largeblock_io", "true"}, {mine, "enable"}}) == "two_phase");
  }
}

TEST_CASE("calls are shipped where a hint asks for it, and not by default", "[hints]") {
  CHECK_FALSE(given(io::hints{}).values().ships());
  CHECK(given("IBM_largeblock_io", "false").values().ships());
  CHECK(given("IBM_largeblock_io", "switchable").values().ships());
  CHECK_FALSE(given("IBM_largeblock_io", "true").values().ships());
  CHECK_FALSE(given("IBM_largeblock_io", "perhaps").values().ships());
  CHECK(given("argosy_policy", "data_shipping").values().ships());
  // A named policy is used; agents serve the calls that ask for them.
  auto const named =
      given(io::hints{.largeblock_io = io::largeblock::off, .policy = "sieving"}).values();
  CHECK_FALSE(named.ships());
  CHECK(named.wants_agents());
  // A given value and an equal default have different effects, so all ranks must agree on it.
  CHECK(given("IBM_largeblock_io", "false").same_hash() != given(io::hints{}).same_hash());
}

// The status of a hint: how other hints, and the last call, have changed its effect.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/hints_cases.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

#include <argosy/file/detail/state/hint_facts.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/policy.hpp>
#include <argosy/policy/detail/policy_traits.hpp>

namespace io = argosy;
using Catch::Contains;
using io::detail::operation;
using policies = io::extend::resolved_hints::policy_name;
using io::hint_status;
using namespace io::literals;
using namespace io::test;

TEST_CASE("the status of a hint tells what other hints leave of it", "[hints][effect]") {
  auto const state_of = [](std::string const& text, std::string const& name) {
    return *io::detail::with_effects(io::file_hints(io::extend::parse_hints(text, "f"), {}, {}), {})
                .find(name);
  };
  auto const fate = [&](std::string const& text, std::string const& name) {
    return state_of(text, name).status;
  };
  using enum hint_status;
  CHECK(fate("cb_nodes 4", "cb_nodes") == accepted);
  for (std::string const text : {"argosy_policy sieving", "argosy_policy independent",
                                 "romio_cb_read disable\nromio_cb_write disable",
                                 "collective_buffering false", "IBM_largeblock_io true"})
    for (std::string const name : {"cb_nodes", "cb_buffer_size", "argosy_window_size",
                                   "cb_block_size", "romio_min_fdomain_size"}) {
      CAPTURE(text, name);
      CHECK(fate(text + "\n" + name + " 4096", name) == overridden);
    }
  CHECK(fate("cb_config_list *:1\nargosy_policy sieving", "cb_config_list") == overridden);
  CHECK(fate("cb_nodes 4\nIBM_largeblock_io true\nromio_cb_write enable", "cb_nodes") == accepted);
  // it still counts for reads
  CHECK(fate("cb_nodes 4\nromio_cb_write disable", "cb_nodes") == accepted);
  CHECK(fate("cb_nodes 4\nargosy_policy data_shipping", "cb_nodes") == accepted);
  CHECK(fate("cb_buffer_size 4m\nargosy_policy data_shipping", "cb_buffer_size") == overridden);
  CHECK(fate("romio_cb_write enable\nargosy_policy data_shipping", "romio_cb_write") == overridden);
  CHECK(fate("romio_cb_write disable\nargosy_policy data_shipping", "romio_cb_write") == accepted);
  CHECK(fate("romio_cb_write enable\nargosy_policy sieving", "romio_cb_write") == overridden);
  CHECK(fate("argosy_policy two_phase\nromio_cb_read disable\nromio_cb_write disable",
             "argosy_policy") == overridden);
  CHECK(state_of("romio_ds_write disable\nargosy_policy independent", "romio_ds_write").why ==
        "argosy_policy = independent (f:1)");
  CHECK(fate("romio_ds_write disable\nargosy_policy sieving", "romio_ds_write") == accepted);
  for (std::string const name :
       {"IBM_io_buffer_size 1m", "IBM_sparse_access true", "argosy_max_ranges 2"}) {
    std::string const alone = name.substr(0, name.find(' '));
    CHECK(fate(name, alone) == ignored);
    CHECK(fate(name + "\nargosy_policy data_shipping", alone) == accepted);
    CHECK(fate(name + "\nIBM_largeblock_io false", alone) == accepted);
    CHECK(fate(name + "\nargosy_price_block_ns 100", alone) == accepted);
    CHECK(io::detail::with_effects(io::file_hints(io::extend::parse_hints(name, "f"), {}, {}),
                                   {.may_ship = true})
              .find(alone)
              ->status == accepted);
  }
  CHECK(state_of("cb_buffer_size 1m\nargosy_window_size 1m", "argosy_window_size").why ==
        "windows have 524288 bytes: half of cb_buffer_size (f:2)");
  CHECK(fate("cb_buffer_size 2m\nargosy_window_size 1m", "argosy_window_size") == accepted);
  CHECK(state_of("ind_rd_buffer_size 1m", "ind_rd_buffer_size").why ==
        "windows have " + std::to_string(io::sieving{}.read_window_bytes) +
            " bytes: pieces are picked out while they are in a cache (f:1)");
  CHECK(fate("ind_rd_buffer_size 1m", "ind_rd_buffer_size") == capped);
  CHECK(fate("ind_rd_buffer_size 256k", "ind_rd_buffer_size") == accepted);
  CHECK(fate("cb_nodes many\nargosy_policy sieving", "cb_nodes") == rejected);
}

TEST_CASE("the status of a hint tells what the last call made of it", "[hints][effect]") {
  using enum hint_status;
  using io::detail::hint_facts;
  auto const given_all = [](std::string const& over = "") {
    return io::file_hints(
        io::extend::parse_hints(
            "cb_nodes 4\nargosy_window_size 1m\ncb_block_size 4096\nargosy_policy two_phase\n"
            "romio_ds_write enable\ncb_config_list a:1,b:1,*:0",
            "f"),
        {}, {}, io::extend::parse_hints(over, "o"));
  };
  auto const state_of = [&](std::string const& name, hint_facts const& facts,
                            std::string const& over = "") {
    return *io::detail::with_effects(given_all(over), facts).find(name);
  };
  hint_facts const by_hints{.call = operation::write_all, .collective = true};
  CHECK(state_of("cb_nodes", by_hints).status == accepted);

  hint_facts together = by_hints;
  together.plan = {true, false, false, 4, 1_MiB};
  for (std::string const name : {"cb_nodes", "argosy_window_size", "argosy_policy"})
    CHECK(state_of(name, together).status == accepted);
  together.plan = {true, false, false, 3, 512_KiB};
  CHECK(state_of("cb_nodes", together).status == capped);
  CHECK_THAT(state_of("cb_nodes", together).why, Contains("write_all had 3 aggregators: "));
  CHECK(state_of("argosy_window_size", together).status == capped);
  CHECK_THAT(state_of("argosy_window_size", together).why,
             Contains("write_all had windows of 524288 bytes: "));
  together.plan->window_bytes = 0;
  CHECK_THAT(state_of("cb_block_size", together).why, Contains("write_all was shipped"));
  together.plan->together = false;
  CHECK(state_of("cb_nodes", together).status == overridden);
  CHECK_THAT(state_of("cb_nodes", together).why,
             Contains("in write_all each rank worked separately"));

  hint_facts argument = by_hints;
  argument.policy = "two_phase";
  argument.library_policy = policies::two_phase;
  for (std::string const name :
       {"cb_nodes", "argosy_window_size", "cb_block_size", "argosy_policy"}) {
    CHECK(state_of(name, argument).status == overridden);
    CHECK(state_of(name, argument).why.starts_with("write_all was given two_phase"));
  }
  CHECK(state_of("romio_ds_write", argument).status == accepted);  // aggregators merge with it
  CHECK(state_of("cb_nodes", argument, "cb_nodes 5").status == accepted);
  CHECK_THAT(state_of("cb_nodes", argument, "cb_nodes 5").why,
             Contains("applied to two_phase, which write_all was given"));
  CHECK_THAT(state_of("argosy_policy", argument, "argosy_policy automatic").why,
             Contains("instead of two_phase, which write_all was given"));
  CHECK(state_of("cb_nodes", argument, "argosy_policy automatic").status == accepted);
  argument.policy = "mine";
  argument.library_policy.reset();
  CHECK(state_of("cb_nodes", argument, "cb_nodes 5").status == overridden);
  CHECK_THAT(state_of("cb_nodes", argument, "cb_nodes 5").why,
             Contains("write_all was given mine, a policy of the program"));

  // Hints that choose a policy do not count in a call that was given one. They count in calls that
  // were given none.
  auto const contradicted = [&](hint_facts const& facts, std::string const& over = "") {
    auto const all =
        io::file_hints(io::extend::parse_hints("cb_nodes 2\nargosy_policy sieving", "f"), {}, {},
                       io::extend::parse_hints(over, "o"));
    return io::detail::with_effects(all, facts).find("cb_nodes")->why;
  };
  argument.policy = "two_phase";
  argument.library_policy = policies::two_phase;
  CHECK(contradicted(argument) == "write_all was given two_phase (f:1)");
  CHECK(contradicted(by_hints) == "argosy_policy = sieving (f:1)");
  CHECK(contradicted(argument, "argosy_policy sieving") == "argosy_policy = sieving (f:1)");

  hint_facts const local{
      .call = operation::write_at, .policy = "sieving", .library_policy = policies::sieving};
  CHECK(state_of("romio_ds_write", local).status == overridden);
  CHECK(state_of("cb_nodes", local).status == accepted);  // does not concern local calls

  hint_facts hosts = by_hints;
  hosts.hosts_known = true;
  hosts.hosts_met = 1;
  hosts.hosts_allow = 1;
  CHECK(state_of("cb_config_list", hosts).status == accepted);
  CHECK_THAT(state_of("cb_config_list", hosts).why, Contains("no rank runs on b ("));
  hosts.hosts_met = 0;
  hosts.hosts_allow = 0;
  CHECK(state_of("cb_config_list", hosts).status == ignored);
  CHECK_THAT(state_of("cb_config_list", hosts).why,
             Contains("no rank runs on a, b; it leaves no rank, so any may be an aggregator"));
}

TEST_CASE("the status of a hint that chooses a policy tells which one won", "[hints][effect]") {
  using enum hint_status;
  using io::detail::hint_facts;
  struct row {
    std::string code, over, name;
    hint_facts last;
    hint_status status;
    std::string why;
  };
  using enum io::access_kind;
  std::string const none, off = "collective_buffering false\n", largeblock = "IBM_largeblock_io";
  hint_facts const nothing, writing{.call = operation::write_all, .collective = true};
  hint_facts const reading{.call = operation::read_all, .collective = true};
  hint_facts const writing_here{.call = operation::write_at};
  auto const given = [](hint_facts last, policies policy) {
    last.policy = io::detail::policy_table[static_cast<std::size_t>(policy)].name;
    last.library_policy = policy;
    return last;
  };
  auto const alone = [](hint_facts last) {
    last.plan = {false, false, false, 0, 0};
    return last;
  };
  auto const shipping_alone = [&](hint_facts last) {
    last.plan = {false, false, true, 0, 0};
    return last;
  };
  auto const weighed = [&](hint_facts last) {
    last.plan = {false, true, false, 0, 0};
    return last;
  };
  std::vector<row> const rows{
      // Hints ask for agents and rule out two-phase, so each rank ships by itself.
      {off + "argosy_policy data_shipping", none, "argosy_policy", nothing, accepted, "f:2"},
      {off + "argosy_policy data_shipping", none, "argosy_policy", shipping_alone(writing),
       accepted, "f:2"},
      {off + "cb_nodes 1\nIBM_largeblock_io false", none, "cb_nodes", nothing, accepted, "f:2"},
      {off + "cb_nodes 1\nIBM_largeblock_io false", none, "cb_nodes", shipping_alone(writing),
       accepted, "f:2"},
      {off + "cb_nodes 1\nIBM_largeblock_io false", none, "cb_nodes",
       given(writing_here, policies::data_shipping), accepted, "f:2"},
      {off + "cb_buffer_size 1m\nargosy_policy data_shipping", none, "cb_buffer_size", nothing,
       overridden, "collective_buffering = false: each rank ships separately (f:2)"},
      // A policy that a call was given has values of its own.
      {"IBM_io_buffer_size 128k", none, "IBM_io_buffer_size",
       given(writing, policies::data_shipping), overridden,
       "write_all was given data_shipping (f:1)"},
      {none, "IBM_io_buffer_size 128k", "IBM_io_buffer_size",
       given(writing, policies::data_shipping), accepted,
       "applied to data_shipping, which write_all was given (o:1)"},
      {none, "IBM_io_buffer_size 128k", "IBM_io_buffer_size",
       given(writing_here, policies::data_shipping), ignored,
       "nothing is shipped: argosy_policy = data_shipping does that, or IBM_largeblock_io = false "
       "(o:1)"},
      {"IBM_largeblock_io false", none, largeblock, given(writing_here, policies::data_shipping),
       accepted, "agents serve write_at, which was given data_shipping (f:1)"},
      // romio_cb_* = disable overrides two_phase.
      {"argosy_policy two_phase\nromio_cb_write disable", none, "argosy_policy", alone(writing),
       overridden, "romio_cb_write = disable: in write_all each rank works separately (f:1)"},
      {"argosy_policy two_phase\nromio_cb_write disable", none, "argosy_policy", alone(reading),
       accepted, "f:1"},
      {"argosy_policy two_phase\nromio_cb_write disable", none, "argosy_policy", writing_here,
       accepted, "f:1"},
      {none, "argosy_policy two_phase\nromio_cb_write disable", "argosy_policy",
       given(writing, policies::sieving), overridden,
       "romio_cb_write = disable: in write_all each rank works separately (o:1)"},
      {none, "argosy_policy two_phase\nromio_cb_write disable", "romio_cb_write",
       given(writing, policies::sieving), accepted,
       "instead of sieving, which write_all was given (o:2)"},
      // Prices.
      {"argosy_price_message_ns 5", none, "argosy_price_message_ns",
       given(writing, policies::automatic), overridden, "write_all was given automatic (f:1)"},
      {"argosy_price_message_ns 5", none, "argosy_price_message_ns",
       given(writing_here, policies::sieving), overridden, "write_at was given sieving (f:1)"},
      {"argosy_price_call_ns 5", none, "argosy_price_call_ns",
       given(writing_here, policies::sieving), overridden, "write_at was given sieving (f:1)"},
      {"argosy_price_call_ns 5", none, "argosy_price_call_ns", given(writing, policies::sieving),
       overridden, "write_all was given sieving (f:1)"},
      {"argosy_price_call_ns 5", none, "argosy_price_call_ns", given(writing, policies::automatic),
       accepted,
       "write_all was given automatic: of ranks by themselves, and of windows with holes, it "
       "counts (f:1)"},
      {none, "argosy_price_call_ns 5", "argosy_price_call_ns", given(writing, policies::automatic),
       accepted, "applied to automatic, which write_all was given (o:1)"},
      {none, "argosy_price_message_ns 5", "argosy_price_message_ns",
       given(writing, policies::automatic), accepted,
       "applied to automatic, which write_all was given (o:1)"},
      {none, "argosy_price_message_ns 5", "argosy_price_message_ns",
       given(writing, policies::two_phase), overridden, "write_all was given two_phase (o:1)"},
      {none, "cb_nodes 2", "cb_nodes", given(writing, policies::sieving), overridden,
       "write_all was given sieving (o:1)"},
      // Local calls.
      {"argosy_policy independent", "romio_ds_write disable", "romio_ds_write",
       given(writing_here, policies::sieving), accepted,
       "applied to sieving, which write_at was given (o:1)"},
      {"argosy_policy independent", "romio_ds_write disable", "romio_ds_write", writing_here,
       overridden, "argosy_policy = independent (o:1)"},
      {none, "argosy_policy two_phase", "argosy_policy", given(writing_here, policies::sieving),
       accepted, "for collective calls; write_at was given sieving, and sieved as hints say (o:1)"},
      {none, "argosy_policy independent", "argosy_policy", given(writing_here, policies::sieving),
       accepted, "instead of sieving, which write_at was given (o:1)"},
      // IBM_largeblock_io is overridden by all others.
      {"IBM_largeblock_io true\nargosy_policy data_shipping", none, largeblock, nothing, overridden,
       "argosy_policy = data_shipping (f:1)"},
      {"IBM_largeblock_io true\nargosy_policy two_phase", none, largeblock, nothing, overridden,
       "argosy_policy = two_phase (f:1)"},
      {"IBM_largeblock_io true\nargosy_policy sieving", none, largeblock, nothing, accepted, "f:1"},
      {"IBM_largeblock_io true\nromio_cb_write enable", none, largeblock, writing, overridden,
       "romio_cb_write = enable in write_all (f:1)"},
      {"IBM_largeblock_io true\nromio_cb_write enable", none, largeblock, reading, accepted, "f:1"},
      {"IBM_largeblock_io true\nromio_cb_write enable\nromio_cb_read enable", none, largeblock,
       nothing, overridden, "romio_cb_read and romio_cb_write are enabled (f:1)"},
      {"IBM_largeblock_io false\nargosy_policy two_phase", none, largeblock, writing_here,
       overridden,
       "argosy_policy = two_phase: only calls that are given data_shipping are shipped (f:1)"},
      // The reason names the hint that was given.
      {off + "cb_nodes 2", none, "cb_nodes", nothing, overridden,
       "collective_buffering = false: each rank works separately (f:2)"},
      {"romio_cb_read disable\nromio_cb_write disable\ncb_nodes 2", none, "cb_nodes", nothing,
       overridden,
       "romio_cb_read and romio_cb_write are disabled: each rank works separately (f:3)"},
      {off + "romio_cb_write disable\ncb_nodes 2", none, "cb_nodes", nothing, overridden,
       "collective_buffering = false and romio_cb_write = disable: each rank works separately "
       "(f:3)"},
      {"romio_cb_write disable\nromio_cb_read disable\ncb_nodes 2", off, "cb_nodes", nothing,
       overridden, "collective_buffering = false: each rank works separately (f:3)"},
      // The collective way was considered, and found too expensive.
      {"cb_buffer_size 256", none, "cb_buffer_size", weighed(writing), accepted,
       "counted in the choice: in write_all each rank worked separately, because together takes "
       "longer (f:1)"},
      {"cb_buffer_size 256", none, "cb_buffer_size", weighed(given(writing, policies::automatic)),
       overridden, "write_all was given automatic (f:1)"},
      {"cb_buffer_size 256", none, "cb_buffer_size", alone(writing), overridden,
       "in write_all each rank worked separately (f:1)"},
  };
  for (row const& r : rows) {
    CAPTURE(r.code, r.over, r.name, r.last.call_name(), r.last.policy);
    io::file_hints const h(io::extend::parse_hints(r.code, "f"), {}, {},
                           io::extend::parse_hints(r.over, "o"));
    io::hint_state const told = *io::detail::with_effects(h, r.last).find(r.name);
    CHECK(name_of(told.status) == name_of(r.status));
    CHECK(told.why == r.why);
  }
}

// Hints: every value checked, every fate told, none fatal.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <argosy/datatype/element.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/layout/number.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;
using namespace io::literals;
using Catch::Contains;
using io::hint_moment;
using io::hint_source;
using io::hint_status;

namespace {

io::file_hints given(io::hints const& h) { return {{}, {}, h}; }
io::file_hints given(std::string const& name, std::string const& value) {
  return given(io::hints{.named = {{name, value}}});
}
io::hint_state state(std::string const& name, std::string const& value) { return *given(name, value).find(name); }
bool accepts(std::string const& name, std::string const& value, std::string const& kept) {
  auto const s = state(name, value);
  CAPTURE(name, value, s.value, s.why);
  CHECK(s.status == (io::find_hint(name)->used ? hint_status::accepted : hint_status::ignored));
  CHECK(s.value == kept);
  return s.value == kept;
}
bool rejects(std::string const& name, std::string const& value, std::string const& why) {
  auto const s = state(name, value);
  CAPTURE(name, value, s.why);
  CHECK(s.status == hint_status::rejected);
  CHECK(s.value == io::find_hint(name)->standard);
  CHECK_THAT(s.why, Contains(why));
  CHECK(given(name, value).values() == io::resolved_hints());
  return s.status == hint_status::rejected;
}

// The row of the table in docs/use/hints.md.
std::string row(io::hint_info const& h) {
  std::ostringstream text;
  text << "| `" << h.name << "` | ";
  if (h.choices.empty()) {
    text << name_of(h.kind);
  } else {
    char const* before = h.kind == io::hint_kind::list ? "some of `" : "`";
    std::stringstream choices{std::string(h.choices)};
    for (std::string one; std::getline(choices, one, ','); before = ", `") text << before << one << "`";
  }
  text << " | ";
  if (!h.standard.empty()) text << "`" << h.standard << "`";
  text << " | " << name_of(h.when) << " | " << (h.same ? "yes" : "") << " | " << (h.used ? "" : "*ignored:* ")
       << h.effect << " |";
  return text.str();
}

struct temporary_file {
  explicit temporary_file(std::string const& text)
      : path(std::filesystem::temp_directory_path() / ("argosy_test." + std::to_string(::getpid()) + ".hints")) {
    std::ofstream(path) << text;
  }
  ~temporary_file() { std::remove(path.c_str()); }
  std::string path;
};

}  // namespace

TEST_CASE("without hints all are at their defaults", "[hints]") {
  io::file_hints const h;
  CHECK(h.all().size() == io::known_hints().size());
  for (io::hint_state const& s : h.all()) {
    CHECK(s.status == hint_status::defaulted);
    CHECK(s.why.empty());
  }
  CHECK(h.values().ind_rd_buffer_bytes == 4_MiB);
  CHECK(h.values().ind_wr_buffer_bytes == 512_KiB);
  CHECK(h.values().cb_buffer_bytes == 4_MiB);
  CHECK(h.values().ds_read == io::toggle::automatic);
  CHECK(h.values().policy == "automatic");
  CHECK_FALSE(h.values().file_permissions);
}

TEST_CASE("defaults as text and as values are the same", "[hints]") {
  // Every default is a value that the hint itself accepts, and that changes nothing.
  for (io::hint_info const& h : io::known_hints()) {
    if (h.standard.empty() || h.when == io::hint_time::never) continue;
    CAPTURE(h.name);
    auto set = given(std::string(h.name), std::string(h.standard));
    CHECK(set.find(h.name)->status == (h.used ? hint_status::accepted : hint_status::ignored));
    CHECK(set.find(h.name)->value == h.standard);
    auto values = set.values();
    if (h.name == "cb_config_list") values.cb_config_list.clear();       // "*:*" is spelt out
    if (h.name == "IBM_largeblock_io") values.largeblock_given = false;  // which asks for data shipping
    // Which makes windows of half its size, and a window is as long as it is, given or not.
    if (h.name == "cb_buffer_size") {
      CHECK(std::exchange(values.window_bytes, 512_KiB) == 2_MiB);
      values.cb_buffer_given = false;
    }
    if (h.name == "argosy_window_size") values.window_given = false;
    CHECK(values == io::resolved_hints());
  }
}

TEST_CASE("typed members and names are the same hints", "[hints]") {
  io::hints const typed{.access_style = "sequential",
                        .collective_buffering = true,
                        .cb_block_bytes = 64_KiB,
                        .cb_buffer_bytes = 8_MiB,
                        .cb_nodes = 3,
                        .cb_config_list = "*:1",
                        .cb_read = io::toggle::enable,
                        .cb_write = io::toggle::disable,
                        .min_domain_bytes = 1_MiB,
                        .ds_read = io::toggle::disable,
                        .ds_write = io::toggle::enable,
                        .ind_rd_buffer_bytes = 1_MiB,
                        .ind_wr_buffer_bytes = 2_MiB,
                        .file_permissions = 0640,
                        .striping_factor = 4,
                        .striping_unit = 2_MiB,
                        .io_buffer_bytes = 16_MiB,
                        .largeblock_io = io::largeblock::switchable,
                        .sparse_access = true,
                        .policy = "two_phase",
                        .window_bytes = 3_MiB,
                        .develop = true,
                        .lenient = true,
                        .sync_errors = "until_written",
                        .progress = "in_calls",
                        .io_threads = 2,
                        .max_ranges = 0,
                        .partitioning = io::toggle::disable,
                        .price_call_ns = 900,
                        .price_write_call_ns = 950,
                        .price_lock_ns = 1000.5,
                        .price_byte_ns = 0.25,
                        .price_piece_ns = 5,
                        .price_message_ns = 2000,
                        .price_message_byte_ns = 0.5,
                        .price_block_ns = 250};
  io::hints const named{.named = {{"access_style", "sequential"},
                                  {"collective_buffering", "true"},
                                  {"cb_block_size", "64k"},
                                  {"cb_buffer_size", "8M"},
                                  {"cb_nodes", "3"},
                                  {"cb_config_list", "*:1"},
                                  {"romio_cb_read", "enable"},
                                  {"romio_cb_write", "disable"},
                                  {"romio_min_fdomain_size", "1048576"},
                                  {"romio_ds_read", "DISABLE"},
                                  {"romio_ds_write", "enable"},
                                  {"ind_rd_buffer_size", "1 MiB"},
                                  {"ind_wr_buffer_size", "2097152"},
                                  {"file_perm", "0640"},
                                  {"striping_factor", "4"},
                                  {"striping_unit", "2m"},
                                  {"IBM_io_buffer_size", "16m"},
                                  {"IBM_largeblock_io", "switchable"},
                                  {"IBM_sparse_access", "true"},
                                  {"argosy_policy", "two_phase"},
                                  {"argosy_window_size", "3m"},
                                  {"argosy_develop", "true"},
                                  {"argosy_lenient", "true"},
                                  {"argosy_sync_errors", "until_written"},
                                  {"argosy_progress", "in_calls"},
                                  {"argosy_io_threads", "2"},
                                  {"argosy_max_ranges", "0"},
                                  {"argosy_partitioning", "disable"},
                                  {"argosy_price_call_ns", "900"},
                                  {"argosy_price_write_call_ns", "950"},
                                  {"argosy_price_lock_ns", "1000.5"},
                                  {"argosy_price_byte_ns", "0.25"},
                                  {"argosy_price_piece_ns", "5"},
                                  {"argosy_price_message_ns", "2000"},
                                  {"argosy_price_message_byte_ns", "0.5"},
                                  {"argosy_price_block_ns", "250"}}};
  CHECK(given(typed) == given(named));
  auto const v = given(typed).values();
  CHECK(v.cb_buffer_bytes == 8_MiB);
  CHECK(v.cb_config_list == std::vector<io::host_limit>{{"*", 1}});
  CHECK(v.file_permissions == 0640u);
  CHECK(v.striping_factor == 4);
  CHECK(v.striping_unit == 2_MiB);
  CHECK(v.largeblock_switchable);
  CHECK_FALSE(v.largeblock_io);
  CHECK(v.price_byte_ns == 0.25);
  CHECK(v.policy == "two_phase");
  // Every hint that does something can be given by a member.
  std::set<std::string> names;
  for (io::named_hint const& n : typed.by_name()) names.insert(n.name);
  for (io::hint_info const& h : io::known_hints())
    if (h.used && h.when != io::hint_time::never) CHECK((names.count(std::string(h.name)) == 1));
  CHECK(io::hints().empty());
  // The member counts where both are given.
  CHECK(given(io::hints{.cb_nodes = 3}.set("cb_nodes", "5")).values().cb_nodes == 3);
  CHECK(given(io::hints().set("cb_nodes", "5").set("cb_nodes", "6")).values().cb_nodes == 6);
}

TEST_CASE("values of every kind are read, or rejected with the reason", "[hints][error]") {
  accepts("cb_buffer_size", " 4096 ", "4096");
  accepts("cb_buffer_size", "16k", "16384");
  accepts("cb_buffer_size", "2 GiB", "2147483648");
  accepts("striping_unit", "1M", "1048576");
  rejects("cb_buffer_size", "", "empty");
  for (auto const* name : {"cb_buffer_size", "ind_rd_buffer_size", "ind_wr_buffer_size", "romio_cb_fr_alignment"})
    rejects(name, "0", "0 bytes");
  accepts("cb_block_size", "0", "0");
  rejects("cb_buffer_size", "-4096", "-4096 is negative");
  rejects("cb_buffer_size", "4.5k", "suffix");
  rejects("cb_buffer_size", "4T", "suffix is none of k, m, g");
  rejects("cb_buffer_size", "0x1000", "suffix");
  rejects("cb_buffer_size", "big", "not a decimal integer");
  rejects("cb_buffer_size", "9223372036854775808", "exceeds 2^63");
  rejects("cb_buffer_size", "9999999999g", "exceeds 2^63");
  accepts("cb_nodes", "12", "12");
  rejects("cb_nodes", "12k", "not a decimal integer");
  rejects("cb_nodes", "-1", "negative");
  accepts("romio_ds_write", "Enable", "enable");
  accepts("romio_cb_read", "false", "disable");
  accepts("romio_cb_read", "TRUE", "enable");
  rejects("romio_ds_write", "maybe", "none of automatic, enable, disable");
  accepts("argosy_develop", "TRUE", "true");
  rejects("argosy_develop", "yes", "neither true nor false");
  accepts("argosy_io_threads", "1024", "1024");
  rejects("argosy_io_threads", "1025", "more than 1024");
  accepts("IBM_largeblock_io", "switchable", "switchable");
  rejects("IBM_largeblock_io", "perhaps", "none of true,false,switchable");
  rejects("argosy_policy", "fastest", "none of automatic,independent");
  accepts("file_perm", "0644", "0644");
  rejects("file_perm", "rw-r--r--", "octal");
  rejects("file_perm", "99", "octal");
  rejects("file_perm", "64x", "octal");
  rejects("file_perm", "77777", "octal");
  accepts("access_style", "read_once, random", "read_once,random");
  rejects("access_style", "sideways", "none of read_once");
  accepts("chunked", "4,5,6", "4,5,6");
  rejects("chunked", "4,,6", "empty item");
  accepts("cb_config_list", "node1:2,node2,*:*", "node1:2,node2,*:*");
  CHECK(given("cb_config_list", "node1:2,node2,*:*").values().cb_config_list ==
        std::vector<io::host_limit>{{"node1", 2}, {"node2", 1}, {"*", -1}});
  rejects("cb_config_list", "node1:many", "host:number");
  rejects("cb_config_list", ":3", "host:number");
  accepts("argosy_price_byte_ns", "1e-3", "1e-3");
  for (auto const* bad : {"-1", "nan", "inf", "1ns", "", "1e999", "1.5.2", "2-", "+", "e", "."}) {
    CAPTURE(bad);
    CHECK(state("argosy_price_byte_ns", bad).status == hint_status::rejected);
  }
  rejects("filename", "other.dat", "the library tells");
}

TEST_CASE("hints that do nothing here say why; unknown ones are unknown", "[hints]") {
  auto const h = given(io::hints{.named = {{"start_iodevice", "8"}, {"panfs_layout", "raid"}, {"cb_node", "4"}}});
  CHECK(h.find("start_iodevice")->status == hint_status::ignored);
  CHECK(h.find("start_iodevice")->value == "8");
  CHECK_THAT(h.find("start_iodevice")->why, Contains("POSIX"));
  CHECK(h.find("cb_node")->status == hint_status::ignored);
  CHECK(h.find("cb_node")->why == "unknown; did you mean cb_nodes?");
  CHECK(h.find("cb_nodes")->status == hint_status::defaulted);
  CHECK(h.all().size() == io::known_hints().size() + 2);
  CHECK(h.find("nothing") == nullptr);

  // the last word counts, of unknown ones, too
  auto const twice = given(io::hints{.named = {{"colour", "red"}, {"colour", "blue"}}});
  CHECK(twice.find("colour")->value == "blue");
  CHECK(twice.all().size() == io::known_hints().size() + 1);
}

TEST_CASE("an unknown hint that is nearly a known one is asked about", "[hints]") {
  auto const why = [](std::string const& name) { return state(name, "1").why; };
  CHECK(why("cb_bufer_size") == "unknown; did you mean cb_buffer_size?");
  CHECK(why("cb_write") == "unknown; did you mean romio_cb_write?");
  CHECK(why("policy") == "unknown; did you mean argosy_policy?");
  CHECK(why("ibm_largeblock_io") == "unknown; did you mean IBM_largeblock_io?");
  CHECK(why("romio_ds_wirte") == "unknown; did you mean romio_ds_write?");
  CHECK(why("CB_NODES") == "unknown; did you mean cb_nodes?");
  CHECK(why("IBM_LargeBlock_IO") == "unknown; did you mean IBM_largeblock_io?");
  for (auto const* strange : {"panfs_layout", "x", "colour", "whatever", ""}) CHECK(why(strange) == "unknown");
  CHECK(why(std::string(100'000, 'c')) == "unknown");
}

TEST_CASE("what ARGOSY_HINTS_OVERRIDE says, nobody changes", "[hints][override]") {
  io::hints const file =
      io::parse_hints("cb_nodes 3\nargosy_window_size many\nromio_ds_read enable\nno_such 1", "site");
  io::file_hints h({}, {}, io::hints{.cb_nodes = 8, .window_bytes = 1_MiB}, file);
  CHECK(h.values().cb_nodes == 3);
  CHECK(*h.find("cb_nodes") ==
        io::hint_state{"cb_nodes", "3", hint_status::accepted, hint_source::overriding, "site:1"});
  // What cannot be overrides nothing.
  CHECK(h.values().window_bytes == 1_MiB);
  CHECK(h.find("argosy_window_size")->status == hint_status::rejected);
  CHECK(h.find("no_such")->status == hint_status::ignored);
  CHECK_FALSE(h.values().overrides("argosy_window_size"));
  CHECK(h.values().overrides("romio_ds_read"));

  for (io::hint_moment const moment : {hint_moment::set_view, hint_moment::set_hints}) {
    h.merge(io::hints{.cb_nodes = 5, .window_bytes = 2_MiB}, hint_source::code, moment);
    CHECK(h.values().cb_nodes == 3);
    CHECK(h.values().window_bytes == 2_MiB);
    CHECK(*h.find("cb_nodes") == io::hint_state{"cb_nodes", "3", hint_status::overridden, hint_source::code,
                                                "\"5\": ARGOSY_HINTS_OVERRIDE has another say"});
  }
  h.merge(io::hints{.named = {{"cb_nodes", "some"}}}, hint_source::code, hint_moment::set_hints);
  CHECK(h.find("cb_nodes")->status == hint_status::rejected);
  // A policy goes by other rules where a hint overrides: ranks must be equal in that, too.
  CHECK(h.same_hash() != io::file_hints({}, {}, io::hints{.cb_nodes = 3, .window_bytes = 2_MiB}).same_hash());
}

TEST_CASE("an overriding hint that chooses the policy is not contradicted by others of the program",
          "[hints][override]") {
  auto const chosen = [](io::hints const& code, std::string const& over, io::access_kind kind) -> std::string {
    io::file_hints const h({}, {}, code, io::parse_hints(over, "site"));
    io::any_policy const together = io::detail::chosen(h.values()).together(kind);
    return together.has_value() ? std::string(together.name()) : "alone";
  };
  using enum io::access_kind;
  io::hints const against{.collective_buffering = false,
                          .cb_read = io::toggle::disable,
                          .cb_write = io::toggle::disable,
                          .largeblock_io = io::largeblock::on,
                          .policy = "sieving"};
  for (io::access_kind const kind : {read, write}) {
    CHECK(chosen(against, "", kind) == "alone");
    CHECK(chosen(against, "argosy_policy two_phase", kind) == "two_phase");
    CHECK(chosen(against, "argosy_policy data_shipping", kind) == "data_shipping");
    CHECK(chosen(against, "collective_buffering true", kind) == "automatic");
    CHECK(chosen(against, "IBM_largeblock_io false", kind) == "data_shipping");
    CHECK(chosen(io::hints{.cb_read = io::toggle::enable, .cb_write = io::toggle::enable}, "collective_buffering false",
                 kind) == "alone");
    CHECK(chosen({}, "collective_buffering false\nromio_cb_read enable\nromio_cb_write enable", kind) == "two_phase");
    CHECK(chosen(io::hints{.policy = "two_phase"}, "romio_cb_read disable\nromio_cb_write disable", kind) == "alone");
  }
  CHECK(chosen(against, "romio_cb_write enable", write) == "two_phase");
  CHECK(chosen(against, "romio_cb_write enable", read) == "automatic");
  io::file_hints const told({}, {}, against, io::parse_hints("romio_cb_write enable", "site"));
  CHECK(told.find("argosy_policy")->status == hint_status::overridden);
  CHECK(told.find("argosy_policy")->why == "ARGOSY_HINTS_OVERRIDE chooses the policy");
  CHECK(told.find("romio_cb_write")->status == hint_status::accepted);
}

TEST_CASE("overriding hints change the policies that calls are given", "[hints][override]") {
  auto const changed = [](io::any_policy const& given, std::string const& over, bool together = true,
                          io::access_kind kind = io::access_kind::write) {
    return io::detail::overridden(given, io::file_hints({}, {}, {}, io::parse_hints(over, "site")).values(), kind,
                                  together);
  };
  io::two_phase const program{.buffer_bytes = 1_MiB, .window_bytes = 64_KiB, .aggregators = 2, .align_bytes = 3};
  CHECK(*changed(program, "").target<io::two_phase>() == program);
  CHECK(*changed(program, "romio_ds_write disable").target<io::two_phase>() == program);
  io::two_phase expected = program;
  expected.aggregators = 7;
  CHECK(*changed(program, "cb_nodes 7").target<io::two_phase>() == expected);
  expected.align_bytes = 4096;
  expected.least_domain_bytes = 100;
  expected.buffer_bytes = 32_MiB;
  expected.window_bytes = 16_MiB;
  std::string const all = "cb_nodes 7\ncb_block_size 4096\nromio_min_fdomain_size 100\nargosy_window_size 16m";
  CHECK(*changed(program, all).target<io::two_phase>() == expected);
  CHECK(changed(io::automatic{}, all).target<io::automatic>()->two_phase.window_bytes == 16_MiB);
  CHECK(changed(io::automatic{}, "argosy_price_block_ns 5").target<io::automatic>()->exchange.block_ns == 5);
  CHECK(changed(io::automatic{}, "argosy_price_lock_ns 5").target<io::automatic>()->storage ==
        "hints, else those of local files");
  CHECK(changed(io::automatic{}, "cb_nodes 5").target<io::automatic>()->storage == "local files");
  CHECK(changed(io::data_shipping{}, "IBM_io_buffer_size 1m\ncb_nodes 3").target<io::data_shipping>()->stripe_bytes ==
        1_MiB);
  io::sieving const sieve =
      *changed(io::sieving{}, "romio_ds_write disable\nind_rd_buffer_size 64\nargosy_price_lock_ns 9")
           .target<io::sieving>();
  CHECK((sieve.writes == io::sieve::never && sieve.read_window_bytes == 64 && sieve.prices.lock_ns == 9));
  CHECK(sieve.write_window_bytes == io::sieving().write_window_bytes);

  // Those that choose the policy leave nothing of it; a rank by itself is no business of romio_cb_*.
  CHECK_FALSE(changed(program, "argosy_policy sieving").has_value());
  CHECK_FALSE(changed(io::sieving{}, "argosy_policy sieving", false).has_value());
  CHECK_FALSE(changed(program, "romio_cb_write disable").has_value());
  CHECK(changed(program, "romio_cb_write disable", true, io::access_kind::read).has_value());
  CHECK(changed(io::sieving{}, "romio_cb_write enable", false).has_value());
  CHECK_FALSE(changed({}, "cb_nodes 7").has_value());
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
  // The plan takes the smaller of the two.
  CHECK(made({.cb_buffer_bytes = 8_MiB, .window_bytes = 16_MiB}).buffer_bytes == 8_MiB);
  CHECK(made({.window_bytes = std::numeric_limits<std::int64_t>::max()}).window_bytes == 1_GiB);
  CHECK(made({.cb_buffer_bytes = std::numeric_limits<std::int64_t>::max()}).window_bytes == 1_GiB);

  io::access_summary all;
  all.high = 64_MiB;
  all.bytes = all.most_bytes = all.spans = all.high;
  all.pieces = all.most_pieces = all.granule = all.ranks = 1;
  all.low = 0;
  auto const window = [&](io::two_phase const& p) {
    return p.plan(io::access_kind::write, all, {4, 1, 4096, 4}).window_bytes;
  };
  CHECK(window(made({.window_bytes = 16_MiB})) == 16_MiB);
  CHECK(window(made({.cb_buffer_bytes = 8_MiB, .window_bytes = 16_MiB})) == 4_MiB);
  CHECK(window(made({.window_bytes = 1_GiB})) == 64_MiB);  // as much as is accessed
  all.high = 100;
  CHECK(window(made({.window_bytes = 1_GiB})) == 512_KiB);
  CHECK(window(made({})) == 512_KiB);
  // The window in force is told, so that hints which come back by an MPI_Info mean the same.
  CHECK(given(io::hints{.cb_buffer_bytes = 8_MiB}).find("argosy_window_size")->value == "4194304");
  CHECK(given(io::hints{}).find("argosy_window_size")->value == "524288");
  // It makes a difference whether the default was given.
  CHECK(given(io::hints{.cb_buffer_bytes = 4_MiB}).same_hash() != given(io::hints{}).same_hash());
}

TEST_CASE("the status of a hint tells what other hints leave of it", "[hints][effect]") {
  auto const state_of = [](std::string const& text, std::string const& name) {
    return *io::detail::with_effects(io::file_hints(io::parse_hints(text, "f"), {}, {}), {}).find(name);
  };
  auto const fate = [&](std::string const& text, std::string const& name) { return state_of(text, name).status; };
  using enum hint_status;
  CHECK(fate("cb_nodes 4", "cb_nodes") == accepted);
  for (std::string const text :
       {"argosy_policy sieving", "argosy_policy independent", "romio_cb_read disable\nromio_cb_write disable",
        "collective_buffering false", "IBM_largeblock_io true"})
    for (std::string const name :
         {"cb_nodes", "cb_buffer_size", "argosy_window_size", "cb_block_size", "romio_min_fdomain_size"}) {
      CAPTURE(text, name);
      CHECK(fate(text + "\n" + name + " 4096", name) == overridden);
    }
  CHECK(fate("cb_config_list *:1\nargosy_policy sieving", "cb_config_list") == overridden);
  CHECK(fate("cb_nodes 4\nIBM_largeblock_io true\nromio_cb_write enable", "cb_nodes") == accepted);
  CHECK(fate("cb_nodes 4\nromio_cb_write disable", "cb_nodes") == accepted);  // of reads
  CHECK(fate("cb_nodes 4\nargosy_policy data_shipping", "cb_nodes") == accepted);
  CHECK(fate("cb_buffer_size 4m\nargosy_policy data_shipping", "cb_buffer_size") == overridden);
  CHECK(fate("romio_cb_write enable\nargosy_policy data_shipping", "romio_cb_write") == overridden);
  CHECK(fate("romio_cb_write disable\nargosy_policy data_shipping", "romio_cb_write") == accepted);
  CHECK(fate("romio_cb_write enable\nargosy_policy sieving", "romio_cb_write") == overridden);
  CHECK(fate("argosy_policy two_phase\nromio_cb_read disable\nromio_cb_write disable", "argosy_policy") == overridden);
  CHECK(state_of("romio_ds_write disable\nargosy_policy independent", "romio_ds_write").why ==
        "argosy_policy = independent (f:1)");
  CHECK(fate("romio_ds_write disable\nargosy_policy sieving", "romio_ds_write") == accepted);
  for (std::string const name : {"IBM_io_buffer_size 1m", "IBM_sparse_access true", "argosy_max_ranges 2"}) {
    std::string const alone = name.substr(0, name.find(' '));
    CHECK(fate(name, alone) == ignored);
    CHECK(fate(name + "\nargosy_policy data_shipping", alone) == accepted);
    CHECK(fate(name + "\nIBM_largeblock_io false", alone) == accepted);
    CHECK(fate(name + "\nargosy_price_block_ns 100", alone) == accepted);
    CHECK(io::detail::with_effects(io::file_hints(io::parse_hints(name, "f"), {}, {}), {.may_ship = true})
              .find(alone)
              ->status == accepted);
  }
  CHECK(state_of("cb_buffer_size 1m\nargosy_window_size 1m", "argosy_window_size").why ==
        "capped at 524288: half of cb_buffer_size (f:2)");
  CHECK(fate("cb_buffer_size 2m\nargosy_window_size 1m", "argosy_window_size") == accepted);
  CHECK(fate("ind_rd_buffer_size 1m", "ind_rd_buffer_size") == capped);
  CHECK(fate("ind_rd_buffer_size 256k", "ind_rd_buffer_size") == accepted);
  CHECK(fate("cb_nodes many\nargosy_policy sieving", "cb_nodes") == rejected);
}

TEST_CASE("the status of a hint tells what the last call made of it", "[hints][effect]") {
  using enum hint_status;
  using io::detail::hint_facts;
  auto const given_all = [](std::string const& over = "") {
    return io::file_hints(
        io::parse_hints("cb_nodes 4\nargosy_window_size 1m\ncb_block_size 4096\nargosy_policy two_phase\n"
                        "romio_ds_write enable\ncb_config_list a:1,b:1,*:0",
                        "f"),
        {}, {}, io::parse_hints(over, "o"));
  };
  auto const state_of = [&](std::string const& name, hint_facts const& facts, std::string const& over = "") {
    return *io::detail::with_effects(given_all(over), facts).find(name);
  };
  hint_facts const by_hints{.call = "write_all", .kind = io::access_kind::write, .collective = true};
  CHECK(state_of("cb_nodes", by_hints).status == accepted);

  hint_facts together = by_hints;
  together.planned = together.together = true;
  together.aggregators = 4;
  together.window_bytes = 1_MiB;
  for (std::string const name : {"cb_nodes", "argosy_window_size", "argosy_policy"})
    CHECK(state_of(name, together).status == accepted);
  together.aggregators = 3;
  together.window_bytes = 512_KiB;
  CHECK(state_of("cb_nodes", together).status == capped);
  CHECK_THAT(state_of("cb_nodes", together).why, Contains("capped at 3 in write_all"));
  CHECK(state_of("argosy_window_size", together).status == capped);
  CHECK_THAT(state_of("argosy_window_size", together).why, Contains("capped at 524288 in write_all"));
  together.window_bytes = 0;
  CHECK_THAT(state_of("cb_block_size", together).why, Contains("write_all was shipped"));
  together.together = false;
  CHECK(state_of("cb_nodes", together).status == overridden);
  CHECK_THAT(state_of("cb_nodes", together).why, Contains("in write_all each rank went by itself"));

  hint_facts argument = by_hints;
  argument.policy = "two_phase";
  argument.policy_takes_hints = true;
  for (std::string const name : {"cb_nodes", "argosy_window_size", "cb_block_size", "argosy_policy"}) {
    CHECK(state_of(name, argument).status == overridden);
    CHECK(state_of(name, argument).why.starts_with("write_all was given two_phase"));
  }
  CHECK(state_of("romio_ds_write", argument).status == accepted);  // aggregators merge by it
  CHECK(state_of("cb_nodes", argument, "cb_nodes 5").status == accepted);
  CHECK_THAT(state_of("cb_nodes", argument, "cb_nodes 5").why,
             Contains("applied to two_phase, which write_all was given"));
  CHECK_THAT(state_of("argosy_policy", argument, "argosy_policy automatic").why,
             Contains("instead of two_phase, which write_all was given"));
  CHECK(state_of("cb_nodes", argument, "argosy_policy automatic").status == accepted);
  argument.policy = "mine";
  argument.policy_takes_hints = false;
  CHECK(state_of("cb_nodes", argument, "cb_nodes 5").status == overridden);
  CHECK_THAT(state_of("cb_nodes", argument, "cb_nodes 5").why,
             Contains("write_all was given mine, a policy of the program"));

  // Hints that act on each other have no say where the call was given a policy, but in calls that are given none.
  auto const contradicted = [&](hint_facts const& facts, std::string const& over = "") {
    auto const all =
        io::file_hints(io::parse_hints("cb_nodes 2\nargosy_policy sieving", "f"), {}, {}, io::parse_hints(over, "o"));
    return io::detail::with_effects(all, facts).find("cb_nodes")->why;
  };
  argument.policy = "two_phase";
  argument.policy_takes_hints = true;
  CHECK(contradicted(argument) == "write_all was given two_phase (f:1)");
  CHECK(contradicted(by_hints) == "argosy_policy = sieving (f:1)");
  CHECK(contradicted(argument, "argosy_policy sieving") == "argosy_policy = sieving (f:1)");

  hint_facts local{.call = "write_at", .policy = "sieving", .kind = io::access_kind::write, .policy_takes_hints = true};
  CHECK(state_of("romio_ds_write", local).status == overridden);
  CHECK(state_of("cb_nodes", local).status == accepted);  // no business of a local call

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
  hint_facts const nothing, writing{.call = "write_all", .kind = write, .collective = true};
  hint_facts const reading{.call = "read_all", .kind = read, .collective = true};
  hint_facts const writing_here{.call = "write_at", .kind = write};
  auto const given = [](hint_facts last, std::string_view policy) {
    last.policy = policy;
    last.policy_takes_hints = true;
    return last;
  };
  auto const alone = [](hint_facts last) {
    last.planned = true;
    return last;
  };
  auto const shipping_alone = [&](hint_facts last) {
    last.planned = last.shipped = true;
    return last;
  };
  auto const weighed = [&](hint_facts last) {
    last.planned = last.weighed = true;
    return last;
  };
  std::vector<row> const rows{
      // Agents are asked for, and two-phase is not: each rank ships by itself.
      {off + "argosy_policy data_shipping", none, "argosy_policy", nothing, accepted, "f:2"},
      {off + "argosy_policy data_shipping", none, "argosy_policy", shipping_alone(writing), accepted, "f:2"},
      {off + "cb_nodes 1\nIBM_largeblock_io false", none, "cb_nodes", nothing, accepted, "f:2"},
      {off + "cb_nodes 1\nIBM_largeblock_io false", none, "cb_nodes", shipping_alone(writing), accepted, "f:2"},
      {off + "cb_nodes 1\nIBM_largeblock_io false", none, "cb_nodes", given(writing_here, "data_shipping"), accepted,
       "f:2"},
      {off + "cb_buffer_size 1m\nargosy_policy data_shipping", none, "cb_buffer_size", nothing, overridden,
       "collective_buffering = false: each rank ships by itself (f:2)"},
      // What a call was given brings its own.
      {"IBM_io_buffer_size 128k", none, "IBM_io_buffer_size", given(writing, "data_shipping"), overridden,
       "write_all was given data_shipping (f:1)"},
      {none, "IBM_io_buffer_size 128k", "IBM_io_buffer_size", given(writing, "data_shipping"), accepted,
       "applied to data_shipping, which write_all was given (o:1)"},
      {none, "IBM_io_buffer_size 128k", "IBM_io_buffer_size", given(writing_here, "data_shipping"), ignored,
       "nothing is shipped: argosy_policy = data_shipping does that, or IBM_largeblock_io = false (o:1)"},
      {"IBM_largeblock_io false", none, largeblock, given(writing_here, "data_shipping"), accepted,
       "agents serve write_at, which was given data_shipping (f:1)"},
      // romio_cb_* = disable comes before two_phase.
      {"argosy_policy two_phase\nromio_cb_write disable", none, "argosy_policy", alone(writing), overridden,
       "romio_cb_write = disable: in write_all each rank goes by itself (f:1)"},
      {"argosy_policy two_phase\nromio_cb_write disable", none, "argosy_policy", alone(reading), accepted, "f:1"},
      {"argosy_policy two_phase\nromio_cb_write disable", none, "argosy_policy", writing_here, accepted, "f:1"},
      {none, "argosy_policy two_phase\nromio_cb_write disable", "argosy_policy", given(writing, "sieving"), overridden,
       "romio_cb_write = disable: in write_all each rank goes by itself (o:1)"},
      {none, "argosy_policy two_phase\nromio_cb_write disable", "romio_cb_write", given(writing, "sieving"), accepted,
       "instead of sieving, which write_all was given (o:2)"},
      // Prices.
      {"argosy_price_message_ns 5", none, "argosy_price_message_ns", given(writing, "automatic"), overridden,
       "write_all was given automatic (f:1)"},
      {"argosy_price_message_ns 5", none, "argosy_price_message_ns", given(writing_here, "sieving"), overridden,
       "write_at was given sieving (f:1)"},
      {"argosy_price_call_ns 5", none, "argosy_price_call_ns", given(writing_here, "sieving"), overridden,
       "write_at was given sieving (f:1)"},
      {"argosy_price_call_ns 5", none, "argosy_price_call_ns", given(writing, "sieving"), overridden,
       "write_all was given sieving (f:1)"},
      {"argosy_price_call_ns 5", none, "argosy_price_call_ns", given(writing, "automatic"), accepted,
       "write_all was given automatic: of ranks by themselves, and of windows with holes, it counts (f:1)"},
      {none, "argosy_price_call_ns 5", "argosy_price_call_ns", given(writing, "automatic"), accepted,
       "applied to automatic, which write_all was given (o:1)"},
      {none, "argosy_price_message_ns 5", "argosy_price_message_ns", given(writing, "automatic"), accepted,
       "applied to automatic, which write_all was given (o:1)"},
      {none, "argosy_price_message_ns 5", "argosy_price_message_ns", given(writing, "two_phase"), overridden,
       "write_all was given two_phase (o:1)"},
      {none, "cb_nodes 2", "cb_nodes", given(writing, "sieving"), overridden, "write_all was given sieving (o:1)"},
      // Of local calls.
      {"argosy_policy independent", "romio_ds_write disable", "romio_ds_write", given(writing_here, "sieving"),
       accepted, "applied to sieving, which write_at was given (o:1)"},
      {"argosy_policy independent", "romio_ds_write disable", "romio_ds_write", writing_here, overridden,
       "argosy_policy = independent (o:1)"},
      {none, "argosy_policy two_phase", "argosy_policy", given(writing_here, "sieving"), accepted,
       "for collective calls; write_at was given sieving, and sieved as hints say (o:1)"},
      {none, "argosy_policy independent", "argosy_policy", given(writing_here, "sieving"), accepted,
       "instead of sieving, which write_at was given (o:1)"},
      // IBM_largeblock_io comes last.
      {"IBM_largeblock_io true\nargosy_policy data_shipping", none, largeblock, nothing, overridden,
       "argosy_policy = data_shipping (f:1)"},
      {"IBM_largeblock_io true\nargosy_policy two_phase", none, largeblock, nothing, overridden,
       "argosy_policy = two_phase (f:1)"},
      {"IBM_largeblock_io true\nargosy_policy sieving", none, largeblock, nothing, accepted, "f:1"},
      {"IBM_largeblock_io true\nromio_cb_write enable", none, largeblock, writing, overridden,
       "romio_cb_write = enable in write_all (f:1)"},
      {"IBM_largeblock_io true\nromio_cb_write enable", none, largeblock, reading, accepted, "f:1"},
      {"IBM_largeblock_io true\nromio_cb_write enable\nromio_cb_read enable", none, largeblock, nothing, overridden,
       "romio_cb_read and romio_cb_write are enabled (f:1)"},
      {"IBM_largeblock_io false\nargosy_policy two_phase", none, largeblock, writing_here, overridden,
       "argosy_policy = two_phase: only calls that are given data_shipping are shipped (f:1)"},
      // The hint that was given is named.
      {off + "cb_nodes 2", none, "cb_nodes", nothing, overridden,
       "collective_buffering = false: each rank goes by itself (f:2)"},
      {"romio_cb_read disable\nromio_cb_write disable\ncb_nodes 2", none, "cb_nodes", nothing, overridden,
       "romio_cb_read and romio_cb_write are disabled: each rank goes by itself (f:3)"},
      {off + "romio_cb_write disable\ncb_nodes 2", none, "cb_nodes", nothing, overridden,
       "collective_buffering = false and romio_cb_write = disable: each rank goes by itself (f:3)"},
      {"romio_cb_write disable\nromio_cb_read disable\ncb_nodes 2", off, "cb_nodes", nothing, overridden,
       "collective_buffering = false: each rank goes by itself (f:3)"},
      // What was weighed, and found too dear.
      {"cb_buffer_size 256", none, "cb_buffer_size", weighed(writing), accepted,
       "with it, going together would have taken longer: in write_all each rank went by itself (f:1)"},
      {"cb_buffer_size 256", none, "cb_buffer_size", weighed(given(writing, "automatic")), overridden,
       "write_all was given automatic (f:1)"},
      {"cb_buffer_size 256", none, "cb_buffer_size", alone(writing), overridden,
       "in write_all each rank went by itself (f:1)"},
  };
  for (row const& r : rows) {
    CAPTURE(r.code, r.over, r.name, r.last.call, r.last.policy);
    io::file_hints const h(io::parse_hints(r.code, "f"), {}, {}, io::parse_hints(r.over, "o"));
    io::hint_state const told = *io::detail::with_effects(h, r.last).find(r.name);
    CHECK(name_of(told.status) == name_of(r.status));
    CHECK(told.why == r.why);
  }
}

TEST_CASE("later sources win, a rejected value leaves the one before", "[hints]") {
  io::hints const file = io::parse_hints("cb_nodes 2\ncb_buffer_size 1m\nromio_ds_read disable\n", "site.hints");
  io::hints const info{.named = {{"cb_nodes", "3"}, {"cb_buffer_size", "huge"}}};
  io::hints const code{.cb_nodes = 4};
  io::file_hints const h(file, info, code);
  CHECK(h.values().cb_nodes == 4);
  CHECK(h.find("cb_nodes")->source == hint_source::code);
  CHECK(h.values().cb_buffer_bytes == 1_MiB);
  CHECK(*h.find("cb_buffer_size") == io::hint_state{"cb_buffer_size", "1048576", hint_status::rejected,
                                                    hint_source::info, "\"huge\" is not a decimal integer"});
  CHECK(h.values().ds_read == io::toggle::disable);
  CHECK(h.find("romio_ds_read")->source == hint_source::environment);
  CHECK(h.find("romio_ds_read")->why == "site.hints:3");
}

TEST_CASE("collective_buffering = false means no two-phase, unless said otherwise", "[hints]") {
  CHECK(given("collective_buffering", "false").values().cb_read == io::toggle::disable);
  auto const h = given(io::hints{.collective_buffering = false, .cb_write = io::toggle::enable});
  CHECK(h.values().cb_read == io::toggle::disable);
  CHECK(h.values().cb_write == io::toggle::enable);
  auto again = h;
  again.merge(io::hints{.collective_buffering = true}, hint_source::code, hint_moment::set_hints);
  CHECK(again.values().cb_read == io::toggle::automatic);
  // A value that cannot be says nothing.
  io::hints wrong{.collective_buffering = false};
  wrong.set("romio_cb_read", "perhaps");
  CHECK(given(wrong).values().cb_read == io::toggle::disable);
}

TEST_CASE("a rejected hint does not say otherwise", "[hints]") {
  auto h = given(io::hints{.collective_buffering = false, .named = {{"romio_cb_read", "maybe"}}});
  CHECK(h.find("romio_cb_read")->status == hint_status::rejected);
  CHECK(h.values().cb_read == io::toggle::disable);
  CHECK(h.values().cb_write == io::toggle::disable);
  // What was said before it holds.
  h.merge(io::hints{.named = {{"romio_cb_read", "enable"}, {"romio_cb_read", "perhaps"}}}, hint_source::code,
          hint_moment::set_hints);
  CHECK(h.find("romio_cb_read")->status == hint_status::rejected);
  CHECK(h.values().cb_read == io::toggle::enable);
}

TEST_CASE("a hint may change only when its line in the table says so", "[hints]") {
  io::file_hints h = given(io::hints{.io_buffer_bytes = 1_MiB});
  h.merge(io::hints{.cb_nodes = 2, .file_permissions = 0600, .develop = true}, hint_source::code,
          hint_moment::set_view);
  CHECK(h.values().cb_nodes == 2);
  CHECK_FALSE(h.values().develop);
  CHECK_FALSE(h.values().file_permissions);
  CHECK(h.find("argosy_develop")->status == hint_status::rejected);
  CHECK_THAT(h.find("file_perm")->why, Contains("at open only"));

  h.merge(io::hints{.io_buffer_bytes = 2_MiB}, hint_source::code, hint_moment::set_hints, true);
  CHECK(h.values().io_buffer_bytes == 1_MiB);
  CHECK_THAT(h.find("IBM_io_buffer_size")->why, Contains("pending"));
  h.merge(io::hints{.io_buffer_bytes = 2_MiB}, hint_source::code, hint_moment::set_hints, false);
  CHECK(h.values().io_buffer_bytes == 2_MiB);
  CHECK(h.find("IBM_io_buffer_size")->status == hint_status::accepted);
}

TEST_CASE("IBM_largeblock_io is fixed at open, unless it was switchable there", "[hints]") {
  io::file_hints fixed = given("IBM_largeblock_io", "true");
  fixed.merge(io::hints{.largeblock_io = io::largeblock::off}, hint_source::code, hint_moment::set_view);
  CHECK(fixed.values().largeblock_io);
  CHECK_THAT(fixed.find("IBM_largeblock_io")->why, Contains("fixed since open"));
  io::file_hints moving = given("IBM_largeblock_io", "switchable");
  CHECK_FALSE(moving.values().largeblock_io);
  for (bool on : {true, false, true}) {
    moving.merge(io::hints{.largeblock_io = on ? io::largeblock::on : io::largeblock::off}, hint_source::code,
                 hint_moment::set_view);
    CHECK(moving.values().largeblock_io == on);
    CHECK(moving.find("IBM_largeblock_io")->status == hint_status::accepted);
  }
}

TEST_CASE("what takes longer than any clock shows takes for ever", "[hints]") {
  for (std::string const price : {"1", "1e18", "1e300"}) {
    io::detail::open_file f;
    f.follow(given("argosy_price_call_ns", price));
    io::detail::job t;
    t.where = std::make_shared<io::detail::used_view const>(io::view(0, io::type<int>));
    t.bytes = 400;
    t.memory = std::make_shared<io::const_buffer const>();
    io::access_summary const one = f.summary_of(t);
    CHECK(one.alone_ns == one.alone_sum_ns);
    CHECK(one.alone_ns > 0);
    CHECK((one.alone_ns == std::numeric_limits<std::int64_t>::max()) == (price == "1e300"));
  }
}

TEST_CASE("hints choose the policy of collective calls", "[hints]") {
  using io::access_kind;
  auto const chosen = [](access_kind kind, std::vector<std::pair<std::string, std::string>> const& all) -> std::string {
    io::hints h;
    for (auto const& [name, value] : all) h.named.push_back({name, value});
    io::any_policy const together = io::detail::chosen(given(h).values()).together(kind);
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
      CHECK(chosen(kind, {{"argosy_policy", own}, {"IBM_largeblock_io", "false"}}) == "each rank by itself");
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
  // Whoever names a policy gets it; agents serve those calls that ask for them.
  auto const named = given(io::hints{.largeblock_io = io::largeblock::off, .policy = "sieving"}).values();
  CHECK_FALSE(named.ships());
  CHECK(named.wants_agents());
  // What is said and what is the default make two different files: all ranks must say the same.
  CHECK(given("IBM_largeblock_io", "false").same_hash() != given(io::hints{}).same_hash());
}

TEST_CASE("a line of a hints file may have a = between name and value", "[hints]") {
  for (std::string const line : {"cb_nodes 4", "cb_nodes = 4", "cb_nodes=4", "cb_nodes= 4 # four", "cb_nodes\t=4"}) {
    CAPTURE(line);
    io::file_hints const h(io::parse_hints(line, "f"), {}, {});
    CHECK(h.values().cb_nodes == 4);
    CHECK(h.find("cb_nodes")->why == "f:1");
  }
  for (std::string const line : {"cb_nodes =", "cb_nodes="})
    CHECK_THAT(io::file_hints(io::parse_hints(line, "f"), {}, {}).find("cb_nodes")->why,
               Contains("a name and a value"));
  for (std::string const line : {"= 4", "=", "='="}) {
    io::file_hints const h(io::parse_hints(line, "f"), {}, {});
    REQUIRE(h.find(line));
    CHECK_THAT(h.find(line)->why, Contains("f:1") && Contains("a name before its value"));
  }
}

TEST_CASE("prices that are hints are not called those of local files", "[hints][prices]") {
  auto const prices = [](io::hints const& h) {
    io::detail::chosen const c(given(h).values());
    return c.writing.target<io::automatic>()->storage;
  };
  CHECK(prices({}) == "local files");
  io::hints some;
  some.set("argosy_price_byte_ns", "2");
  CHECK(prices(some) == "hints, else those of local files");
}

TEST_CASE("where ranks differ, a value is told with the variable and file that it is from", "[hints]") {
  io::file_hints const h(io::parse_hints("cb_nodes 4", "site.txt"), {}, io::hints{.cb_block_bytes = 1_MiB},
                         io::parse_hints("argosy_policy sieving", "mine.txt"));
  std::string const lines = io::detail::lines_with_sources(h);
  CHECK_THAT(lines, Contains("cb_nodes 4\tARGOSY_HINTS, site.txt:1\n") && Contains("cb_block_size 1048576\n") &&
                        Contains("argosy_policy sieving\tARGOSY_HINTS_OVERRIDE, mine.txt:1\n"));
}

TEST_CASE("a text file gives hints; its errors are told with their lines", "[hints][error]") {
  temporary_file const file(
      "# site defaults\n"
      "cb_nodes 4   # per job\r\n"
      "\n"
      "   romio_ds_write\tdisable\t# a tab\n"
      "cb_buffer_size\n"
      "ind_rd_buffer_size lots\n"
      "whatever 1\n"
      "romio_filesystem_type a#b");
  io::file_hints const h(io::read_hints_file(file.path), {}, {});
  CHECK(h.values().cb_nodes == 4);
  CHECK(h.values().ds_write == io::toggle::disable);
  CHECK(h.values().cb_buffer_bytes == 4_MiB);
  CHECK(h.find("cb_buffer_size")->status == hint_status::rejected);
  CHECK_THAT(h.find("cb_buffer_size")->why, Contains("a name and a value") && Contains(file.path + ":5"));
  CHECK_THAT(h.find("ind_rd_buffer_size")->why, Contains("not a decimal integer") && Contains(":6"));
  CHECK(h.find("whatever")->why == "unknown (" + file.path + ":7)");
  CHECK(h.find("romio_filesystem_type")->value == "a#b");

  for (std::string const path : {"/nowhere/at/all", "/tmp"}) {
    CAPTURE(path);
    io::file_hints const none(io::read_hints_file(path), {}, {});
    REQUIRE(none.find("ARGOSY_HINTS") != nullptr);
    CHECK(none.find("ARGOSY_HINTS")->status == hint_status::rejected);
    CHECK_THAT(none.find("ARGOSY_HINTS")->why, Contains("cannot be read"));
    CHECK(none.values() == io::resolved_hints());
  }
  ::setenv("ARGOSY_HINTS", file.path.c_str(), 1);
  CHECK(io::environment_hints() == io::read_hints_file(file.path));
  ::setenv("ARGOSY_HINTS", "", 1);
  CHECK(io::environment_hints().empty());
  ::unsetenv("ARGOSY_HINTS");
  CHECK(io::environment_hints().empty());
  ::setenv("ARGOSY_HINTS_OVERRIDE", file.path.c_str(), 1);
  CHECK(io::overriding_hints() == io::read_hints_file(file.path));
  ::setenv("ARGOSY_HINTS_OVERRIDE", "/nowhere/at/all", 1);
  CHECK(io::file_hints({}, {}, {}, io::overriding_hints()).find("ARGOSY_HINTS_OVERRIDE")->status ==
        hint_status::rejected);
  ::unsetenv("ARGOSY_HINTS_OVERRIDE");
  CHECK(io::overriding_hints().empty());

  auto const broken = io::file_hints(io::parse_hints("cb_nodes 3\nlonely\nlonely", "here"), {}, {});
  CHECK(broken.values().cb_nodes == 3);
  CHECK(broken.all().size() == io::known_hints().size() + 2);  // each line is told
  CHECK(broken.all().back().status == hint_status::rejected);
  CHECK_THAT(broken.all().back().why, Contains("a name and a value") && Contains("here:3"));
}

TEST_CASE("hints that must be equal on all ranks have one hash", "[hints]") {
  auto const a = given(io::hints{.cb_nodes = 4, .ds_read = io::toggle::enable});
  auto const b = given(io::hints{.cb_nodes = 4, .ds_read = io::toggle::disable});
  auto const c = given(io::hints{.cb_nodes = 5});
  CHECK(a.same_hash() == b.same_hash());
  CHECK(a.same_hash() != c.same_hash());
  CHECK_THAT(a.same_on_all(), Contains("cb_nodes 4\n") && !Contains("romio_ds_read"));
}

TEST_CASE("hints print as a table", "[hints]") {
  auto h = given(io::hints{.cb_nodes = 2, .named = {{"cb_buffer_size", "huge"}, {"colour", "red"}}});
  h.tell("filename", "state.dat");
  std::string const text = to_string(h);
  CHECK(text.starts_with("hint "));
  CHECK_THAT(text, Contains("cb_nodes        2        accepted  code\n") &&
                       Contains("cb_buffer_size  4194304  rejected  code    \"huge\" is not a decimal integer\n") &&
                       Contains("colour          red      ignored   code    unknown\n") && Contains("defaults: ") &&
                       Contains("filename = state.dat"));
  CHECK(to_string(io::file_hints()).starts_with("defaults: "));
  std::string const all = to_string(h, io::hints_shown::all);
  for (io::hint_info const& i : io::known_hints()) CHECK_THAT(all, Contains(std::string(i.name)));
}

TEST_CASE("a long value does not put the others apart", "[hints]") {
  io::hints many;
  for (int i = 0; i < 1000; ++i) many.set("unknown" + std::to_string(i), "x");
  auto const before = to_string(given(many)).size();
  many.set("one", std::string(100'000, 'x'));
  CHECK(to_string(given(many)).size() < before + 200'000);
}

TEST_CASE("docs/use/hints.md lists exactly the known hints", "[hints][docs]") {
  std::ifstream docs(ARGOSY_TEST_HINTS_MD);
  std::vector<std::string> rows, expected;
  for (std::string line; std::getline(docs, line);)
    if (line.starts_with("| `")) rows.push_back(line);
  std::string all;
  for (io::hint_info const& h : io::known_hints()) {
    expected.push_back(row(h));
    all += expected.back() + "\n";
  }
  INFO("the rows should be\n" << all);
  CHECK((rows == expected));
}

// Hints: every value is checked, its status is reported, and no value is fatal. One page because
// all cases read one table of hints.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/hints_cases.hpp"
#include "support/catch.hpp"

#include <algorithm>
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

#include <sys/stat.h>
#include <unistd.h>

#include <argosy/datatype/element.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/layout/number.hpp>
#include <argosy/policy.hpp>

namespace io = argosy;
using Catch::Contains;
using io::hint_source;
using io::hint_status;
using io::extend::hint_moment;
using namespace io::literals;
using namespace io::test;

namespace {

bool accepts(std::string const& name, std::string const& value, std::string const& kept) {
  auto const s = state(name, value);
  CAPTURE(name, value, s.value, s.why);
  CHECK(s.status ==
        (io::detail::find_hint(name)->used ? hint_status::accepted : hint_status::ignored));
  CHECK(s.value == kept);
  return s.value == kept;
}
bool rejects(std::string const& name, std::string const& value, std::string const& why) {
  auto const s = state(name, value);
  CAPTURE(name, value, s.why);
  CHECK(s.status == hint_status::rejected);
  CHECK(s.value == io::detail::find_hint(name)->standard);
  CHECK_THAT(s.why, Contains(why));
  CHECK(given(name, value).values() == io::extend::resolved_hints());
  return s.status == hint_status::rejected;
}

// Returns the row of the table in docs/use/hints.md.
std::string row(io::extend::hint_info const& h) {
  std::ostringstream text;
  text << "| `" << h.name << "` | ";
  if (h.choices.empty()) {
    text << name_of(h.kind);
    if (h.least > 0) text << ", at least " << h.least;
    if (h.most < INT64_MAX) text << ", at most " << h.most;
  } else {
    char const* before = h.kind == io::extend::hint_kind::list ? "some of `" : "`";
    std::stringstream choices{std::string(h.choices)};
    for (std::string one; std::getline(choices, one, ','); before = ", `")
      text << before << one << "`";
  }
  text << " | ";
  if (!h.standard.empty()) text << "`" << h.standard << "`";
  text << " | " << name_of(h.when) << " | " << (h.same ? "yes" : "") << " | "
       << (h.used ? "" : "*ignored:* ") << h.effect << " |";
  return text.str();
}

struct temporary_file {
  explicit temporary_file(std::string const& text)
      : path(std::filesystem::temp_directory_path() /
             ("argosy_test." + std::to_string(::getpid()) + ".hints")) {
    std::ofstream(path) << text;
  }
  ~temporary_file() { std::remove(path.c_str()); }
  std::string path;
};

}  // namespace

TEST_CASE("without hints all are at their defaults", "[hints]") {
  io::file_hints const h;
  CHECK(h.all().size() == io::extend::known_hints().size());
  for (io::hint_state const& s : h.all()) {
    CHECK(s.status == hint_status::defaulted);
    CHECK(s.why.empty());
  }
  CHECK(h.values().ind_rd_buffer_bytes == 4_MiB);
  CHECK(h.values().ind_wr_buffer_bytes == 512_KiB);
  CHECK(h.values().cb_buffer_bytes == 4_MiB);
  CHECK(h.values().ds_read == io::tristate::automatic);
  CHECK(h.values().policy == io::extend::resolved_hints::policy_name::automatic);
  CHECK_FALSE(h.values().file_permissions);
}

TEST_CASE("defaults as text and as values are the same", "[hints]") {
  // Every default must be a value that the hint accepts and that changes nothing.
  for (io::extend::hint_info const& h : io::extend::known_hints()) {
    if (h.standard.empty() || h.when == io::extend::hint_time::never) continue;
    CAPTURE(h.name);
    auto set = given(std::string(h.name), std::string(h.standard));
    CHECK(set.find(h.name)->status == (h.used ? hint_status::accepted : hint_status::ignored));
    CHECK(set.find(h.name)->value == h.standard);
    auto values = set.values();
    if (h.name == "cb_config_list") values.cb_config_list.clear();  // "*:*" means an empty list
    // It makes windows of half its size. The default window is the same whether given or not.
    if (h.name == "cb_buffer_size") {
      CHECK(std::exchange(values.window_bytes, 512_KiB) == 2_MiB);
      values.cb_buffer_given = false;
    }
    if (h.name == "argosy_window_size") values.window_given = false;
    CHECK(values == io::extend::resolved_hints());
  }
}

namespace {

// Returns a value for each hint that has a member. Each value differs from the default, except that
// of collective_buffering, because its other value turns off what romio_cb_read asks for.
io::hints every_hint_by_name() {
  return {.named = {{"access_style", "sequential"},
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
                    {"argosy_early_writes", "enable"},
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
                    {"argosy_codec_threads", "3"},
                    {"argosy_max_ranges", "0"},
                    {"argosy_partitioning", "disable"},
                    {"argosy_price_call_ns", "900"},
                    {"argosy_price_write_call_ns", "950"},
                    {"argosy_price_lock_ns", "1000.5"},
                    {"argosy_price_byte_ns", "0.25"},
                    {"argosy_price_piece_ns", "5"},
                    {"argosy_price_message_ns", "2000"},
                    {"argosy_price_message_byte_ns", "0.5"},
                    {"argosy_price_block_ns", "250"},
                    {"argosy_price_crowd_call_ns", "15000"}}};
}

}  // namespace

TEST_CASE("typed members and names are the same hints", "[hints]") {
  io::hints const typed{.access_style = "sequential",
                        .collective_buffering = true,
                        .cb_block_bytes = 64_KiB,
                        .cb_buffer_bytes = 8_MiB,
                        .cb_nodes = 3,
                        .cb_config_list = "*:1",
                        .cb_read = io::tristate::enable,
                        .cb_write = io::tristate::disable,
                        .min_domain_bytes = 1_MiB,
                        .ds_read = io::tristate::disable,
                        .ds_write = io::tristate::enable,
                        .ind_rd_buffer_bytes = 1_MiB,
                        .ind_wr_buffer_bytes = 2_MiB,
                        .file_permissions = 0640,
                        .striping_factor = 4,
                        .striping_unit = 2_MiB,
                        .early_writes = io::tristate::enable,
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
                        .codec_threads = 3,
                        .max_ranges = 0,
                        .partitioning = io::tristate::disable,
                        .price_call_ns = 900,
                        .price_write_call_ns = 950,
                        .price_lock_ns = 1000.5,
                        .price_byte_ns = 0.25,
                        .price_piece_ns = 5,
                        .price_message_ns = 2000,
                        .price_message_byte_ns = 0.5,
                        .price_block_ns = 250,
                        .price_crowd_call_ns = 15000};
  io::hints const named = every_hint_by_name();
  CHECK(given(typed) == given(named));
  auto const v = given(typed).values();
  CHECK(v.cb_buffer_bytes == 8_MiB);
  CHECK(v.cb_config_list == std::vector<io::detail::host_limit>{{"*", 1}});
  CHECK(v.file_permissions == 0640u);
  CHECK(v.striping_factor == 4);
  CHECK(v.striping_unit == 2_MiB);
  CHECK(v.largeblock_switchable);
  CHECK_FALSE(v.largeblock_io);
  CHECK(v.price_byte_ns == 0.25);
  CHECK(v.policy == io::extend::resolved_hints::policy_name::two_phase);
  // Every hint that has an effect must have a member.
  std::set<std::string> names;
  for (io::detail::named_hint const& n : typed.by_name()) names.insert(n.name);
  for (io::extend::hint_info const& h : io::extend::known_hints())
    if (h.used && h.when != io::extend::hint_time::never)
      CHECK((names.count(std::string(h.name)) == 1));
  CHECK(io::hints().empty());
  // If both are given, the member counts.
  CHECK(given(io::hints{.cb_nodes = 3}.set("cb_nodes", "5")).values().cb_nodes == 3);
  CHECK(given(io::hints().set("cb_nodes", "5").set("cb_nodes", "6")).values().cb_nodes == 6);
}

TEST_CASE("a hint with another value than its default changes what is resolved", "[hints]") {
  auto const changes = [](std::string const& name, std::string const& value) {
    CAPTURE(name, value);
    auto const set = given(name, value);
    CHECK(set.find(name)->status == hint_status::accepted);
    CHECK_FALSE(set.values() == io::extend::resolved_hints());
  };
  for (io::detail::named_hint const& n : every_hint_by_name().named) {
    auto const known =
        std::ranges::find(io::extend::known_hints(), n.name, &io::extend::hint_info::name);
    if (known->used && n.name != "collective_buffering") changes(n.name, n.value);
  }
  changes("collective_buffering", "false");
}

TEST_CASE("values of every kind are read, or rejected with the reason", "[hints][error]") {
  accepts("cb_buffer_size", " 4096 ", "4096");
  accepts("cb_buffer_size", "16k", "16384");
  accepts("cb_buffer_size", "2 GiB", "2147483648");
  accepts("striping_unit", "1M", "1048576");
  rejects("cb_buffer_size", "", "empty");
  for (auto const* name :
       {"cb_buffer_size", "ind_rd_buffer_size", "ind_wr_buffer_size", "romio_cb_fr_alignment"})
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
  accepts("argosy_codec_threads", "1024", "1024");
  rejects("argosy_codec_threads", "1025", "more than 1024");
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
        std::vector<io::detail::host_limit>{{"node1", 2}, {"node2", 1}, {"*", -1}});
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
  auto const h = given(
      io::hints{.named = {{"start_iodevice", "8"}, {"panfs_layout", "raid"}, {"cb_node", "4"}}});
  CHECK(h.find("start_iodevice")->status == hint_status::ignored);
  CHECK(h.find("start_iodevice")->value == "8");
  CHECK_THAT(h.find("start_iodevice")->why, Contains("POSIX"));
  CHECK(h.find("cb_node")->status == hint_status::ignored);
  CHECK(h.find("cb_node")->why == "unknown; did you mean cb_nodes?");
  CHECK(h.find("cb_nodes")->status == hint_status::defaulted);
  CHECK(h.all().size() == io::extend::known_hints().size() + 2);
  CHECK(h.find("nothing") == nullptr);

  // The last value counts, also for unknown hints.
  auto const twice = given(io::hints{.named = {{"colour", "red"}, {"colour", "blue"}}});
  CHECK(twice.find("colour")->value == "blue");
  CHECK(twice.all().size() == io::extend::known_hints().size() + 1);
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
  for (auto const* strange : {"panfs_layout", "x", "colour", "whatever", ""})
    CHECK(why(strange) == "unknown");
  CHECK(why(std::string(100'000, 'c')) == "unknown");
}

TEST_CASE("later sources win, a rejected value leaves the one before", "[hints]") {
  io::hints const file = io::extend::parse_hints(
      "cb_nodes 2\ncb_buffer_size 1m\nromio_ds_read disable\n", "site.hints");
  io::hints const info{.named = {{"cb_nodes", "3"}, {"cb_buffer_size", "huge"}}};
  io::hints const code{.cb_nodes = 4};
  io::file_hints const h(file, info, code);
  CHECK(h.values().cb_nodes == 4);
  CHECK(h.find("cb_nodes")->source == hint_source::code);
  CHECK(h.values().cb_buffer_bytes == 1_MiB);
  CHECK(*h.find("cb_buffer_size") == io::hint_state{"cb_buffer_size", "1048576",
                                                    hint_status::rejected, hint_source::info,
                                                    "\"huge\" is not a decimal integer"});
  CHECK(h.values().ds_read == io::tristate::disable);
  CHECK(h.find("romio_ds_read")->source == hint_source::environment);
  CHECK(h.find("romio_ds_read")->why == "site.hints:3");
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
  fixed.merge(io::hints{.largeblock_io = io::largeblock::off}, hint_source::code,
              hint_moment::set_view);
  CHECK(fixed.values().largeblock_io);
  CHECK_THAT(fixed.find("IBM_largeblock_io")->why, Contains("fixed since open"));
  io::file_hints moving = given("IBM_largeblock_io", "switchable");
  CHECK_FALSE(moving.values().largeblock_io);
  for (bool on : {true, false, true}) {
    moving.merge(io::hints{.largeblock_io = on ? io::largeblock::on : io::largeblock::off},
                 hint_source::code, hint_moment::set_view);
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
    io::extend::access_summary const one = f.summary_of(t);
    CHECK(one.alone_ns == one.alone_sum_ns);
    CHECK(one.alone_ns > 0);
    CHECK((one.alone_ns == std::numeric_limits<std::int64_t>::max()) == (price == "1e300"));
  }
}

TEST_CASE("a line of a hints file may have a = between name and value", "[hints]") {
  for (std::string const line :
       {"cb_nodes 4", "cb_nodes = 4", "cb_nodes=4", "cb_nodes= 4 # four", "cb_nodes\t=4"}) {
    CAPTURE(line);
    io::file_hints const h(io::extend::parse_hints(line, "f"), {}, {});
    CHECK(h.values().cb_nodes == 4);
    CHECK(h.find("cb_nodes")->why == "f:1");
  }
  for (std::string const line : {"cb_nodes =", "cb_nodes="})
    CHECK_THAT(io::file_hints(io::extend::parse_hints(line, "f"), {}, {}).find("cb_nodes")->why,
               Contains("a name and a value"));
  for (std::string const line : {"= 4", "=", "='="}) {
    io::file_hints const h(io::extend::parse_hints(line, "f"), {}, {});
    REQUIRE(h.find(line));
    CHECK_THAT(h.find(line)->why, Contains("f:1") && Contains("a name before its value"));
  }
}

TEST_CASE("prices that are hints are not called those of local files", "[hints][prices]") {
  auto const prices = [](io::hints const& h) {
    io::detail::chosen const c(given(h).values());
    io::extend::access_summary all;
    all.low = 0;
    all.high = all.bytes = all.spans = 100;
    all.pieces = all.ranks = 1;
    std::string const why = c.writing.plan_together(io::access_kind::write, all, {}).reason;
    return why.substr(why.find("by the prices of "));
  };
  CHECK(prices({}) == "by the prices of local files");
  io::hints some;
  some.set("argosy_price_byte_ns", "2");
  CHECK(prices(some) == "by the prices of hints, else those of local files");
}

TEST_CASE("where ranks differ, a value is told with the variable and file that it is from",
          "[hints]") {
  io::file_hints const h(io::extend::parse_hints("cb_nodes 4", "site.txt"), {},
                         io::hints{.cb_block_bytes = 1_MiB},
                         io::extend::parse_hints("argosy_policy sieving", "mine.txt"));
  std::string const lines = io::detail::lines_with_sources(h);
  CHECK_THAT(lines, Contains("cb_nodes 4\tARGOSY_HINTS, site.txt:1\n") &&
                        Contains("cb_block_size 1048576\n") &&
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
  io::file_hints const h(io::extend::read_hints_file(file.path), {}, {});
  CHECK(h.values().cb_nodes == 4);
  CHECK(h.values().ds_write == io::tristate::disable);
  CHECK(h.values().cb_buffer_bytes == 4_MiB);
  CHECK(h.find("cb_buffer_size")->status == hint_status::rejected);
  CHECK_THAT(h.find("cb_buffer_size")->why,
             Contains("a name and a value") && Contains(file.path + ":5"));
  CHECK_THAT(h.find("ind_rd_buffer_size")->why,
             Contains("not a decimal integer") && Contains(":6"));
  CHECK(h.find("whatever")->why == "unknown (" + file.path + ":7)");
  CHECK(h.find("romio_filesystem_type")->value == "a#b");

  for (std::string const path : {"/nowhere/at/all", "/tmp"}) {
    CAPTURE(path);
    io::file_hints const none(io::extend::read_hints_file(path), {}, {});
    REQUIRE(none.find("ARGOSY_HINTS") != nullptr);
    CHECK(none.find("ARGOSY_HINTS")->status == hint_status::rejected);
    CHECK_THAT(none.find("ARGOSY_HINTS")->why, Contains("cannot be read"));
    CHECK(none.values() == io::extend::resolved_hints());
  }
  // The path in the environment may name anything.
  std::string const pipe = file.path + ".pipe", large = file.path + ".large";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::ofstream(large) << std::string((1 << 20) + 1, '#');
  for (auto const& [path, why] : {std::pair{pipe, "no regular file"},
                                  {"/dev/zero", "no regular file"},
                                  {large, "more than 1 MiB"}}) {
    CAPTURE(path);
    io::hints const none = io::extend::read_hints_file(path, "ROMIO_HINTS");
    REQUIRE(none.named.size() == 1);
    CHECK(none.named[0].name == "ROMIO_HINTS");
    CHECK(none.named[0].value == path);
    CHECK_THAT(none.named[0].fault, Contains(why));
  }
  std::filesystem::resize_file(large, 1 << 20);
  CHECK(io::extend::read_hints_file(large).empty());
  std::filesystem::remove(pipe);
  std::filesystem::remove(large);
  ::setenv("ARGOSY_HINTS", file.path.c_str(), 1);
  CHECK(io::detail::environment_hints() == io::extend::read_hints_file(file.path));
  ::setenv("ARGOSY_HINTS", "", 1);
  CHECK(io::detail::environment_hints().empty());
  ::unsetenv("ARGOSY_HINTS");
  CHECK(io::detail::environment_hints().empty());
  ::setenv("ARGOSY_HINTS_OVERRIDE", file.path.c_str(), 1);
  CHECK(io::detail::overriding_hints() == io::extend::read_hints_file(file.path));
  ::setenv("ARGOSY_HINTS_OVERRIDE", "/nowhere/at/all", 1);
  CHECK(io::file_hints({}, {}, {}, io::detail::overriding_hints())
            .find("ARGOSY_HINTS_OVERRIDE")
            ->status == hint_status::rejected);
  ::unsetenv("ARGOSY_HINTS_OVERRIDE");
  CHECK(io::detail::overriding_hints().empty());

  auto const broken =
      io::file_hints(io::extend::parse_hints("cb_nodes 3\nlonely\nlonely", "here"), {}, {});
  CHECK(broken.values().cb_nodes == 3);
  CHECK(broken.all().size() ==
        io::extend::known_hints().size() + 2);  // each wrong line is reported
  CHECK(broken.all().back().status == hint_status::rejected);
  CHECK_THAT(broken.all().back().why, Contains("a name and a value") && Contains("here:3"));
}

TEST_CASE("hints that must be equal on all ranks have one hash", "[hints]") {
  auto const a = given(io::hints{.cb_nodes = 4, .ds_read = io::tristate::enable});
  auto const b = given(io::hints{.cb_nodes = 4, .ds_read = io::tristate::disable});
  auto const c = given(io::hints{.cb_nodes = 5});
  CHECK(a.same_hash() == b.same_hash());
  CHECK(a.same_hash() != c.same_hash());
  CHECK_THAT(a.same_on_all(), Contains("cb_nodes 4\n") && !Contains("romio_ds_read"));
}

TEST_CASE("hints print as a table", "[hints]") {
  auto h =
      given(io::hints{.cb_nodes = 2, .named = {{"cb_buffer_size", "huge"}, {"colour", "red"}}});
  h.tell("filename", "state.dat");
  std::string const text = to_string(h);
  CHECK(text.starts_with("hint "));
  CHECK_THAT(
      text,
      Contains("cb_nodes        2        accepted  code\n") &&
          Contains(
              "cb_buffer_size  4194304  rejected  code    \"huge\" is not a decimal integer\n") &&
          Contains("colour          red      ignored   code    unknown\n") &&
          Contains("defaults: ") && Contains("filename = state.dat"));
  CHECK(to_string(io::file_hints()).starts_with("defaults: "));
  std::string const all = to_string(h, io::detail::hints_shown::all);
  for (io::extend::hint_info const& i : io::extend::known_hints())
    CHECK_THAT(all, Contains(std::string(i.name)));
}

TEST_CASE("a long value does not put the others apart", "[hints]") {
  io::hints many;
  for (int i = 0; i < 1000; ++i) many.set("unknown" + std::to_string(i), "x");
  auto const before = to_string(given(many)).size();
  many.set("one", std::string(100'000, 'x'));
  CHECK(to_string(given(many)).size() < before + 200'000);
}

namespace {

// Returns the lines of docs/use/hints.md with the rows that the table of hints makes.
std::vector<std::string> page_of_hints(std::vector<std::string> const& lines) {
  std::vector<std::string> made;
  for (std::string const& line : lines) {
    if (!line.starts_with("| `")) made.push_back(line);
    if (line == "|---|---|---|---|---|---|")
      for (io::extend::hint_info const& h : io::extend::known_hints()) made.push_back(row(h));
  }
  return made;
}

std::vector<std::string> lines_of_page() {
  std::ifstream page(ARGOSY_TEST_HINTS_MD);
  std::vector<std::string> lines;
  for (std::string line; std::getline(page, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("docs/use/hints.md lists exactly the known hints", "[hints][docs]") {
  auto const lines = lines_of_page(), made = page_of_hints(lines);
  INFO("test_hints \"[.write]\" writes the rows of docs/use/hints.md anew");
  CHECK((lines == made));
}

TEST_CASE("docs/use/hints.md is written", "[.write]") {
  auto const made = page_of_hints(lines_of_page());
  std::ofstream page(ARGOSY_TEST_HINTS_MD);
  for (std::string const& line : made) page << line << "\n";
}

// argosy plan: the plan of the library, its prices, and a run of it on the virtual cluster.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/plan/draw.hpp>
#include <argosy/policy.hpp>
#include <layout/axis.hpp>

#include <fstream>
#include <string>
#include <vector>

#include <tools/argosy/command.hpp>
#include <tools/argosy/json.hpp>

#include "support/catch.hpp"
#include "support/expected.hpp"
#include "support/files.hpp"
#include "support/run_tool.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::test::run_tool;
using io::test::tool_outcome;

namespace {

boost::json::value planned(std::vector<std::string> words) {
  words.insert(words.begin(), "plan");
  words.emplace_back("--json");
  tool_outcome const o = run_tool(words);
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  return io::tool::parse_json(o.out);
}
std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    ++n;
  return n;
}

}  // namespace

TEST_CASE("the plan is that of a file on as many ranks", "[tool][plan]") {
  constexpr int ranks = 8;
  for (std::string const kind : {"--write", "--read"}) {
    io::lab::virtual_files files;
    io::collective_plan real;
    files.put("f", std::vector<std::byte>(64 * 64 * 64 * 8));
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 4})
        .run([&](io::lab::virtual_rank const& world) {
          auto f = io::lab::virtual_file::open(
              world, "f", kind == "--write" ? io::mode::write : io::mode::read, {}, files.opener());
          io::process_grid const grid(ranks, 3);
          f.set_view(
              0, io::darray<double, 3>({64, 64, 64}, io::distribute::block, grid, world.rank()));
          std::vector<double> data(64 * 64 * 64 / ranks);
          auto const p = f.explain_all(
              kind == "--write" ? io::access_kind::write : io::access_kind::read, data);
          if (world.rank() == 0) real = p;
          f.close();
        });
    boost::json::value const v =
        planned({"--ranks", "8", "--nodes", "2", "--array", "64x64x64", "--no-dry-run", kind});
    CHECK(v.at("policy").as_string() == real.policy);
    // The prices differ: those of local files in one, of the virtual disk in the other.
    auto const unpriced = [](std::string const& reason) {
      return reason.substr(0, reason.find("; together"));
    };
    CHECK(unpriced(v.at("reason").as_string().c_str()) == unpriced(real.reason));
    CHECK(v.at("rounds").as_int64() == real.rounds());
    CHECK(v.at("aggregators").as_int64() == std::ssize(real.domains));
    CHECK(v.at("bytes").as_int64() == 64 * 64 * 64 * 8);
  }
}

TEST_CASE("prices decide: hints, also those of a file, change the choice", "[tool][plan][prices]") {
  std::vector<std::string> const words{"--ranks",  "8", "--array",     "256x256x8",
                                       "--cyclic", "8", "--no-dry-run"};
  auto const with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    boost::json::value const v = planned(more);
    return v.at("together").as_bool();
  };
  // Cheap calls with rounds that cost seconds, and the reverse.
  std::vector<std::string> const cheap_calls{"argosy_price_call_ns 1",
                                             "argosy_price_write_call_ns 1",
                                             "argosy_price_message_ns 1000000000"};
  std::vector<std::string> const dear_calls{
      "argosy_price_call_ns 1000000", "argosy_price_write_call_ns 1000000",
      "argosy_price_lock_ns 100000000", "argosy_price_message_ns 1000"};
  argosy::test::scratch const dir;
  for (auto const& [lines, expected] :
       {std::pair(cheap_calls, false), std::pair(dear_calls, true)}) {
    std::vector<std::string> as_hints;
    std::ofstream file(dir / "hints");
    for (std::string const& line : lines) {
      file << line << "\n";
      std::string hint = line;
      hint[hint.find(' ')] = '=';
      as_hints.insert(as_hints.end(), {"--hint", hint});
    }
    file.close();
    CHECK(with(as_hints) == expected);
    CHECK(with({"--hints", dir / "hints"}) == expected);
  }
}

TEST_CASE("a dry run counts messages and calls of each policy, and says where it was scaled",
          "[tool][plan]") {
  std::vector<std::string> const words{"--ranks", "8",        "--nodes", "2",
                                       "--array", "64x64x16", "--grid",  "1x8x1"};
  boost::json::value const v = planned(words);
  auto const& runs = v.at("dry_runs").as_array();
  REQUIRE(runs.size() == 5);
  for (auto const& r : runs) {
    CAPTURE(r.at("policy").as_string());
    CHECK(r.at("file_calls").as_int64() > 0);
    CHECK(r.at("model_seconds").to_number<double>() > 0);
    CHECK_FALSE(r.at("scaled").as_bool());
  }
  CHECK(runs[1].at("policy").as_string() == "independent");
  // Each of 8 ranks has a piece in each of 64 planes, and lists many pieces in a call.
  CHECK(runs[1].at("messages").as_int64() == 0);
  CHECK(runs[1].at("file_runs").as_int64() == 8 * 64);
  CHECK(runs[3].at("policy").as_string() == "two_phase");
  CHECK(runs[3].at("messages").as_int64() > 0);
  CHECK(runs[3].at("file_calls").as_int64() < runs[2].at("file_calls").as_int64());

  tool_outcome const large = run_tool({"plan", "--ranks", "4", "--array", "4096x4096x4096"});
  CHECK(large.code == 0);
  CHECK_THAT(large.out,
             ContainsSubstring("scaled to an array of ") && ContainsSubstring("too much memory"));
}

TEST_CASE("the plan is the one that its dry run carries out", "[tool][plan][prices]") {
  for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
           {"--ranks", "256", "--nodes", "16", "--array", "64x64x64"},
           {"--ranks", "64", "--nodes", "4", "--array", "64x64x64", "--read"},
           {"--ranks", "8", "--nodes", "2", "--array", "64x64x64", "--grid", "8x1x1"}}) {
    boost::json::value const v = planned(words);
    std::string const reason(v.at("reason").as_string().c_str());
    CAPTURE(words, reason);
    auto const& by_hints = v.at("dry_runs").as_array().front();
    bool const together = v.at("together").as_bool();
    CHECK(together == (words[1] != "8"));
    // Two-phase accesses each of these files in fewer runs than ranks by themselves do.
    auto const& two_phase = v.at("dry_runs").as_array().at(3);
    CHECK((by_hints.at("file_runs").as_int64() == two_phase.at("file_runs").as_int64()) ==
          together);
    if (together) CHECK_THAT(reason, ContainsSubstring("by the prices of the virtual disk"));
  }
  // Without the dry run, the file is on no virtual disk.
  boost::json::value const v = planned({"--ranks", "8", "--array", "64x64x64", "--no-dry-run"});
  CHECK_THAT(std::string(v.at("reason").as_string().c_str()),
             ContainsSubstring("by the prices of local files"));
}

TEST_CASE("a wrong plan ends with 2 and the nearest right one", "[tool][plan]") {
  for (auto const& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"plan"}, "--array is missing"},
           {{"plan", "--array", "10y10"}, "1024x1024x8"},
           {{"plan", "--array", "10x"}, "positive sizes"},
           {{"plan", "--array", "10", "--type", "flaot"}, "did you mean float?"},
           {{"plan", "--array", "10", "--hint", "cb_node=4"}, "did you mean cb_nodes?"},
           {{"plan", "--array", "10", "--hint", "cb_nodes"}, "cb_nodes=4"},
           {{"plan", "--array", "10", "--hint", "cb_nodes=x"}, "cb_nodes"},
           {{"plan", "--array", "10", "--ranks", "2", "--nodes", "3"}, "more --nodes"},
           {{"plan", "--array", "10x10", "--ranks", "4", "--grid", "3x1"}, "product is 4"},
           {{"plan", "--array", "10", "--read", "--write"}, "not both"},
           {{"plan", "--array", "4611686018427387904x16"}, "2^63"}}) {
    tool_outcome const o = run_tool(words);
    CAPTURE(words, o.err, o.out);
    CHECK(o.code == 2);
    CHECK_THAT(o.err, ContainsSubstring(said));
  }
}

TEST_CASE("a picture of a plan has its domains, rounds and ranks", "[plan][draw]") {
  std::vector<io::layout> ranks;
  for (int r = 0; r < 4; ++r)
    ranks.push_back(io::at(1024 * r, io::repeat(16, 4096, io::bytes(512))));
  io::collective_plan p{
      .policy = "two_phase", .reason = "<because>", .together = true, .window_bytes = 8192};
  p.domains = {{0, 32768, 0}, {32768, 65536, 2}};
  std::string const svg = io::draw(p, {.ranks = ranks});
  CHECK_THAT(svg, ContainsSubstring("2 aggregators, 4 rounds, windows of 8 KiB") &&
                      ContainsSubstring("&lt;because&gt;"));
  for (std::string const text :
       {"rank 0", "rank 2", "domains", "rounds", "wanted", "64 KiB", "rank 3"})
    CHECK_THAT(svg, ContainsSubstring(">" + text + "</text>"));
  CHECK(count(svg, ">4</text>") == 2);  // the last round of both
  p.domains = {{0, 65536, 0, 16384, 2}, {16384, 65536, 2, 16384, 2}};
  CHECK_THAT(io::draw(p), ContainsSubstring("2 agents") && ContainsSubstring(">stripes</text>"));
  p.together = false;
  CHECK_THAT(io::draw(p, {.title = "mine", .ranks = ranks}), ContainsSubstring(">mine</text>"));
  // The size depends on pixels, not on rounds.
  p.together = true;
  p.domains = {{0, std::int64_t{1} << 45, 0}};
  CHECK(io::draw(p).size() < 2'000'000);
  CHECK_THAT(io::draw(io::collective_plan{}), ContainsSubstring("</svg>"));
}

TEST_CASE("a picture of one rank's plan tells how each window goes", "[plan][draw]") {
  io::plan p{"sieving", "prices", io::access_kind::write, {}, 0};
  p.windows = {{0, 4096, 0, 4096, 1, io::transfer_mode::whole},
               {8192, 8192, 4096, 1024, 16, io::transfer_mode::merged},
               {32768, 8192, 5120, 1024, 2, io::transfer_mode::pieces}};
  std::string const svg = io::draw(p);
  CHECK_THAT(svg, ContainsSubstring("sieving write of 6144 bytes: 3 windows, 5 file calls"));
  for (auto const& [colour, times] :
       {std::pair("#084594", 2u), std::pair("#e69f00", 2u), std::pair("#009e73", 2u)}) {
    CAPTURE(colour);
    CHECK(count(svg, std::string("fill=\"") + colour) == times);  // the window, and the legend
  }
  // The axis begins at a multiple of its step, wherever the first window does.
  p.windows = {{4196, 8192, 0, 8192, 1, io::transfer_mode::whole}};
  CHECK_THAT(io::draw(p), ContainsSubstring(">5 KiB</text>"));
}

TEST_CASE("pictures of plans are those that people have looked at", "[plan][draw][expected]") {
  using io::test::check_expected;
  std::vector<io::layout> ranks;
  for (int r = 0; r < 5; ++r)
    ranks.push_back(io::at(1024 * r, io::repeat(3, 6144, io::bytes(512 + 128 * r))));
  io::collective_plan p{
      .policy = "two_phase", .reason = "prices", .together = true, .window_bytes = 4096};
  p.domains = {{1024, 9216, 0}, {9216, 20000, 3}};
  check_expected("plan_rounds.svg",
                 io::draw(p, {.ranks = ranks, .most_ranks = 3, .width_px = 640}));
  p.sparse = true;
  p.window_bytes = 1000;
  check_expected("plan_sparse.svg",
                 io::draw(p, {.title = "few bytes of many", .ranks = std::span(ranks).first(1)}));
  p.domains = {{0, 65536, 0, 16384, 2}, {16384, 65536, 2, 16384, 2}};
  check_expected("plan_stripes.svg", io::draw(p, {.width_px = 400}));
  p.together = false;
  check_expected("plan_alone.svg", io::draw(p, {.ranks = ranks}));
  io::plan one{"sieving", "prices", io::access_kind::write, {}, 0};
  one.windows = {{4196, 4096, 0, 4096, 1, io::transfer_mode::whole},
                 {8292, 8192, 4096, 1024, 16, io::transfer_mode::merged},
                 {32768, 8192, 5120, 1024, 2, io::transfer_mode::pieces}};
  check_expected("plan_of_one.svg", io::draw(one, {.ranks = std::span(ranks).subspan(4)}));
}

TEST_CASE("numbers on axes have the unit that people use", "[draw]") {
  using namespace io::detail;
  CHECK(seconds_text(1.18) == "1.18 s");
  CHECK(seconds_text(1.2) == "1.2 s");
  CHECK(seconds_text(0.9999) == "1 s");
  CHECK(seconds_text(0.25) == "250 ms");
  CHECK(seconds_text(1180) == "1180 s");
  CHECK(seconds_text(4e-5) == "40 us");
  CHECK(seconds_text(3.2e-8) == "32 ns");
  CHECK(seconds_text(0) == "0 s");
  CHECK(short_number(1e6) == "1000 k");
  CHECK(short_number(950) == "950");
  CHECK(short_number(0.01) == "0.01");
  CHECK(short_number(2.5e7) == "25 M");
  CHECK(round_step(1.18, 6) == Approx(0.2));
  CHECK(round_step(100, 6) == Approx(20));
  CHECK(round_step(0, 6) > 0);
}

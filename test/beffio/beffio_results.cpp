// The results that b_eff_io computes from measurements: values, validity, tables for people and
// programs, pictures; and its options.
// SPDX-License-Identifier: BSD-3-Clause
#include "../support/catch.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <beffio/compare.hpp>
#include <beffio/journal.hpp>
#include <beffio/machine.hpp>
#include <beffio/options.hpp>
#include <beffio/plots.hpp>
#include <beffio/print.hpp>
#include <beffio/record.hpp>
#include <support/result_files.hpp>

#include "../support/files.hpp"

using namespace beffio;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t M = 1024 * 1024;

// Returns a run in which every pattern takes a second, and opening and closing a type half a second
// each. Each pattern of type 0 writes `mb` 10^6 bytes, of type 1 twice that, and so on. Ten times
// as much is read.
run_result example(double mb, std::vector<int> const& partitions, double seconds = 1800) {
  run_result r;
  r.implementation = "argosy";
  r.machine = "a \"machine\", here";
  r.date = "2000-01-02 03:04:05 UTC";
  r.ranks = partitions.back();
  r.seconds = seconds;
  r.memory_mib = 512;
  for (method const m : methods)
    for (int const n : partitions)
      for (int t = 0; t < types; ++t) {
        if (!is_run(r.rules, r.all_rewrites, m, t)) continue;
        auto const all = patterns_of(t, r.longest());
        for (std::size_t k = 0; k < all.size(); ++k) {
          cell c;
          c.partition = n;
          c.how = m;
          c.type = t;
          c.number = static_cast<int>(k);
          c.what = all[k];
          c.calls = 3;
          c.bytes =
              static_cast<std::int64_t>(mb * 1e6) * (t + 1) * n * (m == method::read ? 10 : 1);
          c.seconds = 1;
          c.open_seconds = c.close_seconds = 0.5;
          c.ended = ending::time;
          r.cells.push_back(c);
        }
      }
  return r;
}

bool near(std::optional<double> a, double b) { return a && std::abs(*a - b) < 1e-9 * std::abs(b); }

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    ++n;
  return n;
}

options parsed(std::vector<char const*> words) {
  words.insert(words.begin(), "bench_beffio");
  return options_from(bench::words_of(usage, static_cast<int>(words.size()), words.data()));
}

}  // namespace

TEST_CASE("a type's value is all its bytes over the time from opening to closing", "[beffio]") {
  run_result r = example(20, {4});
  // Nine patterns, or eight, of a second each, and a second for opening and closing.
  CHECK(near(r.type_value(4, method::write, 0), 20 * 4 * 9 / 10.0));
  CHECK(near(r.type_value(4, method::write, 1), 20 * 4 * 2 * 8 / 9.0));
  CHECK(near(r.type_value(4, method::read, 4), 20 * 4 * 5 * 10 * 8 / 9.0));
  CHECK(!r.type_value(4, method::rewrite, 1));
  // The filler counts, too.
  cell filler = *r.find(4, method::write, 3, 1);
  filler.number = 8;
  filler.bytes = 9'000'000;
  r.cells.push_back(filler);
  CHECK(near(r.type_value(4, method::write, 3), (20.0 * 4 * 4 * 8 + 9) / 10));
  // A type that is not closed yet, or lacks a pattern, has no value.
  for (cell& c : r.cells)
    if (c.type == 2 && c.how == method::read) c.close_seconds = -1;
  CHECK(!r.type_value(4, method::read, 2));
  CHECK(!r.method_value(4, method::read));
  CHECK(!r.value(4));
  r.cells.erase(r.cells.begin());
  CHECK(!r.type_value(4, method::write, 0));
}

TEST_CASE(
    "the system's value is the largest of the partitions, and the report says who saturates it",
    "[beffio]") {
  run_result r = example(20, {1, 2, 4});
  CHECK(r.partitions() == std::vector<int>{1, 2, 4});
  CHECK(near(r.system_value(), *r.value(4)));
  CHECK(near(r.value(4), 4 * *r.value(1)));
  CHECK(r.saturated_at() == 4);
  for (cell& c : r.cells)
    if (c.partition == 2) c.bytes = c.bytes / 2 * 4 * 95 / 100;
  CHECK(r.saturated_at() == 2);
  double const w = 20.0 * 4, first = w * 0.9, others = w * 8 / 9;
  double const write = (first * 2 + others * (2 + 3 + 4 + 5)) / 6;  // the rewrite is as fast
  double const read = 10 * (first * 2 + others * (2 + 3 + 4 + 5)) / 6;
  CHECK(near(r.value(4), std::sqrt(write * read)));
}

TEST_CASE("a value may be compared only if all rules are kept", "[beffio]") {
  run_result const good = example(20, {4});
  CHECK(is_valid(good));
  auto const broken = [&](auto change) {
    run_result r = good;
    change(r);
    std::size_t n = 0;
    for (verdict const& v : validity(r)) n += v.holds ? 0 : 1;
    CHECK(n == 1);
    CHECK_FALSE(is_valid(r));
    CHECK_THAT(report_text(r, 0), ContainsSubstring("NOT VALID"));
  };
  broken([](run_result& r) { r.seconds = 1799; });
  broken([](run_result& r) { r.shared_pointer = false; });
  broken([](run_result& r) { r.cells[3].errors = 1; });
  broken([](run_result& r) { r.cells[3].wrong = 1; });
  broken([](run_result& r) { r.cells.pop_back(); });
  broken([](run_result& r) { r.cells[3].ended = ending::space; });
  broken([](run_result& r) { r.unique = true; });
  // Release 1 demands a quarter of an hour.
  CHECK(least_seconds(release::r1) == 900);
  CHECK_THAT(report_text(good, 0), ContainsSubstring("\nVALID"));
}

TEST_CASE("who moves no more than twenty times the caches is warned", "[beffio]") {
  run_result const r = example(20, {1, 4});
  // One rank writes 9 patterns of 20 MB, and 8 each of 40, 60, 80 and 100.
  std::int64_t const written = (9 * 20 + 8 * (40 + 60 + 80 + 100)) * std::int64_t{1'000'000};
  CHECK(r.bytes(1, method::write) == written);
  CHECK(cache_warning(r, written / 20 - 1).empty());
  CHECK_THAT(cache_warning(r, written / 20), ContainsSubstring("write on 1 rank,"));
}

TEST_CASE("a table of patterns is read as it was written", "[beffio]") {
  run_result one = example(20, {2, 4}), other = example(7, {4});
  one.cells[5].hints = "key=\"a, b\";other=c";
  one.cells[6].errors = 3;
  one.cells[7].wrong = 4;
  one.cells[8].scheduled = 0.125;
  one.cells[9].sync_seconds = 0.25;
  other.implementation = "mpi";
  other.rules = release::r1;
  other.unique = true;
  other.shared_pointer = false;
  other.hint_set = "white";
  auto const back = read_csv("a.csv", patterns_csv({one, other}));
  REQUIRE(back.size() == 2);
  CHECK(back[0].cells == one.cells);
  CHECK(back[1].cells == other.cells);
  CHECK(back[0].machine == one.machine);
  CHECK(back[1].label() == "mpi (white)");
  CHECK(patterns_csv(back) == patterns_csv({one, other}));
  CHECK(json(back) == json({one, other}));
  CHECK(summary_csv(back) == summary_csv({one, other}));
}

TEST_CASE("a table that is none, or broken, is refused with its line", "[beffio]") {
  auto const fault = [](std::string const& text) -> std::string {
    try {
      read_csv("a.csv", text);
    } catch (std::invalid_argument const& e) {
      return e.what();
    }
    return {};
  };
  std::string const good = patterns_csv({example(1, {2})});
  CHECK(fault(good).empty());
  CHECK_THAT(fault(""), ContainsSubstring("no table"));
  CHECK_THAT(fault("a,b\n"), ContainsSubstring("no table"));
  CHECK_THAT(fault(good + "1,2\n"), ContainsSubstring("columns"));
  std::string bad = good;
  bad.replace(bad.find(",write,"), 7, ",wrote,");
  CHECK_THAT(fault(bad), ContainsSubstring("a.csv:2: 'wrote' is unknown"));
}

TEST_CASE("two runs are compared cell by cell", "[beffio]") {
  run_result const one = example(20, {2, 4});
  run_result other = example(5, {4});
  for (cell& c : other.cells)
    if (c.how == method::read) c.bytes /= 4;
  auto const all = compared(one, other);
  // 36 patterns with a time of their own are written and read, and 8 are rewritten.
  CHECK(all.size() == 36 + 36 + 8);
  for (comparison const& c : all) CHECK(near(c.ratio(), c.one->how == method::read ? 16 : 4));
  CHECK(near(geometric_mean(all, method::write), 4));
  CHECK(near(geometric_mean(all), std::pow(4.0, 44 / 80.0) * std::pow(16.0, 36 / 80.0)));
  CHECK(near(geometric_mean(all, {}, 1), 8));
  CHECK(!geometric_mean({}, {}));
  CHECK_THAT(comparison_text(one, other, "a / b"), ContainsSubstring("16.00"));
}

TEST_CASE("the report has a line for each chunk and method, and the totals", "[beffio]") {
  run_result const r = example(20, {1, 4});
  std::string const text = report_text(r, 0);
  for (std::string const chunk :
       {"1024", "1032", "32768", "32776", "1048576", "1048584", "4194304", "total"})
    CHECK(count(text, " " + chunk + "  write ") == 2);
  CHECK_THAT(
      text,
      ContainsSubstring(
          "4   10    4194304  write        80.00     160.00     240.00     320.00     400.00\n"));
  CHECK_THAT(
      text,
      ContainsSubstring(
          "4           total  write        72.00     142.22     213.33     284.44     355.56\n"));
  CHECK_THAT(
      text,
      ContainsSubstring(
          "4    1       1024  rewrite      80.00          -          -          -          -\n"));
  CHECK_THAT(text, ContainsSubstring("b_eff_io on 4 ranks = "));
  CHECK(chunk_text(1024) == "1 KiB");
  CHECK(chunk_text(32776) == "32 KiB + 8");
  CHECK(chunk_text(4194304) == "4 MiB");
  CHECK(chunk_text(123456) == "123456");
}

TEST_CASE("pictures show every type, method and run", "[beffio]") {
  run_result const one = example(20, {1, 4});
  run_result other = example(5, {4});
  other.hint_set = "white";
  auto const all = pictures({one}, {other});
  std::map<std::string, std::string> by_name;
  for (picture const& p : all) by_name[p.name] = p.svg;
  CHECK(by_name.size() == all.size());
  for (std::string const n : {"1", "4"}) {
    for (std::string const name : {"write", "rewrite", "read", "time"})
      CHECK(by_name.count(name + "-np" + n + "-argosy") == 1);
    for (std::string const name : {"type0", "type1", "type2", "type3", "type4", "runs"})
      CHECK(by_name.count(name + "-np" + n) == 1);
  }
  CHECK(by_name.count("partitions") == 1);
  // A mark for each of 7 chunks and 5 types, 5 in the legend, and the background.
  CHECK(count(by_name["write-np4-argosy"], "<rect") == 35 + 5 + 1);
  CHECK(count(by_name["rewrite-np4-argosy"], "<rect") == 7 + 1 + 1);
  // Three methods of two runs; the second run is dashed.
  CHECK(count(by_name["type0-np4"], "<rect") == 6 * 7 + 6 + 1);
  CHECK(count(by_name["type0-np4"], "stroke-dasharray") == 3 * 6 + 3);
  CHECK(count(by_name["type0-np1"], "<rect") == 3 * 7 + 3 + 1);
  // Two bars for each type that is written and read, and for the one that is rewritten.
  CHECK(count(by_name["runs-np4"], "<rect") == 2 * 11 + 2 + 1);
  for (auto const& [name, svg] : by_name) {
    CAPTURE(name);
    CHECK(svg.rfind("<svg ", 0) == 0);
    CHECK(count(svg, "nan") + count(svg, "inf") == 0);
  }
  CHECK(pictures({run_result{}}, {}).empty());
}

TEST_CASE("the forecast says what fits", "[beffio]") {
  schedule const s{.seconds = 150, .partitions = 2};
  probe const p{.cached = 1e9, .stored = 1e9};
  forecast const f = forecast_of(s, p, 2, 4, 2 * M, 100'000'000'000, 0);
  CHECK(f.fits());
  CHECK(f.usable == 90'000'000'000);
  CHECK(f.budget == 22'500'000'000);
  CHECK_THAT(to_string(f, s, 2), ContainsSubstring("patterns may end before their time"));
  CHECK(forecast_of(s, p, 2, 4, 2 * M, 100'000'000'000, 1000 * M).usable == 1000 * M);
  std::int64_t const least = 2 * 2 * least_bytes(4, 2 * M);
  CHECK(forecast_of(s, p, 2, 4, 2 * M, least, least).fits() == false);
  CHECK_THAT(to_string(forecast_of(s, p, 2, 4, 2 * M, least, 0), s, 2),
             ContainsSubstring("NO SPACE"));
  // In release 1 only the files of one partition exist at a time. Without a limit of space the
  // budget has no limit.
  schedule const first{.rules = release::r1, .seconds = 150, .partitions = 2};
  CHECK(forecast_of(first, p, 1, 4, 2 * M, 1'000'000'000, 0).budget == 900'000'000);
  CHECK(forecast_of(s, p, 1, 4, 2 * M, -1, 0).budget == any_number);
}

TEST_CASE("a trial knows that a disk is there, and leaves nothing", "[beffio]") {
  argosy::test::scratch const dir;
  probe const p = tried(dir.string());
  CHECK((p.cached > 0 && p.stored > 0 && p.cached >= p.stored));
  CHECK(std::filesystem::is_empty(dir.string()));
  CHECK(tried(dir / "nothing").cached == 0);
  CHECK(free_bytes(dir.string()) > 0);
  CHECK(free_bytes(dir / "nothing") == -1);
}

TEST_CASE("the journal keeps what was measured, and its files, from the first closed type on",
          "[beffio]") {
  argosy::test::scratch const dir;
  options o = parsed({"--quiet", "--impl", "argosy"});
  o.csv = dir / "a.csv";
  o.json = dir / "a.json";
  o.plots = dir / "plots";
  run_result all = example(20, {2}), facts = all;
  facts.cells.clear();
  journal book(o, {.partitions = 1}, {facts}, {}, 0);
  contender const who{0, 2, method::write, 0};
  for (int k = 0; k < 9; ++k) {
    cell c = *all.find(2, method::write, 0, k);
    c.close_seconds = -1;
    book.measured(who, c);
  }
  CHECK_FALSE(std::filesystem::exists(o.csv));
  book.closed(who, 0.5, 2);
  auto const now = [&] { return read_csv(o.csv, bench::text_of_file(o.csv)).at(0); };
  CHECK(now().cells.size() == 9);
  CHECK(near(now().type_value(2, method::write, 0), *all.type_value(2, method::write, 0)));
  CHECK(now().errors() == 2);
  CHECK_FALSE(book.went_well());
  book.failed(who, "rank 1, write: no space");
  CHECK_THAT(book.text(),
             ContainsSubstring("argosy, 2 ranks, write, type 0: rank 1, write: no space"));
  CHECK(book.save(true));
  CHECK(std::filesystem::exists(o.plots + "/write-np2-argosy.svg"));
  CHECK(std::filesystem::exists(dir / "a_summary.csv"));
  o.csv = dir / "none/a.csv";
  CHECK_FALSE(book.save(false));
  CHECK(progress_text(0.25, 10, "argosy", {0, 4, method::read, 2}, {32768, 32768, 1}) ==
        "25 %, argosy, 4 ranks, read, type 2 (separated), chunks of 32 KiB; 10 s, about 30 s more");
  CHECK_THAT(
      progress_text(0, 10, "mpi", {0, 1, method::write, 3}, {}),
      ContainsSubstring("mpi, 1 rank, write, type 3 (segmented), the rest of its segment; 10 s"));
}

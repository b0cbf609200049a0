// Rows and claims: what they may contain, the error texts, and how they are counted.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <papers/claims.hpp>
#include <papers/measure.hpp>
#include <papers/report.hpp>
#include <papers/rows.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace {

constexpr char const* columns =
    "key,source,table,machine,software,workload,op,nodes,per_node,bytes_per_task,transfer_bytes,"
    "stripe_bytes,unique,"
    "largeblock,max_acc,statistic,published,published_sd,role,reason\n";

std::vector<papers::row> rows_of(std::string const& lines) {
  return papers::read_rows("here", columns + lines);
}

std::string refusal_of_rows(std::string const& lines) {
  try {
    rows_of(lines);
  } catch (std::invalid_argument const& why) {
    return why.what();
  }
  return {};
}

papers::result result_of(papers::row const& r, double simulated, double sd = 0) {
  return {&r, simulated, sd};
}

}  // namespace

TEST_CASE("roles move down in each table, but those of rows that are left out", "[papers][rows]") {
  auto rows = rows_of(
      "a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,,,50,,calibrate,\n"
      "b,X,U,m,posix,segmented,write,2,1,1000,10,0,0,0,,,50,,calibrate,\n"
      "c,X,T,m,posix,segmented,write,3,1,1000,10,0,0,0,,,50,,out,wrong\n"
      "d,X,T,m,posix,segmented,write,4,1,1000,10,0,0,0,,,50,,hold,\n"
      "e,X,T,m,posix,segmented,write,5,1,1000,10,0,0,0,,,50,,hold,\n");
  auto const fitted = [&] {
    std::string keys;
    for (papers::row const& r : rows)
      if (r.role == papers::part::calibrate) keys += r.key;
    return keys;
  };
  papers::rotate_roles(rows, 0);
  CHECK(fitted() == "ab");
  papers::rotate_roles(rows, 1);
  CHECK(fitted() == "bd");
  papers::rotate_roles(rows, 2);
  CHECK(fitted() == "ab");
  CHECK(rows[2].role == papers::part::out);
}

TEST_CASE("a row says what was published, or that it is there for claims", "[papers][rows]") {
  auto const rows = rows_of(
      "a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,,,50,,hold,\n"
      "b,X,T,m,ibm_prototype,segmented,read,2,1,1000,10,0,1,0,0,max,,,claims,\n"
      "c,X,T,m,ibm_prototype,segmented,read,2,1,1000,10,0,1,0,8,mean,,,claims,\n");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].published == 50);
  CHECK_FALSE(rows[0].max_acc.has_value());
  CHECK(rows[0].of_runs == papers::statistic::mean);
  CHECK(rows[1].role == papers::part::claims);
  CHECK(rows[1].max_acc == std::optional<std::int64_t>(0));
  CHECK(rows[1].of_runs == papers::statistic::most);
  CHECK(rows[2].max_acc == std::optional<std::int64_t>(8));

  auto const says = [](std::string const& lines, char const* words) {
    CAPTURE(lines, refusal_of_rows(lines));
    return refusal_of_rows(lines).find(words) != std::string::npos;
  };
  CHECK(says("a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,,,,,hold,\n",
             "here:2: nothing is published"));
  CHECK(says("a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,,,5,,claims,\n",
             "here:2: for claims, but published"));
  CHECK(says("a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,,min,5,,hold,\n",
             "no such statistic: min"));
  CHECK_THROWS_AS(
      papers::read_rows(
          "here",
          "key,source,table,machine,software,workload,op,nodes,per_node,bytes_per_task,"
          "transfer_bytes,stripe_bytes,unique,largeblock,level,published,published_sd,role,"
          "reason\na,X,T,m,romio_1,dist3d,write,2,1,1000,0,0,0,0,1,,,claims,\n"),
      std::invalid_argument);
  CHECK(says("a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,x,,5,,hold,\n",
             "max_acc is not a count: 'x'"));
}

TEST_CASE("a sentence without numbers counts, one that its own numbers contradict does not",
          "[papers][claims]") {
  auto const rows = rows_of(
      "a,X,T,m,posix,segmented,write,2,1,1000,10,0,0,0,,,50,4,hold,\n"
      "b,X,T,m,posix,segmented,write,4,1,1000,10,0,0,0,,,40,2,hold,\n"
      "c,X,T,m,posix,segmented,write,8,1,1000,10,0,0,0,,,,,claims,\n"
      "d,X,T,m,posix,segmented,write,9,1,1000,10,0,0,0,,,,,claims,\n");
  std::vector<papers::claim> const claims = {
      {"1", "X", "right", "[a] > [b]"},          {"2", "X", "contradicts itself", "[a] < [b]"},
      {"3", "X", "only said", "[c] > 2 * [b]"},  {"4", "X", "only said and wrong", "[c] > [d]"},
      {"5", "X", "deviates", "[sd a] > [sd b]"}, {"6", "X", "not run twice", "[sd c] > [sd a]"}};
  std::vector<papers::result> const results = {result_of(rows[0], 60, 1), result_of(rows[1], 30, 3),
                                               result_of(rows[2], 100), result_of(rows[3], 200)};
  auto const judged = papers::judge_all(claims, rows, results);
  REQUIRE(judged.size() == 6);
  CHECK(judged[0].published.holds == std::optional(true));
  CHECK(judged[0].simulated.holds == std::optional(true));
  CHECK(judged[1].published.holds == std::optional(false));
  CHECK_FALSE(judged[2].published.holds.has_value());
  CHECK(judged[2].simulated.holds == std::optional(true));
  CHECK(judged[3].simulated.holds == std::optional(false));
  CHECK(judged[4].published.holds == std::optional(true));
  CHECK(judged[4].simulated.holds == std::optional(false));
  CHECK_FALSE(judged[5].simulated.holds.has_value());

  CHECK_THAT(papers::csv_of(judged),
             Catch::Matchers::ContainsSubstring("3,not published,yes,100,60\n"));
  CHECK_THAT(papers::csv_of(judged), Catch::Matchers::ContainsSubstring("2,no,no,60,30\n"));

  std::string const text = papers::summary_of(results, judged, 1, "");
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                       "Claims: 2 of 4 hold; 1 fail on the published numbers"));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("- 4: only said and wrong"));
  CHECK(text.find("| c |") == text.npos);  // a miss needs a number to miss
  CHECK(papers::errors_by_table(results).at(0).rows == 2);
  CHECK_THROWS_AS(papers::judge_all({{"7", "X", "of nothing", "[sd e] > 1"}}, rows, results),
                  std::invalid_argument);
}

TEST_CASE("claims know what is in the middle", "[papers][claims]") {
  auto const rate = [](std::string const& key) {
    return std::optional<double>(key == "a" ? 1 : key == "b" ? 5 : 3);
  };
  CHECK(papers::judge("median([a] [b] [c]) >= 3", rate).left == 3);
  CHECK(papers::judge("median([a] [b]) >= 3", rate).left == 3);
  CHECK(papers::judge("median([a] / [b] [b] / [a] 7 8 9) > 1", rate).left == 7);
  CHECK_THROWS_AS(papers::judge("median([a] [b] > 1", rate), std::invalid_argument);
}

TEST_CASE("claims do not depend on the fifth digit", "[papers][claims]") {
  auto const rate = [](std::string const&) { return std::optional<double>(); };
  CHECK(*papers::judge("565.49 >= 565.52", rate).holds);
  CHECK_FALSE(*papers::judge("565.52 > 565.49", rate).holds);
  CHECK(*papers::judge("566.5 > 565.5", rate).holds);
}

TEST_CASE("a row has the mean of its runs, or the most", "[papers][rows]") {
  argosy::test::scratch const directory;
  std::ofstream(directory / "m.machine") << "nic_mb_per_s 100 stated X\nnoise 0.9 stated "
                                            "X\nclose_flushes 1 stated X\nservers 1 stated X\n";
  auto const rows = rows_of(
      "a,X,T,m,posix,segmented,write,1,1,2097152,262144,0,0,0,,,50,,hold,\n"
      "b,X,T,m,posix,segmented,write,1,1,2097152,262144,0,0,0,,max,50,,hold,\n");
  papers::laboratory once(directory.string(), 1, 1), thrice(directory.string(), 1, 3);
  CHECK(once.measure(rows[0]).simulated == once.measure(rows[1]).simulated);
  CHECK(once.measure(rows[0]).simulated_sd == 0);
  papers::result const mean = thrice.measure(rows[0]), most = thrice.measure(rows[1]);
  CHECK(mean.simulated_sd > 0);
  CHECK(mean.simulated_sd == most.simulated_sd);
  // The greatest of three numbers is 1/sqrt(3) to 2/sqrt(3) standard deviations above the mean, if
  // variances are divided by n - 1.
  CHECK(most.simulated - mean.simulated > 0.577 * mean.simulated_sd);
  CHECK(most.simulated - mean.simulated < 1.155 * mean.simulated_sd);
}

TEST_CASE("software without agents has one run for all hints to agents", "[papers][rows]") {
  argosy::test::scratch const directory;
  std::ofstream(directory / "m.machine") << "nic_mb_per_s 100 stated X\nservers 1 stated X\n";
  auto const rows = rows_of(
      "a,X,T,m,ibm_pe,tile3d,write,2,1,64000,0,1048576,0,0,,,50,,hold,\n"
      "b,X,T,m,ibm_pe,tile3d,write,2,1,64000,0,2097152,0,0,,,50,,hold,\n"
      "c,X,T,m,ibm_pe,tile3d,read,2,1,64000,0,0,0,1,,,50,,hold,\n");
  papers::laboratory lab(directory.string(), 1, 1);
  double const beside = lab.measure_as(rows[0], "argosy");
  std::int64_t const events = lab.events();
  CHECK(lab.measure_as(rows[1], "argosy") == beside);
  CHECK(lab.measure_as(rows[2], "argosy") > 0);
  CHECK(lab.events() == events);
  lab.measure(rows[0]);
  lab.measure(rows[1]);
  lab.measure(rows[2]);
  CHECK(lab.events() > events);
}

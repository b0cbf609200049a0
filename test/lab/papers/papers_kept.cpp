// Results that are kept: written and read again, compared with later ones, and put on a page.
// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <string>
#include <vector>

#include <papers/kept.hpp>
#include <papers/page.hpp>

#include "support/catch.hpp"

namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<papers::row> rows() {
  return papers::read_rows(
      "here",
      "key,source,table,machine,software,workload,op,nodes,per_node,bytes_per_task,transfer_bytes,"
      "stripe_bytes,unique,largeblock,published,published_sd,role,reason\n"
      "a,PC,T,m,posix,segmented,write,2,1,1000,10,0,0,0,50,5,hold,\n"
      "b,PC,T,m,posix,segmented,write,4,1,1000,10,0,0,0,40,8,hold,\n"
      "c,PC,T,m,posix,segmented,write,8,1,1000,10,0,0,0,30,,calibrate,\n"
      "d,PC,U,m,posix,segmented,write,4,1,1000,10,0,0,0,60,,duplicate,of b\n"
      "e,PC,V,m,posix,segmented,read,4,1,1000,10,0,0,0,,,claims,\n");
}

std::vector<papers::claim> claims() {
  return {{"1", "PC", "the first is faster", "[a] > [b]"},
          {"2", "PC", "the last is fast", "[e] > 100", "no cache"},
          {"3", "PC", "of a chunk", "[a:1024] > 1"}};
}

std::vector<papers::result> measured(std::vector<papers::row> const& of) {
  return {{&of[0], 55}, {&of[1], 20}, {&of[2], 30}, {&of[3], 20}, {&of[4], 99}};
}

// The tables and claims as they would be kept.
papers::kept_results kept(std::vector<papers::row> const& of,
                          std::vector<papers::claim> const& said) {
  auto const results = measured(of);
  papers::kept_results all;
  for (char const* table : {"T", "U", "V"})
    papers::read_table(table, papers::table_csv(table, results), all);
  papers::read_kept_claims("claims", papers::csv_of(papers::judge_all(said, of, results)), all);
  return all;
}

}  // namespace

TEST_CASE("kept results are those that were measured", "[papers][kept]") {
  auto const of = rows();
  auto const said = claims();
  CHECK(papers::table_csv("T", measured(of)) ==
        "row,machine,published,published_sd,simulated,simulated_sd,relative_error,role\n"
        "a,m,50,5,55,,0.100,hold\n"
        "b,m,40,8,20,,-0.500,hold\n"
        "c,m,30,,30,,0.000,calibrate\n");
  auto const all = kept(of, said);
  auto const again = papers::with_kept(of, {{&of[1], 41}}, all);
  REQUIRE(again.size() == 5);
  CHECK(again[0].simulated == 55);
  CHECK(again[1].simulated == 41);  // the new one wins
  CHECK(again[4].simulated == 99);
}

TEST_CASE("a rate may move by two percent, a verdict not at all", "[papers][kept]") {
  auto const of = rows();
  auto const said = claims();
  auto const all = kept(of, said);
  auto const moved = [&](std::vector<papers::result> const& results) {
    return papers::moved(results, papers::judge_all(said, of, results), all);
  };
  CHECK(moved({{&of[0], 55 * 1.019}}).empty());
  CHECK(moved({{&of[0], 55 / 1.019}}).empty());
  REQUIRE(moved({{&of[0], 55 * 1.021}}).size() == 1);
  CHECK_THAT(moved({{&of[0], 55 * 1.021}})[0], ContainsSubstring("a is 56.15, and was 55"));
  auto const flipped = moved({{&of[4], 100.5}});
  REQUIRE(flipped.size() == 1);
  CHECK_THAT(flipped[0], ContainsSubstring("claim 2: yes, and was no: the last is fast"));
  papers::kept_results const none;
  CHECK(papers::moved({{&of[0], 55}}, {}, none) == std::vector<std::string>{"a is not kept"});
}

TEST_CASE("a claim that kept results do not decide keeps its verdict", "[papers][kept]") {
  auto const of = rows();
  auto const said = claims();
  papers::kept_results all = kept(of, said);
  all.claims["3"] = {"not published", "yes", 5, 1};
  auto const judged =
      papers::with_kept(papers::judge_all(said, of, papers::with_kept(of, {}, all)), all);
  CHECK(judged[0].simulated.holds == std::optional(true));
  CHECK(judged[1].simulated.holds == std::optional(false));
  CHECK(judged[2].simulated.holds == std::optional(true));
  CHECK(judged[2].simulated.left == 5);
}

TEST_CASE("noise is what a paper prints, and what it measured twice", "[papers][kept]") {
  auto const of = rows();
  papers::noise const t = papers::noise_of("T", of), v = papers::noise_of("V", of);
  CHECK(t.deviation == Approx(0.15));   // 5 of 50, 8 of 40
  CHECK(t.twice == Approx(20.0 / 50));  // 40 and 60
  CHECK(t.pairs == 1);
  CHECK(v.deviation == 0);
  CHECK(v.pairs == 0);
}

TEST_CASE("the page has a line for each table with rows held out", "[papers][kept]") {
  auto const of = rows();
  auto const said = claims();
  auto const words = papers::read_table_words(
      "words", "table,title,reason\nT,a table,because of that\nU,another,\n");
  auto const results = measured(of);
  std::string const page =
      papers::page_of(words, of, results, papers::judge_all(said, of, results));
  CHECK_THAT(page, ContainsSubstring(
                       "| T, a table | 2 | 30 % | 15 %, twice 40 % | 10 % | within its noise |\n"));
  CHECK_THAT(page, !ContainsSubstring("| U, another"));
  CHECK_THAT(page, ContainsSubstring("| PC | 2 | 1 |\n"));
  CHECK_THAT(page, ContainsSubstring("\n## T: a table\n\n![T](T.svg)\n"));
  CHECK_THAT(page, ContainsSubstring("because of that\n"));
  CHECK_THAT(page, ContainsSubstring("| 2 | the last is fast | 99 and 100 |\n"));
  CHECK_THAT(page, ContainsSubstring("| 2 | no cache |\n"));
}

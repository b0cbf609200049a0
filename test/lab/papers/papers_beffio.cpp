// b_eff_io as a workload: the results of one run, the effect of hints, and the results of runs that
// are too short.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/any_handle.hpp>

#include <papers/report.hpp>
#include <papers/workload.hpp>

#include "support/catch.hpp"

namespace {

std::vector<std::string> const types{"scatter", "shared", "separated", "segmented", "seg_coll"};

papers::row row_of(std::string const& hints, int nodes) {
  papers::row r;
  r.key = "k";
  r.software = "ibm_prototype";
  r.workload = "beffio";
  r.op = "write.scatter";
  r.nodes = nodes;
  r.bytes_per_task = std::int64_t{256} << 20;  // limits the longest chunk to 2 MB
  r.hints = hints;
  r.published = 100;
  return r;
}

std::map<std::string, double> values_of(papers::row const& r, papers::paper_machine const& m,
                                        double seconds) {
  papers::workload_function const run = papers::find_workload("beffio");
  REQUIRE(run != nullptr);
  return run({.what = r, .machine = m, .scale = 1, .seed = 1, .seconds = seconds}).others;
}

}  // namespace

TEST_CASE("one run of b_eff_io gives all cells of a set of hints, and what the paper makes of them",
          "[papers][beffio]") {
  papers::row const r = row_of("white_third", 2);
  papers::paper_machine const m;
  auto const v = values_of(r, m, 20);
  for (std::string const how : {"write", "rewrite", "read"}) {
    double weighted = 0;
    for (std::string const& t : types) {
      INFO(how << " " << t);
      CHECK(v.at(how + "." + t) > 0);
      for (char const* chunk : {"1024", "1032", "32768", "32776", "1048576", "1048584", "Lmax"})
        CHECK(v.at(how + "." + t + "." + chunk) > 0);
      weighted += v.at(how + "." + t) * (t == "scatter" ? 2 : 1) / 6;
    }
    CHECK(v.at(how + ".average") == Approx(weighted));
  }
  for (std::string const& t : types)
    CHECK(v.at("average." + t) == Approx(0.25 * v.at("write." + t) + 0.25 * v.at("rewrite." + t) +
                                         0.5 * v.at("read." + t)));
  CHECK(v.at("average") == Approx(0.25 * v.at("write.average") + 0.25 * v.at("rewrite.average") +
                                  0.5 * v.at("read.average")));
  double writes = v.at("rewrite.scatter") / 6;
  for (std::string const& t : types) writes += v.at("write." + t) / 6;
  CHECK(v.at("b_eff_io") == Approx(std::sqrt(writes * v.at("read.average"))));
}

TEST_CASE("each task by itself writes as fast as its node lets it", "[papers][beffio]") {
  papers::row const r = row_of("white_second", 1);
  papers::paper_machine m;
  for (auto const& [name, value] : {std::pair{"server_mb_per_s", 5000.},
                                    {"disk_mb_per_s", 5000.},
                                    {"disk_us", 1.},
                                    {"nic_mb_per_s", 5000.},
                                    {"copy_mb_per_s", 100'000.}})
    m.set(name, value);
  for (double const rate : {50., 20.}) {
    m.set("client_write_mb_per_s", rate);
    CHECK(values_of(r, m, 40).at("write.separated.Lmax") == Approx(rate).epsilon(0.05));
  }
}

TEST_CASE("small chunks of type 1 are shipped if the hints say so, and only then",
          "[papers][beffio]") {
  papers::paper_machine const m;
  // If two nodes write one block in turn, each waits for the other to give it back. An agent keeps
  // the block.
  auto const alone = values_of(row_of("white_second", 2), m, 20),
             shipped = values_of(row_of("white_baseline", 2), m, 20),
             mixed = values_of(row_of("white_third", 2), m, 20);
  CHECK(shipped.at("write.shared.1024") > 2 * alone.at("write.shared.1024"));
  CHECK(mixed.at("write.shared.1024") > 2 * alone.at("write.shared.1024"));
  CHECK(mixed.at("write.separated.1024") == Approx(alone.at("write.separated.1024")).epsilon(0.02));
  // Other software has no such hints.
  papers::row other = row_of("white_baseline", 2);
  other.software = "posix";
  CHECK(values_of(other, m, 20).at("write.shared.1024") < 0.6 * shipped.at("write.shared.1024"));
}

TEST_CASE("software whose agents own their blocks takes no locks, but of the library's own files",
          "[papers][software]") {
  papers::paper_machine m;
  m.set("token_us", 300);
  auto const seconds_of_lock = [&](std::string const& software, std::string const& file) {
    papers::row r = row_of("", 1);
    r.software = software;
    double seconds = -1;
    papers::play({.what = r, .machine = m}, [&](papers::player& p) {
      std::error_code error;
      argosy::extend::any_handle h =
          p.opener()(file, {.read = true, .write = true, .create = true}, error);
      double const began = p.world.now();
      CHECK_FALSE(h.lock(0, 100, argosy::extend::lock_kind::exclusive));
      CHECK_FALSE(h.unlock(0, 100));
      seconds = p.world.now() - began;
      CHECK_FALSE(h.close());
    });
    return seconds;
  };
  CHECK(seconds_of_lock("ibm_prototype", "data") == 0);
  CHECK(seconds_of_lock("ibm_pe", "data") == 0);
  CHECK(seconds_of_lock("argosy", "data") > 300e-6);
  CHECK(seconds_of_lock("romio_1", "data") > 300e-6);
  CHECK(seconds_of_lock("ibm_prototype", ".data.pointer") > 300e-6);
}

TEST_CASE("rows name a set of hints, and what of a program is measured", "[papers][rows]") {
  std::string const head =
      "key,source,table,machine,software,workload,op,nodes,per_node,bytes_per_task,transfer_bytes,"
      "stripe_bytes,unique,"
      "largeblock,hints,published,published_sd,role,reason\n";
  auto const rows =
      papers::read_rows("x", head +
                                 "a,BE,T,white,ibm_prototype,beffio,rewrite.shared,16,4,100,0,0,0,"
                                 "0,white_third,265,,hold,\n"
                                 "b,PC,T,frost,posix,strided,write,2,1,100,10,0,0,0,,1,,hold,\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].op == "rewrite.shared");
  CHECK(rows[0].hints == "white_third");
  CHECK(rows[0].tasks() == 64);
  CHECK(rows[1].op == "write");
  CHECK(rows[1].hints.empty());
}

TEST_CASE("claims may be of single chunks, which are not printed", "[papers][claims]") {
  std::vector<papers::row> rows{row_of("white_second", 1), row_of("white_third", 1)};
  rows[1].key = "l";
  rows[1].published = 200;
  std::vector<papers::result> results(2);
  for (std::size_t k = 0; k < 2; ++k) {
    results[k].what = &rows[k];
    results[k].simulated = 10 + static_cast<double>(k);
    results[k].others = {{"write.scatter.1024", 5 - static_cast<double>(k)}};
  }
  std::vector<papers::claim> const claims{{"1", "BE", "", "[l] > [k]"},
                                          {"2", "BE", "", "[l:1024] > [k:1024]"},
                                          {"3", "BE", "", "[l:1024] ~ 4 @ 1%"}};
  auto const all = papers::judge_all(claims, rows, results);
  CHECK(all[0].published.holds == true);
  CHECK(all[0].simulated.holds == true);
  CHECK_FALSE(all[1].published.holds.has_value());
  CHECK(all[1].simulated.holds == false);
  CHECK(all[1].simulated.left == 4);
  CHECK(all[1].simulated.right == 5);
  CHECK(all[2].simulated.holds == true);
  // A claim whose number is not published counts as a claim. Claims 1 and 3 hold.
  CHECK(papers::summary_of(results, all, 1, "").find("Claims: 2 of 3 hold; 0 fail") !=
        std::string::npos);
  CHECK_THROWS(papers::judge_all({{"4", "BE", "", "[nowhere:1024] > 1"}}, rows, results));
  CHECK_THROWS(papers::judge_all({{"5", "BE", "", "[k:1025] > 1"}}, rows, results));
}

TEST_CASE("rows of a run that was too short count nowhere, and say so", "[papers][report]") {
  std::vector<papers::row> rows(3, row_of("white_second", 1));
  std::vector<papers::result> results(3);
  for (std::size_t k = 0; k < 3; ++k) {
    rows[k].table = "T";
    results[k].what = &rows[k];
    results[k].simulated = 110;
  }
  results[1].simulated = results[2].simulated = 300;
  CHECK(papers::pooled_median(results) == Approx(2));
  results[1].short_of = results[2].short_of = 60;
  CHECK(papers::pooled_median(results) == Approx(0.1));
  REQUIRE(papers::errors_by_table(results).size() == 1);
  CHECK(papers::errors_by_table(results)[0].rows == 1);
  CHECK(papers::summary_of(results, {}, 1, "").find("ran 60 s instead of 1800 s") !=
        std::string::npos);
  std::string const csv = papers::csv_of(results, 1, "");
  CHECK(csv.find(",hold,1,60,") != std::string::npos);
  CHECK(csv.find(",hold,1,,") != std::string::npos);
}

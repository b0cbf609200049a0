// Access patterns on a simulated GPFS, in virtual time: which way is fastest, on how many ranks,
// and how many messages it costs.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../../support/csv.hpp"
#include "../../support/result_files.hpp"
#include "experiment.hpp"
#include "plot.hpp"

namespace {

using namespace shapes;

constexpr char const* layout_of_lines = "{:<14} {:>5}  {:<32} {:<6} {:>10} {:>10} {:>11} {:>10}\n";

std::string csv_of(std::vector<row> const& rows) {
  std::string text = "experiment,ranks,setting,op,mb_per_s,messages,revocations,file_calls\n";
  for (row const& r : rows)
    text += fmt::format("{},{},{},{},{:.4g},{},{},{}\n", r.experiment, r.ranks,
                        bench::csv_quoted(r.setting), r.op, r.mb_per_s, r.messages, r.revocations,
                        r.file_calls);
  return text;
}

row const* find(std::vector<row> const& rows, std::string const& experiment, int ranks,
                std::string const& setting, std::string const& op) {
  auto const at = std::find_if(rows.begin(), rows.end(), [&](row const& r) {
    return r.experiment == experiment && r.ranks == ranks && r.setting == setting && r.op == op;
  });
  return at == rows.end() ? nullptr : &*at;
}

// Returns true if the order is that of any machine of this kind on which several nodes share
// blocks.
bool winners_are_right(options const& o, std::vector<row> const& rows) {
  bool right = true;
  auto const expect = [&](bool well, std::string const& what) {
    if (!well) fmt::print(stderr, "bench_gpfs: it should be that {}\n", what);
    right = right && well;
  };
  for (int const n : o.ranks) {
    if (n <= o.per_node) continue;
    auto const rate = [&](char const* e, char const* s, char const* op) {
      row const* const r = find(rows, e, n, s, op);
      return r ? r->mb_per_s : 0;
    };
    if (find(rows, "discontiguous", n, "posix", "write") != nullptr)
      for (char const* const s : {"two_phase", "data_shipping"})
        expect(rate("discontiguous", s, "write") > 2 * rate("discontiguous", "posix", "write"),
               fmt::format("{} writes small blocks faster than POSIX calls, on {} ranks", s, n));
    if (row const* const r = find(rows, "strided", n, "partitioned", "write")) {
      expect(r->revocations == 0,
             fmt::format("nothing is revoked of a partitioned file, on {} ranks", n));
      expect(find(rows, "strided", n, "tokens", "write")->revocations > 0,
             fmt::format("tokens are revoked where {} ranks write into each other's blocks", n));
      expect(r->mb_per_s > rate("strided", "tokens", "write"),
             fmt::format("small strided writes gain from partitioning, on {} ranks", n));
    }
    if (find(rows, "random", n, "no hint", "read") != nullptr)
      expect(rate("random", "max_acc 1", "read") > rate("random", "no hint", "read"),
             fmt::format("the range hint helps random reads, on {} ranks", n));
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  auto const read = bench::options_of(usage, argc, argv, status, options_from);
  if (!read) return status;
  options const& o = *read;
  std::vector<row> rows;
  bool well = true, any = false;
  fmt::print(layout_of_lines, "experiment", "ranks", "setting", "op", "MB/s", "messages",
             "revocations", "file calls");
  for (experiment const& e : experiments) {
    if (!o.experiment.empty() && o.experiment != e.name) continue;
    any = true;
    for (int const ranks : o.ranks) {
      std::string what;
      try {
        e.measure(o, ranks,
                  {[&](std::string const& setting) {
                     what = fmt::format("{}, {} ranks, {}", e.name, ranks, setting);
                     bench::say(what);
                   },
                   [&](std::string const& setting, access_kind kind, std::int64_t bytes,
                       measured const& m) {
                     rows.push_back({e.name, ranks, setting, op_name(kind),
                                     static_cast<double>(bytes) / 1e6 / m.seconds, m.messages,
                                     m.revocations, m.file_calls});
                     row const& r = rows.back();
                     bench::say("");
                     fmt::print(layout_of_lines, r.experiment, r.ranks, r.setting, r.op,
                                fmt::format("{:.4g}", r.mb_per_s), r.messages, r.revocations,
                                r.file_calls);
                     std::fflush(stdout);
                   }});
      } catch (std::exception const& failed) {
        bench::say("");
        fmt::print(stderr, "bench_gpfs: {}: {}\n", what, failed.what());
        return 1;
      }
    }
    if (!o.plots.empty())
      well = bench::put_picture(o.plots, e.name, plot(e.name, e.title, rows)) && well;
  }
  if (!any) {
    fmt::print(stderr, "bench_gpfs: there is no experiment '{}'\n", o.experiment);
    return 2;
  }
  if (!o.csv.empty()) well = bench::put(o.csv, csv_of(rows)) && well;
  if (o.check) well = winners_are_right(o, rows) && well;
  return well ? 0 : 1;
}

// Implements kept.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "kept.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "../../support/csv.hpp"
#include "../../support/result_files.hpp"

namespace papers {

namespace {

char const* here_of(judged const& j) {
  return !j.simulated.holds ? "not run" : *j.simulated.holds ? "yes" : "no";
}

}  // namespace

std::string table_csv(std::string const& table, std::vector<result> const& results) {
  std::string text =
      "row,machine,published,published_sd,simulated,simulated_sd,relative_error,role\n";
  for (result const& r : results) {
    if (r.what->table != table) continue;
    bool const known = r.what->role != part::claims;
    auto const number = [](double x) { return x > 0 ? fmt::format("{:g}", x) : std::string(); };
    text += fmt::format("{},{},{},{},{:.4g},{},{},{}\n", r.what->key, r.what->machine,
                        number(r.what->published), number(r.what->published_sd), r.simulated,
                        r.simulated_sd > 0 ? fmt::format("{:.3g}", r.simulated_sd) : "",
                        known ? fmt::format("{:.3f}", r.error()) : "", name_of(r.what->role));
  }
  return text;
}

void read_table(std::string const& file, std::string_view text, kept_results& to) {
  bench::csv_table const t(file, text);
  for (std::size_t k = 0; k < t.size(); ++k)
    to.rows[t.at(k, "row")] = {t.real(k, "simulated"), t.real(k, "simulated_sd")};
}

void read_kept_claims(std::string const& file, std::string_view text, kept_results& to) {
  bench::csv_table const t(file, text);
  for (std::size_t k = 0; k < t.size(); ++k)
    to.claims[t.at(k, "id")] = {t.at(k, "holds_published"), t.at(k, "holds_simulated"),
                                t.real(k, "left"), t.real(k, "right")};
}

kept_results read_kept(std::string const& directory, std::vector<row> const& rows) {
  kept_results all;
  std::set<std::string> tables;
  for (row const& r : rows) tables.insert(r.table);
  auto const text_of = [&](std::string const& name) -> std::optional<std::string> {
    std::string const path = directory + "/" + name;
    if (!std::filesystem::exists(path)) return std::nullopt;
    return bench::text_of_file(path);
  };
  for (std::string const& t : tables)
    if (auto const text = text_of(t + ".csv")) read_table(t + ".csv", *text, all);
  if (auto const text = text_of("claims.csv")) read_kept_claims("claims.csv", *text, all);
  return all;
}

std::vector<result> with_kept(std::vector<row> const& rows, std::vector<result> const& measured,
                              kept_results const& kept) {
  std::map<std::string, result const*> fresh;
  for (result const& r : measured) fresh[r.what->key] = &r;
  std::vector<result> all;
  for (row const& r : rows) {
    if (auto const f = fresh.find(r.key); f != fresh.end()) {
      all.push_back(*f->second);
    } else if (auto const k = kept.rows.find(r.key); k != kept.rows.end()) {
      result x;
      x.what = &r;
      x.simulated = k->second.simulated;
      x.simulated_sd = k->second.simulated_sd;
      all.push_back(std::move(x));
    }
  }
  return all;
}

std::vector<judged> with_kept(std::vector<judged> claims, kept_results const& kept) {
  for (judged& j : claims) {
    auto const k = kept.claims.find(j.what->id);
    if (j.simulated.holds || k == kept.claims.end() || k->second.here == "not run") continue;
    j.simulated = {k->second.here == "yes", k->second.left, k->second.right};
  }
  return claims;
}

std::vector<std::string> moved(std::vector<result> const& measured,
                               std::vector<judged> const& claims, kept_results const& kept) {
  std::vector<std::string> all;
  for (result const& r : measured) {
    auto const k = kept.rows.find(r.what->key);
    if (k == kept.rows.end()) {
      all.push_back(r.what->key + " is not kept");
    } else if (std::abs(r.simulated / k->second.simulated - 1) > most_moved) {
      all.push_back(fmt::format("{} is {:.4g}, and was {:.4g}", r.what->key, r.simulated,
                                k->second.simulated));
    }
  }
  for (judged const& j : claims) {
    if (!j.simulated.holds) continue;
    auto const k = kept.claims.find(j.what->id);
    if (k == kept.claims.end())
      all.push_back("claim " + j.what->id + " is not kept");
    else if (k->second.here != here_of(j))
      all.push_back(fmt::format("claim {}: {}, and was {}: {}", j.what->id, here_of(j),
                                k->second.here, j.what->sentence));
  }
  return all;
}

}  // namespace papers

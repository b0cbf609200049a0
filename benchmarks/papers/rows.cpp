// Implements rows.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "workload.hpp"

namespace papers {

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    std::size_t const comma = line.find(',');
    words.emplace_back(line.substr(0, comma));
    if (comma == line.npos) return words;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

csv_table::csv_table(std::string file, std::string_view text) : file_(std::move(file)) {
  while (!text.empty()) {
    std::size_t const end = text.find('\n');
    std::string_view const line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (columns_.empty()) {
      columns_ = words_of(line);
      continue;
    }
    lines_.push_back(words_of(line));
    if (lines_.back().size() != columns_.size())
      refuse(lines_.size() - 1, fmt::format("{} words for {} columns", lines_.back().size(), columns_.size()));
  }
}

void csv_table::refuse(std::size_t line, std::string const& why) const {
  throw std::invalid_argument(fmt::format("{}:{}: {}", file_, line + 2, why));
}

bool csv_table::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

std::string const& csv_table::at(std::size_t line, std::string_view column) const {
  auto const found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) throw std::invalid_argument(fmt::format("{}: there is no column {}", file_, column));
  return lines_[line][static_cast<std::size_t>(found - columns_.begin())];
}

std::int64_t csv_table::number(std::size_t line, std::string_view column) const {
  std::string const& word = at(line, column);
  std::int64_t n = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  if (error != std::errc() || end != word.data() + word.size() || n < 0)
    refuse(line, fmt::format("{} is not a count: '{}'", column, word));
  return n;
}

double csv_table::real(std::size_t line, std::string_view column) const {
  std::string const& word = at(line, column);
  double x = 0;
  if (word.empty()) return x;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error != std::errc() || end != word.data() + word.size() || !(x >= 0))
    refuse(line, fmt::format("{} is not a number: '{}'", column, word));
  return x;
}

char const* name_of(part p) {
  constexpr char const* names[] = {"calibrate", "hold", "duplicate", "out", "claims"};
  return names[static_cast<int>(p)];
}

std::vector<row> read_rows(std::string const& file, std::string_view text) {
  csv_table const t(file, text);
  std::vector<row> all;
  std::set<std::string> keys;
  for (std::size_t k = 0; k < t.size(); ++k) {
    row r;
    auto const refuse = [&](std::string const& why) {
      throw std::invalid_argument(fmt::format("{}:{}: {}", file, k + 2, why));
    };
    r.key = t.at(k, "key");
    r.source = t.at(k, "source");
    r.table = t.at(k, "table");
    r.machine = t.at(k, "machine");
    r.software = t.at(k, "software");
    r.workload = t.at(k, "workload");
    r.op = t.at(k, "op");
    r.nodes = static_cast<int>(t.number(k, "nodes"));
    r.per_node = static_cast<int>(t.number(k, "per_node"));
    r.bytes_per_task = t.number(k, "bytes_per_task");
    r.transfer_bytes = t.number(k, "transfer_bytes");
    r.stripe_bytes = t.number(k, "stripe_bytes");
    r.unique = t.number(k, "unique") != 0;
    r.largeblock = t.number(k, "largeblock") != 0;
    if (t.has("hints")) r.hints = t.at(k, "hints");
    if (t.has("max_acc") && !t.at(k, "max_acc").empty()) r.max_acc = t.number(k, "max_acc");
    if (t.has("level") && !t.at(k, "level").empty()) {
      r.level = static_cast<int>(t.number(k, "level"));
      if (r.level != 0 && r.level != 2 && r.level != 3) refuse("no level of ROMIO that is run: " + t.at(k, "level"));
    }
    if (t.has("statistic") && !t.at(k, "statistic").empty()) {
      if (t.at(k, "statistic") != "max" && t.at(k, "statistic") != "mean")
        refuse("no such statistic: " + t.at(k, "statistic"));
      r.of_runs = t.at(k, "statistic") == "max" ? statistic::most : statistic::mean;
    }
    r.published = t.real(k, "published");
    r.published_sd = t.real(k, "published_sd");
    r.reason = t.at(k, "reason");
    std::string const& role = t.at(k, "role");
    bool known = false;
    for (part const p : {part::calibrate, part::hold, part::duplicate, part::out, part::claims})
      if (role == name_of(p)) r.role = p, known = true;
    if (!known) refuse("no such role: " + role);
    if (r.role != part::out && r.role != part::duplicate && !r.reason.empty())
      refuse("a reason, but a role that needs none");
    if ((r.role == part::out || r.role == part::duplicate) && r.reason.empty()) refuse("left out, but not why");
    if (r.role != part::out) {
      if (find_workload(r.workload) == nullptr) refuse("no such workload: " + r.workload);
      if (find_software(r.software) == nullptr) refuse("no such software: " + r.software);
      if (r.nodes < 1 || r.per_node < 1 || r.bytes_per_task < 1) refuse("nothing is measured");
      if ((r.published > 0) == (r.role == part::claims))
        refuse(r.role == part::claims ? "for claims, but published" : "nothing is published");
    }
    if (!keys.insert(r.key).second) refuse("the key is there twice: " + r.key);
    all.push_back(std::move(r));
  }
  return all;
}

std::string text_of_file(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::invalid_argument("cannot read " + path);
  return text.str();
}

}  // namespace papers

// Implements rows.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "rows.hpp"

#include <map>
#include <set>
#include <utility>

#include "../../support/csv.hpp"
#include "workload.hpp"

namespace papers {

char const* name_of(part p) {
  constexpr char const* names[] = {"calibrate", "hold", "duplicate", "out", "claims"};
  return names[static_cast<int>(p)];
}

std::vector<row> read_rows(std::string const& file, std::string_view text) {
  bench::csv_table const t(file, text);
  std::vector<row> all;
  std::set<std::string> keys;
  for (std::size_t k = 0; k < t.size(); ++k) {
    row r;
    auto const refuse = [&](std::string const& why) { t.refuse(k, why); };
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
    if (t.has("release")) r.release = static_cast<int>(t.number(k, "release", 2));
    if (r.release != 1 && r.release != 2) refuse("no release of b_eff_io: " + t.at(k, "release"));
    if (t.has("max_acc") && !t.at(k, "max_acc").empty()) r.max_acc = t.number(k, "max_acc");
    if (t.has("level") && !t.at(k, "level").empty()) {
      r.level = static_cast<int>(t.number(k, "level"));
      if (r.level != 0 && r.level != 2 && r.level != 3)
        refuse("no level of ROMIO that is run: " + t.at(k, "level"));
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
    if ((r.role == part::out || r.role == part::duplicate) && r.reason.empty())
      refuse("left out, but not why");
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

void rotate_roles(std::vector<row>& rows, int places) {
  std::map<std::pair<std::string, std::string>, std::vector<row*>> tables;
  for (row& r : rows)
    if (r.role == part::calibrate || r.role == part::hold)
      tables[{r.machine, r.table}].push_back(&r);
  for (auto const& [name, table] : tables) {
    std::vector<part> roles;
    for (row const* r : table) roles.push_back(r->role);
    for (std::size_t k = 0; k < table.size(); ++k)
      table[(k + static_cast<std::size_t>(places)) % table.size()]->role = roles[k];
  }
}

}  // namespace papers

// b_eff_io 2.0 with all rewrites, on one partition of all tasks. One run gives all cells of a set
// of hints.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include <argosy/lab/cluster/contents.hpp>

#include <beffio/argosy_files.hpp>
#include <beffio/run.hpp>
#include <support/result_files.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;
namespace be = beffio;

namespace {

// Memory that all tasks share and that is not checked, because files have no contents.
struct unmarked_memory {
  std::span<std::uint64_t> out, in;

  explicit unmarked_memory(io::lab::hollow_memory const& m)
      : out(reinterpret_cast<std::uint64_t*>(m.bytes().data()),
            m.bytes().size() / sizeof(std::uint64_t)),
        in(out) {}
  void set(bool, int, int, be::pattern const&, std::int64_t) const {}
  void unset(be::pattern const&) const {}
  std::int64_t wrong(bool, int, int, be::pattern const&, std::int64_t) const { return 0; }
};

class recorder final : public be::observer {
 public:
  explicit recorder(be::run_result& to) : to_(to) {}

  void measured(be::contender const&, be::cell const& c) override { to_.cells.push_back(c); }
  void closed(be::contender const& who, double seconds, std::int64_t) override {
    for (be::cell& c : to_.cells)
      if (c.how == who.how && c.type == who.type) c.close_seconds = seconds;
  }
  void failed(be::contender const&, std::string const& what) override {
    throw std::runtime_error("b_eff_io: " + what);
  }

 private:
  be::run_result& to_;
};

// Software with agents uses the hints of the row. Other software has no hints.
be::plan plan_of(setup const& s) {
  be::plan p;
  if (s.what.unique) p.unique = be::unique_open::not_separated;
  p.when.seconds = s.seconds / static_cast<double>(s.scale);
  p.when.all_rewrites = true;
  if (s.what.release == 1) p.when.rules = be::release::r1;
  p.partitions = {s.what.tasks()};
  p.longest = be::longest_chunk(s.what.bytes_per_task / s.scale / be::mib);
  if (find_software(s.what.software)->agents && !s.what.hints.empty())
    p.hints = be::hint_file::parse(
        bench::text_of_file(std::string(ARGOSY_PAPERS_HINTS) + "/" + s.what.hints + ".hints"));
  return p;
}

// If the software has a choice, calls of one task are local, so the collective policy is not used
// for them.
be::policy_choice policy_of(setup const& s, bool& ships) {
  return [&s, &ships](be::call c, io::extend::resolved_hints const& now) -> io::extend::any_policy {
    software const& w = *find_software(s.what.software);
    ships = !now.largeblock_io;
    if (w.together && c == be::call::alone) return {};
    row as_hinted = s.what;
    as_hinted.largeblock = now.largeblock_io;
    as_hinted.stripe_bytes = now.io_buffer_bytes;
    return w.policy(as_hinted, s.machine);
  };
}

// Returns true if the calls of the file's type are collective.
bool is_collective(std::string const& path) {
  return !io::lab::detail::is_hidden(path) && path.find("_separated") == path.npos &&
         path.find("_segmented") == path.npos;
}

std::string chunk_name(be::pattern const& p, std::int64_t longest) {
  return p.chunk == longest ? "Lmax" : std::to_string(p.chunk);
}

// Returns values by the names of row::op; for each cell, also the values of its chunks.
std::map<std::string, double> values_of(be::run_result const& r, std::int64_t longest) {
  std::map<std::string, double> all;
  int const ranks = r.ranks;
  auto const put = [&](std::string const& name, std::optional<double> x) {
    if (x) all[name] = *x;
  };
  for (be::method const m : be::methods) {
    std::string const how(be::name_of(m));
    be::by_type const values = r.type_values(ranks, m);
    for (int t = 0; t < be::types; ++t) {
      std::string const name =
          fmt::format("{}.{}", how, be::type_names[static_cast<std::size_t>(t)]);
      put(name, values[static_cast<std::size_t>(t)]);
      for (int const number : be::compared_patterns(t))
        if (be::cell const* c = r.find(ranks, m, t, number))
          put(name + "." + chunk_name(c->what, longest), c->rate());
    }
    put(how + ".average", be::weighted(values));
  }
  auto const of_methods = [&](std::string const& what) {
    all["average" + (what == "average" ? std::string() : "." + what)] =
        all["write." + what] / 4 + all["rewrite." + what] / 4 + all["read." + what] / 2;
  };
  for (std::string_view const t : be::type_names) of_methods(std::string(t));
  of_methods("average");
  put("b_eff_io", r.value(ranks));
  return all;
}

}  // namespace

rates b_eff_io(setup const& s) {
  be::plan const p = plan_of(s);
  io::lab::hollow_memory const data(static_cast<std::size_t>(be::largest_call(p.longest)));
  unmarked_memory memory(data);
  be::run_result all;
  all.rules = p.when.rules;
  all.all_rewrites = p.when.all_rewrites;
  all.ranks = s.what.tasks();
  bool ships = false;  // the hint in force; files are opened, and hints set, by all tasks
  turns by_turns;
  if (find_software(s.what.software)->by_turns)
    by_turns = [&](std::string const& path) { return ships && is_collective(path); };
  rates measured = play(
      s,
      [&](player& on) {
        be::observer nobody;
        recorder first(all);
        be::run_in(memory, on.world, p, on.is_first() ? static_cast<be::observer&>(first) : nobody,
                   be::argosy_files<io::lab::virtual_rank>(on.opener(), policy_of(s, ships)));
      },
      by_turns);
  measured.others = values_of(all, p.longest);
  return measured;
}

}  // namespace papers

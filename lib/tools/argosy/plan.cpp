// argosy plan: shows what a collective call on a distributed array would do, without a file.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <ostream>
#include <type_traits>

#include <fmt/format.h>

#include <argosy/datatype.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <argosy/plan/draw.hpp>
#include <argosy/policy.hpp>
#include <layout/axis.hpp>

#include "../arguments/arguments.hpp"
#include "../arguments/nearest.hpp"
#include "commands.hpp"
#include "datatype_text.hpp"
#include "json.hpp"
#include "planned.hpp"

namespace argosy::tool {
namespace {

constexpr std::int64_t most_dry_bytes = 32 << 20;

// "1024x1024x8"
std::vector<std::int64_t> dimensions(std::string const& option, std::string const& text) {
  std::vector<std::int64_t> all;
  char const* at = text.data();
  char const* const end = at + text.size();
  for (;;) {
    std::int64_t n = 0;
    auto const [next, error] = std::from_chars(at, end, n);
    if (error != std::errc() || n < 1 || (next != end && *next != 'x'))
      throw usage_error(option + " needs positive sizes, for instance 1024x1024x8, not \"" + text +
                        "\"");
    all.push_back(n);
    if (next == end) return all;
    at = next + 1;
  }
}

hints hints_of(arguments const& given) {
  hints all = given.has("--hints") ? read_hints_file(given.value("--hints")) : hints();
  for (std::string const& text : given.values("--hint")) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_error("--hint needs a name and a value, for instance cb_nodes=4, not \"" + text +
                        "\"");
    std::string const name = text.substr(0, equals);
    if (!argosy::detail::find_hint(name)) {
      std::vector<std::string_view> names;
      for (hint_info const& h : known_hints()) names.push_back(h.name);
      std::string const near = nearest(name, names);
      throw usage_error("there is no hint \"" + name + "\"" +
                        (near.empty() ? "" : "; did you mean " + near + "?"));
    }
    all.set(name, text.substr(equals + 1));
  }
  file_hints const checked({}, {}, all);
  for (hint_state const& s : checked.all())
    if (s.status == hint_status::rejected) throw usage_error("hint " + s.name + ": " + s.why);
  return all;
}

planned_call call_of(arguments const& given) {
  planned_call c;
  constexpr std::int64_t most_ranks = 1 << 20;
  c.ranks = given.number("--ranks", 4, 1);
  c.nodes = given.number("--nodes", 1, 1);
  if (c.ranks > most_ranks) throw usage_error("--ranks is at most " + std::to_string(most_ranks));
  if (c.nodes > c.ranks) throw usage_error("there are more --nodes than --ranks");
  c.block_bytes = given.number("--block-bytes", 4096, 1);
  if (given.has("--read") && given.has("--write"))
    throw usage_error("give --read or --write, not both");
  if (given.has("--read")) c.kind = access_kind::read;
  if (!given.has("--array"))
    throw usage_error("--array is missing, for instance --array 1024x1024x8");
  c.array.sizes = dimensions("--array", given.value("--array"));
  try {
    c.array.element_bytes = require_basic_size(given.value("--type", "double"));
  } catch (datatype_text_error const& e) {
    throw usage_error(e.what());
  }
  if (given.has("--block") && given.has("--cyclic"))
    throw usage_error("give --block or --cyclic K, not both");
  c.array.cyclic = given.number("--cyclic", 0, 1);
  auto const d = c.array.sizes.size();
  if (given.has("--grid")) {
    c.array.grid = dimensions("--grid", given.value("--grid"));
    std::int64_t all = 1;
    for (std::int64_t n : c.array.grid)
      all = n > most_ranks ? n : all * n > most_ranks ? most_ranks + 1 : all * n;
    if (c.array.grid.size() != d || all != c.ranks)
      throw usage_error("--grid needs " + std::to_string(d) + " sizes whose product is " +
                        std::to_string(c.ranks));
  } else {
    process_grid const grid(c.ranks, static_cast<int>(d));
    for (std::size_t i = 0; i < d; ++i) c.array.grid.push_back(grid.extent(static_cast<int>(i)));
  }
  c.hints = hints_of(given);
  c.array.part_of(0);  // throws if the array cannot be distributed like this
  return c;
}

// One rank's open file and job in the library, for a file that is not open.
struct planned_rank {
  planned_rank(std::int64_t rank, std::int64_t ranks)
      : file(static_cast<int>(rank), static_cast<int>(ranks)) {}
  detail::open_file file;
  detail::job work;
};
std::unique_ptr<planned_rank> rank_of(planned_call const& c, std::int64_t rank) {
  auto r = std::make_unique<planned_rank>(rank, c.ranks);
  r->file.follow(file_hints({}, {}, c.hints));
  r->file.lies_on(c.on);
  layout const part = c.array.part_of(rank);
  r->work.kind = c.kind;
  r->work.where = std::make_shared<detail::used_view const>(
      view(0, argosy::bytes(c.array.element_bytes), part));
  r->work.bytes = part.size();
  r->work.memory =
      std::make_shared<const_buffer const>(const_buffer{nullptr, argosy::bytes(part.size())});
  return r;
}

struct considered {
  std::string policy, reason;
  double ns = -1;  // -1 if the policy has no price of its own
  collective_plan plan;
};

struct planning {
  access_summary all;
  argosy::detail::access_histogram where;
  collective_plan chosen;
  std::vector<considered> policies;
  argosy::plan alone;  // the plan of rank 0
  std::vector<layout> parts;
};

collective_plan planned_by(any_policy const& policy, planned_call const& c, planning const& p,
                           rank_group const& group) {
  collective_plan made = policy.plan_together(c.kind, p.all, group);
  if (made.domains.size() > 1 && policy.balances() && argosy::detail::may_be_uneven(p.all))
    made = policy.plan_together(c.kind, p.all, group, p.where);
  return made;
}

// The time of the slowest rank, if each rank transfers its own data.
struct alone_times {
  double independent_ns = 0, sieving_ns = 0;
};

// Overloads that make the table of policies, one line for each. `automatic` has none, because it
// chooses among the others.

considered considered_by(std::type_identity<independent>, alone_times const& t, planning const&) {
  return {std::string(independent::name),
          "each rank by itself, a call for each piece",
          t.independent_ns,
          {}};
}
considered considered_by(std::type_identity<sieving>, alone_times const& t, planning const& p) {
  return {std::string(sieving::name), p.alone.reason, t.sieving_ns, {}};
}

two_phase by_hints(std::type_identity<two_phase>, argosy::detail::open_file const& f) {
  resolved_hints const& h = f.hints().values();
  return {.buffer_bytes = h.cb_buffer_bytes,
          .aggregators = h.cb_nodes,
          .align_bytes = h.cb_block_bytes,
          .least_domain_bytes = h.min_domain_bytes};
}
data_shipping by_hints(std::type_identity<data_shipping>, argosy::detail::open_file const& f) {
  return f.choice().data_shipping;
}

planning plan_of(planned_call const& c) {
  planning p;
  constexpr std::int64_t most_parts = 1024;  // the most parts that are drawn
  alone_times times;
  std::vector<std::unique_ptr<planned_rank>> ranks;
  for (std::int64_t r = 0; r < c.ranks; ++r) {
    auto one = rank_of(c, r);
    p.all.combine(one->file.summary_of(one->work));
    if (one->work.bytes > 0) {
      sieving by_pieces = one->file.choice().sieving;
      by_pieces.reads = by_pieces.writes = sieving_mode::never;
      access const wanted = one->file.access_of(one->work);
      times.independent_ns = std::max(times.independent_ns, by_pieces.price_ns(wanted));
      times.sieving_ns = std::max(times.sieving_ns, one->file.choice().sieving.price_ns(wanted));
    }
    if (c.ranks <= most_parts) p.parts.push_back(c.array.part_of(r));
    if (r == 0) ranks.push_back(std::move(one));
  }
  if (argosy::detail::may_be_uneven(p.all))
    for (std::int64_t r = 0; r < c.ranks; ++r) {
      auto const one = rank_of(c, r);
      if (one->work.bytes > 0)
        p.where.combine(argosy::detail::histogram_of(one->file.access_of(one->work), p.all));
    }
  planned_rank const& first = *ranks.front();
  rank_group const group{c.ranks, c.nodes, c.block_bytes};
  detail::chosen const& choice = first.file.choice();
  any_policy const& together = choice.together(c.kind);
  any_policy const& alone = choice.alone;
  if (together.has_value())
    p.chosen = planned_by(together, c, p, group);
  else
    p.chosen = {std::string(alone.name()), "the hints forbid going together", c.kind};
  if (first.work.bytes > 0) {
    constexpr std::int64_t most_windows = 100'000;
    // For a long access, the first windows are representative.
    detail::job shown = first.work;
    access const wanted = first.file.access_of(shown);
    window const w = alone.next(wanted, 0);
    if (w.wanted > 0 && shown.bytes / w.wanted > most_windows)
      shown.bytes = w.wanted * most_windows;
    p.alone = alone.plan(first.file.access_of(shown));
  }
  argosy::detail::library_policies::for_each([&]<class P>(std::type_identity<P> const which) {
    if constexpr (independent_policy<P>) {
      p.policies.push_back(considered_by(which, times, p));
    } else if constexpr (!std::is_same_v<P, automatic>) {
      collective_plan made = planned_by(by_hints(which, first.file), c, p, group);
      p.policies.push_back({std::string(P::name), made.reason, -1, made});
    }
  });
  return p;
}

std::string array_text(planned_array const& a) {
  return fmt::format("{}", fmt::join(a.sizes, "x"));
}

struct dry_runs {
  planned_call call;
  bool is_scaled = false;
  std::vector<dry_run> all;
};

dry_runs run_all(planned_call const& c) {
  dry_runs r{scaled(c, most_dry_bytes), false, {}};
  r.is_scaled = r.call.array.sizes != c.array.sizes;
  if (r.call.array.bytes() > 8 * most_dry_bytes)
    throw std::runtime_error(
        "the array is too large for a dry run, and its sizes cannot be halved any more");
  r.all.push_back(run_dry(r.call, {}));
  argosy::detail::library_policies::for_each([&]<class P>(std::type_identity<P>) {
    if constexpr (!std::is_same_v<P, automatic>) r.all.push_back(run_dry(r.call, P()));
  });
  return r;
}

void print_json(planned_call const& c, planning const& p, dry_runs const* dry, std::ostream& out) {
  json_writer j(out);
  j.open('{')
      .member("call", c.kind == access_kind::read ? "read_all" : "write_all")
      .member("ranks", c.ranks);
  j.member("nodes", c.nodes).member("array", array_text(c.array)).member("bytes", p.all.bytes);
  j.member("pieces", p.all.pieces)
      .member("policy", p.chosen.policy)
      .member("together", p.chosen.together);
  j.member("reason", p.chosen.reason.str()).member("aggregators", p.chosen.domains.size());
  j.member("rounds", p.chosen.rounds()).member("window_bytes", p.chosen.window_bytes);
  j.key("policies").open('[');
  for (considered const& one : p.policies) {
    j.open('{').member("policy", one.policy).member("reason", one.reason);
    if (one.ns >= 0) j.member("alone_seconds", one.ns * 1e-9);
    j.member("aggregators", one.plan.domains.size()).member("rounds", one.plan.rounds()).close('}');
  }
  j.close(']').key("dry_runs").open('[');
  if (dry)
    for (dry_run const& d : dry->all)
      j.open('{')
          .member("policy", d.policy)
          .member("array", array_text(dry->call.array))
          .member("scaled", dry->is_scaled)
          .member("model_seconds", d.seconds)
          .member("file_calls", d.file_calls)
          .member("file_runs", d.file_runs)
          .member("messages", d.messages)
          .member("message_bytes", d.message_bytes)
          .close('}');
  j.close(']').close('}');
  out << "\n";
}

}  // namespace

layout planned_array::part_of(std::int64_t rank) const {
  distribute::rule const how{cyclic > 0 ? distribute::kind::cyclic : distribute::kind::block,
                             cyclic};
  std::vector<distribute::rule> const rules(sizes.size(), how);
  return darray(sizes, rules, grid, rank, argosy::bytes(element_bytes)).form();
}

std::int64_t planned_array::bytes() const {
  std::int64_t all = element_bytes;
  for (std::int64_t n : sizes)
    if (__builtin_mul_overflow(all, n, &all)) return std::numeric_limits<std::int64_t>::max();
  return all;
}

int run_plan(arguments const& given, std::ostream& out, std::ostream& err) {
  planned_call c;
  try {
    c = call_of(given);
  } catch (invalid_layout const& e) {
    throw usage_error(e.what());
  }
  bool const wanted = !given.has("--no-dry-run");
  // plans for the storage that the dry run uses
  if (wanted && has_virtual_cluster()) c.on = dry_storage(c);
  planning const p = plan_of(c);
  if (given.has("--svg")) {
    layout const of_rank_0 = c.array.part_of(0);
    write_file(given.value("--svg"), p.chosen.together ? draw(p.chosen, {.ranks = p.parts})
                                                       : draw(p.alone, {.ranks = {&of_rank_0, 1}}));
  }
  std::unique_ptr<dry_runs> dry;
  if (wanted && has_virtual_cluster()) dry = std::make_unique<dry_runs>(run_all(c));
  if (given.json()) {
    if (wanted && !dry)
      err << "argosy: no dry run: this argosy was built without the virtual cluster\n";
    print_json(c, p, dry.get(), out);
    return success;
  }
  out << (c.kind == access_kind::read ? "read_all" : "write_all") << " of an array of "
      << array_text(c.array) << " (" << detail::bytes_text(c.array.bytes()) << ") by "
      << detail::counted(c.ranks, "rank") << " on " << detail::counted(c.nodes, "node") << ", grid "
      << fmt::format("{}", fmt::join(c.array.grid, "x")) << "\n\n"
      << to_string(p.chosen);
  if (!p.chosen.together && !p.alone.windows.empty()) out << "\nof rank 0:\n" << to_string(p.alone);
  out << "\npolicy          by itself about  aggregators  rounds  why\n";
  for (considered const& one : p.policies)
    out << fmt::format("{:<14} {:>16} {:>12} {:>7}  {}\n", one.policy,
                       one.ns < 0 ? "-" : detail::seconds_text(one.ns * 1e-9),
                       one.plan.together ? std::to_string(one.plan.domains.size()) : "-",
                       one.plan.together ? std::to_string(one.plan.rounds()) : "-", one.reason);
  if (wanted && !dry)
    out << "\nno dry run: this argosy was built without the virtual cluster "
           "(ARGOSY_BUILD_LAB=OFF)\n";
  if (!dry) return success;
  out << "\ndry run on the virtual cluster"
      << (dry->is_scaled ? ", scaled to an array of " + array_text(dry->call.array) + ", as " +
                               array_text(c.array) + " takes too much memory"
                         : "")
      << ":\n  seconds are those of a simple model of network and disk: good to compare, no "
         "prediction;\n"
         "  a file call may list several runs, which a file system of POSIX takes one by one\n"
      << "policy                 model time  file calls        runs    messages  message bytes\n";
  for (dry_run const& d : dry->all)
    out << fmt::format("{:<20} {:>12} {:>11} {:>11} {:>11} {:>14}\n", d.policy,
                       detail::seconds_text(d.seconds), d.file_calls, d.file_runs, d.messages,
                       d.message_bytes);
  return success;
}

}  // namespace argosy::tool

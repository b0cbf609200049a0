// SPDX-License-Identifier: BSD-3-Clause
#include "features.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <argosy/file/hint_info.hpp>
#include <argosy/handle/file_call.hpp>

#include "program.hpp"
#include "static_types.hpp"

namespace argosy::explore {

using namespace extend;

std::string_view name_of(feature f) noexcept {
  constexpr std::array<std::string_view, feature_count> names{
      "call", "policy", "asked", "shape", "item",   "representation", "mode",
      "hint", "handle", "fault", "error", "memory", "world",          "event"};
  return names[static_cast<std::size_t>(f)];
}

namespace {

constexpr std::string_view event_names[] = {
    "ranks read and write at once",
    "ranks have policies of their own",
    "opened unique, some ranks ship and others do not",
    "ranks ship reads and writes at once",
    "shipped by a rank alone",
    "shipped together",
    "merged windows",
    "holes are skipped as hints say",
    "locks",
    "messages between nodes",
    "messages put together on a node",
    "several rounds",
    "static data by hints",
    "static data of a collective call",
    "static data of a nonblocking call",
    "static data that is converted",
    "atomic",
    "two files open",
    "a file open twice",
    "requests pending at close",
    "a request dropped",
    "a collective request pending",
    "a split call pending",
    "several requests pending",
    "fewer bytes than asked for",
    "written where copies of the filetype interleave",
    "read where copies of the filetype interleave",
    "error on another rank",
    "rank failed",
    "arguments refused",
    "a value does not fit",
    "an item of the file does not fit",
    "an item throws",
    "a handle throws",
    "a policy throws",
    "a policy of all ranks throws",
    "seek from current",
    "seek from end",
    "seek_shared from current",
    "seek_shared from end",
    "hints with a view",
    "a view of a sequential file",
    "a view at a pointer that ranks still move",
    "equal values of several ranks",
};

}  // namespace

std::vector<std::string> names_of(feature f, bool gpfs) {
  std::vector<std::string> all;
  switch (f) {
    case feature::call:
      for (op_kind const& k : op_kinds) all.emplace_back(k.name);
      break;
    case feature::policy:
      for (argosy::detail::policy_facts const& p : argosy::detail::policy_table)
        if (p.name != argosy::automatic::name)
          all.emplace_back(p.name);  // reports name the policy that it chose
      break;
    case feature::asked:
      return {policy_kind_names.begin(), policy_kind_names.end()};
    case feature::shape:
      return {"plain", "dealt", "woven", "common", "ghosts"};
    case feature::item:
      for (basic_type const b : items) all.emplace_back(name_of(b));
      break;
    case feature::representation:
      return {"native", "internal", "external32", "shrinking", "picky"};
    case feature::mode:
      return {"read",   "write",           "read_write",  "create",    "exclusive",
              "append", "delete_on_close", "unique_open", "sequential"};
    case feature::hint:
      for (hint_info const& h : known_hints()) all.emplace_back(h.name);
      all.emplace_back("unknown");
      break;
    case feature::handle:
      return {"plain", "counting", "tracing", "throttled", "several"};
    case feature::fault:
      for (std::size_t i = 0; i < argosy::detail::file_call_count; ++i)
        if (auto const c = static_cast<file_call>(i); c != file_call::fcntl || gpfs)
          all.emplace_back(to_string(c));
      break;
    case feature::error:
      all = {"EIO",    "ENOSPC", "EDQUOT", "EFBIG",  "ESTALE", "ENOLCK", "EACCES", "EROFS",
             "ENOENT", "EEXIST", "EISDIR", "EMFILE", "EINVAL", "EAGAIN", "EPERM",  "EBADF"};
      if (gpfs) all.emplace_back("EREMOTEIO");
      break;
    case feature::memory:
      for (static_type const& t : static_types()) all.push_back(t.name);
      break;
    case feature::world:
      all = {"EINTR",     "short", "torn",          "late call", "death",
             "slow rank", "pause", "late messages", "one node",  "several nodes"};
      if (gpfs)
        all.insert(all.end(), {"refused write", "refused read", "slow server", "late tokens"});
      else
        all.insert(all.end(), {"no locks", "small disk", "crashes"});
      break;
    case feature::event:
      all.assign(std::begin(event_names), std::end(event_names));
      if (gpfs) all.emplace_back("hinted ranges");
      break;
  }
  return all;
}

std::span<std::pair<feature, feature> const> feature_pairs() noexcept {
  static constexpr std::pair<feature, feature> all[] = {{feature::call, feature::policy},
                                                        {feature::call, feature::shape},
                                                        {feature::call, feature::representation},
                                                        {feature::call, feature::mode},
                                                        {feature::call, feature::fault},
                                                        {feature::policy, feature::shape},
                                                        {feature::policy, feature::representation},
                                                        {feature::policy, feature::mode},
                                                        {feature::policy, feature::fault},
                                                        {feature::shape, feature::representation},
                                                        {feature::fault, feature::error}};
  return all;
}

namespace {

std::string full_name(feature f, std::string_view name) {
  return fmt::format("{} {}", name_of(f), name);
}

// Returns true for a pair that cannot happen.
bool is_nonsense(std::pair<feature, feature> const& p, std::string const& a, std::string const& b) {
  auto const kind = [&](std::string const& name) {
    return *std::find_if(op_kinds.begin(), op_kinds.end(),
                         [&](op_kind const& k) { return name == k.name; });
  };
  if (p.first == feature::call && p.second != feature::mode && p.second != feature::fault) {
    op_kind const k = kind(a);
    if (k.at == pointer::none) return true;
    if (p.second == feature::shape && k.at == pointer::shared) return b != "plain" && b != "common";
    if (p.second == feature::representation && a.ends_with("_views_all")) return b != "native";
    // If agents serve, the oracle cannot find out which bytes a call at the shared pointer has
    // touched.
    if (p.second == feature::policy && !k.collective)
      return b == "two_phase" || (k.at == pointer::shared && b == "data_shipping");
  }
  if (p == std::pair{feature::call, feature::mode} && b == "sequential") {
    op_kind const k = kind(a);
    return k.at == pointer::offset || k.at == pointer::individual;
  }
  return false;
}

}  // namespace

void features::add(feature f, std::string_view name, std::int64_t n) {
  auto& all = single_[static_cast<std::size_t>(f)];
  auto const at = all.find(name);
  if (at != all.end())
    at->second += n;
  else
    all.emplace(name, n);
}

void features::add(feature f, std::string_view name, feature g, std::string_view other) {
  ++pairs_[{full_name(f, name), full_name(g, other)}];
}

void features::add(features const& more) {
  for (std::size_t i = 0; i < feature_count; ++i)
    for (auto const& [name, n] : more.single_[i]) add(static_cast<feature>(i), name, n);
  for (auto const& [names, n] : more.pairs_) pairs_[names] += n;
}

std::int64_t features::of(feature f, std::string_view name) const {
  auto const& all = of(f);
  auto const at = all.find(name);
  return at == all.end() ? 0 : at->second;
}

std::vector<std::string> features::zeros(bool gpfs) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < feature_count; ++i) {
    auto const f = static_cast<feature>(i);
    for (std::string const& name : names_of(f, gpfs))
      if (of(f, name) == 0) all.push_back(full_name(f, name));
  }
  return all;
}

std::string features::table(bool gpfs) const {
  std::string text;
  for (std::size_t i = 0; i < feature_count; ++i) {
    auto const f = static_cast<feature>(i);
    std::string line = fmt::format("{:<15}", name_of(f));
    std::size_t start = 0;
    for (std::string const& name : names_of(f, gpfs)) {
      std::string const one =
          fmt::format(" {} {}{}", name, of(f, name), f == feature::event ? ";" : "");
      if (line.size() - start + one.size() > 128) {
        start = line.size() + 1;
        line += "\n" + std::string(15, ' ');
      }
      line += one;
    }
    text += line + "\n";
  }
  for (auto const& p : feature_pairs()) {
    std::int64_t seen = 0, all = 0;
    std::string missing;
    for (std::string const& a : names_of(p.first, gpfs))
      for (std::string const& b : names_of(p.second, gpfs)) {
        if (is_nonsense(p, a, b)) continue;
        ++all;
        bool const is_there = pairs_.contains({full_name(p.first, a), full_name(p.second, b)});
        seen += is_there ? 1 : 0;
        if (!is_there) missing += fmt::format(" {}+{}", a, b);
      }
    if (missing.size() > 900) missing = missing.substr(0, 900) + " ...";
    text += fmt::format("{} and {}: {} of {}{}{}\n", name_of(p.first), name_of(p.second), seen, all,
                        missing.empty() ? "" : ", not", missing);
  }
  std::vector<std::string> const never = zeros(gpfs);
  text += never.empty() ? "no zeros\n" : "zeros:\n";
  for (std::string const& name : never) text += "  " + name + "\n";
  return text;
}

void count_world(program const& p, features& all) {
  auto const add = [&](bool is, char const* name) {
    if (is) all.add(feature::world, name);
  };
  for (lab::rank_fault const& f : p.world.faults) {
    bool const interrupts = f.what.error == std::errc::interrupted,
               cuts = f.what.most_bytes != fault::all_bytes;
    add(interrupts, "EINTR");
    add(!interrupts && f.what.error && cuts, "torn");
    add(!f.what.error && f.what.delay.count() > 0, "late call");
    add(!f.what.error && cuts, "short");
  }
  add(!p.world.deaths.empty(), "death");
  add(p.world.disk.capacity_bytes != lab::virtual_disk::endless, "small disk");
  add(!p.world.disk.has_locks, "no locks");
  add(!p.world.slow.empty(), "slow rank");
  add(!p.world.pauses.empty(), "pause");
  add(p.world.network.jitter_ns > 0, "late messages");
  add(p.world.ranks_per_node >= p.world.ranks, "one node");
  add(p.world.ranks_per_node < p.world.ranks, "several nodes");
  if (!p.gpfs) return add(p.crash_every > 0, "crashes");
  for (lab::gpfs::server_fault const& f : p.gpfs->troubles.faults) {
    add(f.of_writes, "refused write");
    add(!f.of_writes, "refused read");
  }
  add(!p.gpfs->troubles.slow.empty(), "slow server");
  add(p.gpfs->troubles.delay_max.count() > 0, "late tokens");
}

}  // namespace argosy::explore

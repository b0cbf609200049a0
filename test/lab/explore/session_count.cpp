// Counts the features of a run, for the table of features.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <argosy/file/hint_info.hpp>
#include <argosy/handle/tracer.hpp>

#include "mode_names.hpp"
#include "session.hpp"
#include "static_types.hpp"

namespace argosy::explore {

using namespace extend;
namespace {

// The features that come together in one step.
class combination {
 public:
  void add(feature f, std::string name) {
    all_[static_cast<std::size_t>(f)].insert(std::move(name));
  }
  void count(features& to) const {
    for (std::size_t i = 0; i < feature_count; ++i)
      for (std::string const& name : all_[i]) to.add(static_cast<feature>(i), name);
    for (auto const& [f, g] : feature_pairs())
      for (std::string const& a : all_[static_cast<std::size_t>(f)])
        for (std::string const& b : all_[static_cast<std::size_t>(g)]) to.add(f, a, g, b);
  }

 private:
  std::array<std::set<std::string>, feature_count> all_;
};

}  // namespace

void session::count(std::size_t k, std::vector<record> const& all) {
  step const& s = steps_[k];
  combination now;
  auto const event = [&](bool is, char const* what) {
    if (is) now.add(feature::event, what);
  };
  bool const opens = s.what == op::open && some_done(all, true);
  if (opens || is_open)
    for (std::string& name : names_of(opens ? s.modes : modes))
      now.add(feature::mode, std::move(name));
  if (opens || s.what == op::set_hints || s.what == op::set_view)
    for (auto const& [name, value] : s.hints)
      now.add(feature::hint,
              argosy::detail::find_hint(name) != nullptr ? name : std::string("unknown"));
  event(s.what == op::set_view && !s.hints.empty(), "hints with a view");
  event(s.what == op::set_view && is_open && has(modes, mode::sequential) && some_done(all, true),
        "a view of a sequential file");
  event(s.what == op::set_view && k > 0 && steps_[k - 1].loose &&
            at_shared_pointer(steps_[k - 1].what),
        "a view at a pointer that ranks still move");
  if (opens) {
    constexpr char const* names[] = {"counting", "tracing", "throttled"};
    for (decorator const d : s.around) now.add(feature::handle, names[static_cast<int>(d)]);
    if (s.around.empty()) now.add(feature::handle, "plain");
    if (s.around.size() > 1) now.add(feature::handle, "several");
    event(other_.is_open, "two files open");
    event(other_.is_open && other_.file == s.file, "a file open twice");
  }
  if (moves_data(s.what)) {
    now.add(feature::shape, name_of(view.shape));
    now.add(feature::item, std::string(argosy::name_of(view.item)));
    now.add(feature::representation, name_of(view.representation));
    event(atomic, "atomic");
  }
  event(s.what == op::seek && s.whence == seek_from::current, "seek from current");
  event(s.what == op::seek && s.whence == seek_from::end, "seek from end");
  event(s.what == op::seek_shared && s.whence == seek_from::current, "seek_shared from current");
  event(s.what == op::seek_shared && s.whence == seek_from::end, "seek_shared from end");
  event(s.what == op::close && s.later, "requests pending at close");
  bool reads = false, writes = false, ships = false, alone = false, shipped_reads = false,
       shipped_writes = false;
  std::set<std::string> policies;
  std::set<std::int64_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    record const& r = all[i];
    if (r.now == record::state::idle) continue;
    auto const rank = static_cast<int>(i);
    now.add(feature::call, name_of(what_of(s, rank)));
    if (moves_data(s.what)) now.add(feature::asked, std::string(name_of(policy_of(s, rank).kind)));
    for (witnessed const& w : r.seen)
      if (!w.thrown) {
        now.add(feature::fault, std::string(to_string(w.call)));
        if (argosy::detail::is_errno(w.error)) now.add(feature::error, error_name(w.error));
      }
    if (r.now == record::state::pending) {
      event(is_collective(s.what) && !is_split(s.what), "a collective request pending");
      event(is_split(s.what), "a split call pending");
    }
    event(r.code == errc::error_on_another_rank, "error on another rank");
    event(r.code == errc::rank_failed, "rank failed");
    event(r.expected != errc{}, "arguments refused");
    if (r.now != record::state::done || !moves_data(s.what)) continue;
    if (r.memory.type != nullptr) {
      now.add(feature::memory, r.memory.type->name);
      event(is_local(s.what) && policy_of(s, rank).kind == policy_kind::of_hints,
            "static data by hints");
      event(is_collective(s.what), "static data of a collective call");
      event(is_request(s.what), "static data of a nonblocking call");
      event(converts(r.representation), "static data that is converted");
    }
    bool const shipped = r.told.policy == "data_shipping" && r.bytes > 0;
    if (!r.told.policy.empty()) now.add(feature::policy, r.told.policy);
    if (r.bytes > 0) {
      (r.writes ? writes : reads) = true;
      policies.insert(r.told.policy);
      (shipped ? ships : alone) = true;
      if (shipped) (r.writes ? shipped_writes : shipped_reads) = true;
    }
    event(shipped && !is_collective(s.what), "shipped by a rank alone");
    event(shipped && is_collective(s.what), "shipped together");
    event(r.told.merged_bytes > 0, "merged windows");
    event(r.told.hinted_ranges > 0, "hinted ranges");
    event(r.told.locks > 0, "locks");
    event(r.told.messages > 0, "messages between nodes");
    event(r.told.messages > 0 && r.told.policy == "two_phase" &&
              policy_of(s, static_cast<int>(i)).layers == 2,
          "messages put together on a node");
    event(r.told.rounds > 1, "several rounds");
    event(!r.code && !r.writes && r.told.bytes < r.bytes, "fewer bytes than asked for");
    event(
        shipped && std::count(hints.begin(), hints.end(),
                              std::pair<std::string, std::string>("IBM_sparse_access", "true")) > 0,
        "holes are skipped as hints say");
    event(r.bad == trouble::misfit && r.code == errc::conversion, "a value does not fit");
    event(!r.writes && r.code == errc::conversion && !r.threw, "an item of the file does not fit");
    event(r.threw && r.bad == trouble::item_throws, "an item throws");
    event(r.threw && s.trouble == trouble::handle_throws, "a handle throws");
    event(r.threw && s.trouble == trouble::policy_throws, "a policy throws");
    event(r.threw && s.trouble == trouble::policy_throws && is_collective(s.what) &&
              s.policy.kind > policy_kind::sieving,
          "a policy of all ranks throws");
    event(!r.code && r.bytes > 0 && tiles[i].interleaves(),
          r.writes ? "written where copies of the filetype interleave"
                   : "read where copies of the filetype interleave");
    if (view.shape == shape::ghosts && r.writes && !r.code && is_collective(s.what))
      for (piece const& p : r.file)
        event(!places.insert(p.offset).second, "equal values of several ranks");
  }
  event(reads && writes, "ranks read and write at once");
  event(!is_collective(s.what) && policies.size() > 1, "ranks have policies of their own");
  event(ships && alone && writes && has(modes, mode::unique_open),
        "opened unique, some ranks ship and others do not");
  event(shipped_reads && shipped_writes, "ranks ship reads and writes at once");
  now.count(features);
}

// Counts requests that ended in a `wait`.
void session::count(std::vector<std::unique_ptr<record>> const& ended) {
  combination now;
  if (ended.size() > 1) now.add(feature::event, "several requests pending");
  for (auto const& e : ended) {
    if (e->now == record::state::dropped) now.add(feature::event, "a request dropped");
    if (e->now == record::state::done && !e->told.policy.empty()) {
      now.add(feature::policy, e->told.policy);
      features.add(feature::call, name_of(e->what), feature::policy, e->told.policy);
    }
  }
  now.count(features);
}

}  // namespace argosy::explore

// Implements the reports of scheduler.hpp: what tasks wait for, and which troubles of the scenario
// did not happen.
// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "group.hpp"

namespace argosy::lab::detail {

char const* name_of(call_kind k) noexcept {
  constexpr char const* names[] = {"barrier",
                                   "all_reduce",
                                   "all_gather",
                                   "broadcast",
                                   "exclusive_sum",
                                   "duplicate",
                                   "split",
                                   "node",
                                   "share",
                                   "send",
                                   "receive",
                                   "wait_all",
                                   "compute",
                                   "pause",
                                   "wait for a nonblocking call",
                                   "file access",
                                   "change of shared memory",
                                   "wake",
                                   "deliver",
                                   "answer of a service"};
  return names[static_cast<std::size_t>(k)];
}

bool is_inside(place const& where) {
  std::string_view const file = where.file_name();
  for (char const* const room : {"agree", "exchange", "file", "lab", "world"})
    if (file.find(fmt::format("argosy/{}/", room)) != file.npos) return true;
  return false;
}

std::string text_of(place const& where) {
  std::string_view file = where.file_name();
  if (file.empty() || is_inside(where)) return {};
  if (auto const slash = file.rfind('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  return fmt::format("{}:{}", file, where.line());
}

std::string scheduler::words_of(task const& t) const {
  waiting const& w = t.why;
  std::string const at = text_of(w.where);
  auto const located = [&](std::string const& words) {
    return at.empty() ? words : words + ", at " + at;
  };
  if (w.words) return *w.words;
  if (w.kind == call_kind::background) return located("the end of a nonblocking call");
  if (w.kind == call_kind::memory)
    return located(fmt::format("shared memory of communicator {} to change", w.group));
  if (w.kind == call_kind::send || w.kind == call_kind::receive || w.kind == call_kind::wait_all) {
    std::string all;
    std::size_t count = 0;
    for (virtual_rank::request const& r : w.requests) {
      if (!r.operation_ || r.operation_->done) continue;
      operation const& o = *r.operation_;
      if (++count > 4) continue;
      bool const gone = ranks_[static_cast<std::size_t>(o.peer)].program->finished;
      all += fmt::format("{}{} rank {}{}, tag {}, communicator {}{}", all.empty() ? "" : "; ",
                         o.is_receive ? "receive from" : "send to", o.peer_in_group,
                         gone ? " (which has left its program)" : "", o.tag, o.group,
                         text_of(o.where).empty() ? "" : ", at " + text_of(o.where));
    }
    if (count > 4) all += fmt::format("; and {} more", count - 4);
    return all;
  }
  std::string words = fmt::format("{} of communicator {}", name_of(w.kind), w.group);
  if (auto const g = groups_.find(w.group); g != groups_.end()) {
    int missing = 0;
    std::string who;
    for (int i = 0; i < g->second->size(); ++i) {
      rank_state const& other =
          ranks_[static_cast<std::size_t>(g->second->members[static_cast<std::size_t>(i)])];
      task const& o = *other.program;
      bool const there = o.blocked && o.why.kind == w.kind && o.why.group == w.group;
      if (there) continue;
      if (++missing <= 4)
        who += fmt::format("{}{}{}", who.empty() ? "" : ", ", i,
                           o.finished ? " (which has left its program)" : "");
    }
    if (missing > 0)
      words += fmt::format(", for rank{} {}{}", missing > 1 ? "s" : "", who,
                           missing > 4 ? fmt::format(" and {} more", missing - 4) : "");
  }
  return located(words);
}

// Returns true if the task waits inside of a file call. The note alone does not prove that, because
// it is not removed when the call ends.
bool scheduler::in_file_call(waiting const& w) const {
  if (w.kind == call_kind::background || is_inside(w.where)) return true;
  return std::any_of(w.requests.begin(), w.requests.end(), [](virtual_rank::request const& r) {
    return r.operation_ && !r.operation_->done && is_inside(r.operation_->where);
  });
}

std::vector<std::string> scheduler::did_not_happen() const {
  std::vector<std::string> all;
  // by rank: a rank's script has the faults in the order of the scenario
  std::map<int, std::size_t> next;
  for (rank_fault const& x : scenario_.faults) {
    bool happened = false;
    for (rank_state const& r : ranks_)
      if (x.rank == -1 || x.rank == r.number)
        happened = r.faults->struck(next[r.number]++) > 0 || happened;
    if (!happened) all.push_back(to_string(x));
  }
  for (rank_state const& r : ranks_)
    for (paused_rank const& x : r.pauses) all.push_back(to_string(x));
  for (dying_rank const& x : scenario_.deaths) {
    rank_state const& r = ranks_[static_cast<std::size_t>(x.rank)];
    if (r.operations < x.operation || r.dies_at != x.operation) all.push_back(to_string(x));
  }
  if (scenario_.disk != virtual_disk() && !disk_opened) {
    std::string const text = to_string(lab::scenario{.ranks = 1, .disk = scenario_.disk});
    all.push_back(text.substr(text.find(' ') + 1));
  }
  return all;
}

std::vector<blocked_rank> scheduler::blocked() const {
  std::vector<blocked_rank> all;
  for (auto const& t : tasks_) {
    if (t->finished || !t->blocked) continue;
    rank_state const& r = *t->rank;
    std::string last =
        r.last_number == 0
            ? "it has passed no collective call"
            : fmt::format(
                  "the last collective call that it passed is {}, number {} of communicator {}",
                  name_of(r.last_kind), r.last_number, r.last_group);
    if (!r.last_note.empty())
      last += (in_file_call(t->why) ? "; in " : "; its last collective call of a file is ") +
              r.last_note;
    all.push_back(
        {r.number, t->is_service, seconds_of(t->why.since), words_of(*t), std::move(last)});
  }
  std::sort(all.begin(), all.end(), [](blocked_rank const& a, blocked_rank const& b) {
    return std::tie(a.rank, a.in_background, a.since, a.waits_for) <
           std::tie(b.rank, b.in_background, b.since, b.waits_for);
  });
  return all;
}

}  // namespace argosy::lab::detail

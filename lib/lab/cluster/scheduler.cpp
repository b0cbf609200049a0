// Implements scheduler.hpp and virtual_cluster::run: the event queue, clocks, deaths, and the end
// of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "group.hpp"

namespace argosy::lab::detail {
namespace {

thread_local scheduler* running_scheduler = nullptr;
thread_local std::uint64_t runs_begun = 0;

}  // namespace

scheduler* scheduler::running() noexcept { return running_scheduler; }

scheduler& scheduler::here() {
  if (!running_scheduler)
    throw std::logic_error("argosy::lab::virtual_rank: used outside of virtual_cluster::run");
  return *running_scheduler;
}

scheduler::scheduler(lab::scenario const& s, virtual_options const& o)
    : scenario_(s), options_(o), stacks_(o.stack_bytes), run_number_(++runs_begun) {
  if (s.ranks < 1 || s.ranks_per_node < 1)
    throw std::invalid_argument(
        "argosy::lab::virtual_cluster: ranks and ranks_per_node must be positive");
  constexpr std::int64_t most_processors = 65'536;  // limited, because each needs memory
  if (s.network.node_processors < 0 || s.network.node_processors > most_processors)
    throw std::invalid_argument(fmt::format(
        "argosy::lab::virtual_cluster: network.node_processors is {}; from 0 to {} can be had",
        s.network.node_processors, most_processors));
  auto const check = [&](int rank, char const* what) {
    if (rank < 0 || rank >= s.ranks)
      throw std::invalid_argument(
          fmt::format("argosy::lab::virtual_cluster: {} of rank {}, but there are {} ranks", what,
                      rank, s.ranks));
  };
  ranks_.resize(static_cast<std::size_t>(s.ranks));
  auto const nodes = 1 + static_cast<std::size_t>((s.ranks - 1) / s.ranks_per_node);
  adapter_out_.resize(nodes);
  adapter_in_.resize(nodes);
  if (s.network.node_processors > 0)
    processors_.assign(nodes, node_processors(s.network.node_processors));
  for (int i = 0; i < s.ranks; ++i) {
    rank(i).number = i;
    rank(i).node = i / s.ranks_per_node;
  }
  for (slow_rank const& x : s.slow) {
    check(x.rank, "slow");
    rank(x.rank).factor *= x.factor;
  }
  for (paused_rank const& x : s.pauses) {
    check(x.rank, "pause");
    rank(x.rank).pauses.push_back(x);
  }
  for (dying_rank const& x : s.deaths) {
    check(x.rank, "death");
    auto& at = rank(x.rank).dies_at;
    at = at == 0 ? x.operation : std::min(at, x.operation);
  }
  for (rank_state& r : ranks_)
    std::sort(r.pauses.begin(), r.pauses.end(), [](paused_rank const& a, paused_rank const& b) {
      return std::tie(a.at_us, a.for_us) < std::tie(b.at_us, b.for_us);
    });
  for (rank_fault const& x : s.faults) {
    if (x.rank != -1) check(x.rank, "fault");
    for (rank_state& r : ranks_) {
      if (x.rank != -1 && x.rank != r.number) continue;
      if (!r.faults) {
        r.faults = std::make_shared<fault_script>();
        r.faults->sleep_by([this](std::chrono::nanoseconds d) { charge(ps_of_ns(d.count())); });
      }
      r.faults->add(x.what);
    }
  }
}

scheduler::~scheduler() {
  for (auto const& tell : when_ended) tell();
}

// --- The queue ---

// Events of one time happen in an order given by the seed.
void scheduler::push(picoseconds at, subject what) { queue_.push(at, key_of(++keys_), what); }

void scheduler::post(picoseconds at, std::function<void()> what) {
  std::size_t slot = calls_.size();
  if (free_calls_.empty()) {
    calls_.push_back(std::move(what));
  } else {
    slot = free_calls_.back();
    free_calls_.pop_back();
    calls_[slot] = std::move(what);
  }
  // All posted calls of one time have one key, so that they stay in the order of posting.
  queue_.push(at, key_of(static_cast<std::uint64_t>(at)), {.slot = slot, .is_call = true});
}

void scheduler::synchronize() {
  task& t = *current_;
  if (!queue_.empty() && queue_.front().time <= t.time) {
    push(t.time, {.who = &t});
    if (queue_.front().what.who != &t) {
      t.context->suspend();
      if (t.cancelled) throw run_ended{};
    } else {
      queue_.pop();
    }
  }
  now_ = std::max(now_, t.time);
}

void scheduler::block(waiting why) {
  task& t = *current_;
  why.since = t.time;
  t.why = why;
  t.blocked = true;
  t.context->suspend();
  t.blocked = false;
  if (t.cancelled) throw run_ended{};
}

void scheduler::wake(task& t, picoseconds at) {
  if (!t.blocked) return;
  t.blocked = false;
  push(std::max(at, t.time), {.who = &t});
}

void scheduler::resume(task& t) {
  current_ = &t;
  auto* const before = std::exchange(argosy::detail::phases_heard_by, t.heard);
  bool const merges = std::exchange(argosy::detail::is_reading_to_merge, t.reads_to_merge);
  t.context->resume();
  t.reads_to_merge = std::exchange(argosy::detail::is_reading_to_merge, merges);
  t.heard = std::exchange(argosy::detail::phases_heard_by, before);
  current_ = nullptr;
}

task& scheduler::make_task(rank_state& r, bool is_service, std::function<void()> body) {
  task& t = *tasks_.emplace_back(std::make_unique<task>());
  t.number = static_cast<int>(tasks_.size()) - 1;
  t.rank = &r;
  t.heard = options_.timeline ? this : nullptr;
  t.is_service = is_service;
  t.context.emplace(stacks_, [this, &t, work = std::move(body)] {
    try {
      if (!t.cancelled) work();
    } catch (run_ended const&) {
    } catch (rank_failure const&) {
      if (!ending_ && !t.rank->dead) {
        t.rank->dead = true;
        t.rank->death = t.time;
        lost(*t.rank);
      }
    } catch (...) {
      if (!ending_) {
        thrown_ = std::current_exception();
        ending_ = true;
      }
    }
    t.finished = true;
    hash(3, static_cast<std::uint64_t>(t.number), static_cast<std::uint64_t>(t.time));
    if (t.is_service) {
      std::erase(t.rank->services, &t);
      if (t.rank->dead && t.rank->services.empty()) wake(*t.rank->program, t.time);
    }
    report.seconds = std::max(report.seconds, seconds_of(t.time));
  });
  return t;
}

void scheduler::start_service(std::function<void()> work) {
  task& t = make_task(me(), true, std::move(work));
  t.time = current_->time;
  me().services.push_back(&t);
  push(t.time, {.who = &t});
}

virtual_report scheduler::run(std::function<void(virtual_rank const&)> const& program) {
  if (running_scheduler)
    throw std::logic_error("argosy::lab::virtual_cluster: a run inside of a run");
  struct in_run {
    explicit in_run(scheduler* s) { running_scheduler = s; }
    ~in_run() { running_scheduler = nullptr; }
  } const guard(this);
  hash(static_cast<std::uint64_t>(scenario_.ranks), scenario_.seed);
  report.ranks_per_node = scenario_.ranks_per_node;
  std::vector<int> all(ranks_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  auto world = std::make_shared<group>(*this, std::move(all));
  for (rank_state& r : ranks_) {
    virtual_rank const handed(world, r.number);
    r.program = &make_task(r, false, [&program, handed] { program(handed); });
    push(0, {.who = r.program});
  }
  world.reset();
  loop();
  report.trace_hash = hash_;
  bool const deadlock = !ending_ && std::any_of(tasks_.begin(), tasks_.end(),
                                                [](auto const& t) { return !t->finished; });
  report.did_not_happen = did_not_happen();
  if (deadlock || failed_) report.blocked = blocked();
  if (deadlock) {
    failed_ = virtual_run_error::reason::deadlock;
    failed_words_ = fmt::format(
        "argosy::lab::virtual_cluster: deadlock after {:.9f} s: {} of {} ranks wait, and no rank "
        "can continue",
        seconds_of(now_), report.blocked.size(), scenario_.ranks);
  }
  unwind();
  if (thrown_) std::rethrow_exception(thrown_);
  if (failed_) {
    constexpr std::size_t most = 64;
    std::vector<std::string> const lines = lines_of(report.blocked);
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
      failed_words_ += "\n  " + lines[i];
    if (lines.size() > most)
      failed_words_ += fmt::format("\n  and {} lines more", lines.size() - most);
    throw virtual_run_error(*failed_, failed_words_, std::move(report));
  }
  return std::move(report);
}

void scheduler::loop() {
  while (!queue_.empty() && !ending_) {
    auto const [time, key, number, what] = queue_.pop();
    now_ = std::max(now_, time);
    ++report.events;
    if (options_.most_events > 0 && report.events > options_.most_events) {
      failed_ = virtual_run_error::reason::too_many_events;
      failed_words_ =
          fmt::format("argosy::lab::virtual_cluster: more than {} events", options_.most_events);
      ending_ = true;
      return;
    }
    if (what.who) {
      if (what.who->finished) continue;
      hash(1, static_cast<std::uint64_t>(what.who->number), static_cast<std::uint64_t>(time));
      what.who->time = std::max(what.who->time, time);
      resume(*what.who);
    } else if (what.is_call) {
      hash(6, static_cast<std::uint64_t>(time));
      auto const call = std::exchange(calls_[what.slot], nullptr);
      free_calls_.push_back(what.slot);
      call();
    } else {
      message m = std::move(in_flight_[what.slot]);
      free_in_flight_.push_back(what.slot);
      hash(2, static_cast<std::uint64_t>(m.from) << 32 | static_cast<std::uint64_t>(m.to),
           static_cast<std::uint64_t>(time));
      try {
        deliver(std::move(m));
      } catch (run_ended const&) {
      }
    }
  }
}

// Services first, because they use memory of their ranks.
void scheduler::unwind() {
  ending_ = true;
  for (bool const services : {true, false}) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      task& t = *tasks_[i];
      if (t.is_service != services) continue;
      t.cancelled = true;
      // If a handler swallows run_ended, the task continues to its next operation, which throws
      // again.
      for (int times = 0; !t.finished && times < 1'000'000; ++times) resume(t);
    }
  }
}

// --- Operations of tasks ---

bool scheduler::begin(call_kind kind) {
  task& t = *current_;
  if (t.cancelled) {
    if (std::uncaught_exceptions() > 0) return false;
    throw run_ended{};
  }
  rank_state& r = *t.rank;
  while (!r.pauses.empty() && t.time >= ps_of_ns(r.pauses.front().at_us * 1000)) {
    charge(ps_of_ns(r.pauses.front().for_us * 1000));
    r.pauses.erase(r.pauses.begin());
  }
  hash(4 + static_cast<std::uint64_t>(kind), static_cast<std::uint64_t>(t.number),
       static_cast<std::uint64_t>(t.time));
  if (!t.is_service && ++r.operations == r.dies_at) die();
  return true;
}

void scheduler::die() {
  task& t = *current_;
  rank_state& r = *t.rank;
  synchronize();
  r.dead = true;
  r.death = t.time;
  for (task* s : r.services) {
    s->cancelled = true;
    wake(*s, t.time);
  }
  while (!r.services.empty()) block({.kind = call_kind::background});
  lost(r);
  t.cancelled = true;
  throw run_ended{};
}

void scheduler::lost(rank_state& r) {
  report.dead.push_back(r.number);
  hash(5, static_cast<std::uint64_t>(r.number), static_cast<std::uint64_t>(r.death));
  for (auto const& [id, g] : groups_) g->member_died(r.number);
  tell_senders_and_receivers(r);
  for (auto const& tell : when_lost) tell(r);
  picoseconds const known = r.death + ps_of_ns(scenario_.network.detection_us * 1000);
  for (auto const& q : std::exchange(r.questions, {})) finish(*q, errc::rank_failed, known);
}

void scheduler::record(char const* kind, std::string_view name, picoseconds begin,
                       std::int64_t bytes, int peer) {
  if (options_.timeline)
    report.timeline.push_back(
        {current_->rank->number, kind, name, begin, current_->time, bytes, peer});
}

// Makes one span of a call of a decorated handle, which is also a call of the handle inside.
void scheduler::begin(argosy::detail::phase p, argosy::detail::phase_facts const& facts) noexcept {
  if (!current_) return;
  std::vector<open_phase>& open = current_->phases;
  if (!open.empty() && open.back().what == p)
    ++open.back().again;
  else
    open.push_back({p, facts, current_->time});
}

void scheduler::end(argosy::detail::phase) noexcept {
  if (!current_ || current_->phases.empty()) return;
  open_phase& last = current_->phases.back();
  if (last.again > 0) {
    --last.again;
    return;
  }
  argosy::detail::phase_facts const& f = last.facts;
  std::string_view const kind = argosy::detail::name_of(last.what);
  report.timeline.push_back({current_->rank->number, kind, f.name.empty() ? kind : f.name,
                             last.began, current_->time, f.bytes, -1, f.offset});
  current_->phases.pop_back();
}

void scheduler::fail(virtual_run_error::reason why, std::string words) {
  if (!ending_) {
    failed_ = why;
    failed_words_ = "argosy::lab::virtual_cluster: " + std::move(words);
    ending_ = true;
  }
  if (current_) current_->cancelled = true;
  throw run_ended{};
}

}  // namespace argosy::lab::detail

namespace argosy::lab {

virtual_report virtual_cluster::run(std::function<void(virtual_rank const&)> const& program) const {
  detail::scheduler s(scenario_, options_);
  return s.run(program);
}

}  // namespace argosy::lab

// The steps of a collective read or write: begin, plan, move, end. All reductions of the call are
// here, in their order, or in the exchange of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/agree/detail/phase.hpp>
#include <argosy/agree/detail/ranks_with.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/exchange/detail/call_times.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/file/detail/protocol/collective_call.hpp>
#include <argosy/file/detail/protocol/develop_checks.hpp>
#include <argosy/file/detail/protocol/shared_pointer.hpp>
#include <argosy/file/detail/ranks/together.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/detail/state/staging_pool.hpp>
#include <argosy/handle/detail/traced_phases.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/detail/domain_check.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// Moves the shared pointer by the etypes that all ranks ask for. Returns the place of this rank's
// data, behind the data of the ranks before it. The hidden file is read only if some rank has used
// it, and is not written: all ranks learn the new value here. `before`: etypes that the ranks
// before this one ask for, or -1. If a rank fails, returns nothing on all ranks; `f` may be set on
// another rank only.
template <agreeing World>
std::optional<std::int64_t> find_ordered_place(World const& world, shared_pointer& pointer,
                                               std::int64_t etypes, std::int64_t all,
                                               std::int64_t before, failure& f) {
  struct answer {
    std::int64_t at, failed;
  } told{};
  bool const uncounted = all == INT64_MAX;  // the sum was too large
  std::optional<shared_pointer::held> held;
  if (before >= 0) {
    told.at = pointer.add_together(uncounted ? 0 : all);
  } else {
    int const last = world.size() - 1;
    if (pointer.is_in_file()) held.emplace(pointer);
    bool const asks = held && ranks_where(world, held->file_was_used());
    if (world.rank() == last) {
      told.at = !held ? pointer.add(uncounted ? 0 : all, f) : asks ? held->get(f) : held->known();
      told.failed = f ? 1 : 0;
    }
    world.broadcast(std::as_writable_bytes(std::span(&told, 1)), last);
    if (told.failed != 0) return {};
  }
  if (uncounted || all > INT64_MAX - told.at) {
    f = {errc::argument, "the shared pointer is at " + std::to_string(told.at) +
                             "; what all ranks ask for would take it beyond 2^63 etypes"};
    return {};
  }
  if (held) held->set(told.at + all, world.rank());
  return told.at + (before >= 0 ? before : world.exclusive_sum(etypes));
}

// Returns the reason if each rank accesses the file separately wherever the data lies. The result
// is equal on all ranks. Collective if `group` is.
template <agreeing World>
std::optional<reason_text> too_small(World const& world, team<World>& ranks, open_file& file,
                                     any_policy const& together, access_kind kind,
                                     access_summary const& all) {
  auto const* const choosing = together.target<automatic>();
  if (!choosing || file.is_atomic()) return {};
  return choosing->too_small(kind, all, ranks.group(world, file));
}

// Asks the policy for a plan. Collective if the policy is one of the program. Such a policy may
// throw on some ranks only, break the rules, or give different plans for equal arguments. All ranks
// must know this before they rely on the plan.
template <agreeing World>
collective_plan ask_for_plan(World const& world, open_file const& file, collective_call const& c,
                             access_summary const& all, rank_group const& ranks,
                             access_histogram const* where, agreement& result) {
  job const& t = c.work();
  collective_plan plan;
  auto const ask = [&] {
    any_policy const& together = t.by.together;
    plan = where ? together.plan_together(t.kind, all, ranks, *where)
                 : together.plan_together(t.kind, all, ranks);
  };
  if (t.by.together.keeps_rules()) return ask(), plan;
  if (all.empty()) return {std::string(t.by.together.name()), "no rank asks for anything", t.kind};
  arguments given(c.name(), c.where);
  given.fail(failure_of(errc::argument, [&] {
    ask();
    domain_check const check(std::string(t.by.together.name()), plan);
    check.look(t.kind, all, ranks);
    check.covers(file.access_of(t));
  }));
  given.same_lines("plan", key_of_plan(plan), [&] { return lines_of_plan(plan); });
  result = agree_to_begin(world, given, false);
  return plan;
}

// Returns the plan of all ranks, equal on all of them, if `result` is a success. If the accesses
// are uneven, the policy is asked again with a histogram, to balance them. Collective.
template <agreeing World>
collective_plan plan_together(World const& world, team<World>& ranks, open_file& file,
                              collective_call const& c, access_summary const& all,
                              agreement& result) {
  job const& t = c.work();
  if (!t.by.together.has_value())
    return {std::string(t.by.policy.name()), "the policy is one of each rank by itself", t.kind};
  if (file.is_atomic())
    return {std::string(t.by.policy.name()), "atomic mode: each rank by itself, under a lock",
            t.kind};
  in_phase const now(phase::agreement);
  rank_group const& group = ranks.group(world, file);
  collective_plan plan = ask_for_plan(world, file, c, all, group, nullptr, result);
  if (result && plan.domains.size() > 1 && t.by.together.balances() && may_be_uneven(all)) {
    access_histogram where = histogram_of(file.access_of(t), all);
    world.all_reduce(where);
    plan = ask_for_plan(world, file, c, all, group, &where, result);
  }
  plan.reason += file.in_use().on_prices_of(t.by.together, plan.weighed);
  bool const shipped =
      t.by.together.keeps_rules() && !plan.domains.empty() && plan.domains[0].striped();
  if (shipped || t.by.together.target<data_shipping>())
    plan.reason += file.agents().parts().words();
  return plan;
}

// The parts of an open file that its collective calls need.
template <agreeing World>
struct ranks_of_file {
  World const& world;
  team<World>& ranks;
  open_file& file;
  shared_pointer& pointer;
};

// The staging memory of a call. A blocking call borrows the file's memory when it needs some.
class staging_of_call {
 public:
  explicit staging_of_call(staging& own) : own_(&own) {}
  explicit staging_of_call(staging_pool& pool) : pool_(&pool) {}
  staging& get() {
    if (own_) return *own_;
    if (!lease_) lease_.emplace(*pool_);
    return lease_->get();
  }

 private:
  staging* own_ = nullptr;
  staging_pool* pool_ = nullptr;
  std::optional<staging_pool::lease> lease_;
};

template <agreeing World>
class collective_steps {
 public:
  collective_steps(ranks_of_file<World> const& of, collective_call& c, report& done)
      : of_(of), call_(c), done_(done) {}

  agreement run(staging_of_call space) {
    if (!call_.plain()) {
      space.get();  // before other ranks wait for this one
      watched_.emplace(of_.file, call_, done_);
    }
    if (call_.kind() == access_kind::write)
      merges_ = write_gate::closed(of_.file.merges().gate_of_node());
    agreement begun = begin();
    if (!begun || !plan(begun)) return begun;
    if (call_.plain()) {
      move_stretch();
      return end();
    }
    if (plan_.together)
      if (auto const result = move_together(space.get())) return *result;
    merges_.open();
    move_alone(space.get());
    return end();
  }

  // Begins and plans the call, but moves no data.
  collective_plan explain(agreement& result) {
    result = begin();
    if (result) plan(result);
    if (result) plan_.expected_ns = expected_ns();
    return std::move(plan_);
  }

 private:
  // The trace, the clock and the board observe the whole call.
  struct watched {
    watched(open_file& file, collective_call const& c, report& done)
        : traced(file.seen_by().trace(), file.path()),
          timed(file.seen_by().clock(), done, file.ranks() > 1 ? file.seen_by().trace() : nullptr),
          now(phase::call, {.name = c.name(),
                            .bytes = c.work().bytes,
                            .source_file = c.where.file_name(),
                            .source_line = c.where.line()}) {}
    traced_phases traced;
    call_times timed;
    in_phase now;
  };

  // Estimates the time of the plan by the prices of the file, also if a policy without prices made
  // it. Ranks that access the file separately are taken to sieve.
  double expected_ns() {
    if (all_.empty()) return 0;
    chosen const& c = of_.file.choice();
    automatic const priced{.sieving = c.sieving, .exchange = c.exchange};
    return priced.expected_ns(plan_.kind, all_, of_.ranks.group(of_.world, of_.file), plan_);
  }

  // --- begin: the arguments are valid on all ranks, and equal if they must be.

  agreement begin() {
    // A call that began long ago, or waited, may now be concurrent with other requests. A
    // background call is pending itself, so later calls may be concurrent with it.
    if (of_.file.others().has_requests()) call_.all.pending = 1;
    // Not later: all ranks must know this, because either all of them reconcile or none.
    if (of_.file.merges().written_alone().are_unfound()) call_.all.wrote_alone = 1;
    access_summary& all = call_.all;
    agreement valid =
        call_.plain() ? agree_to_begin(of_.world, digest_of_plain(), !call_.has_place(), all,
                                       call_.before, filled())
                      : agree_to_begin(of_.world, call_.given(), call_.develop, all, call_.before);
    if (call_.has_work()) call_.work().told.begin_ns = done_.agreement_ns;
    all_ = all;
    return valid;
  }
  std::uint64_t digest_of_plain() const {
    return call_.digest(of_.file.choice().key(call_.kind()));
  }
  auto filled() {
    return [this]() -> arguments const& {
      call_.fill(of_.file);
      return call_.given();
    };
  }

  // --- plan: the same on all ranks.

  // Returns false on all ranks if one rank fails; `result` has the reason.
  bool plan(agreement& result) {
    if (call_.ordered) find_place();
    if (call_.plain() && goes_alone()) return true;
    if (call_.plain()) {
      call_.fill(of_.file);
      watched_.emplace(of_.file, call_, done_);
    }
    job& t = call_.work();
    if (call_.ordered) {
      if (place_) mine_ = of_.file.locate(*place_, t);
      if (!place_ || mine_) t.bytes = 0;
      sum_up_places();
    }
    if (compares_writes())
      result = agree_on_outcome(of_.world, compare_writes(of_.world, of_.file, t));
    if (!result) return false;
    plan_ = small_ ? collective_plan{.policy = std::string(sieving::name),
                                     .reason = *std::move(small_),
                                     .kind = t.kind,
                                     .weighed = true}
                   : plan_together(of_.world, of_.ranks, of_.file, call_, all_, result);
    if (!result) return false;
    call_.planned(of_.file, plan_);
    return true;
  }
  // Returns true if each rank accesses its contiguous range by one call of its own.
  bool goes_alone() {
    any_policy const& together = of_.file.choice().together(call_.kind());
    small_ = too_small(of_.world, of_.ranks, of_.file, together, call_.kind(), all_);
    if (together.has_value() && !small_) return false;
    call_.planned_alone(together.has_value());
    return true;
  }
  void find_place() {
    plain_call const* const p = call_.plain();
    std::int64_t const etypes = p ? p->etypes : call_.work().etypes;
    place_ = find_ordered_place(of_.world, of_.pointer, etypes, all_.spans, call_.before, mine_);
  }
  // Sums up what ranks ask for at the shared pointer, after all places are known.
  void sum_up_places() {
    job const& t = call_.work();
    small_ = too_small(of_.world, of_.ranks, of_.file, t.by.together, t.kind, all_);
    if (!small_ && t.by.together.has_value()) {
      all_ = mine_ ? access_summary() : of_.file.summary_of(t);
      of_.world.all_reduce(all_);
    }
    // Other threads count, too, and so do ranks that have no place.
    all_.pending = std::max(all_.pending, call_.all.pending);
    all_.wrote_alone = std::max(all_.wrote_alone, call_.all.wrote_alone);
  }
  bool compares_writes() const {
    bool const writes =
        call_.kind() == access_kind::write && row_of(call_.what).when != moment::never;
    return call_.develop && writes && !call_.ordered && !of_.file.is_atomic();
  }

  // --- move: one contiguous range; or all ranks together, which includes the end; or each rank
  // separately.

  void move_stretch() {
    std::int64_t const at = call_.ordered ? place_.value_or(0) : call_.at();
    if (place_ || !call_.ordered) of_.file.access_plain(*call_.plain(), at, done_, mine_);
    if (small_) done_.reason = *std::move(small_);
  }

  // Returns nullopt on all ranks if no staging memory could be had; then nothing was done.
  std::optional<agreement> move_together(staging& space) {
    if (all_.wrote_alone != 0)
      if (agreement found = find_what_was_written(); !found) return found;
    job& t = call_.work();
    chosen_by const who = !t.by.given_together          ? chosen_by::hints
                          : t.by.together.keeps_rules() ? chosen_by::call
                                                        : chosen_by::program;
    t.told.together_by = {static_cast<std::int64_t>(plan_.domains.size()),
                          call_.plan()->window_bytes, all_.high - all_.low, who};
    auto result = of_.ranks.exchange(of_.world, plan_, t, of_.file, space, done_, all_, mine_);
    if (!result) {
      plan_.reason = "no staging memory; each rank by itself";
      return result;
    }
    done_.policy = std::move(plan_.policy);
    done_.reason = std::move(plan_.reason);
    done_.memory_bytes = memory_bytes_of(t, done_.bytes);
    if (*result && t.kind == access_kind::write) of_.file.late().write();
    return result;
  }
  // Makes earlier writes of single ranks visible to all ranks, before ranks carry each other's
  // data.
  agreement find_what_was_written() {
    lone_writes& alone = of_.file.merges().written_alone();
    std::uint64_t const written = alone.count();
    agreement found = agree_on_outcome(of_.world, of_.file.reconcile(), phase::waiting);
    if (!found) return found;
    alone.are_found(written);
    // Requests and threads of this rank may have cached pages that another rank had not written out
    // yet.
    mine_.keep(of_.file.reconcile());
    return found;
  }

  void move_alone(staging& space) {
    job const& t = call_.work();
    if (!mine_) mine_ = of_.file.access_alone(t, space, done_);
    if (t.by.together.has_value()) done_.reason = std::move(plan_.reason);
  }

  // --- end: the call succeeded on all ranks, or on none.

  agreement end() { return agree_on_outcome(of_.world, mine_, phase::waiting); }

  ranks_of_file<World> of_;
  collective_call& call_;
  report& done_;

  std::optional<watched> watched_;
  write_gate::closed merges_{nullptr};
  access_summary all_ = {};            // the summed requests of all ranks
  std::optional<std::int64_t> place_;  // for an ordered call, in etypes
  failure mine_;                       // the failure of this rank before the end
  // the reason if each rank accesses the file separately, wherever the data lies
  std::optional<reason_text> small_;
  collective_plan plan_;
};

}  // namespace argosy::detail

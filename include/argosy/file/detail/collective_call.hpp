// A collective read or write, from the agreement on its arguments to that on its outcome.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
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
#include <argosy/file/detail/develop_checks.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/detail/shared_pointer.hpp>
#include <argosy/file/detail/together.hpp>
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

// A rank's part of one collective call: its arguments, its job, and what the ranks have agreed on.
struct collective_call {
  operation call;
  arguments given;
  job work;
  bool ordered = false;  // at the shared pointer
  bool develop = false;
  access_summary all = {};  // of this rank; of all ranks when all have begun
  std::int64_t before = 0;  // ordered: etypes that ranks before this one ask for; -1: not known yet
  bool begun = false;       // all ranks have, and agreed on it
  pointer_move moved = {};  // of the individual pointer

  collective_call(operation what, bool lenient, source_location where)
      : call(what),
        given(row_of(what).name, row_of(lenient ? at_any_pointer(what) : what).name, where) {}

  // That `given` has if nothing is wrong; `key` is that of the policy.
  static std::uint64_t digest(operation what, bool lenient, std::uint64_t key) noexcept {
    operation const like = lenient ? at_any_pointer(what) : what;
    return digest_of(digest_of(0, fingerprint(row_of(like).name)), key);
  }

  // Of the plan, for what is said of the hints.
  struct {
    bool known = false, together = false, weighed = false, shipped = false;
    std::int64_t aggregators = 0, window_bytes = 0;
  } plan = {};
  void planned(open_file const& file, collective_plan const& p) {
    bool const striped = !p.domains.empty() && p.domains.front().striped();
    // What has no windows, `automatic` does not weigh: its plan is that of two_phase.
    bool const weighed = !p.together && !file.atomic && work.together.target<automatic>() && p.policy == sieving::name;
    bool const shipped = !p.together && file.ships_alone(work);
    plan = {
        true, p.together, weighed, shipped, static_cast<std::int64_t>(p.domains.size()), striped ? 0 : p.window_bytes};
  }
  void tell(hint_facts& last) const {
    last.planned = plan.known;
    last.together = plan.together;
    last.weighed = plan.weighed;
    last.shipped = plan.shipped;
    last.aggregators = plan.aggregators;
    last.window_bytes = plan.window_bytes;
  }

  // Local, after all else is known.
  void summarise(open_file const& file) {
    work.timed = true;
    std::uint64_t key = 0;
    given.fail(failure_of(errc::argument, [&] { key = work.together.has_value() ? work.together.key() : 0; }));
    given.same("policy", key, work.together.has_value() ? work.together.name() : work.policy.name());
    if (given.fault()) return;
    if (!ordered) {
      all = file.summary_of(work);
      return;
    }
    all.spans = work.etypes;  // their sum; where they go is not known yet
    all.pending = file.pending > 0 ? 1 : 0;
    all.wrote_alone = file.wrote_alone() ? 1 : 0;
    if (work.bytes == 0) return;
    all.bytes = work.bytes;
    all.alone_ns = std::numeric_limits<std::int64_t>::max();  // nor what it costs
    all.ranks = 1;
  }
};

// Moves the shared pointer by what all ranks ask for, and gives each rank its place behind the ranks before it. A hidden file is
// asked only if some rank has used it, and left as it is: all ranks learn the new value here. `before`: what they ask for, or -1.
// Nothing on all ranks where some rank fails: then it may be another one that says why.
template <agreeing World>
std::optional<std::int64_t> find_ordered_place(World const& world, shared_pointer& pointer, std::int64_t etypes,
                                               std::int64_t all, std::int64_t before, failure& f) {
  struct answer {
    std::int64_t at = 0;
    std::int64_t failed = 0;
  } told;
  std::optional<shared_pointer::held> held;
  if (before >= 0) {
    told.at = pointer.add_together(all);
  } else {
    int const last = world.size() - 1;
    if (pointer.is_in_file()) held.emplace(pointer);
    bool const asks = held && ranks_where(world, held->file_was_used());
    if (world.rank() == last) {
      told.at = !held ? pointer.add(all, f) : asks ? held->get(f) : held->known();
      told.failed = f ? 1 : 0;
    }
    world.broadcast(std::as_writable_bytes(std::span(&told, 1)), last);
    if (told.failed != 0) return {};
  }
  if (all > INT64_MAX - told.at || all == INT64_MAX) {  // the sum stops there
    f = {errc::argument, "the shared pointer is at " + std::to_string(told.at) +
                             "; what all ranks ask for would take it beyond 2^63 etypes"};
    return {};
  }
  if (held) held->set(told.at + all, world.rank());
  return told.at + (before >= 0 ? before : world.exclusive_sum(etypes));
}

// Why each rank goes by itself, where that is so wherever the data lies. The same on all ranks. Collective as `group` is.
template <agreeing World>
std::optional<reason_text> too_small(World const& world, team<World>& ranks, open_file& file,
                                     any_policy const& together, access_kind kind, access_summary const& all) {
  auto const* const choosing = together.target<automatic>();
  if (!choosing || file.atomic) return {};
  return choosing->too_small(kind, all, ranks.group(world, file));
}

// Asks the policy. Collective where it is one of the program: it may throw on some ranks only, break the rules, or not be pure, and
// all ranks must know before they rely on it.
template <agreeing World>
collective_plan ask_for_plan(World const& world, open_file const& file, collective_call const& c,
                             access_summary const& all, rank_group const& ranks, access_histogram const* where,
                             agreement& result) {
  job const& t = c.work;
  collective_plan plan;
  auto const ask = [&] {
    plan = where ? t.together.plan_together(t.kind, all, ranks, *where) : t.together.plan_together(t.kind, all, ranks);
  };
  if (t.together.keeps_rules()) return ask(), plan;
  if (all.empty()) return {std::string(t.together.name()), "no rank asks for anything", t.kind};
  arguments given(c.given.call(), c.given.where());
  given.fail(failure_of(errc::argument, [&] {
    ask();
    domain_check const check(std::string(t.together.name()), plan);
    check.look(t.kind, all, ranks);
    if (t.bytes > 0) check.covers(file.access_of(t));
  }));
  given.same_lines("plan", key_of_plan(plan), [&] { return lines_of_plan(plan); });
  result = agree_to_begin(world, given, false);
  return plan;
}

// Collective, and the same on all ranks; only if `result` is a success. Uneven accesses are worth a second look, to balance them.
template <agreeing World>
collective_plan plan_together(World const& world, team<World>& ranks, open_file& file, collective_call const& c,
                              access_summary const& all, agreement& result) {
  job const& t = c.work;
  if (!t.together.has_value())
    return {std::string(t.policy.name()), "the policy is one of each rank by itself", t.kind};
  if (file.atomic) return {std::string(t.policy.name()), "atomic mode: each rank by itself, under a lock", t.kind};
  in_phase const now(phase::agreement);
  rank_group const& group = ranks.group(world, file);
  collective_plan plan = ask_for_plan(world, file, c, all, group, nullptr, result);
  if (result && plan.domains.size() > 1 && t.together.balances() && may_be_uneven(all)) {
    access_histogram where;
    if (t.bytes > 0) where = histogram_of(file.access_of(t), all);
    world.all_reduce(where);
    plan = ask_for_plan(world, file, c, all, group, &where, result);
  }
  if (t.given_together) plan.reason += file.on_prices_of(t.together, plan.reason);
  if (plan.policy == data_shipping::name) plan.reason += file.parts.words();
  return plan;
}

// The whole call. Collective.
template <agreeing World>
agreement access_together(World const& world, team<World>& ranks, open_file& file, shared_pointer& pointer,
                          collective_call& c, staging& space, report& done) {
  traced_phases const traced(file.trace.get(), file.path);
  call_times const timed(file.clock, done, file.ranks > 1 ? file.trace.get() : nullptr);
  job& t = c.work;
  in_phase const now(phase::call, {.name = c.given.call(),
                                   .bytes = t.bytes,
                                   .source_file = t.called_at.file_name(),
                                   .source_line = t.called_at.line()});
  write_gate::closed merges(t.kind == access_kind::write ? file.gate_of_node() : nullptr);
  // A call that was begun long ago, or waited for others, has more beside it now; and beside one that goes on by itself, which is
  // pending, too, may be whatever comes after it.
  if (file.pending > 0) c.all.pending = 1;
  if (!c.begun) {
    if (file.wrote_alone()) c.all.wrote_alone = 1;  // not later: all ranks must know it, since all reconcile then
    if (agreement const valid = agree_to_begin(world, c.given, c.develop, c.all, c.before); !valid) return valid;
  }
  t.begin_ns = done.agreement_ns;
  access_summary all = c.all;
  failure mine;
  std::optional<reason_text> small;
  if (c.ordered) {
    std::optional<std::int64_t> const place = find_ordered_place(world, pointer, t.etypes, all.spans, c.before, mine);
    if (place) mine = file.locate(*place, t);
    if (!place || mine) t.bytes = 0;
    small = too_small(world, ranks, file, t.together, t.kind, all);
    if (small && t.given_together) *small += file.on_prices_of(t.together, *small);
    all = {};
    if (!small && t.together.has_value()) {
      if (!mine) all = file.summary_of(t);
      world.all_reduce(all);
    }
    all.pending = std::max(all.pending, c.all.pending);  // also threads, and ranks that have no place
    all.wrote_alone = std::max(all.wrote_alone, c.all.wrote_alone);
  }
  if (c.develop && t.kind == access_kind::write && !c.ordered && !file.atomic)
    if (agreement const apart = agree_on_outcome(world, compare_writes(world, file, t)); !apart) return apart;
  agreement planned;
  collective_plan plan = small ? collective_plan{std::string(sieving::name), *std::move(small), t.kind}
                               : plan_together(world, ranks, file, c, all, planned);
  if (!planned) return planned;
  c.planned(file, plan);
  if (plan.together) {
    if (all.wrote_alone != 0) {
      std::uint64_t const written = file.written_alone();
      if (agreement const found = agree_on_outcome(world, file.reconcile(), phase::waiting); !found) return found;
      file.all_found(written);
      // Requests and threads of this rank may have read, and kept, what another had not written out yet.
      mine.keep(file.reconcile());
    }
    t.together_by = {static_cast<std::int64_t>(plan.domains.size()), c.plan.window_bytes, all.high - all.low,
                     !t.given_together          ? chosen_by::hints
                     : t.together.keeps_rules() ? chosen_by::call
                                                : chosen_by::program};
    auto const result = ranks.exchange(world, plan, t, file, space, done, all, mine);
    if (result) {
      done.policy = std::move(plan.policy);
      done.reason = std::move(plan.reason);
      done.memory_bytes = memory_bytes_of(t, done.bytes);
      if (*result && t.kind == access_kind::write) file.written = true;
      return *result;
    }
    plan.reason = "no staging memory; each rank by itself";
  }
  merges.open();
  if (!mine) mine = file.access_alone(t, space, done);
  if (t.together.has_value()) done.reason = std::move(plan.reason);
  return agree_on_outcome(world, mine, phase::waiting);
}

}  // namespace argosy::detail

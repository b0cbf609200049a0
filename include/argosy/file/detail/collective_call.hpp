// A collective read or write, from the agreement on its arguments to that on its outcome.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/agree/detail/phase.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/detail/shared_pointer.hpp>
#include <argosy/file/detail/together.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// What this rank brings to it. The name of the call is a literal.
struct collective_call {
  arguments given;
  job work;
  bool ordered = false;  // at the shared pointer
  bool develop = false;
  access_summary all = {};

  collective_call(std::string_view call, std::source_location where) : given(call, where) {}

  // Local, after all else is known.
  void summarise(open_file const& file) {
    given.same("policy", work.together.has_value() ? work.together.key() : 0);
    if (given.fault()) return;
    if (ordered)
      all.bytes = work.etypes;  // their sum; where they go is not known yet
    else
      all = file.summary_of(work);
  }
};

// Moves the shared pointer by what all ranks ask for, and gives each rank its place behind the ranks before it.
template <agreeing World>
failure find_ordered_place(World const& world, open_file const& file, shared_pointer& pointer, job& t,
                           std::int64_t all) {
  struct answer {
    std::int64_t at = 0;
    std::int64_t failed = 0;
  } told;
  failure f;
  int const last = world.size() - 1;
  if (world.rank() == last) {
    told.at = pointer.add(all, f);
    told.failed = f ? 1 : 0;
  }
  world.broadcast(std::as_writable_bytes(std::span(&told, 1)), last);
  if (told.failed != 0) {
    t.bytes = 0;  // this rank has nothing to do, and says nothing: the last one does
    return f;
  }
  if (all > INT64_MAX - told.at || all == INT64_MAX)  // the sum stops there
    return {errc::argument, "the shared pointer is at " + std::to_string(told.at) +
                                "; what all ranks ask for would take it beyond 2^63 etypes"};
  return file.locate(told.at + world.exclusive_sum(t.etypes), t);
}

// Collective, and the same on all ranks. Uneven accesses are worth a second look, to balance them.
template <agreeing World>
collective_plan plan_together(World const& world, team<World>& ranks, open_file& file, job const& t,
                              access_summary const& all) {
  if (!t.together.has_value())
    return {std::string(t.policy.name()), "the policy is one of each rank by itself", t.kind};
  if (file.atomic) return {std::string(t.policy.name()), "atomic mode: each rank by itself, under a lock", t.kind};
  in_phase const now(phase::agreement);
  rank_group const& group = ranks.group(world, file);
  collective_plan plan = t.together.plan_together(t.kind, all, group);
  if (plan.domains.size() > 1 && t.together.balances() && may_be_uneven(all)) {
    access_histogram where;
    if (t.bytes > 0) where = histogram_of(file.access_of(t), all);
    world.all_reduce(where);
    plan = t.together.plan_together(t.kind, all, group, where);
  }
  if (plan.policy == data_shipping::name) plan.reason += file.parts.words();
  return plan;
}

// The whole call. Collective.
template <agreeing World>
agreement access_together(World const& world, team<World>& ranks, open_file& file, shared_pointer& pointer,
                          collective_call& c, staging& space, report& done) {
  job& t = c.work;
  in_phase const now(phase::call, {.name = c.given.call(), .bytes = t.bytes});
  if (agreement const valid = agree_to_begin(world, c.given, c.develop, c.all); !valid) return valid;
  access_summary all = c.all;
  failure mine;
  if (c.ordered) {
    mine = find_ordered_place(world, file, pointer, t, all.bytes);
    if (mine) t.bytes = 0;
    all = {};
    if (t.together.has_value()) {
      if (!mine) all = file.summary_of(t);
      world.all_reduce(all);
    }
  }
  // Made of what all ranks know by a pure function: where a policy of the program throws, it throws on all of them.
  collective_plan plan;
  try {
    plan = plan_together(world, ranks, file, t, all);
  } catch (rank_failure const&) {
    throw;
  } catch (...) {
    return alone(world.rank(), failure_by("a policy of the program"));
  }
  if (plan.together) {
    auto const result = ranks.exchange(world, plan, t, file, space, done, all.pending > 0, mine);
    if (result) {
      done.policy = std::move(plan.policy);
      done.reason = std::move(plan.reason);
      done.memory_bytes = memory_bytes_of(t, done.bytes);
      if (*result && t.kind == access_kind::write) file.written = true;
      return *result;
    }
    plan.reason = "no staging memory; each rank by itself";
  }
  if (!mine) mine = file.access_alone(t, space, done);
  if (t.together.has_value()) done.reason = std::move(plan.reason);
  return agree_on_outcome(world, mine);
}

}  // namespace argosy::detail

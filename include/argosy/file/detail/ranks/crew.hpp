// The ranks of an open file, and the objects that they share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/agree/detail/ranks_with.hpp>
#include <argosy/file/detail/protocol/collective_call.hpp>
#include <argosy/file/detail/protocol/collective_steps.hpp>
#include <argosy/file/detail/protocol/concurrent_calls.hpp>
#include <argosy/file/detail/protocol/deferred.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/detail/protocol/shared_pointer.hpp>
#include <argosy/file/detail/ranks/call_board.hpp>
#include <argosy/file/detail/ranks/together.hpp>
#include <argosy/file/detail/state/closed_files.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/detail/state/own_part.hpp>
#include <argosy/file/detail/state/usage_hints.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/rank_failure.hpp>
#include <argosy/world/self.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

inline failure closed() { return {errc::file, "the file is not open", "open it first"}; }

// One rank's access to the ranks of its file. Everything that needs other ranks goes through it.
template <communicator World>
struct crew {
  std::optional<World> world;  // a duplicate; empty if the file is not open
  own_part file;
  std::shared_ptr<shared_pointer> pointer;
  std::shared_ptr<team<World>> ranks;
  std::optional<World> outside = {};  // for_program(), if it is another world
  // for nonblocking collective calls: this or `later`
  std::unique_ptr<concurrent_calls> concurrent;
  std::optional<deferred<World>> later;
  bool develop = false;
  bool reports = false;  // ARGOSY_REPORT is set on some rank: all ranks count, and sum up at close
  bool watched = false;  // on some rank
  bool one_path = true;  // all ranks call the file by the same path

  // Makes the shared pointer and the objects of collective calls, after the file is open on all
  // ranks. Collective.
  void meet();
  // Returns true if a lock of rank 0 excludes ranks on other nodes, as far as this can be tested.
  // Collective.
  bool locks_reach_all();
  void disband();  // destroys these objects; the rank's own part of the file stays

  // Returns a number that is different for each open file. Local.
  std::uint64_t own_number() const;
  // Returns `number` of rank 0. Collective.
  std::uint64_t told_by_first(std::uint64_t number) const;

  // Returns the world for messages of the program. Calls that run concurrently with the program
  // exchange by the world of the file. Local.
  World const& for_program() {
    if constexpr (requires { world->beside(); }) {
      if (!outside) outside.emplace(world->beside());
      return *outside;
    } else {
      return *world;
    }
  }

  // Agrees on the arguments, calls `body` on every rank, and agrees on the outcome. Collective. If
  // `body` takes a bool, it is true if any rank has requests. `told` becomes true on all ranks if
  // it was true on any.
  template <class Body>
  agreement collectively(arguments const& given, Body&& body, bool* told = nullptr);
  // Does the same for calls that change hints or views. Ranks of several nodes also agree on
  // whether each rank may merge separately.
  template <class Body>
  agreement collectively_changing(arguments const& given, Body&& body);
  // Does the same, with `body` on rank 0 only, for calls that change the size of the file.
  template <class Body>
  agreement on_one_rank(arguments const& given, Body&& body);
  template <class Ask>
  std::optional<std::int64_t> told_by_one(Ask&& ask, failure& f);
  // Writes out earlier writes, and drops cached pages, if nodes have caches of their own: then all
  // ranks see the same file. If a rank fails, returns false on all ranks, and sets `f` on that
  // rank. Collective.
  bool reconcile(failure& f);
  // Returns true if any rank has used the hidden file. Collective.
  bool pointer_was_used() const {
    return pointer->is_in_file() && ranks_where(*world, pointer->file_was_used());
  }

  // Carries out a call of this rank; moves the pointers. `plain`: the call is known to be plain;
  // null: it is not known yet. Local.
  report access_alone(call const& c, plain_call const* plain, failure& f);
  // Prepares the job of such a call; moves the pointers.
  failure prepare_alone(call const& c, job& t, pointer_move& moved);
  // Returns true if a plain collective call may be made locally, because there is only one rank.
  bool goes_alone() const {
    return file->ranks() == 1 && !develop && !later && file->choice().one_rank_goes_alone;
  }
  // Returns the call as a plain one if ranks share memory, and only its outcome is of interest. The
  // calls of other ranks may not be plain.
  std::optional<plain_call> plain_together(call const& c) const;
  // Makes this rank's part of a collective call. `moves`: moves the individual pointer.
  collective_call part_of(call const& c, std::optional<plain_call> const& plain, bool moves);
  agreement access(collective_call& c, report& done);
  collective_plan explain(collective_call& c, agreement& result);

  // Some rank has a complaint about the environment. The lowest such rank writes it. Collective.
  void complain_once() const;

  // Sums up the usage over all ranks; rank 0 writes the report. Collective. Called after all ranks
  // have closed the file.
  void tell_usage(agreement const& closed);

  // Follows changed hints: starts agents, and gives them their parts of the file, if the hints ask
  // for this. Collective.
  failure follow_hints();
  failure partition();
  failure unpartition();

 private:
  std::int64_t place_of(call const& c, std::int64_t etypes, pointer_move& moved, failure& f);
  void access_in_full(call const& c, pointer_move moved, report& done, failure& f);
  agreement access_after_others(collective_call& c, report& done);
  ranks_of_file<World> of_file() { return {*world, *ranks, *file, *pointer}; }
  void serve_agents();
  void share_board(World const& node);
  std::shared_ptr<call_board> const& board() { return file->seen_by().made_board(); }
  void meet_on_node(shared_memory lines, shared_memory slots);
  void meet_between_nodes(World const& node, bool goes_on);
  void meet_beside(World const& node)
    requires keeping<World>;
  void begin_later(bool goes_on);
  shared_pointer distant_pointer() const;
};

template <communicator World>
template <class Body>
agreement crew<World>::collectively(arguments const& given, Body&& body, bool* told) try {
  if constexpr (requires { world->note(given.call(), given.where()); })
    world->note(given.call(), given.where());
  if (concurrent) concurrent->drain();
  call_board::waiting const here(file->seen_by().board(), given.call(), given.where());
  if (later) later->finish();
  access_summary all;
  all.pending = file->others().has_requests() ? 1 : 0;
  file->before_waiting();
  agreement start = agree_to_begin(*world, given, develop, all);
  if (!start) return start;
  failure const mine = failure_of(errc::io, [&] {
    if constexpr (std::invocable<Body&, bool>)
      return body(all.pending > 0);
    else
      return body();
  });
  file->before_waiting();
  return told ? agree_on_outcome(*world, mine, *told) : agree_on_outcome(*world, mine);
} catch (rank_failure const& lost) {
  return without(lost, world);
}

// If requests are pending, nothing is changed: they may merge, or write without a lock.
template <communicator World>
template <class Body>
agreement crew<World>::collectively_changing(arguments const& given, Body&& body) {
  bool begun = false, merge = false;
  auto const change = [&](bool pending) -> failure {
    failure f;
    if (!reconcile(f)) return f;  // a rank that merges must see what other ranks wrote before
    begun = !pending;
    f = body(pending);
    merge = begun && file->would_merge();
    return f;
  };
  agreement const result = collectively(given, change, &merge);
  if (begun || result.code == errc::rank_failed) file->agree_to_merge(result && merge);
  return result;
}

template <communicator World>
template <class Body>
agreement crew<World>::on_one_rank(arguments const& given, Body&& body) {
  return collectively(given, [&] {
    failure f;
    if (!reconcile(f)) return f;
    f = unpartition();  // a partitioned file cannot change its size
    if (!f && file->rank() == 0) f = failure_of(errc::io, body);
    f.keep(partition());
    return f;
  });
}

template <communicator World>
bool crew<World>::reconcile(failure& f) {
  if (!file->merges().caches_differ()) return true;
  // Requests that are still running may cache old pages again. So the next exchange between ranks
  // must reconcile again.
  f = file->reconcile();
  return !ranks_where(*world, static_cast<bool>(f));
}

// Calls `ask` on rank 0 after all ranks have come, and returns its value on all ranks, which might
// see another end or another pointer. If `ask` fails or throws, returns nothing on all ranks, and
// sets `f` on rank 0.
template <communicator World>
template <class Ask>
std::optional<std::int64_t> crew<World>::told_by_one(Ask&& ask, failure& f) {
  struct answer {
    std::int64_t value = 0;
    std::int64_t failed = 0;
  } told;
  if (file->rank() == 0) {
    f = failure_of(errc::io, [&] {
      failure mine;
      told.value = ask(mine);
      return mine;
    });
    told.failed = f ? 1 : 0;
  }
  world->broadcast(std::as_writable_bytes(std::span(&told, 1)), 0);
  return told.failed == 0 ? std::optional(told.value) : std::nullopt;
}

// Returns the place of a call of so many etypes, in etypes; moves the pointers.
template <communicator World>
std::int64_t crew<World>::place_of(call const& c, std::int64_t etypes, pointer_move& moved,
                                   failure& f) {
  if (c.pointer() == pointer_kind::explicit_offset) return c.offset;
  if (c.pointer() == pointer_kind::shared) return pointer->add(etypes, f);
  moved = file->position().advance(etypes);
  return moved.from;
}

template <communicator World>
report crew<World>::access_alone(call const& c, plain_call const* plain, failure& f) {
  std::optional<plain_call> p;
  if (!plain && !c.is_scattered()) p = file->plain(c);
  if (p) plain = &*p;
  report done;
  pointer_move moved;
  if (plain) {
    file->in_use().last().note(c, false);
    std::int64_t const at = place_of(c, plain->etypes, moved, f);
    if (!f) file->access_plain(*plain, at, done, f);
  } else {
    std::optional<small_call> const s = file->small(c);
    if (!s || !file->access_close(*s, place_of(c, s->etypes, moved, f), done, f)) {
      access_in_full(c, moved, done, f);
      return done;
    }
    file->in_use().last().note(c, false);
  }
  if (f) file->position().take_back(moved);
  return done;
}

// `moved`: the move of the pointer by this call, which is taken back if the call fails.
template <communicator World>
void crew<World>::access_in_full(call const& c, pointer_move moved, report& done, failure& f) {
  job t;
  f = prepare_alone(c, t, moved);
  if (!f) f = file->access_timed(t, staging_pool::lease(file->buffers()).get(), done);
  if (f) file->position().take_back(moved);
}

template <communicator World>
failure crew<World>::prepare_alone(call const& c, job& t, pointer_move& moved) {
  file->in_use().last().note(c, false);
  failure f = file->prepare(c, t, &moved);
  if (!f && c.pointer() == pointer_kind::shared) {
    std::int64_t const at = pointer->add(t.etypes, f);
    if (!f) f = file->locate(at, t);
  }
  if (f) file->count(t, {}, true);
  return f;
}

template <communicator World>
std::optional<plain_call> crew<World>::plain_together(call const& c) const {
  if constexpr (requires { world->in_memory(); }) {
    if (!world->in_memory() || develop || file->seen_by().trace()) return {};
    std::optional<plain_call> p = file->plain(c);
    if (p && p->bytes() < report::least_timed_bytes) return p;  // longer calls are timed
  }
  return {};
}

template <communicator World>
collective_call crew<World>::part_of(call const& c, std::optional<plain_call> const& plain,
                                     bool moves) {
  file->in_use().last().note(c, true);
  if (plain) return {c, *plain, *file};
  if constexpr (requires { world->note(c.name(), c.where()); }) world->note(c.name(), c.where());
  return {c, *file, develop, moves};
}

template <communicator World>
agreement crew<World>::access(collective_call& c, report& done) try {
  call_board::waiting const here(file->seen_by().board(), c.name(), c.where);
  if (later) later->finish();
  return access_after_others(c, done);
} catch (rank_failure const& lost) {
  file->position().take_back(c.moved);
  if (c.kind() == access_kind::write)
    done.bytes = done.memory_bytes = 0;  // it is not known any more which windows were written
  return without(lost, world);
}

// Called after the deferred calls of this rank have been carried out.
template <communicator World>
agreement crew<World>::access_after_others(collective_call& c, report& done) {
  one_thread::inside const caller(&file->others().threads());
  if (!caller.is_alone()) c.all.pending = 1;  // another thread may write
  agreement result =
      collective_steps<World>(of_file(), c, done).run(staging_of_call(file->buffers()));
  if (!result) file->position().take_back(c.moved);
  file->in_use().last().note_plan(c.what, [&](hint_facts& last) { last.plan = c.plan(); });
  if (c.has_work()) file->count(c.work(), done, !result);
  return result;
}

template <communicator World>
void crew<World>::complain_once() const {
  ranks_with const all = ranks_where(*world, file->complains());
  if (all.lowest == file->rank()) file->complain(all.count - 1);
}

template <communicator World>
void crew<World>::tell_usage(agreement const& closed) {
  std::int64_t const open_ns = file->seen_by().open_ns();
  usage_numbers all = file->seen_by().report()->numbers();
  std::int64_t const bytes = all.totals[0].sum;  // bytes of this rank
  file->seen_by().report()->told();
  world->all_reduce(all);
  usage_report told{file->path(), file->ranks()};
  told.processors = processors_of_all(*world);
  told.other_hints = hints_of_others(*world, file->hints());
  rank_statistics copies;
  // Not measured under virtual time, which is no time of this machine. If ranks share processors,
  // the measurement would contain their waiting time.
  if constexpr (!requires { world->now(); }) {
    if (std::int64_t const ns = told.crowded() ? -1 : plain_copy_ns(bytes); ns >= 0)
      copies = rank_statistics(ns);
    world->all_reduce(copies);
  }
  if (file->rank() != 0) return;
  // A failure of the report must not fail the close.
  failure_of(errc::io, [&] {
    if (!closed) told.close_failed = message_of(closed, "close", file->path(), file->rank());
    told.open_ns = open_ns;
    told.hints = file->in_use().told();
    told.numbers = all;
    told.copy_ns = copies;
    tell(told);
  });
}

template <communicator World>
collective_plan crew<World>::explain(collective_call& c, agreement& result) try {
  call_board::waiting const here(file->seen_by().board(), c.name(), c.where);
  if (later) later->finish();
  file->before_waiting();
  report unused;
  collective_plan p = collective_steps<World>(of_file(), c, unused).explain(result);
  if (!result) return p;
  job const& t = c.work();
  p.reason += t.where->words_of_holes();
  file->in_use().last().note_plan(c.what, [&](hint_facts& last) { last.plan = c.plan(); });
  if (!p.together)
    if (failure f = failure_of(errc::argument, [&] { p.alone = file->explain(t); }))
      result = local_agreement(file->rank(), f);
  return p;
} catch (rank_failure const& lost) {
  result = without(lost, world);
  return {};
}

}  // namespace argosy::detail

#include <argosy/file/detail/ranks/crew_agents.hpp>
#include <argosy/file/detail/ranks/crew_meeting.hpp>

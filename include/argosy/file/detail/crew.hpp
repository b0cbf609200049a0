// The ranks of an open file, and what they have together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/file/detail/collective_call.hpp>
#include <argosy/file/detail/concurrent_calls.hpp>
#include <argosy/file/detail/deferred.hpp>
#include <argosy/file/detail/open.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/detail/shared_pointer.hpp>
#include <argosy/file/detail/together.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/rank_failure.hpp>
#include <argosy/world/self.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

inline failure closed() { return {errc::file, "the file is not open"}; }

// One rank's hold on it. Whatever asks other ranks about the file goes through here.
template <communicator World>
struct crew {
  std::optional<World> world;  // a duplicate; none where the file is not open
  own_part file;
  std::shared_ptr<shared_pointer> pointer;
  std::shared_ptr<team<World>> ranks;
  std::unique_ptr<concurrent_calls> concurrent;  // for nonblocking collective calls: one of the two
  std::optional<deferred<World>> later;
  bool develop = false;

  // Makes the pointer, and what collective calls keep; after the file is open on all ranks. Collective.
  void meet();
  void disband();  // all of that goes; the file's own part stays

  // Collective: agree on the arguments, do `body` on every rank, agree on the outcome. A body that takes a bool is told
  // whether any rank has requests.
  template <class Body>
  agreement collectively(arguments const& given, Body&& body);
  // The same, of rank 0 alone, for what changes the size of the file.
  template <class Body>
  agreement on_one_rank(arguments const& given, Body&& body);
  template <class Ask>
  std::optional<std::int64_t> told_by_one(Ask&& ask, failure& f);

  // Local: the job of a call of this rank; moves the shared pointer.
  failure prepare_alone(call const& c, job& t);
  // What this rank brings to a collective call.
  collective_call prepare_together(call const& c) const;
  agreement access(collective_call& c, report& done);
  collective_plan explain(collective_call& c, agreement& result);

  // Before other collective calls: all ranks have begun those.
  void finish_later_calls();

  // After hints have changed: agents serve, and have their parts of the file, if they say so. Collective.
  failure follow_hints();
  failure partition();
  failure unpartition();

 private:
  void serve_agents();
  shared_pointer hidden_pointer() const;
};

template <communicator World>
template <class Body>
agreement crew<World>::collectively(arguments const& given, Body&& body) try {
  if constexpr (requires { world->note(given.call(), given.where()); }) world->note(given.call(), given.where());
  finish_later_calls();
  access_summary all;
  all.pending = file->pending > 0 ? 1 : 0;
  agreement const start = agree_to_begin(*world, given, develop, all);
  if (!start) return start;
  return agree_on_outcome(*world, failure_of(errc::io, [&] {
    if constexpr (std::invocable<Body&, bool>)
      return body(all.pending > 0);
    else
      return body();
  }));
} catch (rank_failure const& lost) {
  return without(lost, world);
}

template <communicator World>
template <class Body>
agreement crew<World>::on_one_rank(arguments const& given, Body&& body) {
  return collectively(given, [&] {
    failure f = unpartition();  // a partitioned file keeps its size
    if (!f && file->rank == 0) f = failure_of(errc::io, body);
    f.keep(partition());
    return f;
  });
}

// Asked on rank 0, when all have come, and told to all: others may see another end, or another pointer. Nothing if it cannot
// tell; then `f` says why, on that rank. What it throws does not let it leave the others waiting.
template <communicator World>
template <class Ask>
std::optional<std::int64_t> crew<World>::told_by_one(Ask&& ask, failure& f) {
  struct answer {
    std::int64_t value = 0;
    std::int64_t failed = 0;
  } told;
  if (file->rank == 0) {
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

template <communicator World>
void crew<World>::meet() {
  ranks = std::make_shared<team<World>>();
  // The pointer, and where ranks meet in nonblocking and in other calls.
  constexpr bool meets = node_waiting<World> && !working_in_background<World>;
  std::size_t const pointer_bytes = 64, meeting_bytes = meets ? memory_world::bytes_for(world->size()) : 0;
  std::size_t const bytes = pointer_bytes + 2 * meeting_bytes;
  shared_memory common;
  bool shares = world->size() == 1;
  if (shares) {
    common = self().share(bytes);
  } else if constexpr (node_sharing<World>) {
    World const node = world->node();
    *ranks = team<World>(node);
    if (node.size() == world->size()) {
      std::error_code error;
      common = node.share(bytes, error);
      shares = !error;
    }
  }
  auto const part = [&](std::size_t from, std::size_t size) { return common.part(from, size); };
  if constexpr (requires { world->meet_in(shared_memory()); })
    if (shares && world->size() > 1) world->meet_in(part(pointer_bytes + meeting_bytes, meeting_bytes));
  pointer = std::make_shared<shared_pointer>(shares ? shared_pointer(part(0, sizeof(std::int64_t))) : hidden_pointer());
  if (shares && meets)
    concurrent = std::make_unique<concurrent_calls>(
        memory_world(part(pointer_bytes, meeting_bytes), world->rank(), world->size()), file.shared(), pointer);
  else
    later.emplace(*world, file.shared(), pointer, ranks);
}

template <communicator World>
shared_pointer crew<World>::hidden_pointer() const {
  std::uint64_t name = 0;
  if constexpr (requires { world->unique_number(); })
    name = world->unique_number();
  else
    name = random_name();
  world->broadcast(std::as_writable_bytes(std::span(&name, 1)), 0);
  return {file->files, pointer_path(file->path, name)};
}

template <communicator World>
void crew<World>::disband() {
  concurrent = {};
  later = {};
  pointer = {};
  ranks = {};
}

template <communicator World>
void crew<World>::finish_later_calls() {
  if (concurrent) concurrent->drain();
  if (later) later->finish();
}

template <communicator World>
failure crew<World>::prepare_alone(call const& c, job& t) {
  failure f = file->prepare(c, t);
  if (f || c.pointer != pointer_kind::shared) return f;
  std::int64_t const at = pointer->add(t.etypes, f);
  return f ? f : file->locate(at, t);
}

template <communicator World>
collective_call crew<World>::prepare_together(call const& c) const {
  collective_call all(c.name, c.where());
  all.given.fail(file->prepare(c, all.work));
  all.ordered = c.pointer == pointer_kind::shared;
  all.develop = develop;
  all.summarise(*file);
  if constexpr (requires { world->note(c.name, c.where()); }) world->note(c.name, c.where());
  return all;
}

template <communicator World>
agreement crew<World>::access(collective_call& c, report& done) try {
  traced_phases const traced(file->trace.get(), file->path);
  if (later) later->finish();
  return access_together(*world, *ranks, *file, *pointer, c, file->buffer, done);
} catch (rank_failure const& lost) {
  if (c.work.kind == access_kind::write)
    done.bytes = done.memory_bytes = 0;  // which windows were written, nobody can say any more
  return without(lost, world);
}

template <communicator World>
collective_plan crew<World>::explain(collective_call& c, agreement& result) try {
  if (later) later->finish();
  result = agree_to_begin(*world, c.given, c.develop, c.all);
  if (!result) return {};
  return plan_together(*world, *ranks, *file, c.work, c.all);
} catch (rank_failure const& lost) {
  result = without(lost, world);
  return {};
}

}  // namespace argosy::detail

#include <argosy/file/detail/crew_agents.hpp>

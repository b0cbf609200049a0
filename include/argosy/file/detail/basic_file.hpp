// Bodies of basic_file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/open.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/rank_failure.hpp>
#include <argosy/world/self.hpp>
#include <argosy/world/service.hpp>

namespace argosy {
namespace detail {

inline failure closed() { return {errc::file, "the file is not open"}; }

}  // namespace detail

// --- Plumbing --------------------------------------------------------------------------------------------------------

template <communicator World>
detail::open_file& basic_file<World>::local() const {
  if (!local_) throw error(argosy::alone(0, detail::closed()), "a call", "", 0);
  return *local_;
}

template <communicator World>
template <class Body>
agreement basic_file<World>::collectively(detail::arguments const& given, Body&& body) try {
  if (!is_open()) return alone(local_ ? local_->rank : 0, detail::closed());
  if constexpr (requires { world_->note(given.call(), given.where()); }) world_->note(given.call(), given.where());
  finish_later_calls();
  access_summary all;
  all.pending = local_->pending > 0 ? 1 : 0;
  agreement const start = detail::agree_to_begin(*world_, given, develop_, all);
  if (!start) return start;
  return detail::agree_on_outcome(*world_, detail::failure_of(errc::io, [&] {
    if constexpr (std::invocable<Body&, bool>)
      return body(all.pending > 0);
    else
      return body();
  }));
} catch (rank_failure const& lost) {
  return detail::without(lost, world_);
}

template <communicator World>
template <class Body>
agreement basic_file<World>::on_one_rank(detail::arguments const& given, Body&& body) {
  return collectively(given, [&] {
    failure f = unpartition();  // a partitioned file keeps its size
    if (!f && local_->rank == 0) f = detail::failure_of(errc::io, body);
    f.keep(partition());
    return f;
  });
}

template <communicator World>
report basic_file<World>::finish(agreement const& a, std::string_view call, report r, std::error_code* error) {
  if (error) *error = a.code;
  if (a) return r;
  int const rank = local_ ? local_->rank : 0;
  what_failed_ = message_of(a, call, local_ ? local_->path : std::string(), rank);
  if (a.thrown) std::rethrow_exception(a.thrown);
  if (!error) throw argosy::error(a, call, local_ ? local_->path : std::string(), rank);
  return r;
}

template <communicator World>
void basic_file<World>::done(agreement const& a, std::string_view call, on_error const& e) {
  finish(a, call, {}, e.error());
}

// --- Opening and closing ---------------------------------------------------------------------------------------------

template <communicator World>
basic_file<World> basic_file<World>::open(World const& world, std::string const& path, argosy::mode modes, hinted with,
                                          opener files) {
  basic_file f;
  f.done(f.open_agreed(world, path, modes, with, std::move(files)), "open", with);
  return f;
}

template <communicator World>
agreement basic_file<World>::open_agreed(World const& world, std::string const& path, argosy::mode modes,
                                         hinted const& with, opener files) try {
  if constexpr (requires { world.note("open", with.where()); }) world.note("open", with.where());
  world_.emplace(world.duplicate());
  local_ = detail::own_part(std::make_shared<detail::open_file>());
  local_->begin(path, modes, world_->rank(), world_->size(), with.hints(), std::move(files));
  if constexpr (working_in_background<World>) local_->workers = world_->make_background();
  develop_ = detail::wants_develop(local_->hints());

  detail::arguments given("open", with.where());
  given.same("path", path).same("mode", modes).same("hints", local_->hints().same_hash());
  given.require(!path.empty(), errc::bad_file, [] { return "the path is empty"; });
  given.require(fault_of(modes).empty(), errc::amode, [&] { return fault_of(modes); });
  agreement result = detail::agree_to_begin_first(*world_, given, develop_);

  // One rank makes the file, so that `exclusive` means what it says, and what a failed open leaves behind is known.
  bool const create = has(modes, mode::create), maker = world_->rank() == 0;
  bool made = false;
  if (result && create) result = detail::agree_on_outcome(*world_, maker ? local_->create(made) : failure());
  if (result) {
    failure mine = create && maker ? failure() : local_->open_existing();
    if (!mine && has(modes, mode::append)) mine = local_->to_end();
    bool no_locks = false;
    if (!mine && can_write(modes)) {
      failure const tried = local_->try_lock(no_locks);
      if (!no_locks) mine = tried;
    }
    result = detail::agree_on_outcome(*world_, mine, no_locks);
    local_->has_locks = !no_locks;
  }
  if (!result) {
    local_->abandon(made);
    world_.reset();
    return result;
  }
  prepare_together();
  if (has(modes, mode::append)) {
    // Every rank saw an end of its own; that of one rank counts.
    world_->broadcast(std::as_writable_bytes(std::span(&local_->position, 1)), 0);
    shared_->set(local_->position, local_->rank);
    world_->barrier();
  }
  follow_hints();
  return result;
} catch (rank_failure const& lost) {
  agreement const result = detail::without(lost, world_);
  if (local_) local_->abandon(false);
  world_.reset();
  return result;
}

// The shared pointer, and what collective calls keep.
template <communicator World>
void basic_file<World>::prepare_together() {
  team_ = std::make_shared<detail::team<World>>();
  // The pointer, and where ranks meet in nonblocking and in other calls.
  constexpr bool meets = node_waiting<World> && !working_in_background<World>;
  std::size_t const pointer_bytes = 64, meeting_bytes = meets ? memory_world::bytes_for(world_->size()) : 0;
  std::size_t const bytes = pointer_bytes + 2 * meeting_bytes;
  shared_memory common;
  bool shares = world_->size() == 1;
  if (shares) {
    common = self().share(bytes);
  } else if constexpr (node_sharing<World>) {
    World const node = world_->node();
    *team_ = detail::team<World>(node);
    if (node.size() == world_->size()) {
      std::error_code error;
      common = node.share(bytes, error);
      shares = !error;
    }
  }
  auto const part = [&](std::size_t from, std::size_t size) { return common.part(from, size); };
  if constexpr (requires { world_->meet_in(shared_memory()); })
    if (shares && world_->size() > 1) world_->meet_in(part(pointer_bytes + meeting_bytes, meeting_bytes));
  shared_ = std::make_shared<detail::shared_pointer>(shares ? detail::shared_pointer(part(0, sizeof(std::int64_t)))
                                                            : hidden_pointer());
  if (shares && meets)
    beside_ = std::make_unique<detail::beside>(
        memory_world(part(pointer_bytes, meeting_bytes), world_->rank(), world_->size()), local_.shared(), shared_);
  else
    later_.emplace(*world_, local_.shared(), shared_, team_);
}

template <communicator World>
detail::shared_pointer basic_file<World>::hidden_pointer() const {
  std::uint64_t name = 0;
  if constexpr (requires { world_->unique_number(); })
    name = world_->unique_number();
  else
    name = detail::random_name();
  world_->broadcast(std::as_writable_bytes(std::span(&name, 1)), 0);
  return {local_->files, detail::pointer_path(local_->path, name)};
}

// Where the hints, which are equal on all ranks, ask for agents and there are none yet.
template <communicator World>
void basic_file<World>::serve_agents() {
  if (!local_->wants_agents()) return;
  if constexpr (serving<World>) {
    std::unique_ptr<detail::agency> next = std::make_unique<detail::agency>(*local_, team_->group(*world_, *local_));
    std::error_code error;
    std::unique_ptr<service> all = world_->serve(next->answers(), error);
    if (error) {
      local_->why_no_agents = "agents cannot serve: " + error.message();
      return;
    }
    next->serve(std::move(all));
    local_->agents = std::move(next);
  } else {
    local_->why_no_agents = "ranks of this world cannot serve each other";
  }
}

// Each agent's stripes are cached on its node, if the hints, which are equal on all ranks, ask for that. Fails only where an
// earlier partitioning ends, and not well.
template <communicator World>
failure basic_file<World>::partition() {
  using detail::partitioning;
  partitioning& parts = local_->parts;
  bool const wanted = local_->wants_partitioning();
  if (!wanted && parts.asked() == partitioning::stripes()) return {};
  rank_group const& ranks = local_->agents ? local_->agents->ranks() : team_->group(*world_, *local_);
  data_shipping const how = local_->choice().data_shipping;
  partitioning::stripes const next = wanted ? partitioning::stripes_of(how, ranks) : partitioning::stripes();
  if (parts.asked() == next) return {};
  detail::agent_nodes nodes;
  nodes.busy = local_->pending > 0;
  failure const unknown = detail::failure_of(errc::io, [&]() -> failure {
    parts.add_node(nodes, local_->handle.node(), local_->rank, how, ranks);
    nodes.can_be_told = local_->handle.takes_hints();
    return {};
  });
  if (unknown) nodes.can_be_told = false;
  world_->all_reduce(nodes);
  if (nodes.busy) return {};  // at the next call that looks at hints
  failure const ended = unpartition();
  if (!wanted || parts.is_on()) return ended;
  bool const possible = partitioning::is_possible(next, nodes);
  agreement started;
  bool released = false;
  if (possible) {
    failure mine =
        detail::failure_of(errc::io, [&] { return partitioning::start(local_->handle, next, world_->size(), nodes); });
    released = partitioning::was_released(mine);
    started = detail::agree_on_outcome(*world_, released ? failure() : mine, released);
  }
  bool const on = possible && started && !released;
  parts.is_now(next, on ? "" : "refused");
  if (!on)  // in more words, if there is memory for them
    detail::failure_of(errc::io, [&] {
      parts.is_now(next, !possible  ? partitioning::why_impossible(next, nodes)
                         : !started ? message_of(started, "fcntl", path(), local_->rank)
                                    : "a rank did not start it in time, or its node is lost");
    });
  return ended;
}

// All ranks know whether it is over. If not, the next call that needs it over tries again, and so does the end of the handle.
template <communicator World>
failure basic_file<World>::unpartition() {
  using detail::partitioning;
  if (!local_->parts.is_on()) return {};
  failure mine = detail::failure_of(errc::io, [&] { return partitioning::stop(local_->handle); });
  bool kept = mine && !partitioning::has_ended(mine);
  bool const released = partitioning::was_released(mine);
  bool const known = !detail::agree_on_outcome(*world_, released ? failure() : mine, kept);  // by some rank, why
  if (!kept) local_->parts.is_now({});
  if (mine && !kept && !local_->lost) local_->lost = mine;
  return known && released ? failure() : mine;
}

template <communicator World>
failure basic_file<World>::follow_hints() {
  if (local_->agents) local_->agents->set_prices(local_->choice().sieving_of_owner());
  serve_agents();
  return partition();
}

// Before other collective calls: all ranks have begun those.
template <communicator World>
void basic_file<World>::finish_later_calls() {
  if (beside_) beside_->drain();
  if (later_) later_->finish();
}

template <communicator World>
agreement basic_file<World>::close_agreed(on_error const& e) try {
  if (is_open()) local_->drain();
  agreement result = collectively(detail::arguments("close", e.where()), [&]() -> failure {
    local_->agents.reset();  // no rank has calls under way
    shared_->close();
    failure ended = unpartition();
    ended.keep(local_->handle.close());
    return ended;
  });
  if (result.cause == errc::rank_failed && is_open()) {
    local_->agents.reset();
    local_->handle.close();
  }
  if (!world_ || local_->handle.is_open()) return result;  // it was not open, or ranks were in different calls
  if (local_->rank == 0) shared_->remove();
  beside_ = {};
  later_ = {};
  shared_ = {};
  team_ = {};
  if (has(local_->modes, mode::delete_on_close)) {
    failure removed;
    if (local_->rank == 0)
      if (auto const kept = local_->files.remove(local_->path)) removed = {kept, "deleting the file"};
    agreement const all_removed = detail::agree_on_outcome(*world_, removed);
    if (result) result = all_removed;
  }
  world_.reset();
  return result;
} catch (rank_failure const& lost) {
  agreement const result = detail::without(lost, world_);
  world_.reset();
  return result;
}

// --- The view --------------------------------------------------------------------------------------------------------

// Asked on rank 0, when all have come, and told to all: others may see another end, or another pointer. Nothing if it cannot
// tell; then `f` says why, on that rank. What it throws does not let it leave the others waiting.
template <communicator World>
template <class Ask>
std::optional<std::int64_t> basic_file<World>::told_by_one(Ask&& ask, failure& f) {
  struct answer {
    std::int64_t value = 0;
    std::int64_t failed = 0;
  } told;
  if (local_->rank == 0) {
    f = detail::failure_of(errc::io, [&] {
      failure mine;
      told.value = ask(mine);
      return mine;
    });
    told.failed = f ? 1 : 0;
  }
  world_->broadcast(std::as_writable_bytes(std::span(&told, 1)), 0);
  return told.failed == 0 ? std::optional(told.value) : std::nullopt;
}

// The view at the place where the shared pointer stands. Nothing if a rank cannot have it.
template <communicator World>
failure basic_file<World>::begin_at_pointer(view_shape const& shape, std::shared_ptr<detail::used_view const>& next) {
  failure mine;
  auto const at = told_by_one([&](failure& f) { return shared_->get(f); }, mine);
  next = nullptr;
  if (!at) return mine;
  std::shared_ptr<detail::used_view const> made;
  mine = detail::failure_of(errc::datatype,
                            [&] { made = std::make_shared<detail::used_view const>(shape.at(byte_offset(*at))); });
  if (detail::agree_on_outcome(*world_, mine)) next = std::move(made);
  return mine;
}

template <communicator World>
agreement basic_file<World>::set_view_agreed(std::int64_t displacement, view_shape const& shape, hinted const& with) {
  if (!is_open()) return alone(local_ ? local_->rank : 0, detail::closed());
  detail::arguments given("set_view", with.where());
  std::shared_ptr<detail::used_view const> next;
  bool const sequential = has(local_->modes, mode::sequential);
  given.require(displacement >= 0 || displacement == current_displacement, errc::argument, [&] {
    return "the displacement is " + std::to_string(displacement) + " bytes; it must not be negative";
  });
  given.require(sequential == (displacement == current_displacement), errc::argument, [&] {
    return sequential ? "the view of a sequential file begins at current_displacement"
                      : "current_displacement is for sequential files";
  });
  given.require(local_->pending == 0, errc::unsupported, [] { return "requests are pending; wait for them first"; });
  if (!given.fault()) {
    given.fail(detail::failure_of(errc::datatype, [&] {
      argosy::view v = shape.at(sequential ? 0 : displacement);
      if (can_write(local_->modes)) v.require_writable();
      next = std::make_shared<detail::used_view const>(std::move(v));
    }));
  }
  file_hints changed = local_->hints();
  changed.merge(with.hints(), hint_source::code, hint_moment::set_view);
  given.same("extent of the etype", next ? next->view.etype().extent() : 0);
  given.same("representation", next ? next->view.representation().name() : std::string_view());
  given.same("hints", changed.same_hash());
  return collectively(given, [&]() -> failure {
    failure const astray = sequential ? begin_at_pointer(shape, next) : failure();
    if (!next) return astray;
    local_->where = next;
    local_->follow(std::move(changed));
    local_->position = 0;
    shared_->set(0, local_->rank);
    return follow_hints();
  });
}

// --- The file as a whole ---------------------------------------------------------------------------------------------

template <communicator World>
std::int64_t basic_file<World>::byte_offset(std::int64_t offset) const {
  auto const at = view().byte_offset(offset);
  if (!at)
    throw error(alone(local().rank, {errc::argument, "offset " + std::to_string(offset) + " is no place in the view"}),
                "byte_offset", path(), local().rank);
  return *at;
}

template <communicator World>
std::int64_t basic_file<World>::size(on_error e) const {
  if (!local_ && e.error()) {
    *e.error() = errc::file;
    return 0;
  }
  std::error_code error;
  std::int64_t const bytes = local().handle.size(error);
  if (e.error()) *e.error() = error ? make_error_code(classify(error)) : error;
  if (error && !e.error()) throw argosy::error(alone(local().rank, error), "size", path(), local().rank);
  return error ? 0 : bytes;
}

namespace detail {

inline void require_resizable(arguments& given, open_file const* f, std::int64_t bytes) {
  given.same("size", bytes);
  given.require(bytes >= 0, errc::argument,
                [&] { return "the size is " + std::to_string(bytes) + " bytes; it must not be negative"; });
  if (!f) return;
  given.require(can_write(f->modes), errc::amode, [] { return "the file was opened for reading only"; });
  given.require(!has(f->modes, mode::sequential), errc::amode, [] { return "the file is sequential"; });
  given.require(f->pending == 0, errc::unsupported, [] { return "requests are pending; wait for them first"; });
}

}  // namespace detail

template <communicator World>
agreement basic_file<World>::set_size_agreed(std::int64_t bytes, on_error const& e) {
  detail::arguments given("set_size", e.where());
  detail::require_resizable(given, local_.shared().get(), bytes);
  return on_one_rank(given, [&]() -> failure { return local_->handle.resize(bytes); });
}

template <communicator World>
agreement basic_file<World>::preallocate_agreed(std::int64_t bytes, on_error const& e) {
  detail::arguments given("preallocate", e.where());
  detail::require_resizable(given, local_.shared().get(), bytes);
  return on_one_rank(given, [&]() -> failure { return local_->handle.preallocate(bytes); });
}

template <communicator World>
agreement basic_file<World>::sync_agreed(on_error const& e) {
  return collectively(detail::arguments("sync", e.where()), [&]() -> failure {
    if (local_->lost) return local_->lost;
    if (auto const lost = local_->handle.sync())
      local_->lost = {lost,
                      "what was written since the last sync may be lost: write it again, and call clear_sync_error()"};
    return local_->lost;
  });
}

template <communicator World>
agreement basic_file<World>::set_atomic_agreed(bool on, on_error const& e) {
  detail::arguments given("set_atomic", e.where());
  given.same("flag", on);
  agreement const result = collectively(given, [&]() -> failure {
    if (!on) return {};
    bool none = false;
    failure f = local_->try_lock(none);
    if (f) f.detail = "atomic mode needs byte-range locks";
    return f;
  });
  if (result) local_->atomic = on;
  return result;
}

template <communicator World>
agreement basic_file<World>::set_hints_agreed(hints const& h, on_error const& e) {
  if (!is_open()) return alone(local_ ? local_->rank : 0, detail::closed());
  detail::arguments given("set_hints", e.where());
  // Compared as if nothing were pending: the requests of a rank are its own, and what they refuse, all refuse.
  file_hints changed = local_->hints();
  changed.merge(h, hint_source::code, hint_moment::set_hints);
  given.same("hints", changed.same_hash());
  return collectively(given, [&](bool pending) -> failure {
    if (pending) {
      changed = local_->hints();
      changed.merge(h, hint_source::code, hint_moment::set_hints, true);
    }
    local_->follow(std::move(changed));
    return follow_hints();
  });
}

// --- Pointers --------------------------------------------------------------------------------------------------------

template <communicator World>
std::int64_t basic_file<World>::from(std::int64_t offset, seek_from whence, std::int64_t current, failure& f) const {
  std::int64_t base = 0, result = 0;
  if (whence == seek_from::current) base = current;
  if (whence == seek_from::end) {
    std::error_code e;
    std::int64_t const bytes = local_->handle.size(e);
    if (e) f.keep({e, "asking for the size of the file"});
    if (!f) base = view().offset_of_end(bytes);
  }
  if (!f && (__builtin_add_overflow(base, offset, &result) || result < 0))
    f.keep({errc::argument,
            "offset " + std::to_string(offset) + " from " + std::to_string(base) + " is no place in the view"});
  return result;
}

template <communicator World>
failure basic_file<World>::seek_here(std::int64_t offset, seek_from whence) {
  if (!is_open()) return detail::closed();
  if (has(local_->modes, mode::sequential)) return {errc::amode, "a sequential file has no individual pointers"};
  failure f;
  std::int64_t const to = from(offset, whence, local_->position, f);
  if (!f) local_->position = to;
  return f;
}

template <communicator World>
agreement basic_file<World>::seek_shared_agreed(std::int64_t offset, seek_from whence, on_error const& e) {
  detail::arguments given("seek_shared", e.where());
  given.same("offset", offset).same("whence", static_cast<std::int64_t>(whence));
  given.require(!local_ || !has(local_->modes, mode::sequential), errc::amode,
                [] { return "a sequential file is accessed from its start to its end"; });
  return collectively(given, [&]() -> failure {
    failure f;
    auto const to = told_by_one(
        [&](failure& mine) {
          std::int64_t const now = whence == seek_from::current ? shared_->get(mine) : 0;
          return from(offset, whence, now, mine);
        },
        f);
    if (to) shared_->set(*to, local_->rank);
    return f;
  });
}

template <communicator World>
std::int64_t basic_file<World>::position_shared() {
  failure f;
  std::int64_t const at = is_open() ? shared_->get(f) : 0;
  if (!is_open()) f = detail::closed();
  finish(alone(local().rank, f), "position_shared", {}, nullptr);
  return at;
}

// --- Reading and writing ---------------------------------------------------------------------------------------------

template <communicator World>
failure basic_file<World>::prepare(detail::call const& c, detail::job& t) const {
  return is_open() ? local_->prepare(c, t) : detail::closed();
}

template <communicator World>
failure basic_file<World>::find_shared_place(detail::job& t) {
  failure f;
  std::int64_t const at = shared_->add(t.etypes, f);
  return f ? f : local_->locate(at, t);
}

template <communicator World>
report basic_file<World>::access_alone(detail::call const& c) {
  report r;
  detail::job t;
  failure f = prepare(c, t);
  if (!f && c.pointer == pointer_kind::shared) f = find_shared_place(t);
  if (!f) f = local_->access_alone(t, local_->buffer, r);
  if (!f && c.pointer == pointer_kind::individual) local_->position += t.etypes;
  return finish(alone(local_ ? local_->rank : 0, std::move(f)), c.name, std::move(r), c.error());
}

template <communicator World>
std::shared_ptr<detail::operation> basic_file<World>::launch(detail::call const& c,
                                                             std::function<void(detail::operation const&)> then) {
  detail::job t;
  failure f = prepare(c, t);
  if (!f && c.pointer == pointer_kind::shared) f = find_shared_place(t);
  if (f) {
    auto const file = local_ ? local_.shared() : std::make_shared<detail::open_file>();
    auto ended = std::make_shared<detail::ended_operation>(c.name, file, alone(file->rank, std::move(f)));
    if (then) then(*ended);
    return ended;
  }
  if (c.pointer == pointer_kind::individual) local_->position += t.etypes;
  t.keep(std::move(c.data));
  auto operation = std::make_shared<detail::file_operation>(c.name, local_.shared(), std::move(t));
  if (then)  // the operation lives while it runs
    operation->start([then = std::move(then), o = operation.get()] { then(*o); });
  else
    operation->start();
  return operation;
}

template <communicator World>
detail::collective_call basic_file<World>::described(detail::call const& c) const {
  detail::collective_call all(c.name, c.where());
  all.given.fail(prepare(c, all.work));
  all.ordered = c.pointer == pointer_kind::shared;
  all.develop = develop_;
  all.summarise(*local_);
  if constexpr (requires { world_->note(c.name, c.where()); }) world_->note(c.name, c.where());
  return all;
}

template <communicator World>
report basic_file<World>::access_together(detail::call const& c) {
  if (!is_open()) return finish(alone(local_ ? local_->rank : 0, detail::closed()), c.name, {}, c.error());
  report r;
  agreement result;
  detail::collective_call all = described(c);
  try {
    if (later_) later_->finish();
    result = detail::access_together(*world_, *team_, *local_, *shared_, all, local_->buffer, r);
  } catch (rank_failure const& lost) {
    result = detail::without(lost, world_);
    if (c.kind == access_kind::write) r.bytes = 0;  // which windows the aggregators wrote, nobody can say any more
  }
  if (result && c.pointer == pointer_kind::individual) local_->position += all.work.etypes;
  return finish(result, c.name, std::move(r), c.error());
}

template <communicator World>
request basic_file<World>::begin_together(detail::call const& c) {
  if (!is_open()) {
    auto const file = local_ ? local_.shared() : std::make_shared<detail::open_file>();
    return request(std::make_shared<detail::ended_operation>(c.name, file, alone(file->rank, detail::closed())));
  }
  detail::collective_call all = described(c);
  all.work.keep(std::move(c.data));
  if (c.pointer == pointer_kind::individual) local_->position += all.work.etypes;
  if (beside_) {
    all.all.pending = 1;  // whatever comes after it may be carried out at the same time
    return request(beside_->start(std::move(all)));
  }
  return request(later_->start(std::move(all)));
}

template <communicator World>
void basic_file<World>::begin_split(detail::call const& c) {
  if (split_.pending())
    throw error(alone(local().rank, {errc::argument, "another split call has begun on this file; end() it first"}),
                c.name, path(), local().rank);
  split_ = begin_together(c);
}

template <communicator World>
collective_plan basic_file<World>::explain_together(detail::call const& c) {
  collective_plan p;
  agreement result = alone(local_ ? local_->rank : 0, detail::closed());
  if (is_open()) try {
      detail::collective_call all = described(c);
      if (later_) later_->finish();
      result = detail::agree_to_begin(*world_, all.given, all.develop, all.all);
      if (result) p = detail::plan_together(*world_, *team_, *local_, all.work, all.all);
    } catch (rank_failure const& lost) {
      result = detail::without(lost, world_);
    }
  finish(result, c.name, {}, nullptr);
  return p;
}

template <communicator World>
plan basic_file<World>::explain_alone(detail::call const& c) const {
  detail::job t;
  failure f = prepare(c, t);
  if (f) throw error(alone(local().rank, std::move(f)), c.name, path(), local().rank);
  return local_->explain(t);
}

}  // namespace argosy

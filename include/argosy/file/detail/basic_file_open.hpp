// Bodies of basic_file: opening, closing, and how calls end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/agreed_hints.hpp>
#include <argosy/file/detail/call_watch.hpp>
#include <argosy/file/detail/common_storage.hpp>
#include <argosy/file/detail/crew.hpp>

namespace argosy {

namespace detail {

// Closes the handle of this rank, and removes the file before if it `removes` it. A handle that
// cannot be closed is dropped: no rank may stay in a file that the others have left.
inline failure let_go(open_file& part, bool removes) {
  if (!part.handle().is_open()) return {};
  if (removes) return part.remove_and_close();
  failure f = failure_of(errc::io, [&] { return failure(part.handle().close()); });
  if (part.handle().is_open()) part.handle() = {};
  return f;
}

}  // namespace detail

template <communicator World>
basic_file<World>::basic_file() = default;
template <communicator World>
basic_file<World>::basic_file(basic_file&&) noexcept = default;
template <communicator World>
basic_file<World>& basic_file<World>::operator=(basic_file&& other) noexcept {
  if (this == &other) return *this;
  basic_file const old(std::move(*this));  // goes as a file does that is destroyed
  crew_ = std::move(other.crew_);
  split_ = std::move(other.split_);
  split_call_ = other.split_call_;
  what_failed_ = std::move(other.what_failed_);
  return *this;
}
template <communicator World>
basic_file<World>::~basic_file() {
  if (crew_ && crew_->file && crew_->file->is_of_parent()) static_cast<void>(crew_.release());
}

template <communicator World>
bool basic_file<World>::is_open() const noexcept {
  return crew_ && crew_->file && crew_->file->handle().is_open();
}

template <communicator World>
int basic_file<World>::rank() const noexcept {
  return crew_ && crew_->file ? crew_->file->rank() : -1;  // never opened: it does not know
}

template <communicator World>
detail::open_file& basic_file<World>::local() const {
  if (!crew_ || !crew_->file) throw error(alone(-1, detail::closed()), "a call", "", -1);
  return *crew_->file;
}

// Carries out a part of a collective call that makes its own agreements, with memory kept for it.
template <communicator World>
template <class Body>
agreement basic_file<World>::with_memory(Body&& body) {
  if (!is_open()) return alone(rank(), detail::closed());
  return detail::with_reserve(*crew_->world, body);
}

// Where the file is open: without it there is nobody to ask.
template <communicator World>
template <class Body>
agreement basic_file<World>::collectively(detail::arguments const& given, Body&& body) {
  return with_memory([&] { return crew_->collectively(given, body); });
}

template <communicator World>
template <class Body>
agreement basic_file<World>::on_one_rank(detail::arguments const& given, Body&& body) {
  return with_memory([&] { return crew_->on_one_rank(given, body); });
}

template <communicator World>
void basic_file<World>::end_call(agreement const& a, std::string_view call, report const* done,
                                 std::error_code* error) {
  if (error) *error = a.code;
  what_failed_.clear();
  if (a) return;
  std::string_view const path = crew_ && crew_->file ? std::string_view(crew_->file->path()) : std::string_view();
  detail::memory_reserve const kept;  // for the words
  try {
    what_failed_.set(detail::message_of(a, call, path, rank()));
  } catch (std::bad_alloc const&) {  // the code says why
    if (!error) throw;
  }
  if (a.thrown && !(error && a.code == errc::no_memory)) std::rethrow_exception(a.thrown);
  if (!error) throw argosy::error(a, call, path, rank(), done ? std::make_shared<report const>(*done) : nullptr);
}

template <communicator World>
report basic_file<World>::finish(agreement const& a, std::string_view call, report r, std::error_code* error) {
  end_call(a, call, &r, error);
  return r;
}

template <communicator World>
void basic_file<World>::done(agreement const& a, std::string_view call, on_error const& e) {
  end_call(a, call, nullptr, e.error());
}

template <communicator World>
basic_file<World> basic_file<World>::open(World const& world, std::string const& path, argosy::mode modes,
                                          detail::hinted with, opener files) {
  basic_file f;
  agreement const result =
      detail::with_reserve(world, [&] { return f.open_agreed(world, path, modes, with, std::move(files)); });
  f.done(result, "open", with);
  return f;
}

template <communicator World>
agreement basic_file<World>::open_agreed(World const& world, std::string const& name, argosy::mode modes,
                                         detail::hinted const& with, opener files) try {
  crew_ = std::make_unique<detail::crew<World>>();
  detail::crew<World>& crew = *crew_;
  std::string const path = detail::without_prefix(name);
  if constexpr (requires { world.note("open", with.where()); }) world.note("open", with.where());
  std::shared_ptr<detail::call_board> watched;
  if constexpr (!working_in_background<World>)
    watched = detail::call_watch::from_environment(path, world.rank());
  using board = detail::call_board;
  board::waiting const here(watched.get(), board::lane::blocking, 1, "open", with.where());
  crew.file = detail::own_part(std::make_shared<detail::open_file>());
  detail::open_file& part = *crew.file;
  part.begin(path, modes, world.rank(), world.size(), with.hints(), std::move(files));
  part.before_waiting();  // what it did to other files
  crew.world.emplace(world.duplicate());
  if constexpr (requires { World::calls_from_threads(); })
    if (World::calls_from_threads()) part.others().threads().expect_others();
  if constexpr (working_in_background<World>) part.others().run_on(crew.world->make_background());
  crew.develop = detail::wants_develop(part.hints());
  crew.watched = watched != nullptr;

  detail::agreed_hints asked{part.hints()};
  auto const agreed = [&](std::optional<detail::facts> compared) {
    detail::arguments given("open", with.where());
    if (compared)
      given.same("path", detail::place_of(path, *compared), path);
    else
      given.same("path", path);
    std::string const how = to_string(modes);
    given.same("mode", static_cast<std::uint64_t>(modes), how);
    asked.compare_in(given);
    given.require(!path.empty(), errc::bad_file, [] { return "the path is empty"; });
    given.require(detail::fault_of(modes).empty(), errc::amode, [&] { return detail::fault_of(modes); });
    return detail::agree_to_begin_first(*crew.world, given, crew.develop, crew.watched);
  };
  agreement result = detail::with_agreed_hints(crew.world, asked, [&] {
    agreement a;
    if (crew.one_path) a = agreed(std::nullopt);
    if (crew.one_path && (a.cause != errc::not_same || asked.differ)) return a;
    crew.one_path = false;  // perhaps the same file by another name
    for (auto const compared :
         {detail::facts::lasting, detail::facts::momentary, detail::facts::lasting})
      if (a = agreed(compared); a.cause != errc::not_same || asked.differ) break;
    return a;
  });
  part.seen_by().board_is(crew.watched && !watched ? detail::call_watch::of_others() : watched);
  part.seen_by().develop(crew.develop);

  // One rank makes the file, so that `exclusive` means what it says, and what a failed open leaves behind is known.
  bool const create = has(modes, mode::create), maker = crew.world->rank() == 0;
  bool const enters = part.merges().enters();
  std::uint64_t const own_number = enters && maker ? crew.own_number() : 0;
  bool made = false, no_locks = false;
  if (result && create) {
    // The opener, and the handle that it returns, may be code of the program.
    failure const mine =
        maker
            ? detail::failure_of(errc::io, [&] { return part.create(own_number, made, no_locks); })
            : failure();
    part.before_waiting();
    result = detail::agree_on_outcome(*crew.world, mine);
  }
  if (result) {
    std::uint64_t const number = enters ? crew.told_by_first(own_number) : 0;
    bool const is_open = create && maker;
    failure const mine = detail::failure_of(errc::io, [&] {
      if (asked.of_first) part.follow(std::move(asked.mine));
      failure f = is_open ? failure() : part.open_existing();
      if (!f && has(modes, mode::append) && !has(modes, mode::truncate)) f = part.to_end();
      if (f || !detail::can_write(modes)) return f;
      if (!enters) f = part.merges().try_lock(part.handle(), no_locks);
      if (enters && !is_open) f = part.merges().enter(part.handle(), number, no_locks);
      if (!f && enters && !is_open && maker && !part.has_its_name())
        f = {errc::no_such_file, "the file lost its name while it was opened"};
      return no_locks ? failure() : f;
    });
    // True on all ranks, if it is on one.
    int flags = (no_locks ? 1 : 0) | (detail::wants_report() ? 2 : 0) | (part.complains() ? 4 : 0);
    part.before_waiting();
    result = detail::agree_on_outcome(*crew.world, mine, flags);
    if ((flags & 1) != 0) part.merges().lacks_locks();
    crew.reports = (flags & 2) != 0;
    // Only after a success is every rank here: ranks in different calls meet, too.
    if (result && (flags & 4) != 0) crew.complain_once();
  }
  // Not before: a failed open leaves what was there.
  if (result && has(modes, mode::truncate))
    result = detail::agree_on_outcome(*crew.world, maker ? part.cut() : failure());
  if (!result) {
    if (part.rank() == 0 || part.rank() == result.failed_rank) part.complain(0);
    detail::failure_of(errc::io, [&] { part.abandon(made); });
    crew.world.reset();
    return result;
  }
  if constexpr (requires { crew.world->now(); })
    part.seen_by().tell_time_by({[world = *crew.world] { return detail::now_ns(world); }});
  if (crew.reports) {
    part.seen_by().report_on(path, part.rank());
  }
  crew.meet();
  part.lies_on(detail::common_storage(*crew.world, part.handle(), part.merges().is_near()));
  if (part.merges().may_lock_in_vain() && !crew.locks_reach_all()) part.merges().locks_in_vain();
  if (has(modes, mode::append)) {
    // Every rank saw an end of its own; that of one rank counts.
    std::int64_t end = part.position().get();
    crew.world->broadcast(std::as_writable_bytes(std::span(&end, 1)), 0);
    part.position().set(end);
    crew.pointer->set(end, part.rank());
    crew.world->barrier();
  }
  crew.follow_hints();
  return result;
} catch (rank_failure const& lost) {
  agreement const result = detail::without(lost, crew_->world);
  if (crew_->file) crew_->file->abandon(false);
  crew_->world.reset();
  return result;
}

template <communicator World>
void basic_file<World>::close(on_error e) {
  if (!is_open()) return done(close_agreed(e), "close", e);
  World const world = *crew_->world;  // which close_agreed lets go
  done(detail::with_reserve(world, [&] { return close_agreed(e); }), "close", e);
}

template <communicator World>
agreement basic_file<World>::close_agreed(on_error const& e) try {
  if (!crew_ || !crew_->file) return alone(-1, detail::closed());
  detail::crew<World>& crew = *crew_;
  detail::open_file& part = *crew.file;
  if (!is_open()) return alone(rank(), detail::closed());
  part.drain();
  // Rank 0 removes the file when all others have closed it, and closes it after that: as long as a
  // file is open no other file is taken for it.
  bool const asked = part.removes();
  bool const stays_open = asked && part.rank() == 0;
  bool removes = asked, ended = false;
  // The handle may be code of the program, which throws. What follows is carried out all the same,
  // since the other ranks agree on it.
  auto const end = [&]() -> failure {
    ended = true;
    part.agents().end();  // no rank has calls under way
    failure const pointer = detail::failure_of(errc::io, [&] { crew.pointer->close(); });
    failure const split = detail::failure_of(errc::io, [&] { split_.tell_by_close(); });
    failure all = part.late().take();
    all.keep(pointer);
    all.keep(split);
    all.keep(crew.unpartition());
    if (!stays_open) all.keep(detail::let_go(part, false));
    return all;
  };
  agreement result = crew.collectively(detail::arguments("close", e.where()), end, &removes);
  bool const lost = result.cause == errc::rank_failed;
  if (!ended && !lost) return result;  // ranks were in different calls
  part.agents().end();
  if (!stays_open || !crew.world) detail::let_go(part, stays_open);
  if (!crew.world) return result;
  // The opener may be code of the program, which throws.
  if (part.rank() == 0) detail::failure_of(errc::io, [&] { crew.pointer->remove(); });
  crew.disband();
  if (removes) {
    failure removed;
    if (stays_open) removed = part.remove_and_close();
    agreement all_removed = detail::agree_on_outcome(*crew.world, removed);
    // Moved, since the ranks have agreed, and a copy could fail on this one alone.
    if (result) {
      result = std::move(all_removed);
    } else if (removed && result.code == errc::error_on_another_rank) {
      result.code = classify(removed.code);
      result.thrown = removed.thrown;
      result.own = std::move(removed);
    }
  }
  if (crew.reports && result.cause != errc::rank_failed) crew.tell_usage(result);
  part.seen_by().tell_time_by({});  // of the world that goes
  crew.world.reset();
  return result;
} catch (rank_failure const& lost) {
  agreement const result = detail::without(lost, crew_->world);
  detail::open_file& part = *crew_->file;
  bool const removes = part.removes();
  detail::let_go(part, removes && part.rank() == 0);
  crew_->world.reset();
  return result;
}

}  // namespace argosy

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
#include <argosy/file/detail/protocol/open_steps.hpp>
#include <argosy/file/detail/ranks/call_watch.hpp>
#include <argosy/file/detail/ranks/crew.hpp>

namespace argosy {

namespace detail {

// Closes the handle of this rank; before that, removes the file if `removes` is true. A handle that
// cannot be closed is dropped, so that no rank stays in a file that the others have left.
inline failure let_go(open_file& part, bool removes) {
  if (!part.handle().is_open()) return {};
  if (removes) return part.remove_and_close();
  failure f = failure_of(errc::io, [&] { return failure(part.handle().close()); });
  if (part.handle().is_open()) part.handle() = {};
  return f;
}

// Adds to the outcome of close() what removing the file brought: on all ranks, and on this one.
inline void add_removal(extend::agreement& result, extend::agreement&& on_all, failure&& here) {
  // Moved, not copied: the ranks have agreed, and a copy could fail on this rank alone.
  if (result) {
    result = std::move(on_all);
  } else if (here && result.code == errc::error_on_another_rank) {
    result.code = classify(here.code);
    result.thrown = here.thrown;
    result.own = std::move(here);
  }
}

}  // namespace detail

template <communicator World>
basic_file<World>::basic_file() = default;
template <communicator World>
basic_file<World>::basic_file(basic_file&&) noexcept = default;
template <communicator World>
basic_file<World>& basic_file<World>::operator=(basic_file&& other) noexcept {
  if (this == &other) return *this;
  basic_file const old(std::move(*this));  // the destructor ends the file that was open here
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
  // -1 if it was never opened: then the rank is not known
  return crew_ && crew_->file ? crew_->file->rank() : -1;
}

template <communicator World>
detail::open_file& basic_file<World>::local() const {
  if (!crew_ || !crew_->file)
    throw error(detail::local_agreement(-1, detail::closed()), "a call", "", -1);
  return *crew_->file;
}

// Carries out a part of a collective call that makes its own agreements, with memory reserved for
// it.
template <communicator World>
template <class Body>
extend::agreement basic_file<World>::with_memory(Body&& body) {
  if (!is_open()) return detail::local_agreement(rank(), detail::closed());
  return detail::with_reserve(*crew_->world, body);
}

// Makes a collective call if the file is open. If it is not, there are no ranks to agree with, and
// the error is local.
template <communicator World>
template <class Body>
extend::agreement basic_file<World>::collectively(detail::arguments const& given, Body&& body) {
  return with_memory([&] { return crew_->collectively(given, body); });
}

template <communicator World>
template <class Body>
extend::agreement basic_file<World>::on_one_rank(detail::arguments const& given, Body&& body) {
  return with_memory([&] { return crew_->on_one_rank(given, body); });
}

template <communicator World>
void basic_file<World>::end_call(extend::agreement const& a, std::string_view call,
                                 report const* done, std::error_code* error) {
  if (error) *error = a.code;
  what_failed_.clear();
  if (a) return;
  std::string_view const path =
      crew_ && crew_->file ? std::string_view(crew_->file->path()) : std::string_view();
  detail::memory_reserve const kept;  // memory for the message
  try {
    what_failed_.set(detail::message_of(a, call, path, rank()));
    // without memory for the message, the error code alone is reported
  } catch (std::bad_alloc const&) {
    if (!error) throw;
  }
  if (a.thrown && !(error && a.code == errc::no_memory)) std::rethrow_exception(a.thrown);
  if (!error)
    throw argosy::error(a, call, path, rank(),
                        done ? std::make_shared<report const>(*done) : nullptr);
}

template <communicator World>
report basic_file<World>::finish(extend::agreement const& a, std::string_view call, report r,
                                 std::error_code* error) {
  end_call(a, call, &r, error);
  return r;
}

template <communicator World>
void basic_file<World>::done(extend::agreement const& a, std::string_view call, on_error const& e) {
  end_call(a, call, nullptr, e.error());
}

template <communicator World>
basic_file<World> basic_file<World>::open(World const& world, std::string const& path,
                                          argosy::mode modes, detail::hinted with, opener files) {
  basic_file f;
  extend::agreement const result = detail::with_reserve(
      world, [&] { return f.open_agreed(world, path, modes, with, std::move(files)); });
  f.done(result, "open", with);
  return f;
}

template <communicator World>
extend::agreement basic_file<World>::open_agreed(World const& world, std::string const& name,
                                                 argosy::mode modes, detail::hinted const& with,
                                                 opener files) try {
  crew_ = std::make_unique<detail::crew<World>>();
  std::string const path = detail::without_prefix(name);
  return detail::open_steps<World>(*crew_, path, modes, with).run(world, std::move(files));
} catch (extend::rank_failure const& lost) {
  extend::agreement const result = detail::without(lost, crew_->world);
  if (crew_->file) crew_->file->abandon(false);
  crew_->world.reset();
  return result;
}

template <communicator World>
void basic_file<World>::close(on_error e) {
  if (!is_open()) return done(close_agreed(e), "close", e);
  World const world = *crew_->world;  // a copy, because close_agreed drops the file's own
  done(detail::with_reserve(world, [&] { return close_agreed(e); }), "close", e);
}

template <communicator World>
extend::agreement basic_file<World>::close_agreed(on_error const& e) try {
  if (!crew_ || !crew_->file) return detail::local_agreement(-1, detail::closed());
  detail::crew<World>& crew = *crew_;
  detail::open_file& part = *crew.file;
  if (!is_open()) return detail::local_agreement(rank(), detail::closed());
  part.drain();
  // Rank 0 removes the file after all other ranks have closed it, and closes it last. While the
  // file is open, no other file can be mistaken for it.
  bool const asked = part.removes();
  bool const stays_open = asked && part.rank() == 0;
  bool removes = asked, ended = false;
  // The handle may be code of the program and may throw. The remaining steps are carried out
  // nevertheless, since the other ranks agree on them.
  auto const end = [&]() -> extend::failure {
    ended = true;
    part.agents().end();  // no rank has calls in progress
    extend::failure const pointer = detail::failure_of(errc::io, [&] { crew.pointer->close(); });
    extend::failure const split = detail::failure_of(errc::io, [&] { split_.tell_by_close(); });
    extend::failure all = part.late().take();
    all.keep(pointer);
    all.keep(split);
    all.keep(crew.unpartition());
    if (!stays_open) all.keep(detail::let_go(part, false));
    return all;
  };
  extend::agreement result =
      crew.collectively(detail::arguments("close", e.where()), end, &removes);
  bool const lost = result.cause == errc::rank_failed;
  if (!ended && !lost) return result;  // ranks were in different calls
  part.agents().end();
  if (!stays_open || !crew.world) detail::let_go(part, stays_open);
  if (!crew.world) return result;
  // The opener may be code of the program and may throw.
  if (part.rank() == 0) detail::failure_of(errc::io, [&] { crew.pointer->remove(); });
  crew.disband();
  if (removes) {
    extend::failure removed;
    if (stays_open) removed = part.remove_and_close();
    extend::agreement on_all = detail::agree_on_outcome(*crew.world, removed);
    detail::add_removal(result, std::move(on_all), std::move(removed));
  }
  if (crew.reports && result.cause != errc::rank_failed) crew.tell_usage(result);
  part.seen_by().tell_time_by({});  // the clock belongs to the world, which ends here
  crew.world.reset();
  return result;
} catch (extend::rank_failure const& lost) {
  extend::agreement const result = detail::without(lost, crew_->world);
  detail::open_file& part = *crew_->file;
  bool const removes = part.removes();
  detail::let_go(part, removes && part.rank() == 0);
  crew_->world.reset();
  return result;
}

}  // namespace argosy

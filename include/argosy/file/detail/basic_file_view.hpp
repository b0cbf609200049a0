// Bodies of basic_file: the view, and the file as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/ranks_with.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/basic_file_open.hpp>
#include <argosy/file/detail/call/against_mode.hpp>
#include <argosy/file/detail/protocol/agreed_hints.hpp>
#include <argosy/file/detail/protocol/develop_checks.hpp>
#include <argosy/file/detail/ranks/crew.hpp>

namespace argosy {

template <communicator World>
void basic_file<World>::set_view(std::int64_t displacement, detail::view_shape shape,
                                 detail::hinted with) {
  done(set_view_agreed(displacement, shape, with), "set_view", with);
}

template <communicator World>
void basic_file<World>::set_view(argosy::view const& v, detail::hinted with) {
  done(set_view_agreed(v.displacement(), detail::view_shape::exactly(v), with), "set_view", with);
}

template <communicator World>
argosy::view const& basic_file<World>::view() const {
  return local().where()->view;
}

template <communicator World>
argosy::mode basic_file<World>::mode() const {
  return local().modes();
}

template <communicator World>
std::string const& basic_file<World>::path() const {
  return local().path();
}

template <communicator World>
World const& basic_file<World>::world() const {
  detail::open_file const& part = local();
  if (!crew_->world)
    throw error(detail::local_agreement(part.rank(), detail::closed()), "world", part.path(),
                part.rank());
  return crew_->for_program();
}

template <communicator World>
bool basic_file<World>::atomic() const {
  return local().is_atomic();
}

template <communicator World>
file_hints const& basic_file<World>::get_hints() const {
  return local().in_use().told();
}

// Makes the view at the position of the shared pointer. If a rank cannot make it, `next` stays null
// on all ranks.
template <communicator World>
extend::failure basic_file<World>::begin_at_pointer(
    detail::view_shape const& shape, bool lenient, std::shared_ptr<detail::used_view const>& next) {
  extend::failure mine;
  bool const used = crew_->pointer_was_used();
  auto const at =
      crew_->told_by_one([&](extend::failure& f) { return crew_->pointer->get(used, f); }, mine);
  next = nullptr;
  if (!at) return mine;
  std::shared_ptr<detail::used_view const> made;
  mine = detail::failure_of(errc::datatype, [&] {
    argosy::view v = shape.at(byte_offset(*at));
    if (lenient) v = v.lenient();
    made = std::make_shared<detail::used_view const>(std::move(v), crew_->develop, lenient,
                                                     detail::can_write(local().modes()));
  });
  if (detail::agree_on_outcome(*crew_->world, mine)) next = std::move(made);
  return mine;
}

template <communicator World>
extend::agreement basic_file<World>::set_view_agreed(std::int64_t displacement,
                                                     detail::view_shape const& shape,
                                                     detail::hinted const& with) {
  if (!is_open()) return detail::local_agreement(rank(), detail::closed());
  return detail::with_reserve(*crew_->world, [&] {
    detail::agreed_hints asked{local().hints()};
    asked.mine.merge(with.hints(), hint_source::code, extend::hint_moment::set_view);
    return detail::with_agreed_hints(
        crew_->world, asked, [&] { return set_view_with(asked, displacement, shape, with); });
  });
}

template <communicator World>
extend::agreement basic_file<World>::set_view_with(detail::agreed_hints& asked,
                                                   std::int64_t displacement,
                                                   detail::view_shape const& shape,
                                                   detail::hinted const& with) {
  detail::arguments given("set_view", with.where());
  std::shared_ptr<detail::used_view const> next;
  bool const sequential = has(local().modes(), mode::sequential);
  bool const lenient = asked.mine.values().lenient;
  given.require(displacement >= 0 || displacement == extend::current_displacement, errc::argument,
                [&] {
                  return "the displacement is " + std::to_string(displacement) +
                         " bytes; it must not be negative";
                });
  given.require(sequential == (displacement == extend::current_displacement), errc::argument, [&] {
    return sequential ? "the view of a sequential file begins at current_displacement"
                      : "current_displacement is for sequential files";
  });
  given.require(
      !local().others().has_requests(), errc::unsupported, [] { return "requests are pending"; },
      "wait for them first");
  if (!given.fault()) {
    given.fail(detail::failure_of(errc::datatype, [&] {
      next = detail::checked_view(shape.at(sequential ? 0 : displacement),
                                  detail::can_write(local().modes()), lenient, crew_->develop);
    }));
  }
  given.same("extent of the etype", next ? next->view.etype().extent() : 0);
  given.same("representation", next ? next->view.representation().name() : std::string_view());
  asked.compare_in(given);
  return crew_->collectively_changing(given, [&](bool) -> extend::failure {
    if (crew_->develop) {
      if (auto differ = detail::compare_arrays(*crew_->world, next->view, with.where()))
        return std::move(*differ);
      detail::tell_of_holes(local(), *next, with.where());
    }
    extend::failure astray =
        sequential ? begin_at_pointer(shape, lenient, next) : extend::failure();
    if (!next) return astray;
    // If nodes have parts of the file, following the hints may end the partitioning and report lost
    // writes. In that case no hint is changed.
    auto const before =
        local().agents().parts().is_on() ? std::optional(local().hints()) : std::nullopt;
    local().follow(std::move(asked.mine));
    extend::failure f = crew_->follow_hints();
    if (before && detail::ranks_where(*crew_->world, static_cast<bool>(f))) {
      local().follow(*before);
      return f;
    }
    local().look_through(next);
    if (local().seen_by().report()) local().seen_by().report()->add_view();
    local().position().set(0);
    crew_->pointer->set(0, local().rank());
    return f;
  });
}

template <communicator World>
std::int64_t basic_file<World>::byte_offset(std::int64_t offset) const {
  auto const at = view().byte_offset(offset);
  if (!at)
    throw error(detail::local_agreement(local().rank(),
                                        {errc::argument, "offset " + std::to_string(offset) +
                                                             " is no place in the view"}),
                "byte_offset", path(), local().rank());
  return *at;
}

template <communicator World>
std::int64_t basic_file<World>::size(on_error e) const {
  what_failed_.clear();
  bool const opened = is_open();
  extend::failure f = opened ? extend::failure() : detail::closed();
  std::error_code error;
  std::int64_t const bytes = opened ? local().handle().size(error) : 0;
  if (error) f = error;
  extend::agreement const result = detail::local_agreement(rank(), std::move(f));
  if (e.error()) *e.error() = result.code;
  if (result) return bytes;
  std::string const& path = crew_ && crew_->file ? crew_->file->path() : std::string();
  what_failed_.set(detail::message_of(result, "size", path, rank()));
  if (!e.error()) throw argosy::error(result, "size", path, rank());
  return 0;
}

namespace detail {

inline void require_resizable(arguments& given, open_file const* f, std::int64_t bytes) {
  given.same("size", bytes);
  given.require(bytes >= 0, errc::argument, [&] {
    return "the size is " + std::to_string(bytes) + " bytes; it must not be negative";
  });
  if (!can_write(f->modes())) given.fail(opened_for_reading_only());
  if (has(f->modes(), mode::sequential)) given.fail(is_sequential("keeps its size"));
  given.require(
      !f->others().has_requests(), errc::unsupported, [] { return "requests are pending"; },
      "wait for them first");
}

}  // namespace detail

template <communicator World>
void basic_file<World>::set_size(std::int64_t bytes, on_error e) {
  auto const resize = [&]() -> extend::failure { return local().handle().resize(bytes); };
  extend::agreement const result = with_memory([&] {
    detail::arguments given("set_size", e.where());
    detail::require_resizable(given, &local(), bytes);
    extend::agreement all = on_one_rank(given, resize);
    // Clients with a cache of their own may keep a longer size that they wrote. Each of them must
    // be resized itself.
    if (all && local().lies_on().separate_caches && local().ranks() > 1)
      all = collectively(detail::arguments("set_size", e.where()), resize);
    return all;
  });
  done(result, "set_size", e);
}

template <communicator World>
void basic_file<World>::preallocate(std::int64_t bytes, on_error e) {
  extend::agreement const result = with_memory([&] {
    detail::arguments given("preallocate", e.where());
    detail::require_resizable(given, &local(), bytes);
    return on_one_rank(given,
                       [&]() -> extend::failure { return local().handle().preallocate(bytes); });
  });
  done(result, "preallocate", e);
}

template <communicator World>
void basic_file<World>::sync(on_error e) {
  extend::agreement const result = collectively(
      detail::arguments("sync", e.where()), [&]() -> extend::failure { return local().sync(); });
  done(result, "sync", e);
}

template <communicator World>
void basic_file<World>::clear_sync_error() {
  local().late().forget_sync();
}

template <communicator World>
void basic_file<World>::set_atomic(bool on, on_error e) {
  detail::arguments given("set_atomic", e.where());
  given.same("flag", on ? 1 : 0, on ? "on" : "off");
  extend::agreement const result = collectively(given, [&]() -> extend::failure {
    if (!on) return {};
    bool none = false;
    // this also writes out what this node has cached
    extend::failure f = local().merges().try_lock(local().handle(), none);
    if (f)
      f.detail = none ? "atomic mode needs byte-range locks"
                      : "locking, or writing out what this node has kept";
    return f;
  });
  if (result) local().be_atomic(on);
  done(result, "set_atomic", e);
}

template <communicator World>
void basic_file<World>::set_hints(hints const& h, on_error e) {
  done(set_hints_agreed(h, e), "set_hints", e);
}

template <communicator World>
extend::agreement basic_file<World>::set_hints_agreed(hints const& h, on_error const& e) {
  if (!is_open()) return detail::local_agreement(rank(), detail::closed());
  return detail::with_reserve(*crew_->world, [&] {
    detail::open_file& part = local();
    // Compared as if no request were pending. Requests belong to single ranks, and if one rank
    // refuses a hint because of them, all ranks refuse it.
    detail::agreed_hints asked{part.hints()};
    asked.mine.merge(h, hint_source::code, extend::hint_moment::set_hints);
    return detail::with_agreed_hints(crew_->world, asked, [&] {
      detail::arguments given("set_hints", e.where());
      asked.compare_in(given);
      return crew_->collectively_changing(given, [&](bool pending) -> extend::failure {
        if (pending) {
          asked.mine = part.hints();
          asked.mine.merge(h, hint_source::code, extend::hint_moment::set_hints, true);
          if (asked.of_first) detail::ask_first(*crew_->world, asked);
        }
        part.follow(std::move(asked.mine));
        return crew_->follow_hints();
      });
    });
  });
}

}  // namespace argosy

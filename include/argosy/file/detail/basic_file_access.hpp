// Bodies of basic_file: reads, writes and their plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/basic_file_open.hpp>
#include <argosy/file/detail/call/background_call.hpp>
#include <argosy/file/detail/ranks/crew.hpp>

namespace argosy {

template <communicator World>
report basic_file<World>::access_alone(detail::call const& c, detail::plain_call const* plain) {
  bool const open = is_open();
  if (!open || !local().seen_by().trace()) return access_alone(c, plain, open);
  detail::traced_phases const traced(local().seen_by().trace(), local().path());
  return access_alone(c, plain, open);
}

template <communicator World>
report basic_file<World>::access_alone(detail::call const& c, detail::plain_call const* plain,
                                       bool open) {
  detail::in_phase const now(detail::phase::call, [&] {
    return detail::phase_facts{
        .name = c.name(), .source_file = c.where().file_name(), .source_line = c.where().line()};
  });
  extend::failure f;
  report r = open ? crew_->access_alone(c, plain, f) : report();
  if (!open) f = detail::closed();
  if (f) {
    end_call(detail::local_agreement(rank(), std::move(f)), c.name(), &r, c.error());
  } else {  // most calls succeed: no message is needed
    if (c.error()) c.error()->clear();
    what_failed_.clear();
  }
  return r;
}

template <communicator World>
report basic_file<World>::access_together(detail::call const& c) {
  if (!is_open())
    return finish(detail::local_agreement(rank(), detail::closed()), c.name(), {}, c.error());
  bool const split = split_.pending(), local_call = !split && crew_->goes_alone();
  if (local_call)
    if (auto const p = local().plain(c)) return access_alone(c, &*p);
  report r;
  extend::agreement const result = detail::with_reserve(*crew_->world, [&] {
    std::optional<detail::plain_call> plain;
    if (!split && !local_call) plain = crew_->plain_together(c);
    detail::collective_call all = crew_->part_of(c, plain, true);
    if (split)
      all.given().require(false, errc::argument,
                          [&] { return split_name() + " has begun on this file; end() it first"; });
    return crew_->access(all, r);
  });
  return finish(result, c.name(), std::move(r), c.error());
}

// Returns a request that ended before it began.
template <communicator World>
std::shared_ptr<detail::background_call> basic_file<World>::ended(detail::call const& c,
                                                                  extend::failure f) const {
  auto const of =
      crew_ && crew_->file ? crew_->file.shared() : std::make_shared<detail::open_file>();
  return std::make_shared<detail::background_failure>(
      c.what, of, detail::local_agreement(of->rank(), std::move(f)));
}

template <communicator World>
request basic_file<World>::begin_alone(detail::call const& c) {
  if (!is_open()) return request(launch(c, {}));
  std::int64_t const since = now_ns(local().seen_by().clock());
  auto begun = launch(c, {});
  if (begun->has_begun) begun->add_waited(now_ns(begun->file->seen_by().clock()) - since);
  return request(std::move(begun));
}

template <communicator World>
std::shared_ptr<detail::background_call> basic_file<World>::launch(
    detail::call const& c, std::function<void(detail::background_call const&)> then) {
  detail::job t;
  detail::pointer_move moved;
  if (extend::failure f = is_open() ? crew_->prepare_alone(c, t, moved) : detail::closed()) {
    auto const o = ended(c, std::move(f));
    if (then) then(*o);
    return o;
  }
  t.keep(std::move(c.data));
  t.told.timed = true;  // compared with the change of threads, clocks cost little
  auto begun =
      std::make_shared<detail::background_access>(c.what, crew_->file.shared(), std::move(t));
  if (then)  // the call keeps itself alive while it runs, so the pointer stays valid
    begun->start([then = std::move(then), o = begun.get()] { then(*o); });
  else
    begun->start();
  return begun;
}

template <communicator World>
request basic_file<World>::begin_together(detail::call const& c) {
  if (!is_open()) return request(ended(c, detail::closed()));
  std::int64_t const since = now_ns(local().seen_by().clock());
  return detail::with_reserve(*crew_->world, [&] {
    detail::collective_call all = crew_->part_of(c, {}, true);
    all.work().keep(std::move(c.data));
    detail::pointer_move const moved = all.moved;
    auto begun = crew_->concurrent ? crew_->concurrent->start(std::move(all))
                                   : crew_->later->start(std::move(all));
    begun->moved = moved;
    begun->add_waited(now_ns(begun->file->seen_by().clock()) - since);
    return request(std::move(begun));
  });
}

template <communicator World>
void basic_file<World>::begin_split(detail::call const& c) {
  if (split_.pending())
    throw error(
        detail::local_agreement(
            rank(), {errc::argument, "another split call has begun on this file; end() it first"}),
        c.name(), path(), rank());
  split_ = begin_together(c);
  split_call_ = c.what;
}

template <communicator World>
extend::failure basic_file<World>::split_fault(std::string_view begun) const {
  if (!split_.pending())
    return is_open() ? extend::failure(errc::argument, "no split call has begun on this file")
                     : detail::closed();
  if (!begun.empty() && begun != split_name())
    return {errc::argument,
            "it ends " + std::string(begun) + ", but " + split_name() + " has begun"};
  return {};
}

template <communicator World>
report basic_file<World>::end_split(std::string_view begun, on_error const& e) {
  if (extend::failure f = split_fault(begun))
    return finish(detail::local_agreement(rank(), std::move(f)), "end", {}, e.error());
  request r = std::move(split_);
  auto const tell = [&]() noexcept {
    what_failed_.clear();
    if (r.what_failed().empty()) return;
    detail::memory_reserve const kept;
    try {
      what_failed_.set(r.what_failed());
      // without memory for the message, the error code alone is reported
    } catch (std::bad_alloc const&) {
      return;
    }
  };
  try {
    report done = r.wait(e);
    tell();
    return done;
  } catch (...) {
    tell();
    throw;
  }
}

template <communicator World>
plan basic_file<World>::explain_alone(detail::call const& c) const {
  detail::job t;
  extend::failure f = is_open() ? local().prepare(c, t, nullptr) : detail::closed();
  plan p;
  if (!f) f = detail::failure_of(errc::argument, [&] { p = local().explain(t); });
  if (f.thrown) std::rethrow_exception(f.thrown);
  if (f)
    throw error(detail::local_agreement(local().rank(), std::move(f)), c.name(), path(),
                local().rank());
  extend::any_policy const& given = c.policy();
  bool const shipped = given.target<data_shipping>() && t.bytes > 0 && local().ships_alone(t);
  if (given.has_value() && given.is_collective() && !shipped)
    p.reason +=
        "; " + std::string(given.name()) +
        " is a policy of all ranks together, and this a local call: explain_all tells what it does";
  return p;
}

template <communicator World>
collective_plan basic_file<World>::explain_together(detail::call const& c) {
  collective_plan p;
  extend::agreement result;
  if (!is_open()) {
    result = detail::local_agreement(rank(), detail::closed());
  } else {
    p = detail::with_reserve(*crew_->world, [&] {
      detail::collective_call all = crew_->part_of(c, {}, false);
      return crew_->explain(all, result);
    });
  }
  end_call(result, c.name(), nullptr, nullptr);
  return p;
}

}  // namespace argosy

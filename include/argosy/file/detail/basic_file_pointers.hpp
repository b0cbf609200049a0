// Bodies of basic_file: the individual and the shared pointer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/basic_file_open.hpp>
#include <argosy/file/detail/call/against_mode.hpp>
#include <argosy/file/detail/ranks/crew.hpp>

namespace argosy {

template <communicator World>
std::int64_t basic_file<World>::position() const {
  if (has(local().modes(), mode::sequential))
    throw error(
        detail::local_agreement(rank(), detail::is_sequential("has no individual pointers")),
        "position", path(), rank());
  return local().position().get();
}

template <communicator World>
std::int64_t basic_file<World>::from(std::int64_t offset, seek_from whence, std::int64_t current,
                                     extend::failure& f) const {
  std::int64_t base = 0, result = 0;
  if (whence == seek_from::current) base = current;
  if (whence == seek_from::end) {
    std::error_code e;
    std::int64_t const bytes = local().handle().size(e);
    if (e) f.keep({e, "asking for the size of the file"});
    if (!f) base = view().offset_of_end(bytes);
  }
  if (!f && (__builtin_add_overflow(base, offset, &result) || result < 0))
    f.keep({errc::argument, "offset " + std::to_string(offset) + " from " + std::to_string(base) +
                                " is no place in the view"});
  return result;
}

template <communicator World>
void basic_file<World>::seek(std::int64_t offset, seek_from whence, on_error e) {
  extend::failure f;
  if (!is_open())
    f = detail::closed();
  else if (has(local().modes(), mode::sequential))
    f = detail::is_sequential("has no individual pointers");
  if (!f && whence == seek_from::current)
    local().position().change([&](std::int64_t now) {
      std::int64_t const to = from(offset, whence, now, f);
      return f ? std::nullopt : std::optional(to);
    });
  else if (std::int64_t const to = f ? 0 : from(offset, whence, 0, f); !f)
    local().position().set(to);
  done(detail::local_agreement(rank(), std::move(f)), "seek", e);
}

template <communicator World>
void basic_file<World>::seek_shared(std::int64_t offset, seek_from whence, on_error e) {
  auto const move = [&]() -> extend::failure {
    extend::failure f;
    if (whence == seek_from::end && !crew_->reconcile(f)) return f;
    bool const used = whence == seek_from::current && crew_->pointer_was_used();
    auto const to = crew_->told_by_one(
        [&](extend::failure& mine) {
          std::int64_t const now =
              whence == seek_from::current ? crew_->pointer->get(used, mine) : 0;
          return from(offset, whence, now, mine);
        },
        f);
    if (to) crew_->pointer->set(*to, rank());
    return f;
  };
  extend::agreement const result = with_memory([&] {
    detail::arguments given("seek_shared", e.where());
    given.same("offset", offset)
        .same("whence", static_cast<std::uint64_t>(whence), to_string(whence));
    if (has(local().modes(), mode::sequential))
      given.fail(detail::is_sequential("is accessed from its start to its end"));
    if (whence == seek_from::start) {  // every rank can check this without the others
      extend::failure own;
      from(offset, whence, 0, own);
      if (own) given.fail(std::move(own));
    }
    return collectively(given, move);
  });
  done(result, "seek_shared", e);
}

template <communicator World>
std::int64_t basic_file<World>::position_shared() {
  extend::failure f;
  std::int64_t at = 0;
  if (is_open())
    at = crew_->pointer->get(f);
  else
    f = detail::closed();
  finish(detail::local_agreement(local().rank(), std::move(f)), "position_shared", {}, nullptr);
  return at;
}

}  // namespace argosy

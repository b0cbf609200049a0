// A file, opened together by the ranks of a world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/data.hpp>
#include <argosy/file/detail/beside.hpp>
#include <argosy/file/detail/collective_call.hpp>
#include <argosy/file/detail/deferred.hpp>
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/detail/shared_pointer.hpp>
#include <argosy/file/detail/together.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/file/request.hpp>
#include <argosy/file/seek_from.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/view/view.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy {

namespace detail {
struct launcher;  // begins nonblocking calls whose end is told otherwise than by a request: see asio.hpp
}

// A data representation, or the name of one.
template <class R>
concept representation_like = std::same_as<R, representation> || std::convertible_to<R const&, std::string_view>;

// `io::file` is this on MPI. Movable. Every call has a form that throws and one that sets an std::error_code, as in
// std::filesystem; both leave every rank of a collective call with an error, or none.
//
// - *Collective* calls are made by all ranks, in the same order. They begin with one reduction, in which the ranks agree
//   that all arguments are valid, and equal where they must be, and end with one, in which they agree on the outcome. Nothing
//   is read or written before the first. A rank that did not fail returns errc::error_on_another_rank; the exception, or
//   what_failed(), tells which rank failed first, and with what.
// - *Local* calls wait for no other rank.
// - Offsets and pointers count etypes of the view; 64-bit, as everything here.
// - A file is used by one thread at a time. Only requests work in the background, on threads that make no MPI calls.
// - An error leaves the file usable: read, write or close it. close() is explicit; the destructor waits for this rank's own
//   requests and drops the handle, no more.
template <communicator World>
class basic_file {
  using place = std::source_location;

 public:
  basic_file() = default;  // not open
  basic_file(basic_file&&) noexcept = default;
  basic_file& operator=(basic_file&&) noexcept = default;

  // --- Opening and closing: collective ------------------------------------------------------------------------------

  // Path and modes must be equal on all ranks. `files` says how: on which handle, with which decorators around it. With
  // mode::create one rank makes the file, and removes it if another rank cannot open it. The error_code form returns a file
  // that is not open.
  // Hints come from ARGOSY_HINTS and `h`; ARGOSY_DEVELOP=1 and ARGOSY_TRACE are looked at here.
  static basic_file open(World const& world, std::string const& path, argosy::mode modes, hints const& h = {},
                         opener files = posix_opener(), place where = place::current());
  static basic_file open(World const& world, std::string const& path, argosy::mode modes, std::error_code& error,
                         hints const& h = {}, opener files = posix_opener(), place where = place::current());

  // Waits for this rank's requests first. The file is closed whatever comes.
  void close(place where = place::current()) { done(close_agreed(where), "close", nullptr); }
  void close(std::error_code& error, place where = place::current()) { done(close_agreed(where), "close", &error); }
  bool is_open() const noexcept { return local_ && local_->handle.is_open(); }

  // --- The view: collective ------------------------------------------------------------------------------------------

  // Displacement, etype and filetype may differ between ranks, the size of the etype's extent and the representation may
  // not. All pointers start at 0 again. `filetype` and `etype` may be functions that return a datatype: what they throw is
  // an error of the call. Representations are given as values, or by name. No request may be pending.
  template <class Filetype>
  void set_view(std::int64_t displacement, Filetype const& filetype, place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, filetype, representation()); };
    done(set_view_agreed(displacement, make, {}, where), "set_view", nullptr);
  }
  template <class Filetype>
  void set_view(std::int64_t displacement, Filetype const& filetype, std::error_code& error,
                place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, filetype, representation()); };
    done(set_view_agreed(displacement, make, {}, where), "set_view", &error);
  }
  template <class Filetype, representation_like R>
  void set_view(std::int64_t displacement, Filetype const& filetype, R const& r, place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, filetype, r); };
    done(set_view_agreed(displacement, make, {}, where), "set_view", nullptr);
  }
  template <class Filetype, representation_like R>
  void set_view(std::int64_t displacement, Filetype const& filetype, R const& r, std::error_code& error,
                place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, filetype, r); };
    done(set_view_agreed(displacement, make, {}, where), "set_view", &error);
  }
  template <class Etype, class Filetype>
    requires(!representation_like<Filetype> && !std::same_as<Filetype, place>)
  void set_view(std::int64_t displacement, Etype const& etype, Filetype const& filetype,
                place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, etype, filetype, representation()); };
    done(set_view_agreed(displacement, make, {}, where), "set_view", nullptr);
  }
  template <class Etype, class Filetype>
    requires(!representation_like<Filetype> && !std::same_as<Filetype, place>)
  void set_view(std::int64_t displacement, Etype const& etype, Filetype const& filetype, std::error_code& error,
                place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, etype, filetype, representation()); };
    done(set_view_agreed(displacement, make, {}, where), "set_view", &error);
  }
  template <class Etype, class Filetype, representation_like R>
  void set_view(std::int64_t displacement, Etype const& etype, Filetype const& filetype, R const& r,
                hints const& h = {}, place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, etype, filetype, r); };
    done(set_view_agreed(displacement, make, h, where), "set_view", nullptr);
  }
  template <class Etype, class Filetype, representation_like R>
  void set_view(std::int64_t displacement, Etype const& etype, Filetype const& filetype, R const& r,
                std::error_code& error, hints const& h = {}, place where = place::current()) {
    auto const make = [&](std::int64_t at) { return made_view(at, etype, filetype, r); };
    done(set_view_agreed(displacement, make, h, where), "set_view", &error);
  }
  void set_view(argosy::view v, place where = place::current()) {
    done(set_view_agreed(v.displacement(), [&](std::int64_t) { return v; }, {}, where), "set_view", nullptr);
  }
  void set_view(argosy::view v, std::error_code& error, place where = place::current()) {
    done(set_view_agreed(v.displacement(), [&](std::int64_t) { return v; }, {}, where), "set_view", &error);
  }

  // --- Local questions -----------------------------------------------------------------------------------------------

  argosy::view const& view() const { return local().where->view; }
  // Where the etype lies in the file, in bytes. Throws errc::argument if it is negative or beyond 2^63.
  std::int64_t byte_offset(std::int64_t offset) const;
  // Of a datatype in the file, in the view's representation.
  template <datatype D>
  std::int64_t type_extent(D const& type) const {
    auto const& r = view().representation();
    return r.converts() ? file_form_of(type, r.sizes()).extent() : form_of(type).extent();
  }
  argosy::mode mode() const { return local().modes; }
  std::string const& path() const { return local().path; }
  World const& world() const { return *world_; }  // its own messages: a duplicate of the one it was opened with
  bool atomic() const { return local().atomic; }
  file_hints const& get_hints() const { return local().hints; }
  // Of the last call on this rank that failed.
  std::string const& what_failed() const noexcept { return what_failed_; }

  std::int64_t size() const;
  std::int64_t size(std::error_code& error) const;

  // --- The file as a whole: collective -------------------------------------------------------------------------------

  void set_size(std::int64_t bytes, place where = place::current()) {
    done(set_size_agreed(bytes, where), "set_size", nullptr);
  }
  void set_size(std::int64_t bytes, std::error_code& error, place where = place::current()) {
    done(set_size_agreed(bytes, where), "set_size", &error);
  }
  // Space for [0, bytes). Data stays; the size grows if it is smaller.
  void preallocate(std::int64_t bytes, place where = place::current()) {
    done(preallocate_agreed(bytes, where), "preallocate", nullptr);
  }
  void preallocate(std::int64_t bytes, std::error_code& error, place where = place::current()) {
    done(preallocate_agreed(bytes, where), "preallocate", &error);
  }
  // What was written is on the storage, as far as the system knows. After one that failed every later one fails with the
  // same error: the system may have dropped the data. clear_sync_error() says that it was written again; with the hint
  // argosy_sync_errors = until_written a later write of that rank does.
  void sync(place where = place::current()) { done(sync_agreed(where), "sync", nullptr); }
  void sync(std::error_code& error, place where = place::current()) { done(sync_agreed(where), "sync", &error); }
  void clear_sync_error() { local().lost = {}; }

  // In atomic mode a call reads and writes as if no other call ran meanwhile, under a lock of its whole range.
  void set_atomic(bool on, place where = place::current()) {
    done(set_atomic_agreed(on, where), "set_atomic", nullptr);
  }
  void set_atomic(bool on, std::error_code& error, place where = place::current()) {
    done(set_atomic_agreed(on, where), "set_atomic", &error);
  }
  // Wrong hints are no errors: get_hints() says what became of them. Those of MPI must be equal on all ranks.
  void set_hints(hints const& h, place where = place::current()) {
    done(set_hints_agreed(h, where), "set_hints", nullptr);
  }
  void set_hints(hints const& h, std::error_code& error, place where = place::current()) {
    done(set_hints_agreed(h, where), "set_hints", &error);
  }

  // --- Reading and writing: local ------------------------------------------------------------------------------------

  // A report counts what was moved, also where an error came after it; fewer bytes than asked for and no error is the end of
  // the file, and memory beyond is as before. Data must be whole etypes. Without a policy the hints choose.

  // At an explicit offset.
  report read_at(std::int64_t offset, target into, any_policy how = {}) {
    return now("read_at", access_kind::read, pointer_kind::explicit_offset, offset, into, how, nullptr);
  }
  report read_at(std::int64_t offset, target into, std::error_code& error) {
    return now("read_at", access_kind::read, pointer_kind::explicit_offset, offset, into, {}, &error);
  }
  report read_at(std::int64_t offset, target into, any_policy how, std::error_code& error) {
    return now("read_at", access_kind::read, pointer_kind::explicit_offset, offset, into, how, &error);
  }
  report write_at(std::int64_t offset, source from, any_policy how = {}) {
    return now("write_at", access_kind::write, pointer_kind::explicit_offset, offset, from, how, nullptr);
  }
  report write_at(std::int64_t offset, source from, std::error_code& error) {
    return now("write_at", access_kind::write, pointer_kind::explicit_offset, offset, from, {}, &error);
  }
  report write_at(std::int64_t offset, source from, any_policy how, std::error_code& error) {
    return now("write_at", access_kind::write, pointer_kind::explicit_offset, offset, from, how, &error);
  }

  // At the individual pointer, which moves by what was asked for, as in MPI; it stays if there was an error.
  report read(target into, any_policy how = {}) {
    return now("read", access_kind::read, pointer_kind::individual, 0, into, how, nullptr);
  }
  report read(target into, std::error_code& error) {
    return now("read", access_kind::read, pointer_kind::individual, 0, into, {}, &error);
  }
  report read(target into, any_policy how, std::error_code& error) {
    return now("read", access_kind::read, pointer_kind::individual, 0, into, how, &error);
  }
  report write(source from, any_policy how = {}) {
    return now("write", access_kind::write, pointer_kind::individual, 0, from, how, nullptr);
  }
  report write(source from, std::error_code& error) {
    return now("write", access_kind::write, pointer_kind::individual, 0, from, {}, &error);
  }
  report write(source from, any_policy how, std::error_code& error) {
    return now("write", access_kind::write, pointer_kind::individual, 0, from, how, &error);
  }

  // At the pointer that all ranks share, which moves by what was asked for before the data does. Calls of several ranks come
  // one after the other, in any order.
  report read_shared(target into, any_policy how = {}) {
    return now("read_shared", access_kind::read, pointer_kind::shared, 0, into, how, nullptr);
  }
  report read_shared(target into, std::error_code& error) {
    return now("read_shared", access_kind::read, pointer_kind::shared, 0, into, {}, &error);
  }
  report read_shared(target into, any_policy how, std::error_code& error) {
    return now("read_shared", access_kind::read, pointer_kind::shared, 0, into, how, &error);
  }
  report write_shared(source from, any_policy how = {}) {
    return now("write_shared", access_kind::write, pointer_kind::shared, 0, from, how, nullptr);
  }
  report write_shared(source from, std::error_code& error) {
    return now("write_shared", access_kind::write, pointer_kind::shared, 0, from, {}, &error);
  }
  report write_shared(source from, any_policy how, std::error_code& error) {
    return now("write_shared", access_kind::write, pointer_kind::shared, 0, from, how, &error);
  }

  // The same in the background. Errors come with the request, those of the arguments, too; pointers move at once. The order
  // of requests among themselves is open.
  request iread_at(std::int64_t offset, target into, any_policy how = {}) {
    return later("iread_at", access_kind::read, pointer_kind::explicit_offset, offset, into, how);
  }
  request iwrite_at(std::int64_t offset, source from, any_policy how = {}) {
    return later("iwrite_at", access_kind::write, pointer_kind::explicit_offset, offset, from, how);
  }
  request iread(target into, any_policy how = {}) {
    return later("iread", access_kind::read, pointer_kind::individual, 0, into, how);
  }
  request iwrite(source from, any_policy how = {}) {
    return later("iwrite", access_kind::write, pointer_kind::individual, 0, from, how);
  }
  request iread_shared(target into, any_policy how = {}) {
    return later("iread_shared", access_kind::read, pointer_kind::shared, 0, into, how);
  }
  request iwrite_shared(source from, any_policy how = {}) {
    return later("iwrite_shared", access_kind::write, pointer_kind::shared, 0, from, how);
  }

  // --- Reading and writing: collective -------------------------------------------------------------------------------

  // Every rank takes part, with any amount of data, also none. Counts are each rank's own.
  report read_at_all(std::int64_t offset, target into, any_policy how = {}) {
    return together("read_at_all", access_kind::read, pointer_kind::explicit_offset, offset, into, how, nullptr);
  }
  report read_at_all(std::int64_t offset, target into, std::error_code& error) {
    return together("read_at_all", access_kind::read, pointer_kind::explicit_offset, offset, into, {}, &error);
  }
  report read_at_all(std::int64_t offset, target into, any_policy how, std::error_code& error) {
    return together("read_at_all", access_kind::read, pointer_kind::explicit_offset, offset, into, how, &error);
  }
  report write_at_all(std::int64_t offset, source from, any_policy how = {}) {
    return together("write_at_all", access_kind::write, pointer_kind::explicit_offset, offset, from, how, nullptr);
  }
  report write_at_all(std::int64_t offset, source from, std::error_code& error) {
    return together("write_at_all", access_kind::write, pointer_kind::explicit_offset, offset, from, {}, &error);
  }
  report write_at_all(std::int64_t offset, source from, any_policy how, std::error_code& error) {
    return together("write_at_all", access_kind::write, pointer_kind::explicit_offset, offset, from, how, &error);
  }
  report read_all(target into, any_policy how = {}) {
    return together("read_all", access_kind::read, pointer_kind::individual, 0, into, how, nullptr);
  }
  report read_all(target into, std::error_code& error) {
    return together("read_all", access_kind::read, pointer_kind::individual, 0, into, {}, &error);
  }
  report read_all(target into, any_policy how, std::error_code& error) {
    return together("read_all", access_kind::read, pointer_kind::individual, 0, into, how, &error);
  }
  report write_all(source from, any_policy how = {}) {
    return together("write_all", access_kind::write, pointer_kind::individual, 0, from, how, nullptr);
  }
  report write_all(source from, std::error_code& error) {
    return together("write_all", access_kind::write, pointer_kind::individual, 0, from, {}, &error);
  }
  report write_all(source from, any_policy how, std::error_code& error) {
    return together("write_all", access_kind::write, pointer_kind::individual, 0, from, how, &error);
  }

  // At the shared pointer, one rank's data behind the other's in the order of ranks.
  report read_ordered(target into, any_policy how = {}) {
    return together("read_ordered", access_kind::read, pointer_kind::shared, 0, into, how, nullptr);
  }
  report read_ordered(target into, std::error_code& error) {
    return together("read_ordered", access_kind::read, pointer_kind::shared, 0, into, {}, &error);
  }
  report read_ordered(target into, any_policy how, std::error_code& error) {
    return together("read_ordered", access_kind::read, pointer_kind::shared, 0, into, how, &error);
  }
  report write_ordered(source from, any_policy how = {}) {
    return together("write_ordered", access_kind::write, pointer_kind::shared, 0, from, how, nullptr);
  }
  report write_ordered(source from, std::error_code& error) {
    return together("write_ordered", access_kind::write, pointer_kind::shared, 0, from, {}, &error);
  }
  report write_ordered(source from, any_policy how, std::error_code& error) {
    return together("write_ordered", access_kind::write, pointer_kind::shared, 0, from, how, &error);
  }

  // The same in the background, all ranks in the same order; pointers move at once. Where all ranks are on one node, a thread of
  // each rank exchanges data and accesses the file. In worlds of several nodes ranks do it when they wait for the request, test
  // it, or come to another collective call of the file; that waits for the other ranks.
  // A request that is dropped goes on: its memory must live until the file is closed.
  request iread_at_all(std::int64_t offset, target into, any_policy how = {}) {
    return together_later("iread_at_all", access_kind::read, pointer_kind::explicit_offset, offset, into, how);
  }
  request iwrite_at_all(std::int64_t offset, source from, any_policy how = {}) {
    return together_later("iwrite_at_all", access_kind::write, pointer_kind::explicit_offset, offset, from, how);
  }
  request iread_all(target into, any_policy how = {}) {
    return together_later("iread_all", access_kind::read, pointer_kind::individual, 0, into, how);
  }
  request iwrite_all(source from, any_policy how = {}) {
    return together_later("iwrite_all", access_kind::write, pointer_kind::individual, 0, from, how);
  }

  // Split calls: one at a time on a file, and end() waits for it. Beginning a second one throws; a blocking collective read
  // or write between the two is an error on all ranks.
  void begin_read_at_all(std::int64_t offset, target into, any_policy how = {}) {
    begin_split("begin_read_at_all", access_kind::read, pointer_kind::explicit_offset, offset, into, how);
  }
  void begin_write_at_all(std::int64_t offset, source from, any_policy how = {}) {
    begin_split("begin_write_at_all", access_kind::write, pointer_kind::explicit_offset, offset, from, how);
  }
  void begin_read_all(target into, any_policy how = {}) {
    begin_split("begin_read_all", access_kind::read, pointer_kind::individual, 0, into, how);
  }
  void begin_write_all(source from, any_policy how = {}) {
    begin_split("begin_write_all", access_kind::write, pointer_kind::individual, 0, from, how);
  }
  void begin_read_ordered(target into, any_policy how = {}) {
    begin_split("begin_read_ordered", access_kind::read, pointer_kind::shared, 0, into, how);
  }
  void begin_write_ordered(source from, any_policy how = {}) {
    begin_split("begin_write_ordered", access_kind::write, pointer_kind::shared, 0, from, how);
  }
  report end() { return end_split({}, nullptr); }
  report end(std::error_code& error) { return end_split({}, &error); }
  // Only if that is what has begun: f.end("begin_write_all").
  report end(std::string_view begun) { return end_split(begun, nullptr); }
  report end(std::string_view begun, std::error_code& error) { return end_split(begun, &error); }

  // --- Pointers ------------------------------------------------------------------------------------------------------

  // The individual pointer; local. A sequential file has none, which is errc::amode.
  std::int64_t position() const;
  void seek(std::int64_t offset, seek_from whence = seek_from::start) {
    done(alone(local_ ? local_->rank : 0, seek_here(offset, whence)), "seek", nullptr);
  }
  void seek(std::int64_t offset, seek_from whence, std::error_code& error) {
    done(alone(local_ ? local_->rank : 0, seek_here(offset, whence)), "seek", &error);
  }

  // The shared pointer: asking is local, moving it is collective, with the same arguments on all ranks.
  std::int64_t position_shared();
  void seek_shared(std::int64_t offset, seek_from whence = seek_from::start, place where = place::current()) {
    done(seek_shared_agreed(offset, whence, where), "seek_shared", nullptr);
  }
  void seek_shared(std::int64_t offset, seek_from whence, std::error_code& error, place where = place::current()) {
    done(seek_shared_agreed(offset, whence, where), "seek_shared", &error);
  }

  // --- Plans ---------------------------------------------------------------------------------------------------------

  // What a call would do to the file, without touching it: at the individual pointer, or at an offset. Local. Throws what
  // the call would throw for its arguments.
  plan explain(access_kind kind, source data, any_policy how = {}) const {
    return explain_at(kind, local().position, data, how);
  }
  plan explain_at(access_kind kind, std::int64_t offset, source data, any_policy how = {}) const;
  // What a collective call would do, the same on all ranks: collective, too.
  collective_plan explain_all(access_kind kind, source data, any_policy how = {}) {
    return explain_together("explain_all", kind, pointer_kind::individual, 0, data, how);
  }
  collective_plan explain_at_all(access_kind kind, std::int64_t offset, source data, any_policy how = {}) {
    return explain_together("explain_at_all", kind, pointer_kind::explicit_offset, offset, data, how);
  }

 private:
  friend struct detail::launcher;
  using pointer_kind = detail::pointer_kind;

  agreement open_agreed(World const& world, std::string const& path, argosy::mode modes, hints const& h, opener files,
                        place where);
  void prepare_together();
  void serve_agents();
  failure partition();
  failure unpartition();
  failure follow_hints();
  detail::shared_pointer hidden_pointer() const;
  void finish_later_calls();

  template <class... Arguments>
  static argosy::view made_view(std::int64_t displacement, Arguments const&... all);

  detail::open_file& local() const;
  // Collective: agree on the arguments, do `body` on every rank, agree on the outcome. A body that takes a bool is told
  // whether any rank has requests.
  template <class Body>
  agreement collectively(detail::arguments const& given, Body&& body);
  // The same, of rank 0 alone, for what changes the size of the file.
  template <class Body>
  agreement on_one_rank(detail::arguments const& given, Body&& body);

  template <class Ask>
  std::optional<std::int64_t> told_by_one(Ask&& ask, failure& f);
  failure begin_at_pointer(std::function<argosy::view(std::int64_t)> const& make,
                           std::shared_ptr<detail::used_view const>& next);
  agreement set_view_agreed(std::int64_t displacement, std::function<argosy::view(std::int64_t)> const& make,
                            hints const& h, place where);
  agreement close_agreed(place where);
  agreement set_size_agreed(std::int64_t bytes, place where);
  agreement preallocate_agreed(std::int64_t bytes, place where);
  agreement sync_agreed(place where);
  agreement set_atomic_agreed(bool on, place where);
  agreement set_hints_agreed(hints const& h, place where);
  agreement seek_shared_agreed(std::int64_t offset, seek_from whence, place where);
  failure seek_here(std::int64_t offset, seek_from whence);
  std::int64_t from(std::int64_t offset, seek_from whence, std::int64_t current, failure& f) const;

  report now(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset, source const& data,
             any_policy const& how, std::error_code* error);
  request later(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset, source const& data,
                any_policy const& how) {
    return request(launch(call, kind, pointer, offset, data, how));
  }
  // `then` is called with the operation, once, when it has ended: on a thread of the file; here, if the arguments are wrong.
  std::shared_ptr<detail::operation> launch(std::string_view call, access_kind kind, pointer_kind pointer,
                                            std::int64_t offset, source const& data, any_policy const& how,
                                            std::function<void(detail::operation const&)> then = {});
  detail::collective_call described(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset,
                                    source const& data, any_policy const& how) const;
  report together(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset,
                  source const& data, any_policy const& how, std::error_code* error);
  collective_plan explain_together(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset,
                                   source const& data, any_policy const& how);
  request together_later(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset,
                         source const& data, any_policy const& how);
  failure split_fault(std::string_view begun) const;
  report end_split(std::string_view begun, std::error_code* error);
  void begin_split(std::string_view call, access_kind kind, pointer_kind pointer, std::int64_t offset,
                   source const& data, any_policy const& how);
  failure prepare(access_kind kind, pointer_kind pointer, std::int64_t offset, source const& data,
                  any_policy const& how, detail::job& t) const;
  // Where data at the shared pointer goes; moves it.
  failure find_shared_place(detail::job& t);

  // Throws what the agreement says, or tells `error`.
  void done(agreement const& a, std::string_view call, std::error_code* error);
  report finish(agreement const& a, std::string_view call, report const& r, std::error_code* error);

  std::optional<World> world_;
  detail::own_part local_;
  std::shared_ptr<detail::shared_pointer> shared_;
  std::shared_ptr<detail::team<World>> team_;
  std::unique_ptr<detail::beside> beside_;  // for nonblocking collective calls: one of the two
  std::optional<detail::deferred<World>> later_;
  request split_;
  std::string_view split_call_;  // that began it; a literal
  bool develop_ = false;
  std::string what_failed_;
};

}  // namespace argosy

#include <argosy/file/detail/basic_file.hpp>

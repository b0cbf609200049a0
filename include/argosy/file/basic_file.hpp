// A file, opened together by the ranks of a world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <argosy/datatype/file_form.hpp>
#include <argosy/error/agreement.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/data.hpp>
#include <argosy/file/detail/call/call.hpp>
#include <argosy/file/detail/state/per_thread.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hinted.hpp>
#include <argosy/file/how.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/file/on_error.hpp>
#include <argosy/file/request.hpp>
#include <argosy/file/seek_from.hpp>
#include <argosy/file/view_shape.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/view/view.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/self.hpp>

namespace argosy {

namespace detail {

struct discarding;  // closes and removes what a format could not finish
// begins nonblocking calls whose end is told otherwise than by a request: see asio.hpp
struct launcher;
class arguments;
struct agreed_hints;
class open_file;
struct plain_call;
struct used_view;
template <communicator World>
struct crew;

}  // namespace detail

// `io::file` is this on MPI. Movable. Every call throws its error, or sets the std::error_code that
// is its last argument; both leave every rank of a collective call with an error, or none. What
// else that argument takes: how.hpp, hinted.hpp.
//
// - *Collective* calls are made by all ranks, in the same order. They begin with one reduction, in
//   which the ranks agree that all arguments are valid, and equal where they must be, and end with
//   one, in which they agree on the outcome. Nothing is read or written before the first. A rank
//   that did not fail returns errc::error_on_another_rank; the exception, or what_failed(), tells
//   which rank failed first, and with what.
// - *Local* calls wait for no other rank.
// - Offsets and pointers count etypes of the view; 64-bit, as everything here.
// - Threads of a rank may make local calls of one file side by side, also beside a collective call;
//   reads and writes at explicit offsets wait for nothing of each other, individual pointers move
//   once for each call. Collective calls of one file are made one after another, as everywhere;
//   close(), and what sets the view, hints or atomic mode, while no other thread is in a call of
//   the file. MPI's programs ask for MPI_THREAD_MULTIPLE; requests need no more than
//   MPI_THREAD_FUNNELED.
// - An error leaves the file usable: read, write or close it. close() is explicit; the destructor
//   waits for this rank's own requests and drops the handle, no more.
template <communicator World>
class basic_file {
 public:
  basic_file();  // not open
  basic_file(basic_file&&) noexcept;
  basic_file& operator=(basic_file&&) noexcept;
  ~basic_file();

  // --- Opening and closing: collective -----------------------------------------------------------

  // Path and modes must be equal on all ranks. `files` says how: on which handle, with which
  // decorators around it. With mode::create one rank makes the file, and removes it if another rank
  // cannot open it. If there was an error, what is returned is not open. Hints come from
  // ARGOSY_HINTS and from `with`; ARGOSY_DEVELOP=1 and ARGOSY_TRACE are looked at here.
  static basic_file open(World const& world, std::string const& path, argosy::mode modes,
                         detail::hinted with = {}, opener files = posix_opener());

  // Waits for this rank's requests first. The file is closed whatever comes.
  void close(on_error e = {});
  bool is_open() const noexcept;

  // --- The view: collective ----------------------------------------------------------------------

  // Displacement, etype and filetype may differ between ranks, the size of the etype's extent and
  // the representation may not. All pointers start at 0 again. No request may be pending. What a
  // shape is made of: view_shape.hpp.
  void set_view(std::int64_t displacement, detail::view_shape shape, detail::hinted with = {});
  void set_view(argosy::view const& v, detail::hinted with = {});

  // --- Local questions ---------------------------------------------------------------------------

  argosy::view const& view() const;
  // Where the etype lies in the file, in bytes. Throws errc::argument if it is negative or beyond
  // 2^63.
  std::int64_t byte_offset(std::int64_t offset) const;
  // Of a datatype in the file, in the view's representation.
  template <datatype D>
  std::int64_t type_extent(D const& type) const {
    auto const& r = view().representation();
    return r.converts() ? detail::file_form_of(type, r.sizes()).extent()
                        : detail::form_of(type).extent();
  }
  argosy::mode mode() const;
  std::string const& path() const;
  World const& world() const;  // its own messages: a duplicate of the one it was opened with
  bool atomic() const;
  // With what became of each in the last read or write; valid until this thread asks again.
  file_hints const& get_hints() const;
  // Of the last call of this thread, if it failed; empty after a success. Requests have their own.
  std::string const& what_failed() const noexcept { return what_failed_.get(); }

  std::int64_t size(on_error e = {}) const;

  // --- The file as a whole: collective -----------------------------------------------------------

  void set_size(std::int64_t bytes, on_error e = {});
  // Space for [0, bytes). Data stays; the size grows if it is smaller.
  void preallocate(std::int64_t bytes, on_error e = {});
  // What was written is on the storage, as far as the system knows. After one that failed every
  // later one fails with the same error: the system may have dropped the data. clear_sync_error()
  // says that it was written again; with the hint argosy_sync_errors = until_written a later write
  // of that rank does.
  void sync(on_error e = {});
  void clear_sync_error();

  // In atomic mode a call reads and writes as if no other call ran meanwhile, under a lock of its
  // whole range.
  void set_atomic(bool on, on_error e = {});
  // Wrong hints are no errors: get_hints() says what became of them. Those of MPI must be equal on
  // all ranks.
  void set_hints(hints const& h, on_error e = {});

  // --- Reading and writing: local ----------------------------------------------------------------

  // A report counts what was moved, also where an error came after it; fewer bytes than asked for
  // and no error is the end of the file, and memory beyond is as before. Data must be whole etypes.
  // Without a policy the hints choose.

  // At an explicit offset.
  report read_at(std::int64_t offset, target into, how with = {}) {
    return access_alone({operation::read_at, offset, into, with});
  }
  report write_at(std::int64_t offset, source from, how with = {}) {
    return access_alone({operation::write_at, offset, from, with});
  }

  // At the individual pointer, which moves by what was asked for, as in MPI; it stays if there was
  // an error.
  report read(target into, how with = {}) { return access_alone({operation::read, 0, into, with}); }
  report write(source from, how with = {}) {
    return access_alone({operation::write, 0, from, with});
  }

  // At the pointer that all ranks share, which moves by what was asked for before the data does.
  // Calls of several ranks come one after the other, in any order.
  report read_shared(target into, how with = {}) {
    return access_alone({operation::read_shared, 0, into, with});
  }
  report write_shared(source from, how with = {}) {
    return access_alone({operation::write_shared, 0, from, with});
  }

  // The same in the background. Errors come with the request, those of the arguments, too; pointers
  // move at once. The order of requests among themselves is open.
  request iread_at(std::int64_t offset, target into, any_policy by = {}) {
    return begin_alone({operation::iread_at, offset, into, by});
  }
  request iwrite_at(std::int64_t offset, source from, any_policy by = {}) {
    return begin_alone({operation::iwrite_at, offset, from, by});
  }
  request iread(target into, any_policy by = {}) {
    return begin_alone({operation::iread, 0, into, by});
  }
  request iwrite(source from, any_policy by = {}) {
    return begin_alone({operation::iwrite, 0, from, by});
  }
  request iread_shared(target into, any_policy by = {}) {
    return begin_alone({operation::iread_shared, 0, into, by});
  }
  request iwrite_shared(source from, any_policy by = {}) {
    return begin_alone({operation::iwrite_shared, 0, from, by});
  }

  // --- Reading and writing: collective -----------------------------------------------------------

  // Every rank takes part, with any amount of data, also none. Counts are each rank's own.
  report read_at_all(std::int64_t offset, target into, how with = {}) {
    return access_together({operation::read_at_all, offset, into, with});
  }
  report write_at_all(std::int64_t offset, source from, how with = {}) {
    return access_together({operation::write_at_all, offset, from, with});
  }
  report read_all(target into, how with = {}) {
    return access_together({operation::read_all, 0, into, with});
  }
  report write_all(source from, how with = {}) {
    return access_together({operation::write_all, 0, from, with});
  }

  // At the shared pointer, one rank's data behind the other's in the order of ranks.
  report read_ordered(target into, how with = {}) {
    return access_together({operation::read_ordered, 0, into, with});
  }
  report write_ordered(source from, how with = {}) {
    return access_together({operation::write_ordered, 0, from, with});
  }

  // The same in the background, all ranks in the same order; pointers move at once. A thread of
  // each rank exchanges data and accesses the file. Between nodes without sockets, or with
  // argosy_progress = in_calls, ranks do it when they wait for the request, test it, or come to
  // another collective call of the file; that waits for the other ranks. A request that is dropped
  // goes on: its memory must live until the file is closed.
  request iread_at_all(std::int64_t offset, target into, any_policy by = {}) {
    return begin_together({operation::iread_at_all, offset, into, by});
  }
  request iwrite_at_all(std::int64_t offset, source from, any_policy by = {}) {
    return begin_together({operation::iwrite_at_all, offset, from, by});
  }
  request iread_all(target into, any_policy by = {}) {
    return begin_together({operation::iread_all, 0, into, by});
  }
  request iwrite_all(source from, any_policy by = {}) {
    return begin_together({operation::iwrite_all, 0, from, by});
  }

  // Split calls: one at a time on a file, and end() waits for it. Beginning a second one throws; a
  // blocking collective read or write between the two is an error on all ranks.
  void begin_read_at_all(std::int64_t offset, target into, any_policy by = {}) {
    begin_split({operation::begin_read_at_all, offset, into, by});
  }
  void begin_write_at_all(std::int64_t offset, source from, any_policy by = {}) {
    begin_split({operation::begin_write_at_all, offset, from, by});
  }
  void begin_read_all(target into, any_policy by = {}) {
    begin_split({operation::begin_read_all, 0, into, by});
  }
  void begin_write_all(source from, any_policy by = {}) {
    begin_split({operation::begin_write_all, 0, from, by});
  }
  void begin_read_ordered(target into, any_policy by = {}) {
    begin_split({operation::begin_read_ordered, 0, into, by});
  }
  void begin_write_ordered(source from, any_policy by = {}) {
    begin_split({operation::begin_write_ordered, 0, from, by});
  }
  report end(on_error e = {}) { return end_split({}, e); }
  // Only if that is what has begun: f.end("begin_write_all").
  report end(std::string_view begun, on_error e = {}) { return end_split(begun, e); }

  // --- Pointers ----------------------------------------------------------------------------------

  // The individual pointer; local. A sequential file has none, which is errc::unsupported.
  std::int64_t position() const;
  void seek(std::int64_t offset, seek_from whence = seek_from::start, on_error e = {});

  // The shared pointer: asking is local, moving it is collective, with the same arguments on all
  // ranks.
  std::int64_t position_shared();
  void seek_shared(std::int64_t offset, seek_from whence = seek_from::start, on_error e = {});

  // --- Plans -------------------------------------------------------------------------------------

  // What a call would do to the file, without touching it: at the individual pointer, or at an
  // offset. Local. Throws what the call would throw for its arguments.
  plan explain(access_kind kind, source data, any_policy by = {}) const {
    return explain_alone(
        {explained(kind, pointer_kind::individual, ranks_of_call::one), 0, data, by});
  }
  plan explain_at(access_kind kind, std::int64_t offset, source data, any_policy by = {}) const {
    return explain_alone(
        {explained(kind, pointer_kind::explicit_offset, ranks_of_call::one), offset, data, by});
  }
  // What a collective call would do, the same on all ranks: collective, too.
  collective_plan explain_all(access_kind kind, source data, any_policy by = {}) {
    return explain_together(
        {explained(kind, pointer_kind::individual, ranks_of_call::all), 0, data, by});
  }
  collective_plan explain_at_all(access_kind kind, std::int64_t offset, source data,
                                 any_policy by = {}) {
    return explain_together(
        {explained(kind, pointer_kind::explicit_offset, ranks_of_call::all), offset, data, by});
  }

 private:
  friend struct detail::launcher;
  friend struct detail::discarding;
  using operation = detail::operation;
  using pointer_kind = detail::pointer_kind;
  using ranks_of_call = detail::ranks_of_call;

  // What other ranks have no part in.
  detail::open_file& local() const;
  int rank() const noexcept;
  std::int64_t from(std::int64_t offset, seek_from whence, std::int64_t current, failure& f) const;

  template <class Body>
  agreement with_memory(Body&& body);
  template <class Body>
  agreement collectively(detail::arguments const& given, Body&& body);
  template <class Body>
  agreement on_one_rank(detail::arguments const& given, Body&& body);
  agreement open_agreed(World const& world, std::string const& path, argosy::mode modes,
                        detail::hinted const& with, opener files);
  agreement close_agreed(on_error const& e);
  agreement set_view_agreed(std::int64_t displacement, detail::view_shape const& shape,
                            detail::hinted const& with);
  agreement set_view_with(detail::agreed_hints& asked, std::int64_t displacement,
                          detail::view_shape const& shape, detail::hinted const& with);
  failure begin_at_pointer(detail::view_shape const& shape, bool lenient,
                           std::shared_ptr<detail::used_view const>& next);
  agreement set_hints_agreed(hints const& h, on_error const& e);

  report access_alone(detail::call const& c, detail::plain_call const* plain = nullptr);
  report access_alone(detail::call const& c, detail::plain_call const* plain, bool open);
  report access_together(detail::call const& c);
  request begin_alone(detail::call const& c);
  request begin_together(detail::call const& c);
  void begin_split(detail::call const& c);
  plan explain_alone(detail::call const& c) const;
  collective_plan explain_together(detail::call const& c);
  // Begins a call. `then` is called with it once, when it has ended: on a thread of the file, or
  // before launch() returns if the arguments are wrong.
  std::shared_ptr<detail::background_call> launch(
      detail::call const& c, std::function<void(detail::background_call const&)> then);
  std::shared_ptr<detail::background_call> ended(detail::call const& c, failure f) const;
  std::string split_name() const { return std::string(detail::row_of(split_call_).name); }
  failure split_fault(std::string_view begun) const;
  report end_split(std::string_view begun, on_error const& e);

  // Throws what the agreement says, or tells the error_code.
  void done(agreement const& a, std::string_view call, on_error const& e);
  report finish(agreement const& a, std::string_view call, report r, std::error_code* error);
  void end_call(agreement const& a, std::string_view call, report const* done,
                std::error_code* error);

  std::unique_ptr<detail::crew<World>> crew_;  // null where no file was opened
  request split_;
  operation split_call_ = {};                            // that began it
  mutable detail::per_thread<std::string> what_failed_;  // asking for the size may fail, too
};

extern template class basic_file<self>;

}  // namespace argosy

// A file, opened together by the ranks of a world. One page because users read here all that a file
// can do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/datatype/file_form.hpp>
#include <argosy/error/agreement.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/access_options.hpp>
#include <argosy/file/data.hpp>
#include <argosy/file/detail/call/call.hpp>
#include <argosy/file/detail/state/per_thread.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hinted.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/file/on_error.hpp>
#include <argosy/file/request.hpp>
#include <argosy/file/seek_from.hpp>
#include <argosy/file/view_shape.hpp>
#include <argosy/file/views.hpp>
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

struct file_services;  // closes and removes a file that a format could not finish
struct through_view;   // makes local calls through a view of their own
// begins nonblocking calls that report their end without a request: see asio.hpp
struct launcher;
class arguments;
struct agreed_hints;
class open_file;
struct plain_call;
struct used_view;
template <communicator World>
struct crew;

}  // namespace detail

// A file of the ranks of a world. `io::file` is this class on MPI. Movable, not copyable. Every
// call throws its error. If its last argument is an std::error_code, it sets that instead. For
// other values of the last argument see access_options.hpp and hinted.hpp.
//
// If the file is not open, reads, writes and collective calls report errc::file. If it was never
// opened, view(), mode(), path() and position() throw errc::file. After close() they still return
// the last value.
//
// - *Collective* calls are made by all ranks, in the same order. They begin with one reduction: the
//   ranks agree that all arguments are valid, and equal if they must be. Until then nothing is read
//   or written. They end with another reduction: the ranks agree on the outcome. Either every rank
//   reports an error, or none does. A rank that did not fail itself reports
//   errc::error_on_another_rank. The exception, or what_failed(), says which rank failed first, and
//   why.
// - *Local* calls wait for no other rank.
// - Offsets and pointers count etypes of the view. They have 64 bits, like all numbers here.
// - Threads of a rank may make local calls of one file at the same time, even during a collective
//   call. Reads and writes at explicit offsets do not wait for each other. Each call moves the
//   individual pointer once.
// - The program must make the collective calls of one file one after another, even from several
//   threads. While a thread calls close(), or sets the view, hints or atomic mode, no other thread
//   may be in a call of the file.
// - Programs on MPI with several threads need MPI_THREAD_MULTIPLE. Requests need only
//   MPI_THREAD_FUNNELED.
// - After an error the file can still be read, written and closed. Call close() explicitly. The
//   destructor only waits for this rank's local requests and drops the handle. It reports no error,
//   and does not carry out mode::delete_on_close.
template <communicator World>
class basic_file {
 public:
  basic_file();  // a file that is not open
  basic_file(basic_file&&) noexcept;
  basic_file& operator=(basic_file&&) noexcept;
  ~basic_file();

  // --- Opening and closing: collective -----------------------------------------------------------

  // Opens a file. Collective. Modes must be equal on all ranks. Paths may differ if they name the
  // same file. Otherwise errc::not_same is reported. `files` makes the handle, with its decorators.
  //
  // With mode::create rank 0 creates the file. If another rank then cannot open it, rank 0 removes
  // it again, unless it has data or another program may have it open.
  //
  // Hints of `with` win over those of ARGOSY_HINTS. Hints of ARGOSY_HINTS_OVERRIDE win over both.
  // The environment variables ARGOSY_DEVELOP and ARGOSY_TRACE are read here. If an error is
  // reported by std::error_code, the result is not open.
  static basic_file open(World const& world, std::string const& path, argosy::mode modes,
                         detail::hinted with = {}, opener files = posix_opener());

  // Waits for all requests of the file, then closes it. Collective. Also reports the errors of
  // requests that were dropped. The file is closed even if an error is reported. It stays open only
  // if the ranks could not begin together, for example because another rank is in another call.
  void close(on_error e = {});
  // Returns true if the file is open. Local.
  bool is_open() const noexcept;

  // --- The view: collective ----------------------------------------------------------------------

  // Sets the view, and moves the individual pointers and the shared pointer to 0. Collective.
  // Displacement, etype and filetype may differ between ranks. The extent of the etype and the
  // representation must be equal. Reports errc::unsupported if a request of any rank is still
  // running.
  //
  // If the file is sequential, `displacement` must be current_displacement. For the forms of a
  // shape see view_shape.hpp.
  void set_view(std::int64_t displacement, detail::view_shape shape, detail::hinted with = {});
  void set_view(argosy::view const& v, detail::hinted with = {});

  // --- Local questions ---------------------------------------------------------------------------

  // Returns the view in use. Local. Valid until the view is set again or the file is destroyed.
  argosy::view const& view() const;
  // Returns the byte of the file at which that etype of the view begins. Local. Throws
  // errc::argument if `offset` is negative or the byte is beyond 2^63.
  std::int64_t byte_offset(std::int64_t offset) const;
  // Returns the extent of a datatype in the file, in the view's representation. Local.
  template <datatype D>
  std::int64_t type_extent(D const& type) const {
    auto const& r = view().representation();
    return r.converts() ? detail::file_form_of(type, r.sizes()).extent()
                        : detail::form_of(type).extent();
  }
  argosy::mode mode() const;
  // Returns the path of open(), without a prefix such as `ufs:`. Local.
  std::string const& path() const;
  // Returns a duplicate of the world of open(), with messages of its own. Local. Throws errc::file
  // if the file is not open. Valid until close().
  World const& world() const;
  bool atomic() const;  // true if atomic mode is on
  // Returns every hint with its effect in this rank's last read or write of the file. Local. Valid
  // until this thread calls get_hints() again.
  file_hints const& get_hints() const;
  // Returns the message of this thread's last call that can report an std::error_code, or an empty
  // string if that call succeeded. Local. Questions such as view(), and calls that begin requests,
  // leave the message. Valid until this thread's next call. Requests have their own message.
  std::string const& what_failed() const noexcept { return what_failed_.get(); }

  // Returns the size of the file in bytes. Local. 0 if an error is reported by std::error_code.
  std::int64_t size(on_error e = {}) const;

  // --- The file as a whole: collective -----------------------------------------------------------

  // Sets the size of the file. Collective. `bytes` must be equal on all ranks. Reports
  // errc::unsupported if a request of any rank is still running, or if the file is sequential.
  void set_size(std::int64_t bytes, on_error e = {});
  // Allocates space for [0, bytes). Collective. Data is unchanged. A smaller file grows to `bytes`,
  // a larger one keeps its size. `bytes` must be equal on all ranks. Reports errc::unsupported if a
  // request of any rank is still running, or if the file is sequential.
  void preallocate(std::int64_t bytes, on_error e = {});
  // Writes all data out to the storage, as far as the system reports it. Collective. If a sync
  // fails, every later one fails with the same error, because the system may have dropped the data.
  // Then write the data again and call clear_sync_error(). With the hint argosy_sync_errors =
  // until_written a later write of that rank clears the error.
  void sync(on_error e = {});
  // Clears the error of a failed sync on this rank. Local.
  void clear_sync_error();

  // Switches atomic mode on or off. Collective. `on` must be equal on all ranks. In atomic mode a
  // call locks its whole range, and reads and writes as if no other call ran at the same time.
  void set_atomic(bool on, on_error e = {});
  // Sets hints. Collective. The hints that MPI defines must be equal on all ranks; otherwise
  // errc::not_same is reported. Of argosy's, ROMIO's and IBM's hints that concern all ranks, the
  // values of rank 0 count. A hint that is invalid, or that may not change now, is no error.
  // get_hints() reports it as rejected.
  void set_hints(hints const& h, on_error e = {});

  // --- Reading and writing: local ----------------------------------------------------------------

  // Reads and writes return a report of the bytes that were moved. After an error, the report has
  // the bytes that were moved before. If the error is thrown, error::report() returns that report.
  //
  // A read that reports fewer bytes and no error has reached the end of the file; the rest of the
  // memory is unchanged. Data must be whole etypes; otherwise errc::datatype is reported. If no
  // policy is given, the hints choose one.

  // Read and write at an explicit offset.
  report read_at(std::int64_t offset, target into, access_options const& with = {}) {
    return access_alone({operation::read_at, offset, into, with});
  }
  report write_at(std::int64_t offset, source from, access_options const& with = {}) {
    return access_alone({operation::write_at, offset, from, with});
  }

  // Read and write at the individual pointer. The pointer moves by the amount asked for, as in MPI;
  // if there was an error it stays.
  report read(target into, access_options const& with = {}) {
    return access_alone({operation::read, 0, into, with});
  }
  report write(source from, access_options const& with = {}) {
    return access_alone({operation::write, 0, from, with});
  }

  // Read and write at the shared pointer of all ranks. The pointer moves by the amount asked for,
  // before the data is moved. If moving the data then fails, the pointer stays there. Each call of
  // any rank gets a range of its own, in any order.
  report read_shared(target into, access_options const& with = {}) {
    return access_alone({operation::read_shared, 0, into, with});
  }
  report write_shared(source from, access_options const& with = {}) {
    return access_alone({operation::write_shared, 0, from, with});
  }

  // Nonblocking versions. The request reports every error, including invalid arguments. Pointers
  // move before the call returns, except if its arguments are invalid. If moving the data then
  // fails, they stay there. Requests may complete in any order. Memory and datatypes must live, and
  // data that is written must not change, until the request has ended.
  request iread_at(std::int64_t offset, target into, extend::any_policy by = {}) {
    return begin_alone({operation::iread_at, offset, into, std::move(by)});
  }
  request iwrite_at(std::int64_t offset, source from, extend::any_policy by = {}) {
    return begin_alone({operation::iwrite_at, offset, from, std::move(by)});
  }
  request iread(target into, extend::any_policy by = {}) {
    return begin_alone({operation::iread, 0, into, std::move(by)});
  }
  request iwrite(source from, extend::any_policy by = {}) {
    return begin_alone({operation::iwrite, 0, from, std::move(by)});
  }
  request iread_shared(target into, extend::any_policy by = {}) {
    return begin_alone({operation::iread_shared, 0, into, std::move(by)});
  }
  request iwrite_shared(source from, extend::any_policy by = {}) {
    return begin_alone({operation::iwrite_shared, 0, from, std::move(by)});
  }

  // --- Reading and writing: collective -----------------------------------------------------------

  // Every rank takes part, with any amount of data or none. Each report counts the bytes of its own
  // rank.
  report read_at_all(std::int64_t offset, target into, access_options const& with = {}) {
    return access_together({operation::read_at_all, offset, into, with});
  }
  report write_at_all(std::int64_t offset, source from, access_options const& with = {}) {
    return access_together({operation::write_at_all, offset, from, with});
  }
  report read_all(target into, access_options const& with = {}) {
    return access_together({operation::read_all, 0, into, with});
  }
  report write_all(source from, access_options const& with = {}) {
    return access_together({operation::write_all, 0, from, with});
  }

  // Read and write at the shared pointer. The data of the ranks lies one behind the other, in the
  // order of the ranks.
  report read_ordered(target into, access_options const& with = {}) {
    return access_together({operation::read_ordered, 0, into, with});
  }
  report write_ordered(source from, access_options const& with = {}) {
    return access_together({operation::write_ordered, 0, from, with});
  }

  // Read and write several variables, each through a view of its own, by one access of all ranks.
  // Collective. The view of the file and its pointers stay as they are. Lists of ranks may differ
  // in length. If two views of a rank write one byte, errc::argument is reported. Views of a read
  // may overlap. All views of one rank must have one representation. If views of a rank interleave
  // in the file, the call needs memory for each piece.
  report read_views_all(detail::views<viewed_target> into, access_options const& with = {}) {
    return access_together({operation::read_views_all, 0, into.none(), with, &into});
  }
  report write_views_all(detail::views<viewed_source> from, access_options const& with = {}) {
    return access_together({operation::write_views_all, 0, from.none(), with, &from});
  }

  // Nonblocking versions, called by all ranks in the same order. Pointers move before the call
  // returns. If the call fails, wait() moves the individual pointer back, unless it was moved again
  // meanwhile. A thread of each rank exchanges data and accesses the file.
  //
  // Between nodes without sockets, or with the hint argosy_progress = in_calls, no thread does this
  // work. Then a rank does it inside wait(), inside test(), or inside its next collective call of
  // the file. Each of these, test() too, then waits until the other ranks do the same.
  //
  // If a request is dropped, its destructor does not wait, and the call goes on. Its memory must
  // then live until close() has returned.
  request iread_at_all(std::int64_t offset, target into, extend::any_policy by = {}) {
    return begin_together({operation::iread_at_all, offset, into, std::move(by)});
  }
  request iwrite_at_all(std::int64_t offset, source from, extend::any_policy by = {}) {
    return begin_together({operation::iwrite_at_all, offset, from, std::move(by)});
  }
  request iread_all(target into, extend::any_policy by = {}) {
    return begin_together({operation::iread_all, 0, into, std::move(by)});
  }
  request iwrite_all(source from, extend::any_policy by = {}) {
    return begin_together({operation::iwrite_all, 0, from, std::move(by)});
  }

  // Split calls. Collective. A file has at most one at a time, and end() waits for it. A second
  // begin throws errc::argument on this rank at once. end() reports all other errors, including
  // invalid arguments. If a blocking collective read or write is called before end(), it fails on
  // all ranks.
  void begin_read_at_all(std::int64_t offset, target into, extend::any_policy by = {}) {
    begin_split({operation::begin_read_at_all, offset, into, std::move(by)});
  }
  void begin_write_at_all(std::int64_t offset, source from, extend::any_policy by = {}) {
    begin_split({operation::begin_write_at_all, offset, from, std::move(by)});
  }
  void begin_read_all(target into, extend::any_policy by = {}) {
    begin_split({operation::begin_read_all, 0, into, std::move(by)});
  }
  void begin_write_all(source from, extend::any_policy by = {}) {
    begin_split({operation::begin_write_all, 0, from, std::move(by)});
  }
  void begin_read_ordered(target into, extend::any_policy by = {}) {
    begin_split({operation::begin_read_ordered, 0, into, std::move(by)});
  }
  void begin_write_ordered(source from, extend::any_policy by = {}) {
    begin_split({operation::begin_write_ordered, 0, from, std::move(by)});
  }
  // Waits for the split call and returns its report. Collective. Reports errc::argument, on this
  // rank only, if no split call has begun.
  report end(on_error e = {}) { return end_split({}, e); }
  // Does the same if `begun` names the split call: f.end("begin_write_all"). Otherwise reports
  // errc::argument, on this rank only; the split call must still be ended.
  report end(std::string_view begun, on_error e = {}) { return end_split(begun, e); }

  // --- Pointers ----------------------------------------------------------------------------------

  // position() returns the individual pointer, in etypes of the view. seek() moves it. Local. If
  // the new position is negative, seek() reports errc::argument and the pointer stays. Both report
  // errc::unsupported if the file is sequential.
  std::int64_t position() const;
  void seek(std::int64_t offset, seek_from whence = seek_from::start, on_error e = {});

  // position_shared() returns the shared pointer, in etypes of the view. Local. seek_shared() moves
  // it. Collective. Its arguments must be equal on all ranks. It reports errc::unsupported if the
  // file is sequential.
  std::int64_t position_shared();
  void seek_shared(std::int64_t offset, seek_from whence = seek_from::start, on_error e = {});

  // --- Plans -------------------------------------------------------------------------------------

  // Returns what a call would do to the file, without touching it: at the individual pointer, or at
  // an offset. Local. Throws the error that the call would report for its arguments.
  plan explain(access_kind kind, source data, extend::any_policy by = {}) const {
    return explain_alone(
        {explained(kind, pointer_kind::individual, ranks_of_call::one), 0, data, std::move(by)});
  }
  plan explain_at(access_kind kind, std::int64_t offset, source data,
                  extend::any_policy by = {}) const {
    return explain_alone({explained(kind, pointer_kind::explicit_offset, ranks_of_call::one),
                          offset, data, std::move(by)});
  }
  // Returns what a collective call would do, the same on all ranks, without touching the file.
  // Collective. Throws on every rank if the arguments of any rank are invalid.
  collective_plan explain_all(access_kind kind, source data, extend::any_policy by = {}) {
    return explain_together(
        {explained(kind, pointer_kind::individual, ranks_of_call::all), 0, data, std::move(by)});
  }
  collective_plan explain_at_all(access_kind kind, std::int64_t offset, source data,
                                 extend::any_policy by = {}) {
    return explain_together({explained(kind, pointer_kind::explicit_offset, ranks_of_call::all),
                             offset, data, std::move(by)});
  }
  // Returns what read_views_all() or write_views_all() would do. Collective.
  collective_plan explain_views_all(access_kind kind, detail::views<viewed_source> data,
                                    extend::any_policy by = {}) {
    return explain_together({explained(kind, pointer_kind::none, ranks_of_call::all), 0,
                             data.none(), std::move(by), &data});
  }

 private:
  friend struct detail::launcher;
  friend struct detail::file_services;
  friend struct detail::through_view;
  using operation = detail::operation;
  using pointer_kind = detail::pointer_kind;
  using ranks_of_call = detail::ranks_of_call;

  // the parts of this rank alone
  detail::open_file& local() const;
  int rank() const noexcept;
  std::int64_t from(std::int64_t offset, seek_from whence, std::int64_t current,
                    extend::failure& f) const;

  template <class Body>
  extend::agreement with_memory(Body&& body);
  template <class Body>
  extend::agreement collectively(detail::arguments const& given, Body&& body);
  template <class Body>
  extend::agreement on_one_rank(detail::arguments const& given, Body&& body);
  extend::agreement open_agreed(World const& world, std::string const& path, argosy::mode modes,
                                detail::hinted const& with, opener files);
  extend::agreement close_agreed(on_error const& e);
  extend::agreement set_view_agreed(std::int64_t displacement, detail::view_shape const& shape,
                                    detail::hinted const& with);
  extend::agreement set_view_with(detail::agreed_hints& asked, std::int64_t displacement,
                                  detail::view_shape const& shape, detail::hinted const& with);
  extend::failure begin_at_pointer(detail::view_shape const& shape, bool lenient,
                                   std::shared_ptr<detail::used_view const>& next);
  extend::agreement set_hints_agreed(hints const& h, on_error const& e);

  report access_alone(detail::call const& c, detail::plain_call const* plain = nullptr);
  report access_alone(detail::call const& c, detail::plain_call const* plain, bool open);
  report access_together(detail::call const& c);
  request begin_alone(detail::call const& c);
  request begin_together(detail::call const& c);
  void begin_split(detail::call const& c);
  plan explain_alone(detail::call const& c) const;
  collective_plan explain_together(detail::call const& c);
  // Begins a call, and calls `then` once after its end, on a thread of the file. If the arguments
  // are wrong, `then` is called before launch() returns.
  std::shared_ptr<detail::background_call> launch(
      detail::call const& c, std::function<void(detail::background_call const&)> then);
  std::shared_ptr<detail::background_call> ended(detail::call const& c, extend::failure f) const;
  std::string split_name() const { return std::string(detail::row_of(split_call_).name); }
  extend::failure split_fault(std::string_view begun) const;
  report end_split(std::string_view begun, on_error const& e);

  // Reports the outcome of an agreement: throws, or sets the error_code.
  void done(extend::agreement const& a, std::string_view call, on_error const& e);
  report finish(extend::agreement const& a, std::string_view call, report r,
                std::error_code* error);
  void end_call(extend::agreement const& a, std::string_view call, report const* done,
                std::error_code* error);

  std::unique_ptr<detail::crew<World>> crew_;  // null if no file was opened
  request split_;
  operation split_call_ = {};                            // the call that began split_
  mutable detail::per_thread<std::string> what_failed_;  // mutable, because size() may fail, too
};

extern template class basic_file<self>;

}  // namespace argosy

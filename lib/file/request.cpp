// Implements request.hpp and the requests of one rank: how they run, are waited for, and end.
// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <new>
#include <optional>
#include <system_error>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/error/error.hpp>
#include <argosy/file/detail/call/background_call.hpp>
#include <argosy/file/request.hpp>
#include <argosy/handle/detail/traced_phases.hpp>

namespace argosy {
namespace detail {

void background_access::start(std::function<void()> then) {
  then_ = std::move(then);
  file->others().add_request();
  try {
    file->start([self = shared_from_this()] { self->run(); });
  } catch (std::system_error const&) {  // no thread can be made: the call is carried out here
    run();
  } catch (std::bad_alloc const&) {
    run();
  } catch (...) {
    file->others().end_request();
    throw;
  }
}

void background_access::run() {
  {
    traced_phases const traced(file->seen_by().trace(), file->path());
    in_phase const now(phase::call, {.name = name(),
                                     .bytes = job_.bytes,
                                     .source_file = job_.told.called_at.file_name(),
                                     .source_line = job_.told.called_at.line()});
    staging with;
    failure f = file->access_timed(job_, with, done);
    done.in_background = true;
    result = local_agreement(file->rank(), std::move(f));
    has_result();
  }
  file->others().end_request();
  std::function<void()> then;
  {
    std::lock_guard const guard(mutex_);
    has_ended_ = true;
    then.swap(then_);
  }
  ended_.notify_all();
  if (then) then();
}

bool background_access::test() {
  if (file->others().workers()) file->others().workers()->pause();
  std::lock_guard const guard(mutex_);
  return has_ended_;
}

void background_access::wait() {
  if (file->others().workers())
    return file->others().workers()->wait([this] { return has_ended_; });
  std::unique_lock guard(mutex_);
  ended_.wait(guard, [this] { return has_ended_; });
}

void background_access::leave() try {
  wait();
} catch (...) {  // the world ends, and before it everything that runs concurrently with this rank
}

}  // namespace detail

request::~request() {
  if (!operation_) return;
  // In a child process made by fork, no thread carries the request out. Everything stays as it is.
  if (operation_->file && operation_->file->is_of_parent()) {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory the child ends
    static_cast<void>(new std::shared_ptr<detail::background_call>(std::move(operation_)));
    return;
  }
  {
    detail::program_waits const here(*operation_);
    operation_->leave();
  }
  operation_->abandon();
}

void request::tell_by_close() {
  if (operation_) operation_->abandon();
}

bool request::test() {
  if (!operation_) return true;
  detail::program_waits const here(*operation_);
  return operation_->test();
}

report request::wait(on_error e) {
  if (e.error()) e.error()->clear();
  what_failed_.clear();
  if (!operation_) return {};
  auto const o = std::exchange(operation_, nullptr);
  // Other ranks may wait for what this rank does here, for example for its answer whether it has
  // begun a call. So memory is reserved for it.
  std::optional<detail::memory_reserve> kept;
  if (o->file->ranks() > 1) kept.emplace();
  {
    detail::program_waits const here(*o);
    o->wait();
  }
  o->done.in_background = o->has_begun;
  o->done.waited_ns = o->has_begun ? o->waited_ns() : 0;
  if (!o->result) o->file->position().take_back(o->moved);
  if (!o->result) {
    try {
      what_failed_ = detail::message_of(o->result, o->name(), o->file->path(), o->file->rank());
      // without memory for the message, the error code alone is reported
    } catch (std::bad_alloc const&) {
      if (!e.error()) throw;
    }
  }
  if (o->result.thrown && !(e.error() && o->result.code == errc::no_memory))
    std::rethrow_exception(o->result.thrown);
  if (e.error())
    *e.error() = o->result.code;
  else if (!o->result)
    throw error(o->result, o->name(), o->file->path(), o->file->rank(),
                std::make_shared<report const>(std::move(o->done)));
  return std::move(o->done);
}

void wait_all(std::span<request> requests, on_error e) {
  if (e.error()) e.error()->clear();
  std::exception_ptr first;
  for (request& r : requests) try {
      std::error_code error;
      if (e.error())
        r.wait(error);
      else
        r.wait();
      if (e.error() && !*e.error()) *e.error() = error;
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

}  // namespace argosy

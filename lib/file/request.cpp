// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <new>
#include <system_error>

#include <argosy/error/error.hpp>
#include <argosy/file/request.hpp>

namespace argosy {
namespace detail {

void file_operation::start(std::function<void()> then) {
  then_ = std::move(then);
  ++file->pending;
  try {
    file->start([self = shared_from_this()] { self->run(); });
  } catch (std::system_error const&) {  // no thread can be made: then here and now
    run();
  } catch (std::bad_alloc const&) {
    run();
  } catch (...) {
    --file->pending;
    throw;
  }
}

void file_operation::run() {
  {
    staging with;
    failure f = file->move(job_, with, done);
    result = alone(file->rank, std::move(f));
  }
  --file->pending;
  std::function<void()> then;
  {
    std::lock_guard const guard(mutex_);
    has_ended_ = true;
    then.swap(then_);
  }
  ended_.notify_all();
  if (then) then();
}

bool file_operation::test() {
  if (file->beside) file->beside->pause();
  std::lock_guard const guard(mutex_);
  return has_ended_;
}

void file_operation::wait() {
  if (file->beside) return file->beside->wait([this] { return has_ended_; });
  std::unique_lock guard(mutex_);
  ended_.wait(guard, [this] { return has_ended_; });
}

void file_operation::leave() try {
  wait();
} catch (...) {  // the world comes to its end, and all that runs beside this rank before it
}

}  // namespace detail

report request::wait() {
  if (!operation_) return {};
  auto const o = std::exchange(operation_, nullptr);
  o->wait();
  if (o->result) return o->done;
  o->moved.take_back(o->file->position);
  if (o->result.thrown) std::rethrow_exception(o->result.thrown);
  throw error(o->result, o->call, o->file->path, o->file->rank);
}

report request::wait(std::error_code& error) {
  error.clear();
  if (!operation_) return {};
  auto const o = std::exchange(operation_, nullptr);
  o->wait();
  if (!o->result) o->moved.take_back(o->file->position);
  if (o->result.thrown) std::rethrow_exception(o->result.thrown);
  error = o->result.code;
  return o->done;
}

void wait_all(std::span<request> requests) {
  std::exception_ptr first;
  for (request& r : requests) try {
      r.wait();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

void wait_all(std::span<request> requests, std::error_code& error) {
  error.clear();
  std::exception_ptr thrown;
  for (request& r : requests) try {
      std::error_code e;
      r.wait(e);
      if (!error) error = e;
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace argosy

// A request: a nonblocking call that has begun.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <utility>

#include <argosy/file/on_error.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy {

namespace detail {
class background_call;
struct request_watch;
}  // namespace detail

//   io::request r = f.iwrite_at(0, u);
//   compute();                            u must neither change nor go
//   io::report done = r.wait();           throws what the call would have thrown
// Move-only. Errors come at wait, those of the arguments, too. The destructor waits for this rank's
// file access, never for other ranks; an error is told by the file's close.
class request {
 public:
  request() = default;  // nothing to wait for
  explicit request(std::shared_ptr<detail::background_call> o) : operation_(std::move(o)) {}
  request(request&&) = default;
  request& operator=(request&& other) {
    request(std::move(other)).swap(*this);
    return *this;
  }
  ~request();
  void swap(request& other) noexcept {
    operation_.swap(other.operation_);
    what_failed_.swap(other.what_failed_);
  }

  // There is something that was not waited for yet.
  bool pending() const noexcept { return operation_ != nullptr; }

  // Has it ended? Then wait() returns at once. Local.
  bool test();

  // Waits, and tells what was done. Afterwards nothing is pending.
  report wait(on_error e = {});
  // Of what was waited for, if it failed: the message, as an exception would have it.
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  template <communicator>
  friend class basic_file;
  friend struct detail::request_watch;
  // The file is being closed, and this one may never be waited for: if it failed, close says so,
  // too.
  void tell_by_close();

  std::shared_ptr<detail::background_call> operation_;
  std::string what_failed_;
};

// Waits for all of them, also if some fail; then throws, or tells, the first error.
void wait_all(std::span<request> requests, on_error e = {});

}  // namespace argosy

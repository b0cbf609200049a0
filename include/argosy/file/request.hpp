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
//   compute();                            u must neither change nor be destroyed
//   io::report done = r.wait();           throws the error of the call
// Move-only. wait() reports all errors, including those of the arguments. The destructor waits for
// this rank's file access, never for other ranks. If the program did not call wait(), the file's
// close() reports the error.
class request {
 public:
  request() = default;  // no call
  explicit request(std::shared_ptr<detail::background_call> o) : operation_(std::move(o)) {}
  request(request&&) = default;
  request& operator=(request&& other) noexcept {
    request(std::move(other)).swap(*this);
    return *this;
  }
  ~request();
  void swap(request& other) noexcept {
    operation_.swap(other.operation_);
    what_failed_.swap(other.what_failed_);
  }

  // Returns true if the request has a call that was not waited for yet. Local.
  bool pending() const noexcept { return operation_ != nullptr; }

  // Returns true if the call has ended, so that wait() returns at once. Local.
  bool test();

  // Waits for the call and returns its report. Afterwards nothing is pending. Throws the error of
  // the call. A collective call ends only when the other ranks have come to it.
  report wait(on_error e = {});
  // Returns the message of the last wait() if it failed, as an exception would have it; otherwise
  // an empty string. Local. Valid until the next wait().
  std::string const& what_failed() const noexcept { return what_failed_; }

 private:
  template <communicator>
  friend class basic_file;
  friend struct detail::request_watch;
  // Lets close() report an error of the call, since the program may never wait for it.
  void tell_by_close();

  std::shared_ptr<detail::background_call> operation_;
  std::string what_failed_;
};

// Waits for all requests, even if some fail, and then reports the first error.
void wait_all(std::span<request> requests, on_error e = {});

}  // namespace argosy

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
// Move-only. wait() reports all errors, including those of the arguments.
//
// If the program did not call wait(), the destructor drops the request, and so does an assignment
// to it. Both wait for the end of a local call. For a collective call they do not wait. That call
// goes on, and its memory must live until close() has returned. close() reports the error of a
// dropped call.
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

  // Returns true if the request has a call for which wait() was not called yet. Local. The call may
  // have ended.
  bool pending() const noexcept { return operation_ != nullptr; }

  // Returns true if the call has ended, so that wait() returns at once, or if there is no call.
  // Usually returns at once. If no thread carries out a nonblocking collective call, test() carries
  // it out, and waits for the other ranks: see basic_file::iread_at_all().
  bool test();

  // Waits for the call and returns its report. If there is no call, returns an empty report. Throws
  // the error of the call. Afterwards the request has no call, even if an error was reported. A
  // collective call ends only after the other ranks have begun it.
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

// Waits for all requests, even if some fail. Then reports the error of the first request in the
// span that failed. The reports of the calls are lost.
void wait_all(std::span<request> requests, on_error e = {});

}  // namespace argosy

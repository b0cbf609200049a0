// The handle of a call: it tells the call's report how long transfers and locks took, where the call is timed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <type_traits>

#include <argosy/exchange/detail/time_source.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// Lives as long as the call; used by one thread.
class timed_handle {
 public:
  // Null `clock`: no time is taken.
  timed_handle(any_handle& h, report& done, time_source const* clock) : inner_(&h), done_(&done), clock_(clock) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    return timed(&report::file_ns, [&] { return inner_->read(offset, memory); });
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    return timed(&report::file_ns, [&] { return inner_->write(offset, memory); });
  }
  io_result read(std::span<read_part const> parts) {
    return timed(&report::file_ns, [&] { return inner_->read(parts); });
  }
  io_result write(std::span<write_part const> parts) {
    return timed(&report::file_ns, [&] { return inner_->write(parts); });
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return timed(&report::lock_ns, [&] { return inner_->lock(offset, length, kind); });
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return timed(&report::lock_ns, [&] { return inner_->unlock(offset, length); });
  }
  std::int64_t size(std::error_code& error) { return inner_->size(error); }
  std::error_code resize(std::int64_t bytes) { return inner_->resize(bytes); }
  std::error_code preallocate(std::int64_t bytes) { return inner_->preallocate(bytes); }
  std::error_code sync() { return inner_->sync(); }
  std::error_code close() { return inner_->close(); }
  bool is_open() const { return inner_->is_open(); }
  std::int64_t block_bytes() const { return inner_->block_bytes(); }
  std::error_code fcntl(std::span<std::byte> argument) { return inner_->fcntl(argument); }
  bool takes_hints() const { return inner_->takes_hints(); }
  int node() const { return inner_->node(); }

 private:
  template <class F>
  std::invoke_result_t<F&> timed(std::int64_t report::* to, F&& f) {
    if (!clock_) return f();
    timing const t(*clock_, done_->*to);
    return f();
  }

  any_handle* inner_;
  report* done_;
  time_source const* clock_;
};
static_assert(handle<timed_handle> && hinting<timed_handle>);

}  // namespace argosy::detail

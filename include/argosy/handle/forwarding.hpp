// The base of decorators: a handle around another one. It forwards all calls of a handle, including
// hints to the file system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <argosy/extend.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/handle_call.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/trying.hpp>

namespace argosy::extend {

// `Derived` may have one function for all calls that reach the file. Without it, calls are only
// forwarded.
//
//   template <class Act>
//   io_result around(handle_call const& call, Act&& act) {   // public
//     io_result const done = act();                          // once, never, repeatedly or later
//     return done;
//   }
//
// io_result is the result of every call: the bytes moved, the size, or 0, and the error. For other
// changes, such as a shorter transfer, a decorator has a function of its own with the name of the
// call. Several threads may be in `around` at a time.
template <class Derived, handle H>
class forwarding {
 public:
  forwarding()
    requires std::default_initializable<H>
  = default;
  // Accepts only an H itself. A type that converts to H might be this very class, and the check
  // would then need to know whether it can be moved.
  template <std::same_as<H> Inner>
  explicit forwarding(Inner inner) : inner_(std::move(inner)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    read_part const all{offset, memory};
    return pass({.kind = file_call::read, .offset = offset, .reads = {&all, 1}},
                [&] { return inner_.read(offset, memory); });
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    write_part const all{offset, memory};
    return pass({.kind = file_call::write, .offset = offset, .writes = {&all, 1}},
                [&] { return inner_.write(offset, memory); });
  }
  io_result read(std::span<read_part const> parts) {
    return pass({.kind = file_call::read, .offset = first_of(parts), .reads = parts},
                [&] { return inner_.read(parts); });
  }
  io_result write(std::span<write_part const> parts) {
    return pass({.kind = file_call::write, .offset = first_of(parts), .writes = parts},
                [&] { return inner_.write(parts); });
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return tell({.kind = file_call::lock, .offset = offset, .length = length, .lock = kind},
                [&] { return inner_.lock(offset, length, kind); });
  }
  // Decorators see it as a lock. io_result::bytes is 1 if the lock was obtained, otherwise 0.
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error) {
    io_result const done =
        pass({.kind = file_call::lock, .offset = offset, .length = length, .lock = kind}, [&] {
          io_result r;
          r.bytes = detail::try_lock_of(inner_, offset, length, kind, r.error) ? 1 : 0;
          return r;
        });
    error = done.error;
    return !error && done.bytes == 1;
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return tell({.kind = file_call::unlock, .offset = offset, .length = length},
                [&] { return inner_.unlock(offset, length); });
  }
  std::int64_t size(std::error_code& error) {
    io_result const done = pass({.kind = file_call::size}, [&] {
      io_result r;
      r.bytes = inner_.size(r.error);
      return r;
    });
    error = done.error;
    return done.bytes;
  }
  std::error_code resize(std::int64_t bytes) {
    return tell({.kind = file_call::resize, .length = bytes}, [&] { return inner_.resize(bytes); });
  }
  std::error_code preallocate(std::int64_t bytes) {
    return tell({.kind = file_call::preallocate, .length = bytes},
                [&] { return inner_.preallocate(bytes); });
  }
  std::error_code sync() {
    return tell({.kind = file_call::sync}, [&] { return inner_.sync(); });
  }
  // Decorators see it as a sync.
  std::error_code reconcile() {
    return tell({.kind = file_call::sync}, [&] { return argosy::detail::reconcile(inner_); });
  }
  std::error_code close() {
    return tell({.kind = file_call::close}, [&] { return inner_.close(); });
  }
  std::error_code fcntl(std::span<std::byte> argument) {
    return tell({.kind = file_call::fcntl, .length = static_cast<std::int64_t>(argument.size())},
                [&] { return detail::fcntl_of(inner_, argument); });
  }

  // These functions do not call the file, or are not called by the program.
  bool is_open() const { return inner_.is_open(); }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }
  bool takes_hints() const { return argosy::detail::takes_hints(inner_); }
  int node() const { return detail::node_of(inner_); }
  argosy::extend::storage storage() const { return detail::storage_of(inner_); }
  std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) const {
    return argosy::detail::is_locked(inner_, offset, length);
  }
  std::optional<locked_range> lock_in_the_way(std::int64_t offset, std::int64_t length,
                                              lock_kind kind) const {
    return argosy::detail::lock_in_the_way(inner_, offset, length, kind);
  }
  bool tells_locks() const { return argosy::detail::tells_locks(inner_); }

  std::optional<file_identity> identity() const { return detail::identity_of(inner_); }

  H& inner() noexcept { return inner_; }
  H const& inner() const noexcept { return inner_; }

  template <class Act>
  io_result around(handle_call const&, Act&& act) {
    return act();
  }

 private:
  template <class Part>
  static std::int64_t first_of(std::span<Part const> parts) noexcept {
    return parts.empty() ? 0 : parts.front().offset;
  }
  template <class Act>
  io_result pass(handle_call const& call, Act&& act) {
    return static_cast<Derived&>(*this).around(call, std::forward<Act>(act));
  }
  // Makes a call that returns no number.
  template <class Act>
  std::error_code tell(handle_call const& call, Act&& act) {
    return pass(call, [&] { return io_result{0, act()}; }).error;
  }

  mutable H inner_;  // H may have non-const is_open(), storage() and the like
};

}  // namespace argosy::extend

// The calls of an open file of a simulated GPFS, whatever carries them to its client node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/lab/gpfs/client_node.hpp>

namespace argosy::lab::gpfs {

// `Derived` has carry(call) -> completion, which waits for the end of the call, and owner(), which tells the threads or tasks
// that share the handle apart.
template <class Derived>
class file_calls {
 public:
  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    call c = make(call_kind::read);
    c.offset = offset;
    c.into = memory;
    return transfer(std::move(c));
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    call c = make(call_kind::write);
    c.offset = offset;
    c.from = memory;
    return transfer(std::move(c));
  }
  io_result read(std::span<read_part const> parts) {
    return argosy::detail::one_by_one(
        parts, [&](std::int64_t offset, std::span<std::byte> memory) { return read(offset, memory); });
  }
  io_result write(std::span<write_part const> parts) {
    return argosy::detail::one_by_one(
        parts, [&](std::int64_t offset, std::span<std::byte const> memory) { return write(offset, memory); });
  }

  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return code(self().carry(locking(offset, length, kind)));
  }
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error) {
    call c = locking(offset, length, kind);
    c.waits = false;
    completion const done = self().carry(std::move(c));
    error = done.error == EWOULDBLOCK ? std::error_code() : code(done);
    return done.error == 0;
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    call c = make(call_kind::unlock);
    c.offset = offset;
    c.length = length;
    return code(self().carry(std::move(c)));
  }

  std::int64_t size(std::error_code& error) {
    completion const done = self().carry(make(call_kind::size));
    error = code(done);
    return done.value;
  }
  std::error_code resize(std::int64_t bytes) {
    call c = make(call_kind::resize);
    c.offset = bytes;
    return code(self().carry(std::move(c)));
  }
  std::error_code sync() { return code(self().carry(make(call_kind::sync))); }
  // Disks have no end, so only the file's length changes.
  std::error_code preallocate(std::int64_t bytes) {
    call c = make(call_kind::resize);
    c.offset = bytes;
    c.only_grow = true;
    return code(self().carry(std::move(c)));
  }

  // The argument is a struct of a header and structures; it receives what the call writes.
  template <class Argument>
    requires(!std::convertible_to<Argument&, std::span<std::byte>>)
  std::error_code fcntl(Argument& argument) {
    return fcntl(std::as_writable_bytes(std::span(&argument, 1)));
  }
  std::error_code fcntl(std::span<std::byte> argument) {
    call c = make(call_kind::fcntl);
    c.argument = argument;
    return code(self().carry(std::move(c)));
  }
  bool takes_hints() const { return true; }

  // Makes a call, for callers that have several under way at a time.
  call make(call_kind kind) const {
    call c;
    c.kind = kind;
    c.instance = instance_;
    c.owner = static_cast<Derived const&>(*this).owner();
    return c;
  }
  int instance() const { return instance_; }

 protected:
  static call opening(std::string path, open_flags const& flags) {
    call c;
    c.kind = call_kind::open;
    c.path = std::move(path);
    c.for_reading = flags.read;
    c.for_writing = flags.write;
    c.create = flags.create;
    c.exclusive = flags.exclusive;
    return c;
  }
  static std::error_code code(completion const& done) {
    return done.error != 0 ? std::error_code(done.error, std::system_category()) : std::error_code();
  }

  int instance_ = 0;

 private:
  call locking(std::int64_t offset, std::int64_t length, lock_kind kind) const {
    call c = make(call_kind::lock);
    c.offset = offset;
    c.length = length;
    c.exclusive = kind == lock_kind::exclusive;
    return c;
  }
  Derived& self() { return static_cast<Derived&>(*this); }
  io_result transfer(call c) {
    completion const done = self().carry(std::move(c));
    return {done.value, code(done)};
  }
};

}  // namespace argosy::lab::gpfs

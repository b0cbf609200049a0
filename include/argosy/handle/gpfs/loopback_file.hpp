// An open file of one node of a loopback: a handle. Every call runs the simulation until it is complete.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <argosy/agree/errc.hpp>
#include <argosy/handle/gpfs/loopback.hpp>
#include <argosy/handle/handle.hpp>

namespace argosy::gpfs {

class loopback_file {
 public:
  loopback_file() = default;
  loopback_file(loopback_file&& o) noexcept { *this = std::move(o); }
  loopback_file& operator=(loopback_file&& o) noexcept {
    std::swap(host_, o.host_);
    std::swap(node_, o.node_);
    std::swap(instance_, o.instance_);
    return *this;
  }

  static loopback_file open(loopback& host, node_id node, std::string path, open_flags flags, std::error_code& error) {
    call c;
    c.kind = call_kind::open;
    c.path = std::move(path);
    c.for_reading = flags.read;
    c.for_writing = flags.write;
    c.create = flags.create;
    c.exclusive = flags.exclusive;
    completion const done = host.perform(node, std::move(c));
    error = code(done.error);
    loopback_file f;
    if (error) return f;
    f.host_ = &host;
    f.node_ = node;
    f.instance_ = static_cast<int>(done.value);
    return f;
  }

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
  io_result read(std::span<read_part const> parts) { return each(parts); }
  io_result write(std::span<write_part const> parts) { return each(parts); }

  std::error_code lock(std::int64_t, std::int64_t, lock_kind) { return errc::no_locks; }
  std::error_code unlock(std::int64_t, std::int64_t) { return errc::no_locks; }

  std::int64_t size(std::error_code& error) {
    completion const done = perform(make(call_kind::size));
    error = code(done.error);
    return done.value;
  }
  std::error_code resize(std::int64_t bytes) {
    call c = make(call_kind::resize);
    c.offset = bytes;
    return code(perform(std::move(c)).error);
  }
  std::error_code preallocate(std::int64_t) {
    return is_open() ? std::error_code{} : code(EBADF);
  }  // disks have no end
  std::error_code sync() { return code(perform(make(call_kind::sync)).error); }
  std::error_code close() {
    completion const done = perform(make(call_kind::close));
    host_ = nullptr;
    return code(done.error);
  }
  bool is_open() const { return host_ != nullptr; }
  std::int64_t block_bytes() const { return host_ != nullptr ? host_->hardware().block_bytes : 4096; }

  // The argument is a struct of a header and structures; what the call writes into it is there afterwards.
  template <class Argument>
  std::error_code fcntl(Argument& argument) {
    call c = make(call_kind::fcntl);
    c.argument = std::as_writable_bytes(std::span(&argument, 1));
    return code(perform(std::move(c)).error);
  }

  // For calls that are to be under way at the same time.
  call make(call_kind kind) const {
    call c;
    c.kind = kind;
    c.instance = instance_;
    return c;
  }
  loopback::ticket start(call c) { return host_->start(node_, std::move(c)); }
  int instance() const { return instance_; }
  node_id node() const { return node_; }

 private:
  static std::error_code code(int error) {
    return error != 0 ? std::error_code(error, std::system_category()) : std::error_code();
  }
  completion perform(call c) {
    return host_ != nullptr ? host_->perform(node_, std::move(c)) : completion{0, 0, EBADF, {}};
  }
  io_result transfer(call c) {
    completion const done = perform(std::move(c));
    return {done.value, code(done.error)};
  }
  template <class Part>
  io_result each(std::span<Part const> parts) {
    io_result all;
    for (Part const& p : parts) {
      io_result one;
      if constexpr (std::is_same_v<Part, read_part>)
        one = read(p.offset, p.memory);
      else
        one = write(p.offset, p.memory);
      all.bytes += one.bytes;
      all.error = one.error;
      if (one.error || one.bytes < static_cast<std::int64_t>(p.memory.size())) break;
    }
    return all;
  }

  loopback* host_ = nullptr;
  node_id node_ = 0;
  int instance_ = 0;
};

static_assert(handle<loopback_file>);

}  // namespace argosy::gpfs

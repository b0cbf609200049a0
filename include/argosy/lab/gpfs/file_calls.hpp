// The calls of an open file of a simulated GPFS, for every way in which they reach their client
// node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/lab/gpfs/detail/client_node.hpp>

namespace argosy::lab::gpfs {

// The base of open files, which are `Derived`. That class has three functions:
//
// - carry(call) carries out a call, waits for its end and returns its completion.
// - owner() returns a number that differs for the threads or tasks that share the handle.
// - is_hollow() returns true if the file has no contents.
template <class Derived>
class file_calls {
 public:
  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    detail::call c = make(detail::call_kind::read);
    c.offset = offset;
    c.into = memory;
    return transfer(std::move(c));
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    detail::call c = make(detail::call_kind::write);
    c.offset = offset;
    c.from = memory;
    return transfer(std::move(c));
  }
  // Parts that follow one another in the file form one call, with as many pieces of memory as readv
  // and writev accept.
  io_result read(std::span<read_part const> parts) {
    return stretch_by_stretch(
        parts, [&](detail::call c, std::span<read_part const> here, std::size_t length) {
          c.kind = detail::call_kind::read;
          c.into = {here.front().memory.data(), length};
          if (c.pieces == 1 || self().is_hollow()) return transfer(std::move(c));
          std::vector<std::byte> memory(length);
          c.into = memory;
          io_result const done = transfer(std::move(c));
          auto from = memory.begin();
          for (std::int64_t left = done.bytes; left > 0; here = here.subspan(1)) {
            std::int64_t const n = std::min(left, argosy::detail::bytes_of(here.front()));
            std::copy_n(from, n, here.front().memory.begin());
            from += n;
            left -= n;
          }
          return done;
        });
  }
  io_result write(std::span<write_part const> parts) {
    return stretch_by_stretch(
        parts, [&](detail::call c, std::span<write_part const> here, std::size_t length) {
          c.kind = detail::call_kind::write;
          c.from = {here.front().memory.data(), length};
          if (c.pieces == 1 || self().is_hollow()) return transfer(std::move(c));
          std::vector<std::byte> memory;
          memory.reserve(length);
          for (write_part const& p : here)
            memory.insert(memory.end(), p.memory.begin(), p.memory.end());
          c.from = memory;
          return transfer(std::move(c));
        });
  }

  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return code(self().carry(locking(offset, length, kind)));
  }
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error) {
    detail::call c = locking(offset, length, kind);
    c.waits = false;
    detail::completion const done = self().carry(std::move(c));
    error = done.error == EWOULDBLOCK ? std::error_code() : code(done);
    return done.error == 0;
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    detail::call c = make(detail::call_kind::unlock);
    c.offset = offset;
    c.length = length;
    return code(self().carry(std::move(c)));
  }

  std::int64_t size(std::error_code& error) {
    detail::completion const done = self().carry(make(detail::call_kind::size));
    error = code(done);
    return done.value;
  }
  std::error_code resize(std::int64_t bytes) {
    detail::call c = make(detail::call_kind::resize);
    c.offset = bytes;
    return code(self().carry(std::move(c)));
  }
  std::error_code sync() { return code(self().carry(make(detail::call_kind::sync))); }
  // Changes only the file's length, because the simulated disks are unlimited.
  std::error_code preallocate(std::int64_t bytes) {
    detail::call c = make(detail::call_kind::resize);
    c.offset = bytes;
    c.only_grow = true;
    return code(self().carry(std::move(c)));
  }

  // Makes a call of gpfs_fcntl. The argument is a struct of a header and structures, and receives
  // the results.
  template <class Argument>
    requires(!std::convertible_to<Argument&, std::span<std::byte>>)
  std::error_code fcntl(Argument& argument) {
    return fcntl(std::as_writable_bytes(std::span(&argument, 1)));
  }
  std::error_code fcntl(std::span<std::byte> argument) {
    detail::call c = make(detail::call_kind::fcntl);
    c.argument = argument;
    return code(self().carry(std::move(c)));
  }
  bool takes_hints() const { return true; }

  // Returns a call of this file, for callers that have several calls under way.
  detail::call make(detail::call_kind kind) const {
    detail::call c;
    c.kind = kind;
    c.instance = instance_;
    c.owner = static_cast<Derived const&>(*this).owner();
    return c;
  }
  int instance() const { return instance_; }

 protected:
  static detail::call opening(std::string path, open_flags const& flags) {
    detail::call c;
    c.kind = detail::call_kind::open;
    c.path = std::move(path);
    c.for_reading = flags.read;
    c.for_writing = flags.write;
    c.create = flags.create;
    c.exclusive = flags.exclusive;
    return c;
  }
  static std::error_code code(detail::completion const& done) {
    return done.error != 0 ? std::error_code(done.error, std::system_category())
                           : std::error_code();
  }

  int instance_ = 0;

 private:
  static constexpr std::int64_t most_pieces = 1024;

  // Calls f(call, parts, bytes of these parts) until a call fails or is short. Parts that also
  // follow one another in memory are one piece. If the file has no contents, the memory of the call
  // is not accessed, and only its length counts.
  template <class Part, class F>
  io_result stretch_by_stretch(std::span<Part const> parts, F&& f) {
    using argosy::detail::bytes_of;
    io_result all;
    while (!parts.empty()) {
      Part const& first = parts.front();
      std::int64_t length = bytes_of(first);
      detail::call c = make(detail::call_kind::read);
      c.offset = first.offset;
      std::size_t n = 1;
      for (; n < parts.size(); ++n) {
        Part const &next = parts[n], &last = parts[n - 1];
        // Offsets may wrap if a caller asks for too much.
        if (static_cast<std::uint64_t>(first.offset) + static_cast<std::uint64_t>(length) !=
            static_cast<std::uint64_t>(next.offset))
          break;
        if (next.memory.data() != last.memory.data() + last.memory.size() &&
            ++c.pieces > most_pieces)
          break;
        length += bytes_of(next);
      }
      c.pieces = std::min(c.pieces, most_pieces);
      io_result const one = f(std::move(c), parts.first(n), static_cast<std::size_t>(length));
      all.bytes += one.bytes;
      all.error = one.error;
      if (one.error || one.bytes < length) break;
      parts = parts.subspan(n);
    }
    return all;
  }
  detail::call locking(std::int64_t offset, std::int64_t length, lock_kind kind) const {
    detail::call c = make(detail::call_kind::lock);
    c.offset = offset;
    c.length = length;
    c.exclusive = kind == lock_kind::exclusive;
    return c;
  }
  Derived& self() { return static_cast<Derived&>(*this); }
  io_result transfer(detail::call c) {
    detail::completion const done = self().carry(std::move(c));
    return {done.value, code(done)};
  }
};

}  // namespace argosy::lab::gpfs

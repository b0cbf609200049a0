// A handle that remembers which errors it handed to the library, and what was touched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/handle/opener.hpp>

#include "files.hpp"
#include "session.hpp"

namespace argosy::explore {

class witness {
  static std::error_code error_of(std::error_code e) { return e; }
  static std::error_code error_of(io_result const& r) { return r.error; }

  // `tells`: a call that tells of what went wrong since the last one.
  template <class Call>
  auto watched(file_call kind, bool tells, Call&& call) {
    std::int64_t const owed = watch_ ? watch_->begin() : 0;
    if (session_->called(rank_, !of_pointer_ && (kind == file_call::read || kind == file_call::write))) {
      // To others it is an error without a name.
      for (errc const e : {errc::user_code, errc::io}) session_->saw(rank_, {.call = kind, .error = e, .thrown = true});
      throw thrown_on_purpose("a handle of the program");
    }
    auto const result = call();
    std::error_code const error = error_of(result);
    if (error) session_->saw(rank_, {.call = kind, .error = error, .of_pointer = of_pointer_});
    if (watch_) watch_->end(kind, owed, error, tells);
    session_->call_ended();
    return result;
  }

 public:
  witness(any_handle inner, session& s, int rank, bool of_pointer, std::shared_ptr<watch> w)
      : inner_(std::move(inner)), session_(&s), rank_(rank), of_pointer_(of_pointer), watch_(std::move(w)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    touch(offset);
    return watched(file_call::read, !memory.empty(), [&] { return inner_.read(offset, memory); });
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    touch(offset);
    if (watch_) watch_->writes(offset, memory);
    io_result const r = watched(file_call::write, !memory.empty(), [&] { return inner_.write(offset, memory); });
    write_part const all{offset, memory};
    if (watch_) watch_->wrote({&all, 1}, r.bytes);
    return r;
  }
  io_result read(std::span<read_part const> parts) {
    for (read_part const& p : parts) touch(p.offset);
    return watched(file_call::read, detail::total_bytes(parts) > 0, [&] { return inner_.read(parts); });
  }
  io_result write(std::span<write_part const> parts) {
    for (write_part const& p : parts) {
      touch(p.offset);
      if (watch_) watch_->writes(p.offset, p.memory);
    }
    io_result const r = watched(file_call::write, detail::total_bytes(parts) > 0, [&] { return inner_.write(parts); });
    if (watch_) watch_->wrote(parts, r.bytes);
    return r;
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    touch(offset);
    return watched(file_call::lock, false, [&] { return inner_.lock(offset, length, kind); });
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return watched(file_call::unlock, false, [&] { return inner_.unlock(offset, length); });
  }
  std::int64_t size(std::error_code& error) {
    std::int64_t bytes = 0;
    watched(file_call::size, false, [&] {
      bytes = inner_.size(error);
      return error;
    });
    return bytes;
  }
  std::error_code resize(std::int64_t bytes) {
    return watched(file_call::resize, true, [&] { return inner_.resize(bytes); });
  }
  std::error_code preallocate(std::int64_t bytes) {
    return watched(file_call::preallocate, true, [&] { return inner_.preallocate(bytes); });
  }
  std::error_code sync() {
    return watched(file_call::sync, true, [&] { return inner_.sync(); });
  }
  std::error_code close() {
    return watched(file_call::close, true, [&] { return inner_.close(); });
  }
  // Of what fcntl says nobody need be told, but of a partitioning that does not end well.
  std::error_code fcntl(std::span<std::byte> argument) {
    std::error_code const error = inner_.fcntl(argument);
    if (error)
      session_->saw(
          rank_, {.call = file_call::fcntl, .error = error, .of_pointer = of_pointer_, .harmless = !is_stop(argument)});
    return error;
  }
  bool takes_hints() const { return inner_.takes_hints(); }
  int node() const { return inner_.node(); }
  bool is_open() const { return inner_.is_open(); }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }

 private:
  static bool is_stop(std::span<std::byte const> argument) {
    gpfs::gpfsStructHeader_t first;
    if (argument.size() < sizeof(gpfs::gpfsFcntlHeader_t) + sizeof first) return false;
    std::memcpy(&first, argument.data() + sizeof(gpfs::gpfsFcntlHeader_t), sizeof first);
    return first.structType == gpfs::data_ship_stop;
  }
  void touch(std::int64_t offset) {
    if (!of_pointer_) session_->touched(rank_, offset);
  }
  any_handle inner_;
  session* session_;
  int rank_;
  bool of_pointer_;
  std::shared_ptr<watch> watch_;
};
static_assert(handle<witness>);

inline opener with_witness(opener inner, session& s, int rank) {
  return inner.opening(
      [inner, &s, rank](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        bool const of_pointer = path != s.path(0) && path != s.path(1);
        std::int64_t const began = s.files().time();
        any_handle opened = inner(path, flags, error);
        if (error) {
          s.saw(rank, {.call = file_call::open, .error = error, .of_pointer = of_pointer});
          return {};
        }
        s.call_ended();
        return any_handle(witness(std::move(opened), s, rank, of_pointer, s.files().opened(rank, path, flags, began)));
      });
}

}  // namespace argosy::explore

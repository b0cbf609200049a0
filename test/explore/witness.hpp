// A handle that remembers which errors it handed to the library, and what was touched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>

#include "session.hpp"

namespace argosy::explore {

class witness {
 public:
  witness(any_handle inner, session& s, int rank, bool of_pointer)
      : inner_(std::move(inner)), session_(&s), state_(&s.of(rank)), of_pointer_(of_pointer) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    touch(offset);
    return told(file_call::read, inner_.read(offset, memory));
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    touch(offset);
    return told(file_call::write, inner_.write(offset, memory));
  }
  io_result read(std::span<read_part const> parts) {
    for (read_part const& p : parts) touch(p.offset);
    return told(file_call::read, inner_.read(parts));
  }
  io_result write(std::span<write_part const> parts) {
    for (write_part const& p : parts) touch(p.offset);
    return told(file_call::write, inner_.write(parts));
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    touch(offset);
    return told(file_call::lock, inner_.lock(offset, length, kind));
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return told(file_call::unlock, inner_.unlock(offset, length));
  }
  std::int64_t size(std::error_code& error) {
    std::int64_t const bytes = inner_.size(error);
    told(file_call::size, error);
    return bytes;
  }
  std::error_code resize(std::int64_t bytes) { return told(file_call::resize, inner_.resize(bytes)); }
  std::error_code preallocate(std::int64_t bytes) { return told(file_call::preallocate, inner_.preallocate(bytes)); }
  std::error_code sync() { return told(file_call::sync, inner_.sync()); }
  std::error_code close() { return told(file_call::close, inner_.close()); }
  bool is_open() const { return inner_.is_open(); }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }

 private:
  void touch(std::int64_t offset) {
    if (!of_pointer_ && (state_->lowest < 0 || offset < state_->lowest)) state_->lowest = offset;
  }
  std::error_code told(file_call call, std::error_code error) {
    if (error) state_->seen.push_back({call, error, of_pointer_});
    session_->call_ended();
    return error;
  }
  io_result told(file_call call, io_result r) {
    told(call, r.error);
    return r;
  }

  any_handle inner_;
  session* session_;
  session::rank_state* state_;
  bool of_pointer_;
};
static_assert(handle<witness>);

inline opener with_witness(opener inner, session& s, int rank) {
  return inner.opening(
      [inner, &s, rank](std::string const& path, open_flags flags, std::error_code& error) -> any_handle {
        bool const of_pointer = path != s.path(0) && path != s.path(1);
        any_handle opened = inner(path, flags, error);
        if (error) {
          s.of(rank).seen.push_back({file_call::open, error, of_pointer});
          return {};
        }
        s.call_ended();
        return any_handle(witness(std::move(opened), s, rank, of_pointer));
      });
}

}  // namespace argosy::explore

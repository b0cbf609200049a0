// A decorator that counts calls and bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/file_call.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy {

// Shared by any number of handles and threads; may be read at any time.
class call_counts {
 public:
  std::int64_t calls(file_call kind) const noexcept { return at(calls_, kind); }
  std::int64_t errors(file_call kind) const noexcept { return at(errors_, kind); }
  std::int64_t bytes_read() const noexcept { return at(bytes_, file_call::read); }
  std::int64_t bytes_written() const noexcept { return at(bytes_, file_call::write); }
  // Stretches of the file that reads (or writes) asked for; parts that follow one another are one stretch.
  std::int64_t runs(file_call kind) const noexcept { return at(runs_, kind); }

  void count(file_call kind, std::error_code const& error, std::int64_t bytes = 0, std::int64_t runs = 0) noexcept {
    add(calls_, kind, 1);
    if (error) add(errors_, kind, 1);
    if (bytes != 0) add(bytes_, kind, bytes);
    if (runs != 0) add(runs_, kind, runs);
  }
  void reset() noexcept {
    for (auto* numbers : {&calls_, &errors_, &bytes_, &runs_})
      for (auto& n : *numbers) n.store(0, std::memory_order_relaxed);
  }

 private:
  using by_kind = std::array<std::atomic<std::int64_t>, file_call_count>;
  static std::int64_t at(by_kind const& numbers, file_call kind) noexcept {
    return numbers[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }
  static void add(by_kind& numbers, file_call kind, std::int64_t n) noexcept {
    numbers[static_cast<std::size_t>(kind)].fetch_add(n, std::memory_order_relaxed);
  }

  by_kind calls_{}, errors_{}, bytes_{}, runs_{};
};

// Around a handle it counts what the handle was asked for; around a raw one, below `retrying`, system calls.
template <handle H>
class counting {
 public:
  counting()
    requires std::default_initializable<H>
  = default;
  counting(H counted, std::shared_ptr<call_counts> counts) : inner_(std::move(counted)), counts_(std::move(counts)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    return note(file_call::read, inner_.read(offset, memory), 1);
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    return note(file_call::write, inner_.write(offset, memory), 1);
  }
  io_result read(std::span<read_part const> parts) {
    return note(file_call::read, inner_.read(parts), detail::count_runs(parts));
  }
  io_result write(std::span<write_part const> parts) {
    return note(file_call::write, inner_.write(parts), detail::count_runs(parts));
  }
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    return note(file_call::lock, inner_.lock(offset, length, kind));
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    return note(file_call::unlock, inner_.unlock(offset, length));
  }
  std::int64_t size(std::error_code& error) {
    std::int64_t const bytes = inner_.size(error);
    note(file_call::size, error);
    return bytes;
  }
  std::error_code resize(std::int64_t bytes) { return note(file_call::resize, inner_.resize(bytes)); }
  std::error_code preallocate(std::int64_t bytes) { return note(file_call::preallocate, inner_.preallocate(bytes)); }
  std::error_code sync() { return note(file_call::sync, inner_.sync()); }
  std::error_code close() { return note(file_call::close, inner_.close()); }
  bool is_open() const { return inner_.is_open(); }
  std::error_code fcntl(std::span<std::byte> argument) { return note(file_call::fcntl, fcntl_of(inner_, argument)); }
  std::int64_t block_bytes() const { return inner_.block_bytes(); }
  bool takes_hints() const { return argosy::takes_hints(inner_); }
  int node() const { return node_of(inner_); }

  H& inner() noexcept { return inner_; }
  std::shared_ptr<call_counts> const& counts() const noexcept { return counts_; }

 private:
  io_result note(file_call kind, io_result done, std::int64_t runs) {
    counts_->count(kind, done.error, done.bytes, runs);
    return done;
  }
  std::error_code note(file_call kind, std::error_code error) {
    counts_->count(kind, error);
    return error;
  }

  mutable H inner_;  // is_open() and block_bytes() need not be const
  std::shared_ptr<call_counts> counts_ = std::make_shared<call_counts>();
};

// Opens with `inner`, and counts the calls of what it opens.
inline opener with_counting(opener inner, std::shared_ptr<call_counts> counts) {
  return inner.opening([inner, counts = std::move(counts)](std::string const& path, open_flags flags,
                                                           std::error_code& error) -> any_handle {
    any_handle opened = inner(path, flags, error);
    counts->count(file_call::open, error);
    if (error) return {};
    return any_handle(counting(std::move(opened), counts));
  });
}

static_assert(handle<counting<posix>>);

}  // namespace argosy

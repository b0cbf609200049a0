// The handle of an open file of the virtual cluster.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include <argosy/handle/handle.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::lab::detail {

struct open_virtual_file;

// One rank's open file, without retries: calls may be short or interrupted as the scenario says. A
// lock belongs to the handle and to the rank (or its nonblocking call) that acquires it. Locks of
// one rank through two handles exclude each other. Locks wait in virtual time. Outside of runs, a
// lock that would have to wait fails with EDEADLK. Closing or destroying the handle releases its
// locks.
class virtual_handle {
 public:
  virtual_handle() = default;
  explicit virtual_handle(std::unique_ptr<open_virtual_file> open);
  virtual_handle(virtual_handle&& other) noexcept;
  virtual_handle& operator=(virtual_handle&& other) noexcept;
  ~virtual_handle();

  io_result read(std::int64_t offset, std::span<std::byte> memory);
  io_result write(std::int64_t offset, std::span<std::byte const> memory);
  io_result read(std::span<read_part const> parts);
  io_result write(std::span<write_part const> parts);
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind);
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error);
  std::error_code unlock(std::int64_t offset, std::int64_t length);
  std::int64_t size(std::error_code& error);
  std::error_code resize(std::int64_t bytes);
  std::error_code preallocate(std::int64_t bytes);
  std::error_code sync();
  std::error_code close();
  bool is_open() const noexcept { return open_ != nullptr; }
  std::int64_t block_bytes() const noexcept;
  argosy::extend::storage storage() const;  // with the prices of its disk
  std::optional<file_identity> identity() const;

 private:
  std::unique_ptr<open_virtual_file> open_;
};

static_assert(handle<virtual_handle>);

}  // namespace argosy::lab::detail

// Files of the virtual cluster: bytes in memory behind simulated servers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/handle/handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/lab/cluster/contents.hpp>
#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::lab {

namespace detail {
struct disk_state;
struct open_virtual_file;
}  // namespace detail

// A file system; copies are the same one. It outlives runs. Inside of a run its calls take virtual
// time, wait in virtual time, and fail as the scenario says for the calling rank; outside they take
// none. Names are any text and are compared as a whole; only directories that were made exist.
//
//   virtual_files files;
//   cluster.run([&](virtual_rank const& world) {
//     auto f = basic_file<virtual_rank>::open(world, "state", mode::create | mode::write, {},
//     files.opener());
//   });
//
// Written bytes are visible to everyone at once, at the time when the call begins. They are safe
// when the node that wrote them has synced the file, through any handle (outside of a run
// everything is safe); until then each block may survive a crash, or not, or in part.
class virtual_files {
 public:
  // On the disk of the scenario of the first run that opens a file. (Not if there are files by
  // then, in blocks of another size; the report of the run tells, as of every disk that a scenario
  // has and nobody opened a file on.)
  virtual_files();
  explicit virtual_files(virtual_disk disk, contents kept = contents::real);

  // Opens retrying handles, with the scenario's faults below the retries. Errors are those of
  // POSIX: ENOENT, EEXIST, EISDIR, EACCES, EROFS, ENOSPC, EBADF, EFBIG.
  argosy::opener opener() const;

  // For use outside of runs: no time passes, nothing fails.
  bool exists(std::string const& path) const;
  // sorted, without directories
  std::vector<std::string> names() const;
  // empty if there is none; throws std::logic_error if it has no contents
  std::vector<std::byte> content(std::string const& path) const;
  // made or replaced, and safe
  void put(std::string const& path, std::span<std::byte const> bytes);
  void make_directory(std::string const& path);
  // 0400: reading, 0200: writing
  void set_permissions(std::string const& path, unsigned permissions);
  void set_read_only(bool on);
  std::int64_t allocated_bytes() const;

  // The files that would be found after a crash now, as a separate file system (std::logic_error
  // without contents). Blocks that were not synced are new, old, or torn at a sector of 512 bytes;
  // new sizes and names are there or not, renamed files have their new name or the old one until
  // the opener has settled it; each as the seed says.
  virtual_files crash(std::uint64_t seed) const;

 private:
  explicit virtual_files(std::shared_ptr<detail::disk_state> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::disk_state> state_;
};

// One rank's open file. Raw: calls may be short or interrupted as the scenario says. Locks belong
// to the rank (or its nonblocking call) that takes them, and wait in virtual time; closing the
// handle ends those that are left.
class virtual_handle {
 public:
  virtual_handle() = default;
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
  argosy::storage storage() const;  // with the prices of its disk
  std::optional<file_identity> identity() const;

 private:
  friend class virtual_files;
  explicit virtual_handle(std::unique_ptr<detail::open_virtual_file> open);
  std::unique_ptr<detail::open_virtual_file> open_;
};

static_assert(handle<virtual_handle>);

}  // namespace argosy::lab

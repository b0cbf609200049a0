// A file of the operating system, one system call per call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include <argosy/handle/detail/range_locks.hpp>
#include <argosy/handle/detail/separate_cache.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/lustre_library.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy {

// The raw handle below `posix`: transfers may be short, calls may be interrupted. See
// <argosy/handle/posix.hpp>.
class raw_posix {
 public:
  raw_posix() noexcept = default;  // not open
  raw_posix(raw_posix&& other) noexcept;
  raw_posix& operator=(raw_posix&& other) noexcept;
  ~raw_posix();  // closes silently

  // Regular files, block devices, and character devices with offsets (/dev/null): everything else
  // has no place to read from or write to, EISDIR for directories and ESPIPE for pipes, sockets and
  // terminals. Never waits for a pipe's reader. On Lustre a file that is made gets the stripes of
  // the flags, if its library can be loaded; those of any file are read.
  static raw_posix open(std::string const& path, open_flags flags, std::error_code& error);
  static raw_posix open(std::string const& path, open_flags flags,
                        detail::lustre_settings const& lustre, std::error_code& error);

  io_result read(std::int64_t offset, std::span<std::byte> memory);
  io_result write(std::int64_t offset, std::span<std::byte const> memory);
  // Transfers as much of the first run of parts as one preadv or pwritev takes.
  io_result read(std::span<read_part const> parts);
  io_result write(std::span<write_part const> parts);

  // OFD locks. Lengths that reach beyond 2^63 - 1 mean "to the end of the file, however far it
  // moves"; no bytes, no lock. A shared lock on a file that cannot be read is exclusive: the kernel
  // has no other. Where nodes have caches of their own, what is read after lock() is as the server
  // has it, and what was written before unlock() is there: an error of that is returned by
  // unlock(). Waits while somebody else has the lock, but no longer than `longest_lock_wait`:
  // errc::file_in_use then.
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind);
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error);
  std::error_code unlock(std::int64_t offset, std::int64_t length);
  // Whether somebody else keeps this file from an exclusive lock; nothing if that is not known.
  std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) const;
  // Returns the range of a lock of somebody else that keeps this file from such a lock: one of
  // them, if there are several. Nothing if there is none, or if that is not known.
  std::optional<locked_range> lock_in_the_way(std::int64_t offset, std::int64_t length,
                                              lock_kind kind) const;

  std::int64_t size(std::error_code& error);
  std::error_code resize(std::int64_t bytes);
  // On file systems that cannot allocate, the size is all that is arranged; zeros are never
  // written. Not atomic there: a file that somebody else extends beyond `bytes` at that moment is
  // cut. A failure leaves the size as it was.
  std::error_code preallocate(std::int64_t bytes);
  // fsync: data, size and times; where nodes have caches of their own, what is read after it is as
  // the server has it.
  std::error_code sync();
  // Where nodes have caches of their own: what was written is at the server, and what is read next
  // is as the server has it.
  std::error_code reconcile();
  std::error_code close();  // an interrupted close has closed
  bool is_open() const noexcept { return descriptor_ >= 0; }
  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  argosy::storage storage() const { return storage_; }  // by the type of the file system

  // Returns device, inode and time of birth; nothing if the file system does not answer.
  std::optional<file_identity> identity() const;

  int descriptor() const noexcept { return descriptor_; }

  // The most bytes asked for by one system call. Linux moves no more.
  std::int64_t most_bytes = 0x7ffff000;
  // A holder that does not give a lock back for so long may never do so: a stopped process, or the
  // child of a rank that was killed. Longer than any lock of argosy lasts, but that of an atomic
  // call.
  std::chrono::milliseconds longest_lock_wait{30'000};

 private:
  std::int64_t limit_for(std::int64_t bytes);
  // What `write` returns, which writes `bytes` up to `end`.
  template <class Write>
  io_result written(std::int64_t end, std::int64_t bytes, Write&& write);
  int write_out();

  int descriptor_ = -1;
  int process_ = -1;  // it opened the file; a child made by fork must not give back its locks
  bool heeds_signal_ = false;
  bool readable_ = false;
  std::int64_t block_bytes_ = 4096;
  std::atomic<std::int64_t> size_limit_{0};
  argosy::storage storage_;
  std::unique_ptr<detail::range_locks> locks_;
  std::unique_ptr<detail::separate_cache> cache_;  // null: what one node wrote all see
};

}  // namespace argosy

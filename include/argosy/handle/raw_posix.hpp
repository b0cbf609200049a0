// A file of the operating system, with one system call per call.
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

#include <argosy/extend.hpp>
#include <argosy/handle/detail/early_writes.hpp>
#include <argosy/handle/detail/range_locks.hpp>
#include <argosy/handle/detail/separate_cache.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/handle/lustre_library.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::extend {

// The raw handle below `posix`. Transfers may be short, and calls may be interrupted. See
// <argosy/handle/posix.hpp>.
class raw_posix {
 public:
  raw_posix() noexcept = default;  // not open
  raw_posix(raw_posix&& other) noexcept;
  raw_posix& operator=(raw_posix&& other) noexcept;
  ~raw_posix();  // closes silently

  // Opens a file. Regular files, block devices, and character devices with offsets (/dev/null) can
  // be opened. Everything else has no offsets: EISDIR for directories, and ESPIPE for pipes,
  // sockets and terminals. Never waits for a pipe's reader. On Lustre a new file gets the stripes
  // of the flags if the library of Lustre can be loaded. The stripes of every file are then read.
  // Returns EINVAL if the flags have neither read nor write, or the path contains a zero byte. If
  // nodes have caches of their own, ESTALE, and EEXIST without `exclusive`, are repeated for about
  // two seconds.
  static raw_posix open(std::string const& path, open_flags flags, std::error_code& error);
  static raw_posix open(std::string const& path, open_flags flags,
                        detail::lustre_settings const& lustre, std::error_code& error);

  io_result read(std::int64_t offset, std::span<std::byte> memory);
  io_result write(std::int64_t offset, std::span<std::byte const> memory);
  // Transfers as much of the first run of parts as one preadv or pwritev can.
  io_result read(std::span<read_part const> parts);
  io_result write(std::span<write_part const> parts);

  // Locks a range by an OFD lock. A length beyond 2^63 - 1 means "to the end of the file, however
  // far it moves". No bytes, no lock. A shared lock on a file that cannot be read is exclusive,
  // because the kernel has no other.
  //
  // Waits while another handle or process has the lock, but at most `longest_lock_wait`; then
  // returns errc::file_in_use. Waits without limit for other threads of this handle. If nodes have
  // caches of their own, reads after lock() see the data of the server. Writes before unlock() are
  // at the server after it. unlock() returns their error, and releases the lock even so.
  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind);
  // Locks without waiting. Returns false, without an error, if another thread, handle or process
  // has the lock.
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error);
  std::error_code unlock(std::int64_t offset, std::int64_t length);
  // Returns true if a lock of another owner prevents an exclusive lock on this file. No value if
  // that is not known.
  std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) const;
  // Returns the range of a lock of another owner that prevents such a lock on this file; one of
  // them if there are several. No value if there is none, or if that is not known.
  std::optional<locked_range> lock_in_the_way(std::int64_t offset, std::int64_t length,
                                              lock_kind kind) const;

  std::int64_t size(std::error_code& error);
  std::error_code resize(std::int64_t bytes);
  // Allocates space for [0, bytes), and sets the size to `bytes` if it was smaller. On file systems
  // that cannot allocate, only the size changes; zeros are never written. It is not atomic there:
  // if another process extends the file beyond `bytes` at that moment, the file is cut. If it
  // fails, the size is unchanged.
  std::error_code preallocate(std::int64_t bytes);
  // Calls fsync: data, size and times. If nodes have caches of their own, later reads see the data
  // of the server.
  std::error_code sync();
  // Writes out this node's changes and drops its cached pages, if nodes have caches of their own.
  // Earlier writes are then at the server, and later reads see the data of the server.
  std::error_code reconcile();
  // Closes the file and ends its locks, also if it returns an error. EINTR is no error, because the
  // kernel has closed the file. Returns EBADF if the handle is not open.
  std::error_code close();
  bool is_open() const noexcept { return descriptor_ >= 0; }
  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  argosy::extend::storage storage() const { return storage_; }  // by the type of the file system

  // Returns device, inode and time of birth. No value if the file system does not report them.
  std::optional<file_identity> identity() const;

  // Returns the descriptor, or -1 if the handle is not open. Valid until the handle is closed.
  int descriptor() const noexcept { return descriptor_; }

  // The most bytes requested by one system call. Linux moves no more.
  std::int64_t most_bytes = 0x7ffff000;
  // The longest wait for a lock. An owner that holds a lock for longer may never release it: a
  // stopped process, or the child of a rank that was killed. It is longer than any lock of argosy
  // lasts, except that of an atomic call.
  std::chrono::milliseconds longest_lock_wait{30'000};

 private:
  std::int64_t limit_for(std::int64_t bytes);
  // Returns the result of `write`, which writes `bytes` up to `end`.
  template <class Write>
  io_result written(std::int64_t end, std::int64_t bytes, Write&& write);
  // Lets written bytes begin their way to the disk, if a sync is expected.
  void begin_way_to_disk(std::int64_t offset, std::int64_t bytes) noexcept;
  int write_out();
  int reader() const noexcept { return cache_ ? cache_->reader(descriptor_) : descriptor_; }

  int descriptor_ = -1;
  // process that opened the file; a child made by fork must not release its locks
  int process_ = -1;
  bool heeds_signal_ = false;
  bool readable_ = false;
  std::int64_t block_bytes_ = 4096;
  std::atomic<std::int64_t> size_limit_{0};
  argosy::extend::storage storage_;
  std::unique_ptr<detail::range_locks> locks_;
  std::unique_ptr<detail::separate_cache> cache_;  // null if all nodes see each write
  std::unique_ptr<detail::early_writes> early_;    // null if no write is early
};

}  // namespace argosy::extend

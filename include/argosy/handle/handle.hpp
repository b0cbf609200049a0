// The concept of a handle: an open file of one rank. All calls are local; no rank needs another
// one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// The result of a transfer. The first `bytes` bytes were moved, even if an error followed. Fewer
// bytes than requested, without an error, mean the end of the file.
struct io_result {
  std::int64_t bytes = 0;
  std::error_code error;
};

}  // namespace extend

// One part of a transfer: a range of the file and its place in memory.
struct read_part {
  std::int64_t offset = 0;
  std::span<std::byte> memory;
};
struct write_part {
  std::int64_t offset = 0;
  std::span<std::byte const> memory;
};

namespace extend {

enum class lock_kind { shared, exclusive };

// A range of bytes with a lock. A length beyond 2^63 - 1 - offset is cut to that.
struct locked_range {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  friend constexpr bool operator==(locked_range const&, locked_range const&) = default;
};

}  // namespace extend

namespace detail {

// The calls of a handle, without the requirement that it can be moved. The class any_handle
// requires only these, because whether a type can be moved may depend on its conversion to
// any_handle.
template <class H>
concept handle_calls = requires(H& h, std::int64_t n, std::span<std::byte> in,
                                std::span<std::byte const> out, std::span<read_part const> reads,
                                std::span<write_part const> writes, std::error_code& error) {
  { h.read(n, in) } -> std::same_as<io_result>;
  { h.write(n, out) } -> std::same_as<io_result>;
  // Transfers parts in the order given. Adjacent parts of the file go into one call. `bytes` counts
  // over all parts. The first short part ends the transfer.
  { h.read(reads) } -> std::same_as<io_result>;
  { h.write(writes) } -> std::same_as<io_result>;

  // Waits for a lock. An exclusive lock excludes all other locks of its bytes, a shared one only
  // exclusive ones. They exclude other threads (also of this handle), handles and processes. A
  // thread may convert ranges that it locked itself, and unlock parts of them. A length of 0 locks
  // nothing. Returns errc::no_locks if the file system has no locks. A handle may stop waiting
  // after a while, because another process may never release its lock; it returns
  // errc::file_in_use then.
  { h.lock(n, n, lock_kind::exclusive) } -> std::same_as<std::error_code>;
  { h.unlock(n, n) } -> std::same_as<std::error_code>;

  { h.size(error) } -> std::same_as<std::int64_t>;
  { h.resize(n) } -> std::same_as<std::error_code>;
  // Allocates space for [0, n), and sets the size to n if it was smaller. Data is unchanged.
  { h.preallocate(n) } -> std::same_as<std::error_code>;
  { h.sync() } -> std::same_as<std::error_code>;
  { h.close() } -> std::same_as<std::error_code>;  // always closes the handle, whatever it returns
  { h.is_open() } -> std::same_as<bool>;
  // The transfer size that the file system prefers.
  { h.block_bytes() } -> std::convertible_to<std::int64_t>;
};

}  // namespace detail

namespace extend {

// An open file of one rank. Errors are errno values in std::system_category, or argosy::errc if
// there is no errno. Offsets and lengths are 64-bit and not negative, which the caller checks.
// Threads may use one handle at the same time, except close and move.
//
// Interrupted and short calls are continued inside. Only a raw handle, which makes one system call
// per call, returns them. The decorator `retrying` turns a raw handle into a handle, and decorators
// work on both.
template <class H>
concept handle = std::movable<H> && detail::handle_calls<H>;

}  // namespace extend

namespace detail {

// The stripes of a file over the servers of its file system, if they can be chosen or read. 0 if
// not.
struct file_stripes {
  std::int64_t bytes = 0;  // size of a stripe
  std::int64_t count = 0;  // number of servers that have stripes, in turn
  friend constexpr bool operator==(file_stripes const&, file_stripes const&) = default;
};

}  // namespace detail

namespace extend {

// The identity of an open file. Two handles of one opener have the same file open if
// `detail::same_file` returns true and one of them is still open. A file system may reuse the
// number of a removed file.
struct file_identity {
  std::uint64_t device = 0;  // device of the file system, on this node
  std::uint64_t number = 0;  // the inode
  std::int64_t born_ns = 0;  // time of creation; 0 if unknown
};

}  // namespace extend

namespace detail {

// Returns true if both are one file.
constexpr bool same_file(file_identity const& a, file_identity const& b) noexcept {
  bool const unknown = a.born_ns == 0 || b.born_ns == 0;
  return a.device == b.device && a.number == b.number && (unknown || a.born_ns == b.born_ns);
}

}  // namespace detail

namespace extend {

// How a handle is opened. If neither read nor write is set, that is an error.
struct open_flags {
  bool read = false;
  bool write = false;
  bool create = false;
  bool exclusive = false;  // with create: fail if it exists
  unsigned permissions = 0666;
  // The file need not exist. If it is missing, a trace does not report an error.
  bool may_be_missing = false;
  // The stripes of a file that is created, on file systems that let a program choose.
  detail::file_stripes stripes = {};
  // True if a sync will follow, so that long writes should go to the disk at once. False if the
  // system should choose when. No value: a handle may guess, by the syncs that it has seen.
  std::optional<bool> early_writes = {};
  friend constexpr bool operator==(open_flags const&, open_flags const&) = default;
};

// A handle that can be opened by name. A failed open leaves nothing behind and returns a handle
// that is not open.
template <class H>
concept openable =
    handle<H> && requires(std::string const& path, open_flags flags, std::error_code& error) {
      { H::open(path, flags, error) } -> std::same_as<H>;
    };

}  // namespace extend

}  // namespace argosy

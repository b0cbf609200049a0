// The concept of a handle: an open file of one rank. All calls are local; no rank knows of another
// here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

namespace argosy {

// The result of a transfer: the first `bytes` bytes were moved, also if an error followed. Fewer
// bytes than asked for, without an error, mean the end of the file.
struct io_result {
  std::int64_t bytes = 0;
  std::error_code error;
};

// One part of a transfer: a stretch of the file and its place in memory.
struct read_part {
  std::int64_t offset = 0;
  std::span<std::byte> memory;
};
struct write_part {
  std::int64_t offset = 0;
  std::span<std::byte const> memory;
};

enum class lock_kind { shared, exclusive };

// The bytes that somebody has locked. A length beyond 2^63 - 1 - offset is cut to that.
struct locked_range {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  friend constexpr bool operator==(locked_range const&, locked_range const&) = default;
};

namespace detail {

// The calls of a handle, asked for without a question whether it can be moved: any_handle asks only
// for these, since the answer to the other question may depend on what can be converted to
// any_handle.
template <class H>
concept handle_calls = requires(H& h, std::int64_t n, std::span<std::byte> in,
                                std::span<std::byte const> out, std::span<read_part const> reads,
                                std::span<write_part const> writes, std::error_code& error) {
  { h.read(n, in) } -> std::same_as<io_result>;
  { h.write(n, out) } -> std::same_as<io_result>;
  // Transfers parts in the order given; parts that follow one another in the file go into one
  // call. `bytes` counts over all parts; the first short part ends the transfer.
  { h.read(reads) } -> std::same_as<io_result>;
  { h.write(writes) } -> std::same_as<io_result>;

  // Excludes everyone else: other threads (also of this handle), handles and processes. Waits.
  // A thread may convert ranges that it locked itself, and unlock parts of them. errc::no_locks
  // if the file system has none. A handle may stop waiting after a while, since others may
  // never give their lock back: errc::file_in_use.
  { h.lock(n, n, lock_kind::exclusive) } -> std::same_as<std::error_code>;
  { h.unlock(n, n) } -> std::same_as<std::error_code>;

  { h.size(error) } -> std::same_as<std::int64_t>;
  { h.resize(n) } -> std::same_as<std::error_code>;
  // [0, n) has space; data and, if larger, size stay
  { h.preallocate(n) } -> std::same_as<std::error_code>;
  { h.sync() } -> std::same_as<std::error_code>;
  { h.close() } -> std::same_as<std::error_code>;  // closes the handle whatever it returns
  { h.is_open() } -> std::same_as<bool>;
  // the transfer size that the file system prefers
  { h.block_bytes() } -> std::convertible_to<std::int64_t>;
};

}  // namespace detail

// Errors are errno values in std::system_category, or argosy::errc if there is no errno. Offsets
// and lengths are 64-bit and not negative: the caller checks. Threads may use one handle at the
// same time, except close and move.
//
// Interrupted and short calls are continued inside. Only a raw handle, which makes one system call
// per call, hands them out: `retrying` turns it into one that keeps the promise, and decorators
// work on both.
template <class H>
concept handle = std::movable<H> && detail::handle_calls<H>;

namespace detail {

// How a file is dealt to the servers of its file system, where that can be chosen or told; 0: not.
struct file_stripes {
  std::int64_t bytes = 0;  // of each stripe
  std::int64_t count = 0;  // of servers that have them in turn
  friend constexpr bool operator==(file_stripes const&, file_stripes const&) = default;
};

}  // namespace detail

// Which file a handle has open. Two handles of one opener are of the same file if
// `detail::same_file` says so, as long as one of them is open: a file system may give the number of
// a removed file to a new one.
struct file_identity {
  std::uint64_t device = 0;  // of the file system, on this node
  std::uint64_t number = 0;  // the inode
  std::int64_t born_ns = 0;  // when the file was made; 0 if that is unknown
};

namespace detail {

// Returns true if both are one file.
constexpr bool same_file(file_identity const& a, file_identity const& b) noexcept {
  bool const unknown = a.born_ns == 0 || b.born_ns == 0;
  return a.device == b.device && a.number == b.number && (unknown || a.born_ns == b.born_ns);
}

}  // namespace detail

// How a handle is opened. It is an error if neither read nor write is set.
struct open_flags {
  bool read = false;
  bool write = false;
  bool create = false;
  bool exclusive = false;  // with create: fail if it exists
  unsigned permissions = 0666;
  // a look whether it is there: that it is not is no error worth a line
  bool may_be_missing = false;
  // of a file that is made, on file systems that let a program choose
  detail::file_stripes stripes = {};
  friend constexpr bool operator==(open_flags const&, open_flags const&) = default;
};

// A handle that can be opened by name. A failed open leaves nothing behind and returns a handle
// that is not open.
template <class H>
concept openable =
    handle<H> && requires(std::string const& path, open_flags flags, std::error_code& error) {
      { H::open(path, flags, error) } -> std::same_as<H>;
    };

}  // namespace argosy

// Locks around what is written: nobody may write back bytes as they were before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// What is to be feared of others while a window is read, changed and written back.
struct merging {
  // Who may write to the file meanwhile. none: it was opened unique, or the caller holds a lock. programs: not the ranks of
  // this file, for what they do is known.
  enum class others { none, programs, ranks };

  others writing = others::ranks;
  bool allowed = true;  // false: windows are written by pieces. The file cannot be read; or some rank has no locks
  friend bool operator==(merging const&, merging const&) = default;
};

// Merges hold an exclusive lock, and writes by pieces a shared one: others may merge a window around them.
//
// Where a rank gets no lock (errc::no_locks) it does not merge. Its pieces it writes all the same, if no other rank can be
// about to merge; otherwise the write fails. That no rank has locks is known when the file is opened, so it fails only where
// locks come to an end later.
template <handle H>
class write_guard {
 public:
  write_guard(H& h, merging with, report& done) : file_(h), with_(with), done_(done) {}

  bool merges() const noexcept { return with_.allowed; }

  template <class Write>
  std::error_code pieces(std::int64_t offset, std::int64_t length, Write&& write) {
    if (with_.writing == merging::others::none) return write();
    std::error_code const error = file_.lock(offset, length, lock_kind::shared);
    if (error && classify(error) == errc::no_locks && with_.writing == merging::others::programs) {
      with_ = {merging::others::none, false};
      return write();
    }
    return error ? error : locked(offset, length, write);
  }

  // `write` is how it goes by pieces, where it cannot be merged.
  template <class Merge, class Write>
  std::error_code merge(std::int64_t offset, std::int64_t length, Merge&& merged, Write&& write) {
    if (with_.writing == merging::others::none) return merged();
    std::error_code const error = file_.lock(offset, length, lock_kind::exclusive);
    if (!error) return locked(offset, length, merged);
    if (classify(error) != errc::no_locks) return error;
    with_.allowed = false;
    ++done_.fallbacks;
    return pieces(offset, length, write);
  }

 private:
  template <class Write>
  std::error_code locked(std::int64_t offset, std::int64_t length, Write&& write) {
    ++done_.locks;
    std::error_code error;
    try {
      error = write();
    } catch (...) {
      detail::give_back(file_, offset, length);
      throw;
    }
    std::error_code const unlocked = detail::give_back(file_, offset, length);
    return error ? error : unlocked;
  }

  H& file_;
  merging with_;
  report& done_;
};

}  // namespace argosy::detail

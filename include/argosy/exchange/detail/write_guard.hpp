// Locks around writes, so that no read-modify-write of another rank or program brings old bytes back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <system_error>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// Who else may write while a window is read, changed and written back.
struct merging {
  // Who may write to the file meanwhile. none: it was opened unique, or the caller holds a lock. programs: other programs, but
  // not the ranks of this file, whose writes are known.
  enum class others { none, programs, ranks };

  others writing = others::ranks;
  bool allowed =
      true;  // false: windows are written by pieces, because the file cannot be read or some rank has no locks
  friend bool operator==(merging const&, merging const&) = default;
};

// A merge holds an exclusive lock, a write by pieces a shared one: another rank may be merging a window around the pieces.
//
// A rank that gets no lock (errc::no_locks) does not merge. It still writes its pieces if no other rank can be merging;
// otherwise the write fails. `open` finds out whether every rank has locks, so this fails only if locks come to an end
// later.
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

  // Calls `merged`, under an exclusive lock if others may write; where there are no locks, `write`, which goes by pieces.
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

// What this node keeps of a file, where nodes do not hear of each other's changes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace argosy::detail {

// Clients of network file systems keep pages, sizes and writes of their own for a while. The
// kernel's NFS client makes them agree with the server's where a byte-range lock is taken and given
// back; others, those in user space above all, do not, and then a window that is read, changed and
// written back under a lock would bring old bytes back. So each descriptor does it here, around
// locks and syncs. Functions return 0 or an errno. Any thread.
class separate_cache {
 public:
  // What the kernel has asked for before a lock was had, and comes after the cache was dropped, is
  // old and stays in it.
  static void read_nothing_ahead(int descriptor) noexcept;
  // Others may have changed the file until now: the next read looks at the server.
  void distrust() noexcept { wanted_.fetch_add(1, std::memory_order_release); }
  void note_write() noexcept { written_.store(true, std::memory_order_relaxed); }

  // Before a read.
  int freshen(int descriptor) {
    return fresh_.load(std::memory_order_acquire) >= wanted_.load(std::memory_order_acquire)
               ? 0
               : renew(descriptor);
  }
  // Writes what is pending to the server, as far as it goes, and drops all that is kept.
  int renew(int descriptor);
  // Before a lock is given back, or others carry what this node wrote: it is where they find it.
  // Also an error that renew() has met.
  int flush(int descriptor);
  // What could not be written, once, for a sync or a close that would not hear of it any more.
  int take_lost();

 private:
  int write_out(int descriptor);

  // nobody goes on while another thread drops pages or writes out
  std::mutex one_at_a_time_;
  int lost_ = 0, untold_ = 0;                        // under it
  std::atomic<std::uint64_t> wanted_{1}, fresh_{0};  // at open, too
  std::atomic<bool> written_{false};
};

}  // namespace argosy::detail

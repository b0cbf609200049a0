// The cached pages of a file on this node, for file systems that do not make caches of nodes agree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace argosy::detail {

// Makes this node's cache of a file agree with the server. Clients of network file systems cache
// pages, sizes and writes for a while. The kernel's NFS client makes them agree with the server
// when a byte-range lock is taken and released. Other clients, above all those in user space, do
// not: a window that is read, changed and written back under a lock would then restore stale bytes.
// Each descriptor therefore does it here, around locks and syncs. Functions return 0 or an errno.
// Any thread may call them.
class separate_cache {
 public:
  separate_cache() = default;
  separate_cache(separate_cache const&) = delete;
  separate_cache& operator=(separate_cache const&) = delete;
  ~separate_cache();

  // Switches off read-ahead. Pages that the kernel requested before a lock was obtained, and that
  // arrive after the cache was dropped, would be stale and stay in the cache.
  static void read_nothing_ahead(int descriptor) noexcept;
  // Makes all reads ask the server. For clients that keep bytes in a process of their own, where no
  // call of this program can drop them. Returns false if the client cannot do that.
  bool read_at_server(int descriptor) noexcept;
  // Returns the descriptor for reads.
  int reader(int descriptor) const noexcept { return reader_ >= 0 ? reader_ : descriptor; }
  // Marks the cache as stale, because another node may have changed the file. The next read asks
  // the server.
  void distrust() noexcept { wanted_.fetch_add(1, std::memory_order_release); }
  void note_write() noexcept { written_.store(true, std::memory_order_relaxed); }

  // Drops the cache before a read, if it is stale.
  int freshen(int descriptor) {
    return fresh_.load(std::memory_order_acquire) >= wanted_.load(std::memory_order_acquire)
               ? 0
               : renew(descriptor);
  }
  // Writes pending data to the server, as far as possible, and drops the cache.
  int renew(int descriptor);
  // Writes pending data to the server, so that other nodes see it. Called before a lock is
  // released, and before other ranks access what this node wrote. Also returns an error that
  // renew() has stored.
  int flush(int descriptor);
  // Returns an error of lost writes, once. For a sync or a close, which would not get it from the
  // kernel again.
  int take_lost();

 private:
  int write_out(int descriptor);

  // Threads wait while another thread drops pages or writes out.
  std::mutex one_at_a_time_;
  int lost_ = 0, untold_ = 0;                        // guarded by one_at_a_time_
  std::atomic<std::uint64_t> wanted_{1}, fresh_{0};  // stale at open, too
  std::atomic<bool> written_{false};
  int reader_ = -1;  // a descriptor of this file that reads without caches
};

}  // namespace argosy::detail

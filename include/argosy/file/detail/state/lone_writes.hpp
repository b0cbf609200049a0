// The writes of a rank by itself that others may not have found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace argosy::detail {

// Counts where nodes have caches of their own.
class lone_writes {
 public:
  // Returns the number of writes that began or ended.
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_seq_cst); }
  // Says that all ranks have found the first `count` of them. What one rank does alone says nothing
  // of the others.
  void are_found(std::uint64_t count) noexcept { found_.store(count, std::memory_order_seq_cst); }
  bool are_unfound() const noexcept { return count() != found_.load(std::memory_order_seq_cst); }

  // A write that is under way while this lives. It counts at both ends: a rank that reconciles in
  // the middle has not seen all of it.
  class one {
   public:
    // Null: nobody counts.
    explicit one(lone_writes* all) noexcept : all_(all) { count(); }
    one(one const&) = delete;
    one& operator=(one const&) = delete;
    ~one() { count(); }

   private:
    void count() noexcept {
      if (all_) ++all_->count_;
    }
    lone_writes* all_;
  };

 private:
  std::atomic<std::uint64_t> count_{0}, found_{0};
};

}  // namespace argosy::detail

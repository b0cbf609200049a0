// Writes of a single rank that may not be visible to other ranks yet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace argosy::detail {

// Used if nodes have caches of their own.
class lone_writes {
 public:
  // Returns the number of begins and ends of writes.
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_seq_cst); }
  // Records that the first `count` of them are visible to all ranks. Must be agreed by all ranks:
  // one rank alone cannot know.
  void are_found(std::uint64_t count) noexcept { found_.store(count, std::memory_order_seq_cst); }
  bool are_unfound() const noexcept { return count() != found_.load(std::memory_order_seq_cst); }

  // A write that is in progress while this lives. It is counted at its begin and at its end,
  // because a rank that reconciles between the two has not seen all of it.
  class one {
   public:
    // null: writes are not counted
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

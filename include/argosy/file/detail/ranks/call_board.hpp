// A board with a line for each rank of an open file: its blocking call, and the last background
// call that it began.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/source_location.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

class call_watch;

// Returns the place of a call as text: "sync at main.cpp:44".
std::string site_words(std::string_view call, std::string_view file, std::uint64_t line);

// A call of the program, as bytes that other ranks may copy. If the path is long, its beginning is
// cut off.
class call_site {
 public:
  call_site() noexcept = default;
  call_site(std::string_view call, source_location const& where) noexcept;
  std::string words() const;

 private:
  std::array<char, 112> text_ = {};  // the name, a zero, and the path
  std::uint64_t line_ = 0;
};

// A value that one process writes while others read it. Each word that a reader gets is whole, but
// the words may come from two different values.
template <class T>
class shared_value {
 public:
  void store(T const& value) noexcept {
    auto const all = std::bit_cast<words>(value);
    for (std::size_t i = 0; i < all.size(); ++i)
      std::atomic_ref(words_[i]).store(all[i], std::memory_order_relaxed);
  }
  T load() noexcept {
    words all;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = std::atomic_ref(words_[i]).load(std::memory_order_relaxed);
    return std::bit_cast<T>(all);
  }

 private:
  using words = std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)>;
  words words_;
};

// One rank's access to the lines of all ranks. The rank writes its own line, and two readers
// compare the lines. call_mismatch ends background calls that can never begin on all ranks.
// call_watch shows the user which rank waits for which. After meet(), ranks of a node see each
// other's lines.
class call_board {
 public:
  // Ranks make the calls of a lane in the same order, so a call has the same number on all ranks.
  enum class lane : std::uint64_t { blocking, background };

  // The mismatch found: `begun_by` ranks have begun a background call. Rank `who` has not, and
  // cannot, because it is blocked in another call.
  struct finding {
    std::int64_t who = 0, begun_by = 0, failed = 0;
    call_site at;
  };

  struct line {
    alignas(64) std::uint64_t begun;  // number of background calls begun
    std::uint64_t blocking;  // twice the blocking calls that have ended, plus one inside the next
    shared_value<call_site> entered;     // the last blocking call
    shared_value<call_site> last_begun;  // the last background call; written only by a watched rank
    std::uint64_t blocking_before;       // value of `blocking` when the last background call began
    shared_value<finding> found;         // a mismatch that this rank found

    std::uint64_t load_begun() noexcept { return std::atomic_ref(begun).load(); }
    std::uint64_t load_blocking() noexcept { return std::atomic_ref(blocking).load(); }
    // Returns the number of calls of this lane that the rank has begun.
    std::uint64_t came_to(lane l) noexcept {
      return l == lane::blocking ? (load_blocking() + 1) / 2 : load_begun();
    }
    std::string last_seen();
  };

  struct head {             // in front of the lines
    std::uint64_t verdict;  // the first void call, above the rank that found it; 0: no call is void
    std::uint32_t bell;     // changes when waiting ranks should look at the lines
  };

  call_board() noexcept;
  call_board(call_board const&) = delete;
  call_board& operator=(call_board const&) = delete;
  ~call_board();

  static std::size_t bytes_for(int ranks) noexcept;
  // Moves the lines into memory that `ranks` share, which begins as zeros. This rank has number
  // `mine` among them. Local. Before this call, the rank's line is in memory of its own process.
  void meet(shared_memory all, std::vector<int> ranks, int mine) noexcept;
  bool has_met() const noexcept { return has_met_.load(std::memory_order_acquire); }

  // Valid only after meet(): the ranks of the lines, and the head in front of the lines.
  std::vector<int> const& ranks() const noexcept { return ranks_; }
  line& of(std::size_t index) const noexcept;
  head& front() const noexcept;
  line& mine() noexcept { return *mine_; }

  void be_watched(std::unique_ptr<call_watch> w) noexcept;
  call_watch* watch() const noexcept { return watch_.get(); }  // null: the rank is not watched

  // Records that this rank begins its next background call. Returns the number of the call.
  std::uint64_t begin(std::string_view call, source_location const& where) noexcept;

  // While it lives, the program of this rank is in its next blocking call, or waits for call
  // `number`. `board` may be null.
  class waiting {
   public:
    waiting(call_board* board, std::string_view call, source_location const& where) noexcept
        : board_(board) {
      if (board_) board_->enter(call, where);
    }
    waiting(call_board* board, lane l, std::uint64_t number, std::string_view call,
            source_location const& where) noexcept
        : board_(board), lane_(l), enters_(false) {
      if (board_) board_->wait_for(l, number, call, where);
    }
    waiting(waiting const&) = delete;
    waiting& operator=(waiting const&) = delete;
    ~waiting() {
      if (board_) board_->leave(lane_, enters_);
    }

   private:
    call_board* board_;
    lane lane_ = lane::blocking;
    bool enters_ = true;
  };

 private:
  void enter(std::string_view call, source_location const& where) noexcept;
  void wait_for(lane l, std::uint64_t number, std::string_view call,
                source_location const& where) noexcept;
  void leave(lane l, bool entered) noexcept;

  line own_ = {};
  line* mine_ = &own_;
  shared_memory memory_;
  std::vector<int> ranks_;
  std::atomic<bool> has_met_{false};
  std::unique_ptr<call_watch> watch_;  // destroyed first, since it reads the lines
};

}  // namespace argosy::detail

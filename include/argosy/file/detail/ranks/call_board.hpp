// The whereabouts of each rank of an open file: its blocking call, and what it began in the
// background.
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

// Returns "sync at main.cpp:44".
std::string site_words(std::string_view call, std::string_view file, std::uint64_t line);

// A call of the program, in bytes that other ranks may copy. A long path loses its beginning.
class call_site {
 public:
  call_site() noexcept = default;
  call_site(std::string_view call, source_location const& where) noexcept;
  std::string words() const;

 private:
  std::array<char, 112> text_ = {};  // the name, a zero, and the path
  std::uint64_t line_ = 0;
};

// A value that one process writes while others read it. The words that a reader gets are whole, but
// perhaps of two values.
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

// One rank's view of where all are. Its program writes one line, and two readers compare the lines:
// call_mismatch ends background calls that can never begin on all ranks, and call_watch tells the
// program's author who waits for whom. Ranks of a node that have met see each other's lines.
class call_board {
 public:
  // Ranks make the calls of a lane in one order, so the number of a call is the same on all.
  enum class lane : std::uint64_t { blocking, background };

  // Rank `who` is in a call that keeps it from a background call, which `begun_by` have begun.
  struct finding {
    std::int64_t who = 0, begun_by = 0, failed = 0;
    call_site at;
  };

  struct line {
    alignas(64) std::uint64_t begun;  // background calls
    std::uint64_t blocking;  // twice the calls that have ended, plus one inside of the next
    shared_value<call_site> entered;     // the last blocking call
    shared_value<call_site> last_begun;  // the last background call; of a watched rank only
    std::uint64_t blocking_before;       // `blocking` at that time
    shared_value<finding> found;         // what this rank has found

    std::uint64_t load_begun() noexcept { return std::atomic_ref(begun).load(); }
    std::uint64_t load_blocking() noexcept { return std::atomic_ref(blocking).load(); }
    // Returns the number of calls that the rank has come to.
    std::uint64_t came_to(lane l) noexcept {
      return l == lane::blocking ? (load_blocking() + 1) / 2 : load_begun();
    }
    std::string last_seen();
  };

  struct head {             // in front of the lines
    std::uint64_t verdict;  // the first void call, above the rank that found it; 0: no call is void
    std::uint32_t bell;     // changes when ranks that wait should look
  };

  call_board() noexcept;
  call_board(call_board const&) = delete;
  call_board& operator=(call_board const&) = delete;
  ~call_board();

  static std::size_t bytes_for(int ranks) noexcept;
  // Puts the lines into memory that `ranks` share, zeros at first; this rank has number `mine` of
  // them. Local. Before it, this rank's line is in memory of its process.
  void meet(shared_memory all, std::vector<int> ranks, int mine) noexcept;
  bool has_met() const noexcept { return has_met_.load(std::memory_order_acquire); }

  // A board that has met knows whose lines it has, and what lies in front of them.
  std::vector<int> const& ranks() const noexcept { return ranks_; }
  line& of(std::size_t index) const noexcept;
  head& front() const noexcept;
  line& mine() noexcept { return *mine_; }

  void be_watched(std::unique_ptr<call_watch> w) noexcept;
  call_watch* watch() const noexcept { return watch_.get(); }  // null: nobody watches

  // Writes that this rank begins its next background call, and returns the number of the call.
  std::uint64_t begin(std::string_view call, source_location const& where) noexcept;

  // While it lives, the program of this rank is in its next blocking call, or waits for call
  // `number`. The board may be null.
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
  std::unique_ptr<call_watch> watch_;  // goes first, since it reads the lines
};

}  // namespace argosy::detail

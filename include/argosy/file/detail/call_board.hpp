// Which collective calls each rank has come to, so that a wait which cannot end is found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <argosy/error/agreement.hpp>
#include <argosy/error/source_location.hpp>

namespace argosy::detail {

// Calls in the background meet apart from those that block, so ranks that mix them up would wait for ever: one for a call in the
// background that another has not begun, which is inside of a blocking call and waits there for the first. Such a wait cannot end:
// the blocking call needs the rank that waits, and nothing is begun before it returns. Who finds this ends the call, and all later
// ones in the background: from then on they are void, on every rank, so no rank carries out what another has left.
class call_board {
 public:
  call_board() = default;
  call_board(call_board const&) = delete;
  call_board& operator=(call_board const&) = delete;
  virtual ~call_board() = default;

  // This rank has begun call `number` in the background: 1, 2 ...
  virtual void begin(std::uint64_t number) noexcept = 0;

  // While it lives, this rank's program is in a blocking call.
  class inside {
   public:
    inside(call_board* board, std::string_view call, source_location const& where) noexcept  // null: does nothing
        : board_(board) {
      if (board_) board_->enter(call, where);
    }
    inside(inside const&) = delete;
    inside& operator=(inside const&) = delete;
    ~inside() {
      if (board_) board_->leave();
    }

   private:
    call_board* board_;
  };

  // Waits until all ranks have begun this call: true, once and for all; or until it is void. `by_program`: the program itself waits
  // here, and looks for who cannot come. Throws rank_failure if ranks do not reach each other.
  virtual bool all_begin(std::uint64_t number, bool by_program) = 0;
  // The program of this rank waits for the end of the call, and for nothing else. If that cannot come, it is void from now on; if
  // ranks do not reach each other, `all_begin` learns of it.
  virtual void look(std::uint64_t number) = 0;
  virtual bool is_void(std::uint64_t number) const noexcept = 0;

  // Why it is void, on every rank. `late`: it was begun after that was known.
  virtual agreement fault(std::string_view call, source_location const& where, bool late) const = 0;

  // How often a program that waits looks.
  static constexpr int pause_ms = 20;

 protected:
  // What was found: `begun_by` ranks have begun a call that rank `who` has not, and never will, where it is.
  struct finding {
    int who = 0, begun_by = 0, failed = 0;
    std::string call, file;
    std::uint64_t line = 0;
  };
  static agreement fault_of(finding const& f, int ranks, std::string_view call, source_location const& where,
                            bool late);

 private:
  virtual void enter(std::string_view call, source_location const& where) noexcept = 0;
  virtual void leave() noexcept = 0;
};

}  // namespace argosy::detail

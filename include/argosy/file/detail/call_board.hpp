// Which collective calls each rank has come to: in memory that all ranks share, so that a wait which cannot end is found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <argosy/error/agreement.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// Calls in the background meet apart from those that block, so ranks that mix them up would wait for ever: one for a call in the
// background that another has not begun, which is inside of a blocking call and waits there for the first. Such a wait cannot end:
// the blocking call needs the rank that waits, and nothing is begun before it returns. Who finds this ends the call, and all later
// ones in the background: from then on they are void, on every rank, so no rank carries out what another has left.
class call_board {
 public:
  static std::size_t bytes_for(int size) noexcept;
  // Local. `m` must have bytes_for(size) zero bytes, shared by all ranks.
  call_board(shared_memory m, int rank, int size);

  // This rank has begun call `number` in the background: 1, 2 ...
  void begin(std::uint64_t number) noexcept;

  // While it lives, this rank's program is in a blocking call.
  class inside {
   public:
    inside(call_board* board, std::string_view call, source_location const& where) noexcept;  // null: does nothing
    inside(inside const&) = delete;
    inside& operator=(inside const&) = delete;
    ~inside();

   private:
    call_board* board_;
  };

  // Waits until all ranks have begun this call: true, once and for all; or until it is void. `by_program`: the program itself waits
  // here, and looks for who cannot come.
  bool all_begin(std::uint64_t number, bool by_program) noexcept;
  // The program of this rank waits for the end of the call, and for nothing else. If that cannot come, it is void from now on.
  void look(std::uint64_t number) noexcept;
  bool is_void(std::uint64_t number) const noexcept;

  // Why it is void, on every rank. `late`: it was begun after that was known.
  agreement fault(std::string_view call, source_location const& where, bool late) const;

  // How often a program that waits looks.
  static constexpr int pause_ms = 20;

 private:
  struct line;
  line& of(int rank) const noexcept;
  bool all_have_begun(std::uint64_t number) const noexcept;

  shared_memory memory_;
  int rank_, size_;
};

}  // namespace argosy::detail

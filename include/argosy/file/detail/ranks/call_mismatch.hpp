// Finds background calls that can never begin on all ranks, and ends them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <argosy/error/agreement.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/file/detail/ranks/call_board.hpp>
#include <argosy/world/detail/served_world.hpp>

namespace argosy::detail {

// Calls in the background meet apart from those that block, so ranks that mix them up would wait
// for ever: one for a call in the background that another has not begun, which is inside of a
// blocking call and waits there for the first. Such a wait cannot end: the blocking call needs the
// rank that waits, and nothing is begun before it returns. The rank that finds this ends the call,
// and all later ones in the background: from then on they are void, on every rank, so no rank
// carries out what another has left.
class call_mismatch {
 public:
  // For ranks that all share `lines`, in which their boards meet.
  static std::unique_ptr<call_mismatch> on_node(std::shared_ptr<call_board> board,
                                                shared_memory lines, int rank, int ranks);
  // Each rank keeps its own line, and rank 0 counts who has begun what, and decides. A call costs
  // two messages for each rank, all of them with rank 0. A rank that waits for long asks rank 0
  // which rank is missing, or what was decided meanwhile, and the missing one where it is. Listens
  // in this world.
  static std::unique_ptr<call_mismatch> between_nodes(std::shared_ptr<call_board> board,
                                                      served_world const& world);

  call_mismatch(call_mismatch const&) = delete;
  call_mismatch& operator=(call_mismatch const&) = delete;
  virtual ~call_mismatch() = default;

  // This rank begins its next call in the background, which is number 1, 2 ...
  virtual void begin(std::string_view call, source_location const& where) noexcept {
    board_->begin(call, where);
  }
  // Waits until all ranks have begun this call, and returns true, once and for all; or returns
  // false when it is void. `by_program`: the program itself waits here, and looks for ranks that
  // cannot come. Throws rank_failure if ranks do not reach each other.
  virtual bool all_begin(std::uint64_t number, bool by_program) = 0;
  // The program of this rank waits for the end of the call, and for nothing else. If that cannot
  // come, the call is void from now on. If ranks do not reach each other, `all_begin` learns of it.
  virtual void look(std::uint64_t number) = 0;
  virtual bool is_void(std::uint64_t number) const noexcept = 0;
  // Says why a call is void, on every rank. `late`: it was begun after that was known.
  agreement fault(std::string_view call, source_location const& where, bool late) const;

  // How often a program that waits looks.
  static constexpr int pause_ms = 20;

 protected:
  using finding = call_board::finding;

  call_mismatch(std::shared_ptr<call_board> board, int ranks) noexcept
      : board_(std::move(board)), ranks_(ranks) {}

  virtual finding found() const = 0;
  // Completes a finding of call `number`. `begun_of` tells how many calls a rank has begun.
  template <class Begun>
  void judge(finding& f, std::uint64_t number, Begun&& begun_of) const {
    std::int64_t first = f.begun_by = 0;
    for (int r = ranks_; r-- > 0;)
      if (begun_of(static_cast<std::size_t>(r)) >= number) {
        ++f.begun_by;
        first = r;
      }
    f.failed = 2 * f.begun_by < ranks_ ? first : f.who;
  }

  std::shared_ptr<call_board> const board_;
  int const ranks_;
};

}  // namespace argosy::detail

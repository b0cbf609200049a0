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

// Background calls and blocking calls of a file are separate sequences, so ranks that mix them up
// would wait for ever. Example: rank A waits for a background call that rank B has not begun. B is
// inside a blocking call and waits there for A. The wait cannot end: the blocking call needs A, and
// B begins nothing before its call returns. The rank that finds this makes the background call
// void, and all later background calls with it. They are void on every rank, so no rank carries out
// a call that another rank has abandoned.
class call_mismatch {
 public:
  // For ranks that all share `lines`, the memory of their boards.
  static std::unique_ptr<call_mismatch> on_node(std::shared_ptr<call_board> board,
                                                shared_memory lines, int rank, int ranks);
  // For ranks on several nodes. Each rank has its own line. Rank 0 counts which calls each rank has
  // begun, and decides. A call costs two messages for each rank, all to or from rank 0. A rank that
  // waits for long asks rank 0 which rank is missing, or what was decided. Then it asks the missing
  // rank which call it is in. Listens in this world.
  static std::unique_ptr<call_mismatch> between_nodes(std::shared_ptr<call_board> board,
                                                      served_world const& world);

  call_mismatch(call_mismatch const&) = delete;
  call_mismatch& operator=(call_mismatch const&) = delete;
  virtual ~call_mismatch() = default;

  // Records that this rank begins its next background call. The calls are numbered 1, 2 ...
  virtual void begin(std::string_view call, source_location const& where) noexcept {
    board_->begin(call, where);
  }
  // Waits until all ranks have begun this call. Returns true if they have, and false if the call is
  // void; the answer is final. `by_program`: the program itself waits here, and searches for ranks
  // that cannot come. Throws rank_failure if ranks cannot reach each other.
  virtual bool all_begin(std::uint64_t number, bool by_program) = 0;
  // Called while the program of this rank waits only for the end of the call. If the call can never
  // end, makes it void. If ranks cannot reach each other, `all_begin` reports that.
  virtual void look(std::uint64_t number) = 0;
  virtual bool is_void(std::uint64_t number) const noexcept = 0;
  // Returns the error of a void call, equal on every rank. `late`: the call was begun after the
  // mismatch was known.
  agreement fault(std::string_view call, source_location const& where, bool late) const;

  // Time between two searches of a program that waits.
  static constexpr int pause_ms = 20;

 protected:
  using finding = call_board::finding;

  call_mismatch(std::shared_ptr<call_board> board, int ranks) noexcept
      : board_(std::move(board)), ranks_(ranks) {}

  virtual finding found() const = 0;
  // Completes the finding for call `number`. `begun_of` returns the number of calls that a rank has
  // begun.
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

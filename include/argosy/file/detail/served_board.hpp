// The board of ranks of several nodes: each keeps its own line, and rank 0 counts who has begun what, and decides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include <argosy/file/detail/call_board.hpp>
#include <argosy/world/detail/served_world.hpp>

namespace argosy::detail {

// A call costs two messages for each rank, all of them with rank 0. Who waits for long asks rank 0 which rank is missing, or what was
// decided meanwhile, and the missing one where it is.
class served_board final : public call_board {
 public:
  // Listens in this world.
  explicit served_board(served_world const& world);

  void begin(std::uint64_t number) noexcept override;
  bool all_begin(std::uint64_t number, bool by_program) override;
  void look(std::uint64_t number) override;
  bool is_void(std::uint64_t number) const noexcept override;
  agreement fault(std::string_view call, source_location const& where, bool late) const override;

 private:
  struct question;
  std::vector<std::byte> answer(int from, std::span<std::byte const> asked);
  void enter(std::string_view call, source_location const& where) noexcept override;
  void leave() noexcept override;
  bool has_been_void(std::uint64_t number) const noexcept { return void_from_ != 0 && void_from_ <= number; }
  service_answer ask(int rank, question const& q) const;
  service_answer ask_first(question const& q) const;
  void tell_all(question const& q) const;
  void count(int from, std::uint64_t number);
  void judge(int from, question const& found);
  question what_was_found() const;

  int const rank_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;

  // This rank's line.
  std::uint64_t begun_ = 0;
  std::uint64_t blocking_ = 0;  // twice the blocking calls that have ended, and one if it is in the next
  std::string_view call_;       // that one; a literal
  source_location where_;

  // What rank 0 has decided.
  std::uint64_t all_begun_ = 0;  // by all ranks
  std::uint64_t void_from_ = 0;  // 0: none is
  finding finding_;

  // At rank 0: what each has begun.
  std::vector<std::uint64_t> begun_of_;
  int const size_;

  // When this rank looks next, and at which of those that are missing.
  std::chrono::steady_clock::time_point next_look_;
  std::chrono::milliseconds between_looks_{pause_ms};
  std::uint64_t looks_ = 0;

  served_world world_;  // the last of its copies; goes first, and then nobody asks any more
};

}  // namespace argosy::detail

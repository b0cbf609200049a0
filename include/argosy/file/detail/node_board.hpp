// The board of ranks that are all on one node: memory that they share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <argosy/file/detail/call_board.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

class node_board final : public call_board {
 public:
  static std::size_t bytes_for(int size) noexcept;
  // Local. `m` must have bytes_for(size) zero bytes, shared by all ranks.
  node_board(shared_memory m, int rank, int size);

  void begin(std::uint64_t number) noexcept override;
  bool all_begin(std::uint64_t number, bool by_program) noexcept override;
  void look(std::uint64_t number) noexcept override;
  bool is_void(std::uint64_t number) const noexcept override;
  agreement fault(std::string_view call, source_location const& where, bool late) const override;

 private:
  struct line;
  void enter(std::string_view call, source_location const& where) noexcept override;
  void leave() noexcept override;
  line& of(int rank) const noexcept;
  bool all_have_begun(std::uint64_t number) const noexcept;

  shared_memory memory_;
  int rank_, size_;
};

}  // namespace argosy::detail

// ARGOSY_WATCH: a rank that waits long in a collective call says in which, and for whom.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/source_location.hpp>
#include <argosy/world/service.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// Of one rank's open file. A thread of its own looks at the clock and writes to standard error; it makes no call of MPI. What
// ranks of a node have come to stands in memory that they share; one rank of each other node is asked by a service.
class call_watch {
 public:
  // Collective calls that ranks make in one order among themselves; with each lane the numbers of its calls are equal.
  enum class lane : std::size_t { blocking, nonblocking };

  // Null if ARGOSY_WATCH names no seconds.
  static std::shared_ptr<call_watch> from_environment(std::string path, int rank);

  // Of a rank that is watched by others and has no patience of its own to lose.
  static std::shared_ptr<call_watch> of_others(std::string path, int rank);

  call_watch(std::chrono::duration<double> patience, std::string path, int rank);
  call_watch(call_watch const&) = delete;
  call_watch& operator=(call_watch const&) = delete;
  ~call_watch();

  // Where the ranks of this node write what they have come to, zeros at first; `world_ranks` of them, this one is number `mine`.
  static std::size_t bytes_for(int ranks) noexcept;
  void meet(shared_memory board, std::vector<int> world_ranks, int mine);
  // There are other nodes; `ask` may be null, else it asks `one_of_each`, whose answers `answer` makes. Any thread.
  void meet_others(std::unique_ptr<service> ask, std::vector<int> one_of_each);
  std::vector<std::byte> answer(std::span<std::byte const> question) const;

  // This rank comes to its next call; the number of it.
  std::uint64_t come(lane l, std::string_view call, source_location const& where);

  // While it lives this rank waits.
  class waiting {
   public:
    // Null: nobody watches.
    waiting(call_watch* w, lane l, std::string_view call, source_location const& where)
        : waiting(w, l, w ? w->come(l, call, where) : 0, call, where) {}
    waiting(call_watch* w, lane l, std::uint64_t number, std::string_view call, source_location const& where);
    waiting(waiting const&) = delete;
    waiting& operator=(waiting const&) = delete;
    ~waiting();

   private:
    call_watch* watch_;
    std::size_t lane_;
  };

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace argosy::detail

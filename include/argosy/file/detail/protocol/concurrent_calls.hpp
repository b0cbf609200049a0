// Collective calls that are carried out while the ranks compute, on a thread of each rank that
// makes no MPI calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include <argosy/file/detail/call/background_call.hpp>
#include <argosy/file/detail/protocol/collective_call.hpp>
#include <argosy/file/detail/protocol/shared_pointer.hpp>
#include <argosy/file/detail/ranks/call_mismatch.hpp>
#include <argosy/file/detail/state/io_threads.hpp>
#include <argosy/world/detail/served_world.hpp>
#include <argosy/world/memory_world.hpp>

namespace argosy::detail {

// Carries out one call after the other, in the order in which they were begun. The order is the
// same on all ranks.
class concurrent_calls {
 public:
  // For ranks that all share the memory of `world`. Local; every rank of the file makes one.
  // `mixed` is null if there is only one rank.
  concurrent_calls(memory_world world, std::unique_ptr<call_mismatch> mixed,
                   std::shared_ptr<open_file> const& file,
                   std::shared_ptr<shared_pointer> const& pointer);
  // For ranks on several nodes.
  concurrent_calls(served_world world, std::unique_ptr<call_mismatch> mixed,
                   std::shared_ptr<open_file> const& file,
                   std::shared_ptr<shared_pointer> const& pointer);
  // Does not wait for calls that other ranks have not joined.
  ~concurrent_calls();

  std::shared_ptr<background_call> start(collective_call c);
  // Waits until all calls so far have ended, on all ranks.
  void drain();

 private:
  friend class collective_background_call;
  struct state;
  std::shared_ptr<state> state_;
  std::unique_ptr<io_threads> thread_;
};

}  // namespace argosy::detail

// Collective calls that go on while the ranks compute: on a thread of each rank, which makes no MPI
// calls.
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

// One call after the other, in the order in which they were begun, which is the same on all ranks.
class concurrent_calls {
 public:
  // Local; every rank of the file has one. Where all ranks share memory, over that memory; `mixed`
  // is null where there is one rank.
  concurrent_calls(memory_world world, std::unique_ptr<call_mismatch> mixed,
                   std::shared_ptr<open_file> file, std::shared_ptr<shared_pointer> pointer);
  // Between nodes.
  concurrent_calls(served_world world, std::unique_ptr<call_mismatch> mixed,
                   std::shared_ptr<open_file> file, std::shared_ptr<shared_pointer> pointer);
  // Leaves calls that others have not joined to themselves.
  ~concurrent_calls();

  std::shared_ptr<background_call> start(collective_call c);
  // Until all calls so far have ended, on all ranks.
  void drain();

 private:
  friend class collective_background_call;
  struct state;
  std::shared_ptr<state> state_;
  std::unique_ptr<io_threads> thread_;
};

}  // namespace argosy::detail

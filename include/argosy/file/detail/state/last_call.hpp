// The facts of the last call of a file, for the status of its hints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>

#include <argosy/file/detail/call/call.hpp>
#include <argosy/file/detail/call/operation.hpp>
#include <argosy/file/detail/state/hint_facts.hpp>
#include <argosy/file/detail/state/short_lock.hpp>

namespace argosy::detail {

// Any thread. If calls are concurrent, one of them is the last.
class last_call {
 public:
  void note(call const& c, bool collective) noexcept;
  // Calls `tell` with the facts if `call` was the last call.
  template <class Tell>
  void note_plan(operation call, Tell&& tell) {
    std::lock_guard const guard(lock_);
    if (facts_.collective && facts_.call == call) tell(facts_);
  }
  bool was_collective() const {
    std::lock_guard const guard(lock_);
    return facts_.collective;
  }
  hint_facts facts() const {
    std::lock_guard const guard(lock_);
    return facts_;
  }

 private:
  mutable short_lock lock_;
  hint_facts facts_;
  // the operation, if the call was local and its policy was chosen by the hints
  static constexpr int none_alone = -1;
  std::atomic<int> noted_alone_{none_alone};
};

}  // namespace argosy::detail

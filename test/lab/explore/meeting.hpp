// The exchange of facts between the steps of a program, if its ranks are processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace argosy::explore {

// The side of one rank.
class meeting {
 public:
  virtual ~meeting() = default;
  virtual void begins(std::size_t step) = 0;
  virtual void did(std::size_t step) = 0;
  // Waits for all ranks; they exchange what each did, and check it. `looks` is false for a step
  // that was left out. Throws found_wrong on all ranks, or on none.
  virtual void after(std::size_t step, bool looks) = 0;
  // Notes a mistake that this rank has found. The rank still goes to the next meeting, because the
  // others do.
  virtual void found(std::string const& words) = 0;
};

}  // namespace argosy::explore

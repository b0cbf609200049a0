// What happens between the steps of a program, where its ranks are not all in one process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace argosy::explore {

// Of one rank.
class meeting {
 public:
  virtual ~meeting() = default;
  virtual void begins(std::size_t step) = 0;
  virtual void did(std::size_t step) = 0;
  // With all ranks: they learn what each did, and look at it. `looks`: it was no step to be left
  // out. Throws found_wrong on all ranks, or on none.
  virtual void after(std::size_t step, bool looks) = 0;
  // By this rank, which goes on to the next meeting all the same, since the others do.
  virtual void found(std::string const& words) = 0;
};

}  // namespace argosy::explore

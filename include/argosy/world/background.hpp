// Work beside a rank, for worlds in which a thread cannot do it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <functional>
#include <memory>

namespace argosy {

// Runs the nonblocking calls of a file instead of threads. Used by one rank.
class background {
 public:
  background() = default;
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  virtual ~background() = default;

  // Begins `work` beside the rank, which goes on. `work` does not throw.
  virtual void start(std::function<void()> work) = 0;
  // Lets others go on until `ended()`, which becomes true by work of this object or by a caller of
  // wake().
  virtual void wait(std::function<bool()> const& ended) = 0;
  // Makes those in wait() look again.
  virtual void wake() = 0;
  // Lets others go on for a moment. Call it between the tries of a loop that polls; after many
  // tries the moment is longer.
  virtual void pause(int tries = 0) = 0;
};

// A world that makes one for each file.
template <class C>
concept working_in_background = requires(C const& c) {
  { c.make_background() } -> std::same_as<std::shared_ptr<background>>;
};

}  // namespace argosy

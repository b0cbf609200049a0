// Work beside a rank, for worlds in which it cannot be a thread's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <functional>
#include <memory>

namespace argosy {

// Nonblocking calls of a file run here instead of on threads. Used by one rank.
class background {
 public:
  background() = default;
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  virtual ~background() = default;

  // Begins `work` beside the rank, which goes on. It does not throw.
  virtual void start(std::function<void()> work) = 0;
  // Lets others go on until `ended`, which some work of this object makes true, or somebody who then calls wake().
  virtual void wait(std::function<bool()> const& ended) = 0;
  // Those who wait look again.
  virtual void wake() = 0;
  // Lets others go on for a moment: whoever asks again and again calls it in between.
  virtual void pause() = 0;
};

// A world that offers it, a new one for each file.
template <class C>
concept working_in_background = requires(C const& c) {
  { c.make_background() } -> std::same_as<std::shared_ptr<background>>;
};

}  // namespace argosy

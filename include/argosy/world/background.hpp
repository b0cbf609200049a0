// The concept of a world that carries out nonblocking calls of files without threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <functional>
#include <memory>

#include <argosy/extend.hpp>

namespace argosy::extend {

// Runs the nonblocking calls of a file instead of threads. Used by one rank.
class background {
 public:
  background() = default;
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  virtual ~background() = default;

  // Starts `work`, which must not throw. The rank continues while `work` runs.
  virtual void start(std::function<void()> work) = 0;
  // Waits until `ended()` returns true, and lets other work and other ranks run meanwhile. Work of
  // this object changes that result, or a thread that then calls wake().
  virtual void wait(std::function<bool()> const& ended) = 0;
  // Makes all callers of wait() evaluate their condition again.
  virtual void wake() = 0;
  // Lets other work and other ranks run for a moment. For loops that poll: `tries` counts the
  // attempts so far, and the moment becomes longer after many of them.
  virtual void pause(int tries = 0) = 0;
};

// A world that makes one `background` for each file.
template <class C>
concept working_in_background = requires(C const& c) {
  { c.make_background() } -> std::same_as<std::shared_ptr<background>>;
};

}  // namespace argosy::extend

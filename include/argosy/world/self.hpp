// The world of one rank, without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/service.hpp>

namespace argosy {

// A communicator with one rank, whose messages go to itself. A send is buffered. Throws
// std::logic_error if MPI would wait without end, or if a message is longer than the memory of its
// receive. Throws std::invalid_argument for a rank that does not exist.
class self {
  struct started;
  struct mailbox;

 public:
  self();

  class request {
   public:
    request() noexcept = default;
    std::size_t received() const noexcept { return received_; }

   private:
    friend self;
    explicit request(std::shared_ptr<started> receive) noexcept : receive_(std::move(receive)) {}
    std::shared_ptr<started> receive_;  // null if done
    std::size_t received_ = 0;
  };

  int rank() const noexcept { return 0; }
  int size() const noexcept { return 1; }

  void barrier() const noexcept {}
  template <extend::reducible T>
  void all_reduce(T&) const noexcept {}
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte>, int root) const { check(root); }
  std::int64_t exclusive_sum(std::int64_t) const noexcept { return 0; }
  std::vector<extend::parcel> deliver(std::vector<extend::parcel> const& out) const {
    for (extend::parcel const& p : out) check(p.rank);
    return out;
  }

  void send(std::span<std::byte const> message, int to, int tag) const;
  std::size_t receive(std::span<std::byte> message, int from, int tag) const;
  request start_send(std::span<std::byte const> message, int to, int tag) const {
    send(message, to, tag);
    return {};
  }
  request start_receive(std::span<std::byte> message, int from, int tag) const;
  static void wait_all(std::span<request> requests);

  self duplicate() const { return {}; }
  self split(int, int) const { return {}; }
  self node() const { return {}; }

  extend::shared_memory share(std::size_t bytes, std::error_code& error) const;
  extend::shared_memory share(std::size_t bytes) const;
  // Returns at once, because no other rank could change the word.
  void wait(std::uint32_t&, std::uint32_t, std::span<request> = {}) const noexcept {}
  void wake(std::uint32_t&) const noexcept {}
  // Answers at once, on the calling thread.
  std::unique_ptr<extend::service> serve(extend::serve_function f, std::error_code& error) const;

 private:
  static void check(int peer);

  std::shared_ptr<mailbox> mail_;
};

static_assert(communicator<self>);
static_assert(extend::node_waiting<self>);
static_assert(extend::serving<self>);

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/world/detail/self.hpp>
#endif

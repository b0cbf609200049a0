// MPI reduced to the least that a world must offer: it shares no memory. It counts the calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::test {

using namespace extend;

class plain_world {
 public:
  using request = mpi::request;

  struct counts {
    int reductions = 0, broadcasts = 0, sends = 0, receives = 0, others = 0;
    friend bool operator==(counts const&, counts const&) = default;
    friend std::ostream& operator<<(std::ostream& out, counts const& c) {
      return out << c.reductions << " reductions, " << c.broadcasts << " broadcasts, " << c.sends
                 << " sends, " << c.receives << " receives, " << c.others << " others";
    }
  };

  explicit plain_world(mpi inner) : inner_(std::move(inner)) {}

  // Calls of this communicator and of all that were made from it.
  counts& asked() const noexcept { return *counts_; }

  int rank() const noexcept { return inner_.rank(); }
  int size() const noexcept { return inner_.size(); }
  void barrier() const { ++counts_->others, inner_.barrier(); }
  template <argosy::extend::reducible T>
  void all_reduce(T& value) const {
    ++counts_->reductions;
    inner_.all_reduce(value);
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
    ++counts_->others;
    inner_.all_gather(mine, all);
  }
  void broadcast(std::span<std::byte> message, int root) const {
    ++counts_->broadcasts;
    inner_.broadcast(message, root);
  }
  std::int64_t exclusive_sum(std::int64_t mine) const {
    return ++counts_->others, inner_.exclusive_sum(mine);
  }
  std::vector<parcel> deliver(std::vector<parcel> const& out) const {
    return ++counts_->others, inner_.deliver(out);
  }
  void send(std::span<std::byte const> message, int to, int tag) const {
    ++counts_->sends;
    inner_.send(message, to, tag);
  }
  std::size_t receive(std::span<std::byte> message, int from, int tag) const {
    ++counts_->receives;
    return inner_.receive(message, from, tag);
  }
  request start_send(std::span<std::byte const> message, int to, int tag) const {
    ++counts_->sends;
    return inner_.start_send(message, to, tag);
  }
  request start_receive(std::span<std::byte> message, int from, int tag) const {
    ++counts_->receives;
    return inner_.start_receive(message, from, tag);
  }
  static void wait_all(std::span<request> requests) { mpi::wait_all(requests); }
  plain_world duplicate() const { return {inner_.duplicate(), counts_}; }
  plain_world split(int colour, int key) const { return {inner_.split(colour, key), counts_}; }
  plain_world node() const { return {inner_.node(), counts_}; }

 private:
  plain_world(mpi inner, std::shared_ptr<counts> c)
      : inner_(std::move(inner)), counts_(std::move(c)) {}

  mpi inner_;
  std::shared_ptr<counts> counts_ = std::make_shared<counts>();
};

static_assert(communicator<plain_world>);
static_assert(!argosy::extend::node_sharing<plain_world>);

}  // namespace argosy::test

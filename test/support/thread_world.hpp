// A world whose ranks are threads of one process, so that the thread sanitizer sees races between
// ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/first_failure.hpp>
#include <argosy/world/memory_world.hpp>
#include <argosy/world/service.hpp>

#include <world/socket_service.hpp>

namespace argosy::test {

using namespace extend;

// Collective calls are those of memory_world. Memory is shared at one address. A message is copied
// when it is sent.
class thread_world {
  struct letter {
    int from, to, tag;
    std::vector<std::byte> content;
  };
  struct started {
    int from, to, tag;
    std::span<std::byte> into;
    bool done = false;
    std::size_t received = 0;
  };
  // The state that the ranks of a group share.
  struct board {
    explicit board(int n)
        : size(n),
          meeting(shared_memory::private_zeros(memory_world::bytes_for(n))),
          parcels(static_cast<std::size_t>(n)) {}
    int const size;
    shared_memory const meeting;
    std::mutex mutex;
    std::condition_variable changed;
    std::list<letter> letters;
    std::list<std::weak_ptr<started>> receives;
    shared_memory given;                           // used within `share`
    std::map<int, std::shared_ptr<board>> groups;  // used within `split`
    std::vector<std::vector<parcel>> parcels;      // used within `deliver`, by receiver

    // Gives every receive its letter. The caller holds the mutex.
    void hand_out() {
      for (auto r = receives.begin(); r != receives.end();) {
        auto const s = r->lock();
        auto const l = std::find_if(letters.begin(), letters.end(), [&](letter const& x) {
          return s && x.from == s->from && x.to == s->to && x.tag == s->tag;
        });
        if (s && l == letters.end()) {
          ++r;
          continue;
        }
        if (s) {
          if (l->content.size() > s->into.size())
            throw std::logic_error("thread_world: a message that does not fit");
          std::copy(l->content.begin(), l->content.end(), s->into.begin());
          s->received = l->content.size();
          s->done = true;
          letters.erase(l);
        }
        r = receives.erase(r);
      }
      changed.notify_all();
    }
  };

 public:
  class request {
   public:
    request() noexcept = default;
    std::size_t received() const noexcept { return received_; }

   private:
    friend thread_world;
    std::shared_ptr<started> receive_;  // empty if done
    std::shared_ptr<board> board_;
    std::size_t received_ = 0;
  };

  // Calls f(world) on `ranks` threads.
  template <class F>
  static void run(int ranks, F&& f) {
    auto const all = std::make_shared<board>(ranks);
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r) threads.emplace_back([&f, all, r] { f(thread_world(all, r)); });
    for (std::thread& t : threads) t.join();
  }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return board_->size; }

  void barrier() const { meeting_.barrier(); }
  template <argosy::extend::reducible T>
  void all_reduce(T& value) const {
    meeting_.all_reduce(value);
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
    meeting_.all_gather(mine, all);
  }
  void broadcast(std::span<std::byte> message, int root) const {
    meeting_.broadcast(message, root);
  }
  std::int64_t exclusive_sum(std::int64_t mine) const { return meeting_.exclusive_sum(mine); }
  std::vector<parcel> deliver(std::vector<parcel> const& out) const {
    {
      std::lock_guard const lock(board_->mutex);
      for (parcel const& p : out)
        board_->parcels[static_cast<std::size_t>(p.rank)].push_back({rank_, p.content});
    }
    barrier();
    std::vector<parcel> mine;
    {
      std::lock_guard const lock(board_->mutex);
      mine.swap(board_->parcels[static_cast<std::size_t>(rank_)]);
    }
    // stable: parcels of one rank stay in the order of their sends
    std::multimap<int, parcel> by_rank;
    for (parcel& p : mine) by_rank.emplace(p.rank, std::move(p));
    mine.clear();
    for (auto& [from, p] : by_rank) mine.push_back(std::move(p));
    barrier();
    return mine;
  }

  void send(std::span<std::byte const> message, int to, int tag) const {
    std::lock_guard const lock(board_->mutex);
    board_->letters.push_back({rank_, to, tag, {message.begin(), message.end()}});
    board_->hand_out();
  }
  std::size_t receive(std::span<std::byte> message, int from, int tag) const {
    request r = start_receive(message, from, tag);
    wait_all({&r, 1});
    return r.received();
  }
  request start_send(std::span<std::byte const> message, int to, int tag) const {
    send(message, to, tag);
    return {};
  }
  request start_receive(std::span<std::byte> message, int from, int tag) const {
    request r;
    r.receive_ = std::make_shared<started>(started{from, rank_, tag, message});
    r.board_ = board_;
    std::lock_guard const lock(board_->mutex);
    board_->receives.push_back(r.receive_);
    board_->hand_out();
    return r;
  }
  static void wait_all(std::span<request> requests) {
    for (request& r : requests) {
      if (!r.receive_) continue;
      std::unique_lock lock(r.board_->mutex);
      r.board_->changed.wait(lock, [&] { return r.receive_->done; });
      r.received_ = r.receive_->received;
      r.receive_.reset();
    }
  }

  thread_world duplicate() const { return split(0, rank_); }
  thread_world node() const { return duplicate(); }
  thread_world split(int colour, int key) const {
    struct note {
      int colour, key, rank;
    };
    note const mine{colour, key, rank_};
    std::vector<note> all(static_cast<std::size_t>(size()));
    all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    std::erase_if(all, [&](note const& n) { return n.colour != colour; });
    std::sort(all.begin(), all.end(), [](note const& a, note const& b) {
      return std::pair(a.key, a.rank) < std::pair(b.key, b.rank);
    });
    auto const me =
        std::find_if(all.begin(), all.end(), [&](note const& n) { return n.rank == rank_; });
    if (me == all.begin()) {
      std::lock_guard const lock(board_->mutex);
      board_->groups[colour] = std::make_shared<board>(static_cast<int>(all.size()));
    }
    barrier();
    std::shared_ptr<board> group;
    {
      std::lock_guard const lock(board_->mutex);
      group = board_->groups.at(colour);
    }
    barrier();
    if (me == all.begin()) {
      std::lock_guard const lock(board_->mutex);
      board_->groups.erase(colour);
    }
    barrier();
    return {group, static_cast<int>(me - all.begin())};
  }

  shared_memory share(std::size_t bytes, std::error_code& error) const {
    error.clear();
    if (rank_ == 0) board_->given = shared_memory::private_zeros(bytes);
    barrier();
    shared_memory mine = board_->given.part(0, bytes);
    barrier();
    if (rank_ == 0) board_->given = {};
    barrier();
    if (bytes > 0 && mine.bytes().empty())
      error = std::make_error_code(std::errc::not_enough_memory);
    return mine;
  }
  shared_memory share(std::size_t bytes) const {
    std::error_code error;
    shared_memory m = share(bytes, error);
    if (error) throw std::system_error(error, "thread_world::share");
    return m;
  }
  void wait(std::uint32_t& word, std::uint32_t seen, std::span<request> = {}) const noexcept {
    memory_world::wait(word, seen);
  }
  void wake(std::uint32_t& word) const noexcept { memory_world::wake(word); }

  std::unique_ptr<service> serve(serve_function f, std::error_code& error) const {
    error.clear();
    wire::station::options o;
    o.workers = 2;
    auto made = std::make_unique<detail::socket_service>(rank_, size(), std::move(f), o, error);
    error = detail::first_failure(*this, error.value());
    if (error) return {};
    wire::address const mine = made->where();
    std::vector<wire::address> everybody(static_cast<std::size_t>(size()));
    all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(everybody)));
    made->meet(std::move(everybody));
    return made;
  }

 private:
  thread_world(std::shared_ptr<board> b, int rank)
      : board_(std::move(b)),
        rank_(rank),
        meeting_(board_->meeting.part(0, board_->meeting.bytes().size()), rank, size()) {}

  std::shared_ptr<board> board_;
  int rank_;
  memory_world meeting_;
};

static_assert(communicator<thread_world>);
static_assert(argosy::extend::node_waiting<thread_world>);
static_assert(serving<thread_world>);

}  // namespace argosy::test

// One rank's part of the service behind served_world: messages that nobody expected yet, and
// receives whose messages have not come.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <argosy/world/detail/served_world.hpp>
#include <argosy/world/parcel.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

class post_office {
 public:
  // Where a message belongs.
  struct address {
    std::uint64_t group = 0;
    std::int32_t from = 0;  // in the group
    std::int32_t tag = 0;

    auto operator<=>(address const&) const = default;
  };
  using awaited = served_world::request::awaited;
  // Why the ranks of a world are not together any more; as the service counts them.
  struct parting {
    int unreachable, by;
  };

  explicit post_office(std::uint64_t n) : number(n) {}

  void open(std::unique_ptr<service> s) { service_ = std::move(s); }
  void close() { service_ = {}; }
  bool is_open() const noexcept { return service_ != nullptr; }
  std::vector<std::byte> answer(int from, std::span<std::byte const> request);

  // Who answers for this world; and that nobody does any more, when no answer is under way.
  void listen(std::uint64_t world, serve_function f);
  void leave(std::uint64_t world);
  std::vector<service_answer> ask(std::uint64_t world, std::vector<parcel> requests);

  // Returns a ticket to wait with; 0: there is nothing to wait for. `in_advance`: the receiver need
  // not expect it, however long.
  std::uint64_t send(std::uint64_t world, address const& where, int to,
                     std::span<std::byte const> content, bool in_advance = false);
  void expect(std::uint64_t world, std::shared_ptr<awaited> e);
  // Until it has come, or no more can come in this world.
  void wait(std::uint64_t world, awaited const& e);
  // Until the receiver has taken the message.
  void wait(std::uint64_t world, std::uint64_t ticket);
  void drop(awaited const& e) noexcept;
  // All messages that are there, in their order.
  std::vector<std::vector<std::byte>> take_all(address const& a);

  // Whoever waits in this world leaves it, and whoever comes later, by a rank_failure. False: they
  // knew.
  bool part(std::uint64_t world, parting why);
  // What cannot be told is lost.
  void tell_of_parting(std::uint64_t world, int unreachable, std::vector<int> const& ranks);
  // Leaves, if they have parted.
  void check(std::uint64_t world);

  std::uint64_t const number;                 // at its rank 0
  std::atomic<std::uint64_t> groups_made{1};  // by this rank as their first

 private:
  struct heading;
  struct early {
    std::vector<std::byte> content;
    std::uint64_t ticket = 0;
    int from = 0;  // as the service counts
  };
  struct box {
    std::deque<early> messages;
    std::deque<std::shared_ptr<awaited>> receives;
  };
  struct one_world {
    serve_function answers;
    int under_way = 0;
  };

  static std::vector<std::byte> sealed(heading const& h, std::span<std::byte const> content);
  std::vector<std::byte> reach(int rank, std::vector<std::byte> message);
  std::vector<std::byte> answer_of_world(std::uint64_t world, int from,
                                         std::span<std::byte const> request);
  bool put(heading const& h, int from, std::span<std::byte const> content);

  // With the mutex.
  static void take(awaited& e, std::span<std::byte const> content);
  void require_together(std::uint64_t world) const;
  void forget(awaited const& e) noexcept;
  void remove_if_empty(address const& a);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<address, box> boxes_;
  std::uint64_t last_ticket_ = 0;
  std::set<std::uint64_t> not_taken_;  // messages of this rank
  std::map<std::uint64_t, one_world> worlds_;
  std::map<std::uint64_t, parting> parted_;  // of worlds that are not together any more
  std::unique_ptr<service> service_;         // ends before all that it uses
};

struct served_world::request::awaited {
  post_office::address of;
  std::span<std::byte> into;
  std::size_t received = 0;
  bool has_come = false;
  bool fits = true;
};

}  // namespace argosy::detail

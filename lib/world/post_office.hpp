// One rank's part of the service behind served_world: messages that came before their receive, and
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
  // The address of a message.
  struct address {
    std::uint64_t group = 0;
    std::int32_t from = 0;  // its rank in the group
    std::int32_t tag = 0;

    auto operator<=>(address const&) const = default;
  };
  using awaited = served_world::request::awaited;
  // Why a world was revoked: the rank that cannot be reached, and the rank that found it, as the
  // service numbers them.
  struct parting {
    int unreachable, by;
  };

  explicit post_office(std::uint64_t n) : number(n) {}

  void open(std::unique_ptr<service> s) { service_ = std::move(s); }
  void close() { service_ = {}; }
  bool is_open() const noexcept { return service_ != nullptr; }
  std::vector<std::byte> answer(int from, std::span<std::byte const> request);

  // Begin and end the answers of this rank in a world. The second waits until no answer is under
  // way.
  void listen(std::uint64_t world, serve_function f);
  void leave(std::uint64_t world);
  std::vector<service_answer> ask(std::uint64_t world, std::vector<parcel> requests);

  // Returns a ticket to wait with, or 0 if there is nothing to wait for. With `in_advance`, a
  // message of any length is sent without waiting for its receive.
  std::uint64_t send(std::uint64_t world, address const& where, int to,
                     std::span<std::byte const> content, bool in_advance = false);
  void expect(std::uint64_t world, std::shared_ptr<awaited> e);
  // Waits until the message has come, or no message can come in this world any more.
  void wait(std::uint64_t world, awaited const& e);
  // Waits until the receiver has accepted the message.
  void wait(std::uint64_t world, std::uint64_t ticket);
  void drop(awaited const& e) noexcept;
  // Returns all messages that have come, in their order.
  std::vector<std::vector<std::byte>> take_all(address const& a);

  // Revokes a world on this rank: all calls in it throw a rank_failure, those that wait and later
  // ones. Returns false if it was revoked before.
  bool part(std::uint64_t world, parting why);
  // Notifies the given ranks. Notices that cannot be delivered are dropped.
  void tell_of_parting(std::uint64_t world, int unreachable, std::vector<int> const& ranks);
  // Throws the rank_failure if the world was revoked.
  void check(std::uint64_t world);

  std::uint64_t const number;                 // the number that its rank 0 has chosen
  std::atomic<std::uint64_t> groups_made{1};  // worlds that this rank made as their first rank

 private:
  struct heading;
  struct early {
    std::vector<std::byte> content;
    std::uint64_t ticket = 0;
    int from = 0;  // a rank as the service numbers it
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

  // Needs the mutex.
  static void take(awaited& e, std::span<std::byte const> content);
  void require_together(std::uint64_t world) const;
  void forget(awaited const& e) noexcept;
  void remove_if_empty(address const& a);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<address, box> boxes_;
  std::uint64_t last_ticket_ = 0;
  std::set<std::uint64_t> not_taken_;  // messages of this rank that were not accepted yet
  std::map<std::uint64_t, one_world> worlds_;
  std::map<std::uint64_t, parting> parted_;  // worlds that were revoked
  std::unique_ptr<service> service_;         // destroyed before all that it uses
};

struct served_world::request::awaited {
  post_office::address of;
  std::span<std::byte> into;
  std::size_t received = 0;
  bool has_come = false;
  bool fits = true;
};

}  // namespace argosy::detail

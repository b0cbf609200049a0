// A world of the same ranks as another one, which communicates by a service instead of MPI. A
// thread that must not call MPI can make collective calls in it, independent of the calls that the
// program makes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/detail/kept.hpp>
#include <argosy/world/memory_world.hpp>
#include <argosy/world/parcel.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

class post_office;

// One thread of each rank uses a communicator at a time. Collective calls use binomial trees: twice
// log2(size) messages, one after the other.
//
// A short message has reached the receiver's process when `start_send` returns. A long one ends
// when a receive accepts it.
//
// If a rank cannot be reached, the call throws a rank_failure. Other ranks do not notice that by
// themselves, so a rank that leaves for this reason calls `revoke`.
class served_world {
 public:
  class request;

  // Makes a world of the ranks of `world`. Collective in `world`; succeeds on all ranks or on none.
  // `node` has the ranks of `world` that can share memory. The sockets and threads are stored with
  // `world` and its duplicates. Only the first call costs more than a few messages.
  template <keeping World>
  static std::unique_ptr<served_world> beside(World const& world, World const& node,
                                              std::error_code& error);

  int rank() const noexcept { return group_->rank; }
  int size() const noexcept { return static_cast<int>(group_->ranks.size()); }
  std::string const& host_name() const noexcept { return group_->all->host_name; }

  void barrier() const;
  template <reducible T>
  void all_reduce(T& value) const {
    auto const bytes = std::as_writable_bytes(std::span(&value, 1));
    T other = value;
    reduce(bytes, std::as_writable_bytes(std::span(&other, 1)), [&] { value.combine(other); });
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte> message, int root) const;
  std::int64_t exclusive_sum(std::int64_t mine) const;
  std::vector<parcel> deliver(std::vector<parcel> const& out) const;

  void send(std::span<std::byte const> message, int to, int tag) const;
  std::size_t receive(std::span<std::byte> message, int from, int tag) const;
  request start_send(std::span<std::byte const> message, int to, int tag) const;
  request start_receive(std::span<std::byte> message, int from, int tag) const;
  static void wait_all(std::span<request> requests);

  served_world duplicate() const { return split(0, rank()); }
  served_world split(int colour, int key) const;
  served_world node() const;

  shared_memory share(std::size_t bytes, std::error_code& error) const;
  shared_memory share(std::size_t bytes) const;
  void wait(std::uint32_t& word, std::uint32_t seen) const;
  // Ignores the requests, because messages arrive on threads of their own.
  void wait(std::uint32_t& word, std::uint32_t seen, std::span<request>) const { wait(word, seen); }
  static void wake(std::uint32_t& word) noexcept { memory_world::wake(word); }
  static processor_set processors() { return processor_set::of_this_process(); }

  // Makes all calls in this world throw a rank_failure, those that wait and later ones. In a group,
  // this revokes the whole world that it was made from. `unreachable` is a rank of the whole world.
  // Returns when all ranks that can be reached have been notified.
  void revoke(int unreachable) const;
  // Throws the rank_failure if this world has been revoked.
  void check() const;

  // Sends and answers requests that are not messages of this world, also while a rank is in no call
  // of it. Any thread may call ask(), and several threads answer. The caller must know that the
  // other rank listens. Ends with the last copy of this world.
  void listen(serve_function answers) const;
  std::vector<service_answer> ask(std::vector<parcel> requests) const;

 private:
  // The common state of all groups of one world.
  struct setting {
    std::shared_ptr<post_office> office;
    std::uint64_t number = 0;  // number of the whole world
    std::vector<int> first_of_node = {};
    std::string host_name = {};
    ~setting();  // ends the answers to requests
  };
  struct group {
    std::shared_ptr<setting const> all;
    std::uint64_t number;  // equal on all ranks of the group
    int rank;
    std::vector<int> ranks;  // numbered as the service does
    std::uint64_t deliveries = 0;
  };
  explicit served_world(group g) : group_(std::make_shared<group>(std::move(g))) {}
  post_office& office() const noexcept { return *group_->all->office; }

  static std::unique_ptr<served_world> made(std::shared_ptr<setting> all, int rank, int size);
  static std::shared_ptr<post_office> new_office(std::uint64_t number);
  static std::uint64_t number_of(post_office const& office);
  static std::uint64_t next_office();
  static std::uint64_t next_group(post_office& office);
  static serve_function answers(post_office& office);
  static void open(post_office& office, std::unique_ptr<service> s);
  static void close(post_office& office);
  static bool is_open(post_office const& office);
  static bool reaches_neighbours(post_office& office, int rank, int size);

  template <class Combine>
  void reduce(std::span<std::byte> value, std::span<std::byte> other, Combine&& combine) const {
    int const me = rank(), n = size();
    for (int step = 1; step < n; step *= 2) {
      if ((me & step) != 0) {
        send(value, me - step, tree_tag);
        break;
      }
      if (me + step >= n) continue;
      receive(other, me + step, tree_tag);
      combine();
    }
    broadcast(value, 0);
  }

  static constexpr int tree_tag = -1;
  // Longest time that a rank waits before it checks whether the world has been revoked.
  static constexpr std::chrono::milliseconds longest_wait{100};

  std::shared_ptr<group> group_;
};

// A message under way. Its memory must live until it has arrived, or until the request is
// destroyed.
class served_world::request {
 public:
  request() noexcept = default;
  request(request&& other) noexcept { swap(other); }
  request& operator=(request&& other) noexcept {
    request(std::move(other)).swap(*this);
    return *this;
  }
  ~request() {
    if (awaited_) drop();
  }
  void swap(request& other) noexcept {
    office_.swap(other.office_);
    awaited_.swap(other.awaited_);
    std::swap(world_, other.world_);
    std::swap(ticket_, other.ticket_);
    std::swap(received_, other.received_);
  }
  std::size_t received() const noexcept { return received_; }

 private:
  friend served_world;
  friend post_office;
  struct awaited;
  void drop() noexcept;
  void wait();

  std::shared_ptr<post_office> office_;
  std::uint64_t world_ = 0;
  std::shared_ptr<awaited> awaited_;  // a receive under way; null if done
  std::uint64_t ticket_ = 0;          // a send under way; 0 if done
  std::size_t received_ = 0;
};

template <keeping World>
std::unique_ptr<served_world> served_world::beside(World const& world, World const& node,
                                                   std::error_code& error) {
  error.clear();
  auto all = std::make_shared<setting>();
  all->office = std::static_pointer_cast<post_office>(world.kept(kept_for::service));
  struct {
    std::uint64_t office = 0, group = 0;
  } told;
  bool const leads = world.rank() == 0;
  if (leads && all->office) told = {number_of(*all->office), next_group(*all->office)};
  auto const tell = [&] { world.broadcast(std::as_writable_bytes(std::span(&told, 1)), 0); };
  tell();
  // Threads may have made several offices at a time, so that ranks have stored different ones.
  struct any {
    bool value;
    void combine(any const& other) { value = value || other.value; }
  } differs{told.office == 0 || !all->office || number_of(*all->office) != told.office};
  world.all_reduce(differs);
  if (differs.value) {
    if (leads) told = {next_office(), 1};
    tell();
    all->office = new_office(told.office);
    std::unique_ptr<service> s = world.serve(answers(*all->office), error);
    if (error) return {};
    open(*all->office, std::move(s));
    // A site may let only MPI through between its nodes, and no other sockets.
    any unreachable{!reaches_neighbours(*all->office, world.rank(), world.size())};
    world.all_reduce(unreachable);
    if (unreachable.value) close(*all->office);
    world.keep(kept_for::service, all->office);
  }
  if (!is_open(*all->office)) {
    error = std::make_error_code(std::errc::host_unreachable);
    return {};
  }
  all->number = told.group;
  int first = world.rank();
  node.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  all->first_of_node.resize(static_cast<std::size_t>(world.size()));
  world.all_gather(std::as_bytes(std::span(&first, 1)),
                   std::as_writable_bytes(std::span(all->first_of_node)));
  if constexpr (requires { world.host_name(); })
    all->host_name = world.host_name();
  else
    all->host_name = detail::host_name();
  return made(std::move(all), world.rank(), world.size());
}

static_assert(communicator<served_world>);
static_assert(node_waiting<served_world>);

}  // namespace argosy::detail

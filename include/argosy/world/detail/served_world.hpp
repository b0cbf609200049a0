// A world of the same ranks beside another: they exchange by a service, and not by MPI, so that a
// thread which must not call MPI can make collective calls, whatever the program does meanwhile.
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
#include <argosy/world/memory_world.hpp>
#include <argosy/world/parcel.hpp>
#include <argosy/world/service.hpp>

namespace argosy::detail {

class post_office;

// A world that keeps something for those who come again: with itself and its duplicates.
template <class C>
concept keeping =
    communicator<C> && serving<C> && requires(C const& c, std::shared_ptr<void> what) {
      { c.kept() } -> std::same_as<std::shared_ptr<void>>;
      c.keep(what);
    };

// One thread of each rank uses a communicator at a time. Collective calls go along binomial trees:
// twice log2(size) messages one after the other. Short messages are in the receiver's hands when
// `start_send` returns, long ones end when it takes them. A rank that cannot be reached is a
// rank_failure. Others do not learn of that by themselves: who leaves for this reason calls
// `revoke`.
class served_world {
 public:
  class request;

  // Collective in `world`; on all ranks or on none. `node`: those ranks of it that can share
  // memory. The sockets and threads behind it are kept with the world and its duplicates: only the
  // first one costs more than a few messages.
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
  // Messages arrive on threads of their own.
  void wait(std::uint32_t& word, std::uint32_t seen, std::span<request>) const { wait(word, seen); }
  static void wake(std::uint32_t& word) noexcept { memory_world::wake(word); }
  static processor_set processors() { return processor_set::of_this_process(); }

  // Of the whole world beside the other, also in a group of it, with ranks as the whole one counts
  // them: whoever waits in it, or comes to it later, throws a rank_failure. Returns when those that
  // can be reached know.
  void revoke(int unreachable) const;
  // Throws the rank_failure if the ranks of this world are not together any more.
  void check() const;

  // What ranks ask each other that is no message of this world, also while they are in no call of
  // it; any thread may ask, and several answer. Who asks must know that the other listens. Until
  // the last copy of this world goes.
  void listen(serve_function answers) const;
  std::vector<service_answer> ask(std::vector<parcel> requests) const;

 private:
  // What all groups of one world have in common.
  struct setting {
    std::shared_ptr<post_office> office;
    std::uint64_t number = 0;  // of the whole world
    std::vector<int> first_of_node = {};
    std::string host_name = {};
    ~setting();  // nobody answers any more
  };
  struct group {
    std::shared_ptr<setting const> all;
    std::uint64_t number;  // the same on its ranks
    int rank;
    std::vector<int> ranks;  // as the service counts them
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
  // then it looks whether the ranks are still together
  static constexpr std::chrono::milliseconds longest_wait{100};

  std::shared_ptr<group> group_;
};

// Where a message goes: memory that must live until it has come, or until the request goes.
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
  std::shared_ptr<awaited> awaited_;  // of a receive; null: done
  std::uint64_t ticket_ = 0;          // of a send; 0: done
  std::size_t received_ = 0;
};

template <keeping World>
std::unique_ptr<served_world> served_world::beside(World const& world, World const& node,
                                                   std::error_code& error) {
  error.clear();
  auto all = std::make_shared<setting>();
  all->office = std::static_pointer_cast<post_office>(world.kept());
  struct {
    std::uint64_t office = 0, group = 0;
  } told;
  bool const leads = world.rank() == 0;
  if (leads && all->office) told = {number_of(*all->office), next_group(*all->office)};
  auto const tell = [&] { world.broadcast(std::as_writable_bytes(std::span(&told, 1)), 0); };
  tell();
  // Threads may have made several at a time, so that ranks keep different ones.
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
    // A site may let MPI through between its nodes, and no other sockets.
    any unreachable{!reaches_neighbours(*all->office, world.rank(), world.size())};
    world.all_reduce(unreachable);
    if (unreachable.value) close(*all->office);
    world.keep(all->office);
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

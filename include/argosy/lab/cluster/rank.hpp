// The world of simulated ranks: a communicator of the virtual cluster, for one rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/error/source_location.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/charging.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/rank_failure.hpp>
#include <argosy/world/service.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::lab {

namespace detail {

class group;
class scheduler;
struct operation;
using combine_function = void(std::byte* mine, std::byte const* other);

template <argosy::extend::reducible T>
void combine(std::byte* mine, std::byte const* other) {
  reinterpret_cast<T*>(mine)->combine(*reinterpret_cast<T const*>(other));
}

}  // namespace detail

// The argument of a program of a virtual_cluster: one rank, which is a communicator.
//
// All functions act for the calling rank, in virtual time. Only operations and compute() take time.
// Other ranks run only during operations and compute(). A rank that waits for memory to change must
// therefore call wait(), or pause() in its loop.
//
// Operations throw std::logic_error outside of runs. Errors of the program (ranks in different
// collective calls, a message longer than its memory) end the run with virtual_run_error.
//
// If a rank dies, all operations that need it throw rank_failure, at the earliest detection_us
// after its death:
//
// - A collective call on a communicator with a dead rank throws on all survivors. If the dead rank
//   had begun the call, it throws on none; a broadcast may throw on some. All later calls throw.
// - A wait for shared memory returns if the word has changed. Otherwise it throws if the
//   communicator has a dead rank, which may be the one that had to change the word.
// - If a survivor leaves an operation for this reason, ranks that wait for it do not learn of it.
//   It must call revoke(), as files do.
// - A receive from a dead rank returns the messages sent before the death, then throws.
// - A send to a dead rank that would wait for its receive throws at the wait. A short message is
//   lost without an error.
class virtual_rank {
  using place = source_location;

 public:
  class request;

  int rank() const noexcept { return rank_; }
  int size() const noexcept;
  int number() const noexcept;  // number among all ranks of the cluster
  int node_number() const noexcept;
  std::string host_name() const;  // "node3"

  // --- Time ---
  double now() const;  // in seconds
  // Takes this time; slow ranks take longer. Throws std::invalid_argument if it is negative.
  void compute(double seconds) const;
  // For the concept `counts_copies`. Takes the time that this rank's processor needs for a copy, by
  // the prices of the scenario's network.
  void charge(std::int64_t bytes, std::int64_t pieces) const;
  bool has_contents() const;  // false if virtual_options::contents is `none`
  void pause() const;         // takes one microsecond, in which other ranks run
  // Sets the text that names this rank's current call in deadlock reports: "in write_all at
  // main.cpp:12". Copies the text. Local, and takes no time.
  void note(std::string_view what, place where) const;

  // --- The concepts communicator, node_sharing and node_waiting ---
  void barrier(place where = place::current()) const;
  template <argosy::extend::reducible T>
  void all_reduce(T& value, place where = place::current()) const {
    all_reduce({reinterpret_cast<std::byte*>(&value), sizeof value}, &detail::combine<T>, where);
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all,
                  place where = place::current()) const;
  void broadcast(std::span<std::byte> message, int root, place where = place::current()) const;
  std::int64_t exclusive_sum(std::int64_t mine, place where = place::current()) const;
  std::vector<parcel> deliver(std::vector<parcel> const& out, place where = place::current()) const;

  void send(std::span<std::byte const> message, int to, int tag,
            place where = place::current()) const;
  std::size_t receive(std::span<std::byte> message, int from, int tag,
                      place where = place::current()) const;
  request start_send(std::span<std::byte const> message, int to, int tag,
                     place where = place::current()) const;
  request start_receive(std::span<std::byte> message, int from, int tag,
                        place where = place::current()) const;
  static void wait_all(std::span<request> requests, place where = place::current());

  virtual_rank duplicate(place where = place::current()) const;
  virtual_rank split(int colour, int key, place where = place::current()) const;
  virtual_rank node(place where = place::current()) const;
  shared_memory share(std::size_t bytes, std::error_code& error,
                      place where = place::current()) const;
  shared_memory share(std::size_t bytes, place where = place::current()) const;
  void wait(std::uint32_t const& word, std::uint32_t seen, place where = place::current()) const;
  void wait(std::uint32_t const& word, std::uint32_t seen, std::span<request> meanwhile,
            place where = place::current()) const;
  void wake(std::uint32_t const& word) const;

  // Makes all operations on this communicator, and on those made from it, throw rank_failure: those
  // that wait, and later ones. The other communicator of the same ranks (see below) is revoked with
  // this one. Local. Call it if a rank leaves a common operation because another rank has died.
  // Returns the first rank of this communicator that died, or -1.
  int revoke() const;

  // --- The concept serving ---
  // Answers requests of other ranks: `f` runs in a coroutine for each request, while this rank
  // continues. Collective. The request and the answer are one message each, in the report and in
  // virtual time. A request to a rank that dies returns errc::rank_failed. Requests that a dead
  // rank has sent may still be carried out.
  std::unique_ptr<service> serve(serve_function f, std::error_code& error,
                                 place where = place::current()) const;

  // --- Functions that files look for ---
  // Returns another communicator of the same ranks, the same one at each call. Its operations never
  // match those of this communicator. Local, and takes no time.
  virtual_rank beside() const;
  std::shared_ptr<background> make_background() const;
  // Returns a number that no rank has got before in this run. Equal runs return equal numbers.
  // Local, and takes no time.
  std::uint64_t unique_number() const;

 private:
  friend class detail::scheduler;
  friend class detail::group;
  virtual_rank(std::shared_ptr<detail::group> g, int rank) : group_(std::move(g)), rank_(rank) {}
  void all_reduce(std::span<std::byte> value, detail::combine_function* combine, place where) const;

  std::shared_ptr<detail::group> group_;
  int rank_ = 0;
};

// A message that a rank has started. Complete it by wait_all. Destroying a request that is not done
// cancels a receive. A send continues, and its memory must live until the message was received.
// Outside of its run a request may only be destroyed.
class virtual_rank::request {
 public:
  request() noexcept = default;
  request(request&& other) noexcept
      : operation_(std::move(other.operation_)), received_(other.received_) {}
  request& operator=(request&& other) noexcept {
    request(std::move(other)).swap(*this);
    return *this;
  }
  ~request() {
    if (operation_) drop();
  }
  void swap(request& other) noexcept {
    operation_.swap(other.operation_);
    std::swap(received_, other.received_);
  }
  // Returns the length of the received message in bytes, after wait_all.
  std::size_t received() const noexcept { return received_; }

 private:
  friend virtual_rank;
  friend class detail::scheduler;
  explicit request(std::shared_ptr<detail::operation> o) noexcept : operation_(std::move(o)) {}
  void drop() noexcept;

  std::shared_ptr<detail::operation> operation_;  // null if done
  std::size_t received_ = 0;
};

static_assert(communicator<virtual_rank>);
static_assert(argosy::extend::node_waiting<virtual_rank>);
static_assert(argosy::extend::counts_copies<virtual_rank>);
static_assert(argosy::extend::working_in_background<virtual_rank>);
static_assert(serving<virtual_rank>);

}  // namespace argosy::lab

// The world of simulated ranks: a communicator of the virtual cluster, as one rank sees it.
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

template <argosy::reducible T>
void combine(std::byte* mine, std::byte const* other) {
  reinterpret_cast<T*>(mine)->combine(*reinterpret_cast<T const*>(other));
}

}  // namespace detail

// The argument of a program of a virtual_cluster. All functions act for the calling rank, in
// virtual time, and only operations and compute() take any. While a rank computes without them, no
// other rank runs: a rank that waits for memory to change must call wait(), or pause() in its loop.
//
// - Errors of the program (ranks in different collective calls, a message longer than its memory)
//   end the run: virtual_run_error.
// - When a rank dies, all operations that need it throw rank_failure, detection_us after its death
//   at the earliest:
//     - a collective call on a communicator with a dead rank throws on all survivors, or, if the
//     dead rank had begun it,
//       on none; a broadcast may reach some of them. All later ones throw.
//     - a wait for shared memory returns if the word has changed, and throws if it would have to
//     wait: on a communicator
//       with a dead rank nobody knows whether that one was to change it.
//     - if a survivor leaves for this reason, ranks that wait for it are not told, unless it calls
//     revoke(); files do.
//     - a receive from a dead rank gets the messages sent before the death, then throws. A send
//     that would wait for its
//       receive throws at the wait; a short one is lost silently.
class virtual_rank {
  using place = source_location;

 public:
  class request;

  int rank() const noexcept { return rank_; }
  int size() const noexcept;
  int number() const noexcept;  // among all ranks of the cluster
  int node_number() const noexcept;
  std::string host_name() const;  // "node3"

  // --- Time ---
  double now() const;                  // seconds
  void compute(double seconds) const;  // slow ranks take longer
  // The concept charging: the time of this rank's processor for what it has copied, as the
  // scenario's network says.
  void charge(std::int64_t bytes, std::int64_t pieces) const;
  bool has_contents() const;  // see virtual_options
  void pause() const;         // one microsecond; others go on meanwhile
  // A name for what this rank is doing, in deadlock reports: "in write_all at main.cpp:12".
  void note(std::string_view what, place where) const;

  // --- The concepts communicator, node_sharing and node_waiting ---
  void barrier(place where = place::current()) const;
  template <argosy::reducible T>
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

  // For a rank that leaves a common operation because another rank has died: all that others wait
  // for on this communicator, and on those made from it, throws rank_failure, and so does all they
  // begin there. Local. Returns the first rank of this communicator that died; -1: none.
  int revoke() const;

  // --- The concept serving ---
  // `f` runs beside this rank, in a coroutine for each request. Request and answer are a message
  // each, in the report and in time. Asking a rank that dies gives errc::rank_failed; what the dead
  // rank had asked for may still be done.
  std::unique_ptr<service> serve(serve_function f, std::error_code& error,
                                 place where = place::current()) const;

  // --- What files look for ---
  // Another communicator of the same ranks, the same one at each call: what is done there does not
  // meet what is done here. Local, and takes no time.
  virtual_rank beside() const;
  std::shared_ptr<background> make_background() const;
  // A new number for each call; the same numbers in every run.
  std::uint64_t unique_number() const;

 private:
  friend class detail::scheduler;
  friend class detail::group;
  virtual_rank(std::shared_ptr<detail::group> g, int rank) : group_(std::move(g)), rank_(rank) {}
  void all_reduce(std::span<std::byte> value, detail::combine_function* combine, place where) const;

  std::shared_ptr<detail::group> group_;
  int rank_ = 0;
};

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
  std::size_t received() const noexcept { return received_; }

 private:
  friend virtual_rank;
  friend class detail::scheduler;
  explicit request(std::shared_ptr<detail::operation> o) noexcept : operation_(std::move(o)) {}
  void drop() noexcept;

  std::shared_ptr<detail::operation> operation_;  // null: done
  std::size_t received_ = 0;
};

static_assert(communicator<virtual_rank>);
static_assert(argosy::node_waiting<virtual_rank>);
static_assert(argosy::charging<virtual_rank>);
static_assert(argosy::working_in_background<virtual_rank>);
static_assert(serving<virtual_rank>);

}  // namespace argosy::lab

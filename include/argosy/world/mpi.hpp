// The world of real processes: a communicator of MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/extend.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/detail/kept.hpp>
#include <argosy/world/detail/message_prices.hpp>
#include <argosy/world/detail/mpi/reduction.hpp>
#include <argosy/world/memory_world.hpp>
#include <argosy/world/service.hpp>
#include <argosy/world/share_of.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

namespace extend {

// A type that names a communicator of MPI: MPI_Comm (an int in some MPI libraries), or a class that
// converts to it, such as boost::mpi::communicator.
template <class C>
concept mpi_handle =
    std::same_as<C, MPI_Comm> || (std::is_class_v<C> && std::convertible_to<C const&, MPI_Comm>);

}  // namespace extend

// Thrown if a call of MPI fails and the error handler returns.
class mpi_error : public std::runtime_error {
 public:
  // its what(): the name of the call, and MPI's text for the code
  mpi_error(char const* call, int code);
  int code() const noexcept { return code_; }

 private:
  int code_;
};

// Refers to a communicator and uses it for messages. Duplicate it first to separate these messages
// from those of the program.
//
//   boost::mpi::communicator world;
//   argosy::mpi const c = argosy::mpi(world).duplicate();
//   auto staging = c.node().share(window_bytes);
//
// - Needs MPI 3 and MPI_THREAD_FUNNELED: one thread makes all calls. With MPI_THREAD_MULTIPLE,
//   several threads may use one communicator, one after the other. rank(), size() and shared_memory
//   do not call MPI.
// - Errors of MPI go to the communicator's error handler. It ends the job unless the user has set
//   another. If the handler returns, mpi_error is thrown, and other ranks do not learn of it.
// - Each message is one message of MPI. Beyond INT_MAX bytes its datatype has large blocks, and it
//   matches receives with any kind of length.
class mpi {
 public:
  class request;

  // Local. A class is copied, so a communicator of Boost is shared with its other owners. An
  // MPI_Comm must outlive all copies. Throws std::invalid_argument for MPI_COMM_NULL and for an
  // intercommunicator, and mpi_error if a call of MPI fails.
  template <extend::mpi_handle C>
  mpi(C const& c) : mpi(attached{}, static_cast<MPI_Comm>(c)) {
    if constexpr (std::is_class_v<C> && std::copy_constructible<C>)
      owner_ = std::make_shared<C const>(c);
  }
  // Constructs as above, with two differences. A class is not copied, so its communicator must
  // outlive all copies. Errors, also those of MPI, are not thrown: `error` becomes
  // std::errc::invalid_argument. The object then has no ranks and must not be used as a world.
  template <extend::mpi_handle C>
  mpi(C const& c, std::error_code& error) : mpi(attached{}, static_cast<MPI_Comm>(c), error) {}

  // Returns true if the job continues when a rank dies. Local. This needs the extension ULFM of
  // MPI, and a job that was started with it (mpiexec --with-ft ulfm of Open MPI 5). In such a job,
  // calls that wait for a dead rank throw rank_failure. Ranks share no memory there, because
  // a rank that waits in memory would not notice the death of another one.
  static bool survives_rank_death() noexcept;
  // Revokes this communicator if argosy made it by duplicate(), split() or node(), and all
  // communicators made from it. Calls in them, waiting and later ones, then throw rank_failure on
  // all ranks. Does nothing to a communicator that the program made. Local. Returns the lowest rank
  // that is known to be dead, or -1.
  int revoke() const;

  // Prints `why` and ends the job, as MPI does when a rank dies. Local.
  [[noreturn]] void give_up(char const* why) const noexcept;

  // Returns true if the program has MPI_THREAD_MULTIPLE. Local.
  static bool calls_from_threads();

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  MPI_Comm get() const noexcept { return comm_; }

  // Makes the collective calls of this object, except `deliver`, use shared memory, which is
  // several times as fast as MPI. Collective. Copies that were made before still use MPI. All
  // ranks must be on one node, and `m` must
  // have memory_world::bytes_for(size()) zeros. Ranks call MPI while they wait, so that messages of
  // the program advance.
  void meet_in(extend::shared_memory m);
  // Returns the world that the collective calls use if they use shared memory, otherwise null.
  extend::memory_world const* in_memory() const noexcept { return near_.get(); }

  // Collective. Each makes one MPI call, or none after meet_in(). A long broadcast makes one call
  // for each 2^30 bytes. all_gather throws std::invalid_argument if `all` is not size() times as
  // long as `mine`.
  void barrier() const;
  template <extend::reducible T>
  void all_reduce(T& value) const {
    static_assert(sizeof(T) <= 1 << 30,
                  "a reducible value is small: MPI counts its bytes in an int");
    if (near_)
      near_->all_reduce(value);
    else
      all_reduce(&value, detail::mpi_reduction_of<T>);
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte> message, int root) const;
  std::int64_t exclusive_sum(std::int64_t mine) const;
  // Delivers parcels, as the concept `messaging` says. Collective. Uses synchronous sends, and a
  // nonblocking barrier, which a rank enters when its parcels have arrived. Uses the tags 32766 and
  // 32767.
  std::vector<extend::parcel> deliver(std::vector<extend::parcel> const& out) const;

  // Send and receive messages. Local. A `send` may wait for the receiver, as MPI_Send does.
  void send(std::span<std::byte const> message, int to, int tag) const;
  std::size_t receive(std::span<std::byte> message, int from, int tag) const;
  request start_send(std::span<std::byte const> message, int to, int tag) const;
  request start_receive(std::span<std::byte> message, int from, int tag) const;
  static void wait_all(std::span<request> requests);

  // Return and replace an object of each kind, and one set of prices. A communicator shares them
  // with its duplicates, until the last of these is freed. If nothing was set, `kept` returns null,
  // and `kept_prices` no value. The call of `keep` returns what was kept before. Local.
  std::shared_ptr<void> kept(detail::kept_for kind) const;
  std::shared_ptr<void> keep(detail::kept_for kind, std::shared_ptr<void> what) const;
  std::optional<detail::message_prices> kept_prices() const;
  void keep_prices(detail::message_prices const& measured) const;

  // Make other communicators, as the concept `groupable` says. Collective. The last copy frees the
  // result by MPI_Comm_free, unless MPI is finalized. By the standard that call is collective, but
  // MPI libraries do not wait in it.
  mpi duplicate() const;
  mpi split(int colour, int key) const;  // throws std::invalid_argument for MPI_UNDEFINED
  mpi node() const;

  // Makes shared memory, as the concept `node_sharing` says. Collective. If outlives_ranks()
  // returns true, several ranks get std::errc::operation_not_supported. Costs one broadcast, one
  // reduction and a file in memory, which has no name any more on return. Rank 0 reserves the
  // pages, so using them cannot fail later. A NUMA system places them near rank 0.
  extend::shared_memory share(std::size_t bytes, std::error_code& error) const;
  // Waits until the word differs from `seen`, or returns earlier. Local. Polls for a while, then
  // sleeps in the kernel, because a rank that polls takes processor time from the ranks that it
  // waits for.
  static void wait(std::uint32_t& word, std::uint32_t seen) noexcept;
  // Waits in the same way, and lets these requests advance. Local. Polls without sleeping, because
  // MPI libraries advance messages only during their calls. Only the thread that calls MPI may use
  // it.
  static void wait(std::uint32_t& word, std::uint32_t seen, std::span<request> meanwhile);
  static void wake(std::uint32_t& word) noexcept;
  static detail::processor_set processors() { return detail::processor_set::of_this_process(); }
  extend::shared_memory share(std::size_t bytes) const;

  // Makes a service, in which `f` answers requests of other ranks. Collective. Costs one reduction
  // and one all_gather. Requests travel over sockets, local or TCP. Four threads of the library per
  // process answer them. Connections are made at first use. A request to a rank that has died
  // returns an error.
  std::unique_ptr<extend::service> serve(extend::serve_function f, std::error_code& error) const;

 private:
  struct attached {};
  struct made_here;
  mpi(attached, MPI_Comm c);
  mpi(attached, MPI_Comm c, std::error_code& error);
  mpi(MPI_Comm made, mpi const& parent);
  void read();
  void all_reduce(void* value, detail::mpi_reduction& how) const;

  std::shared_ptr<void const> owner_;  // owns comm_, if that came in a class
  std::shared_ptr<made_here> made_;    // owns comm_, if this class made it
  // the world of the collective calls; null if they use MPI
  std::shared_ptr<extend::memory_world const> near_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

// A request of MPI. Movable. If a receive is not done, the destructor cancels it by MPI_Cancel,
// which does not wait for a message that has not begun to arrive. Afterwards nothing is written
// into its memory, and the message goes to another receive. A send continues, as after
// MPI_Request_free.
class mpi::request {
 public:
  request() noexcept = default;
  request(request&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_REQUEST_NULL)),
        is_receive_(other.is_receive_),
        comm_(other.comm_),
        received_(other.received_) {}
  request& operator=(request&& other) noexcept {
    request(std::move(other)).swap(*this);
    return *this;
  }
  ~request() {
    if (handle_ != MPI_REQUEST_NULL) drop();
  }
  void swap(request& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(is_receive_, other.is_receive_);
    std::swap(comm_, other.comm_);
    std::swap(received_, other.received_);
  }
  std::size_t received() const noexcept { return received_; }

 private:
  friend mpi;
  request(MPI_Request handle, bool is_receive, MPI_Comm comm) noexcept
      : handle_(handle), is_receive_(is_receive), comm_(comm) {}
  void drop() noexcept;
  void ended(MPI_Status const& status);

  MPI_Request handle_ = MPI_REQUEST_NULL;
  bool is_receive_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t received_ = 0;
};

// Returns this rank's share of elements, for a communicator of MPI. Collective.
template <extend::mpi_handle C, detail::integer Count>
extend::rank_share share_of(C const& c, Count count) {
  return share_of(mpi(c), count);
}

static_assert(communicator<mpi>);
static_assert(extend::node_waiting<mpi>);
static_assert(extend::serving<mpi>);
static_assert(detail::keeping<mpi>);

namespace detail {
// The most bytes in one count of MPI: INT_MAX, or less if a test sets it on all ranks.
extern std::size_t mpi_largest_count;
}  // namespace detail

}  // namespace argosy

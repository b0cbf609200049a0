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

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/detail/message_prices.hpp>
#include <argosy/world/detail/mpi/reduction.hpp>
#include <argosy/world/memory_world.hpp>
#include <argosy/world/service.hpp>
#include <argosy/world/share_of.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

// What stands for a communicator of MPI: an MPI_Comm (an int in some MPI libraries), or a class
// that converts to one, such as boost::mpi::communicator.
template <class C>
concept mpi_handle =
    std::same_as<C, MPI_Comm> || (std::is_class_v<C> && std::convertible_to<C const&, MPI_Comm>);

// A call of MPI failed, and the error handler returned.
class mpi_error : public std::runtime_error {
 public:
  mpi_error(char const* call, int code);  // what() is the call, and what MPI says of the code
  int code() const noexcept { return code_; }

 private:
  int code_;
};

// Refers to a communicator and uses it for messages: to keep them apart from those of the program,
// duplicate it first.
//
//   boost::mpi::communicator world;
//   argosy::mpi const c = argosy::mpi(world).duplicate();
//   auto staging = c.node().share(window_bytes);
//
// - Needs MPI_THREAD_FUNNELED: one thread makes all calls. With MPI_THREAD_MULTIPLE several threads
//   may, of one communicator one after the other. rank(), size() and shared_memory are free of MPI.
// - Errors of MPI go to the communicator's error handler, which ends the job unless the user has
//   set another. If that one returns, mpi_error is thrown, and the other ranks are not told.
// - A message is one message of MPI, however long: beyond INT_MAX bytes its datatype has large
//   blocks, and it meets receives of any kind of length. Needs MPI 3.
class mpi {
 public:
  class request;

  // Local. A class is copied, so a communicator of Boost is shared with its other owners; an
  // MPI_Comm must outlive all copies. Throws std::invalid_argument for MPI_COMM_NULL and for an
  // intercommunicator.
  template <mpi_handle C>
  mpi(C const& c) : mpi(attached{}, static_cast<MPI_Comm>(c)) {
    if constexpr (std::is_class_v<C> && std::copy_constructible<C>)
      owner_ = std::make_shared<C const>(c);
  }
  // The same, but what would be thrown is std::errc::invalid_argument; then this is no world, and
  // has no ranks.
  template <mpi_handle C>
  mpi(C const& c, std::error_code& error) : mpi(attached{}, static_cast<MPI_Comm>(c), error) {}

  // The job goes on when a rank dies: by the extension ULFM of MPI, if it was started so (mpiexec
  // --with-ft ulfm of Open MPI 5). Then calls that wait for a dead rank throw rank_failure, and no
  // memory is shared, since nobody is told there.
  static bool outlives_ranks() noexcept;
  // Whoever waits in this communicator, or in one that was made of it here, is told by
  // rank_failure; unless the program made it. The lowest rank that is known to be dead, or -1.
  // Local.
  int revoke() const;

  // Says why and ends the job, as MPI does where a rank dies. Local.
  [[noreturn]] void give_up(char const* why) const noexcept;

  // The program has MPI_THREAD_MULTIPLE. Local.
  static bool calls_from_threads();

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  MPI_Comm get() const noexcept { return comm_; }

  // Collective, before copies are made: from now on the collective calls of this communicator,
  // whose ranks are all on one node, meet in `m` (memory_world::bytes_for(size()) zeros), which is
  // several times as fast. They call MPI while they wait, so that messages of the program go on.
  void meet_in(shared_memory m);
  // Where they meet, if it is memory; else null.
  memory_world const* in_memory() const noexcept { return near_.get(); }

  // All but `deliver` make one MPI call each; a broadcast of more than INT_MAX bytes makes one for
  // each gigabyte.
  void barrier() const;
  template <reducible T>
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
  // Synchronous sends, and a nonblocking barrier, which a rank enters when its parcels have
  // arrived. Tags 32766 and 32767.
  std::vector<parcel> deliver(std::vector<parcel> const& out) const;

  // Blocking: `send` may wait for the receiver, as MPI_Send does.
  void send(std::span<std::byte const> message, int to, int tag) const;
  std::size_t receive(std::span<std::byte> message, int from, int tag) const;
  request start_send(std::span<std::byte const> message, int to, int tag) const;
  request start_receive(std::span<std::byte> message, int from, int tag) const;
  static void wait_all(std::span<request> requests);

  // What is kept with the communicator and with duplicates that were made of it here, until all of
  // them are freed. Local.
  std::shared_ptr<void> kept() const;
  void keep(std::shared_ptr<void> what) const;
  std::optional<detail::message_prices> kept_prices() const;
  void keep_prices(detail::message_prices const& measured) const;

  // Collective. The result is freed with its last copy, unless MPI is finalized by then, by
  // MPI_Comm_free: collective by the letter of MPI, but MPI libraries do not wait in it.
  mpi duplicate() const;
  mpi split(int colour, int key) const;  // throws std::invalid_argument for MPI_UNDEFINED
  mpi node() const;

  // Costs one broadcast, one reduction and a file in memory, whose name is gone on return. Rank 0
  // reserves the pages, so using them cannot fail later, and a NUMA system places them near rank 0.
  shared_memory share(std::size_t bytes, std::error_code& error) const;
  // Polls for a while, then sleeps in the kernel: a rank that spins takes processor time from those
  // it waits for.
  static void wait(std::uint32_t& word, std::uint32_t seen) noexcept;
  // Does not sleep, because MPI libraries move messages only while they are called. Not for other
  // threads.
  static void wait(std::uint32_t& word, std::uint32_t seen, std::span<request> meanwhile);
  static void wake(std::uint32_t& word) noexcept;
  static detail::processor_set processors() { return detail::processor_set::of_this_process(); }
  shared_memory share(std::size_t bytes) const;

  // Costs one reduction and one all_gather. Requests travel over sockets, local or TCP, and four
  // threads of the library per process answer them. Connections are made when first used. Asking a
  // rank that has died is an error.
  std::unique_ptr<service> serve(serve_function f, std::error_code& error) const;

 private:
  struct attached {};
  struct made_here;
  mpi(attached, MPI_Comm c);
  mpi(attached, MPI_Comm c, std::error_code& error);
  mpi(MPI_Comm made, mpi const& parent);
  void read();
  void all_reduce(void* value, detail::mpi_reduction& how) const;

  std::shared_ptr<void const> owner_;         // of comm_, if it is a class
  std::shared_ptr<made_here> made_;           // of comm_, if it was made here
  std::shared_ptr<memory_world const> near_;  // where its ranks meet; null: in MPI
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

// Movable. If it is not done, the destructor takes a receive back by MPI_Cancel, which does not
// wait for a message that has not begun to arrive: afterwards nobody writes into its memory, and
// the message goes to another receive. A send goes on, as after MPI_Request_free.
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

// Returns this rank's share of elements, by a communicator of MPI. Collective.
template <mpi_handle C, detail::integer Count>
rank_share share_of(C const& c, Count count) {
  return share_of(mpi(c), count);
}

static_assert(communicator<mpi>);
static_assert(node_waiting<mpi>);
static_assert(serving<mpi>);

namespace detail {
// Bytes that one count of MPI may stand for: INT_MAX, and less where a test says so, on all ranks.
extern std::size_t mpi_largest_count;
}  // namespace detail

}  // namespace argosy

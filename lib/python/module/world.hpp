// The world of a Python program: a communicator of mpi4py, or one rank without MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <nanobind/nanobind.h>

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/host.hpp>
#include <argosy/world/memory_world.hpp>
#include <argosy/world/self.hpp>
#include <argosy/world/service.hpp>

namespace argosy::python {

namespace nb = nanobind;

// Thrown if a call of mpi4py raises an exception. Other ranks do not learn of it.
class communication_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Combines two values in memory without alignment: `mine` with `other`.
using combine_function = void (*)(std::byte* mine, std::byte const* other);

template <extend::reducible T>
void combine_values(std::byte* mine, std::byte const* other) {
  alignas(T) std::byte copies[2][sizeof(T)];
  std::memcpy(copies[0], mine, sizeof(T));
  std::memcpy(copies[1], other, sizeof(T));
  reinterpret_cast<T*>(copies[0])->combine(*reinterpret_cast<T const*>(copies[1]));
  std::memcpy(mine, copies[0], sizeof(T));
}

// A communicator of mpi4py. Each operation calls a method of that object, so the module is compiled
// without MPI, and works with each MPI library that mpi4py works with. Every function may be called
// with or without the lock of the interpreter, and holds it only while it calls mpi4py.
//
// The world of None has one rank and calls nothing.
class ranks {
 public:
  class request;

  ranks() = default;  // one rank
  // Refers to a communicator, or None. Local. The caller holds the lock of the interpreter. Throws
  // nb::type_error if the object is something else.
  explicit ranks(nb::object const& communicator);

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  void barrier() const;
  template <extend::reducible T>
  void all_reduce(T& value) const {
    if (near_)
      near_->all_reduce(value);
    else if (comm_)
      all_reduce(std::as_writable_bytes(std::span(&value, 1)), &combine_values<T>);
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte> message, int root) const;
  std::int64_t exclusive_sum(std::int64_t mine) const;
  std::vector<extend::parcel> deliver(std::vector<extend::parcel> const& out) const;

  void send(std::span<std::byte const> message, int to, int tag) const;
  std::size_t receive(std::span<std::byte> message, int from, int tag) const;
  request start_send(std::span<std::byte const> message, int to, int tag) const;
  request start_receive(std::span<std::byte> message, int from, int tag) const;
  static void wait_all(std::span<request> requests);

  ranks duplicate() const;
  ranks split(int colour, int key) const;
  ranks node() const;

  extend::shared_memory share(std::size_t bytes, std::error_code& error) const;
  extend::shared_memory share(std::size_t bytes) const;
  static void wait(std::uint32_t& word, std::uint32_t seen) noexcept;
  static void wait(std::uint32_t& word, std::uint32_t seen, std::span<request> meanwhile);
  static void wake(std::uint32_t& word) noexcept;
  static detail::processor_set processors() { return detail::processor_set::of_this_process(); }
  std::unique_ptr<extend::service> serve(extend::serve_function f, std::error_code& error) const;

  // Carries out collective calls in this memory, which all ranks share, from now on. Local.
  void meet_in(extend::shared_memory m);
  extend::memory_world const* in_memory() const noexcept { return near_.get(); }
  // Prints a sentence, and ends the job.
  void give_up(char const* why) const noexcept;

 private:
  struct communicator;
  explicit ranks(std::shared_ptr<communicator const> made);
  void all_reduce(std::span<std::byte> value, combine_function combine) const;
  template <class Make>
  ranks made_by(Make&& make) const;

  std::shared_ptr<communicator const> comm_;  // null: one rank without MPI
  self alone_;                                // used if comm_ is null
  std::shared_ptr<extend::memory_world const> near_;
  int rank_ = 0;
  int size_ = 1;
};

// A request of mpi4py. The destructor cancels a receive that is not done.
class ranks::request {
 public:
  request() noexcept = default;
  request(request&& other) noexcept = default;
  request& operator=(request&& other) noexcept;
  ~request() { drop(); }
  std::size_t received() const noexcept { return handle_ ? received_ : alone_.received(); }

 private:
  friend ranks;
  struct handle;  // an object of mpi4py; null members if it is done
  explicit request(self::request alone) noexcept : alone_(std::move(alone)) {}
  request(nb::object const& started, bool is_receive);
  void drop() noexcept;
  // Waits if `waits`, and otherwise only looks. Returns true if the request is done.
  bool end(bool waits);

  std::shared_ptr<handle> handle_;
  self::request alone_;
  std::size_t received_ = 0;
};

// The most bytes of one count of MPI. A longer message is one element of a datatype of blocks of so
// many bytes. Tests make it small on all ranks.
extern std::size_t largest_count;
// False: ranks share no memory, as on several nodes. For tests.
extern bool shares_memory;

static_assert(communicator<ranks>);
static_assert(extend::node_waiting<ranks>);
static_assert(extend::serving<ranks>);

}  // namespace argosy::python

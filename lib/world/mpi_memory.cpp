// Implements world/mpi.hpp: memory that ranks of a node share, and waiting in it.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/mpi.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <argosy/world/memory_world.hpp>

#include "mpi_checked.hpp"
#include "share_segment.hpp"

namespace argosy {

namespace {

using detail::bytes_of;
using detail::check;

// Runs while a rank waits in shared memory. As in MPI's own waits, it does not sleep, and messages
// advance, which other ranks may need before they arrive. `comm` has several ranks, because MPI
// libraries move no messages for a communicator of one rank.
void go_on(MPI_Comm comm, unsigned times) {
  // If ranks share a processor, most of them wait only for their turn.
  if (times % 4 == 1) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
  } else {
    std::this_thread::yield();
  }
}

}  // namespace

void mpi::meet_in(extend::shared_memory m) {
  auto const near = std::make_shared<extend::memory_world const>(
      std::move(m), rank_, size_, [comm = comm_](unsigned times) { go_on(comm, times); });
  constexpr int looks_of_many = 20, looks = 2000;
  near->set_looks(detail::processors_for(*near) < size_ ? looks_of_many : looks);
  near_ = near;
}

extend::shared_memory mpi::share(std::size_t bytes, std::error_code& error) const {
  // a rank that waits in memory for a dead rank would not notice its death
  if (survives_rank_death() && size_ > 1) {
    error = std::make_error_code(std::errc::operation_not_supported);
    return {};
  }
  return detail::share_segment(*this, bytes, error);
}

void mpi::wait(std::uint32_t& word, std::uint32_t seen) noexcept {
  extend::memory_world::wait(word, seen);
}

void mpi::wait(std::uint32_t& word, std::uint32_t seen, std::span<request> meanwhile) {
  std::atomic_ref<std::uint32_t> const w(word);
  auto const active = [](request const& r) { return r.handle_ != MPI_REQUEST_NULL; };
  auto next = std::find_if(meanwhile.begin(), meanwhile.end(), active);
  while (w.load(std::memory_order_acquire) == seen) {
    if (next == meanwhile.end()) return wait(word, seen);
    int ended = 0;
    MPI_Status status;
    // MPI_Test on one request advances all messages
    check("MPI_Test", MPI_Test(&next->handle_, &ended, &status), next->comm_);
    if (ended != 0) {
      if (next->is_receive_) next->received_ = bytes_of(status);
      next = std::find_if(next, meanwhile.end(), active);
    } else {
      std::this_thread::yield();
    }
  }
}

void mpi::wake(std::uint32_t& word) noexcept { extend::memory_world::wake(word); }

extend::shared_memory mpi::share(std::size_t bytes) const {
  std::error_code error;
  extend::shared_memory result = share(bytes, error);
  if (error)
    throw std::system_error(error, "argosy::mpi::share: " + std::to_string(bytes) + " bytes");
  return result;
}

}  // namespace argosy

// Implements world/mpi.hpp: messages and collective calls. Each call of MPI is made and checked
// here.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/mpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <argosy/world/memory_world.hpp>
#include <argosy/world/rank_failure.hpp>

#include "dead_ranks.hpp"
#include "mpi_checked.hpp"

namespace argosy {

namespace detail {
std::size_t mpi_largest_count = INT_MAX;
}

namespace {

using detail::bytes_of;
using detail::check;
using detail::is_finalized;

// Orders shared memory in calls in which one rank waits for another. MPI's own synchronisation does
// that in hardware. The fences are for the compiler, and for processors with weaker memory order.
struct ordered {
  ordered() noexcept { std::atomic_thread_fence(std::memory_order_release); }
  ~ordered() { std::atomic_thread_fence(std::memory_order_acquire); }
  ordered(ordered const&) = delete;
  ordered& operator=(ordered const&) = delete;
};

// --- Lengths ---

// A count and a datatype for a number of bytes: MPI_BYTE, or one element made of large blocks.
class length {
 public:
  explicit length(std::size_t bytes, bool as_one = false) {
    std::size_t const block = detail::mpi_largest_count;
    if (bytes <= block && !as_one) {
      count_ = static_cast<int>(bytes);
      return;
    }
    // the blocks, and the rest in front of them
    std::size_t const blocks = bytes / block, rest = bytes % block;
    MPI_Datatype whole = MPI_BYTE, all = MPI_BYTE;
    check("MPI_Type_contiguous", MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &whole));
    check("MPI_Type_contiguous", MPI_Type_contiguous(static_cast<int>(blocks), whole, &all));
    int const lengths[] = {static_cast<int>(rest), 1};
    MPI_Aint const places[] = {0, static_cast<MPI_Aint>(rest)};
    MPI_Datatype const types[] = {MPI_BYTE, all};
    check("MPI_Type_create_struct", MPI_Type_create_struct(2, lengths, places, types, &type_));
    MPI_Type_free(&all);
    MPI_Type_free(&whole);
    check("MPI_Type_commit", MPI_Type_commit(&type_));
  }
  ~length() {  // communication that uses the datatype continues
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  length(length const&) = delete;
  length& operator=(length const&) = delete;

  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  int count_ = 1;
  MPI_Datatype type_ = MPI_BYTE;
};

// --- Reductions ---

void make(detail::mpi_reduction& r) {
  static std::mutex one_thread;  // several threads of a program may get here at a time
  std::lock_guard const guard(one_thread);
  if (r.made.load(std::memory_order_relaxed)) return;  // made by another thread
  check("MPI_Type_contiguous", MPI_Type_contiguous(r.bytes, MPI_BYTE, &r.type));
  check("MPI_Type_commit", MPI_Type_commit(&r.type));
  int const commutes = 1;
  check("MPI_Op_create", MPI_Op_create(r.combine, commutes, &r.operation));
  r.made.store(true, std::memory_order_release);
}

// --- Parcels ---

constexpr int parcel_tags[] = {32766, 32767};

int delete_number(MPI_Comm, int, void* number, void*) {
  delete static_cast<int*>(number);
  return MPI_SUCCESS;
}

// Deliveries alternate between two tags. A rank that is ahead may begin the next delivery while
// other ranks still receive parcels of this one, but not the one after that. The number belongs to
// the communicator of MPI, because several objects may refer to it.
int next_parcel_tag(MPI_Comm c) {
  static int const key = [] {  // made once, by the first thread
    int made = MPI_KEYVAL_INVALID;
    check("MPI_Comm_create_keyval",
          MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_number, &made, nullptr));
    return made;
  }();
  int* number = nullptr;
  int found = 0;
  check("MPI_Comm_get_attr", MPI_Comm_get_attr(c, key, static_cast<void*>(&number), &found));
  if (found == 0) {
    number = new int(0);
    check("MPI_Comm_set_attr", MPI_Comm_set_attr(c, key, number));
  }
  *number ^= 1;
  return parcel_tags[*number];
}

}  // namespace

// --- Collective calls ---

void mpi::barrier() const {
  if (near_) return near_->barrier();
  [[maybe_unused]] ordered const memory;
  check("MPI_Barrier", MPI_Barrier(comm_), comm_);
}

void mpi::all_reduce(void* value, detail::mpi_reduction& how) const {
  if (!how.made.load(std::memory_order_acquire)) make(how);
  [[maybe_unused]] ordered const memory;
  check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, value, 1, how.type, how.operation, comm_),
        comm_);
}

void mpi::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
  auto const ranks = static_cast<std::size_t>(size_), me = static_cast<std::size_t>(rank_);
  if (all.size() / ranks != mine.size() || all.size() % ranks != 0)
    throw std::invalid_argument("argosy::mpi::all_gather: " + std::to_string(all.size()) +
                                " bytes are not " + std::to_string(ranks) + " times " +
                                std::to_string(mine.size()));
  if (all.empty()) return;
  if (near_) return near_->all_gather(mine, all);
  // MPI libraries multiply counts and ranks, some in an int.
  length const part(mine.size(), all.size() > detail::mpi_largest_count);
  bool const in_place = mine.data() == all.data() + me * mine.size();
  [[maybe_unused]] ordered const memory;
  check("MPI_Allgather",
        MPI_Allgather(in_place ? MPI_IN_PLACE : mine.data(), part.count(), part.type(), all.data(),
                      part.count(), part.type(), comm_),
        comm_);
}

void mpi::broadcast(std::span<std::byte> message, int root) const {
  if (near_) return near_->broadcast(message, root);
  std::size_t const most = std::min<std::size_t>(detail::mpi_largest_count, std::size_t{1} << 30);
  [[maybe_unused]] ordered const memory;
  do {
    std::size_t const bytes = std::min(message.size(), most);
    check("MPI_Bcast", MPI_Bcast(message.data(), static_cast<int>(bytes), MPI_BYTE, root, comm_),
          comm_);
    message = message.subspan(bytes);
  } while (!message.empty());
}

std::int64_t mpi::exclusive_sum(std::int64_t mine) const {
  if (near_) return near_->exclusive_sum(mine);
  std::int64_t before = 0;
  [[maybe_unused]] ordered const memory;
  check("MPI_Exscan", MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, comm_), comm_);
  return rank_ == 0 ? 0 : before;  // MPI leaves it undefined on rank 0
}

std::vector<extend::parcel> mpi::deliver(std::vector<extend::parcel> const& out) const {
  int const tag = next_parcel_tag(comm_);
  std::vector<MPI_Request> sends;
  [[maybe_unused]] ordered const memory;
  for (extend::parcel const& p : out) {
    length const l(p.content.size());
    check("MPI_Issend",
          MPI_Issend(p.content.data(), l.count(), l.type(), p.rank, tag, comm_,
                     &sends.emplace_back()),
          comm_);
  }
  std::multimap<int, extend::parcel>
      in;  // by rank; the parcels of one rank in the order of arrival
  MPI_Request everybody = MPI_REQUEST_NULL;  // entered when this rank's parcels have arrived
  for (int sent = 0, ended = 0; ended == 0;) try {
      int found = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      check("MPI_Improbe", MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &found, &message, &status),
            comm_);
      if (found != 0) {
        extend::parcel& p =
            in.emplace(status.MPI_SOURCE,
                       extend::parcel{status.MPI_SOURCE, std::vector<std::byte>(bytes_of(status))})
                ->second;
        length const l(p.content.size());
        check("MPI_Mrecv",
              MPI_Mrecv(p.content.data(), l.count(), l.type(), &message, MPI_STATUS_IGNORE), comm_);
      } else if (sent == 0) {
        check("MPI_Testall",
              MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE),
              comm_);
        if (sent != 0) check("MPI_Ibarrier", MPI_Ibarrier(comm_, &everybody), comm_);
      } else {
        check("MPI_Test", MPI_Test(&everybody, &ended, MPI_STATUS_IGNORE), comm_);
      }
      if (found == 0 && ended == 0) std::this_thread::yield();
    } catch (extend::rank_failure const&) {
      revoke();  // ends the messages under way, whose memory is about to be freed
      MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
      MPI_Wait(&everybody, MPI_STATUS_IGNORE);
      throw;
    }
  std::vector<extend::parcel> result;
  for (auto& [rank, p] : in) result.push_back(std::move(p));
  return result;
}

// --- Messages ---

void mpi::send(std::span<std::byte const> message, int to, int tag) const {
  length const l(message.size());
  [[maybe_unused]] ordered const memory;
  check("MPI_Send", MPI_Send(message.data(), l.count(), l.type(), to, tag, comm_), comm_);
}

std::size_t mpi::receive(std::span<std::byte> message, int from, int tag) const {
  length const l(message.size());
  MPI_Status status;
  [[maybe_unused]] ordered const memory;
  check("MPI_Recv", MPI_Recv(message.data(), l.count(), l.type(), from, tag, comm_, &status),
        comm_);
  return bytes_of(status);
}

mpi::request mpi::start_send(std::span<std::byte const> message, int to, int tag) const {
  length const l(message.size());
  MPI_Request handle = MPI_REQUEST_NULL;
  [[maybe_unused]] ordered const memory;
  check("MPI_Isend", MPI_Isend(message.data(), l.count(), l.type(), to, tag, comm_, &handle),
        comm_);
  return {handle, false, comm_};
}

mpi::request mpi::start_receive(std::span<std::byte> message, int from, int tag) const {
  length const l(message.size());
  MPI_Request handle = MPI_REQUEST_NULL;
  check("MPI_Irecv", MPI_Irecv(message.data(), l.count(), l.type(), from, tag, comm_, &handle),
        comm_);
  return {handle, true, comm_};
}

void mpi::wait_all(std::span<request> requests) {
  // All messages were started before, so they advance in any order of waiting.
  std::array<MPI_Request, 256> handles;
  std::array<MPI_Status, 256> statuses;
  [[maybe_unused]] ordered const memory;
  while (!requests.empty()) {
    auto const part = requests.first(std::min(requests.size(), handles.size()));
    std::transform(part.begin(), part.end(), handles.begin(),
                   [](request const& r) { return r.handle_; });
    int const code = MPI_Waitall(static_cast<int>(part.size()), handles.data(), statuses.data());
    if (code != MPI_SUCCESS) {  // completed requests have no handle any more
      for (std::size_t i = 0; i < part.size(); ++i) part[i].handle_ = handles[i];
      for (request const& r : part)
        if (r.comm_ != MPI_COMM_NULL) check("MPI_Waitall", code, r.comm_);
      check("MPI_Waitall", code);
    }
    for (std::size_t i = 0; i < part.size(); ++i) part[i].ended(statuses[i]);
    requests = requests.subspan(part.size());
  }
}

void mpi::request::ended(MPI_Status const& status) {
  if (std::exchange(handle_, MPI_REQUEST_NULL) != MPI_REQUEST_NULL && is_receive_)
    received_ = bytes_of(status);
}

void mpi::request::drop() noexcept {
  if (is_finalized()) return;
  if (is_receive_) {
    MPI_Cancel(&handle_);
    MPI_Wait(&handle_, MPI_STATUS_IGNORE);  // local after the cancellation
  } else if (detail::ends_by_death(comm_)) {
    MPI_Wait(&handle_, MPI_STATUS_IGNORE);
  } else if (detail::survives_rank_death()) {
    detail::let_end(handle_);
  } else {
    MPI_Request_free(&handle_);
  }
}

}  // namespace argosy

// Implements world/mpi.hpp: communicators, those made from them, objects cached with them, and
// their end.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/mpi.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dead_ranks.hpp"
#include "mpi_checked.hpp"

namespace argosy {

namespace {

using detail::check;
using detail::is_finalized;

}  // namespace

std::string detail::mpi_text_of(int code) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS)
    return "error code " + std::to_string(code);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

mpi_error::mpi_error(char const* call, int code)
    : std::runtime_error(std::string(call) + ": " + detail::mpi_text_of(code)), code_(code) {}

mpi::mpi(attached, MPI_Comm c) : comm_(c) { read(); }

mpi::mpi(attached, MPI_Comm c, std::error_code& error) : comm_(c) {
  error.clear();
  try {
    read();
    return;
  } catch (std::invalid_argument const&) {
    error = std::make_error_code(std::errc::invalid_argument);
  } catch (mpi_error const&) {
    error = std::make_error_code(std::errc::invalid_argument);
  }
  comm_ = MPI_COMM_NULL;
  rank_ = size_ = 0;
}

// A communicator that argosy made.
struct mpi::made_here {
  explicit made_here(MPI_Comm c) : comm(c) {}
  made_here(made_here const&) = delete;
  made_here& operator=(made_here const&) = delete;
  ~made_here() {
    if (comm != MPI_COMM_NULL && !is_finalized()) MPI_Comm_free(&comm);
  }

  void revoke() {
    detail::revoke(comm);
    std::lock_guard const guard(mutex);
    for (auto const& one : of_this)
      if (auto const there = one.lock()) there->revoke();
  }

  MPI_Comm comm;
  std::mutex mutex;
  // communicators made from this one, to be revoked with it
  std::vector<std::weak_ptr<made_here>> of_this;
};

mpi::mpi(MPI_Comm c, mpi const& parent) : made_(std::make_shared<made_here>(c)), comm_(c) {
  read();
  if (!detail::survives_rank_death()) return;
  MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
  if (!parent.made_) return;
  std::lock_guard const guard(parent.made_->mutex);
  std::erase_if(parent.made_->of_this, [](auto const& one) { return one.expired(); });
  parent.made_->of_this.push_back(made_);
}

bool mpi::survives_rank_death() noexcept { return detail::survives_rank_death(); }

int mpi::revoke() const {
  if (made_) made_->revoke();
  return detail::lowest_dead_rank(comm_);
}

void mpi::read() {
  if (comm_ == MPI_COMM_NULL)
    throw std::invalid_argument("argosy::mpi: MPI_COMM_NULL is no communicator");
  int is_inter = 0;
  check("MPI_Comm_test_inter", MPI_Comm_test_inter(comm_, &is_inter));
  if (is_inter != 0)
    throw std::invalid_argument(
        "argosy::mpi: an intercommunicator has two groups; merge them by MPI_Intercomm_merge");
  check("MPI_Comm_rank", MPI_Comm_rank(comm_, &rank_));
  check("MPI_Comm_size", MPI_Comm_size(comm_, &size_));
}

namespace {

// An attribute of the communicator, which its duplicates share.
struct shelf {
  std::mutex mutex;
  std::shared_ptr<void> service, stage;
  std::shared_ptr<void>& of(detail::kept_for kind) {
    return kind == detail::kept_for::service ? service : stage;
  }
  std::optional<detail::message_prices> prices;
};
using shared_shelf = std::shared_ptr<shelf>;

int share_shelf(MPI_Comm, int, void*, void* old, void* copy, int* is_copied) {
  *static_cast<void**>(copy) = new shared_shelf(*static_cast<shared_shelf*>(old));
  *is_copied = 1;
  return MPI_SUCCESS;
}
int leave_shelf(MPI_Comm, int, void* mine, void*) {
  delete static_cast<shared_shelf*>(mine);
  return MPI_SUCCESS;
}

shelf& shelf_of(MPI_Comm c) {
  static int const key = [] {
    int made = MPI_KEYVAL_INVALID;
    check("MPI_Comm_create_keyval",
          MPI_Comm_create_keyval(share_shelf, leave_shelf, &made, nullptr));
    return made;
  }();
  shared_shelf* mine = nullptr;
  int found = 0;
  check("MPI_Comm_get_attr", MPI_Comm_get_attr(c, key, static_cast<void*>(&mine), &found));
  if (found == 0) {
    mine = new shared_shelf(std::make_shared<shelf>());
    check("MPI_Comm_set_attr", MPI_Comm_set_attr(c, key, mine));
  }
  return **mine;
}

}  // namespace

std::shared_ptr<void> mpi::kept(detail::kept_for kind) const {
  shelf& s = shelf_of(comm_);
  std::lock_guard const guard(s.mutex);
  return s.of(kind);
}

std::shared_ptr<void> mpi::keep(detail::kept_for kind, std::shared_ptr<void> what) const {
  shelf& s = shelf_of(comm_);
  std::lock_guard const guard(s.mutex);
  return std::exchange(s.of(kind), std::move(what));
}

std::optional<detail::message_prices> mpi::kept_prices() const {
  shelf& s = shelf_of(comm_);
  std::lock_guard const guard(s.mutex);
  return s.prices;
}

void mpi::keep_prices(detail::message_prices const& measured) const {
  shelf& s = shelf_of(comm_);
  std::lock_guard const guard(s.mutex);
  s.prices = measured;
}

mpi mpi::duplicate() const {
  shelf_of(comm_);
  MPI_Comm result = MPI_COMM_NULL;
  check("MPI_Comm_dup", MPI_Comm_dup(comm_, &result), comm_);
  return {result, *this};
}

mpi mpi::split(int colour, int key) const {
  MPI_Comm result = MPI_COMM_NULL;
  check("MPI_Comm_split", MPI_Comm_split(comm_, colour, key, &result), comm_);
  return {result, *this};
}

mpi mpi::node() const {
  MPI_Comm result = MPI_COMM_NULL;
  check("MPI_Comm_split_type",
        MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &result), comm_);
  return {result, *this};
}

void mpi::give_up(char const* why) const noexcept {
  std::fprintf(stderr,
               "argosy: rank %d: %s. What to do: give the ranks of that node more memory, or ask "
               "for less at a time\n",
               rank_, why);
  // The mpiexec of MPICH loses text that a rank writes shortly before it ends the job.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  MPI_Abort(comm_, EXIT_FAILURE);
  std::abort();
}

bool mpi::calls_from_threads() {
  int level = MPI_THREAD_SINGLE;
  return MPI_Query_thread(&level) == MPI_SUCCESS && level >= MPI_THREAD_MULTIPLE;
}

}  // namespace argosy

// Implements dead_ranks.hpp by the extension ULFM.
// SPDX-License-Identifier: BSD-3-Clause
#include "dead_ranks.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

// A part of the drop-in may run on a later Open MPI than its mpi.h. It finds ULFM by name.
#if defined(ARGOSY_MPI_FAMILY) && defined(OPEN_MPI) && !defined(OMPI_HAVE_MPI_EXT_FTMPI)
#define ARGOSY_ULFM_BY_NAME 1
extern "C" {
[[gnu::weak]] int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* dead);
[[gnu::weak]] int MPIX_Comm_revoke(MPI_Comm comm);
[[gnu::weak]] int MPIX_Comm_is_revoked(MPI_Comm comm, int* flag);
}
#endif

namespace argosy::detail {

#if defined(ARGOSY_ULFM_BY_NAME) || (defined(OMPI_HAVE_MPI_EXT_FTMPI) && OMPI_HAVE_MPI_EXT_FTMPI)

namespace {

#ifdef ARGOSY_ULFM_BY_NAME
// The numbers of Open MPI 5.
constexpr int attribute_of_ft = 12;
constexpr int failed_class = 75, failed_pending_class = 76, revoked_class = 77;
bool has_ulfm() noexcept {
  return &MPIX_Comm_get_failed != nullptr && &MPIX_Comm_revoke != nullptr &&
         &MPIX_Comm_is_revoked != nullptr;
}
#else
constexpr int attribute_of_ft = MPIX_FT;
constexpr int failed_class = MPIX_ERR_PROC_FAILED;
constexpr int failed_pending_class = MPIX_ERR_PROC_FAILED_PENDING;
constexpr int revoked_class = MPIX_ERR_REVOKED;
constexpr bool has_ulfm() noexcept { return true; }
#endif

}  // namespace

bool survives_rank_death() noexcept {
  if (!has_ulfm()) return false;
  static bool const told = [] {
    int begun = 0, found = 0;
    int* on = nullptr;
    return MPI_Initialized(&begun) == MPI_SUCCESS && begun != 0 &&
           MPI_Comm_get_attr(MPI_COMM_WORLD, attribute_of_ft, static_cast<void*>(&on), &found) ==
               MPI_SUCCESS &&
           found != 0 && *on != 0;
  }();
  return told;
}

bool tells_of_dead_rank(int code) noexcept {
  int what = MPI_SUCCESS;
  return code != MPI_SUCCESS && has_ulfm() && MPI_Error_class(code, &what) == MPI_SUCCESS &&
         (what == failed_class || what == failed_pending_class || what == revoked_class ||
          (what == MPI_ERR_IN_STATUS && survives_rank_death()));
}

int lowest_dead_rank(MPI_Comm comm) noexcept {
  if (!has_ulfm()) return -1;
  MPI_Group all = MPI_GROUP_NULL, dead = MPI_GROUP_NULL;
  int lowest = std::numeric_limits<int>::max(), count = 0;
  if (MPIX_Comm_get_failed(comm, &dead) == MPI_SUCCESS &&
      MPI_Group_size(dead, &count) == MPI_SUCCESS && count > 0 &&
      MPI_Comm_group(comm, &all) == MPI_SUCCESS)
    for (int i = 0; i < count; ++i) {
      int rank = MPI_UNDEFINED;
      MPI_Group_translate_ranks(dead, 1, &i, all, &rank);
      if (rank != MPI_UNDEFINED) lowest = std::min(lowest, rank);
    }
  for (MPI_Group* const g : {&all, &dead})
    if (*g != MPI_GROUP_NULL) MPI_Group_free(g);
  return lowest == std::numeric_limits<int>::max() ? -1 : lowest;
}

void revoke(MPI_Comm comm) noexcept {
  if (has_ulfm()) MPIX_Comm_revoke(comm);
}

bool ends_by_death(MPI_Comm comm) noexcept {
  if (!survives_rank_death()) return false;
  int is_revoked = 0;
  MPIX_Comm_is_revoked(comm, &is_revoked);
  if (is_revoked == 0 && lowest_dead_rank(comm) < 0) return false;
  if (is_revoked == 0) revoke(comm);
  return true;
}

void let_end(MPI_Request send) noexcept {
  static std::mutex mutex;
  static std::vector<MPI_Request> under_way;
  std::lock_guard const guard(mutex);
  std::erase_if(under_way, [](MPI_Request& r) {
    int ended = 0;
    return MPI_Test(&r, &ended, MPI_STATUS_IGNORE) != MPI_SUCCESS || ended != 0;
  });
  under_way.push_back(send);
}

#else

bool survives_rank_death() noexcept { return false; }
bool tells_of_dead_rank(int) noexcept { return false; }
int lowest_dead_rank(MPI_Comm) noexcept { return -1; }
void revoke(MPI_Comm) noexcept {}
bool ends_by_death(MPI_Comm) noexcept { return false; }
void let_end(MPI_Request) noexcept {}

#endif

}  // namespace argosy::detail

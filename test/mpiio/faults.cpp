// A system call fails on one rank: on each rank in turn, and in each call of MPI that makes one.
// All ranks of a collective call must get MPI's error classes, no rank may wait for ever, and the
// file must go on. A plain MPI program, run with the drop-in and the shim that breaks system calls:
//   LD_PRELOAD="libargosy-mpiio.so libargosy_fault_shim.so" mpiexec -n 3 faults
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include <dlfcn.h>

#include <functional>
#include <vector>

namespace {

int rank, ranks;
int (*set_faults)(char const* path_part, char const* faults);
long (*struck)();

struct situation {
  char const* name;
  char const* fault;
  int error_class;  // on the rank that fails
  bool collective;
  std::function<int(MPI_File)> call;
};

constexpr int n = 3000;
std::vector<int> data(n), back(n);
MPI_Datatype pieces;  // interleaved with those of other ranks

int completed(int code, MPI_Request& r) {
  return code == MPI_SUCCESS ? MPI_Wait(&r, MPI_STATUS_IGNORE) : code;
}

std::vector<situation> situations() {
  auto const mine = [] { return static_cast<MPI_Offset>(rank) * n; };
  auto const write_at_all = [=](MPI_File f) {
    return MPI_File_write_at_all(f, 0, data.data(), n, MPI_INT, MPI_STATUS_IGNORE);
  };
  auto const read_at_all = [=](MPI_File f) {
    return MPI_File_read_at_all(f, 0, back.data(), n, MPI_INT, MPI_STATUS_IGNORE);
  };
  return {
      {"write_at", "write@1+=ENOSPC", MPI_ERR_NO_SPACE, false,
       [=](MPI_File f) {
         return MPI_File_write_at(f, mine(), data.data(), n, MPI_INT, MPI_STATUS_IGNORE);
       }},
      {"read_at", "read@1+=EIO", MPI_ERR_IO, false,
       [=](MPI_File f) {
         return MPI_File_read_at(f, 0, back.data(), n, MPI_INT, MPI_STATUS_IGNORE);
       }},
      {"iwrite_at", "write@1+=EDQUOT", MPI_ERR_QUOTA, false,
       [=](MPI_File f) {
         MPI_Request r = MPI_REQUEST_NULL;
         int const code = MPI_File_iwrite_at(f, mine(), data.data(), n, MPI_INT, &r);
         return completed(code, r);
       }},
      {"write_shared", "write@1+=ENOSPC", MPI_ERR_NO_SPACE, false,
       [](MPI_File f) {
         return MPI_File_write_shared(f, data.data(), 1, MPI_INT, MPI_STATUS_IGNORE);
       }},
      {"write_at_all", "write@1+=ENOSPC", MPI_ERR_NO_SPACE, true, write_at_all},
      {"read_at_all", "read@1+=EIO", MPI_ERR_IO, true, read_at_all},
      {"iwrite_at_all", "write@1+=ENOSPC", MPI_ERR_NO_SPACE, true,
       [](MPI_File f) {
         MPI_Request r = MPI_REQUEST_NULL;
         int const code = MPI_File_iwrite_at_all(f, 0, data.data(), n, MPI_INT, &r);
         return completed(code, r);
       }},
      {"write_at_all_begin", "write@1+=ENOSPC", MPI_ERR_NO_SPACE, true,
       [](MPI_File f) {
         MPI_File_write_at_all_begin(f, 0, data.data(), n, MPI_INT);
         return MPI_File_write_at_all_end(f, data.data(), MPI_STATUS_IGNORE);
       }},
      {"write_ordered", "write@1+=ENOSPC", MPI_ERR_NO_SPACE, true,
       [](MPI_File f) {
         return MPI_File_write_ordered(f, data.data(), n, MPI_INT, MPI_STATUS_IGNORE);
       }},
      {"sync", "fsync@1=EIO", MPI_ERR_IO, true, [](MPI_File f) { return MPI_File_sync(f); }},
      {"set_size", "ftruncate@1=EFBIG", MPI_ERR_IO, true,
       [](MPI_File f) { return MPI_File_set_size(f, 100000); }},
  };
}

void each_on(int failing, std::string const& path) {
  for (situation const& s : situations()) {
    MPI_File f = MPI_FILE_NULL;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &f));
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, pieces, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at_all(f, 0, data.data(), n, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    if (rank == failing) set_faults("faults.dat", s.fault);
    int const code = s.call(f);
    int hit = rank == failing && struck() > 0 ? 1 : 0;
    if (rank == failing) set_faults(nullptr, nullptr);
    MPI_Allreduce(MPI_IN_PLACE, &hit, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    std::string const what =
        std::string(s.name) + " with " + s.fault + " on rank " + std::to_string(failing);
    // In a collective call, a rank may make no file call.
    check(hit != 0 || (s.collective && failing != 0), what + " strikes", __LINE__);
    bool const concerned = hit != 0 && (s.collective || rank == failing);
    check((code != MPI_SUCCESS) == concerned,
          what + ": an error where one belongs; it said: " + text_of(code), __LINE__);
    if (concerned)
      check(class_of(code) == (rank == failing ? s.error_class : MPI_ERR_OTHER),
            what + ": its class; it said: " + text_of(code), __LINE__);
    // The file must be usable, and its pointers unchanged.
    MPI_Offset position = -1;
    MPI_File_get_position(f, &position);
    check(position == 0, what + ": the individual pointer stands", __LINE__);
    check(MPI_File_write_at_all(f, 0, data.data(), n, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS,
          what + ": writes go on", __LINE__);
    check(MPI_File_sync(f) == MPI_SUCCESS, what + ": a sync after it was written again", __LINE__);
    check(MPI_File_read_at_all(f, 0, back.data(), n, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
              back == data,
          what + ": what was written is there", __LINE__);
    CHECK_OK(MPI_File_close(&f));
  }
}

void opening_fails_on(int failing, std::string const& path) {
  for (char const* const fault : {"open@1+=EMFILE", "open@1+=EACCES"}) {
    if (rank == failing) set_faults("faults.dat", fault);
    MPI_File f = MPI_FILE_NULL;
    int const code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                   MPI_INFO_NULL, &f);
    if (rank == failing) set_faults(nullptr, nullptr);
    check(code != MPI_SUCCESS && f == MPI_FILE_NULL,
          std::string("open fails everywhere with ") + fault, __LINE__);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      CHECK_CLASS(MPI_File_delete(path.c_str(), MPI_INFO_NULL),
                  MPI_ERR_NO_SUCH_FILE);  // the failed open left no file
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = rank_of_world();
  ranks = ranks_of_world();
  set_faults = reinterpret_cast<decltype(set_faults)>(::dlsym(RTLD_DEFAULT, "argosy_faults"));
  struck = reinterpret_cast<decltype(struck)>(::dlsym(RTLD_DEFAULT, "argosy_faults_struck"));
  if (!set_faults || !struck) {
    std::printf("the shim that breaks system calls is not preloaded\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 0; i < n; ++i) data[static_cast<std::size_t>(i)] = rank * n + i;
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(1, &ranks, std::vector<int>{1}.data(), &rank, MPI_ORDER_C, MPI_INT,
                           &one);
  MPI_Type_dup(one, &pieces);
  MPI_Type_commit(&pieces);
  MPI_Type_free(&one);
  std::string const path = path_of("faults.dat");
  for (int failing = 0; failing < ranks; ++failing) {
    each_on(failing, path);
    opening_fails_on(failing, path);
  }
  MPI_Type_free(&pieces);
  return ended();
}

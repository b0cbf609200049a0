// The contract of MPI beyond the data of files. Here: opening, arguments, hints and reports.
// Handlers, views and requests are in contract_*.cpp. A plain MPI program, run with the drop-in:
//   LD_PRELOAD=libargosy-mpiio.so mpiexec -n 2 contract
// SPDX-License-Identifier: BSD-3-Clause
#include "contract.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

// Functions for large counts, which an older MPI library does not have.
using write_at_c = int(MPI_File, MPI_Offset, void const*, MPI_Count, MPI_Datatype, MPI_Status*);
using iread_at_c = int(MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*);
template <class Function>
Function* found(char const* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

// The standard binary interface has no handles of Fortran in C.
#ifdef MPI_H_ABI
int number_of(MPI_File f) { return MPI_File_toint(f); }
MPI_File file_of(int number) { return MPI_File_fromint(number); }
#else
MPI_Fint number_of(MPI_File f) { return MPI_File_c2f(f); }
MPI_File file_of(MPI_Fint number) { return MPI_File_f2c(number); }
#endif

void opening() {
  MPI_File f = MPI_FILE_NULL;
  std::string const none = path_of("none.dat"), there = path_of("there.dat");
  int code = MPI_File_open(MPI_COMM_WORLD, none.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
  CHECK_CLASS(code, MPI_ERR_NO_SUCH_FILE);
  CHECK(f == MPI_FILE_NULL);
  CHECK(text_of(code).find("none.dat") != std::string::npos);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, none.c_str(), 0, MPI_INFO_NULL, &f), MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, none.c_str(), MPI_MODE_RDONLY | MPI_MODE_CREATE,
                            MPI_INFO_NULL, &f),
              MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, none.c_str(), 1 << 20, MPI_INFO_NULL, &f),
              MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_NULL, none.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
              MPI_ERR_COMM);
  if (rank == 0) CHECK_CLASS(MPI_File_delete(none.c_str(), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
  if (rank == 0) CHECK(MPI_File_delete(path_of("").c_str(), MPI_INFO_NULL) != MPI_SUCCESS);

  f = opened(there, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int same = MPI_UNEQUAL, amode = 0;
  CHECK_OK(MPI_File_get_group(f, &group));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &same);
  CHECK(same == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  CHECK_OK(MPI_File_get_amode(f, &amode));
  CHECK(amode == (MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY));
  CHECK(file_of(number_of(f)) == f && number_of(f) != number_of(MPI_FILE_NULL));
  CHECK(file_of(number_of(MPI_FILE_NULL)) == MPI_FILE_NULL);
  char c = 0;
  MPI_Status status;
  CHECK_CLASS(MPI_File_read_at(f, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_ACCESS);
  MPI_File const closed = f;
  close(f);
  CHECK_CLASS(MPI_File_write_at(closed, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_FILE);
  MPI_File again = closed;
  CHECK_CLASS(MPI_File_close(&again), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_write_at(MPI_FILE_NULL, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_FILE);
  code = MPI_File_open(MPI_COMM_WORLD, there.c_str(),
                       MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
  CHECK_CLASS(code, MPI_ERR_FILE_EXISTS);
  f = opened(there, MPI_MODE_RDONLY);
  CHECK_CLASS(MPI_File_write_at(f, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_set_size(f, 10), MPI_ERR_READ_ONLY);
  close(f);
  f = opened(there, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE);
  CHECK_CLASS(MPI_File_write_at(f, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CLASS(MPI_File_seek(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_OK(MPI_File_write_ordered(f, &c, 1, MPI_CHAR, &status));
  close(f);
}

// Names refer to the directory in which the file was opened.
void directories() {
  std::filesystem::path const before = std::filesystem::current_path();
  std::string const one = path_of("one"), two = path_of("two");
  if (rank == 0) {
    std::filesystem::create_directory(one);
    std::filesystem::create_directory(two);
    std::ofstream(two + "/scratch.dat") << "of somebody";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::filesystem::current_path(one);
  MPI_File f = fresh("scratch.dat");
  MPI_File g = opened("ufs:shared.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  std::filesystem::current_path(two);
  std::array<char, 10> data = {};
  CHECK_OK(MPI_File_write_shared(g, data.data(), 10, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset size = 0;
  CHECK_OK(MPI_File_get_size(g, &size));
  CHECK(size == 10 * ranks);
  close(g);
  close(f);
  std::ifstream in(two + "/scratch.dat");
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "of somebody");
  CHECK(!std::filesystem::exists(one + "/scratch.dat"));
  CHECK(std::filesystem::exists(one + "/shared.dat"));
  MPI_Barrier(MPI_COMM_WORLD);
  std::filesystem::current_path(before);
  // MPI_File_delete deletes the name, whichever file has it now.
  std::string const name = path_of("renamed.dat");
  f = fresh(name);
  if (rank == 0) {
    std::filesystem::rename(name, name + ".old");
    std::ofstream(name) << "of another";
    CHECK_OK(MPI_File_delete(name.c_str(), MPI_INFO_NULL));
    CHECK(!std::filesystem::exists(name));
  }
  int const code = MPI_File_close(&f);
  CHECK_CLASS(code, rank == 0 ? MPI_ERR_NO_SUCH_FILE : MPI_ERR_OTHER);
  CHECK(std::filesystem::exists(name + ".old"));
}

void arguments() {
  MPI_File f = fresh(path_of("arguments.dat"));
  std::array<int, 4> data = {1, 2, 3, 4};
  MPI_Status status;
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  CHECK_CLASS(MPI_File_write_at(f, 0, data.data(), -1, MPI_INT, &status), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_File_write_at(f, 0, data.data(), 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_File_write_at(f, 0, data.data(), 1, uncommitted, &status), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_File_write_at(f, -1, data.data(), 1, MPI_INT, &status), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_seek(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_seek(f, 0, 4711), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_seek_shared(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_set_size(f, -1), MPI_ERR_ARG);
  // A mistake on one rank of a collective call is an error on all.
  bool const bad = rank == ranks - 1;
  int const code = MPI_File_write_at_all(f, 0, data.data(), bad ? -1 : 1, MPI_INT, &status);
  CHECK_CLASS(code, bad ? MPI_ERR_COUNT : MPI_ERR_OTHER);
  CHECK(MPI_File_set_size(f, rank) != MPI_SUCCESS || ranks == 1);
  CHECK_OK(MPI_File_set_size(f, 0));
  MPI_Offset size = -1;
  CHECK_OK(MPI_File_get_size(f, &size));
  CHECK(size == 0);
  // Correct calls succeed, also with the datatype, after it was committed.
  MPI_Type_commit(&uncommitted);
  CHECK_OK(MPI_File_write_at_all(f, rank * 8, data.data(), 1, uncommitted, &status));
  int n = -1;
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == 2);
  MPI_Type_free(&uncommitted);
  // A datatype of absolute addresses.
  MPI_Aint at = 0;
  MPI_Get_address(&data[2], &at);
  int const one = 1;
  MPI_Datatype absolute = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(1, &one, &at, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  CHECK_OK(MPI_File_write_at(f, 1000 + rank * 4, MPI_BOTTOM, 1, absolute, &status));
  int back = 0;
  CHECK_OK(MPI_File_read_at(f, 1000 + rank * 4, &back, 1, MPI_INT, &status));
  CHECK(back == 3);
  MPI_Type_free(&absolute);
  CHECK_OK(MPI_File_write_at(f, 0, nullptr, 0, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_OK(found<write_at_c>("MPI_File_write_at_c")(f, 2000 + rank * 4, data.data(), 1, MPI_INT,
                                                    &status));
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK_OK(found<iread_at_c>("PMPI_File_iread_at_c")(f, 2000 + rank * 4, &back, 1, MPI_INT, &r));
  CHECK_OK(MPI_Wait(&r, &status));
  CHECK(back == 1);
  close(f);
}

void hints() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_Info_set(info, "striping_factor", "4");
  MPI_File f = MPI_FILE_NULL;
  std::string const path = path_of("hints.dat");
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
  MPI_Info_set(info, "ind_wr_buffer_size", "65536");
  CHECK_OK(MPI_File_set_info(f, info));
  MPI_Info_free(&info);
  CHECK_OK(MPI_File_get_info(f, &info));
  char value[MPI_MAX_INFO_VAL + 1];
  int found = 0;
  MPI_Info_get(info, "cb_nodes", MPI_MAX_INFO_VAL, value, &found);
  CHECK(found != 0 && std::strcmp(value, "1") == 0);
  MPI_Info_get(info, "ind_wr_buffer_size", MPI_MAX_INFO_VAL, value, &found);
  CHECK(found != 0 && std::strcmp(value, "65536") == 0);
  MPI_Info_get(info, "argosy_handle", MPI_MAX_INFO_VAL, value, &found);
  CHECK(found != 0 && std::strcmp(value, "posix") == 0);
  MPI_Info_free(&info);
  close(f);

  // Handles by name. Without GPFS, the handle "gpfs" works like any other.
  MPI_Info_create(&info);
  MPI_Info_set(info, "argosy_handle", "gpfs");
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
  char c = 'a';
  CHECK_OK(MPI_File_write_at_all(f, rank, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  close(f);
  MPI_Info_set(info, "argosy_handle", "elsewhere");
  int const code =
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f);
  CHECK_CLASS(code, MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
}

// A report for each file when it is closed, and one for all files when MPI ends.
std::string const report = path_of("report.txt");
void reports() {
  ::setenv("ARGOSY_REPORT", report.c_str(), 1);
  for (char const* name : {"one.dat", "two.dat"}) {
    MPI_File f = fresh(path_of(name));
    char const c = 'x';
    CHECK_OK(MPI_File_write_at_all(f, rank, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    MPI_Request begun = MPI_REQUEST_NULL;
    CHECK_OK(MPI_File_iwrite_at(f, rank, &c, 1, MPI_CHAR, &begun));
    CHECK_OK(MPI_Wait(&begun, MPI_STATUS_IGNORE));
    close(f);
  }
}
// No call has a line of the program, because the drop-in does not know it.
bool is_reported() {
  std::ifstream file(report);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  std::size_t const all = text.find("argosy report of all files");
  return text.find("argosy report of '" + path_of("two.dat") + "'") < all &&
         all != std::string::npos && text.find("one.dat", all) != std::string::npos &&
         text.find("two.dat", all) != std::string::npos &&
         text.find("largest call\n  write_at_all on rank 0: ") != std::string::npos &&
         text.find("the program waited") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = rank_of_world();
  ranks = ranks_of_world();
  for (auto part : {opening, directories, arguments, handlers, views, overlapping_copies,
                    large_counts, representations, requests, tested_requests, mixed_calls,
                    dropped_requests, split, hints, reports}) {
    part();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int const code = ended();
  if (rank != 0 || is_reported()) return code;
  std::printf("the reports of files, or the table behind them, are not as they should be\n");
  return 1;
}

// What MPI's text says of files beside the data: handles, error classes and handlers, views, representations, requests, hints. A plain
// MPI program, run with the drop-in before it:
//   LD_PRELOAD=libargosy-mpiio.so mpiexec -n 2 contract
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

// Large counts, of which an older MPI library has nothing.
using write_at_c = int(MPI_File, MPI_Offset, void const*, MPI_Count, MPI_Datatype, MPI_Status*);
using iread_at_c = int(MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*);
template <class Function>
Function* found(char const* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

int rank, ranks;

MPI_File opened(std::string const& path, int amode) {
  MPI_File f = MPI_FILE_NULL;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), amode, MPI_INFO_NULL, &f));
  return f;
}
MPI_File fresh(std::string const& path) {
  return opened(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
}
void close(MPI_File& f) {
  CHECK_OK(MPI_File_close(&f));
  CHECK(f == MPI_FILE_NULL);
}

void opening() {
  MPI_File f = MPI_FILE_NULL;
  std::string const none = path_of("none.dat"), there = path_of("there.dat");
  int code = MPI_File_open(MPI_COMM_WORLD, none.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
  CHECK_CLASS(code, MPI_ERR_NO_SUCH_FILE);
  CHECK(f == MPI_FILE_NULL);
  CHECK(text_of(code).find("none.dat") != std::string::npos);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, none.c_str(), 0, MPI_INFO_NULL, &f), MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, none.c_str(), MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &f),
              MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, none.c_str(), 1 << 20, MPI_INFO_NULL, &f), MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_NULL, none.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_ERR_COMM);
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
  CHECK(MPI_File_f2c(MPI_File_c2f(f)) == f && MPI_File_c2f(f) != MPI_File_c2f(MPI_FILE_NULL));
  CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
  char c = 0;
  MPI_Status status;
  CHECK_CLASS(MPI_File_read_at(f, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_ACCESS);
  MPI_File const closed = f;
  close(f);
  CHECK_CLASS(MPI_File_write_at(closed, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_FILE);
  MPI_File again = closed;
  CHECK_CLASS(MPI_File_close(&again), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_write_at(MPI_FILE_NULL, 0, &c, 1, MPI_CHAR, &status), MPI_ERR_FILE);
  code = MPI_File_open(MPI_COMM_WORLD, there.c_str(), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL,
                       &f);
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
  // What is wrong on one rank of a collective call is an error on all.
  bool const bad = rank == ranks - 1;
  int const code = MPI_File_write_at_all(f, 0, data.data(), bad ? -1 : 1, MPI_INT, &status);
  CHECK_CLASS(code, bad ? MPI_ERR_COUNT : MPI_ERR_OTHER);
  CHECK(MPI_File_set_size(f, rank) != MPI_SUCCESS || ranks == 1);
  CHECK_OK(MPI_File_set_size(f, 0));
  MPI_Offset size = -1;
  CHECK_OK(MPI_File_get_size(f, &size));
  CHECK(size == 0);
  // Then it works, and an uncommitted datatype does once it is committed.
  MPI_Type_commit(&uncommitted);
  CHECK_OK(MPI_File_write_at_all(f, rank * 8, data.data(), 1, uncommitted, &status));
  int n = -1;
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == 2);
  MPI_Type_free(&uncommitted);
  // Addresses of its own.
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
  CHECK_OK(found<write_at_c>("MPI_File_write_at_c")(f, 2000 + rank * 4, data.data(), 1, MPI_INT, &status));
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK_OK(found<iread_at_c>("PMPI_File_iread_at_c")(f, 2000 + rank * 4, &back, 1, MPI_INT, &r));
  CHECK_OK(MPI_Wait(&r, &status));
  CHECK(back == 1);
  close(f);
}

int handled = 0, handled_code = 0;
MPI_File handled_file = MPI_FILE_NULL;
void handler(MPI_File* file, int* code, ...) {
  ++handled;
  handled_file = *file;
  handled_code = *code;
}

void handlers() {
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL, told = MPI_ERRHANDLER_NULL;
  MPI_Status status;
  char c = 0;
  MPI_File f = fresh(path_of("handlers.dat"));
  CHECK_OK(MPI_File_get_errhandler(f, &told));
  CHECK(told == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&told);
  CHECK_OK(MPI_File_create_errhandler(handler, &mine));
  CHECK_OK(MPI_File_set_errhandler(f, mine));
  CHECK_OK(MPI_File_get_errhandler(f, &told));
  CHECK(told == mine);
  MPI_Errhandler_free(&told);
  CHECK(told == MPI_ERRHANDLER_NULL);
  MPI_Errhandler kept = mine;
  MPI_Errhandler_free(&kept);  // the file still has it
  int code = MPI_File_write_at(f, -1, &c, 1, MPI_CHAR, &status);
  CHECK(code != MPI_SUCCESS && handled == 1 && handled_code == code && handled_file == f);
  CHECK_OK(MPI_File_call_errhandler(f, MPI_ERR_IO));
  CHECK(handled == 2 && handled_code == MPI_ERR_IO);
  // Wrong arguments of one rank's own call are told at once, and there is no request.
  MPI_Request r = MPI_REQUEST_NULL;
  code = MPI_File_iwrite_at(f, 0, &c, -1, MPI_CHAR, &r);
  CHECK_CLASS(code, MPI_ERR_COUNT);
  CHECK(handled == 3 && handled_code == code && r == MPI_REQUEST_NULL);
  CHECK_OK(MPI_Wait(&r, &status));
  // Those of a collective call come when it is completed.
  MPI_Request list[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  CHECK_OK(MPI_File_iwrite_at(f, 0, &c, 1, MPI_CHAR, &list[0]));
  CHECK_OK(MPI_File_iwrite_at_all(f, -3, &c, 1, MPI_CHAR, &list[1]));
  CHECK(MPI_Waitall(2, list, statuses) == MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
  CHECK_CLASS(statuses[1].MPI_ERROR, MPI_ERR_ARG);
  CHECK(handled == 4);
  // A file that is opened has the handler of MPI_FILE_NULL.
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  MPI_File g = fresh(path_of("inherits.dat"));
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CHECK(MPI_File_write_at(g, -1, &c, 1, MPI_CHAR, &status) != MPI_SUCCESS);
  CHECK(handled == 5 && handled_file == g);
  MPI_File const closed = g;
  close(g);
  CHECK_CLASS(MPI_File_set_errhandler(closed, mine), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_get_errhandler(closed, &told), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_call_errhandler(closed, MPI_ERR_IO), MPI_ERR_FILE);
  CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &told));
  CHECK(told == MPI_ERRORS_RETURN && handled == 5);
  MPI_Errhandler_free(&told);
  // The file alone still has the handler that it inherited.
  MPI_Errhandler inherited = MPI_ERRHANDLER_NULL;
  CHECK_OK(MPI_File_create_errhandler(handler, &inherited));
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, inherited));
  MPI_Errhandler_free(&inherited);
  g = fresh(path_of("alone.dat"));
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CHECK(MPI_File_write_at(g, -1, &c, 1, MPI_CHAR, &status) != MPI_SUCCESS);
  CHECK(handled == 6 && handled_file == g);
  close(g);
  close(f);
  MPI_File none = MPI_FILE_NULL;
  CHECK(MPI_File_open(MPI_COMM_WORLD, path_of("none.dat").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &none) !=
        MPI_SUCCESS);
  CHECK(handled == 6);
}

void views() {
  MPI_File f = fresh(path_of("views.dat"));
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  char name[MPI_MAX_DATAREP_STRING];
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  CHECK(displacement == 0 && etype == MPI_BYTE && filetype == MPI_BYTE && std::strcmp(name, "native") == 0);
  MPI_Datatype columns = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 2, 4, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  CHECK_OK(MPI_File_set_view(f, 16, MPI_INT, columns, "native", MPI_INFO_NULL));
  MPI_Type_free(&columns);
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  int integers[3], many_integers = 0, addresses = 0, types = 0, combiner = 0;
  MPI_Type_get_envelope(filetype, &many_integers, &addresses, &types, &combiner);
  CHECK(displacement == 16 && etype == MPI_INT && combiner != MPI_COMBINER_NAMED);
  if (combiner == MPI_COMBINER_DUP) {
    MPI_Datatype of = MPI_DATATYPE_NULL;
    MPI_Type_get_contents(filetype, 0, 0, 1, integers, nullptr, &of);
    MPI_Type_free(&of);
  }
  MPI_Type_free(&filetype);
  CHECK_CLASS(MPI_File_set_view(f, -8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  // Classes by which programs tell a filetype of other etypes from one that cannot be a view.
  MPI_Datatype backwards = MPI_DATATYPE_NULL;
  int const lengths[2] = {1, 1}, places[2] = {2, 0};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &backwards);
  MPI_Type_commit(&backwards);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, backwards, "native", MPI_INFO_NULL), MPI_ERR_IO);
  MPI_Type_free(&backwards);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "unheard", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
  CHECK_CLASS(MPI_File_set_view(f, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  CHECK(displacement == 16 && etype == MPI_INT);  // as it was
  MPI_Type_free(&filetype);

  // Counts are those of memory, whatever the file holds: an external32 long has 4 bytes.
  CHECK_OK(MPI_File_set_view(f, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
  MPI_Aint extent = 0;
  CHECK_OK(MPI_File_get_type_extent(f, MPI_LONG, &extent));
  CHECK(extent == 4);
  long numbers[2] = {0x01020304, -2};
  MPI_Status status;
  CHECK_OK(MPI_File_write_at(f, rank * 2, numbers, 2, MPI_LONG, &status));
  int n = 0;
  MPI_Get_count(&status, MPI_LONG, &n);
  CHECK(n == 2);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  std::array<unsigned char, 8> raw = {};
  CHECK_OK(MPI_File_read_at(f, rank * 8, raw.data(), 8, MPI_BYTE, &status));
  CHECK(raw == std::array<unsigned char, 8>{1, 2, 3, 4, 0xff, 0xff, 0xff, 0xfe});
  close(f);
}

// Datatypes that were made with large counts, of which MPI's older functions say nothing.
void large_counts() {
#if MPI_VERSION >= 4
  MPI_File f = fresh(path_of("large_counts.dat"));
  MPI_Count const places[2] = {0, 8};
  MPI_Datatype blocks = MPI_DATATYPE_NULL, pairs = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block_c(2, 1, places, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  MPI_Type_vector_c(2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  CHECK_OK(MPI_File_set_view(f, rank * 100, MPI_INT, blocks, "native", MPI_INFO_NULL));
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  char name[MPI_MAX_DATAREP_STRING];
  CHECK_OK(MPI_File_get_view(f, &displacement, &etype, &filetype, name));
  MPI_Type_free(&filetype);
  int const out[3] = {rank + 1, -1, rank + 2};
  int in[3] = {-5, -5, -5};
  MPI_Status status;
  CHECK_OK(MPI_File_write_at_all(f, 0, out, 1, pairs, &status));
  CHECK_OK(MPI_File_read_at_all(f, 0, in, 1, pairs, &status));
  CHECK(in[0] == rank + 1 && in[1] == -5 && in[2] == rank + 2);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_read_at(f, rank * 100 + 8, in, 4, MPI_BYTE, &status));
  CHECK(in[0] == rank + 2);
  MPI_Type_free(&blocks);
  MPI_Type_free(&pairs);
  close(f);
#endif
}

int state_seen = 0;
int swap_in(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* state) {
  state_seen = *static_cast<int*>(state);
  if (type != MPI_INT) return MPI_ERR_CONVERSION;
  for (int i = 0; i < count; ++i)
    static_cast<int*>(user)[position + i] = static_cast<int>(__builtin_bswap32(static_cast<std::uint32_t*>(file)[i]));
  return MPI_SUCCESS;
}
int swap_out(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* state) {
  state_seen = *static_cast<int*>(state);
  if (type != MPI_INT) return MPI_ERR_CONVERSION;
  for (int i = 0; i < count; ++i)
    static_cast<std::uint32_t*>(file)[i] = __builtin_bswap32(static_cast<std::uint32_t*>(user)[position + i]);
  return MPI_SUCCESS;
}
int as_in_memory(MPI_Datatype type, MPI_Aint* extent, void*) {
  MPI_Aint low = 0;
  return MPI_Type_get_extent(type, &low, extent);
}

void representations() {
  static int state = 4711;
  CHECK_OK(MPI_Register_datarep("swapped", swap_in, swap_out, as_in_memory, &state));
  CHECK_CLASS(MPI_Register_datarep("swapped", swap_in, swap_out, as_in_memory, &state), MPI_ERR_DUP_DATAREP);
  CHECK_CLASS(MPI_Register_datarep("native", swap_in, swap_out, as_in_memory, &state), MPI_ERR_DUP_DATAREP);
  MPI_File f = fresh(path_of("swapped.dat"));
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "swapped", MPI_INFO_NULL));
  int const out[2] = {0x01020304, rank};
  int in[2] = {};
  MPI_Status status;
  CHECK_OK(MPI_File_write_at_all(f, rank * 2, out, 2, MPI_INT, &status));
  CHECK(state_seen == 4711);
  CHECK_OK(MPI_File_read_at_all(f, rank * 2, in, 2, MPI_INT, &status));
  CHECK(in[0] == out[0] && in[1] == out[1]);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_read_at_all(f, rank * 2, in, 2, MPI_INT, &status));
  CHECK(in[0] == 0x04030201);
  float const half = 0.5f;
  CHECK_OK(MPI_File_set_view(f, 0, MPI_FLOAT, MPI_FLOAT, "swapped", MPI_INFO_NULL));
  CHECK_CLASS(MPI_File_write_at(f, 100 + rank, &half, 1, MPI_FLOAT, &status), MPI_ERR_CONVERSION);
  close(f);
}

void requests() {
  std::string const path = path_of("requests.dat");
  MPI_File f = opened(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
  std::vector<int> data(50000, rank + 1);
  auto const n = static_cast<int>(data.size());
  MPI_Offset const mine = static_cast<MPI_Offset>(rank) * n * 4;
  MPI_Request r = MPI_REQUEST_NULL;
  // Nobody waits for it; the data is written all the same.
  CHECK_OK(MPI_File_iwrite_at(f, mine, data.data(), n, MPI_INT, &r));
  CHECK_OK(MPI_Request_free(&r));
  CHECK(r == MPI_REQUEST_NULL);
  close(f);
  f = opened(path, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  std::vector<int> back(data.size(), -1);
  CHECK_OK(MPI_File_iread_at_all(f, mine, back.data(), n, MPI_INT, &r));
  int flag = 0;
  MPI_Status status;
  while (flag == 0) CHECK_OK(MPI_Request_get_status(r, &flag, &status));
  CHECK(back == data && r != MPI_REQUEST_NULL);
  CHECK_OK(MPI_Cancel(&r));
  CHECK_OK(MPI_Wait(&r, &status));
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == n);
  // A rank's message is needed before its neighbour comes to the collective call that all wait for.
  std::vector<int> message(200000, rank), got(200000, -1);
  int const next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  MPI_Request list[3];
  MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_INT, last, 1, MPI_COMM_WORLD, &list[0]);
  MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_INT, next, 1, MPI_COMM_WORLD, &list[1]);
  if (rank % 2 == 1) MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
  CHECK_OK(MPI_File_iwrite_at_all(f, mine, data.data(), n, MPI_INT, &list[2]));
  if (rank % 2 == 1)
    CHECK_OK(MPI_Wait(&list[2], &status));
  else
    CHECK_OK(MPI_Waitall(3, list, MPI_STATUSES_IGNORE));
  CHECK(got == std::vector<int>(200000, last));
  // A view may be set, and a file closed, before a program completes its requests.
  CHECK_OK(MPI_File_iwrite_at_all(f, mine, data.data(), n, MPI_INT, &r));
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_iread_at_all(f, mine / 4, back.data(), n, MPI_INT, &list[0]));
  close(f);
  CHECK_OK(MPI_Wait(&r, &status));
  CHECK_OK(MPI_Wait(&list[0], &status));
  CHECK(back == data);
}

// A program whose ranks are in different calls is told, in whatever way it waits.
void mixed_calls() {
  if (ranks == 1) return;
  using wait_for = int (*)(MPI_Request*);
  constexpr wait_for ways[] = {
      [](MPI_Request* r) { return MPI_Wait(r, MPI_STATUS_IGNORE); },
      [](MPI_Request* r) {
        MPI_Status s;
        return MPI_Waitall(1, r, &s) == MPI_ERR_IN_STATUS ? s.MPI_ERROR : MPI_SUCCESS;
      },
      [](MPI_Request* r) {
        int which = -1;
        return MPI_Waitany(1, r, &which, MPI_STATUS_IGNORE);
      },
      [](MPI_Request* r) {
        int n = 0, which = -1;
        MPI_Status s;
        return MPI_Waitsome(1, r, &n, &which, &s) == MPI_ERR_IN_STATUS ? s.MPI_ERROR : MPI_SUCCESS;
      },
  };
  for (wait_for const way : ways) {
    MPI_File f = fresh(path_of("mixed.dat"));
    int const data = rank;
    MPI_Request r = MPI_REQUEST_NULL;
    if (rank == 0) {
      CHECK(MPI_File_write_at_all(f, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    } else {
      CHECK_OK(MPI_File_iwrite_at_all(f, rank * 4, &data, 1, MPI_INT, &r));
      CHECK_CLASS(way(&r), MPI_ERR_NOT_SAME);
      CHECK_CLASS(MPI_File_sync(f), MPI_ERR_NOT_SAME);  // meets what rank 0 is in
    }
    close(f);
    // One call more on one rank: its request says so; close does if that was dropped.
    for (bool const dropped : {false, true}) {
      f = fresh(path_of("mixed.dat"));
      if (rank == ranks - 1) CHECK_OK(MPI_File_iwrite_at_all(f, 0, &data, 1, MPI_INT, &r));
      if (rank == ranks - 1 && dropped) CHECK_OK(MPI_Request_free(&r));
      CHECK((MPI_File_close(&f) != MPI_SUCCESS) == dropped && f == MPI_FILE_NULL);
      if (r != MPI_REQUEST_NULL) CHECK_CLASS(way(&r), MPI_ERR_NOT_SAME);
    }
  }
}

// What was dropped is finished before a view or a size is set.
void dropped_requests() {
  MPI_File f = fresh(path_of("dropped.dat"));
  std::vector<int> const data(20000, rank + 1);
  auto const n = static_cast<int>(data.size());
  MPI_Offset const mine = static_cast<MPI_Offset>(rank) * n * 4;
  for (bool const together : {false, true}) {
    MPI_Request r = MPI_REQUEST_NULL;
    CHECK_OK(together ? MPI_File_iwrite_at_all(f, mine, data.data(), n, MPI_INT, &r)
                      : MPI_File_iwrite_at(f, mine, data.data(), n, MPI_INT, &r));
    CHECK_OK(MPI_Request_free(&r));
    CHECK_OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    std::vector<int> back(data.size());
    CHECK_OK(MPI_File_read_at_all(f, mine, back.data(), n, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(back == data);
    CHECK_OK(MPI_File_set_size(f, 0));
  }
  close(f);
}

void split() {
  MPI_File f = fresh(path_of("split.dat"));
  int const out = rank;
  int in = -1, other = 0;
  MPI_Status status;
  CHECK(MPI_File_write_all_end(f, &out, &status) != MPI_SUCCESS);
  CHECK_OK(MPI_File_write_ordered_begin(f, &out, 1, MPI_INT));
  CHECK(MPI_File_write_all_begin(f, &out, 1, MPI_INT) != MPI_SUCCESS);
  CHECK_OK(MPI_File_write_ordered_end(f, &out, &status));
  CHECK_OK(MPI_File_read_at_all_begin(f, rank * 4, &in, 1, MPI_INT));
  CHECK_CLASS(MPI_File_read_at_all_end(f, &other, &status), MPI_ERR_BUFFER);
  CHECK(in == rank);
  // What is wrong with a rank's own data is told as that of a blocking call.
  CHECK_OK(MPI_File_write_all_begin(f, &out, -1, MPI_INT));
  CHECK_CLASS(MPI_File_write_all_end(f, &out, &status), MPI_ERR_COUNT);
  close(f);
}

void hints() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_Info_set(info, "striping_factor", "4");
  MPI_File f = MPI_FILE_NULL;
  std::string const path = path_of("hints.dat");
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                         &f));
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

  // Handles by name. Without GPFS that of GPFS is as any other.
  MPI_Info_create(&info);
  MPI_Info_set(info, "argosy_handle", "gpfs");
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                         &f));
  char c = 'a';
  CHECK_OK(MPI_File_write_at_all(f, rank, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  close(f);
  MPI_Info_set(info, "argosy_handle", "elsewhere");
  int const code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f);
  CHECK_CLASS(code, MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
}

// Of each file, when it is closed; of all of them, when MPI ends.
std::string const report = path_of("report.txt");
void reports() {
  ::setenv("ARGOSY_REPORT", report.c_str(), 1);
  for (char const* name : {"one.dat", "two.dat"}) {
    MPI_File f = fresh(path_of(name));
    char const c = 'x';
    CHECK_OK(MPI_File_write_at_all(f, rank, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    close(f);
  }
}
bool is_reported() {
  std::ifstream file(report);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  std::size_t const all = text.find("argosy report of all files");
  return text.find("argosy report of '" + path_of("two.dat") + "'") < all && all != std::string::npos &&
         text.find("one.dat", all) != std::string::npos && text.find("two.dat", all) != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = rank_of_world();
  ranks = ranks_of_world();
  for (auto part : {opening, arguments, handlers, views, large_counts, representations, requests, mixed_calls,
                    dropped_requests, split, hints, reports}) {
    part();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int const code = ended();
  if (rank != 0 || is_reported()) return code;
  std::printf("no table of all files is behind their reports\n");
  return 1;
}

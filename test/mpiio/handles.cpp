// A file on the handle that a hint names. It may have no name in the file system of this process,
// so this program uses only MPI.
//   handles PATH       under ARGOSY_HINTS, for instance with the line: argosy_handle gpfsd:FILE
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include <string>
#include <vector>

// If the hint names a system that does not exist, the error is that of a wrong hint, on all ranks.
// Standard error has the reason.
void check_missing_system(char const* path) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "argosy_handle", "gpfsd:nobody");
  MPI_File f = MPI_FILE_NULL;
  int const code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &f);
  CHECK(code != MPI_SUCCESS);
  char words[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, words, &length);
  CHECK(std::string(words).find("the value of a hint means nothing here") != std::string::npos);
  MPI_Info_free(&hints);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const rank = rank_of_world(), ranks = ranks_of_world();
  char const* const path = argc > 1 ? argv[1] : "handles.dat";
  MPI_File f = MPI_FILE_NULL;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
  constexpr int n = 5000;
  std::vector<int> data(n), back(n, -1);
  for (int i = 0; i < n; ++i) data[static_cast<std::size_t>(i)] = rank + i * ranks;
  MPI_Datatype one = MPI_DATATYPE_NULL;
  int const start = rank, length = 1;
  MPI_Type_create_subarray(1, &ranks, &length, &start, MPI_ORDER_C, MPI_INT, &one);
  MPI_Type_commit(&one);
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, one, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_write_all(f, data.data(), n, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_read_at_all(f, static_cast<MPI_Offset>(rank) * n, back.data(), n, MPI_INT,
                                MPI_STATUS_IGNORE));
  for (int i = 0; i < n; ++i) CHECK(back[static_cast<std::size_t>(i)] == rank * n + i);
  MPI_Offset size = 0;
  CHECK_OK(MPI_File_get_size(f, &size));
  CHECK(size == 4 * static_cast<MPI_Offset>(n) * ranks);
  MPI_Type_free(&one);
  CHECK_OK(MPI_File_close(&f));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL));
  check_missing_system(path);
  return ended();
}

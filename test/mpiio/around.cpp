// Opens files without MPI-IO and by it, for libargosy-around.so to tell. With the argument `none`
// by MPI-IO only. CMakeLists.txt has the words that are wanted.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include <mpi.h>

namespace {

void write_with_mpi() {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, "by_mpi.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                &file);
  MPI_File_write_all(file, "12345678", 8, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

void append_a_page(int fd) {
  std::array<char, 4096> const page{};
  if (write(fd, page.data(), page.size()) != 4096) std::perror("write");
  close(fd);
}

void write_without(int rank) {
  std::ofstream("stream" + std::to_string(rank) + ".dat") << "hello";
  if (rank != 0) return;
  append_a_page(open("opened.dat", O_RDWR | O_CREAT | O_TRUNC, 0644));
  append_a_page(openat(AT_FDCWD, "opened.dat", O_WRONLY | O_APPEND));  // that file again
  if (std::FILE* const file = std::fopen("stdio.dat", "w")) std::fclose(file);
  // These do not count: read only, removed, and no files of data.
  close(open("opened.dat", O_RDONLY));
  append_a_page(creat("removed.dat", 0600));
  unlink("removed.dat");
  append_a_page(open("/dev/null", O_WRONLY));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  write_with_mpi();
  if (argc == 1) write_without(rank);
  MPI_Finalize();
}

// Measures the time that the front of the drop-in for all MPI libraries adds to a call. The call is
// MPI_File_c2f, which does next to nothing else. A plain MPI program. cmake/families.sh --cost
// builds it, and runs it on the drop-in of one MPI library and on the one of all.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace {

// Returns the processor time of this thread, which other programs change little.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_SELF, argc > 1 ? argv[1] : "/dev/shm/forwarding.dat",
                    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                    &file) != MPI_SUCCESS) {
    std::fprintf(stderr, "the file cannot be opened\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  constexpr int calls = 2'000'000;
  long long sum = 0;  // makes the compiler keep all calls
  std::array<double, 41> rounds{};
  for (double& ns : rounds) {
    double const since = processor_seconds();
    for (int i = 0; i < calls; ++i) sum += MPI_File_c2f(file);
    ns = (processor_seconds() - since) * 1e9 / calls;
  }
  std::sort(rounds.begin(), rounds.end());
  std::printf("MPI_File_c2f: %.2f ns (fastest of %zu rounds %.2f, slowest %.2f)%s\n",
              rounds[rounds.size() / 2], rounds.size(), rounds.front(), rounds.back(),
              sum == 0 ? ", of a file without a number" : "");
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}

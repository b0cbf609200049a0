// A program of MPI 4 that uses only sessions. It never calls MPI_Init, so there are no
// MPI_COMM_WORLD and MPI_COMM_SELF.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/world/mpi.hpp>

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace io = argosy;

namespace {

void require(bool kept, char const* what) {
  if (!kept) throw std::runtime_error(what);
}

void check_files(MPI_Comm comm) {
  io::mpi const world(comm);
  char const* const scratch = std::getenv("TMPDIR");
  std::string const path = std::string(scratch ? scratch : "/tmp") + "/sessions.data";
  int const ranks = world.size(), rank = world.rank();

  // Described by MPI's datatypes: every rank has each ranks-th number of each row.
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(100, 1, ranks, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> mine(100), back(100);
  std::iota(mine.begin(), mine.end(), rank * 1000);
  auto f = io::file::open(world, path,
                          io::mode::create | io::mode::read_write | io::mode::delete_on_close);
  f.set_view(rank * std::int64_t{4}, {io::type<int>, io::from_mpi(column)});
  MPI_Type_free(&column);
  f.write_all(mine);
  f.seek(0);
  f.read_all(back);
  require(back == mine, "what was written is not read");
  f.iwrite_at_all(0, mine).wait();
  require(f.size() == 100 * ranks * std::int64_t{4}, "the file has another size");
  f.seek_shared(0);
  f.write_ordered(mine);
  f.close();
}

}  // namespace

int main() try {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(all, "argosy.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&all);
  int begun = 1;
  MPI_Initialized(&begun);
  require(begun == 0, "MPI_Init was called after all");
  check_files(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
} catch (std::exception const& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

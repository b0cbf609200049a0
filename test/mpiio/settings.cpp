// Settings of the drop-in in the environment, tested by a plain MPI program: which library answers,
// which hints a file has, and how a fatal error ends a job.
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include <cstdlib>
#include <cstring>

namespace {

std::string hint_of(MPI_File f, char const* name) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File_get_info(f, &info);
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_get(info, name, MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  return found != 0 ? value : "nothing";
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool const fatal = argc > 1 && std::strcmp(argv[1], "fatal") == 0;
  MPI_File f = MPI_FILE_NULL;
  std::string const none = path_of("none.dat"), path = path_of("settings.dat");
  int const code = MPI_File_open(MPI_COMM_WORLD, none.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
  CHECK(code != MPI_SUCCESS);
  // Other libraries may print the path, whose directory has this name, too.
  bool const is_argosy = text_of(code).starts_with("argosy: ");
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                         &f));
  if (rank_of_world() == 0)
    std::printf("%s answers, cb_nodes is %s\n", is_argosy ? "argosy" : "the MPI library",
                hint_of(f, "cb_nodes").c_str());
  if (rank_of_world() == 0 && is_argosy)
    std::printf("develop %s, buffers of %s, agents on %s, large blocks %s, trace of %s\n",
                hint_of(f, "argosy_develop").c_str(), hint_of(f, "IBM_io_buffer_size").c_str(),
                hint_of(f, "cb_config_list").c_str(), hint_of(f, "IBM_largeblock_io").c_str(),
                std::getenv("ARGOSY_TRACE") ? std::getenv("ARGOSY_TRACE") : "nothing");
  std::fflush(stdout);
  if (fatal) {
    CHECK_OK(MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL));
    char const c = 'x';
    MPI_File_write_at(f, -1, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    std::printf("the job goes on\n");
  }
  CHECK_OK(MPI_File_close(&f));
  return ended();
}

// SPDX-License-Identifier: BSD-3-Clause
#include "origin.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include <argosy/version.hpp>

#include "implementation.hpp"

namespace patterns {
namespace {

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string s(text.data(), static_cast<std::size_t>(length));
  std::replace(s.begin(), s.end(), '\n', ' ');
  return s.substr(0, s.find(','));
}

// Returns the I/O component of an MPI library: ROMIO has hints of its name, and Open MPI's own has
// none.
std::string component(std::string const& directory) {
  if (char const* const asked = std::getenv("OMPI_MCA_io"); asked && *asked) return asked;
  std::string const path = directory + "/bench_patterns.component." + std::to_string(::getpid());
  MPI_File f;
  if (MPI_File_open(MPI_COMM_SELF, path.c_str(),
                    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                    &f) != MPI_SUCCESS)
    return "unknown";
  MPI_Info info;
  MPI_File_get_info(f, &info);
  int keys = 0;
  bool romio = false;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    MPI_Info_get_nthkey(info, i, key.data());
    romio = romio || std::string_view(key.data()).starts_with("romio_");
  }
  MPI_Info_free(&info);
  MPI_File_close(&f);
  return romio ? "romio" : "ompio";
}

std::string host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return std::string(name.data()) + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " processors";
}

}  // namespace

std::vector<std::string> origin_of(MPI_Comm comm, std::string const& directory,
                                   std::vector<std::string> const& words) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<std::string> lines;
  if (rank_in(comm) == 0) {
    std::string options = "options:";
    for (std::string const& word : words) options += " " + word;
    lines = {"version: argosy " + std::string(argosy::version()),
             "mpi: " + library(),
             "component: " + component(directory),
             "host: " + host(),
             "ranks: " + std::to_string(ranks),
             options};
  }
  MPI_Barrier(comm);
  return lines;
}

void print_origin(std::FILE* out, std::vector<std::string> const& origin) {
  for (std::string const& line : origin)
    std::fprintf(out, "%.*s%s\n", static_cast<int>(comment.size()), comment.data(), line.c_str());
}

}  // namespace patterns

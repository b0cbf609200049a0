// The snippets of docs/use/errors.md. Checks that the page has the text of every error; its own
// output is in the page.
// Run: mpiexec -n 3 snippets_errors
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/error/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>

#include <boost/mpi/collectives/broadcast.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  boost::mpi::environment::abort(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

// Prints on one rank after the other.
void print_in_turn(boost::mpi::communicator const& world, std::string const& text) {
  for (int rank = 0; rank < world.size(); ++rank) {
    std::string line = text;
    boost::mpi::broadcast(world, line, rank);
    if (world.rank() == 0 && !line.empty()) std::printf("rank %d\n  %s\n", rank, line.c_str());
  }
}

void tell(std::string const& message, std::error_code cause, int rank) {
  REQUIRE(!message.empty() && cause == std::errc::no_such_file_or_directory && rank == 0);
}

void thrown(boost::mpi::communicator const& world) {
  bool caught = false;
  // [thrown]
  try {
    auto f = io::file::open(world, "no/such/directory/state.dat", io::mode::read);
  } catch (io::error const& e) {
    if (e.code() == io::errc::no_such_file) caught = true;  // an errc; each rank has its own
    // the message; the errno behind it; the lowest rank that failed
    tell(e.what(), e.cause(), e.failed_rank());
  }
  // [thrown]
  REQUIRE(caught);
}

// The disk is full, for rank 2 only.
void returned(boost::mpi::communicator const& world) {
  auto const script = std::make_shared<io::fault_script>();
  if (world.rank() == 2)
    script->add(io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device));
  io::opener const breaking = io::with_faults(io::posix_opener(), script);
  auto f =
      io::file::open(world, "state.dat", io::mode::create | io::mode::read_write, {}, breaking);
  f.set_view(8000 * world.rank(), io::type<double>);
  std::vector<double> u(1000);
  // [returned]
  std::error_code error;
  // r.bytes: the bytes that this rank wrote, also after an error
  io::report const r = f.write_all(u, error);
  bool const elsewhere = error == io::errc::error_on_another_rank;
  std::string const why = f.what_failed();  // the text that the exception would have
  // [returned]
  // [classes]
  io::errc const which = io::classify(error);             // a class for any error code
  std::string_view const what_to_do = io::remedy(which);  // one sentence
  int const mpi_class = io::to_mpi_class(error);          // MPI_ERR_NO_SPACE, on rank 2
  // [classes]
  REQUIRE(!what_to_do.empty() && mpi_class != MPI_SUCCESS);
  REQUIRE(elsewhere == (world.rank() != 2) && r.bytes == (elsewhere ? 8000 : 0));
  REQUIRE(error == (world.rank() == 2 ? io::errc::no_space : io::errc::error_on_another_rank));
  REQUIRE(io::to_mpi_class(error) == (world.rank() == 2 ? MPI_ERR_NO_SPACE : MPI_ERR_OTHER));
  print_in_turn(world, why);
  REQUIRE(f.position() == 0);
  // there is space again, and the file is still usable
  REQUIRE(f.write_all(u).bytes == 8000);
  f.close();
}

void different(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "state.dat", io::mode::read_write, io::hints{.develop = true});
  std::error_code error;
  f.set_size(world.rank() == 2 ? 4000 : 8000, error);
  REQUIRE(error == io::errc::not_same);
  REQUIRE(f.what_failed().find("argument 'size' must be equal on all ranks: it is 4000 (") !=
          std::string::npos);
  REQUIRE(f.what_failed().find(") on rank 2, it is 8000 (") != std::string::npos);
  f.close();
}

void not_synced(boost::mpi::communicator const& world) {
  auto const script = std::make_shared<io::fault_script>();
  if (world.rank() == 1) script->add(io::fail_at(io::file_call::sync, 1, std::errc::io_error));
  io::opener const breaking = io::with_faults(io::posix_opener(), script);
  auto f = io::file::open(world, "state.dat", io::mode::read_write, {}, breaking);
  std::vector<double> const u(1000);
  int tries = 0;
  // [sync_again]
  std::error_code error;
  f.sync(error);
  while (error && ++tries < 3) {
    // writes all data again that was written since the last successful sync
    f.write_at_all(8000 * world.rank(), u);
    f.clear_sync_error();  // local, so every rank calls it
    f.sync(error);
  }
  // [sync_again]
  REQUIRE(tries == 1 && !error);
  f.close();

  script->clear();
  if (world.rank() == 1) script->add(io::fail_at(io::file_call::sync, 1, std::errc::io_error));
  auto g = io::file::open(world, "state.dat", io::mode::read_write, {}, breaking);
  g.sync(error);
  g.sync(error);
  REQUIRE(error == (world.rank() == 1 ? io::errc::io : io::errc::error_on_another_rank));
  g.close();
}

// Checks that the page has the message and the remedy of every error, with the library's text.
void words_of_the_page() {
  std::ifstream in(ARGOSY_ERRORS_MD);
  std::string const page{std::istreambuf_iterator<char>(in), {}};
  for (int value = 1; value <= static_cast<int>(io::errc::rank_failed); ++value) {
    auto const e = static_cast<io::errc>(value);
    for (std::string const& words :
         {io::make_error_code(e).message(), std::string(io::remedy(e))}) {
      if (page.find(" | " + words) != std::string::npos) continue;
      std::fprintf(stderr, "errors.md does not say: %s\n", words.c_str());
      boost::mpi::environment::abort(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  boost::mpi::environment const environment(argc, argv);
  boost::mpi::communicator const world;
  std::string directory =
      (std::filesystem::temp_directory_path() / "argosy_snippets_XXXXXX").string();
  if (world.rank() == 0 && ::mkdtemp(directory.data()) == nullptr) environment.abort(1);
  boost::mpi::broadcast(world, directory, 0);
  std::filesystem::current_path(directory);
  thrown(world);
  returned(world);
  different(world);
  not_synced(world);
  words_of_the_page();
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove_all(directory);
}

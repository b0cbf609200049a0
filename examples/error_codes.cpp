// Errors as codes: no exception, the same decision on every rank, and the message of the rank that
// failed.
// Run: mpiexec -n 4 build/release/bin/error_codes
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <iostream>
#include <system_error>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const say = [&](auto const& text) {
    if (world.rank() == 0) std::cout << text << "\n";
  };

  std::error_code error;
  auto f = io::file::open(world, "no/such/directory/state.dat", io::mode::read, error);
  // compares with io::errc, and with std::errc
  bool well = error == io::errc::no_such_file && !f.is_open();
  say("open: " + error.message());

  f = io::file::open(world, "error_codes.dat",
                     io::mode::create | io::mode::write | io::mode::delete_on_close, error);
  if (error) return 1;
  // One rank makes a mistake: no rank writes, and all ranks get the error. Without `error` each
  // rank would throw an io::error.
  int const wrong = world.size() - 1;
  std::vector<double> const u(100, 1.0);
  f.write_at_all(world.rank() == wrong ? -1 : 800 * world.rank(), u, error);
  well = well &&
         error == (world.rank() == wrong ? io::errc::argument : io::errc::error_on_another_rank);
  say("write_at_all: " + error.message());
  say(f.what_failed());  // the message, with rank, cause and remedy; the same on all ranks

  // the file is still usable
  io::report const r = f.write_at_all(800 * world.rank(), u, error);
  well = well && !error && r.bytes == 800;
  f.close(error);
  return well && !error ? 0 : 1;
}

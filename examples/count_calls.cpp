// How many calls does my program make? An opener puts a counting handle around the file. Handles
// that trace, slow down or fail work in the same way.
// Run: mpiexec -n 4 build/release/bin/count_calls
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/policy.hpp>

#include <boost/mpi/collectives/all_reduce.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  std::vector<double> const u(500, world.rank());
  std::int64_t runs_before = 0;
  for (io::extend::any_policy const& policy :
       {io::extend::any_policy(io::two_phase()), io::extend::any_policy(io::independent())}) {
    auto const counts = std::make_shared<io::call_counts>();
    io::opener const counted = io::with_counting(io::posix_opener(), counts);
    auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
    auto f = io::file::open(world, "count_calls.dat", temporary, {}, counted);
    f.set_view(8 * world.rank(), io::resized(io::type<double>, 0, 8 * world.size()));
    f.write_all(u, policy);
    f.close();
    // A call may have many parts. Each part that does not follow the one before in the file begins
    // a new run.
    std::int64_t const runs =
        boost::mpi::all_reduce(world, counts->runs(io::file_call::write), std::plus<>());
    if (world.rank() == 0)
      std::cout << policy.name() << ": " << runs
                << " stretches of the file written, by all ranks\n";
    // equal on all ranks
    if (runs < runs_before || (world.size() > 1 && runs == runs_before)) return 1;
    runs_before = runs;
  }
}

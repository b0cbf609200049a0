// The snippets of docs/use/reports.md, in its order. Assertions check what the page claims.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdio>
#include <system_error>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto const created = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "reports.dat", created);
  std::vector<double> const u(100'000, world.rank());
  bool well = true;
  // [times]
  io::report const r = f.write_at_all(800'000 * world.rank(), u, io::two_phase{});
  double const in_file = static_cast<double>(r.file_ns) / static_cast<double>(r.time_ns);
  std::printf("rank %d: %.0f MB/s, %.0f %% of it reading and writing\n%s", world.rank(),
              r.mb_per_s(), 100 * in_file, io::to_table(r).c_str());
  // [times]
  well = well && r.time_ns > 0 && in_file <= 1;
  auto const compute = [&] { world.barrier(); };
  // [overlap]
  io::request q = f.iwrite_at_all(800'000 * world.rank(), u);
  compute();
  io::report const later = q.wait();
  double const hidden =
      1 - static_cast<double>(later.waited_ns) / static_cast<double>(later.time_ns);
  // [overlap]
  well = well && later.in_background && later.time_ns > 0 && hidden < 1;
  // [sum]
  io::summed_report const all = io::summed(r, world);      // collective
  auto const slowest = all.of(&io::report::time_ns).most;  // also .least, .mean() and .sum
  if (world.rank() == 0) std::printf("%s", io::to_table(all).c_str());
  // [sum]
  well = well && all.of(&io::report::bytes).sum == 800'000 * world.size() && slowest >= r.time_ns;
  bool failed = false;
  // [failed]
  try {
    f.write_at_all(-1, u);
  } catch (io::error const& e) {
    // null if the call moves no data
    if (io::report const* const before = e.report()) failed = before->bytes == 0;
  }
  // [failed]
  f.close();
  return well && failed ? 0 : 1;
}

// A header written by rank 0, and an array behind it, for Python:
//
//   import numpy
//   header = numpy.fromfile("numpy.dat", dtype=[("rows", "<i8"), ("columns", "<i8"), ("time",
//   "<f8")], count=1)[0]
//   u = numpy.memmap("numpy.dat", dtype="<f8", mode="r", offset=4096, shape=(header["rows"],
//   header["columns"]))
//
// Run: mpiexec -n 4 build/release/bin/numpy
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <vector>

namespace io = argosy;

struct header {
  std::int64_t rows, columns;
  double time;
};
io::members<&header::rows, &header::columns, &header::time> describe(header const&);

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  // leaves space for a longer header, and begins the data with a block
  constexpr std::int64_t data_start = 4096;
  // Each rank has 10 rows. The order is that of C, one row after the other, as numpy expects.
  header const h{10 * world.size(), 30, 0.75};
  std::vector<double> const u(10 * 30, world.rank());

  auto f = io::file::open(world, "numpy.dat", io::mode::create | io::mode::write);
  f.set_size(0);
  // Other ranks take part without data.
  f.write_at_all(0, world.rank() == 0 ? io::memory(h) : io::const_buffer());
  f.set_view(data_start, io::darray<double, 2>({h.rows, h.columns}, io::distribute::block,
                                               {world.size(), 1}, world.rank()));
  f.write_all(u);
  f.close();

  if (world.rank() != 0) return 0;
  header back{};
  std::vector<double> all(static_cast<std::size_t>(h.rows * h.columns));
  std::ifstream in("numpy.dat", std::ios::binary);
  in.read(reinterpret_cast<char*>(&back), sizeof back);
  in.seekg(data_start);
  in.read(reinterpret_cast<char*>(all.data()),
          static_cast<std::streamsize>(all.size() * sizeof(double)));
  bool well = in && back.rows == h.rows && back.columns == 30 && back.time == 0.75;
  for (std::size_t i = 0; i < all.size(); ++i)
    well = well && all[i] == static_cast<double>(i / 300);
  std::cout << "numpy.dat: header of " << sizeof back << " bytes, " << back.rows << " x "
            << back.columns << " doubles from byte " << data_start << " on\n";
  return well ? 0 : 1;
}

// An array in a .vti file, which ParaView and VTK open by itself: XML, then the numbers as a view
// with a displacement leaves them. Run: mpiexec -n 4 build/release/bin/vti
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace io = argosy;

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  // [vti]
  std::int64_t const nz = 2 * world.size(), ny = 3, nx = 5;  // x runs fastest in the file
  io::darray<double, 3> const tile({nz, ny, nx}, io::distribute::block, {world.size(), 1, 1},
                                   world.rank());
  std::vector<double> u(static_cast<std::size_t>(2 * ny * nx));  // this rank's two planes
  std::iota(u.begin(), u.end(), 2.0 * static_cast<double>(ny * nx) * world.rank());

  std::string const extent = "0 " + std::to_string(nx - 1) + " 0 " + std::to_string(ny - 1) +
                             " 0 " + std::to_string(nz - 1);
  std::string const head =
      "<VTKFile type='ImageData' version='1.0' byte_order='LittleEndian' header_type='UInt64'>\n"
      "<ImageData WholeExtent='" +
      extent + "' Origin='0 0 0' Spacing='1 1 1'>\n<Piece Extent='" + extent +
      "'><PointData Scalars='u'>\n"
      "<DataArray type='Float64' Name='u' format='appended' offset='0'/>\n"
      "</PointData></Piece></ImageData>\n<AppendedData encoding='raw'>_";
  std::string const tail = "</AppendedData></VTKFile>\n";
  std::uint64_t const bytes = 8 * static_cast<std::uint64_t>(nz * ny * nx);
  std::int64_t const data_at = std::ssize(head) + 8, tail_at = data_at + 8 * nz * ny * nx;

  auto f =
      io::file::open(world, "u.vti", io::mode::create | io::mode::truncate | io::mode::read_write);
  bool const first = world.rank() == 0;
  f.write_at_all(0, first ? io::source(head) : io::source());
  f.write_at_all(data_at - 8, first ? io::source(bytes) : io::source());  // the size of the array
  f.write_at_all(tail_at, first ? io::source(tail) : io::source());
  f.set_view(data_at, tile);
  f.write_all(u);
  f.close();
  // [vti]
  bool well = true;
  if (first) {
    std::ifstream file("u.vti", std::ios::binary);
    std::vector<double> back(static_cast<std::size_t>(nz * ny * nx));
    file.seekg(data_at);
    file.read(reinterpret_cast<char*>(back.data()), static_cast<std::streamsize>(bytes));
    std::string end(tail.size(), ' ');
    file.read(end.data(), std::ssize(end));
    for (std::size_t i = 0; i < back.size(); ++i) well = well && back[i] == static_cast<double>(i);
    well = well && end == tail;
    std::cout << "u.vti: the numbers begin at byte " << data_at << "\n";
  }
  return well ? 0 : 1;
}

// .npy files under mpiexec, and the same files in NumPy. Without python3-numpy that part is
// skipped.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/npy.hpp>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "format/npy_cases.hpp"
#include "support/asking_before.hpp"
#include "support/python.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// Runs the script on rank 0. Returns false on all ranks if there is no NumPy.
bool python(io::mpi const& world, std::string const& what, std::string const& place) {
  world.barrier();
  std::int64_t has = 1;
  if (world.rank() == 0) {
    std::string const python = python_with("numpy");
    has = python.empty() ? 0 : 1;
    if (has == 0)
      skipped("python3 has no numpy: install python3-numpy");
    else
      CHECK(std::system((python + " " ARGOSY_TEST_NPY_CHECK " " + what + " " + place).c_str()) ==
            0);
  }
  world.broadcast(std::as_writable_bytes(std::span(&has, 1)), 0);
  return has != 0;
}

template <class T>
T value_of(std::int64_t n) {
  if constexpr (std::is_same_v<T, bool>)
    return n != 0;
  else if constexpr (io::detail::is_complex<T>)
    return T(static_cast<typename T::value_type>(n));
  else
    return static_cast<T>(n);
}

// Writes an array whose elements have their number in the order of C.
template <class T>
void write_one(io::mpi const& world, std::string const& path, io::order o) {
  constexpr std::int64_t sizes[] = {5, 3, 4};
  io::process_grid const grid(world.size(), 3);
  using namespace io::distribute;
  io::darray<T, 3> const tile({5, 3, 4}, {cyclic(2), block, cyclic}, grid, world.rank(),
                              io::type<T>, o);
  dealt const d{{5, 3, 4}, {grid.extent(0), grid.extent(1), grid.extent(2)}, {2, 0, 1}, o};
  auto mine = std::make_unique<T[]>(60);
  std::size_t n = 0;
  for (std::int64_t const k : d.numbers(world.rank())) {  // in the order of the file
    std::int64_t const in_c = o == io::order::c
                                  ? k
                                  : (k % sizes[0] * sizes[1] + k / sizes[0] % sizes[1]) * sizes[2] +
                                        k / (sizes[0] * sizes[1]);
    mine[n++] = value_of<T>(in_c);
  }
  auto f = io::npy::create(world, path, tile);
  f.write_all(std::span(mine.get(), n));
  f.close();
}

template <class... T>
void write_all_kinds(io::mpi const& world, shared_scratch<io::mpi> const& here) {
  for (io::order const o : {io::order::c, io::order::fortran})
    (write_one<T>(world,
                  here / (to_string(io::extend::dtype_of<T>())
                              .substr(2, to_string(io::extend::dtype_of<T>()).size() - 3) +
                          (o == io::order::c ? "C.npy" : "F.npy")),
                  o),
     ...);
}

// This rank's rows of an array of 6 x 4, in file order; the error if there is one.
template <class T>
std::vector<T> rows_of(io::mpi const& world, std::string const& path, io::order o = io::order::c) {
  io::darray<T, 2> const tile({6, 4}, io::distribute::block, {world.size(), 1}, world.rank(),
                              io::type<T>, o);
  std::vector<T> mine(static_cast<std::size_t>(io::array_part(tile).elements()));
  auto f = io::npy::open(world, path, tile);
  f.read_all(mine);
  f.close();
  return mine;
}

template <class T>
void check_rows(io::mpi const& world, std::string const& path) {
  std::vector<T> const mine = rows_of<T>(world, path);
  std::int64_t const first =
      std::min<std::int64_t>((6 + world.size() - 1) / world.size() * world.rank(), 6) * 4;
  for (std::size_t i = 0; i < mine.size(); ++i)
    CHECK(mine[i] == static_cast<T>(first + static_cast<std::int64_t>(i)));
}

}  // namespace

TEST_CASE("what processes write is the array, and other processes read it in other parts",
          "[format][npy][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_random_npy_files(world, here / "f.npy", io::posix_opener(), 3);
}

TEST_CASE("a wrong type, shape, order or amount is an error in all processes",
          "[format][npy][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_npy_errors(world, here / "f.npy", io::posix_opener());
}

TEST_CASE("NumPy loads and maps what ranks write, and ranks read what Python changed",
          "[format][npy][numpy]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  write_all_kinds<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                  std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t, bool,
                  std::complex<float>, std::complex<double>, long double>(world, here);
  {
    io::darray<particle, 1> const tile({20}, io::distribute::cyclic(3), {world.size()},
                                       world.rank());
    dealt const d{{20}, {world.size()}, {3}, io::order::c};
    std::vector<particle> mine;
    for (std::int64_t const n : d.numbers(world.rank())) number_to(n, mine.emplace_back());
    auto f = io::npy::create(world, here / "record.npy", tile);
    f.write_all(mine);
    f.close();
    f = io::npy::create(world, here / "single.npy", io::type<double>);
    double const one = 2.5;
    f.write_all(one);
    f.close();
    f = io::npy::create(
        world, here / "empty.npy",
        io::darray<double, 2>({0, 3}, io::distribute::block, {world.size(), 1}, world.rank()));
    f.write_all(std::span<double const>());
    f.close();
  }
  if (!python(world, "check", here / "")) return;
  io::darray<double, 3> const all({5, 3, 4}, io::distribute::block, {1, 1, 1}, 0);
  std::vector<double> u(60);
  auto f = io::npy::open(world, here / "f8C.npy", all);
  f.read_all(u);
  f.close();
  CHECK(u[58] == 58);
  CHECK(u[59] == -1);
}

TEST_CASE("ranks read what NumPy writes: versions, byte orders, padded records, Fortran order",
          "[format][npy][numpy]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  if (!python(world, "write", here / "")) return;
  for (char const* name : {"little.npy", "big.npy", "version2.npy", "version3.npy"})
    check_rows<double>(world, here / name);
  CHECK(io::npy::header_of(world, here / "version2.npy").version == 2);
  CHECK(io::npy::header_of(world, here / "version3.npy").version == 3);
  CHECK(to_string(io::npy::header_of(world, here / "times.npy").type) == "'<M8[D]'");
  CHECK_THROWS_AS(io::npy::header_of(world, here / "objects.npy"), io::error);
  CHECK_THROWS_AS(rows_of<int>(world, here / "fortran.npy"), io::error);
  std::vector<int> const mine = rows_of<int>(world, here / "fortran.npy", io::order::fortran);
  std::int64_t const block = (6 + world.size() - 1) / world.size(),
                     first = std::min<std::int64_t>(block * world.rank(), 6);
  std::int64_t const height = std::min(block, 6 - first);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(mine.size()); ++i)
    CHECK(mine[static_cast<std::size_t>(i)] == (first + i % height) * 4 + i / height);

  io::darray<particle, 1> const tile({20}, io::distribute::block, {world.size()}, world.rank());
  std::vector<particle> some(static_cast<std::size_t>(io::array_part(tile).elements()));
  auto f = io::npy::open(world, here / "padded.npy", tile);
  f.read_all(some);
  f.close();
  std::int64_t const before =
      std::min<std::int64_t>((20 + world.size() - 1) / world.size() * world.rank(), 20);
  for (std::size_t i = 0; i < some.size(); ++i)
    CHECK(is_number(before + static_cast<std::int64_t>(i), some[i]));
}

TEST_CASE("what create could not make is removed, but not what has its name by then",
          "[format][npy][names]") {
  io::mpi const world(MPI_COMM_WORLD);
  for (bool const replaced : {false, true}) {
    CAPTURE(replaced);
    shared_scratch const here(world);
    int resized = 0;
    io::opener const files = with_question(
        io::posix_opener(),
        [&](std::string const& path, io::extend::handle_call const& call) -> std::error_code {
          if (world.rank() != 0 || call.kind != io::file_call::resize || ++resized < 2) return {};
          if (replaced) {
            std::ofstream(here / "finished") << "of another";
            std::filesystem::rename(here / "finished", path);
          }
          return std::make_error_code(std::errc::no_space_on_device);
        });
    io::darray<double, 1> const tile({30}, io::distribute::block, {world.size()}, world.rank());
    std::error_code error;
    auto f = io::npy::create(world, here / "u.npy", tile, error, files);
    CHECK(failed_on(world, 0, io::errc::no_space, error));
    CHECK(std::filesystem::exists(here / "u.npy") == replaced);
    CHECK(content_of(here / "u.npy") == (replaced ? "of another" : ""));
    world.barrier();
  }
}

// HDF5 files under mpiexec, and the same files in h5py. Without h5py that part is skipped;
// cmake/hdf5.sh installs it.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <argosy/format/hdf5.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <argosy/format/npy.hpp>

#include "format/hdf5_cases.hpp"
#include "support/python.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// The number of files for h5py.
int trips() {
  char const* const said = std::getenv("ARGOSY_TEST_HDF5_TRIPS");
  return said ? std::atoi(said) : 12;
}

// Runs the script on rank 0. Returns false on all ranks if h5py is missing.
bool python(io::mpi const& world, std::string const& what) {
  world.barrier();
  std::int64_t has = 1;
  if (world.rank() == 0) {
    std::string const python =
        python_with("h5py, hdf5plugin, netCDF4, xarray", ARGOSY_TEST_HDF5_PYTHON);
    has = python.empty() ? 0 : 1;
    if (has == 0)
      skipped("python3 has no h5py, hdf5plugin, netCDF4 and xarray: run cmake/hdf5.sh");
    else
      CHECK(std::system((python + " " ARGOSY_TEST_HDF5_CHECK " " + what).c_str()) == 0);
  }
  world.broadcast(std::as_writable_bytes(std::span(&has, 1)), 0);
  return has != 0;
}

template <class T>
T value_of(std::int64_t n) {
  if constexpr (std::is_same_v<T, particle>) {
    T p{};
    number_to(n, p);
    return p;
  } else if constexpr (std::is_same_v<T, bool>) {
    return n % 2 == 1;
  } else if constexpr (io::detail::is_complex<T>) {
    return T(static_cast<typename T::value_type>(n % 100),
             -static_cast<typename T::value_type>(n % 7));
  } else {
    return static_cast<T>(n % 100);
  }
}

template <class T>
bool same(T const& a, T const& b) {
  if constexpr (std::is_same_v<T, particle>)
    return std::ranges::equal(a.x, b.x) && a.id == b.id;
  else
    return a == b;
}

// Memory of any type; a vector of bool has no elements in memory.
template <class T>
struct elements {
  explicit elements(std::size_t n) : memory(new T[n]()), size(n) {}
  std::span<T> all() const { return {memory.get(), size}; }
  std::unique_ptr<T[]> memory;
  std::size_t size;
};

template <class T>
void write_one(io::mpi const& world, std::string const& path, std::mt19937_64& random) {
  dealt d = dealt::any(random, world.size());
  d.o = io::order::c;
  io::hdf5_options how = any_layout(random, d.sizes);
  how.attributes = {{"units", "m/s"}, {"caf\u00e9", "caf\u00e9"}};
  if (!how.chunks.empty()) how.attributes.emplace_back("chunk", how.chunks);
  auto const numbers = d.numbers(world.rank());
  elements<T> const mine(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) mine.memory[i] = value_of<T>(numbers[i]);
  auto const tile = d.tile<T>(world.rank());
  io::hdf5_content c;
  c.add("g/u", tile, how).add("scalar", io::type<std::int64_t>).add_group("g", {{"number", 3}});
  c.add_group("", {{"list", std::array{1.5, 2.5}}, {"texts", std::array{"y", "caf\u00e9"}}})
      .add_group("none");
  CAPTURE(to_string(c), d.grid, d.block);
  auto f = io::hdf5::create(world, path, c);
  std::int64_t const scalar = 7;
  f.write_all("scalar", io::type<std::int64_t>, scalar);
  f.write_all("g/u", tile, mine.all());
  f.close();
}

template <class T>
bool read_one(io::mpi const& world, std::string const& path, io::hdf5_dataset const& u,
              std::mt19937_64& random) {
  io::extend::dtype const type = io::extend::dtype_of<T>();
  if (u.type.kind != type.kind || u.type.bytes != type.bytes) return false;
  dealt d = dealt::any(random, world.size());
  d.o = io::order::c;
  d.sizes = u.shape;
  if (d.sizes.empty()) d.sizes = {1};
  io::process_grid const balanced(world.size(), static_cast<int>(d.sizes.size()));
  d.grid.assign(balanced.extents().begin(), balanced.extents().end());
  d.block.resize(d.sizes.size());
  for (std::int64_t& b : d.block) b = static_cast<std::int64_t>(random() % 4);
  io::array_part const tile =
      u.shape.empty() ? io::array_part(io::type<T>) : io::array_part(d.tile<T>(world.rank()));
  elements<T> const found(static_cast<std::size_t>(tile.elements())), expected(found.size);
  auto f = io::hdf5::open(world, path + ".h5");
  f.read_all("some/group/u", tile, found.all());
  f.close();
  auto g = io::npy::open(world, path + ".npy", tile);
  g.read_all(expected.all());
  g.close();
  CHECK(std::ranges::equal(found.all(), expected.all(), same<T>));
  // They are in any order: HDF5 moves them in a header that gets full.
  CHECK(u.options.attributes.size() == 2);
  for (io::hdf5_attribute const& a : u.options.attributes)
    CHECK((a.name == "units" ? a.text() == "K"
                             : a.name == "numbers" && a.numbers<int>() == std::vector{0, 1, 2}));
  return true;
}

template <class... T>
struct all_types {
  static void write(io::mpi const& world, std::string const& path, std::mt19937_64& random) {
    std::uint64_t const chosen = random() % sizeof...(T);
    std::uint64_t k = 0;
    ((k++ == chosen ? write_one<T>(world, path, random) : void()), ...);
  }
  static bool read(io::mpi const& world, std::string const& path, std::mt19937_64& random) {
    io::hdf5_content const c = io::hdf5::content_of(world, path + ".h5");
    io::hdf5_dataset const* const u = c.find("some/group/u");
    CAPTURE(path, to_string(c));
    return u && (read_one<T>(world, path, *u, random) || ...);
  }
};
using types_of_hdf5 = all_types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float,
                                double, std::complex<float>, std::complex<double>, particle>;

}  // namespace

TEST_CASE("h5py reads what ranks write, and can change it", "[format][hdf5][trips]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  for (int i = 0; i < trips(); ++i)
    types_of_hdf5::write(world, here / ("a" + std::to_string(i) + ".h5"), random);
  python(world, "check " + (here / ""));
}

TEST_CASE("ranks read what h5py writes", "[format][hdf5][trips]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  if (!python(world, "write " + (here / "") + " " + std::to_string(trips()) + " " +
                         std::to_string(seed())))
    return;
  for (int i = 0; i < trips(); ++i)
    CHECK(types_of_hdf5::read(world, here / ("a" + std::to_string(i)), random));
}

TEST_CASE("netCDF-4 and xarray name the dimensions of a file that grows", "[format][hdf5][trips]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::int64_t const n = 4 * world.size();
  auto const step = [&](std::int64_t t, std::int64_t steps) {
    return io::subarray({steps, 3, n}, {1, 3, 4}, {t, 0, 4 * world.rank()}, io::type<float>);
  };
  io::subarray const row({n}, {4}, {4 * world.rank()}, io::type<double>);
  io::hdf5_content c;
  c.add("u", step(0, 1),
        {.most = 10, .dimension_names = {"time", "y", "x"}, .attributes = {{"units", "K"}}});
  c.add("x", row, {.dimension_names = {"x"}}).add_group("", {{"title", "a run"}});
  auto f = io::hdf5::create(world, here / "run.nc", c);
  std::vector<double> x(4);
  for (std::size_t i = 0; i < 4; ++i) x[i] = 0.5 * (static_cast<double>(i) + 4 * world.rank());
  f.write_all("x", row, x);
  std::vector<float> u(12);
  for (std::int64_t t = 0; t < 3; ++t) {
    for (std::size_t i = 0; i < 12; ++i)
      u[i] = static_cast<float>(100 * t) + static_cast<float>(i % 4) +
             4 * static_cast<float>(world.rank());
    f.grow("u", t + 1);
    f.write_all("u", step(t, t + 1), u);
  }
  f.close();
  python(world, "netcdf " + (here / "run.nc"));
}

TEST_CASE("what processes write to HDF5 files is read by other processes, in other parts",
          "[format][hdf5][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_random_hdf5_files(world, here / "u", io::posix_opener(), 3);
  check_hdf5_growth(world, here / "v", io::posix_opener(), {});
  check_hdf5_growth(world, here / "w", io::posix_opener(), {io::hdf5_filter::shuffle()});
}

TEST_CASE("wrong content, types, shapes and amounts are errors in all processes",
          "[format][hdf5][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_hdf5_errors(world, here / "u", io::posix_opener());
}

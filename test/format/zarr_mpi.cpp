// Zarr arrays under mpiexec, and the same arrays in zarr-python and tensorstore. Without these that
// part is skipped; cmake/zarr.sh installs them.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <sched.h>

#include <argosy/format/zarr.hpp>

#include <algorithm>
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
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/detail/host.hpp>

#include "format/zarr_cases.hpp"
#include "format/zarr_group_cases.hpp"
#include "format/zarr_whole_cases.hpp"
#include "support/python.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// The number of arrays for the libraries of Python.
int trips() {
  char const* const said = std::getenv("ARGOSY_TEST_ZARR_TRIPS");
  return said ? std::atoi(said) : 12;
}

struct any_of_ranks {
  bool value = false;
  void combine(any_of_ranks const& other) { value = value || other.value; }
};

// Runs the script on rank 0. Returns false on all ranks if the libraries are missing.
bool python(io::mpi const& world, std::string const& what) {
  world.barrier();
  std::int64_t has = 1;
  if (world.rank() == 0) {
    std::string const python = python_with("zarr, tensorstore, xarray", ARGOSY_TEST_ZARR_PYTHON);
    has = python.empty() ? 0 : 1;
    if (has == 0)
      skipped("python3 has no zarr, tensorstore and xarray: run cmake/zarr.sh");
    else
      CHECK(std::system((python + " " ARGOSY_TEST_ZARR_CHECK " " + what).c_str()) == 0);
  }
  world.broadcast(std::as_writable_bytes(std::span(&has, 1)), 0);
  return has != 0;
}

template <class T>
T value_of(std::int64_t n) {
  if constexpr (std::is_same_v<T, bool>)
    return n % 2 == 1;
  else if constexpr (io::detail::is_complex<T>)
    return T(static_cast<typename T::value_type>(n % 100),
             -static_cast<typename T::value_type>(n % 7));
  else
    return static_cast<T>(n % 100);
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
  dealt const d = dealt::any(random, world.size());
  io::zarr_options how = any_options(random, d.sizes);
  how.attributes = std::string(R"({"text": "caf\u00e9", "order": ")") +
                   (d.o == io::order::c ? "C" : "F") + "\"}";
  for (std::size_t k = 0; k < d.sizes.size(); ++k)
    how.dimension_names.push_back("d" + std::to_string(k));
  if (random() % 2 == 0 && !std::is_same_v<T, bool>) how.fill_value = "1";
  auto const numbers = d.numbers(world.rank());
  elements<T> const mine(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) mine.memory[i] = value_of<T>(numbers[i]);
  auto z = io::zarr::create(world, path, d.tile<T>(world.rank()), how);
  z.write_all(mine.all());
  z.close();
}

template <class T>
bool read_one(io::mpi const& world, std::string const& path, io::zarr_header const& h,
              std::mt19937_64& random) {
  if (h.type != io::extend::dtype_of<T>()) return false;
  dealt d = dealt::any(random, world.size());
  d.o = io::order::c;
  d.sizes = h.shape;
  io::process_grid const balanced(world.size(), static_cast<int>(h.shape.size()));
  d.grid.assign(balanced.extents().begin(), balanced.extents().end());
  d.block.resize(h.shape.size());
  for (std::int64_t& b : d.block) b = static_cast<std::int64_t>(random() % 4);
  CAPTURE(path, d.sizes, d.grid, d.block, to_string(h));
  auto const tile = d.tile<T>(world.rank());
  elements<T> const found(d.numbers(world.rank()).size()), expected(found.size);
  auto z = io::zarr::open(world, path, tile);
  z.read_all(found.all());
  z.close();
  auto f = io::npy::open(world, path + ".npy", tile);
  f.read_all(expected.all());
  f.close();
  CHECK(std::ranges::equal(found.all(), expected.all()));
  return true;
}

// An array without dimensions.
template <class T>
bool read_scalar(io::mpi const& world, std::string const& path, io::zarr_header const& h) {
  if (h.type != io::extend::dtype_of<T>()) return false;
  T found{}, expected{};
  auto z = io::zarr::open(world, path, io::type<T>);
  z.read_all(found);
  z.close();
  auto f = io::npy::open(world, path + ".npy", io::type<T>);
  f.read_all(expected);
  f.close();
  CHECK(found == expected);
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
    io::zarr_header const h = io::zarr::header_of(world, path);
    return h.shape.empty() ? (read_scalar<T>(world, path, h) || ...)
                           : (read_one<T>(world, path, h, random) || ...);
  }
};
using numbers_of_zarr = all_types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float,
                                  double, std::complex<float>, std::complex<double>>;

}  // namespace

TEST_CASE("zarr-python and tensorstore read what ranks write", "[format][zarr][trips]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  for (int i = 0; i < trips(); ++i)
    numbers_of_zarr::write(world, here / ("a" + std::to_string(i)), random);
  python(world, "check " + (here / ""));
}

TEST_CASE("ranks read what zarr-python and tensorstore write", "[format][zarr][trips]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::mt19937_64 random(seed());
  if (!python(world, "write " + (here / "") + " " + std::to_string(trips()) + " " +
                         std::to_string(seed())))
    return;
  for (int i = 0; i < trips(); ++i)
    CHECK(numbers_of_zarr::read(world, here / ("a" + std::to_string(i)), random));
}

TEST_CASE("xarray opens a group of arrays by the names of dimensions", "[format][zarr][trips]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const run = here / "run.zarr";
  io::zarr::create_group(world, run, R"({"title": "a run"})");
  auto const write = [&](std::string const& name, std::vector<std::int64_t> const& sizes,
                         std::vector<std::string> names, std::string attributes) {
    dealt d{sizes, std::vector<std::int64_t>(sizes.size(), 1), {}, io::order::c};
    d.grid.back() = world.size();
    d.block.assign(sizes.size(), 0);
    auto z = io::zarr::create(
        world, run + "/" + name, d.tile<double>(world.rank()),
        {.dimension_names = std::move(names), .attributes = std::move(attributes)});
    std::vector<double> mine;
    for (std::int64_t const n : d.numbers(world.rank()))
      mine.push_back(static_cast<double>(sizes.size() == 1 ? n : 100 * (n / 40) + n % 40));
    z.write_all(mine);
    z.close();
  };
  write("time", {3}, {"time"}, {});
  write("x", {40}, {"x"}, {});
  io::zarr::consolidate(world, run);
  write("u", {3, 40}, {"time", "x"}, R"({"units": "K"})");
  io::zarr::create_group(world, run + "/more");
  write("more/v", {5}, {"y"}, {});
  io::zarr::pack(world, run, run + ".zip");
  python(world, "group " + run);
}

TEST_CASE("what processes write is the array, and other processes read it in other parts",
          "[format][zarr][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_random_zarrs(world, here / "u", io::posix_opener(), 4);
}

TEST_CASE("processes write parts of one shard at the same time, and none is lost",
          "[format][zarr]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_zarr_alone(world, here / "u", io::posix_opener());
  check_zarr_growth(world, here / "v", io::posix_opener());
}

TEST_CASE("processes that have whole shards go by themselves", "[format][zarr][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_whole_shards(world, here / "u", io::posix_opener(), 6);
  check_shared_shards(world, here / "v", io::posix_opener());
}

TEST_CASE("a wrong type, shape, option or amount is an error in all processes",
          "[format][zarr][errors]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  check_zarr_errors(world, here / "u", io::posix_opener());
  check_zarr_groups(world, here / "g", io::posix_opener());
  check_consolidated(world, here / "h", io::posix_opener());
  check_packed(world, here / "p", io::posix_opener());
}

TEST_CASE("the plan expects a longer time if the owners of shards share one processor",
          "[format][zarr]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  cpu_set_t given;
  REQUIRE(::sched_getaffinity(0, sizeof given, &given) == 0);
  io::detail::processor_set all = io::detail::processor_set::of_this_process();
  world.all_reduce(all);
  if (world.node().size() < world.size() || std::min<std::int64_t>(all.count(), world.size()) < 2)
    return skipped("this needs two ranks on two processors of a node");
  auto const expected_ns = [&] {
    std::int64_t const n = 512;
    io::darray<float, 2> const tile({n, n}, io::distribute::block, {1, world.size()}, world.rank());
    std::vector<float> const u(static_cast<std::size_t>(io::array_part(tile).elements()));
    auto z = io::zarr::create(world, here / "u", tile, {.chunks = {8, n}});
    io::zarr_plan const p =
        z.explain_all(io::access_kind::write, u, io::two_phase{.aggregators = world.size()});
    CHECK(p.owners.size() >= 2);
    CHECK(p.file.window_bytes > 8 * p.shard_bytes);
    z.close();
    return p.expected_ns;
  };
  double const apart = expected_ns();
  std::uint64_t first = 0;
  while ((all.bits[first / 64] >> first % 64 & 1) == 0) ++first;
  world.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  any_of_ranks refused{::sched_setaffinity(0, sizeof one, &one) != 0};
  world.all_reduce(refused);
  double const shared = expected_ns();
  CHECK(::sched_setaffinity(0, sizeof given, &given) == 0);
  if (refused.value) return skipped("a rank may not use the processor of another");
  CAPTURE(apart, shared);
  CHECK(shared > 1.5 * apart);
}

TEST_CASE("a collective write encodes each shard once, in two-phase windows of whole shards",
          "[format][zarr]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  // The parts cut every shard.
  std::int64_t const n = 256;
  io::darray<double, 2> const tile({n, n}, io::distribute::block, {1, world.size()}, world.rank());
  std::vector<double> const mine(static_cast<std::size_t>(io::array_part(tile).elements()),
                                 1.0 + world.rank());
  auto z = io::zarr::create(world, here / "u", tile, {.chunks = {32, 32}, .shards = {128, 256}});
  io::report const r = z.write_all(mine);
  CHECK(r.policy == (world.size() > 1 ? "two_phase" : "whole_shards"));
  std::int64_t calls = r.write_calls;
  reducible_total all{calls};
  world.all_reduce(all);
  CHECK(all.value <= 2);
  z.close();
}

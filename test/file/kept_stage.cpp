// The stage of collective calls stays with the communicator when a file is closed.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/detail/ranks/kept_stage.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/two_phase.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using io::detail::kept_for;
using io::detail::kept_stage;
using io::test::shared_scratch;

namespace {

constexpr std::int64_t numbers = 5000;  // each rank has so many

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD).duplicate(); }

// Returns the number of the stage that this rank keeps, or 0.
std::uint64_t number_kept(io::mpi const& world) {
  auto const kept = std::static_pointer_cast<kept_stage>(world.kept(kept_for::stage));
  return kept ? kept->number : 0;
}

// A file of which the ranks have every number in turn. `places` is how far numbers are apart.
class dealt_file {
 public:
  dealt_file(io::mpi const& world, std::string const& path, std::int64_t window_bytes,
             std::int64_t places = 1)
      : ranks_(world.size()),
        rank_(world.rank()),
        how_{.buffer_bytes = 2 * window_bytes, .window_bytes = window_bytes},
        f_(io::file::open(world, path, io::mode::create | io::mode::read_write)) {
    auto const number = io::type<std::int64_t>;
    f_.set_view({8 * places * rank_, number, io::resized(number, 0, 8 * places * ranks_)});
  }
  void write(int seed) {
    std::vector<std::int64_t> const mine = all_of(seed);
    CHECK(f_.write_at_all(0, mine, how_).policy == "two_phase");
  }
  bool holds(int seed) {
    std::vector<std::int64_t> found(numbers);
    f_.read_at_all(0, found, how_);
    return found == all_of(seed);
  }
  void close() { f_.close(); }

 private:
  std::vector<std::int64_t> all_of(int seed) const {
    std::vector<std::int64_t> mine;
    for (std::int64_t k = 0; k < numbers; ++k) mine.push_back(1000003 * seed + k * ranks_ + rank_);
    return mine;
  }

  int ranks_, rank_;
  io::two_phase how_;
  io::file f_;
};

}  // namespace

TEST_CASE("the next file uses the stage of the last one", "[file][stage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::uint64_t first = 0;
  for (int i = 0; i < 4; ++i) {
    dealt_file f(world, here / "a", 4096);
    f.write(i);
    CHECK(number_kept(world) == 0);  // the file has it
    CHECK(f.holds(i));
    f.close();
    if (i == 0) first = number_kept(world);
    CHECK(first != 0);
    CHECK(number_kept(world) == first);
  }
  CHECK(number_kept(world.duplicate()) == first);
  CHECK(number_kept(everyone()) == first);
  CHECK(number_kept(world.split(0, world.rank())) == 0);

  // smaller windows fit into it, larger ones do not
  dealt_file small(world, here / "b", 1024);
  small.write(10);
  CHECK(small.holds(10));
  small.close();
  CHECK(number_kept(world) == first);
  dealt_file large(world, here / "c", 16384);
  large.write(11);
  CHECK(large.holds(11));
  large.close();
  CHECK(number_kept(world) > first);
}

TEST_CASE("files that are open at the same time have stages of their own", "[file][stage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  dealt_file a(world, here / "a", 4096), b(world, here / "b", 4096);
  a.write(1);
  b.write(2);
  CHECK(a.holds(1));
  CHECK(b.holds(2));
  a.close();
  std::uint64_t const of_a = number_kept(world);
  dealt_file c(world, here / "c", 4096);
  c.write(3);
  b.close();
  CHECK(number_kept(world) != of_a);
  c.write(4);
  CHECK(c.holds(4));
  c.close();
  CHECK(number_kept(world) == of_a);
}

TEST_CASE("ranks that have kept different stages use none of them", "[file][stage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  auto const made_by = [&](std::string const& name) {
    dealt_file f(world, here / name, 4096);
    f.write(1);
    CHECK(f.holds(1));
    f.close();
    return number_kept(world);
  };
  std::uint64_t const first = made_by("a");
  for (int odd = 0; odd < world.size(); ++odd) {
    bool const mine = odd == world.rank();
    if (mine) world.keep(kept_for::stage, nullptr);
    CHECK(made_by("b") > first);
    if (world.size() == 1) break;
    std::uint64_t const again = made_by("c");
    if (mine) static_cast<kept_stage*>(world.kept(kept_for::stage).get())->number = first;
    CHECK(made_by("d") > again);
  }
}

TEST_CASE("a large stage is given back", "[file][stage]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  auto const most = static_cast<std::int64_t>(io::detail::most_kept_bytes());
  CHECK(most > 0);
  // Two windows and their counters are more than that. The numbers must reach as far.
  dealt_file f(world, here / "a", most / 2, most / (8 * numbers) + 1);
  f.write(1);
  CHECK(f.holds(1));
  f.close();
  CHECK(number_kept(world) == 0);
}

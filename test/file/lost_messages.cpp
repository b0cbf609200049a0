// Messages between nodes of calls in the background are lost. No rank may wait for them, data of
// other ranks must stay, and the file must go on.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>

#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

constexpr int numbers = 5000;

int sum_of(int mine) {
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// Makes a call in the background in which rank `who` loses its request number `answered`. Returns
// false if there were fewer requests.
bool check_loss(nodes_world const& world, std::string const& path, bool writes, int who,
                int answered) {
  auto f = io::basic_file<nodes_world>::open(world, path, mode::create | mode::read_write);
  f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())});
  std::vector<int> const before = numbers_from(world.rank() * numbers, numbers),
                         now = numbers_from(-numbers, numbers);
  std::vector<int> room(numbers);
  f.write_at_all(0, before);
  f.iread_at_all(0, room).wait();  // connects all ranks
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank() == who) nodes_world::until_loss = answered;
  MPI_Barrier(MPI_COMM_WORLD);

  std::error_code error;
  io::request q = writes ? f.iwrite_at_all(numbers, now) : f.iread_at_all(0, room);
  q.wait(error);
  std::string const told = q.what_failed();
  MPI_Barrier(MPI_COMM_WORLD);
  bool const lost = sum_of(world.rank() == who && nodes_world::until_loss < 0 ? 1 : 0) > 0;
  if (world.rank() == who) nodes_world::until_loss = -1;
  CAPTURE(writes, who, answered, lost, told);
  if (!lost) CHECK_FALSE(error);
  if (error) {
    CHECK(error == errc::rank_failed);
    CHECK_THAT(told, Catch::Contains("reached"));
  } else if (!writes) {
    CHECK(room == before);
  }
  bool const failed = sum_of(error ? 1 : 0) > 0;

  // If a rank failed, calls in the background are no longer possible on this file. Otherwise they
  // are.
  room.assign(numbers, 0);
  f.iread_at_all(0, room).wait(error);
  CHECK(static_cast<bool>(error) == failed);
  f.read_at_all(0, room, error);
  CHECK_FALSE(error);
  CHECK(room == before);
  // Each number that was being written must be new or missing.
  room.assign(numbers, 0);
  f.read_at_all(numbers, room, error);
  CHECK_FALSE(error);
  int wrong = 0;
  for (std::size_t i = 0; i < room.size(); ++i) wrong += room[i] != 0 && room[i] != now[i];
  CHECK(wrong == 0);
  f.write_at_all(numbers, now, error);
  CHECK_FALSE(error);
  f.read_at_all(numbers, room, error);
  CHECK(room == now);
  f.close(error);
  CHECK_FALSE(error);
  return lost;
}

}  // namespace

TEST_CASE("no rank waits for a message that is lost in the background", "[file][errors]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  shared_scratch<io::mpi> const here(ranks);
  std::vector<nodes_world> worlds{nodes_world(ranks, {1})};
  if (ranks.size() > 2) worlds.push_back(nodes_world(ranks, {(ranks.size() + 1) / 2, true}));
  for (nodes_world const& world : worlds)
    for (bool writes : {true, false})
      for (int who : {0, ranks.size() - 1})
        for (int answered = 0; check_loss(world, here / "data", writes, who, answered);
             ++answered) {
        }
}

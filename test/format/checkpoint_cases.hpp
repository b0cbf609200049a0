// Checkpoints in any world. Each function is called by all ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <argosy/format/basic_checkpoint.hpp>

#include "format/array_cases.hpp"

namespace argosy::test {

struct settings {
  std::array<double, 2> limits;
  std::int32_t kind;
};

// The state of a program in generation `number`: an array of numbers, one of records, an empty one,
// and values that all ranks have.
struct state {
  std::int64_t number = 0;
  dealt grid{{23, 14}, {}, {3, 2}, order::fortran}, line{{41}, {}, {0}, order::c};
  std::vector<double> u;
  std::vector<particle> p;
  std::vector<int> nothing;
  settings set{};
  std::vector<float> table = std::vector<float>(5);
  int ranks = 1, rank = 0;

  // The state of one rank of `ranks_`. If `filled`, it has the values of this generation.
  state(int rank_, int ranks_, std::int64_t generation, bool filled, std::uint64_t how = 0)
      : ranks(ranks_), rank(rank_) {
    process_grid const two(ranks, 2);
    grid.grid = {two.extent(how % 2 == 0 ? 0 : 1), two.extent(how % 2 == 0 ? 1 : 0)};
    grid.block = {static_cast<std::int64_t>(how % 5), static_cast<std::int64_t>(how / 2 % 3)};
    line.grid = {ranks};
    line.block = {static_cast<std::int64_t>(how % 3)};
    u.resize(grid.numbers(rank).size());
    p.resize(line.numbers(rank).size());
    if (!filled) return;
    number = generation;
    auto const of_u = grid.numbers(rank), of_p = line.numbers(rank);
    for (std::size_t i = 0; i < u.size(); ++i) number_to(of_u[i] + 1000 * number, u[i]);
    for (std::size_t i = 0; i < p.size(); ++i) number_to(of_p[i] + 1000 * number, p[i]);
    set = {{1.5, 2.5}, static_cast<std::int32_t>(number)};
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = static_cast<float>(number) + static_cast<float>(i);
  }

  template <communicator World>
  basic_checkpoint<World> named() {
    basic_checkpoint<World> c;
    c.add_value("generation", number)
        .add("u", grid.tile<double>(rank), u)
        .add("particles", line.tile<particle>(rank), p);
    c.add("nothing", darray<int, 1>({0}, distribute::block, {ranks}, rank), nothing)
        .add_value("settings", set)
        .add_value("table", table);
    return c;
  }
  // Returns true if this state is whole and of generation `n`.
  bool is(std::int64_t n) {
    state const expected(rank, ranks, n, true);
    auto const of_u = grid.numbers(rank), of_p = line.numbers(rank);
    bool well = number == n && set.limits == std::array{1.5, 2.5} && set.kind == n &&
                table == expected.table;
    for (std::size_t i = 0; i < u.size(); ++i) well = well && is_number(of_u[i] + 1000 * n, u[i]);
    for (std::size_t i = 0; i < p.size(); ++i) well = well && is_number(of_p[i] + 1000 * n, p[i]);
    return well;
  }
};

// All ranks save; some ranks load, in other parts.
template <communicator World>
void check_checkpoints(World const& world, std::string const& path, opener const& files,
                       int rounds) {
  std::mt19937_64 random(seed());
  for (int round = 1; round <= rounds; ++round) {
    CAPTURE(round, seed());
    state(world.rank(), world.size(), round, true, random() % 30)
        .template named<World>()
        .save(world, path, {}, files);
    int const readers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(world.size()));
    std::uint64_t const how = random() % 30;
    World const some = world.split(world.rank() < readers ? 0 : 1, world.rank());
    if (world.rank() < readers) {
      state back(some.rank(), some.size(), 0, false, how);
      back.template named<World>().load(some, path, {}, files);
      CHECK(back.is(round));
      checkpoint_header const h = basic_checkpoint<World>::header_of(some, path, {}, files);
      REQUIRE(h.arrays.size() == 6);
      CHECK(to_string(h.arrays[2].type) == "[('x', '<f8', (3,)), ('id', '<i4')]");
      CHECK(h.find("u")->shape == std::vector<std::int64_t>{23, 14});
    }
    world.barrier();
  }
}

}  // namespace argosy::test

template <>
struct argosy::describe<argosy::test::settings>
    : argosy::members<&argosy::test::settings::limits, &argosy::test::settings::kind> {};

// Implements victims.hpp: programs that save, change and grow Zarr arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/argosy.hpp>
#include <argosy/format/zarr.hpp>

#include "rows.hpp"
#include "victims.hpp"

namespace argosy::kills {

namespace {

namespace fs = std::filesystem;
using zarr_alone = basic_zarr<self>;

constexpr std::int64_t shard = 1000;  // parts of ranks cut shards

std::string group_in(std::string const& directory) { return directory + "/run.zarr"; }
std::string array_in(std::string const& directory) { return group_in(directory) + "/u"; }

zarr_options options_of(std::int64_t round) {
  zarr_options how{.chunks = {1, shard / 4}, .shards = {1, shard}, .fill_value = "-1"};
  if (round % 3 == 1 && zarr_codec::zstd().is_available()) how.codecs = {zarr_codec::zstd(1)};
  if (round % 3 == 2) how.codecs = {zarr_codec::crc32c()};
  return how;
}

// The rows of an array that was saved in a round. Old metadata for a new array would be noticed.
std::int64_t rows_of(std::int64_t round) { return 1 + round % 3; }

template <class World>
void save_zarr(World const& world, std::string const& directory, std::int64_t round,
               std::int64_t rows) {
  auto z = basic_zarr<World>::create(world, array_in(directory),
                                     columns(world.rank(), world.size(), 0, rows, rows),
                                     options_of(round));
  std::vector<double> const u = values(world.rank(), world.size(), rows, round);
  z.write_all(u);
  z.close();
}

void prepare_zarr(std::string const& directory) {
  self const alone;
  zarr_alone::create_group(alone, group_in(directory));
  save_zarr(alone, directory, 0, 1);
  zarr_alone::consolidate(alone, group_in(directory));
}

// --- What is left --------------------------------------------------------------------------------

// Removes what an unfinished array has left. Returns a text if anything else is there.
std::string fault_of_names(std::string const& directory) {
  for (fs::directory_entry const& one : fs::directory_iterator(group_in(directory))) {
    std::string const name = one.path().filename().string();
    if (name == "u" || name == "zarr.json") continue;
    if (!name.ends_with(".part")) return "there is something else: " + name;
    fs::remove_all(one.path());
  }
  return {};
}

// The group says the same of the array as the array itself, with consolidated metadata or without.
std::string fault_of_group(std::string const& directory) {
  zarr_group const g = zarr_alone::group_of(self(), group_in(directory));
  if (g.members.size() != 1 || !g.members[0].array) return "the group has another array";
  zarr_header const h = zarr_alone::header_of(self(), array_in(directory));
  // After a kill between the metadata of the array and that of the group, the group has the array
  // before it grew.
  zarr_header listed = *g.members[0].array;
  if (listed.shape[0] < h.shape[0]) listed.shape[0] = h.shape[0];
  return listed == h ? "" : "the group says " + to_string(listed) + " of " + to_string(h);
}

struct found {
  zarr_header header;
  std::vector<double> values;
};

found read_array(std::string const& directory) {
  self const alone;
  found f{zarr_alone::header_of(alone, array_in(directory)), {}};
  std::int64_t const rows = f.header.shape[0];
  f.values.resize(static_cast<std::size_t>(rows * width));
  auto z = zarr_alone::open(alone, array_in(directory), columns(0, 1, 0, rows, rows));
  z.read_all(f.values);
  z.close();
  return f;
}

// Returns the round of a shard that begins at this value: -1 for the fill value, -2 for a shard
// that is not whole.
std::int64_t round_of_shard(double const* at, std::int64_t column) {
  if (std::all_of(at, at + shard, [](double x) { return x == -1; })) return -1;
  auto const round = static_cast<std::int64_t>(*at / round_step);
  for (std::int64_t i = 0; i < shard; ++i)
    if (at[i] != static_cast<double>(column + i) + round_step * static_cast<double>(round))
      return -2;
  return round;
}

// Returns a text if a shard is not whole, or of a round that was not. `every` is the round that all
// must have, or -1.
std::string fault_of_shards(found const& f, std::int64_t last, std::int64_t every, bool may_fill) {
  for (std::int64_t at = 0; at < std::ssize(f.values); at += shard) {
    std::int64_t const round = round_of_shard(f.values.data() + at, at % width);
    bool const known =
        round >= 0 ? round <= last && (every < 0 || round == every) : round == -1 && may_fill;
    if (!known)
      return "the shard at " + std::to_string(at) + " is of round " + std::to_string(round);
  }
  return {};
}

std::string fault_of_saved_zarr(std::string const& directory, int last) {
  found const f = read_array(directory);
  auto const round = static_cast<std::int64_t>(f.values[0] / round_step);
  if (round > 0 && f.header.shape[0] != rows_of(round))
    return "the array of round " + std::to_string(round) + " has the shape of another one";
  std::string fault = fault_of_shards(f, last, round, false);
  if (fault.empty()) fault = fault_of_group(directory);
  return fault.empty() ? fault_of_names(directory) : fault;
}

std::string fault_of_changed_zarr(std::string const& directory, int last) {
  std::string const fault = fault_of_shards(read_array(directory), last, -1, false);
  return fault.empty() ? fault_of_names(directory) : fault;
}

std::string fault_of_grown_zarr(std::string const& directory, int last) {
  found const f = read_array(directory);
  if (f.header.shape[0] > most_steps + 1) return "the array is longer than ever";
  std::string fault = fault_of_shards(f, last, -1, true);
  if (fault.empty()) fault = fault_of_group(directory);
  return fault.empty() ? fault_of_names(directory) : fault;
}

// --- The programs --------------------------------------------------------------------------------

void save_array(mpi const& world, std::string const& directory, int round) {
  save_zarr(world, directory, round, rows_of(round));
}

void change_array(mpi const& world, std::string const& directory, int round) {
  auto z = zarr::open(world, array_in(directory), columns(world.rank(), world.size(), 0, 1, 1),
                      mode::read_write);
  std::vector<double> const u = values(world.rank(), world.size(), 1, round);
  z.write_all(u);
  z.close();
}

void grow_array(mpi const& world, std::string const& directory, int round) {
  std::int64_t const steps = zarr::header_of(world, array_in(directory)).shape[0];
  if (steps > most_steps) return save_zarr(world, directory, round, 1);
  auto const row = [&](std::int64_t r, std::int64_t rows) {
    return columns(world.rank(), world.size(), r, 1, rows);
  };
  auto z = zarr::open(world, array_in(directory), row(0, steps), mode::read_write);
  z.grow(row(steps, steps + 1));
  std::vector<double> const u = values(world.rank(), world.size(), 1, round);
  z.write_all(u);
  z.close();
}

}  // namespace

std::vector<victim> zarr_victims() {
  return {
      {"zarr_saves", "zarr::create, write_all, close", save_array, prepare_zarr,
       fault_of_saved_zarr},
      {"zarr_writes", "zarr::open, write_all, close", change_array, prepare_zarr,
       fault_of_changed_zarr},
      {"zarr_grows", "zarr::open, grow, write_all, close", grow_array, prepare_zarr,
       fault_of_grown_zarr},
  };
}

}  // namespace argosy::kills

// Implements victims.hpp: a program that saves, one that opens, writes and closes, one that
// resizes.
// SPDX-License-Identifier: BSD-3-Clause
#include "victims.hpp"

#include <argosy/argosy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace argosy::kills {

using namespace extend;

namespace {

constexpr std::int64_t numbers = 60000;   // numbers of the array that the ranks share
constexpr std::int64_t dealt = 100;       // numbers of one rank, one behind the other
constexpr std::int64_t untouched = 4096;  // bytes at the front that no rank writes
// larger than every position, so a number shows round and position
constexpr double per_round = 1e6;

darray<double, 1> part_of(int rank, int ranks) {
  return darray<double, 1>({numbers}, distribute::cyclic(dealt), {ranks}, rank);
}

// Returns the rank's numbers in the round, as its part of the array has them.
std::vector<double> values_of(int rank, int ranks, int round) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < numbers; ++i)
    if (i / dealt % ranks == rank) v.push_back(static_cast<double>(i) + per_round * round);
  return v;
}

// Returns a text if a number is neither 0 nor what a rank wrote in one of the rounds up to `last`.
std::string fault_in(std::vector<double> const& all, int last) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    double const round = (all[i] - static_cast<double>(i)) / per_round;
    bool const written = round >= 0 && round <= last && round == static_cast<int>(round);
    if (all[i] != 0 && !written)
      return "number " + std::to_string(i) + " is " + std::to_string(all[i]) +
             ", which no rank wrote";
  }
  return {};
}

std::vector<char> front() {
  std::vector<char> bytes(untouched);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i % 26);
  return bytes;
}

void make_front(std::string const& path) {
  self const alone;
  auto f = basic_file<self>::open(alone, path, mode::create | mode::write);
  std::vector<char> const bytes = front();
  f.write_at(0, bytes);
  f.close();
}

std::string fault_of_front(basic_file<self>& f) {
  std::vector<char> found(untouched);
  if (f.read_at(0, found).bytes != untouched)
    return "the file is shorter than what was there before";
  return found == front() ? "" : "bytes that no rank wrote have changed";
}

// --- Saving --------------------------------------------------------------------------------------

void save(mpi const& world, std::string const& directory, int round) {
  std::vector<double> u = values_of(world.rank(), world.size(), round);
  checkpoint state;
  state.add_value("round", round).add("u", part_of(world.rank(), world.size()), u);
  if (round % 2 == 0) state.encode({zarr_codec::crc32c()}, 4096);
  state.save(world, directory + "/state");
  auto array = npy::create(world, directory + "/u.npy", part_of(world.rank(), world.size()));
  array.write_all(u);
  array.close();
}

void prepare_saving(std::string const& directory) {
  int const round = 0;
  std::vector<double> u = values_of(0, 1, round);
  basic_checkpoint<self> state;
  state.add_value("round", round).add("u", part_of(0, 1), u);
  state.save(self(), directory + "/state");
}

// A .npy file that looks whole must have the numbers of one round. All others must be refused.
std::string fault_of_array(std::string const& path, int last) {
  std::vector<double> u(numbers);
  try {
    auto array = basic_npy<self>::open(self(), path, part_of(0, 1));
    array.read_all(u);
    array.close();
  } catch (error const&) {
    return {};
  }
  auto const round = static_cast<int>(u[0] / per_round);
  bool const whole = round > 0 && round <= last && u == values_of(0, 1, round);
  return whole ? "" : "an array that is not whole looks so";
}

std::string fault_of_saved(std::string const& directory, int last) {
  int round = -1;
  std::vector<double> u(numbers);
  basic_checkpoint<self> state;
  state.add_value("round", round).add("u", part_of(0, 1), u);
  state.load(self(), directory + "/state");
  if (round < 0 || round > last) return "the checkpoint is of round " + std::to_string(round);
  if (u != values_of(0, 1, round)) return "the checkpoint has numbers of another round";
  for (leftover const& one : remove_leftovers(directory + "/state"))
    if (!one.kept.empty() && one.bytes > 0) return one.path + " is left: " + one.kept;
  return fault_of_array(directory + "/u.npy", last);
}

// --- Opening, writing, closing -------------------------------------------------------------------

void write(mpi const& world, std::string const& directory, int round) {
  std::vector<double> const u = values_of(world.rank(), world.size(), round);
  auto f = file::open(world, directory + "/data", mode::create | mode::read_write);
  f.set_view(untouched, part_of(world.rank(), world.size()));
  if (round % 2 == 0) {
    f.write_all(u, sieving{.writes = sieving_mode::always});
  } else {
    f.write_all(u, two_phase{});
  }
  f.seek(0);
  request going = f.iwrite_all(u);
  going.wait();
  f.close();
}

std::string fault_of_written(std::string const& directory, int last) {
  self const alone;
  auto f = basic_file<self>::open(alone, directory + "/data", mode::read_write);
  std::string fault = fault_of_front(f);
  std::vector<double> all(numbers);
  f.read_at(untouched, all);
  if (fault.empty()) fault = fault_in(all, last);
  f.close();
  return fault;
}

// --- Sizes ---------------------------------------------------------------------------------------

void resize(mpi const& world, std::string const& directory, int round) {
  std::vector<double> const u = values_of(world.rank(), world.size(), round);
  auto f = file::open(world, directory + "/data", mode::create | mode::read_write);
  f.set_size(untouched);
  f.preallocate(untouched + numbers * 8);
  f.set_view(untouched, part_of(world.rank(), world.size()));
  f.write_all(u);
  f.set_size(untouched + 8 * numbers / 2);
  f.write_ordered(std::span(u).first(dealt / 2));  // moves the shared pointer
  f.close();
}

std::string fault_of_resized(std::string const& directory, int) {
  self const alone;
  auto f = basic_file<self>::open(alone, directory + "/data", mode::read_write);
  std::string fault = fault_of_front(f);
  if (fault.empty() && f.size() > untouched + 8 * numbers) fault = "the file is longer than ever";
  f.close();
  return fault;
}

}  // namespace

std::vector<victim> const& victims() {
  static auto const data = [](std::string const& directory) { make_front(directory + "/data"); };
  static std::vector<victim> const all = [] {
    std::vector<victim> some = {
        {"saves", "checkpoint::save, npy::create, write_all, close", save, prepare_saving,
         fault_of_saved},
        {"writes", "open, write_all, iwrite_all, close", write, data, fault_of_written},
        {"resizes", "open, set_size, preallocate, write_ordered, close", resize, data,
         fault_of_resized},
    };
    for (victim& v : zarr_victims()) some.push_back(std::move(v));
    for (victim& v : hdf5_victims()) some.push_back(std::move(v));
    return some;
  }();
  return all;
}

}  // namespace argosy::kills

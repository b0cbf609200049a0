// The note of a rank to its left neighbour in develop mode: one message of fixed size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

template <std::size_t Bytes>
struct short_text {
  std::array<char, Bytes> letters = {};
  // Stores the end of a text that is too long: the end of a path says more than its start.
  void set(std::string_view text) {
    if (text.size() >= Bytes) text.remove_prefix(text.size() - Bytes + 1);
    std::copy(text.begin(), text.end(), letters.begin());
  }
  void set_start(std::string_view text) { set(text.substr(0, Bytes - 1)); }
  std::string_view get() const {
    return {letters.data(), std::char_traits<char>::length(letters.data())};
  }
};

struct neighbour_note {
  struct argument {
    short_text<24> name;
    short_text<64> text;
    std::int64_t number = 0;
    std::uint64_t hash = 0;
  };
  short_text<64> file;
  std::int64_t line = 0;
  // 1: a rule is broken, so arguments that depend on others may be missing
  std::int64_t broken = 0;
  std::int64_t count = 0;
  std::int64_t free = 0;  // the arguments before this index are compared by the reduction
  std::array<argument, arguments::most> list = {};

  explicit neighbour_note(arguments const& given)
      : line(given.where().line()),
        broken(given.fault() ? 1 : 0),
        free(static_cast<std::int64_t>(given.compared().size())) {
    file.set(given.where().file_name());
    for (arguments::argument const& a : given.all()) {
      argument& mine = list[static_cast<std::size_t>(count++)];
      mine.name.set(a.name);
      mine.text.set(a.text);
      if (a.lines) continue;  // compared by all ranks, which report the lines that differ
      mine.number = a.number;
      mine.hash = a.hash;
    }
  }
  std::string place() const { return std::string(file.get()) + ":" + std::to_string(line); }
};

inline std::string shown(neighbour_note::argument const& a) {
  return a.text.get().empty() ? std::to_string(a.number) : "'" + std::string(a.text.get()) + "'";
}

// Returns the first argument of develop mode in which two ranks differ, as a failure; no failure if
// all are equal. If a rank's arguments break a rule, that rank reports it, and the arguments are
// not compared.
inline failure difference(neighbour_note const& mine, int rank, neighbour_note const& other,
                          int other_rank) {
  auto const on = [](int r) { return " on rank " + std::to_string(r); };
  // the reduction detects this, and finds the rank in the minority
  if (mine.list[0].hash != other.list[0].hash) return {};
  if (mine.broken != 0 || other.broken != 0) return {};
  for (auto i = static_cast<std::size_t>(mine.free);
       i < static_cast<std::size_t>(std::min(mine.count, other.count)); ++i) {
    auto const &a = mine.list[i], &b = other.list[i];
    if (a.hash != b.hash)
      return {errc::not_same, "argument '" + std::string(a.name.get()) + "' is " + shown(a) +
                                  on(rank) + " (" + mine.place() + ") and " + shown(b) +
                                  on(other_rank) + " (" + other.place() + ")"};
  }
  return {};
}

template <agreeing World>
failure compare_with_neighbour(World const& world, arguments const& given) {
  int const size = world.size(), rank = world.rank();
  if (size == 1) return {};
  int const right = (rank + 1) % size;
  neighbour_note const mine(given);
  neighbour_note other = mine;
  if constexpr (messaging<World>) {
    constexpr int tag = 1;
    typename World::request requests[] = {
        world.start_receive(std::as_writable_bytes(std::span(&other, 1)), right, tag),
        world.start_send(std::as_bytes(std::span(&mine, 1)), (rank + size - 1) % size, tag),
    };
    World::wait_all(requests);
  } else {
    std::vector<neighbour_note> all(static_cast<std::size_t>(size), mine);
    world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    other = all[static_cast<std::size_t>(right)];
  }
  return difference(mine, rank, other, right);
}

}  // namespace argosy::detail

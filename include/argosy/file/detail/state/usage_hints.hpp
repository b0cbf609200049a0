// The part of a report about hints that differ between rank 0 and other ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/ranks_with.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// Returns the hints that were given, one line each, with their status. Effects of calls are left
// out, since ranks may differ in these.
std::string given_lines(file_hints const& h);
// Returns the lines of one text that the other does not have.
std::string lines_without(std::string const& lines, std::string const& others);

// Compares the hints of all ranks with those of rank 0. Returns on rank 0 which ranks differ, and
// the lines of the lowest such rank that rank 0 does not have. Empty if all ranks were given the
// same hints, and on other ranks. Collective.
template <agreeing World>
std::string hints_of_others(World const& world, file_hints const& h) {
  std::string const mine = given_lines(h);
  std::uint64_t first = fingerprint(mine);
  world.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  ranks_with const all = ranks_where(world, fingerprint(mine) != first);
  if (!all) return {};
  std::string text = world.rank() == all.lowest ? mine : std::string();
  std::uint64_t bytes = text.size();
  world.broadcast(std::as_writable_bytes(std::span(&bytes, 1)), all.lowest);
  text.resize(bytes);
  world.broadcast(std::as_writable_bytes(std::span(text)), all.lowest);
  if (world.rank() != 0) return {};
  std::string const who = "rank " + std::to_string(all.lowest), more = lines_without(text, mine);
  std::string const others =
      all.count == 1 ? "" : " (and " + std::to_string(all.count - 1) + " more differ from rank 0)";
  if (more.empty()) return "on " + who + others + ": not all of these\n";
  return "on " + who + (all.count == 1 ? " only" : others) + ":\n" + more;
}

}  // namespace argosy::detail

// What a report says of hints that other ranks were given than rank 0.
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

// Hints that somebody gave, a line each with what became of them; without the effects of calls, in
// which ranks may differ.
std::string given_lines(file_hints const& h);
// The lines of one text that the other lacks.
std::string lines_without(std::string const& lines, std::string const& others);

// Of the lowest rank that was given others than rank 0: its lines that rank 0 lacks, headed by
// which ranks differ. Empty on ranks other than 0, and where all were given the same. Collective.
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

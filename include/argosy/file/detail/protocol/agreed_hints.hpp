// Hints that may differ between ranks under MPI's rules: the value of rank 0 is used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/arguments.hpp>
#include <argosy/error/agreement.hpp>
#include <argosy/file/detail/protocol/deferred.hpp>
#include <argosy/file/detail/state/hint_facts.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {

// The hints of a collective call.
struct agreed_hints {
  file_hints mine;
  bool differ = false;    // found when the ranks agreed on the arguments
  bool of_first = false;  // the values are those of rank 0

  void compare_in(arguments& given) {
    given.same_lines(
        "hints", mine.same_hash(), [this] { return lines_with_sources(mine); }, &differ);
  }
};

// Adopts the hints of rank 0. Collective. Ends on every rank: a rank without memory for the lines
// of rank 0 keeps its own hints. If rank 0 has no memory for them, all ranks keep their own.
template <communicator World>
void ask_first(World const& world, agreed_hints& h) {
  std::string told;
  bool lacks_memory = false;
  auto const unless_memory_lacks = [&](auto&& body) {
    if (lacks_memory) return;
    try {
      body();
    } catch (std::bad_alloc const&) {
      lacks_memory = true;
    }
  };
  if (world.rank() == 0) unless_memory_lacks([&] { told = h.mine.same_on_all(); });
  constexpr std::size_t most = 256;
  for (std::size_t at = 0, bytes = most; bytes == most; at += most) {
    char part[most] = {};
    if (world.rank() == 0) told.copy(part, most, at);  // `at` is at most its size
    world.broadcast(std::as_writable_bytes(std::span(part)), 0);
    bytes = static_cast<std::size_t>(std::find(part, part + most, '\0') - part);
    if (world.rank() != 0) unless_memory_lacks([&] { told.append(part, bytes); });
  }
  unless_memory_lacks([&] {
    if (!told.empty()) h.mine.follow_first(told);  // changes nothing on rank 0
  });
}

// Calls `body`, which begins with an agreement on the hints. If hints differ for which rank 0's
// value is used, adopts these and calls `body` once more.
template <communicator World, class Body>
agreement with_agreed_hints(std::optional<World>& world, agreed_hints& h, Body&& body) try {
  agreement result = body();
  if (!h.differ) return result;
  h.differ = false;
  h.of_first = true;
  ask_first(*world, h);
  return body();
} catch (rank_failure const& lost) {
  return without(lost, world);
}

}  // namespace argosy::detail

// Shares memory between ranks of a node: one rank makes a segment, and the others open it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/first_failure.hpp>
#include <argosy/world/shared_memory.hpp>

#include "node_segment.hpp"

namespace argosy::detail {

// Tries once, with a segment of kind `k`, which becomes the kind that was made. Collective: costs
// one broadcast and one reduction.
template <agreeing World>
shared_memory share_segment_as(World const& world, std::size_t bytes, node_segment::kind& k,
                               std::error_code& error) {
  // The description of a segment that ranks send to each other.
  struct segment_note {
    node_segment::name name = {};
    std::uint64_t bytes = 0;
    int error = 0;
    node_segment::kind kind = node_segment::kind::nameless;
  };

  error.clear();
  std::byte* first = nullptr;
  // Removes the name when this rank is done, also if the user's error handler throws.
  struct named {
    segment_note note;
    bool mine = false;
    ~named() {
      if (mine) node_segment::remove(note.name);
    }
  } made;
  int const rank = world.rank();
  if (rank == 0) {
    made.note.bytes = bytes;
    if (bytes != 0) made.note.error = node_segment::create(made.note.name, bytes, first, k);
    made.note.kind = k;
    made.mine = bytes != 0 && made.note.error == 0;
  }
  std::shared_ptr<std::byte> hold;
  auto const keep = [&] {
    if (first) hold = {first, [bytes](std::byte* p) { node_segment::unmap(p, bytes); }};
  };
  keep();
  world.broadcast(std::as_writable_bytes(std::span(&made.note, 1)), 0);
  k = made.note.kind;
  int outcome = made.note.error;
  if (rank != 0) {
    if (made.note.bytes != bytes)
      outcome = EINVAL;
    else if (bytes != 0 && outcome == 0)
      outcome = node_segment::open(made.note.name, bytes, first);
    keep();
  }
  error = first_failure(world, outcome);
  if (error) return {};
  if (!hold) return {};
  return {std::move(hold), bytes};
}

// Shares memory. Collective. Ranks that cannot open a segment without a name agree on one that has
// a name.
template <agreeing World>
shared_memory share_segment(World const& world, std::size_t bytes, std::error_code& error) {
  node_segment::kind k = node_segment::preferred();  // rank 0's choice is used
  shared_memory all = share_segment_as(world, bytes, k, error);
  if (!error || k == node_segment::kind::named || !node_segment::may_need_name(error.value()))
    return all;
  k = node_segment::kind::named;
  all = share_segment_as(world, bytes, k, error);
  if (!error) node_segment::prefer(k);
  return all;
}

}  // namespace argosy::detail

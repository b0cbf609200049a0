// Sets up the objects by which the ranks of an open file meet: in memory of their node, or by files
// and services between nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/file/detail/ranks/call_mismatch.hpp>
#include <argosy/file/detail/ranks/call_watch.hpp>
#include <argosy/file/detail/ranks/crew.hpp>
#include <argosy/world/background.hpp>

namespace argosy::detail {

template <communicator World>
bool crew<World>::locks_reach_all() {
  constexpr std::int64_t at = merge_safety::lock_tried_at;
  bool const asked = world->rank() == 0;
  bool works = true;
  if (asked)
    works = !failure_of(
        errc::io, [&] { return failure{file->handle().lock(at, 1, lock_kind::exclusive), ""}; });
  world->barrier();
  if (!asked) works = file->handle().is_locked(at, 1).value_or(true);
  bool const all = !ranks_where(*world, !works);
  if (asked) give_back(file->handle(), at, 1);
  return all;
}

template <communicator World>
void crew<World>::meet() {
  ranks = std::make_shared<team<World>>();
  constexpr bool meets = node_waiting<World> && !working_in_background<World>;
  // The parts of one segment that ranks share. Each part begins at a pair of cache lines, the
  // strictest alignment that any of them needs.
  std::size_t bytes = 0;
  auto const room = [&bytes](std::size_t size) {
    std::size_t const from = bytes;
    bytes += (size + 127) / 128 * 128;
    return [from, size](shared_memory const& all) { return all.part(from, size); };
  };
  auto const of_pointer = room(shared_pointer::memory_bytes);
  std::size_t const meeting_bytes = meets ? memory_world::bytes_for(world->size()) : 0;
  auto const of_background = room(meeting_bytes), of_calls = room(meeting_bytes);
  auto const of_board = room(meets ? call_board::bytes_for(world->size()) : 0);
  auto const of_gate = room(write_gate::bytes_for(world->size()));
  shared_memory common;
  std::optional<World> node;
  bool shares = world->size() == 1;
  if (shares) {
    common = self().share(bytes);
  } else if constexpr (node_sharing<World>) {
    node = world->node();
    *ranks = team<World>(*node);
    if (node->size() == world->size()) {
      std::error_code error;
      common = node->share(bytes, error);
      shares = !error;
    }
  }
  // Between nodes each rank has a gate of its own.
  if (shares)
    file->meet({of_gate(common), world->rank(), world->size(), file->others().workers().get()},
               true);
  else if (shared_memory mine = shared_memory::private_zeros(write_gate::bytes_for(1));
           !mine.bytes().empty())
    file->meet({std::move(mine), 0, 1, file->others().workers().get()}, false);
  else
    file->meet({}, false);
  if constexpr (requires { world->meet_in(shared_memory()); })
    if (shares && world->size() > 1) world->meet_in(of_calls(common));
  pointer = std::make_shared<shared_pointer>(shares ? shared_pointer(of_pointer(common))
                                                    : distant_pointer());
  bool const goes_on = file->hints().values().progress == resolved_hints::progress_time::always;
  if constexpr (meets) {
    if (shares) {
      meet_on_node(of_board(common), of_background(common));
    } else {
      meet_between_nodes(*node, goes_on);
    }
  }
  begin_later(goes_on);
}

// Has nonblocking collective calls carried out in memory that all ranks share. Local.
template <communicator World>
void crew<World>::meet_on_node(shared_memory lines, shared_memory slots) {
  int const rank = world->rank(), n = world->size();
  std::unique_ptr<call_mismatch> mixed;
  if (n > 1) mixed = call_mismatch::on_node(board(), std::move(lines), rank, n);
  concurrent = std::make_unique<concurrent_calls>(memory_world(std::move(slots), rank, n),
                                                  std::move(mixed), file.shared(), pointer);
}

// Connects the ranks of several nodes. Collective. `goes_on`: calls make progress without the
// program.
template <communicator World>
void crew<World>::meet_between_nodes(World const& node, [[maybe_unused]] bool goes_on) {
  if (watched) share_board(node);
  if constexpr (keeping<World>) {
    bool by_mpi = false;  // MPI itself reports dead ranks
    if constexpr (requires { World::survives_rank_death(); }) by_mpi = World::survives_rank_death();
    if (!by_mpi && goes_on) meet_beside(node);
  }
}

// Has nonblocking collective calls deferred, unless they run concurrently with the program. Local.
template <communicator World>
void crew<World>::begin_later([[maybe_unused]] bool goes_on) {
  if constexpr (working_in_background<World>) {
    later.emplace(*world, file.shared(), pointer, ranks,
                  goes_on ? file->others().workers() : nullptr);
    pointer->wait_beside(file->others().workers());
  } else if (!concurrent) {
    later.emplace(*world, file.shared(), pointer, ranks);
  }
}

// Has nonblocking collective calls carried out by a service between nodes, if there can be one.
// Collective.
template <communicator World>
void crew<World>::meet_beside(World const& node)
  requires keeping<World>
{
  std::error_code error;
  auto const beside = served_world::beside(*world, node, error);
  if (error) return;
  auto mixed = call_mismatch::between_nodes(board(), *beside);
  world->barrier();  // before one rank asks another
  concurrent =
      std::make_unique<concurrent_calls>(*beside, std::move(mixed), file.shared(), pointer);
}

// Connects the boards of the ranks of this node, and the watches of several nodes. Collective.
template <communicator World>
void crew<World>::share_board(World const& node) {
  std::vector<int> all(static_cast<std::size_t>(node.size())),
      firsts(static_cast<std::size_t>(world->size()));
  int const mine = world->rank();
  node.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  int const first = all.front();
  world->all_gather(std::as_bytes(std::span(&first, 1)), std::as_writable_bytes(std::span(firsts)));
  std::error_code error;
  shared_memory lines = node.share(call_board::bytes_for(node.size()), error);
  if (!error) board()->meet(std::move(lines), std::move(all), node.rank());
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  if (firsts.size() == 1) return;
  // Each rank first asks the nodes behind its own, so that not all ranks ask the same node.
  std::rotate(firsts.begin(), std::find(firsts.begin(), firsts.end(), first), firsts.end());
  firsts.erase(firsts.begin());
  std::unique_ptr<service> asks;
  if constexpr (serving<World>)  // the watch ends its service before itself
    asks = world->serve(
        [watch = board()->watch()](int, std::span<std::byte const> question) {
          return watch->answer(question);
        },
        error);
  board()->watch()->meet_others(std::move(asks), std::move(firsts));
}

template <communicator World>
std::uint64_t crew<World>::own_number() const {
  if constexpr (requires { world->unique_number(); })
    return world->unique_number();
  else
    return random_name();
}

template <communicator World>
std::uint64_t crew<World>::told_by_first(std::uint64_t number) const {
  world->broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
  return number;
}

template <communicator World>
shared_pointer crew<World>::distant_pointer() const {
  struct {
    std::uint64_t name = 0;
    std::int64_t no_files = 0;
  } told{.name = own_number()};
  // If reads may be late, some ranks may read an old value of the hidden file. Then two ranks would
  // get the same place.
  bool late_here = true;
  failure_of(errc::io, [&] { late_here = file->handle().storage().reads_late; });
  bool const late = ranks_where(*world, late_here).count > 0;
  // The hidden file lies next to the real file. Links and other working directories may lead other
  // ranks elsewhere.
  bool const as_given = one_path && file->full_path() == file->path();
  std::string const path = as_given ? file->path() : canonical_path(file->full_path());
  told.no_files = one_path && takes_files(path) && !late ? 0 : 1;
  world->broadcast(std::as_writable_bytes(std::span(&told, 1)), 0);
  shared_pointer p(file->files(), pointer_path(path, told.name));
  if (told.no_files == 0) return p;
  std::error_code error = make_error_code(errc::unsupported);
  if constexpr (serving<World>)  // rank 0 keeps the pointer
    if (auto all = world->serve(p.answers(), error); !error) {
      p.ask(std::move(all));
      failure unreachable;  // a site may allow MPI between its nodes, but no other sockets
      p.get(unreachable);
      if (ranks_where(*world, static_cast<bool>(unreachable))) {
        p.ask(nullptr);
        error = std::make_error_code(std::errc::host_unreachable);
      }
    }
  if (error && late) p.refuse(error);
  return p;
}

template <communicator World>
void crew<World>::disband() {
  concurrent = {};
  later = {};
  outside = {};
  file->merges().leave();
  pointer = {};
  // Without memory for it, the next file makes a stage of its own.
  if (ranks && world) failure_of(errc::io, [&] { ranks->keep_stage(*world); });
  ranks = {};
}

}  // namespace argosy::detail

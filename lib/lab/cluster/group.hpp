// A group of ranks of the virtual cluster, and the collective calls that they have begun and not
// ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <argosy/lab/cluster/rank.hpp>
#include <argosy/world/service.hpp>

#include "scheduler.hpp"

namespace argosy::lab::detail {

// Ranks that communicate, shared by their virtual_ranks.
class group {
 public:
  group(scheduler& s, std::vector<int> members);
  ~group();

  std::uint64_t id = 0;
  std::vector<int> members;  // ranks of the cluster
  int nodes = 1;             // number of nodes that they are on
  int size() const noexcept { return static_cast<int>(members.size()); }

  // A rank's arguments of a collective call, and the place of its results.
  struct arrival {
    call_kind kind = call_kind::barrier;
    std::size_t bytes = 0;
    int root = 0;
    place where = {};
    std::byte const* in = nullptr;
    std::byte* out = nullptr;
    combine_function* combine = nullptr;
    std::int64_t number = 0, second = 0;  // for exclusive_sum and split; also the result
    std::shared_ptr<group>* made = nullptr;
    std::shared_ptr<std::byte>* memory = nullptr;
    std::vector<parcel> const* parcels = nullptr;
    std::vector<parcel>* delivered = nullptr;
    int error = 0;  // result of share

    task* who = nullptr;
    picoseconds at = 0;
    bool done = false, failed = false;
  };
  // Collective. Returns false as scheduler::begin does.
  bool meet(int me, arrival& mine);
  [[noreturn]] void throw_lost(call_kind k, place where) const;

  void member_died(int number);
  int dead_member = -1;  // the first dead member, or -1
  picoseconds dead_since = 0;
  bool revoked = false;
  void tell_meetings(picoseconds at);
  std::vector<std::weak_ptr<group>> made;  // groups made from this one
  // another group of the same ranks; null until `beside` is called
  std::shared_ptr<group> beside;
  std::vector<std::shared_ptr<served>> sides;  // parts of a service, by member

 private:
  struct meeting {
    arrival first;  // the arguments that those of other ranks are compared with
    int first_rank = 0;
    std::vector<arrival*> arrived;  // null if the rank has not called yet, or has left
    int count = 0, left = 0;
    // For a broadcast, by ranks counted from the root: when each called (-1: not yet), and when the
    // message reaches it.
    std::vector<picoseconds> came, reach;
    std::vector<std::byte> content;
  };
  // Adds a rank to the meeting. The last rank finishes the call. A broadcast reaches each rank that
  // has called as soon as it can.
  void arrive(meeting& m, int me, arrival& mine);
  // A rank that dies while it waits counts as if it had not called, because its data is lost.
  void wait(meeting& m, int me, arrival& mine);
  void leave(meeting& m, int me);
  // Returns the number of a rank, counted from the root.
  std::size_t from_root(int me, arrival const& mine) const;
  void compare(meeting const& m, int me, arrival const& mine);
  void release(meeting& m, arrival& a, picoseconds at);

  // collective_algorithms.cpp
  void finish(meeting& m);
  void move_data(meeting& m);
  void split(meeting& m);
  void share(meeting& m);
  void deliver(meeting& m, std::vector<picoseconds>& t);
  void broadcast_from(meeting& m, int relative);
  picoseconds hop(int a, int b, std::int64_t bytes) const;
  void exchange(std::vector<picoseconds>& t, std::int64_t bytes) const;
  void gather(std::vector<picoseconds>& t, std::int64_t bytes) const;

  scheduler& scheduler_;
  std::vector<std::uint64_t> next_;  // the number of each member's next call
  std::vector<std::unique_ptr<meeting>> open_;
  std::uint64_t first_open_ = 0;
  std::vector<int> node_of_;
};

}  // namespace argosy::lab::detail

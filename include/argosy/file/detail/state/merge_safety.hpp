// Keeps the merges of an open file from destroying concurrent writes. A merge reads a window and
// writes it back: data that another writer puts into its gaps in between would be lost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include <argosy/error/failure.hpp>
#include <argosy/exchange/detail/presence.hpp>
#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/file/detail/state/lone_writes.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy::detail {

struct used_view;

// Decides which merges are safe; every rank has one. Returns a `merging` for each call, which says
// which other writers there may be, and what excludes them. write_guard carries that out.
class merge_safety {
 public:
  // The functions for opening, in this order.
  void begin(mode how, int rank, int ranks) noexcept { opened_ = {how, rank, ranks}; }
  // `can` is false if only writing is permitted. Then this rank cannot read the gaps between its
  // pieces.
  void can_read(bool can) noexcept { can_read_ = can; }
  // Returns true if other opens of the file must know of this one. An open that does not enter
  // never merges, and never removes the file after a failed open.
  bool enters() const noexcept {
    return can_write(opened_.how) && !has(opened_.how, mode::unique_open);
  }
  // Announces this open to other opens, and waits for those that are merging. `number` is equal on
  // all ranks. `none`: this rank has no locks.
  failure enter(any_handle& file, std::uint64_t number, bool& none);
  // Tries a lock, and releases it. `none`: this rank has no locks that other ranks would see.
  failure try_lock(any_handle& file, bool& none) const;
  // Returns true if this is the only open of the file, and keeps it the only one. Never waits.
  bool is_alone(any_handle& file) const;
  // Called if some rank of the file has no locks.
  void lacks_locks() noexcept { locks_ = locks::lacking; }
  // Sets the gate of the ranks. `all`: all ranks share it, on one node; otherwise it is this rank's
  // own. Returns true if policies must be chosen again.
  bool meet(write_gate gate, bool all) noexcept;
  void leave() noexcept { gate_ = {}; }
  bool is_near() const noexcept { return near_; }
  void lies_on(storage const& s) noexcept;
  // Returns true if locks may end at the node, so that this must be tested.
  bool may_lock_in_vain() const noexcept {
    return can_write(opened_.how) && locks_ == locks::working && on_.network && !near_;
  }
  void locks_in_vain() noexcept { locks_ = locks::in_vain; }
  // A byte far behind the data, so that a lock on it waits for no other lock.
  static constexpr std::int64_t lock_tried_at = first_reserved - 2;

  // The hint romio_ds_write, and the agreement of the ranks.
  void follow(tristate ds_write) noexcept { asked_ = ds_write; }
  // Returns true if policies of a single rank may plan merges with this value of the hint.
  bool may_plan(tristate ds_write) const noexcept {
    return near_ || (ranks_lock(ds_write) && !on_.reads_late);
  }
  // Returns true if the policy would merge some window of this view. Ranks of several nodes do not
  // see each other's merges. They merge separately only if all of them lock their writes: by the
  // hint, or by agreement. They agree on it if some rank would merge in its view.
  bool would_merge(used_view const& in, sieving policy) const;
  // Returns true if policies must be chosen again. `merge` is equal on all ranks.
  bool agree(bool merge) noexcept;

  // Returns true if nodes cache reads, and for a while also writes. Then all ranks reconcile before
  // they carry each other's data, so that earlier writes of each rank are in the file. They
  // reconcile again afterwards, so that later reads come from the file. The result is equal on all
  // ranks.
  bool caches_differ() const noexcept { return !near_ && on_.caches; }
  lone_writes& written_alone() noexcept { return alone_; }
  lone_writes const& written_alone() const noexcept { return alone_; }
  // Returns the counter for lone_writes::one.
  lone_writes* counted() noexcept { return caches_differ() ? &alone_ : nullptr; }

  // For a call of this rank alone. `others`: threads or requests of this rank may write, too.
  // `beside`: the call is a request itself. `agents`: agents write for other ranks.
  merging alone(bool others, bool beside, bool agents) const;
  // For a call of a file's only rank, none of whose other threads or requests writes. Both say in a
  // few instructions what alone() would.
  // Returns true if a write excludes no other writer, and none excludes it: it needs no guard.
  bool writes_freely() const noexcept {
    return opened_.ranks == 1 && !(opens_ && opens_->unseen());
  }
  // Returns true if the same holds for a merge.
  bool merges_freely() const noexcept {
    return opened_.ranks == 1 && can_read_ && has(opened_.how, mode::unique_open);
  }
  // For a collective call, whose ranks do not endanger each other. `others`: some ranks have
  // requests or other threads. The gates of all ranks must be closed before, since ranks of other
  // nodes cannot see a merge.
  merging together(bool others) const;
  // For an agent, while other ranks write without agents.
  merging of_agent() const;
  // For a rank that has locked everything that it accesses.
  merging under_lock() const;
  // Returns the gate of this rank's node; null if all ranks share one.
  write_gate const* gate_of_node() const { return near_ || !gate_ ? nullptr : &gate_; }
  // Returns the gate that all ranks share; null if they do not.
  write_gate const* gate_of_all() const { return near_ && gate_ ? &gate_ : nullptr; }

 private:
  merging where(bool ranks_write) const;
  // Returns true if ranks of several nodes lock what they write, with this value of the hint.
  bool ranks_lock(tristate ds_write) const noexcept {
    return ds_write == tristate::enable || (ds_write == tristate::automatic && agreed_);
  }
  bool reads_late() const noexcept { return !near_ && on_.reads_late; }
  // Clients that write whole pages restore stale bytes of other ranks, unless a lock excludes
  // those.
  bool all_writes_lock() const noexcept { return caches_differ() && !on_.exact; }

  struct {
    mode how = mode::none;
    int rank = 0, ranks = 1;
  } opened_;
  bool can_read_ = true;
  // working: all ranks have locks, which exclude each other. lacking: some rank has no locks.
  // in_vain: locks do not exclude ranks of other nodes.
  enum class locks { working, lacking, in_vain } locks_ = locks::working;
  bool near_ = true;  // all ranks are on one node
  struct {
    bool network = false, caches = false, exact = false, reads_late = false;
  } on_;  // properties of the storage
  tristate asked_ = tristate::automatic;
  bool agreed_ = false;            // the ranks agreed to merge
  std::optional<presence> opens_;  // empty: the open is unique, or for reading only
  write_gate gate_;
  lone_writes alone_;
};

}  // namespace argosy::detail

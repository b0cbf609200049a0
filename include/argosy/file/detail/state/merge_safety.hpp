// Keeps the merges of an open file and the writes of others apart. A merge reads a window and
// writes it back: what somebody else writes into its holes meanwhile would be lost.
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

// Each rank has one. A `merging` that it returns says for one call who may write meanwhile, and
// what keeps them out; write_guard carries that out.
class merge_safety {
 public:
  // Opening, in this order.
  void begin(mode how, int rank, int ranks) noexcept { opened_ = {how, rank, ranks}; }
  // False if only writing is permitted: then this rank cannot know what lies between its pieces.
  void can_read(bool can) noexcept { can_read_ = can; }
  // Returns true if other opens of the file need to know of this one: nobody merges, or removes the
  // file after a failed open, who does not.
  bool enters() const noexcept {
    return can_write(opened_.how) && !has(opened_.how, mode::unique_open);
  }
  // Lets other opens know, and waits for those that merge. `number` is the same on all ranks.
  // `none`: this rank has no locks.
  failure enter(any_handle& file, std::uint64_t number, bool& none);
  // Tries a lock, which leaves nothing behind. `none`: this rank has none that other ranks would
  // see.
  failure try_lock(any_handle& file, bool& none) const;
  // Returns true if nobody else has the file open, or has it from now on. Never waits.
  bool is_alone(any_handle& file) const;
  // Called where some rank of the file has no locks.
  void lacks_locks() noexcept { locks_ = locks::lacking; }
  // Learns who shares the gate: `all` ranks, who are on one node, or this one. Returns true if
  // policies are to be chosen again.
  bool meet(write_gate gate, bool all) noexcept;
  void leave() noexcept { gate_ = {}; }
  bool is_near() const noexcept { return near_; }
  void lies_on(storage const& s) noexcept;
  // Returns true if locks may end at the node, which is to be tried; and learns that they do.
  bool may_lock_in_vain() const noexcept {
    return can_write(opened_.how) && locks_ == locks::working && on_.network && !near_;
  }
  void locks_in_vain() noexcept { locks_ = locks::in_vain; }
  // A byte far behind the data, so that a lock on it waits for nobody else.
  static constexpr std::int64_t lock_tried_at = first_reserved - 2;

  // The hint, and what the ranks have agreed on.
  void follow(toggle ds_write) noexcept { asked_ = ds_write; }
  // Returns true if policies of a rank by itself may plan merges, by such a hint.
  bool may_plan(toggle ds_write) const noexcept {
    return near_ || (ranks_lock(ds_write) && !on_.reads_late);
  }
  // Ranks of several nodes do not see each other's merges. They merge by themselves only if all of
  // them lock what they write: by the hint, or by agreement if some rank would merge in its view.
  bool would_merge(used_view const& in, sieving policy) const;
  // Returns true if policies are to be chosen again. The same on all ranks.
  bool agree(bool merge) noexcept;

  // Nodes keep what they read, and for a while what they write, to themselves. So before ranks
  // carry each other's data all reconcile, and again when they have carried it: what each wrote by
  // itself is in the file then, and what it reads next is from there. The same on all ranks.
  bool caches_differ() const noexcept { return !near_ && on_.caches; }
  lone_writes& written_alone() noexcept { return alone_; }
  lone_writes const& written_alone() const noexcept { return alone_; }
  // For lone_writes::one.
  lone_writes* counted() noexcept { return caches_differ() ? &alone_ : nullptr; }

  // For a call of this rank by itself. `others`: threads or requests of this rank may write, too.
  // `beside`: it is a request itself. `agents` write for other ranks.
  merging alone(bool others, bool beside, bool agents) const;
  // For a collective call, in which ranks are no danger to each other. `others`: some have requests
  // or other threads. The gates of all ranks are closed before, since ranks of other nodes see
  // nothing of a merge.
  merging together(bool others) const;
  // For an agent, while others write without one.
  merging of_agent() const;
  // For a rank that has locked all that it accesses.
  merging under_lock() const;
  // Returns the gate of a node, if it is not that of all ranks; else null.
  write_gate const* gate_of_node() const { return near_ || !gate_ ? nullptr : &gate_; }
  // Returns the gate that all ranks share; null if they do not.
  write_gate const* gate_of_all() const { return near_ && gate_ ? &gate_ : nullptr; }

 private:
  merging where(bool ranks_write) const;
  // Returns true if ranks of several nodes lock what they write, by such a hint.
  bool ranks_lock(toggle ds_write) const noexcept {
    return ds_write == toggle::enable || (ds_write == toggle::automatic && agreed_);
  }
  bool reads_late() const noexcept { return !near_ && on_.reads_late; }
  // Clients that write whole pages bring old bytes of others back, unless these are locked out.
  bool all_writes_lock() const noexcept { return caches_differ() && !on_.exact; }

  struct {
    mode how = mode::none;
    int rank = 0, ranks = 1;
  } opened_;
  bool can_read_ = true;
  // working: all ranks have locks, which all see. lacking: some rank has none. in_vain: those of
  // one node do not keep out others.
  enum class locks { working, lacking, in_vain } locks_ = locks::working;
  bool near_ = true;  // all ranks are on one node
  struct {
    bool network = false, caches = false, exact = false, reads_late = false;
  } on_;  // of its storage
  toggle asked_ = toggle::automatic;
  bool agreed_ = false;            // to merge
  std::optional<presence> opens_;  // none: the open is unique, or for reading only
  write_gate gate_;
  lone_writes alone_;
};

}  // namespace argosy::detail

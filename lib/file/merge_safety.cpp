// Implements merge_safety.hpp: which writers there may be while a rank merges, and what excludes
// them.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/merge_safety.hpp>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/file/detail/state/used_view.hpp>
#include <argosy/handle/detail/give_back.hpp>
#include <argosy/handle/trying.hpp>
#include <argosy/policy/access.hpp>

namespace argosy::detail {

failure merge_safety::enter(any_handle& file, std::uint64_t number, bool& none) {
  opens_.emplace(number, opened_.rank, opened_.ranks);
  return {opens_->enter(file, none), "trying a byte-range lock"};
}

failure merge_safety::try_lock(any_handle& file, bool& none) const {
  std::error_code error;
  if (locks_ == locks::in_vain || reads_late()) {
    error = errc::no_locks;
  } else if (tells_locks(file)) {
    // A lock of another program shows that locks work, so there is no need to wait for it.
    bool const had = try_lock_of(file, lock_tried_at, 1, lock_kind::shared, error);
    if (!had && !error) return {file.reconcile(), "writing out what this node has kept"};
  } else {
    error = file.lock(lock_tried_at, 1, lock_kind::shared);
  }
  none = classify(error) == errc::no_locks;
  return {error ? error : give_back(file, lock_tried_at, 1), "trying a byte-range lock"};
}

bool merge_safety::is_alone(any_handle& file) const {
  std::error_code tried, kept;
  return has(opened_.how, mode::unique_open) || (opens_ && opens_->exclude(file, tried, kept));
}

bool merge_safety::meet(write_gate gate, bool all) noexcept {
  gate_ = std::move(gate);
  return std::exchange(near_, all) != all;
}

void merge_safety::lies_on(storage const& s) noexcept {
  on_ = {s.over_network, s.separate_caches, s.exact_writes, s.reads_late};
}

bool merge_safety::agree(bool merge) noexcept { return std::exchange(agreed_, merge) != merge; }

// A few windows within one copy of the filetype represent all windows.
bool merge_safety::would_merge(used_view const& in, sieving policy) const {
  if (near_ || locks_ != locks::working || on_.reads_late || !can_write(opened_.how) ||
      asked_ != tristate::automatic || !can_read_ || in.one.etype > 0)
    return false;
  auto const first = in.overlapping ? in.overlapping->within_first(0, 0) : nullptr;
  used_view const& v = first ? *first : in;
  if (!v.sorted) return false;
  policy.merges = true;
  layout const& stream = v.view.stream();
  access const all{access_kind::write, stream, 0, stream.size(), stream};
  std::int64_t const copy = v.view.filetype().size(), step = std::max<std::int64_t>(1, copy / 4);
  for (std::int64_t from = 0; from < copy; from += step)
    if (policy.next(all, from).how == transfer_mode::merged) return true;
  return false;
}

// `ranks_write`: ranks or threads of this open may write at the same time. Otherwise only other
// programs may.
merging merge_safety::where(bool ranks_write) const {
  using enum merging::others;
  bool const late = reads_late(), merges = can_read_ && !late;
  bool const all_lock = all_writes_lock();
  bool const shared = ranks_write || all_lock;
  presence const* const opens = opens_ ? &*opens_ : nullptr;
  if (has(opened_.how, mode::unique_open) && !shared) return {none, merges};
  // No rank of this open merges, so no writer is excluded. Other opens may merge, and must see this
  // one.
  if (locks_ != locks::working || (late && !all_lock)) return {none, false, opens};
  merging m{shared ? ranks : programs, merges, opens};
  if (ranks_write && gate_ && !all_lock) m.gate = &gate_;
  m.sees_all = near_;
  if (caches_differ())  // data under a lock is written out before the lock is released
    m.announced_bytes = std::numeric_limits<std::int64_t>::max();
  return m;
}

merging merge_safety::alone(bool others, bool beside, bool agents) const {
  merging m = where(opened_.ranks > 1 || others);
  // The program may compute for long before a request ends. A rank that merges must not wait for
  // it.
  m.announces = !beside;
  if (near_) return m;
  bool const locked = ranks_lock(asked_);
  if (!locked) m.allowed = false;
  if (locked || agents) m.gate = nullptr;
  return m;
}

merging merge_safety::together(bool others) const {
  merging m = where((opened_.ranks > 1 && !has(opened_.how, mode::unique_open)) || others);
  m.owns_windows = !others;
  m.waits = false;
  return m;
}

merging merge_safety::of_agent() const {
  merging m = where(true);
  if (!near_) m.gate = nullptr;
  return m;
}

merging merge_safety::under_lock() const {
  return {merging::others::programs, can_read_, opens_ ? &*opens_ : nullptr};
}

}  // namespace argosy::detail

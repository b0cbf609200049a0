// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <argosy/agree/error.hpp>

namespace argosy::explore {

// A handle makes a call more often than this before it takes EAGAIN for an error.
constexpr std::int64_t patience_of_handles = 7;

session::session(program const& p, file_system& files, int only)
    : program_(p),
      steps_(complete(p)),
      files_(files),
      only_(only),
      crashes_(files.on_disk() ? *files.on_disk() : virtual_files(), files.on_disk() ? p.crash_every : 0, p.world.seed),
      ranks_(static_cast<std::size_t>(p.world.ranks)) {
  for (rank_fault const& f : p.world.faults)
    if (f.what.error == std::errc::resource_unavailable_try_again)
      asked_again_ += std::min(f.what.times, patience_of_handles);
  for (std::size_t f = 0; f < 2; ++f) {
    if (p.before[f] < 0) continue;
    stored& s = model_[f];
    s.exists = true;
    s.bytes.resize(static_cast<std::size_t>(p.before[f]));
    for (std::size_t i = 0; i < s.bytes.size(); ++i) s.bytes[i] = byte_of(f, static_cast<std::int64_t>(i));
    files_.put(path(static_cast<int>(f)), s.bytes);
    crashes_.keep(path(static_cast<int>(f)));
  }
}

void session::wrong(std::size_t k, int rank, std::string const& words) const {
  throw found_wrong(fmt::format("step {} ({}){}: {}", k, name_of(steps_[k].what),
                                rank < 0 ? "" : fmt::format(", rank {}", rank), words));
}

// --- What ranks ask for ---

std::int64_t session::share_of(step const& s, int rank) const {
  if (tiles[static_cast<std::size_t>(rank)].bytes == 0) return 0;
  if (s.salt == 0) return s.count;
  std::uint64_t const x = mixed(s.salt, static_cast<std::uint64_t>(rank));
  if (x % 4 == 0) return 0;
  return x % 4 == 1 ? s.count : static_cast<std::int64_t>((x >> 8) % static_cast<std::uint64_t>(s.count + 1));
}

std::int64_t session::offset_of(step const& s, int rank) const {
  if (tiles[static_cast<std::size_t>(rank)].bytes == 0) return 0;
  if (is_own(view.shape))
    return at_pointer(s.what) && s.offset < 0 ? ranks_[static_cast<std::size_t>(rank)].position
                                              : std::max<std::int64_t>(s.offset, 0);
  return std::max<std::int64_t>(s.offset, 0) + rank * s.count;
}

bool session::makes_sense(step const& s) const {
  if (s.what == op::open) return !is_open;
  if (s.what == op::compute || s.what == op::wait) return true;
  if (!is_open) return false;
  // Where a call at the shared pointer went, is told by what the rank touched: but not, if agents did.
  if (at_shared_pointer(s.what)) return shared_known && !is_own(view.shape) && !(serves && !is_collective(s.what));
  if (s.what == op::seek_shared) return !is_own(view.shape);
  return true;
}

errc session::deserves(step const& s, int rank) const {
  int const ranks = program_.world.ranks;
  bool const culprit = rank == s.culprit % ranks;
  if (moves_data(s.what)) {
    if (s.mistake == slip::null_address && culprit && share_of(s, rank) > 0) return errc::argument;
    if (writes(s.what) ? !can_write(modes) : !can_read(modes)) return errc::amode;
    if (s.mistake == slip::negative_offset && culprit && at_offset(s.what)) return errc::argument;
  }
  if (s.what == op::set_size || s.what == op::preallocate) {
    if (!can_write(modes)) return errc::amode;
    if (s.mistake == slip::other_size && ranks > 1) return errc::not_same;
  }
  if (s.what == op::sync && ranks_[static_cast<std::size_t>(rank)].sync_lost != errc{})
    return ranks_[static_cast<std::size_t>(rank)].sync_lost;
  return {};
}

record& session::begin(std::size_t k, int rank) {
  std::vector<record>& all = records_.try_emplace(k, static_cast<std::size_t>(program_.world.ranks)).first->second;
  record& r = all[static_cast<std::size_t>(rank)];
  step const& s = steps_[k];
  r.now = record::state::begun;
  r.step = k;
  r.writes = writes(s.what);
  r.key = mixed(mixed(k, s.salt), static_cast<std::uint64_t>(rank));
  r.least_size = static_cast<std::int64_t>(model_[static_cast<std::size_t>(file)].bytes.size());
  r.beside = !of(rank).pending.empty();
  if (is_open || s.what == op::open) r.expected = deserves(s, rank);
  if (moves_data(s.what)) {
    tile const& t = tiles[static_cast<std::size_t>(rank)];
    r.etypes = share_of(s, rank);
    r.bytes = r.etypes * t.etype_bytes;
    r.floats = at_shared_pointer(s.what);
    if (!r.floats) r.file = t.locate(offset_of(s, rank) * t.etype_bytes, r.bytes);
    if (!is_here(rank)) return r;  // its memory is elsewhere
    r.memory = memory_of(s.memory, r.bytes);
    r.buffer.resize(static_cast<std::size_t>(r.memory.buffer_bytes));
    for (std::size_t i = 0; i < r.buffer.size(); ++i) r.buffer[i] = byte_of(~r.key, static_cast<std::int64_t>(i));
    std::int64_t at = 0;
    if (writes(s.what))
      for (piece const& p : r.memory.pieces)
        for (std::int64_t i = 0; i < p.length; ++i)
          r.buffer[static_cast<std::size_t>(p.offset + i)] = byte_of(r.key, at++);
  }
  std::lock_guard const guard(seeing_);
  of(rank).lowest = -1;
  return r;
}

void session::touched(int rank, std::int64_t offset) {
  std::lock_guard const guard(seeing_);
  std::int64_t& lowest = of(rank).lowest;
  if (lowest < 0 || offset < lowest) lowest = offset;
}

void session::saw(int rank, witnessed w) {
  std::lock_guard const guard(seeing_);
  bool const again = w.error == std::errc::resource_unavailable_try_again && asked_again_ < patience_of_handles;
  if (w.error == std::errc::interrupted || again)
    unseen_ = fmt::format("rank {}: '{}' comes out of the handle, at {}", rank, w.error.message(), to_string(w.call));
  of(rank).seen.push_back(std::move(w));
}

std::vector<witnessed> session::take_seen(int rank) {
  std::lock_guard const guard(seeing_);
  return std::exchange(of(rank).seen, {});
}

void session::arrive(std::size_t k, int rank) {
  record& r = records_.at(k)[static_cast<std::size_t>(rank)];
  r.seen = take_seen(rank);
  {
    std::lock_guard const guard(seeing_);
    r.lowest = of(rank).lowest;
  }
  r.beside = r.beside || !of(rank).pending.empty();
  ++arrived_[k];
  if (only_ >= 0 || steps_[k].loose || any_died || arrived_[k] < program_.world.ranks) return;
  std::size_t const first = std::exchange(next_, k + 1);
  look(first, k);
}

void session::leave(int rank, bool died) {
  if (std::exchange(of(rank).left, true)) return;
  ++left_;
  any_died = any_died || died;
}

void session::finish() {
  if (std::string const words = files_.complaint(); !words.empty()) throw found_wrong(words);
  if (any_died && next_ < steps_.size() && !records_.empty()) look(next_, records_.rbegin()->first);
  if (!crashes_.wrong().empty()) throw found_wrong(crashes_.wrong());
}

// --- Looking ---

void session::look(std::size_t first, std::size_t last) {
  {
    std::lock_guard const guard(seeing_);
    if (!unseen_.empty()) wrong(last, -1, unseen_);
  }
  if (!crashes_.wrong().empty()) throw found_wrong(crashes_.wrong());
  maybe_.clear();
  anything_.clear();
  maybe_size_ = -1;
  if (std::string const words = files_.complaint(); !words.empty()) wrong(last, -1, words);
  for (loss& l : files_.take_losses()) losses_.push_back(std::move(l));
  fallen_ = {};
  least_size_ = {-1, -1};
  pointer_lost_ = false;
  for (loss const& l : losses_) {
    int const which = l.path == path(0) ? 0 : l.path == path(1) ? 1 : -1;
    if (which < 0)
      pointer_lost_ = pointer_lost_ || !l.left.empty();
    else if (auto& least = least_size_[static_cast<std::size_t>(which)]; l.size >= 0)
      least = least < 0 ? l.size : std::min(least, l.size);
  }
  if (serves) {
    auto const pool = [&](std::vector<witnessed>& seen) {
      for (witnessed& w : std::exchange(seen, {})) pool_of(0).pool.push_back(std::move(w));
    };
    if (only_ < 0)  // of a process it is in the records already, the same for all
      for (rank_state& r : ranks_) pool(r.seen);
    // An agent may have been in a later step when it saw what another rank is told.
    for (std::size_t k = first; k <= last; ++k)
      if (auto const found = records_.find(k); found != records_.end())
        for (record& r : found->second) pool(r.seen);
  }
  // As far as the file may reach while these steps are under way.
  std::int64_t most = static_cast<std::int64_t>(model_[static_cast<std::size_t>(file)].bytes.size());
  auto const reach = [&](record const& r) {
    for (piece const& p : r.file) most = std::max(most, p.end());
  };
  for (rank_state const& r : ranks_) {
    for (auto const& p : r.pending) reach(*p);
    for (auto const& p : r.ended) reach(*p);
  }
  for (std::size_t k = first; k <= last; ++k) {
    auto const found = records_.find(k);
    if (found == records_.end()) continue;
    if (at_shared_pointer(steps_[k].what)) place_floating(k, found->second);
    if (writes(steps_[k].what))
      for (record const& r : found->second) reach(r);
    if (steps_[k].what == op::set_size || steps_[k].what == op::preallocate) most = std::max(most, steps_[k].offset);
  }
  for (rank_state const& r : ranks_)
    for (auto const& e : r.ended)
      if (e->writes && e->expected == errc{}) write(*e, false);
  apply_losses();
  for (std::size_t k = first; k <= last; ++k) {
    auto const found = records_.find(k);
    if (found == records_.end()) continue;
    std::vector<record>& all = found->second;
    ++operations[name_of(steps_[k].what)];
    for (record const& r : all)
      if (!r.told.policy.empty() && r.now == record::state::done) {
        ++policies[r.told.policy];
        break;
      }
    look_at_codes(k, all);
    apply_step(k, all);
    apply_losses();
    if (moves_data(steps_[k].what) && !writes(steps_[k].what))
      for (std::size_t r = 0; r < all.size(); ++r)
        if (is_here(static_cast<int>(r)) && all[r].now == record::state::done && !all[r].lost_place)
          check_read(k, static_cast<int>(r), all[r], most);
  }
  for (int r = 0; r < program_.world.ranks; ++r) {
    for (auto const& e : of(r).ended)
      if (is_here(r) && !e->writes && e->now == record::state::done) check_read(last, r, *e, most, true);
    of(r).ended.clear();
    for (auto const& p : of(r).pending)
      if (p->writes && p->expected == errc{}) write(*p, false);
  }
  apply_losses();
  if (is_open || any_died || steps_[last].what == op::close || steps_[last].what == op::open) check_files(last);
  if (steps_[last].what == op::sync) check_crash(last);
  for (int f = 0; f < 2; ++f)
    if (!files_.exists(path(f))) crashes_.keep(path(f));
  // What a request has written may be lost long before its end is told.
  if (std::all_of(ranks_.begin(), ranks_.end(), [](rank_state const& r) { return r.pending.empty(); })) losses_.clear();
  if (serves) look_at_pool(last);
  if (steps_[last].what == op::close) serves = false;
  records_.clear();
}

// What was lost counts where it is what should be there.
void session::apply_losses() {
  for (loss const& l : losses_) {
    int const which = l.path == path(0) ? 0 : l.path == path(1) ? 1 : -1;
    if (which < 0) continue;
    for (std::size_t i = 0; i < l.left.size(); ++i) {
      std::int64_t const o = l.offset + static_cast<std::int64_t>(i);
      if (l.lost.empty() || fits(which, o, l.lost[i]))
        fallen_[static_cast<std::size_t>(which)][o].values.push_back(l.left[i]);
    }
  }
}

bool session::fits(int which, std::int64_t offset, std::byte value) const {
  std::vector<std::byte> const& now = model_[static_cast<std::size_t>(which)].bytes;
  auto const among = [&](std::map<std::int64_t, candidates> const& all) {
    auto const found = all.find(offset);
    return found != all.end() && std::count(found->second.values.begin(), found->second.values.end(), value) > 0;
  };
  std::byte const there =
      offset < static_cast<std::int64_t>(now.size()) ? now[static_cast<std::size_t>(offset)] : std::byte{};
  if (value == there || among(fallen_[static_cast<std::size_t>(which)])) return true;
  if (which != file) return false;
  return among(maybe_) || std::any_of(anything_.begin(), anything_.end(),
                                      [&](auto const& x) { return x[0] <= offset && offset < x[1]; });
}

}  // namespace argosy::explore

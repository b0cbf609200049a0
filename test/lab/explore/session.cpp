// Implements session.hpp: the expected outcome of each step. One page because each step uses the
// state of all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"
#include "several_views.hpp"
#include "static_types.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <argosy/error/error.hpp>

namespace argosy::explore {

using namespace extend;

// A handle repeats a call more often than this before it reports EAGAIN.
constexpr std::int64_t patience_of_handles = 7;

session::session(program const& p, file_system& files, int only)
    : program_(p),
      others_(static_cast<std::size_t>(p.world.ranks)),
      steps_(complete(p)),
      files_(files),
      only_(only),
      crashes_(files.on_disk() ? *files.on_disk() : lab::virtual_files(),
               files.on_disk() ? p.crash_every : 0, p.world.seed),
      ranks_(static_cast<std::size_t>(p.world.ranks)) {
  for (lab::rank_fault const& f : p.world.faults)
    if (f.what.error == std::errc::resource_unavailable_try_again)
      asked_again_ += std::min(f.what.times, patience_of_handles);
  for (std::size_t f = 0; f < 2; ++f) {
    if (p.before[f] < 0) continue;
    stored& s = model_[f];
    s.exists = true;
    s.bytes.resize(static_cast<std::size_t>(p.before[f]));
    for (std::size_t i = 0; i < s.bytes.size(); ++i)
      s.bytes[i] = byte_of(f, static_cast<std::int64_t>(i));
    files_.put(path(static_cast<int>(f)), s.bytes);
    crashes_.keep(path(static_cast<int>(f)));
  }
}

void session::wrong(std::size_t k, int rank, std::string const& words) const {
  throw found_wrong(fmt::format("step {} ({}){}: {}", k, name_of(steps_[k].what),
                                rank < 0 ? "" : fmt::format(", rank {}", rank), words));
}

// --- The arguments of ranks ---

std::int64_t session::share_of(step const& s, int rank) const {
  if (tiles[static_cast<std::size_t>(rank)].bytes == 0) return 0;
  if (s.salt == 0) return s.count;
  std::uint64_t const x = mixed(s.salt, static_cast<std::uint64_t>(rank));
  if (x % 4 == 0) return 0;
  return x % 4 == 1 ? s.count
                    : static_cast<std::int64_t>((x >> 8) % static_cast<std::uint64_t>(s.count + 1));
}

// A policy is called only if there are bytes to move; a collective one, if any rank has some.
bool session::asks_policy(step const& s, int rank) const {
  if (policy_of(s, rank).kind <= policy_kind::sieving) return share_of(s, rank) > 0;
  if (!is_collective(s.what) || atomic) return false;
  for (int other = 0; other < program_.world.ranks; ++other)
    if (share_of(s, other) > 0) return true;
  return false;
}

std::int64_t session::offset_of(step const& s, int rank) const {
  if (tiles[static_cast<std::size_t>(rank)].bytes == 0) return 0;
  if (!is_one_for_all(view.shape))
    return at_pointer(s.what) && s.offset < 0 ? ranks_[static_cast<std::size_t>(rank)].position
                                              : std::max<std::int64_t>(s.offset, 0);
  return std::max<std::int64_t>(s.offset, 0) + rank * s.count;
}

void session::enter(step const& s) {
  if (s.slot == slot_) return;
  slot_ = s.slot;
  std::swap(static_cast<opened_file&>(*this), other_);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    std::swap(ranks_[i].position, others_[i].position);
    std::swap(ranks_[i].sync_lost, others_[i].sync_lost);
  }
}

namespace {

bool is_alone(opened_file const& f) {
  if (has(f.modes, mode::unique_open) || has(f.modes, mode::delete_on_close)) return true;
  return std::any_of(f.hints.begin(), f.hints.end(),
                     [](auto const& h) { return h.first == "argosy_partitioning"; });
}

}  // namespace

bool session::makes_sense(step const& s) const {
  if (s.what == op::open) {
    opened_file next;
    next.modes = s.modes;
    next.hints = s.hints;
    bool const again = other_.is_open && other_.file == s.file;
    return !is_open && !(again && (is_alone(next) || is_alone(other_)));
  }
  if (s.what == op::compute || s.what == op::wait || s.what == op::test || s.what == op::drop)
    return true;
  if (!is_open) return false;
  // The place of a call at the shared pointer is derived from the bytes that the rank touched. If
  // agents touched them for the rank, it cannot be derived.
  if (at_shared_pointer(s.what))
    return shared_known && is_one_for_all(view.shape) && !(serves && !is_collective(s.what));
  if (s.what == op::seek_shared)
    return is_one_for_all(view.shape) && (shared_known || s.whence != seek_from::current);
  if (s.what == op::set_view && has(modes, mode::sequential))
    return shared_known && is_one_for_all(s.view.shape);
  if (s.what == op::set_hints && other_.is_open && other_.file == file) {
    opened_file next;
    next.hints = s.hints;
    return !is_alone(next);
  }
  return true;
}

std::int64_t session::displacement_of(step const& s) const {
  if (!has(modes, mode::sequential)) return s.view.displacement;
  tile const& t = tiles[0];
  return t.locate(shared * t.etype_bytes, 1)[0].offset;
}

std::int64_t session::sought(step const& s, int rank) const {
  std::int64_t base = 0;
  if (s.whence == seek_from::current)
    base = s.what == op::seek ? ranks_[static_cast<std::size_t>(rank)].position : shared;
  if (s.whence == seek_from::end)
    base = tiles[static_cast<std::size_t>(rank)].etypes_before(size_now());
  return base + s.offset;
}

errc session::deserves(step const& s, int rank) const {
  int const ranks = program_.world.ranks;
  bool const culprit = rank == s.culprit % ranks, sequential = has(modes, mode::sequential);
  auto const against_mode = [&](bool writing) {
    if (writing) return argosy::detail::can_write(modes) ? errc{} : errc::read_only;
    return argosy::detail::can_read(modes) ? errc{} : errc::access;
  };
  if (moves_data(s.what)) {
    if (s.mistake == slip::null_address && culprit && share_of(s, rank) > 0) return errc::argument;
    if (errc const refused = against_mode(writes(what_of(s, rank))); refused != errc{})
      return refused;
    if (sequential && !at_shared_pointer(s.what)) return errc::unsupported;
    tile const& t = tiles[static_cast<std::size_t>(rank)];
    if (s.mistake == slip::cut_etype && culprit && share_of(s, rank) > 0 && t.etype_bytes > 1 &&
        !converts(view.representation))
      return errc::datatype;
    if (s.mistake == slip::negative_offset && culprit && at_offset(s.what)) return errc::argument;
  }
  switch (s.what) {
    case op::explain:
    case op::explain_all:
      if (errc const refused = against_mode(s.on); refused != errc{}) return refused;
      return sequential ? errc::unsupported : errc{};
    case op::set_size:
    case op::preallocate:
      if (!argosy::detail::can_write(modes)) return errc::read_only;
      if (sequential) return errc::unsupported;
      return s.mistake == slip::other_size && ranks > 1 ? errc::not_same : errc{};
    case op::seek:
      if (sequential) return errc::unsupported;
      return sought(s, rank) < 0 ? errc::argument : errc{};
    case op::seek_shared:
      if (sequential) return errc::unsupported;
      if (s.mistake == slip::other_size && ranks > 1) {
        if (s.whence != seek_from::start || s.offset >= 0) return errc::not_same;
        // an argument that is wrong by itself is reported before one that differs
        return s.offset + (culprit ? 1 : 0) < 0 ? errc::argument : errc{};
      }
      // Every rank checks an offset from the start. If the pointer or the end is needed, only rank
      // 0 checks.
      return (rank == 0 || s.whence == seek_from::start) && sought(s, rank) < 0 ? errc::argument
                                                                                : errc{};
    case op::sync:
      return ranks_[static_cast<std::size_t>(rank)].sync_lost;
    default:
      return {};
  }
}

// Fills the buffer with the data that the rank writes. One item gets the value at which the
// program's code must fail.
void session::fill(record& r) const {
  for (std::size_t i = 0; i < r.buffer.size(); ++i)
    r.buffer[i] = byte_of(~r.key, static_cast<std::int64_t>(i));
  if (!r.writes) return;
  std::vector<std::byte> stream(static_cast<std::size_t>(r.bytes)), memory;
  std::int64_t at = 0;
  for (piece const& p : r.file)
    for (std::int64_t o = p.offset; o < p.end(); ++o, ++at)
      stream[static_cast<std::size_t>(at)] = value_of(r, at, o);
  for (; at < r.bytes; ++at) stream[static_cast<std::size_t>(at)] = value_of(r, at, 0);
  if (converts(r.representation)) {
    std::int64_t const f = file_bytes_of(r.representation, r.item), m = memory_bytes_of(r.item),
                       n = r.bytes / f;
    memory.resize(static_cast<std::size_t>(n * m));
    for (std::int64_t i = 0; i < n; ++i)
      decode(r.representation, r.item, stream.data() + i * f, memory.data() + i * m);
    if (r.bad_item >= 0)
      std::fill_n(memory.data() + r.bad_item * m, m,
                  r.bad == trouble::misfit ? misfit_byte : throwing_byte);
  } else {
    memory = std::move(stream);
  }
  std::byte const* from = memory.data();
  for (piece const& p : r.memory.pieces) {
    std::copy_n(from, p.length, r.buffer.data() + p.offset);
    from += p.length;
  }
}

record& session::begin(std::size_t k, int rank) {
  std::vector<record>& all =
      records_.try_emplace(k, static_cast<std::size_t>(program_.world.ranks)).first->second;
  record& r = all[static_cast<std::size_t>(rank)];
  step const& s = steps_[k];
  r.now = record::state::begun;
  r.step = k;
  r.what = what_of(s, rank);
  r.writes = writes(r.what);
  r.by_place = view.shape == shape::ghosts;
  r.key = mixed(mixed(k, s.salt), r.by_place ? ~0u : static_cast<std::uint64_t>(rank));
  r.least_size = size_now();
  r.beside = !of(rank).pending.empty();
  if (is_open || s.what == op::open) r.expected = deserves(s, rank);
  if (s.what == op::seek && is_open) r.sought = sought(s, rank);
  if (moves_data(s.what) || s.what == op::explain || s.what == op::explain_all) {
    tile const& t = tiles[static_cast<std::size_t>(rank)];
    bool const culprit = rank == s.culprit % program_.world.ranks;
    r.representation = view.representation;
    r.item = t.item.item;
    r.etypes = share_of(s, rank);
    r.bytes = r.etypes * t.etype_bytes;
    r.floats = at_shared_pointer(s.what);
    if (!r.floats) r.file = t.locate(offset_of(s, rank) * t.etype_bytes, r.bytes);
    if (is_here(rank)) {  // the memory of other ranks is in their processes
      std::int64_t const n = converts(r.representation) && r.item != basic_type::byte
                                 ? r.etypes * memory_bytes_of(r.item)
                                 : r.bytes;
      static_type const* const known =
          s.static_type > 0 ? static_type_for(s.static_type, n, view) : nullptr;
      r.memory = known ? memory_of(*known, n) : memory_of(s.memory, n);
      r.buffer.resize(static_cast<std::size_t>(r.memory.buffer_bytes));
    }
    if (by_views(s.what)) order_by_file(r);
    if (culprit && r.writes && r.etypes > 0 &&
        (s.trouble == trouble::misfit
             ? can_misfit(r.representation, r.item)
             : s.trouble == trouble::item_throws && can_throw(r.representation, r.item))) {
      r.bad = s.trouble;
      r.bad_item =
          static_cast<std::int64_t>(mixed(s.salt, k) % static_cast<std::uint64_t>(r.etypes));
    }
    r.must_fail = r.bad_item >= 0 || (s.trouble == trouble::policy_throws && asks_policy(s, rank));
    if (is_here(rank)) {
      of(rank).handle_throws = s.trouble == trouble::handle_throws && culprit;
      fill(r);
    }
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
  // A close is never repeated, because the descriptor may belong to another file by then.
  bool const again = w.error == std::errc::resource_unavailable_try_again &&
                     asked_again_ < patience_of_handles && w.call != file_call::close;
  if (w.error == std::errc::interrupted || again)
    unseen_ = fmt::format("rank {}: '{}' comes out of the handle, at {}", rank, w.error.message(),
                          to_string(w.call));
  of(rank).seen.push_back(std::move(w));
}

bool session::called(int rank, bool may_throw) {
  std::lock_guard const guard(seeing_);
  ++of(rank).calls;
  return may_throw && std::exchange(of(rank).handle_throws, false);
}

std::vector<witnessed> session::take_seen(int rank) {
  std::lock_guard const guard(seeing_);
  return std::exchange(of(rank).seen, {});
}

void session::arrive(std::size_t k, int rank) {
  of(rank).handle_throws = false;
  record& r = records_.at(k)[static_cast<std::size_t>(rank)];
  r.seen = take_seen(rank);
  bool const moves_pointer = at_shared_pointer(r.what) && !is_collective(r.what) && r.etypes > 0;
  for (witnessed& w : r.seen) w.only_looks = !moves_pointer;
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
  if (!died) return;
  any_died = true;
  for (auto& [k, all] : records_)
    if (record& r = all[static_cast<std::size_t>(rank)]; r.now == record::state::begun)
      r.seen = take_seen(rank);
}

void session::finish() {
  if (std::string const words = files_.complaint(); !words.empty()) throw found_wrong(words);
  if (any_died && next_ < steps_.size() && !records_.empty()) look(next_, records_.rbegin()->first);
  if (!crashes_.wrong().empty()) throw found_wrong(crashes_.wrong());
}

// --- Checks ---

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
  for (loss const& l : losses_) {
    int const which = l.path == path(0) ? 0 : l.path == path(1) ? 1 : -1;
    if (which < 0 || l.size < 0) continue;
    std::int64_t& least = least_size_[static_cast<std::size_t>(which)];
    least = least < 0 ? l.size : std::min(least, l.size);
  }
  for (std::size_t k = first; k <= last; ++k)
    if (auto const found = records_.find(k); found != records_.end()) look_at_stops(found->second);
  if (serves) {
    auto const pool = [&](std::vector<witnessed>& seen) {
      for (witnessed& w : std::exchange(seen, {})) pool_of(0).pool.push_back(std::move(w));
    };
    if (only_ < 0)  // with processes, the records have it already, equal on all ranks
      for (rank_state& r : ranks_) pool(r.seen);
    // An agent may see an error in a later step than the rank that gets it.
    for (std::size_t k = first; k <= last; ++k)
      if (auto const found = records_.find(k); found != records_.end())
        for (record& r : found->second) pool(r.seen);
  }
  // The largest size that the file may reach during these steps.
  std::int64_t most = size_now();
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
    for (record const& r : found->second)
      if (r.writes) reach(r);
    if (steps_[k].what == op::set_size || steps_[k].what == op::preallocate)
      most = std::max(most, steps_[k].offset);
  }
  for (rank_state const& r : ranks_)
    for (auto const& e : r.ended)
      if (e->writes && e->expected == errc{}) write(*e, false);
  apply_losses();
  for (std::size_t k = first; k <= last; ++k) {
    auto const found = records_.find(k);
    if (found == records_.end()) continue;
    std::vector<record>& all = found->second;
    count(k, all);
    look_at_codes(k, all);
    if (k == last) check_ended(last, most);  // before the file is closed
    apply_step(k, all);
    apply_losses();
    if (moves_data(steps_[k].what))
      for (std::size_t r = 0; r < all.size(); ++r)
        if (is_here(static_cast<int>(r)) && all[r].now == record::state::done && !all[r].writes &&
            !all[r].lost_place)
          check_read(k, static_cast<int>(r), all[r], most);
  }
  for (int r = 0; r < program_.world.ranks; ++r) {
    count(of(r).ended);
    for (auto& e : of(r).ended)
      if (e->now == record::state::dropped) graveyard_.push_back(std::move(e));
    of(r).ended.clear();
    for (auto const& p : of(r).pending)
      if (p->writes && p->expected == errc{}) write(*p, false);
  }
  apply_losses();
  if (is_open || any_died || steps_[last].what == op::close || steps_[last].what == op::open)
    check_files(last);
  if (steps_[last].what == op::sync) check_crash(last);
  for (int f = 0; f < 2; ++f)
    if (!files_.exists(path(f))) crashes_.keep(path(f));
  // Bytes of a request may be lost long before its error is reported.
  if (std::all_of(ranks_.begin(), ranks_.end(),
                  [](rank_state const& r) { return r.pending.empty(); }))
    losses_.clear();
  if (serves) look_at_pool(last);
  if (steps_[last].what == op::close) {
    serves = false;
    if (!other_.is_open) graveyard_.clear();
  }
  records_.clear();
}

void session::check_ended(std::size_t k, std::int64_t most_size) {
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    for (auto const& e : ranks_[r].ended)
      if (is_here(static_cast<int>(r)) && !e->writes && e->now == record::state::done)
        check_read(k, static_cast<int>(r), *e, most_size, true);
}

// A lost byte matters only if its value is one that the file should have.
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
    return found != all.end() &&
           std::count(found->second.values.begin(), found->second.values.end(), value) > 0;
  };
  std::byte const there = offset < static_cast<std::int64_t>(now.size())
                              ? now[static_cast<std::size_t>(offset)]
                              : std::byte{};
  if (value == there || among(fallen_[static_cast<std::size_t>(which)])) return true;
  if (which != file) return false;
  return among(maybe_) || is_free(offset);
}

bool session::is_free(std::int64_t offset) const {
  return std::any_of(anything_.begin(), anything_.end(),
                     [&](auto const& x) { return x[0] <= offset && offset < x[1]; });
}

// Returns true if a byte of the open file can have only one value.
bool session::is_sure(std::int64_t offset) const {
  return !maybe_.contains(offset) && !fallen_[static_cast<std::size_t>(file)].contains(offset) &&
         !is_free(offset);
}

}  // namespace argosy::explore

// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <argosy/agree/error.hpp>

namespace argosy::explore {

session::session(program const& p, file_system& files)
    : program_(p),
      steps_(complete(p)),
      files_(files),
      crashes_(files.on_disk() ? *files.on_disk() : virtual_files(), files.on_disk() ? p.crash_every : 0, p.world.seed),
      ranks_(static_cast<std::size_t>(p.world.ranks)) {
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
    r.memory = memory_of(s.memory, r.bytes);
    r.buffer.resize(static_cast<std::size_t>(r.memory.buffer_bytes));
    for (std::size_t i = 0; i < r.buffer.size(); ++i) r.buffer[i] = byte_of(~r.key, static_cast<std::int64_t>(i));
    std::int64_t at = 0;
    if (writes(s.what))
      for (piece const& p : r.memory.pieces)
        for (std::int64_t i = 0; i < p.length; ++i)
          r.buffer[static_cast<std::size_t>(p.offset + i)] = byte_of(r.key, at++);
  }
  of(rank).lowest = -1;
  return r;
}

void session::arrive(std::size_t k, int rank) {
  record& r = records_.at(k)[static_cast<std::size_t>(rank)];
  r.seen = std::exchange(of(rank).seen, {});
  r.lowest = of(rank).lowest;
  r.beside = r.beside || !of(rank).pending.empty();
  ++arrived_[k];
  if (steps_[k].loose || any_died || arrived_[k] < program_.world.ranks) return;
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
        if (all[r].now == record::state::done && !all[r].lost_place) check_read(k, static_cast<int>(r), all[r], most);
  }
  for (int r = 0; r < program_.world.ranks; ++r) {
    for (auto const& e : of(r).ended)
      if (!e->writes && e->now == record::state::done) check_read(last, r, *e, most, true);
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

bool session::some_done(std::vector<record> const& all, bool well) const {
  return std::any_of(all.begin(), all.end(),
                     [&](record const& r) { return r.now == record::state::done && !r.code == well; });
}

bool session::tolerable(step const& s, witnessed const& w) const {
  errc const e = classify(w.error);
  if (w.of_pointer) return w.call == file_call::close;
  switch (w.call) {
    case file_call::open:
      return s.what == op::open && (e == errc::no_such_file || e == errc::file_exists || e == errc::access);
    case file_call::lock:
      return e == errc::no_locks && (s.what == op::open || (s.what != op::set_atomic && !atomic));
    case file_call::close:
      return s.what == op::open;
    default:
      return false;
  }
}

std::vector<witnessed> session::serious(step const& s, std::vector<witnessed> const& all) const {
  std::vector<witnessed> left;
  for (witnessed const& w : all)
    if (!tolerable(s, w)) left.push_back(w);
  return left;
}

namespace {

bool explains(std::vector<witnessed> const& all, std::error_code const& code) {
  return std::any_of(all.begin(), all.end(), [&](witnessed const& w) { return classify(w.error) == code; });
}

std::string text_of(std::vector<witnessed> const& all) {
  std::string text;
  for (witnessed const& w : all)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", to_string(w.call), w.error.message());
  return text.empty() ? "nothing" : text;
}

}  // namespace

// Whatever an agent's file calls saw, somebody must have been told.
void session::look_at_pool(std::size_t k) {
  if (any_died || std::any_of(ranks_.begin(), ranks_.end(), [](rank_state const& r) { return !r.pending.empty(); }))
    return;
  rank_state& all = pool_of(0);
  if (!all.pool_told && !serious(steps_[k], all.pool).empty())
    wrong(k, -1, "nobody is told anything, although file calls saw " + text_of(all.pool));
  all.pool.clear();
  all.pool_told = false;
}

// Every rank is told what it must be told.
void session::look_at_codes(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  bool const together = is_collective(s.what);
  bool const failed = some_done(all, false), succeeded = some_done(all, true);
  bool const deserved = std::any_of(all.begin(), all.end(), [](record const& r) { return r.expected != errc{}; });
  bool own = false, lost = false;
  // First of all ranks: an agent may have seen what its neighbour is told.
  for (std::size_t i = 0; i < all.size(); ++i) {
    record& r = all[i];
    r.beside = r.beside || serves;
    if (!r.beside) continue;
    rank_state& me = pool_of(static_cast<int>(i));
    me.pool.insert(me.pool.end(), r.seen.begin(), r.seen.end());
    me.pool_told = me.pool_told || r.code;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    record& r = all[i];
    auto const rank = static_cast<int>(i);
    rank_state& me = pool_of(rank);
    std::vector<witnessed> const errors = serious(s, r.seen);
    if (r.now != record::state::done) continue;
    auto const words = [&] {
      return fmt::format("told '{}' ({}); its file calls saw {}", r.code.message(), r.words, text_of(r.seen));
    };
    if (!r.code) {
      if (!errors.empty() && !r.beside) wrong(k, rank, "success, although " + words());
      if (together ? deserved : r.expected != errc{}) wrong(k, rank, "success, although the arguments are wrong");
      if (writes(s.what) && r.told.bytes != r.bytes)
        wrong(k, rank, fmt::format("success, but {} of {} bytes are reported", r.told.bytes, r.bytes));
      continue;
    }
    if (r.code == errc::rank_failed) {
      if (!any_died) wrong(k, rank, "a death, and nobody died");
      lost = true;
    } else if (r.code == errc::error_on_another_rank) {
      if (!together) wrong(k, rank, "a local call " + words());
      if ((!errors.empty() && !r.beside) || r.expected != errc{}) wrong(k, rank, "it failed itself, but is " + words());
    } else {
      bool const right = r.expected != errc{} ? r.code == r.expected
                                              : explains(r.seen, r.code) || (r.beside && explains(me.pool, r.code));
      if (!right) wrong(k, rank, "not its error: " + words());
      own = true;
    }
  }
  if (!together) return;
  if (failed && succeeded && !(lost && s.what == op::open)) wrong(k, -1, "some ranks failed and others did not");
  if (failed && !own && !lost) wrong(k, -1, "no rank says what failed");
}

// --- What follows for the files ---

// Bytes that are certainly there, and those that may be.
void session::write(record const& r, bool all_of_it) {
  std::vector<std::byte>& now = model_[static_cast<std::size_t>(file)].bytes;
  std::int64_t const sure = all_of_it ? r.bytes : r.now == record::state::done ? r.told.bytes : 0;
  std::int64_t at = 0;
  std::uint64_t const key = r.key;
  for (piece const& p : r.file) {
    std::int64_t const end = p.offset + std::clamp<std::int64_t>(sure - at, 0, p.length);
    if (end > p.offset && end > static_cast<std::int64_t>(now.size())) now.resize(static_cast<std::size_t>(end));
    for (std::int64_t o = p.offset; o < p.end(); ++o, ++at) {
      if (o < end) {
        now[static_cast<std::size_t>(o)] = byte_of(key, at);
        if (!maybe_.empty()) maybe_.erase(o);
      } else {
        maybe_[o].values.push_back(byte_of(key, at));
      }
    }
    if (end < p.end()) maybe_size_ = std::max(maybe_size_, p.end());
  }
}

// Calls of several ranks at the shared pointer come in any order; which one, is told by what they touched.
void session::place_floating(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!is_collective(s.what))
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(all[a].lowest, a) < std::pair(all[b].lowest, b); });
  tile const& t = tiles[0];
  bool const failed = some_done(all, false) || any_died || pointer_lost_;
  std::int64_t at = shared;
  for (std::size_t const i : order) {
    record& r = all[i];
    if (r.now == record::state::idle) continue;
    r.file = t.locate(at * t.etype_bytes, r.bytes);
    at += r.etypes;
  }
  if (failed && (!is_collective(s.what) || pointer_lost_)) {
    // Some moved the pointer and others did not; or it is where it has been before.
    std::int64_t sum = 0;
    for (record const& r : all) sum += r.etypes;
    std::int64_t const from = pointer_lost_ ? 0 : shared;
    if (writes(s.what))
      for (piece const& p : t.locate(from * t.etype_bytes, (shared - from + sum) * t.etype_bytes)) {
        anything_.push_back({p.offset, p.end()});
        maybe_size_ = std::max(maybe_size_, p.end());
      }
    for (record& r : all) r.file.clear(), r.lost_place = true;
  }
  if (failed)
    shared_known = false;
  else
    shared = at;
}

void session::apply_step(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  stored& f = model_[static_cast<std::size_t>(file)];
  bool const well = some_done(all, true) && (is_collective(s.what) || !some_done(all, false));
  bool const deserved = std::any_of(all.begin(), all.end(), [](record const& r) { return r.expected != errc{}; });
  auto const positions = [&](std::int64_t to) {
    for (rank_state& r : ranks_) r.position = to;
  };
  if (moves_data(s.what)) {
    for (record const& r : all) {
      if (r.now == record::state::pending || r.now == record::state::idle) continue;
      // What is refused for its arguments writes nothing, on any rank of a collective call.
      bool const refused = is_collective(s.what) ? deserved : r.expected != errc{};
      if (writes(s.what) && !refused && !r.lost_place) write(r, is_collective(s.what) && well);
    }
    return;
  }
  switch (s.what) {
    case op::open:
      look_at_open(k, all);
      break;
    case op::close:
      is_open = false;
      if (has(modes, mode::delete_on_close)) {
        // It may still be there where a rank could not delete it, or died.
        if (well || !files_.exists(path(file))) f = {};
      }
      break;
    case op::set_view:
      if (!well) break;
      view = s.view;
      tiles = tiles_of(view, program_.world.ranks);
      positions(0);
      shared = 0;
      shared_known = true;
      break;
    case op::set_size:
    case op::preallocate: {
      auto const to = static_cast<std::size_t>(s.offset);
      if (deserved || (s.what == op::preallocate && to <= f.bytes.size())) break;
      if (well) {
        f.bytes.resize(to);
      } else if (!f.bytes.empty() || to > 0) {
        maybe_size_ = s.offset;
        for (std::size_t i = to; i < f.bytes.size(); ++i)
          anything_.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1});
      }
      break;
    }
    case op::sync:
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].now == record::state::done && all[i].code && all[i].code != errc::error_on_another_rank &&
            all[i].code != errc::rank_failed)
          ranks_[i].sync_lost = static_cast<errc>(all[i].code.value());
      break;
    case op::clear_sync:
      for (rank_state& r : ranks_) r.sync_lost = {};
      break;
    case op::set_atomic:
      if (well) atomic = s.on;
      break;
    case op::seek_shared:
      shared_known = well;
      shared = s.offset;
      break;
    case op::wait:
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<witnessed>& pool = pool_of(static_cast<int>(i)).pool;
        pool.insert(pool.end(), all[i].seen.begin(), all[i].seen.end());
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        rank_state& mine = ranks_[i];
        rank_state& r = pool_of(static_cast<int>(i));
        bool told = r.pool_told;
        for (auto const& e : mine.ended) {
          if (e->now != record::state::done) continue;
          if (e->expected != errc{} ? e->code != e->expected : e->code && !explains(r.pool, e->code))
            wrong(k, static_cast<int>(i),
                  fmt::format("a request is told '{}' ({}); its file calls saw {}", e->code.message(), e->words,
                              text_of(r.pool)));
          told = told || e->code;
          if (!e->code && e->writes && e->told.bytes != e->bytes)
            wrong(k, static_cast<int>(i),
                  fmt::format("a request succeeds with {} of {} bytes", e->told.bytes, e->bytes));
        }
        r.pool_told = told;
        if (serves) continue;
        if (!told && !serious(s, r.pool).empty())
          wrong(k, static_cast<int>(i), "all requests succeeded, although file calls saw " + text_of(r.pool));
        r.pool.clear();
        r.pool_told = false;
      }
      break;
    default:
      break;
  }
}

void session::look_at_open(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  stored& f = model_[static_cast<std::size_t>(s.file)];
  bool const well = some_done(all, true);
  bool const refused = !f.exists ? !has(s.modes, mode::create) : has(s.modes, mode::exclusive);
  if (well && refused) wrong(k, -1, f.exists ? "an exclusive open of a file that is there" : "no file was there");
  if (!well && !any_died && files_.exists(path(s.file)) != f.exists) wrong(k, -1, "a failed open made the file");
  if (!well) {
    f.exists = files_.exists(path(s.file));  // where a rank died
    return;
  }
  f.exists = true;
  is_open = true;
  file = s.file;
  modes = s.modes;
  atomic = false;
  serves = false;
  bool named = false;
  for (auto const& [name, value] : s.hints) {
    serves = serves || (name == "IBM_largeblock_io" && value != "true");
    named = named || (name == "argosy_policy" && value == "data_shipping");
  }
  serves = serves || named;
  view = {};
  tiles = tiles_of(view, program_.world.ranks);
  shared_known = true;
  shared = has(modes, mode::append) ? static_cast<std::int64_t>(f.bytes.size()) : 0;
  for (rank_state& r : ranks_) {
    r.position = shared;
    r.sync_lost = {};
  }
}

// --- What is there ---

void session::check_read(std::size_t k, int rank, record const& r, std::int64_t most_size, bool was_request) {
  std::vector<std::byte> const& now = model_[static_cast<std::size_t>(file)].bytes;
  // The end of the file when the call looked may have been anywhere in between.
  auto const before = [&](std::int64_t size) {
    std::int64_t n = 0;
    for (piece const& p : r.file) n += std::clamp<std::int64_t>(size - p.offset, 0, p.length);
    return n;
  };
  std::int64_t const shrunk = least_size_[static_cast<std::size_t>(file)];
  std::int64_t const sure = shrunk < 0 ? r.least_size : std::min(shrunk, r.least_size);
  std::int64_t const least = before(std::min(sure, static_cast<std::int64_t>(now.size()))), most = before(most_size);
  std::int64_t const got = r.told.bytes;
  if (got > r.bytes || (!r.code && (got < least || got > most)))
    wrong(k, rank,
          fmt::format("{} bytes read of {}, but {} to {} lie before the end of the file", got, r.bytes, least, most));
  // Behind what is reported memory is as before; but while the file grows, or after an error, later windows may have come.
  std::int64_t at = 0;
  std::size_t m = 0;
  std::int64_t within = 0;
  std::vector<bool> named(r.buffer.size());
  auto const was_lost = [&](std::int64_t o, std::byte value) {
    return std::any_of(losses_.begin(), losses_.end(), [&](loss const& l) {
      std::int64_t const at_loss = o - l.offset;
      return l.path == path(file) && at_loss >= 0 && at_loss < static_cast<std::int64_t>(l.lost.size()) &&
             l.lost[static_cast<std::size_t>(at_loss)] == value;
    });
  };
  auto const is_free = [&](std::int64_t o) {
    return std::any_of(anything_.begin(), anything_.end(), [&](auto const& x) { return x[0] <= o && o < x[1]; });
  };
  for (piece const& p : r.file)
    for (std::int64_t o = p.offset; o < p.end(); ++o, ++at) {
      while (within == r.memory.pieces[m].length) ++m, within = 0;
      auto const place = static_cast<std::size_t>(r.memory.pieces[m].offset + within++);
      named[place] = true;
      std::byte const value = r.buffer[place], old = byte_of(~r.key, static_cast<std::int64_t>(place));
      std::byte const there =
          o < static_cast<std::int64_t>(now.size()) ? now[static_cast<std::size_t>(o)] : std::byte{};
      // A request may have read what was lost later.
      bool const right = fits(file, o, value) || (was_request && was_lost(o, value));
      if (at < got ? !right : !(value == old || ((r.code || most > least) && right) || is_free(o)))
        wrong(k, rank,
              fmt::format("byte {} of the stream, at {} of the file, is read as {:#x}; {:#x} is there, {:#x} was in "
                          "memory ({} bytes reported{})",
                          at, o, static_cast<int>(value), static_cast<int>(there), static_cast<int>(old), got,
                          r.code ? ", with an error" : ""));
    }
  for (std::size_t i = 0; i < r.buffer.size() && r.bytes > 0; ++i)
    if (!named[i] && r.buffer[i] != byte_of(~r.key, static_cast<std::int64_t>(i)))
      wrong(k, rank, fmt::format("memory at byte {} of the buffer was touched, and is not of the data", i));
}

void session::check_files(std::size_t k) {
  for (std::size_t i = 0; i < 2; ++i) {
    stored& f = model_[i];
    std::string const name = path(static_cast<int>(i));
    if (files_.exists(name) != f.exists) {
      if (!any_died) wrong(k, -1, fmt::format("file '{}' is {}there", name, f.exists ? "not " : ""));
      f.exists = files_.exists(name);
      continue;
    }
    std::vector<std::byte> now = files_.content(name);
    bool const open_one = static_cast<int>(i) == file;
    auto const size = static_cast<std::int64_t>(now.size()), sure = static_cast<std::int64_t>(f.bytes.size());
    std::int64_t const other = open_one && maybe_size_ >= 0 ? maybe_size_ : sure;
    std::int64_t const least = least_size_[i] < 0 ? sure : least_size_[i];
    if (size < std::min({sure, other, least}) || size > std::max(sure, other))
      wrong(k, -1, fmt::format("file '{}' has {} bytes, and not {}", name, size, sure));
    if (now != f.bytes)
      for (std::int64_t o = 0; o < size; ++o) {
        std::byte const value = now[static_cast<std::size_t>(o)],
                        wanted = o < sure ? f.bytes[static_cast<std::size_t>(o)] : std::byte{};
        if (value == wanted) continue;
        if (!fits(static_cast<int>(i), o, value))
          wrong(k, -1,
                fmt::format("byte {} of file '{}' is {:#x}, and not {:#x}", o, name, static_cast<int>(value),
                            static_cast<int>(wanted)));
      }
    f.bytes = std::move(now);
  }
  std::size_t others = 0;
  for (std::string const& name : files_.names()) others += name != path(0) && name != path(1);
  bool const closed_well = steps_[k].what == op::close;
  if (closed_well && others > 0 && !any_died) wrong(k, -1, "hidden files are left behind");
}

// What a sync that succeeded has made safe.
void session::check_crash(std::size_t k) {
  std::vector<record> const& all = records_.at(k);
  if (any_died || some_done(all, false)) return;
  if (files_.after_crash(path(file), steps_[k].salt + 1) != model_[static_cast<std::size_t>(file)].bytes)
    wrong(k, -1, "a crash after a sync that succeeded loses data");
  crashes_.keep(path(file));
}

}  // namespace argosy::explore

// The effect of a step on files, pointers and modes.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <argosy/error/error.hpp>

namespace argosy::explore {

using namespace extend;

// Adds bytes that a call has certainly written to the model, and the others to the possible values.
void session::write(record const& r, bool all_of_it) {
  std::vector<std::byte>& now = model_[static_cast<std::size_t>(file)].bytes;
  std::int64_t const sure = all_of_it ? r.bytes : r.now == record::state::done ? r.told.bytes : 0;
  std::int64_t at = 0;
  // An item that the program's code could not convert is not written. If it did not fit, its bytes
  // may be anything.
  std::int64_t const item = r.bad_item < 0 ? 0 : file_bytes_of(r.representation, r.item),
                     bad = r.bad_item * item, behind = bad + item;
  for (piece const& p : r.file) {
    std::int64_t const end = p.offset + std::clamp<std::int64_t>(sure - at, 0, p.length);
    if (end > p.offset && end > static_cast<std::int64_t>(now.size()))
      now.resize(static_cast<std::size_t>(end));
    for (std::int64_t o = p.offset; o < p.end(); ++o, ++at) {
      if (bad <= at && at < behind) {
        if (r.bad == trouble::misfit) anything_.push_back({o, o + 1});
        continue;
      }
      if (o < end) {
        now[static_cast<std::size_t>(o)] = value_of(r, at, o);
        if (!maybe_.empty()) maybe_.erase(o);
      } else {
        maybe_[o].values.push_back(value_of(r, at, o));
      }
    }
    if (end < p.end()) maybe_size_ = std::max(maybe_size_, p.end());
  }
}

// Local calls of several ranks at the shared pointer come in any order. The bytes that each rank
// touched show the order.
void session::place_floating(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!is_collective(s.what))
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(all[a].lowest, a) < std::pair(all[b].lowest, b);
    });
  tile const& t = tiles[0];
  bool const failed = some_done(all, false) || any_died;
  std::int64_t at = shared;
  for (std::size_t const i : order) {
    record& r = all[i];
    if (r.now == record::state::idle) continue;
    r.file = t.locate(at * t.etype_bytes, r.bytes);
    at += r.etypes;
  }
  if (failed && !is_collective(s.what)) {
    // Some ranks moved the pointer and others did not, so the places are unknown.
    std::int64_t sum = 0;
    for (record const& r : all) sum += r.etypes;
    if (writes(s.what))
      for (piece const& p : t.locate(shared * t.etype_bytes, sum * t.etype_bytes)) {
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
  bool const deserved =
      std::any_of(all.begin(), all.end(), [](record const& r) { return r.expected != errc{}; });
  auto const positions = [&](std::int64_t to) {
    for (rank_state& r : ranks_) r.position = to;
  };
  if (moves_data(s.what)) {
    for (record const& r : all) {
      if (r.now == record::state::pending || r.now == record::state::idle) continue;
      // A call with wrong arguments writes nothing, and a collective one writes nothing on any
      // rank.
      bool const refused = is_collective(s.what) ? deserved : r.expected != errc{};
      if (r.writes && !refused && !r.lost_place) write(r, is_collective(s.what) && well);
    }
    return;
  }
  switch (s.what) {
    case op::open:
      look_at_open(k, all);
      break;
    case op::close:
      if (s.later) look_at_requests(k, all);
      is_open = false;
      if (has(modes, mode::delete_on_close)) {
        // The file may still exist if a rank could not delete it, or died.
        if (well || !files_.exists(path(file))) f = {};
      }
      break;
    case op::set_view:
      if (!well) break;
      {
        std::int64_t from = displacement_of(s);
        // The place of the pointer may be unknown, but all ranks must get the same.
        bool known = shared_known;
        for (std::size_t i = 0; i < all.size() && has(modes, mode::sequential); ++i) {
          record const& r = all[i];
          if (r.now != record::state::done || r.code) continue;
          if (!std::exchange(known, true)) from = r.displacement;
          if (r.displacement != from)
            wrong(k, static_cast<int>(i),
                  fmt::format("its view begins at {}, and not at {}", r.displacement, from));
        }
        view = s.view;
        view.displacement = from;
      }
      take_hints(s);
      tiles = tiles_of(view, program_.world.ranks);
      positions(0);
      shared = 0;
      shared_known = true;
      break;
    case op::set_size:
    case op::preallocate: {
      if (has(modes, mode::sequential)) break;
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
        if (all[i].now == record::state::done && all[i].code &&
            all[i].code != errc::error_on_another_rank && all[i].code != errc::rank_failed)
          ranks_[i].sync_lost = static_cast<errc>(all[i].code.value());
      break;
    case op::clear_sync:
      for (rank_state& r : ranks_) r.sync_lost = {};
      break;
    case op::set_atomic:
      if (well) atomic = s.on;
      break;
    case op::seek_shared:
      if (deserved) break;
      if (well) shared = sought(s, 0);
      shared_known = well;
      break;
    case op::wait:
    case op::drop:
      look_at_requests(k, all);
      break;
    case op::set_hints:
      if (well) take_hints(s);
      break;
    default:
      break;
  }
}

// Agents serve until the file is closed.
void session::take_hints(step const& s) {
  for (auto const& [name, value] : s.hints) {
    serves = serves || (name == "IBM_largeblock_io" && value != "true");
    serves = serves || (name == "argosy_policy" && value == "data_shipping");
  }
  hints.insert(hints.end(), s.hints.begin(), s.hints.end());
}

void session::look_at_open(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  stored& f = model_[static_cast<std::size_t>(s.file)];
  bool const well = some_done(all, true);
  bool const refused = !f.exists ? !has(s.modes, mode::create) : has(s.modes, mode::exclusive);
  if (well && refused)
    wrong(k, -1, f.exists ? "an exclusive open of a file that is there" : "no file was there");
  // If the file calls of a rank failed, the rank may not know that it has made the file and that
  // the file is still empty. The file then stays.
  bool const may_stay = !f.exists && !all[0].seen.empty();
  if (!well && !any_died && files_.exists(path(s.file)) != f.exists && !may_stay)
    wrong(k, -1, "a failed open made the file");
  if (!well) {
    f.exists = files_.exists(path(s.file));  // if a rank died
    return;
  }
  f.exists = true;
  is_open = true;
  file = s.file;
  modes = s.modes;
  atomic = false;
  serves = false;
  hints.clear();
  take_hints(s);
  view = {};
  tiles = tiles_of(view, program_.world.ranks);
  shared_known = true;
  shared = has(modes, mode::append) ? static_cast<std::int64_t>(f.bytes.size()) : 0;
  for (rank_state& r : ranks_) {
    r.position = shared;
    r.sync_lost = {};
  }
}

}  // namespace argosy::explore

// Implements partitioning of a client node (client_state.hpp): its start and end, and calls shipped to owners.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "client_state.hpp"

namespace argosy::lab::gpfs {

// --- Going from one mode to the other ------------------------------------------------------------------------------

void client_node::state::on(node_id, ship_begin const& m) {
  file& f = files_[m.file];
  f.ship = {ship_state::stage::entering, m.epoch, m.map};
  f.told_ready = false;
  f.tokens.forget();
}

void client_node::state::on(node_id, ship_go const& m) {
  file& f = files_[m.file];
  f.learn(m.size);
  f.allocated.add(m.allocated);
  if (f.ship.epoch == m.epoch && f.ship.now == ship_state::stage::entering) f.ship.now = ship_state::stage::on;
}

void client_node::state::on(node_id, ship_end const& m) {
  file& f = files_[m.file];
  f.ship.now = ship_state::stage::off;
  f.leaving_epoch = m.epoch;
}

// Tells the manager, when everything is on disk and dropped from the cache.
void client_node::state::run_transition(file_id id, file& f) {
  bool const enters = f.ship.now == ship_state::stage::entering && !f.told_ready;
  if (!enters && f.leaving_epoch == 0) return;
  block_range const all{0, no_end};
  if (f.serving > 0 || locks_.against(id, all, token_mode::write) || !pool_.clean(id, all, true)) return;
  ship_ready ready{id, enters ? f.ship.epoch : f.leaving_epoch, f.ship_error, f.size, f.allocated};
  f.ship_error = 0;
  context_.tell_manager(std::move(ready), context_.now());
  if (enters)
    f.told_ready = true;
  else
    f.leaving_epoch = 0;
}

void client_node::state::on(node_id, ship_done const& m) {
  operation* const o = find(m.call);
  if (o == nullptr) return;
  o->answered = true;
  o->error = m.error;
}

// --- The side of the task ------------------------------------------------------------------------------------------

void client_node::state::start_shipping(operation& o) {
  file const& f = file_of(o);
  partition_map const& map = f.ship.map;
  o.pieces.clear();
  o.started = false;
  if (o.asked.kind == call_kind::sync) {
    std::set<node_id> const owners(map.owners.begin(), map.owners.end());
    for (node_id const owner : owners) o.pieces.push_back({0, 0, owner});
  } else {
    for (std::int64_t at = o.offset, end = o.offset + o.length; at < end;) {
      std::int64_t const block = at / block_bytes();
      std::int64_t const last = map.entry_end(block);
      std::int64_t to = last > no_end / block_bytes() ? end : std::min(end, last * block_bytes());
      to = std::min(to, at > no_end - ship_call::longest ? end : at + ship_call::longest);
      node_id const owner = map.owner(block);
      if (!o.pieces.empty() && o.pieces.back().owner == owner &&
          o.pieces.back().length + (to - at) <= ship_call::longest)
        o.pieces.back().length += to - at;  // the same node twice in a row
      else
        o.pieces.push_back({at, to - at, owner});
      at = to;
    }
  }
  for (std::size_t k = 0; k < o.pieces.size(); ++k) {
    shipped& p = o.pieces[k];
    if (context_.is_dead(p.owner)) {
      p.done = true;
      p.error = ESTALE;
      continue;
    }
    ship_call c{context_.next_id(), o.file, f.ship.epoch, o.instance, ship_kind::sync, p.offset, p.length, {}, f.size};
    if (o.asked.kind != call_kind::sync) c.kind = o.is_write ? ship_kind::write : ship_kind::read;
    ship_waits_[c.id] = {o.id, k};
    if (p.owner == context_.node()) {
      operation own;
      own.kind = operation::what::serve;
      own.id = c.id;
      own.origin = context_.node();
      if (c.kind == ship_kind::write) own.from = o.from + (p.offset - o.offset);
      if (c.kind == ship_kind::read) own.into = o.into + (p.offset - o.offset);
      own.served = std::move(c);
      operations_.push_back(std::move(own));
      context_.changed();
      continue;
    }
    ++context_.counters().ships_sent;
    context_.counters().ship_bytes += p.length;
    std::int64_t const bytes = c.kind == ship_kind::write ? p.length : 0;
    if (bytes > 0) {
      std::byte const* const from = o.from + (p.offset - o.offset);
      c.data = payload::of(from, p.length, f.hollow);
      charge_copy(o, bytes);
    }
    o.ready = std::max(o.ready, context_.compute(context_.machine().segment_us * 1e-6));
    context_.tell_node(p.owner, std::move(c), o.ready, bytes);
  }
}

void client_node::state::ship_piece_done(std::int64_t id, int error, bool ended, std::int64_t epoch,
                                         payload const* data) {
  auto const w = ship_waits_.find(id);
  if (w == ship_waits_.end()) return;
  auto const [call, index] = w->second;
  ship_waits_.erase(w);
  operation* const o = find(call);
  if (o == nullptr) return;
  shipped& p = o->pieces[index];
  p.done = true;
  p.error = error;
  p.ended = ended;
  if (ended) file_of(*o).ended_epoch = std::max(file_of(*o).ended_epoch, epoch);
  if (data != nullptr && error == 0 && !ended) {
    std::int64_t const wanted = o->asked.kind == call_kind::read ? p.length : 0;
    if (data->size() != wanted) {
      p.error = EIO;  // not what was asked for
    } else if (wanted > 0) {
      data->copy_out(0, o->into + (p.offset - o->offset), wanted);
      charge_copy(*o, wanted);
    }
  }
  context_.changed();
}

void client_node::state::run_shipping(operation& o) {
  if (o.at == phase::ship) {
    if (!std::all_of(o.pieces.begin(), o.pieces.end(), [](shipped const& p) { return p.done; })) return;
    if (std::any_of(o.pieces.begin(), o.pieces.end(), [](shipped const& p) { return p.ended; })) {
      o.at = phase::route;  // the mode has ended meanwhile: once more, with tokens
      context_.changed();
      return;
    }
    for (shipped const& p : o.pieces) {
      if (p.error != 0) {
        o.error = p.error;
        break;
      }
      o.done += p.length;
    }
    o.at = phase::ship_size;
  }
  file& f = file_of(o);
  instance& i = instances_.at(o.instance);
  if (o.asked.kind == call_kind::sync) {
    if (!tell_size(o)) return;
    if (i.error != 0) o.error = std::exchange(i.error, 0);
    return finish(o, o.error);
  }
  if (o.is_write) {
    if (o.done > 0) f.size.bytes = std::max(f.size.bytes, o.offset + o.done);
    return finish(o, o.error, o.done);
  }
  if (o.started || o.offset + o.done > f.size.bytes)
    if (!learn_size(o)) return;
  finish(o, o.error, std::clamp<std::int64_t>(f.size.bytes - o.offset, 0, o.done));
}

void client_node::state::on(node_id, ship_answer const& m) {
  if (!ship_waits_.contains(m.id)) return;
  files_[m.file].learn(m.size);
  ship_piece_done(m.id, m.error, m.ended, m.epoch, &m.data);
}

// --- The side of the owner -----------------------------------------------------------------------------------------

void client_node::state::on(node_id from, ship_call const& m) {
  ++context_.counters().ships_received;
  operation o;
  o.kind = operation::what::serve;
  o.id = context_.next_id();
  o.origin = from;
  o.served = m;
  operations_.push_back(std::move(o));
}

void client_node::state::run_serve(operation& o) {
  ship_call const& c = o.served;
  bool const own = o.origin == context_.node();
  file& f = files_[c.file];
  auto const answer = [&](int error, bool ended) {
    if (own) {
      ship_piece_done(c.id, error, ended, c.epoch, nullptr);
    } else {
      ship_answer a{c.id, c.file, error, ended, c.epoch, {}, f.size};
      if (c.kind == ship_kind::read && error == 0 && !ended) a.data = std::move(o.buffer);
      std::int64_t const bytes = a.data.size();
      context_.tell_node(o.origin, std::move(a), o.ready, bytes);
    }
    if (o.at != phase::begin) --f.serving;
    o.finished = true;
    context_.changed();
  };
  if (o.at == phase::begin) {
    // News of the mode is still on its way: that it begins, or that it has begun, with what the others have allocated.
    if (c.epoch > f.ship.epoch || (c.epoch == f.ship.epoch && f.ship.now == ship_state::stage::entering)) return;
    if (c.epoch < f.ship.epoch || f.ship.now == ship_state::stage::off) return answer(0, true);
    o.file = c.file;
    o.offset = c.offset;
    o.length = c.length;
    o.is_write = c.kind == ship_kind::write;
    o.who = {o.origin, c.instance};
    if (!own) {
      o.ready = context_.compute(context_.machine().call_us * 1e-6);
      if (o.is_write) o.from = c.data.bytes().data();
      if (c.kind == ship_kind::read) {
        o.buffer = payload::of_zeros(c.length, f.hollow);
        o.into = o.buffer.memory().data();
      }
    }
    f.learn(c.size);
    ++f.serving;
    o.at = phase::blocks;
  }
  if (c.kind == ship_kind::sync) {
    if (pool_.clean(c.file, {0, no_end}, false)) answer(0, false);
    return;
  }
  if (c.kind == ship_kind::read) {
    // Bytes beyond the end as known here are zeros; the requesting node knows the end better.
    std::int64_t const there = std::clamp<std::int64_t>(f.size.bytes - o.offset, 0, c.length);
    if (o.done == 0) {
      o.length = there;
      if (!f.hollow) std::fill(o.into + there, o.into + c.length, std::byte{});
    }
  }
  if (run_blocks(o)) answer(o.error, false);
}

}  // namespace argosy::lab::gpfs

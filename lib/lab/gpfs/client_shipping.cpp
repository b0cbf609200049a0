// Implements partitioning of a client node (client_shipping.hpp): its start and end, and calls
// shipped to owners.
// SPDX-License-Identifier: BSD-3-Clause
#include "client_shipping.hpp"

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>
#include <vector>

namespace argosy::lab::gpfs::detail::client {

// --- Change of the mode --------------------------------------------------------------------------

void shipping::take(ship_begin const& m) {
  file& f = files_[m.file];
  f.mode.enter(m.epoch, m.map);
  f.tokens.forget();
}

void shipping::take(ship_go const& m) {
  file& f = files_[m.file];
  f.learn(m.size);
  f.allocated.add(m.allocated);
  f.mode.go(m.epoch);
}

void shipping::take(ship_end const& m) { files_[m.file].mode.leave(m.epoch); }

void shipping::run_transition(file_id id, file& f) {
  if (!f.mode.has_to_report()) return;
  block_range const all{0, no_end};
  if (f.mode.is_serving() || locks_.against(id, all, token_mode::write) ||
      !pool_.clean(id, all, true))
    return;
  auto const [epoch, error] = f.mode.take_report();
  context_.tell_manager(ship_ready{id, epoch, error, f.size, f.allocated}, context_.now());
}

// --- The side of the task ------------------------------------------------------------------------

void shipping::start(operation& o) {
  o.pieces.clear();
  o.started = false;
  divide(o, files_[o.file].mode.map());
  for (std::size_t k = 0; k < o.pieces.size(); ++k) {
    shipped& p = o.pieces[k];
    if (context_.is_dead(p.owner)) {
      p.done = true;
      p.error = ESTALE;
    } else {
      send(o, k);
    }
  }
}

void shipping::divide(operation& o, partition_map const& map) {
  if (o.asked.kind == call_kind::sync) {
    std::set<node_id> const owners(map.owners.begin(), map.owners.end());
    for (node_id const owner : owners) o.pieces.push_back({0, 0, owner});
    return;
  }
  for (std::int64_t at = o.offset, end = o.offset + o.length; at < end;) {
    std::int64_t const block = at / context_.block_bytes();
    std::int64_t const last = map.entry_end(block);
    std::int64_t to =
        last > no_end / context_.block_bytes() ? end : std::min(end, last * context_.block_bytes());
    to = std::min(to, at > no_end - ship_call::longest ? end : at + ship_call::longest);
    node_id const owner = map.owner(block);
    if (!o.pieces.empty() && o.pieces.back().owner == owner &&
        o.pieces.back().length + (to - at) <= ship_call::longest)
      o.pieces.back().length += to - at;  // one node twice in succession
    else
      o.pieces.push_back({at, to - at, owner});
    at = to;
  }
}

void shipping::send(operation& o, std::size_t index) {
  file const& f = files_[o.file];
  shipped const& p = o.pieces[index];
  ship_call c{context_.next_id(), o.file, f.mode.epoch(), o.instance, ship_kind::sync, p.offset,
              p.length,           {},     f.size};
  if (o.asked.kind != call_kind::sync) c.kind = o.is_write ? ship_kind::write : ship_kind::read;
  waits_[c.id] = {o.id, index};
  if (p.owner == context_.node()) {
    operation own;
    own.kind = operation::what::serve;
    own.id = c.id;
    own.origin = context_.node();
    own.asked.synchronous = o.asked.synchronous;
    if (c.kind == ship_kind::write) own.from = o.from + (p.offset - o.offset);
    if (c.kind == ship_kind::read) own.into = o.into + (p.offset - o.offset);
    own.served = std::move(c);
    operations_.add(std::move(own));
    context_.changed();
    return;
  }
  ++context_.counters().ships_sent;
  context_.counters().ship_bytes += p.length;
  std::int64_t const bytes = c.kind == ship_kind::write ? p.length : 0;
  if (bytes > 0) {
    std::byte const* const from = o.from + (p.offset - o.offset);
    c.data = payload::of(from, p.length, f.hollow);
    o.ready = std::max(o.ready, context_.copy(bytes, o.asked.owner));
  }
  o.ready =
      std::max(o.ready, context_.compute(context_.machine().segment_us * 1e-6, o.asked.owner));
  context_.tell_node(p.owner, std::move(c), o.ready, bytes);
}

void shipping::piece_done(std::int64_t id, int error, bool ended, std::int64_t epoch,
                          payload const* data, instant ready) {
  auto const w = waits_.find(id);
  if (w == waits_.end()) return;
  auto const [call, index] = w->second;
  waits_.erase(w);
  operation* const o = operations_.find(call);
  if (o == nullptr) return;
  shipped& p = o->pieces[index];
  p.done = true;
  p.error = error;
  p.ended = ended;
  o->ready = std::max(o->ready, ready);
  if (ended) files_[o->file].mode.note_end(epoch);
  if (data != nullptr && error == 0 && !ended) {
    std::int64_t const wanted = o->asked.kind == call_kind::read ? p.length : 0;
    if (data->size() != wanted) {
      p.error = EIO;  // other bytes came than were requested
    } else if (wanted > 0) {
      data->copy_out(0, o->into + (p.offset - o->offset), wanted);
      o->ready = std::max(o->ready, context_.copy(wanted, o->asked.owner));
    }
  }
  context_.changed();
}

void shipping::run(operation& o) {
  if (o.at == phase::ship) {
    if (!std::all_of(o.pieces.begin(), o.pieces.end(), [](shipped const& p) { return p.done; }))
      return;
    if (std::any_of(o.pieces.begin(), o.pieces.end(), [](shipped const& p) { return p.ended; })) {
      o.at = phase::route;  // the mode has ended meanwhile, so try again with tokens
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
  file& f = files_[o.file];
  instance& i = instances_.at(o.instance);
  if (o.asked.kind == call_kind::sync) {
    if (!sizes_.tell(o, f)) return;
    if (i.error != 0) o.error = std::exchange(i.error, 0);
    return operations_.finish(o, o.error);
  }
  if (o.is_write) {
    if (o.done > 0) f.size.bytes = std::max(f.size.bytes, o.offset + o.done);
    return operations_.finish(o, o.error, o.done);
  }
  if (o.started || o.offset + o.done > f.size.bytes)
    if (!sizes_.learn(o)) return;
  operations_.finish(o, o.error, std::clamp<std::int64_t>(f.size.bytes - o.offset, 0, o.done));
}

void shipping::take(ship_answer const& m) {
  if (!waits_.contains(m.id)) return;
  files_[m.file].learn(m.size);
  piece_done(m.id, m.error, m.ended, m.epoch, &m.data, context_.now());
}

void shipping::forget(node_id node) {
  std::vector<std::int64_t> lost;
  for (auto const& [id, w] : waits_) {
    operation const* const o = operations_.find(w.first);
    if (o != nullptr && o->pieces[w.second].owner == node) lost.push_back(id);
  }
  for (std::int64_t const id : lost) piece_done(id, ESTALE, false, 0, nullptr, context_.now());
}

// --- The side of the owner -----------------------------------------------------------------------

void shipping::take(node_id from, ship_call const& m) {
  ++context_.counters().ships_received;
  operation o;
  o.kind = operation::what::serve;
  o.id = context_.next_id();
  o.origin = from;
  o.served = m;
  operations_.add(std::move(o));
}

void shipping::serve(operation& o) {
  ship_call const& c = o.served;
  bool const own = o.origin == context_.node();
  file& f = files_[c.file];
  auto const answer = [&](int error, bool ended) {
    if (own) {
      piece_done(c.id, error, ended, c.epoch, nullptr, o.ready);
    } else {
      ship_answer a{c.id, c.file, error, ended, c.epoch, {}, f.size};
      if (c.kind == ship_kind::read && error == 0 && !ended) a.data = std::move(o.buffer);
      std::int64_t const bytes = a.data.size();
      context_.tell_node(o.origin, std::move(a), o.ready, bytes);
    }
    if (o.at != phase::begin) f.mode.end_serving();
    operations_.finish(o, 0);
  };
  if (o.at == phase::begin) {
    // A message about the mode is still to come: that it begins, or that it has begun, with the
    // blocks that other nodes have allocated.
    if (c.epoch > f.mode.epoch() || (c.epoch == f.mode.epoch() && f.mode.is_entering())) return;
    if (c.epoch < f.mode.epoch() || f.mode.is_off()) return answer(0, true);
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
    f.mode.begin_serving();
    o.at = phase::blocks;
  }
  if (c.kind == ship_kind::sync) {
    if (pool_.clean(c.file, {0, no_end}, false)) answer(0, false);
    return;
  }
  if (c.kind == ship_kind::read) {
    // Bytes beyond the end that this node has are zeros. The requesting node's size is more recent.
    std::int64_t const there = std::clamp<std::int64_t>(f.size.bytes - o.offset, 0, c.length);
    if (o.done == 0) {
      o.length = there;
      if (!f.hollow) std::fill(o.into + there, o.into + c.length, std::byte{});
    }
  }
  if (!blocks_.run(o, f)) return;
  if (o.is_write && o.asked.synchronous && o.error == 0 &&
      !pool_.clean(c.file, blocks_of(o.offset, o.length, context_.block_bytes()), false))
    return;
  answer(o.error, false);
}

}  // namespace argosy::lab::gpfs::detail::client

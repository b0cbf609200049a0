// Implements reads and writes of a client node (client_state.hpp): block by block through the page pool, with prefetch.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cmath>

#include "client_state.hpp"

namespace argosy::lab::gpfs {

void client_node::state::charge_copy(operation& o, std::int64_t bytes) {
  o.ready = std::max(o.ready, context_.compute(context_.machine().seconds_to_copy(bytes)));
}

// Nobody else can have made the file longer.
bool client_node::state::size_certain(file const& f) const {
  return f.ship.now == ship_state::stage::off &&
         f.tokens.covers({f.size.bytes / block_bytes(), no_end}, token_mode::read);
}

bool client_node::state::learn_size(operation& o) {
  if (!o.started) {
    o.started = true;
    o.answered = false;
    ++context_.counters().size_queries;
    context_.tell_manager(size_request{o.id, o.file}, o.ready);
  }
  if (!o.answered) return false;
  o.started = false;
  return true;
}

bool client_node::state::tell_size(operation& o) {
  file const& f = file_of(o);
  if (!o.started) {
    if (f.told == f.size) return true;
    o.started = true;
    o.answered = false;
    context_.tell_manager(size_notice{o.id, o.file, f.size}, o.ready);
  }
  return o.answered;
}

void client_node::state::run_access(operation& o) {
  instance& i = instances_.at(o.instance);
  file& f = file_of(o);
  using stage = ship_state::stage;
  if (o.at == phase::begin) {
    o.is_write = o.asked.kind == call_kind::write;
    o.offset = o.asked.offset;
    o.length = static_cast<std::int64_t>(o.is_write ? o.asked.from.size() : o.asked.into.size());
    o.into = o.asked.into.data();
    o.from = o.asked.from.data();
    o.who = {context_.node(), o.instance};
    if (!(o.is_write ? i.write : i.read)) return finish(o, EBADF);
    if (o.offset < 0 || o.offset > no_end - o.length) return finish(o, o.is_write ? EFBIG : EINVAL);
    if (o.length == 0) return finish(o, 0);
    if (i.pattern.calls() > 0) {
      // The rate at which the task would consume data if it never had to wait.
      double const thinks = std::chrono::duration<double>(context_.now() - i.last_end).count();
      double const needs = std::max(0.0, thinks) + context_.machine().call_us * 1e-6 +
                           context_.machine().seconds_to_copy(o.length) + 1e-9;
      double const rate = static_cast<double>(o.length) / needs;
      i.bytes_per_s = i.bytes_per_s > 0 ? 0.5 * (i.bytes_per_s + rate) : rate;
    }
    i.pattern.note(o.offset, o.length);
    o.at = phase::route;
  }
  if (o.at == phase::route) {
    if (f.ship.now == stage::entering || (f.ship.now == stage::on && f.ship.epoch <= f.ended_epoch)) return;
    if (f.ship.now == stage::on) {
      if (o.is_write && i.ship_epoch != f.ship.epoch) return finish(o, EPERM);
      start_shipping(o);
      o.at = phase::ship;
    } else {
      block_range const required = blocks_of(o.offset, o.length, block_bytes());
      token_mode const mode = o.is_write ? token_mode::write : token_mode::read;
      if (!tokens_.need(o, f, required, mode, tokens_.desired_range(i.pattern, required), o.offset)) return;
      if (!locks_.take(o, {o.offset, o.offset + o.length}, o.is_write)) return;
      f.tokens.note_access(o.offset + o.length, i.pattern.found() == access_pattern::kind::sequential);
      o.at = o.is_write ? phase::blocks : phase::size;
    }
  }
  if (o.at == phase::ship || o.at == phase::ship_size) return run_shipping(o);
  if (o.at == phase::size) {
    if (o.started || (o.offset + o.length > f.size.bytes && !size_certain(f)))
      if (!learn_size(o)) return;
    o.length = std::clamp<std::int64_t>(f.size.bytes - o.offset, 0, o.length);
    o.at = phase::blocks;
  }
  if (o.at == phase::blocks) {
    if (!run_blocks(o)) return;
    o.at = phase::flush;
  }
  if (i.synchronous && o.is_write && o.error == 0) {
    if (!pool_.clean(o.file, blocks_of(o.offset, o.length, block_bytes()), false)) return;
    if (i.error != 0) {
      o.done = 0;
      o.error = std::exchange(i.error, 0);
    }
  }
  i.last_end = std::max(context_.now(), o.ready);
  if (!o.is_write && o.error == 0) prefetch(i, f);
  finish(o, o.error, o.done);
}

// Block after block through the pool; true at the end, or with an error after `done` bytes.
bool client_node::state::run_blocks(operation& o) {
  file& f = file_of(o);
  while (o.done < o.length) {
    std::int64_t const at = o.offset + o.done;
    std::int64_t const block = at / block_bytes(), inside = at % block_bytes();
    std::int64_t const n = std::min(block_bytes() - inside, o.length - o.done);
    if (o.is_write && !pool_.room_for_dirty(o, block)) return false;
    auto p = pool_.need(o, f, block, {inside, inside + n});
    if (!p) {
      if (o.error != 0) return true;
      if (!o.is_write) read_ahead(o, block + 1);
      return false;
    }
    if (o.is_write) {
      p.write(inside, o.from + o.done, n, o.who);
      f.allocated.add(block_range{block, block + 1});
      f.size.bytes = std::max(f.size.bytes, at + n);
    } else {
      p.read(inside, o.into + o.done, n);
    }
    pool_.let_go(o);
    o.done += n;
    charge_copy(o, n);
    if (o.is_write && inside + n == block_bytes()) write_behind(o, p);
  }
  return true;
}

// Starts reading the following blocks that the call needs, so that they are under way while it waits for this one.
void client_node::state::read_ahead(operation& o, std::int64_t block) {
  file const& f = file_of(o);
  std::int64_t const end = blocks_of(o.offset, o.length, block_bytes()).end;
  std::int64_t const limit =
      std::min({end, block + context_.machine().prefetch_max_blocks - 1, block + context_.machine().pool_blocks() / 4});
  for (; block < limit; ++block) {
    if (pool_.contains({o.file, block})) continue;
    if (block * block_bytes() >= f.size.bytes || !pool_.read_ahead({o.file, block}, f.hollow)) return;
  }
}

void client_node::state::write_behind(operation const& o, client::page_pool::ready_page& p) {
  auto const i = o.kind == operation::what::call ? instances_.find(o.instance) : instances_.end();
  if (i != instances_.end() && !i->second.prefetch_write) return;
  p.write_behind(i != instances_.end() && i->second.pattern.found() == access_pattern::kind::sequential);
}

// How many blocks to prefetch: as many as are consumed while one is read.
std::int64_t client_node::state::depth(instance const& i) const {
  double const wanted = std::ceil(i.bytes_per_s * pool_.read_latency_s() / static_cast<double>(block_bytes()));
  std::int64_t const most = std::min(context_.machine().prefetch_max_blocks, context_.machine().pool_blocks() / 4);
  if (most <= 0) return 0;
  return wanted >= static_cast<double>(most) ? most : std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
}

void client_node::state::prefetch(instance& i, file& f) {
  using kind = access_pattern::kind;
  access_pattern const& p = i.pattern;
  if (!i.prefetch_read || p.found() == kind::unknown || f.ship.now != ship_state::stage::off) return;
  std::int64_t left = depth(i);
  auto const fetch = [&](std::int64_t block) {
    --left;
    if (block * block_bytes() >= f.size.bytes || f.tokens.at(block) == token_mode::none) return false;
    return pool_.contains({i.file, block}) || pool_.prefetch({i.file, block}, f.hollow, false);
  };
  if (p.found() == kind::sequential) {
    for (std::int64_t block = (p.end() - 1) / block_bytes() + 1; left > 0 && fetch(block); ++block) {
    }
    return;
  }
  for (std::int64_t offset = p.offset() + p.distance(); left > 0; offset += p.distance()) {
    block_range const blocks = blocks_of(offset, p.length(), block_bytes());
    for (std::int64_t block = blocks.begin; block < blocks.end && left > 0; ++block)
      if (!fetch(block)) return;
  }
}

}  // namespace argosy::lab::gpfs

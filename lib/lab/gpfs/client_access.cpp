// Implements the steps of a read or write of a client node (client_state.hpp): tokens, locks, size,
// blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "client_state.hpp"

namespace argosy::lab::gpfs::detail {

// Notes the rate at which the task would read or write if it never had to wait.
void client_node::state::note_rate(instance& i, std::int64_t length) const {
  double const thinks = std::chrono::duration<double>(context_.now() - i.last_end).count();
  double const needs = std::max(0.0, thinks) + context_.machine().call_us * 1e-6 +
                       context_.machine().seconds_to_copy(length) + 1e-9;
  double const rate = static_cast<double>(length) / needs;
  i.bytes_per_s = i.bytes_per_s > 0 ? 0.5 * (i.bytes_per_s + rate) : rate;
}

void client_node::state::begin_access(operation& o, instance& i) {
  o.is_write = o.asked.kind == call_kind::write;
  o.offset = o.asked.offset;
  o.length = static_cast<std::int64_t>(o.is_write ? o.asked.from.size() : o.asked.into.size());
  o.into = o.asked.into.data();
  o.from = o.asked.from.data();
  o.who = {context_.node(), o.instance};
  if (!(o.is_write ? i.write : i.read)) return finish(o, EBADF);
  if (o.offset < 0 || o.offset > no_end - o.length) return finish(o, o.is_write ? EFBIG : EINVAL);
  if (o.length == 0) return finish(o, 0);
  if (i.pattern.calls() > 0) note_rate(i, o.length);
  i.pattern.note(o.offset, o.length);
  if (i.pattern.found() == access_pattern::kind::unknown) pool_.end_stream(o.who);
  o.at = phase::route;
}

void client_node::state::route_access(operation& o, instance& i, file& f) {
  if (f.mode.is_changing()) return;
  if (f.mode.is_on()) {
    if (o.is_write && i.ship_epoch != f.mode.epoch()) return finish(o, EPERM);
    shipping_.start(o);
    o.at = phase::ship;
    return;
  }
  block_range const required = blocks_of(o.offset, o.length, block_bytes());
  token_mode const mode = o.is_write ? token_mode::write : token_mode::read;
  if (!tokens_.need(o, f, required, mode, tokens_.desired(i.pattern, required), o.offset)) return;
  if (!locks_.take(o, {o.offset, o.offset + o.length}, o.is_write)) return;
  f.tokens.note_access(o.offset + o.length, i.pattern.found() == access_pattern::kind::sequential);
  o.at = o.is_write ? phase::blocks : phase::size;
}

// Returns true if a write has to be on disk when it returns.
bool client_node::state::waits_for_disk(operation const& o, instance const& i) const {
  if (!o.is_write || o.error != 0) return false;
  if (i.synchronous || o.asked.synchronous) return true;
  constexpr std::int64_t first_calls = 2;  // which have no order yet
  if (context_.machine().random_writes_wait == 0 || i.pattern.calls() <= first_calls ||
      i.pattern.found() != access_pattern::kind::unknown)
    return false;
  block_range const blocks = blocks_of(o.offset, o.length, block_bytes());
  return std::none_of(i.accepted.begin(), i.accepted.end(), [&](auto const& a) {
    return blocks.begin <= a.range.blockNumber && a.range.blockNumber < blocks.end;
  });
}

void client_node::state::run_access(operation& o) {
  instance& i = instances_.at(o.instance);
  file& f = file_of(o);
  if (o.at == phase::begin) begin_access(o, i);
  if (o.at == phase::route) route_access(o, i, f);
  if (o.finished || o.at == phase::route) return;
  if (o.at == phase::ship || o.at == phase::ship_size) return shipping_.run(o);
  if (o.at == phase::size) {
    if (o.started || (o.offset + o.length > f.size.bytes && !sizes_.certain(f)))
      if (!sizes_.learn(o)) return;
    o.length = std::clamp<std::int64_t>(f.size.bytes - o.offset, 0, o.length);
    o.at = phase::blocks;
  }
  if (o.at == phase::blocks) {
    if (!blocks_.run(o, f)) return;
    o.at = phase::flush;
  }
  if (waits_for_disk(o, i)) {
    if (!pool_.clean(o.file, blocks_of(o.offset, o.length, block_bytes()), false)) return;
    if (i.error != 0) {
      o.done = 0;
      o.error = std::exchange(i.error, 0);
    }
  }
  i.last_end = std::max(context_.now(), o.ready);
  if (!o.is_write && o.error == 0) blocks_.prefetch(i, f, o.who);
  finish(o, o.error, o.done);
}

}  // namespace argosy::lab::gpfs::detail

// Implements the token cache of a client node (client_state.hpp): requests, revocations, releases.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "client_state.hpp"

namespace argosy::lab::gpfs {

token_mode client_node::state::token(file_id id, std::int64_t block) const {
  auto const f = files_.find(id);
  return f == files_.end() ? token_mode::none : f->second.tokens.at(block);
}

// The range that the stream will probably need next.
block_range client_node::state::desired_range(instance const& i, block_range required) const {
  using kind = access_pattern::kind;
  access_pattern const& p = i.pattern;
  if (p.found() == kind::sequential) return {required.begin, no_end};
  if (p.found() == kind::strided) {
    std::int64_t const strides = std::max<std::int64_t>(1, context_.machine().prefetch_max_blocks);
    if (p.distance() > (no_end - p.end()) / strides) return {required.begin, no_end};
    return {required.begin, blocks_of(p.offset(), p.distance() * strides + p.length(), block_bytes()).end};
  }
  return required;
}

// True if the node has the token. Otherwise it has been requested, perhaps by another operation.
bool client_node::state::need_token(operation& o, file& f, block_range range, token_mode mode, block_range desired,
                                    std::int64_t at) {
  if (f.tokens.covers(range, mode)) {
    if (!o.asked_token && o.kind == operation::what::call) ++context_.counters().token_hits;
    o.asked_token = true;
    return true;
  }
  if (requests_.contains(o.request)) return false;
  o.asked_token = true;
  for (auto const& [id, r] : requests_)
    if (r.asked.file == o.file && r.asked.required.contains(range) && r.asked.mode >= mode) {
      o.request = id;
      return false;
    }
  request r;
  r.asked = {context_.next_id(), o.file, mode, range, desired, false, {}, f.size};
  r.at = at;
  o.request = r.asked.request;
  ++context_.counters().token_requests;
  context_.tell_manager(r.asked, o.ready);
  requests_.emplace(o.request, std::move(r));
  return false;
}

void client_node::state::on(node_id, token_grant const& m) {
  file& f = files_[m.file];
  f.tokens.raise(m.range, m.mode, m.number);
  f.grants_seen = m.number;
  f.learn_from_manager(m.size);
  f.allocated.add(m.allocated);
  requests_.erase(m.request);
  ++context_.counters().token_grants;
}

void client_node::state::on(node_id, token_refusal const& m) {
  requests_.erase(m.request);
  ++context_.counters().token_refusals;
}

void client_node::state::on(node_id, token_conflict const& m) {
  auto const r = requests_.find(m.request);
  if (r == requests_.end()) return;
  ++context_.counters().token_conflicts;
  for (token_holder const& h : m.holders) {
    if (context_.is_dead(h.node)) continue;
    r->second.awaited.insert(h.node);
    ++context_.counters().revokes_sent;
    context_.tell_node(
        h.node, revoke{m.request, m.file, r->second.asked.mode, r->second.asked.required, r->second.at, h.number},
        context_.now());
  }
  if (r->second.awaited.empty()) renew(r->second);
}

void client_node::state::renew(request& r) {
  r.asked.renewed = true;
  r.asked.size = files_[r.asked.file].size;
  ++context_.counters().token_renewals;
  context_.tell_manager(r.asked, context_.now());
  r.asked.surrenders.clear();
}

void client_node::state::on(node_id from, revoke_answer const& m) {
  auto const r = requests_.find(m.request);
  if (r == requests_.end() || r->second.awaited.erase(from) == 0) return;
  files_[m.file].learn(m.size);
  r->second.asked.surrenders.push_back(m.given);
  if (r->second.awaited.empty()) renew(r->second);
}

// --- The holder's side ---------------------------------------------------------------------------------------------

void client_node::state::on(node_id from, revoke const& m) {
  ++context_.counters().revokes_received;
  files_[m.file].revocations.push_back({from, m, false, {}, 0});
}

// A sequential stream keeps the side on which it is; others keep all that is not required.
block_range client_node::state::surrender_range(file const& f, revoke const& r) const {
  block_range give = r.required;
  if (!f.sequential) return give;
  std::int64_t const here = f.position / block_bytes();
  for (auto const& t : f.tokens.tokens()) {
    if (!t.range.overlaps(r.required) || !conflict(t.mode, r.mode)) continue;
    if (r.at >= f.position)
      give.end = std::max(give.end, t.range.end);
    else
      give = {std::min(give.begin, t.range.begin), std::max(give.end, std::min(t.range.end, here))};
  }
  return give;
}

bool client_node::state::locked_against(file_id id, block_range range, token_mode wanted) const {
  return std::any_of(locks_.begin(), locks_.end(), [&](lock const& l) {
    return l.file == id && (l.is_write || wanted == token_mode::write) &&
           blocks_of(l.bytes.begin, l.bytes.end - l.bytes.begin, block_bytes()).overlaps(range);
  });
}

// True when the revocation has been answered.
bool client_node::state::run_revocation(file_id id, file& f, revocation& r) {
  if (f.grants_seen < r.asked.number) return false;  // the grant that is meant is still on its way
  bool const shares = r.asked.mode == token_mode::read;
  if (!r.started) {
    // Calls that begin from now on need the token again, so they come after the requesting node.
    r.started = true;
    r.given = surrender_range(f, r.asked);
    r.number = f.grants_seen;
    f.tokens.lower(r.given, shares ? token_mode::read : token_mode::none, r.number);
  }
  if (locked_against(id, r.given, r.asked.mode)) return false;
  std::int64_t const cached = pool_.blocks();
  if (!pool_.clean(id, r.given, !shares, &context_.counters().revoke_flushes)) return false;
  context_.counters().revoke_drops += cached - pool_.blocks();
  if (shares) ++context_.counters().downgrades;
  ++context_.counters().revoke_answers;
  surrender given{context_.node(), r.given, shares ? token_mode::read : token_mode::none, r.number,
                  f.allocated.within(r.given)};
  context_.tell_node(r.from, revoke_answer{r.asked.request, id, std::move(given), f.size},
                     context_.compute(context_.machine().revoke_us * 1e-6));
  return true;
}

}  // namespace argosy::lab::gpfs

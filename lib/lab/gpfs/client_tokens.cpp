// Implements the token cache of a client node (client_tokens.hpp): requests, revocations, releases.
// SPDX-License-Identifier: BSD-3-Clause
#include "client_tokens.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace argosy::lab::gpfs::detail::client {

auto token_cache::desired(access_pattern const& p, block_range required) const -> wish {
  using kind = access_pattern::kind;
  if (p.found() == kind::sequential) return {{required.begin, no_end}};
  if (p.found() != kind::strided) return {required};
  std::int64_t const strides = std::max<std::int64_t>(1, context_.machine().prefetch_max_blocks);
  bool const endless = p.distance() > (no_end - p.end()) / strides;
  if (context_.machine().stride_tokens == 0)
    return {{required.begin, endless ? no_end
                                     : blocks_of(p.offset(), p.distance() * strides + p.length(),
                                                 context_.block_bytes())
                                           .end}};
  wish w{required};
  for (std::int64_t k = 1; k <= strides && !endless; ++k)
    w.strides.add(blocks_of(p.offset() + k * p.distance(), p.length(), context_.block_bytes()));
  return w;
}

bool token_cache::need(operation& o, file& f, block_range range, token_mode mode,
                       wish const& desired, std::int64_t at) {
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
  r.asked = {context_.next_id(), o.file, mode, range, desired.around, false, {}, f.size,
             desired.strides};
  r.at = at;
  o.request = r.asked.request;
  ++context_.counters().token_requests;
  context_.tell_manager(r.asked, o.ready);
  requests_.emplace(o.request, std::move(r));
  return false;
}

void token_cache::take(token_grant const& m) {
  file& f = files_[m.file];
  f.tokens.granted(m.range, m.mode, m.number);
  for (block_range const& stride : m.strides.ranges) f.tokens.granted(stride, m.mode, m.number);
  f.learn_from_manager(m.size);
  f.allocated.add(m.allocated);
  requests_.erase(m.request);
  ++context_.counters().token_grants;
}

void token_cache::take(token_refusal const& m) {
  requests_.erase(m.request);
  ++context_.counters().token_refusals;
}

void token_cache::take(token_conflict const& m) {
  auto const r = requests_.find(m.request);
  if (r == requests_.end()) return;
  ++context_.counters().token_conflicts;
  for (token_holder const& h : m.holders) {
    if (context_.is_dead(h.node)) continue;
    r->second.awaited.insert(h.node);
    ++context_.counters().revokes_sent;
    context_.tell_node(h.node,
                       revoke{m.request, m.file, r->second.asked.mode, r->second.asked.required,
                              r->second.at, h.number},
                       context_.now());
  }
  if (r->second.awaited.empty()) renew(r->second);
}

void token_cache::renew(request& r) {
  r.asked.renewed = true;
  r.asked.size = files_[r.asked.file].size;
  ++context_.counters().token_renewals;
  context_.tell_manager(r.asked, context_.now());
  r.asked.surrenders.clear();
}

void token_cache::take(node_id from, revoke_answer const& m) {
  auto const r = requests_.find(m.request);
  if (r == requests_.end() || r->second.awaited.erase(from) == 0) return;
  files_[m.file].learn(m.size);
  r->second.asked.surrenders.push_back(m.given);
  if (r->second.awaited.empty()) renew(r->second);
}

void token_cache::forget(node_id node) {
  for (auto& [id, r] : requests_)
    if (r.awaited.erase(node) > 0 && r.awaited.empty()) renew(r);
}

// --- The holder's side ---------------------------------------------------------------------------

void token_cache::take(node_id from, revoke const& m) {
  ++context_.counters().revokes_received;
  // the revocation may come before the grant that it revokes, and before any other message about
  // this file
  files_.try_emplace(m.file);
  revocations_[m.file].push_back({from, m, false, {}, 0});
}

void token_cache::release(file_id id, file& f, block_range range, instant departs) {
  f.tokens.lower(range, token_mode::none);
  ++context_.counters().token_releases;
  context_.tell_manager(
      token_release{id, range, f.tokens.grants_seen(), f.size, f.allocated.within(range)}, departs);
}

void token_cache::run_revocations(file_id id, file& f) {
  auto const all = revocations_.find(id);
  if (all == revocations_.end()) return;
  for (auto r = all->second.begin(); r != all->second.end();)
    r = run(id, f, *r) ? all->second.erase(r) : std::next(r);
  if (all->second.empty()) revocations_.erase(all);
}

// Returns true when the revocation has been answered.
bool token_cache::run(file_id id, file& f, revocation& r) {
  // the grant to be revoked is still under way
  if (f.tokens.grants_seen() < r.asked.number) return false;
  bool const shares = r.asked.mode == token_mode::read;
  if (!r.started) {
    // Calls that begin from now on need the token again, so they run after the requesting node.
    r.started = true;
    r.given = f.tokens.surrender_range(r.asked, context_.block_bytes());
    r.number = f.tokens.grants_seen();
    f.tokens.lower(r.given, shares ? token_mode::read : token_mode::none);
  }
  if (locks_.against(id, r.given, r.asked.mode)) return false;
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

}  // namespace argosy::lab::gpfs::detail::client

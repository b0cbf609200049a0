// Implements lab/gpfs/loopback.hpp: the event loop of a whole system in one thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/loopback.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace argosy::lab::gpfs {

loopback::loopback(machine const& m, int nodes, troubles t, std::vector<std::shared_ptr<block_store>> stores,
                   contents kept)
    : machine_(m), delay_max_(t.delay_max), random_(t.seed), fabric_(m), manager_(m, nodes, kept) {
  for (node_id n = 0; n < nodes; ++n) clients_.emplace_back(n, m);
  for (int k = 0; k < m.servers; ++k) {
    auto const given = static_cast<std::size_t>(k);
    servers_.emplace_back(k, m, given < stores.size() ? stores[given] : std::make_shared<memory_store>(m.block_bytes),
                          t);
  }
}

void loopback::post(outbox& out, node_id node) {
  for (outbox::outgoing& o : out.messages) {
    instant extra{};
    if (delay_max_.count() > 0)
      extra = instant(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(delay_max_.count())));
    instant const at = fabric_.arrival(o, extra);
    events_.emplace(std::pair(at, next_order_++), std::move(o.what));
  }
  for (completion const& c : out.completions) events_.emplace(std::pair(c.at, next_order_++), ended{node, c});
  for (outbox::timer const& t : out.timers) events_.emplace(std::pair(t.at, next_order_++), alarm{t.id});
}

auto loopback::start(node_id node, call c) -> ticket {
  if (dead_.contains(node)) throw std::logic_error("gpfs loopback: a call on a node that is dead");
  outbox out;
  std::int64_t const number = client(node).submit(std::move(c), now_, out);
  post(out, node);
  return {node, number};
}

void loopback::start_later(node_id node, call c, instant at) {
  events_.emplace(std::pair(std::max(at, now_), next_order_++), beginning{node, std::move(c)});
}

std::optional<instant> loopback::next_event() const {
  return events_.empty() ? std::nullopt : std::optional(events_.begin()->first.first);
}

bool loopback::step() {
  if (events_.empty()) return false;
  auto const next = events_.extract(events_.begin());
  event const& e = next.mapped();
  now_ = std::max(now_, next.key().first);
  if (auto const* const m = std::get_if<message>(&e)) {
    outbox out;
    if (m->to.who == role::client && dead_.contains(m->to.index)) return true;
    if (on_delivery) on_delivery(*m, now_);
    switch (m->to.who) {
      case role::client:
        client(m->to.index).receive(*m, now_, out);
        break;
      case role::manager:
        manager_.receive(*m, now_, out);
        break;
      case role::server:
        server(m->to.index).receive(*m, now_, out);
        break;
    }
    post(out, m->to.index);
  } else if (auto const* const c = std::get_if<ended>(&e)) {
    ticket const t{c->node, c->what.ticket};
    if (dead_.contains(c->node)) return true;
    if (on_completion)
      on_completion(t, c->what);
    else
      completions_[t] = c->what;
  } else if (auto const* const b = std::get_if<beginning>(&e)) {
    if (!dead_.contains(b->node)) start(b->node, b->what);
  } else {
    outbox out;
    manager_.expire(std::get<alarm>(e).id, now_, out);
    post(out, 0);
  }
  return true;
}

void loopback::run() {
  while (step()) {
  }
}

completion loopback::wait(ticket const& t) {
  while (!done(t))
    if (!step()) throw std::logic_error("gpfs loopback: nothing is left to happen, but a call waits");
  return result(t);
}

void loopback::interrupt(ticket const& t) {
  outbox out;
  client(t.node).interrupt(t.number, now_, out);
  post(out, t.node);
}

std::vector<std::byte> loopback::bytes_of(std::string const& path, bool with_caches) {
  auto const id = manager_.find(path);
  if (!id) return {};
  if (manager_.is_hollow(*id)) throw std::logic_error("gpfs loopback: the bytes of a file without contents");
  known_size size = manager_.size(*id);
  for (node_id n = 0; with_caches && n < nodes(); ++n)
    if (!is_dead(n)) size.learn(client(n).size(*id));
  std::vector<std::byte> all(static_cast<std::size_t>(size.bytes));
  std::vector<std::byte> block(static_cast<std::size_t>(machine_.block_bytes));
  auto const put = [&](std::int64_t offset, std::span<std::byte const> from) {
    std::int64_t const n = std::min(static_cast<std::int64_t>(from.size()), size.bytes - offset);
    if (n > 0) std::copy_n(from.begin(), n, all.begin() + offset);
  };
  for (std::int64_t b = 0; b * machine_.block_bytes < size.bytes; ++b)
    if (server(place_of(machine_, *id, b).server).store().read(*id, b, block) == 0)
      put(b * machine_.block_bytes, block);
  for (node_id n = 0; with_caches && n < nodes(); ++n)
    if (!is_dead(n))
      for (block_piece const& p : client(n).unsaved(*id)) put(p.offset, p.data.bytes());
  return all;
}

void loopback::kill(node_id node) {
  if (!dead_.insert(node).second) return;
  outbox out;
  out.send({role::manager, 0}, {role::manager, 0}, node_lost{node}, now_);
  post(out, node);
}

}  // namespace argosy::lab::gpfs

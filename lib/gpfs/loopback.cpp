// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/gpfs/loopback.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace argosy::gpfs {

loopback::loopback(machine const& m, int nodes, options o, std::vector<std::shared_ptr<block_store>> stores)
    : machine_(m), options_(o), random_(o.seed), fabric_(m), manager_(m, nodes) {
  for (node_id n = 0; n < nodes; ++n) clients_.emplace_back(n, m);
  for (int k = 0; k < m.servers; ++k) {
    auto const given = static_cast<std::size_t>(k);
    servers_.emplace_back(k, m, given < stores.size() ? stores[given] : std::make_shared<memory_store>(m.block_bytes));
  }
}

void loopback::post(outbox& out, node_id node) {
  for (outbox::outgoing& o : out.messages) {
    instant extra{};
    if (options_.delay_max.count() > 0)
      extra = instant(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(options_.delay_max.count())));
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
    if (!dead_.contains(c->node)) completions_[{c->node, c->what.ticket}] = c->what;
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

void loopback::kill(node_id node) {
  if (!dead_.insert(node).second) return;
  outbox out;
  out.send({role::manager, 0}, {role::manager, 0}, node_lost{node}, now_);
  post(out, node);
}

}  // namespace argosy::gpfs

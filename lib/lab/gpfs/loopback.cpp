// Implements lab/gpfs/loopback.hpp: the event loop of a whole system in one thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/loopback.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace argosy::lab::gpfs {

using namespace detail;

loopback::loopback(machine const& m, int nodes, troubles const& t,
                   std::vector<std::shared_ptr<block_store>> stores, contents kept)
    : machine_(m), delay_max_(t.delay_max), random_(t.seed), fabric_(m), manager_(m, nodes, kept) {
  for (node_id n = 0; n < nodes; ++n) clients_.emplace_back(n, m);
  for (int k = 0; k < m.servers; ++k) {
    auto const given = static_cast<std::size_t>(k);
    servers_.emplace_back(
        k, m, given < stores.size() ? stores[given] : std::make_shared<memory_store>(m.block_bytes),
        t);
  }
}

void loopback::put_in_order(instant at, std::uint64_t number) {
  if (other_queue_)
    other_queue_(at, number);
  else
    queue_.push(at.count(), 0, number);
}

void loopback::order_by(std::function<void(instant, std::uint64_t)> const& queue) {
  other_queue_ = queue;
  queue_.clear();
  std::vector<std::pair<std::uint64_t, instant>> all;
  for (made const& e : events_)
    if (e.number != 0) all.emplace_back(e.number, e.at);
  std::sort(all.begin(), all.end());
  for (auto const& [number, at] : all) put_in_order(at, number);
}

void loopback::post(instant at, event&& what) {
  if (free_places_.empty()) {
    if (events_.size() >> place_bits != 0)
      throw std::length_error("gpfs loopback: too many events are under way");
    free_places_.push_back(events_.size());
    events_.emplace_back();
  }
  std::uint64_t const place = free_places_.back(), number = ++events_made_ << place_bits | place;
  free_places_.pop_back();
  made& e = events_[place];
  e.number = number;
  e.at = at;
  e.what = std::move(what);
  put_in_order(at, number);
}

template <class Act>
void loopback::post_all_of(node_id node, Act const& act) {
  outbox out = std::exchange(spare_, {});
  act(out);
  post(out, node);
  out.messages.clear();
  out.completions.clear();
  out.timers.clear();
  spare_ = std::move(out);
}

void loopback::post(outbox& out, node_id node) {
  for (outbox::outgoing& o : out.messages) {
    instant extra{};
    if (delay_max_.count() > 0)
      extra = instant(
          static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(delay_max_.count())));
    instant const at = fabric_.arrival(o, extra);
    post(at, std::move(o.what));
  }
  for (completion const& c : out.completions) post(c.at, ended{node, c});
  for (outbox::timer const& t : out.timers) post(t.at, alarm{t.id});
}

auto loopback::start(node_id node, call c) -> ticket {
  if (dead_.contains(node)) throw std::logic_error("gpfs loopback: a call on a node that is dead");
  ticket t{node};
  post_all_of(node, [&](outbox& out) { t.number = client(node).submit(std::move(c), now_, out); });
  return t;
}

void loopback::start_later(node_id node, call c, instant at) {
  post(std::max(at, now_), beginning{node, std::move(c)});
}

bool loopback::step() {
  if (queue_.empty()) return false;
  happen(queue_.pop().what);
  return true;
}

void loopback::happen(std::uint64_t number) {
  std::uint64_t const place = number & ((std::uint64_t{1} << place_bits) - 1);
  if (place >= events_.size() || events_[place].number != number) return;
  made& e = events_[place];  // stays where it is if events are added
  e.number = 0;
  now_ = std::max(now_, e.at);
  std::visit([this](auto const& what) { handle(what); }, e.what);
  e.what = alarm{};
  free_places_.push_back(place);
}

void loopback::handle(message const& m) {
  if (m.to.who == role::client && dead_.contains(m.to.index)) return;
  if (on_delivery) on_delivery(m, now_);
  post_all_of(m.to.index, [&](outbox& out) {
    switch (m.to.who) {
      case role::client:
        return client(m.to.index).receive(m, now_, out);
      case role::manager:
        return manager_.receive(m, now_, out);
      case role::server:
        return server(m.to.index).receive(m, now_, out);
    }
  });
}

void loopback::handle(ended const& e) {
  if (dead_.contains(e.node)) return;
  ticket const t{e.node, e.what.ticket};
  if (on_completion)
    on_completion(t, e.what);
  else
    completions_[t] = e.what;
}

void loopback::handle(alarm const& a) {
  post_all_of(0, [&](outbox& out) { manager_.expire(a.id, now_, out); });
}

void loopback::handle(beginning const& b) {
  if (!dead_.contains(b.node)) start(b.node, b.what);
}

void loopback::run() {
  while (step()) {
  }
}

completion loopback::wait(ticket const& t) {
  while (!done(t))
    if (!step())
      throw std::logic_error("gpfs loopback: nothing is left to happen, but a call waits");
  return result(t);
}

void loopback::interrupt(ticket const& t) {
  post_all_of(t.node, [&](outbox& out) { client(t.node).interrupt(t.number, now_, out); });
}

std::vector<std::byte> loopback::bytes_of(std::string const& path, bool with_caches) {
  auto const id = manager_.find(path);
  if (!id) return {};
  if (manager_.is_hollow(*id))
    throw std::logic_error("gpfs loopback: the bytes of a file without contents");
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
  post_all_of(node, [&](outbox& out) {
    out.send({role::manager, 0}, {role::manager, 0}, node_lost{node}, now_);
  });
}

}  // namespace argosy::lab::gpfs

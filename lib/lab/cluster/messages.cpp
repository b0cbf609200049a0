// Implements messages between ranks for scheduler.hpp: matching, time on the network, death of a
// peer.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <argosy/exchange/detail/link_tags.hpp>

#include "group.hpp"
#include "scheduler.hpp"

namespace argosy::lab::detail {
namespace {

int member(group const& g, int rank) {
  if (rank < 0 || rank >= g.size())
    throw std::invalid_argument(
        fmt::format("argosy::lab::virtual_rank: there is no rank {} among {}", rank, g.size()));
  return g.members[static_cast<std::size_t>(rank)];
}

}  // namespace

std::shared_ptr<operation> scheduler::start_send(group const& g, int me,
                                                 std::span<std::byte const> bytes, int to, int tag,
                                                 place where) {
  int const from = g.members[static_cast<std::size_t>(me)], peer = member(g, to);
  if (!begin(call_kind::send)) return nullptr;
  synchronize();
  virtual_network const& net = scenario_.network;
  task& t = now();
  picoseconds const started = t.time;
  auto const size = static_cast<std::int64_t>(bytes.size());
  work(scaled(ps_of_ns(net.overhead_ns)) + handling(bytes.size()));
  ++report.messages;
  report.message_bytes += size;

  message m{.from = from,
            .to = peer,
            .tag = tag,
            .group = g.id,
            .bytes = bytes.size(),
            .sent = started,
            .hollow = !has_contents() && argosy::detail::carries_file_bytes(tag),
            .content = {},
            .sender = {},
            .about = {}};
  std::shared_ptr<operation> o;
  bool const eager = size <= net.eager_bytes;
  if (eager) {
    if (!m.hollow) m.content.assign(bytes.begin(), bytes.end());
  } else {
    o = std::make_shared<operation>();
    *o = {.is_receive = false,
          .done = false,
          .owner = from,
          .peer = peer,
          .tag = tag,
          .peer_in_group = to,
          .group = g.id,
          .run = run_number_,
          .where = where,
          .into = {},
          .bytes = bytes.size(),
          .at = t.time};
    m.memory = bytes.data();
    m.sender = o;
  }
  picoseconds const at = time_of_arrival(from, peer, eager ? size : 0);
  hash(40 + static_cast<std::uint64_t>(tag), static_cast<std::uint64_t>(peer), bytes.size());

  if (o && g.revoked) {
    o->peer_died = true;
    complete(*o, t.time);
    return o;
  }
  put_in_flight(std::move(m), at);
  record("message", "send", started, size, peer);
  return o;
}

picoseconds scheduler::time_of_arrival(int from, int to, std::int64_t bytes) {
  virtual_network const& net = scenario_.network;
  picoseconds at = now().time;
  if (rank(from).node == rank(to).node) {
    at += ps_of_ns(net.node_latency_ns) + ps_of_bytes(bytes, net.node_mb_per_s);
  } else {
    at = leave_node(rank(from).node, at, ps_of_bytes(bytes, net.adapter_mb_per_s)) +
         ps_of_ns(net.latency_ns);
  }
  if (net.jitter_ns > 0)
    at += static_cast<picoseconds>(
        mixed(scenario_.seed + mixed(static_cast<std::uint64_t>(report.messages))) %
        static_cast<std::uint64_t>(ps_of_ns(net.jitter_ns)));
  picoseconds& last = rank(from).last_to.try_emplace(to, -1).first->second;
  return last = std::max(at, last + 1);
}

void scheduler::put_in_flight(message m, picoseconds at) {
  std::size_t slot = in_flight_.size();
  if (free_in_flight_.empty()) {
    in_flight_.push_back(std::move(m));
  } else {
    slot = free_in_flight_.back();
    free_in_flight_.pop_back();
    in_flight_[slot] = std::move(m);
  }
  push(at, {.slot = slot});
}

std::shared_ptr<operation> scheduler::start_receive(group const& g, int me,
                                                    std::span<std::byte> into, int from, int tag,
                                                    place where) {
  int const to = g.members[static_cast<std::size_t>(me)], peer = member(g, from);
  if (!begin(call_kind::receive)) return nullptr;
  synchronize();
  auto o = std::make_shared<operation>();
  *o = {.is_receive = true,
        .done = false,
        .owner = to,
        .peer = peer,
        .tag = tag,
        .peer_in_group = from,
        .group = g.id,
        .run = run_number_,
        .where = where,
        .into = into,
        .bytes = 0,
        .at = now().time};
  channel& c = rank(to).mail[{g.id, peer, tag}];
  if (g.revoked) {
    // Even if a message is there, because it may have been meant for an earlier receive that was
    // cancelled.
    o->peer_died = true;
    complete(*o, now().time);
  } else if (!c.arrived.empty()) {
    match(c.arrived.pop(), *o);
  } else if (rank(peer).dead) {
    // Messages sent before the death may still arrive.
    bool const more = std::ranges::any_of(queue_.all(), [&](auto const& e) {
      if (!e.what.is_message()) return false;
      message const& m = in_flight_[e.what.slot];
      return m.from == peer && m.to == to && m.group == g.id && m.tag == tag;
    });
    if (more) {
      c.posted.push(o);
    } else {
      o->peer_died = true;
      complete(*o, std::max(now().time,
                            rank(peer).death + ps_of_ns(scenario_.network.detection_us * 1000)));
    }
  } else {
    c.posted.push(o);
  }
  return o;
}

void scheduler::deliver(message m) {
  if (m.about) return arrive(m.about);
  rank_state& to = rank(m.to);
  virtual_network const& net = scenario_.network;
  if (to.dead) {
    if (m.sender) {
      m.sender->peer_died = true;
      complete(*m.sender, std::max(now_, to.death + ps_of_ns(net.detection_us * 1000)));
    }
    return;
  }
  if (m.sender && is_revoked(m.group)) {
    m.sender->peer_died = true;
    complete(*m.sender, now_);
    return;
  }
  m.ready = now_;
  if (!m.sender && rank(m.from).node != to.node)
    m.ready = enter_node(to.node, now_,
                         ps_of_bytes(static_cast<std::int64_t>(m.bytes), net.adapter_mb_per_s));
  channel& c = to.mail[{m.group, m.from, m.tag}];
  if (c.posted.empty()) {
    c.arrived.push(std::move(m));
  } else {
    auto const o = c.posted.pop();
    match(std::move(m), *o);
  }
}

void scheduler::match(message m, operation& receive) {
  if (m.bytes > receive.into.size())
    fail(virtual_run_error::reason::too_long,
         fmt::format("rank {} receives a message of {} bytes from rank {}, tag {}, communicator "
                     "{}, into {} bytes{}",
                     m.to, m.bytes, m.from, m.tag, m.group, receive.into.size(),
                     text_of(receive.where).empty() ? "" : ", at " + text_of(receive.where)));
  virtual_network const& net = scenario_.network;
  receive.bytes = m.bytes;
  auto const size = static_cast<std::int64_t>(m.bytes);
  auto const received = [&](picoseconds at) {
    if (options_.timeline) report.flows.push_back({m.from, m.to, m.sent, at, size});
    complete(receive, at);
  };
  if (!m.sender) {
    if (m.bytes > 0 && !m.hollow) std::memcpy(receive.into.data(), m.content.data(), m.bytes);
    received(std::max(m.ready, receive.at) + ps_of_ns(net.overhead_ns));
    return;
  }
  if (!m.hollow) std::memcpy(receive.into.data(), m.memory, m.bytes);
  int const from = rank(m.from).node, to = rank(m.to).node;
  picoseconds const matched = std::max(m.ready, receive.at);
  if (from == to) {
    picoseconds const at =
        matched + ps_of_ns(net.node_latency_ns) + ps_of_bytes(size, net.node_mb_per_s);
    complete(*m.sender, at);
    received(at);
    return;
  }
  // The receiver requests the message, then the message passes both adapters.
  picoseconds const takes = ps_of_bytes(size, net.adapter_mb_per_s),
                    latency = ps_of_ns(net.latency_ns);
  picoseconds const begins = leave_node(from, matched + latency, takes);
  complete(*m.sender, begins + takes);
  received(enter_node(to, begins + latency, takes));
}

void scheduler::complete(operation& o, picoseconds at) {
  o.done = true;
  o.at = at;
  if (task* const t = std::exchange(o.waiter, nullptr)) {
    t->wake_at = std::max(t->wake_at, at);
    if (--t->pending == 0) wake(*t, t->wake_at);
  }
}

void scheduler::wait_for(operation& o) {
  task& t = now();
  if (o.done) {
    t.wake_at = std::max(t.wake_at, o.at);
  } else if (!o.waiter) {
    o.waiter = &t;
    ++t.pending;
  }
}

void scheduler::wait_all(std::span<virtual_rank::request> requests, place where) {
  if (std::none_of(requests.begin(), requests.end(),
                   [](auto const& r) { return r.operation_ != nullptr; }))
    return;
  if (!begin(call_kind::wait_all)) return;
  task& t = now();
  picoseconds const started = t.time;
  t.wake_at = t.time;
  t.pending = 0;
  for (auto const& r : requests)
    if (r.operation_) wait_for(*r.operation_);
  if (t.pending > 0) block({.kind = call_kind::wait_all, .requests = requests, .where = where});
  t.time = std::max(t.time, t.wake_at);
  int failed = -1;
  for (auto& r : requests) {
    if (!r.operation_) continue;
    if (r.operation_->peer_died && failed < 0) failed = r.operation_->peer_in_group;
    if (r.operation_->is_receive) {
      r.received_ = r.operation_->bytes;
      work(handling(r.received_));
    }
    r.operation_.reset();
  }
  record("message", "wait_all", started);
  if (failed >= 0)
    throw rank_failure(failed,
                       fmt::format("rank {} died before its message was exchanged", failed));
}

std::size_t scheduler::wait(std::shared_ptr<operation> o, call_kind kind, place where) {
  if (!o) return 0;
  task& t = now();
  picoseconds const started = t.time;
  t.wake_at = t.time;
  t.pending = 0;
  wait_for(*o);
  std::size_t bytes = 0;
  int peer = o->peer;
  virtual_rank::request const held(std::move(o));
  operation const& mine = *held.operation_;
  if (t.pending > 0) block({.kind = kind, .requests = {&held, 1}, .where = where});
  t.time = std::max(t.time, t.wake_at);
  bytes = mine.bytes;
  if (mine.is_receive) work(handling(bytes));
  record("message", name_of(kind), started, static_cast<std::int64_t>(bytes), peer);
  if (mine.peer_died)
    throw rank_failure(
        mine.peer_in_group,
        fmt::format("rank {} died before its message was exchanged", mine.peer_in_group));
  return bytes;
}

void scheduler::drop(std::shared_ptr<operation> const& o) {
  if (o->done || !o->is_receive || o->run != run_number_) return;
  auto const found = rank(o->owner).mail.find({o->group, o->peer, o->tag});
  if (found != rank(o->owner).mail.end())
    found->second.posted.remove_if([&](auto const& x) { return x == o; });
}

bool scheduler::is_revoked(std::uint64_t g) const {
  auto const found = groups_.find(g);
  return found != groups_.end() && found->second->revoked;
}

void scheduler::revoke(group& g) {
  if (g.revoked) return;
  g.revoked = true;
  picoseconds const at = now().time + ps_of_ns(scenario_.network.latency_ns);
  hash(6, g.id);
  g.tell_meetings(at);
  tell_watchers(g, at);
  for (int number : g.members) {
    auto& mail = rank(number).mail;
    for (auto c = mail.lower_bound({g.id, -1, 0}); c != mail.end() && c->first.group == g.id; ++c) {
      while (!c->second.posted.empty()) {
        auto const o = c->second.posted.pop();
        o->peer_died = true;
        complete(*o, at);
      }
      c->second.arrived.for_each([&](message& m) {
        if (!m.sender || m.sender->done) return;
        m.sender->peer_died = true;
        complete(*m.sender, at);
      });
      c->second.arrived.remove_if([](message const& m) { return m.sender != nullptr; });
    }
  }
  for (auto const& made : g.made)
    if (auto const other = made.lock()) revoke(*other);
}

void scheduler::tell_senders_and_receivers(rank_state& dead) {
  picoseconds const known = dead.death + ps_of_ns(scenario_.network.detection_us * 1000);
  // The dead rank never requests long messages that other ranks send to it.
  for (auto& [name, c] : dead.mail)
    c.arrived.for_each([&](message& m) {
      if (!m.sender || m.sender->done) return;
      m.sender->peer_died = true;
      complete(*m.sender, known);
    });
  dead.mail.clear();
  for (rank_state& r : ranks_)
    for (auto& [name, c] : r.mail) {
      if (name.from != dead.number) continue;
      // Long messages from it are lost with its memory. Messages under way still arrive, and are
      // matched in order.
      c.arrived.remove_if([](message const& m) { return m.sender != nullptr; });
      std::size_t coming = 0;
      for (auto const& e : queue_.all())
        if (e.what.is_message()) {
          message const& m = in_flight_[e.what.slot];
          coming += m.from == dead.number && m.to == r.number && m.group == name.group &&
                    m.tag == name.tag && !m.sender;
        }
      std::vector<std::shared_ptr<operation>> waiting;
      while (!c.posted.empty()) waiting.push_back(c.posted.pop());
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (i < coming) {
          c.posted.push(std::move(waiting[i]));
        } else {
          waiting[i]->peer_died = true;
          complete(*waiting[i], std::max(known, waiting[i]->at));
        }
      }
    }
  // Long messages under way are dropped.
  queue_.erase_if([&](subject const& what) {
    if (!what.is_message()) return false;
    message& m = in_flight_[what.slot];
    bool const gone = m.from == dead.number && m.sender;
    if (gone) {
      m = {};
      free_in_flight_.push_back(what.slot);
    }
    return gone;
  });
}

}  // namespace argosy::lab::detail

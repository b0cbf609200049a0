// Implements the data and the times of collective calls (group.hpp). Data is combined when the last
// rank has called. Each rank leaves at the time at which the usual algorithm would let it leave.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "group.hpp"
#include "scheduler.hpp"

namespace argosy::lab::detail {

// --- Times ---

picoseconds group::hop(int a, int b, std::int64_t bytes) const {
  virtual_network const& net = scheduler_.scenario().network;
  picoseconds const overhead = 2 * ps_of_ns(net.overhead_ns);
  if (node_of_[static_cast<std::size_t>(a)] == node_of_[static_cast<std::size_t>(b)])
    return overhead + ps_of_ns(net.node_latency_ns) + ps_of_bytes(bytes, net.node_mb_per_s);
  // All ranks of a node go through its adapter at the same time.
  std::int64_t const sharing = (size() + nodes - 1) / nodes;
  return overhead + ps_of_ns(net.latency_ns) + ps_of_bytes(bytes * sharing, net.adapter_mb_per_s);
}

// Recursive doubling. Ranks beyond a power of two send their values before, and get the result
// afterwards.
void group::exchange(std::vector<picoseconds>& t, std::int64_t bytes) const {
  std::size_t const n = t.size(), whole = std::bit_floor(n), rest = n - whole;
  auto const h = [&](std::size_t a, std::size_t b) {
    return hop(static_cast<int>(a), static_cast<int>(b), bytes);
  };
  auto const place_of = [&](std::size_t j) { return j < rest ? 2 * j + 1 : j + rest; };
  for (std::size_t i = 0; i < rest; ++i)
    t[2 * i + 1] = std::max(t[2 * i + 1], t[2 * i] + h(2 * i, 2 * i + 1));
  std::vector<picoseconds> before(whole);
  for (std::size_t mask = 1; mask < whole; mask <<= 1) {
    for (std::size_t j = 0; j < whole; ++j) before[j] = t[place_of(j)];
    for (std::size_t j = 0; j < whole; ++j)
      t[place_of(j)] = std::max(before[j], before[j ^ mask]) + h(place_of(j), place_of(j ^ mask));
  }
  for (std::size_t i = 0; i < rest; ++i)
    t[2 * i] = std::max(t[2 * i], t[2 * i + 1] + h(2 * i, 2 * i + 1));
}

// Short blocks as in recursive doubling, long blocks around a ring.
void group::gather(std::vector<picoseconds>& t, std::int64_t bytes) const {
  auto const n = static_cast<std::int64_t>(t.size());
  if (n == 1) return;
  virtual_network const& net = scheduler_.scenario().network;
  if (n * bytes <= 32768) {
    exchange(t, 0);
    picoseconds const data =
        ps_of_bytes((n - 1) * bytes, nodes > 1 ? net.adapter_mb_per_s : net.node_mb_per_s);
    for (picoseconds& x : t) x += data;
    return;
  }
  picoseconds step = 2 * ps_of_ns(net.overhead_ns);
  step += nodes > 1 ? ps_of_ns(net.latency_ns) + ps_of_bytes(bytes, net.adapter_mb_per_s)
                    : ps_of_ns(net.node_latency_ns) + ps_of_bytes(bytes, net.node_mb_per_s);
  // The block of rank j reaches rank i after (i - j) mod n steps.
  std::vector<picoseconds> after(t.size());
  picoseconds most = std::numeric_limits<picoseconds>::min();
  for (std::size_t i = t.size(); i-- > 0;) {
    after[i] = most;
    most = std::max(most, t[i] - static_cast<std::int64_t>(i) * step);
  }
  most = std::numeric_limits<picoseconds>::min();
  for (std::size_t i = 0; i < t.size(); ++i) {
    auto const at = static_cast<std::int64_t>(i);
    most = std::max(most, t[i] - at * step);
    // this rank's own block takes all steps of the ring
    picoseconds const through = t[i] + (n - 1) * step;
    t[i] = most + at * step;
    if (after[i] != std::numeric_limits<picoseconds>::min())
      t[i] = std::max(t[i], after[i] + (at + n) * step);
    t[i] = std::max(t[i], through);
  }
}

// --- Data ---

void group::finish(meeting& m) {
  std::vector<picoseconds> t(m.arrived.size());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = m.arrived[i]->at;
  move_data(m);
  auto const bytes = static_cast<std::int64_t>(m.first.bytes);
  switch (m.first.kind) {
    case call_kind::barrier:
      exchange(t, 0);
      break;
    case call_kind::all_reduce:
      exchange(t, bytes);
      break;
    case call_kind::all_gather:
      gather(t, bytes);
      break;
    case call_kind::exclusive_sum:
      exchange(t, 8);
      break;
    case call_kind::deliver:
      deliver(m, t);
      break;
    case call_kind::share:
      exchange(t, 16);
      exchange(t, 16);
      break;
    default:
      gather(t, 16);
      break;  // new groups: every rank learns the colours of all ranks
  }
  for (std::size_t i = 0; i < t.size(); ++i) release(m, *m.arrived[i], t[i]);
}

void group::move_data(meeting& m) {
  switch (m.first.kind) {
    case call_kind::all_reduce:
      for (std::size_t i = 1; i < m.arrived.size(); ++i)
        m.first.combine(m.arrived[0]->out, m.arrived[i]->out);
      for (std::size_t i = 1; i < m.arrived.size(); ++i)
        std::memcpy(m.arrived[i]->out, m.arrived[0]->out, m.first.bytes);
      break;
    case call_kind::all_gather:
      if (m.first.bytes == 0) break;
      // Gathers all blocks at one rank first, then copies them as a whole.
      for (std::size_t i = 0; i < m.arrived.size(); ++i)
        std::memmove(m.arrived[0]->out + i * m.first.bytes, m.arrived[i]->in, m.first.bytes);
      for (std::size_t i = 1; i < m.arrived.size(); ++i)
        std::memcpy(m.arrived[i]->out, m.arrived[0]->out, m.first.bytes * m.arrived.size());
      break;
    case call_kind::exclusive_sum: {
      std::uint64_t sum = 0;
      for (arrival* a : m.arrived)
        a->number = static_cast<std::int64_t>(
            std::exchange(sum, sum + static_cast<std::uint64_t>(a->number)));
      break;
    }
    case call_kind::duplicate:
    case call_kind::split:
    case call_kind::node:
      split(m);
      break;
    case call_kind::share:
      share(m);
      break;
    default:
      break;
  }
}

void group::split(meeting& m) {
  struct member {
    std::int64_t key;
    int rank;
    auto operator<=>(member const&) const = default;
  };
  std::map<std::int64_t, std::vector<member>> colours;
  for (int i = 0; i < size(); ++i) {
    arrival const& a = *m.arrived[static_cast<std::size_t>(i)];
    colours[a.number].push_back({a.second, i});
  }
  for (auto& [colour, ranks] : colours) {
    std::sort(ranks.begin(), ranks.end());
    std::vector<int> all;
    for (member const& r : ranks) all.push_back(members[static_cast<std::size_t>(r.rank)]);
    auto const fresh = std::make_shared<group>(scheduler_, std::move(all));
    fresh->revoked = revoked;
    made.push_back(fresh);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      arrival& a = *m.arrived[static_cast<std::size_t>(ranks[i].rank)];
      *a.made = fresh;
      a.number = static_cast<std::int64_t>(i);
    }
  }
}

void group::share(meeting& m) {
  std::size_t const bytes = m.first.bytes;
  int error = 0;
  if (std::any_of(m.arrived.begin(), m.arrived.end(),
                  [=](arrival* a) { return a->bytes != bytes; }))
    error = EINVAL;
  else if (nodes > 1 && bytes > 0)
    error = ENOENT;
  std::shared_ptr<std::byte> memory;
  if (error == 0 && bytes > 0) {
    auto const zeros = std::make_shared<shared_memory>(shared_memory::private_zeros(bytes));
    if (zeros->bytes().empty())
      error = ENOMEM;
    else
      memory = {zeros, zeros->bytes().data()};
  }
  for (arrival* a : m.arrived) {
    a->error = error;
    *a->memory = memory;
  }
}

// Each rank sends its parcels one after the other, then calls a barrier. It leaves when all parcels
// for it have arrived.
void group::deliver(meeting& m, std::vector<picoseconds>& t) {
  std::vector<picoseconds> there(t.size());
  for (std::size_t i = 0; i < t.size(); ++i)
    for (parcel const& p : *m.arrived[i]->parcels) {
      auto const to = static_cast<std::size_t>(p.rank);
      auto const bytes = static_cast<std::int64_t>(p.content.size());
      ++scheduler_.report.messages;
      scheduler_.report.message_bytes += bytes;
      t[i] += ps_of_ns(scheduler_.scenario().network.overhead_ns);
      there[to] = std::max(there[to], t[i]) + hop(static_cast<int>(i), p.rank, bytes);
      m.arrived[to]->delivered->push_back({static_cast<int>(i), p.content});
    }
  exchange(t, 0);
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = std::max(t[i], there[i]);
}

// A binomial tree: rank r, counted from the root, gets its message from r without its lowest bit.
// No rank waits for ranks below it. The message has reached `relative`.
void group::broadcast_from(meeting& m, int relative) {
  auto const n = static_cast<unsigned>(size());
  virtual_network const& net = scheduler_.scenario().network;
  auto const bytes = static_cast<std::int64_t>(m.first.bytes);
  auto const rank_of = [&](unsigned r) {
    return static_cast<int>((r + static_cast<unsigned>(m.first.root)) % n);
  };
  std::vector<unsigned> todo{static_cast<unsigned>(relative)};
  while (!todo.empty()) {
    unsigned const r = todo.back();
    todo.pop_back();
    int const here = rank_of(r);
    picoseconds t = std::max(m.came[r], m.reach[r]);
    unsigned const low = r == 0 ? std::bit_ceil(n) : r & (~r + 1);
    for (unsigned bit = low >> 1; bit > 0; bit >>= 1) {
      unsigned const child = r + bit;
      if (child >= n) continue;
      int const there = rank_of(child);
      m.reach[child] = t + hop(here, there, bytes);
      bool const near =
          node_of_[static_cast<std::size_t>(here)] == node_of_[static_cast<std::size_t>(there)];
      t += ps_of_ns(net.overhead_ns) +
           ps_of_bytes(bytes, near ? net.node_mb_per_s : net.adapter_mb_per_s);
      if (m.came[child] >= 0) todo.push_back(child);
    }
    arrival& a = *m.arrived[static_cast<std::size_t>(here)];
    if (r != 0 && bytes > 0) std::memcpy(a.out, m.content.data(), m.content.size());
    release(m, a, t);
  }
}

}  // namespace argosy::lab::detail

// Bodies of relays: what comes from other nodes, and the answers. A message comes in one part or in
// two.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <argosy/exchange/detail/node_windows.hpp>
#include <argosy/exchange/detail/relays.hpp>
#include <argosy/exchange/detail/round_schedule.hpp>
#include <argosy/exchange/detail/runs.hpp>
#include <argosy/world/charging.hpp>

namespace argosy::detail {

template <communicator World>
void relays<World>::start_heads(step const& now, std::int64_t from) {
  std::int64_t const to = std::min<std::int64_t>(others_, from + static_cast<std::int64_t>(batch));
  for (std::int64_t i = from; i < to; ++i) {
    auto const k = static_cast<std::size_t>(i - from);
    heads(now)[k] =
        world_.start_receive({head_of(now, k), most_head_bytes}, other(i), tag_of(now, firsts));
  }
}

template <communicator World>
template <class F>
void relays<World>::receive(step const& now, F&& f) {
  for (std::int64_t from = 0; from < others_;) {
    std::int64_t const to =
        std::min<std::int64_t>(others_, from + static_cast<std::int64_t>(batch));
    if (from > 0) start_heads(now, from);
    wait_for(heads(now));
    for (std::int64_t i = from; i < to;) i = receive_some(now, from, i, to, f);
    from = to;
  }
}

template <communicator World>
template <class F>
std::int64_t relays<World>::receive_some(step const& now, std::int64_t from, std::int64_t i,
                                         std::int64_t to, F&& f) {
  std::array<std::byte const*, batch> at{};
  std::int64_t room = plan_.window_bytes, next = i;
  std::size_t started = 0;
  std::int64_t needed = 0;
  // First the number of messages, then their places: the buffer must not move.
  auto const length_of = [&](std::size_t k) {
    head h;
    if (heads(now)[k].received() == 0) return std::int64_t{0};
    std::memcpy(&h, head_of(now, k), sizeof h);
    return h.total();
  };
  for (; next < to; ++next) {
    std::int64_t const total = length_of(static_cast<std::size_t>(next - from));
    if (total <= most_head_bytes) continue;
    if (started > 0 && needed + total > room) break;
    needed += total;
    ++started;
  }
  std::byte* free = started > 0 ? kept_.long_messages.get(needed) : nullptr;
  for (std::int64_t k = i; k < next; ++k) {
    auto const place = static_cast<std::size_t>(k - from);
    std::int64_t const total = length_of(place);
    at[place] = head_of(now, place);
    if (total <= most_head_bytes) continue;
    std::memcpy(free, at[place], most_head_bytes);
    long_ones(now)[place] = world_.start_receive(
        {free + most_head_bytes, static_cast<std::size_t>(total - most_head_bytes)}, other(k),
        tag_of(now, rests));
    at[place] = free;
    free += total;
  }
  wait_for(long_ones(now));
  for (std::int64_t k = i; k < next; ++k) {
    auto const place = static_cast<std::size_t>(k - from);
    std::int64_t const total = length_of(place);
    tell_message(message_end::received, other(k), std::min(total, most_head_bytes));
    if (total > most_head_bytes)
      tell_message(message_end::received, other(k), total - most_head_bytes);
    if (total == 0) continue;
    head h;
    std::memcpy(&h, at[place], sizeof h);
    std::byte const* const runs = at[place] + sizeof h;
    f(k, std::span(runs, static_cast<std::size_t>(h.run_bytes)),
      std::span(runs + h.run_bytes, static_cast<std::size_t>(h.data_bytes)));
  }
  return next;
}

template <communicator World>
void relays<World>::collect(step const& now, std::byte* window, window_marks& all) {
  receive(now, [&](std::int64_t, std::span<std::byte const> runs, std::span<std::byte const> data) {
    std::byte const* from = data.data();
    detail::for_each_run(runs, [&](std::int64_t begin, std::int64_t length) {
      if (copies(world_)) std::memcpy(window + begin, from, static_cast<std::size_t>(length));
      from += length;
      images_.cover(all, begin, length);
    });
    charge(world_, std::ssize(data), [&] { return pieces_of(runs); });
  });
}

template <communicator World>
void relays<World>::hear(step const& now) {
  std::fill(asks_[index(now)].begin(), asks_[index(now)].end(), std::span<std::byte const>());
  start_heads(now, 0);
  receive(now, [&](std::int64_t i, std::span<std::byte const> runs, std::span<std::byte const>) {
    std::byte* const to = kept_.heard[index(now)].get(std::ssize(runs));
    std::copy(runs.begin(), runs.end(), to);
    asks_[index(now)][static_cast<std::size_t>(i)] = {to, runs.size()};
  });
}

template <communicator World>
void relays<World>::answer(step const& now, std::byte const* window, std::int64_t end) {
  std::span<request> const mine = replies(now);
  std::int64_t used = 0;
  std::size_t first = 0;  // the first whose message lies in the buffer
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::span<std::byte const> const runs = asks_[index(now)][i];
    if (runs.empty()) continue;
    std::int64_t bytes = 0, pieces = 0, begin = 0;
    detail::for_each_run(runs, [&](std::int64_t from, std::int64_t length) {
      if (pieces++ == 0) begin = from;
      bytes += std::clamp<std::int64_t>(end - from, 0, length);
    });
    std::span<std::byte const> message(window + begin, static_cast<std::size_t>(bytes));
    if (pieces > 1) {
      if (used + bytes > plan_.window_bytes) {
        wait_for(mine.subspan(first, i - first));
        first = i;
        used = 0;
      }
      std::byte* const packed = kept_.packed[index(now)].get(plan_.window_bytes) + used;
      std::byte* to = packed;
      detail::for_each_run(runs, [&](std::int64_t from, std::int64_t length) {
        std::int64_t const n = std::clamp<std::int64_t>(end - from, 0, length);
        if (copies(world_)) std::memcpy(to, window + from, static_cast<std::size_t>(n));
        to += n;
      });
      charge(world_, bytes, [&] { return pieces; });
      message = {packed, static_cast<std::size_t>(bytes)};
      used += bytes;
    }
    done_.message_bytes += bytes;
    mine[i] = start_send(message, other(static_cast<std::int64_t>(i)), tag_of(now, answers));
  }
}

template <communicator World>
void relays<World>::deal_out(visit const& v, answer_from const& a) {
  images_.await_emptied(v.relay, v.number, v.reused);
  std::int64_t& end = images_.of(v.relay).end[v.number & 1];
  end = v.window.end;
  if (a.bytes > 0) {
    wait_for(std::span(requests_).subspan(a.request, 1));
    std::int64_t left = static_cast<std::int64_t>(requests_[a.request].received());
    tell_message(message_end::received, plan_.domains[v.domain].rank, left);
    bool const whole = left == a.bytes;
    if (!whole) end = v.window.begin;
    std::byte const* from = a.data;
    std::byte* const image = images_.window(v.relay, v.number);
    detail::for_each_run(a.runs, [&](std::int64_t begin, std::int64_t length) {
      std::int64_t const n = std::min(left, length);
      if (n == 0) return;
      if (copies(world_)) std::memcpy(image + begin, from, static_cast<std::size_t>(n));
      from += n;
      left -= n;
      if (!whole) end = v.window.begin + begin + n;
    });
    charge(world_, a.bytes - left, [&] { return pieces_of(a.runs); });
  }
  images_.tell_filled(v.relay);
}

}  // namespace argosy::detail

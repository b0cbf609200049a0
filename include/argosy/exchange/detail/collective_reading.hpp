// Bodies of collective_exchange: reading.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/exchange/detail/collective_exchange.hpp>
#include <argosy/exchange/detail/guided_access.hpp>
#include <argosy/exchange/detail/node_windows.hpp>
#include <argosy/exchange/detail/window_part.hpp>

namespace argosy::detail {

template <agreeing World, handle H>
void collective_exchange<World, H>::read() {
  auto const fill = [&](step const& k) {
    in_phase const half = in_round(k);
    if (!links_.none())
      links_.expect(k, [&](std::int64_t from) { return memory_.stretch(from - mine_.position); });
    for_each_near(k, [&](std::size_t s, file_window const& w) {
      windows_.ask(s, number(s, k), false, w, plan_.sparse);
    });
    with_relays([&](auto& r) { r.ask(k); });
    if_aggregator(k, [&](std::size_t s, file_window const& w) { fill_from_file(s, k, w); });
  };
  each_step(fill, [&](step const& k) {
    in_phase const half = in_round(k);
    for_each_near(k, [&](std::size_t s, file_window const& w) {
      auto const [to, wanted] = windows_.take(s, number(s, k), w);
      came_to(to, wanted);
    });
    with_relays([&](auto& r) {
      r.take(k, [&](std::int64_t to, std::int64_t wanted) { came_to(to, wanted); });
    });
    if (!links_.none())
      links_.take(
          k, [&](std::byte const* stream, std::int64_t from, std::int64_t to, std::int64_t wanted) {
            bool const there = !stream || guarded(failed_, [&] {
              memory_.scatter(stream, from - mine_.position, to - mine_.position);
            });
            came_to(there ? to : from, wanted);
          });
  });
}

template <agreeing World, handle H>
void collective_exchange<World, H>::fill_from_file(std::size_t s, step const& k,
                                                   file_window const& w) {
  node_stage::counters& c = stage_.of(s);
  std::uint64_t const n = number(s, k);
  windows_.await_all(s, n);
  windows_.await_emptied(s, n, k.number >= 2);
  links_.answered(k);
  with_relays([&](auto& r) {
    r.answered(k);
    r.hear(k);
  });
  file_share all = windows_.hull(s, n);
  links_.for_each_share(w, [&](stream_range const&, window_part const& p) { all.join(p.file); });
  with_relays([&](auto& r) {
    r.for_each_run(k, [&](std::int64_t from, std::int64_t length) {
      all.join({w.begin + from, w.begin + from + length});
    });
  });
  c.end[n & 1] = w.begin;
  if (all.low < all.high) {
    ++done_.windows;
    std::error_code error;
    if (!guarded(failed_,
                 [&] { error = plan_.sparse ? read_wanted(s, n, k, w) : read_hull(s, n, w, all); }))
      error = errc::io;
    if (error) fail(s, k, w, error, "reading");
  }
  windows_.release_filled(s);
  links_.answer(k, w, stage_.window(s, n), c.end[n & 1]);
  with_relays([&](auto& r) { r.answer(k, stage_.window(s, n), c.end[n & 1] - w.begin); });
}

template <agreeing World, handle H>
std::error_code collective_exchange<World, H>::read_hull(std::size_t s, std::uint64_t n,
                                                         file_window const& w,
                                                         file_share const& all) {
  std::byte* const to = stage_.window(s, n) + (all.low - w.begin);
  io_result const got = file_.read(all.low, {to, static_cast<std::size_t>(all.high - all.low)});
  ++done_.read_calls;
  done_.bytes_read += got.bytes;
  stage_.of(s).end[n & 1] = all.low + got.bytes;
  return got.error;
}

template <agreeing World, handle H>
std::error_code collective_exchange<World, H>::read_wanted(std::size_t s, std::uint64_t n,
                                                           step const& k, file_window const& w) {
  window_marks all = windows_.covered(s, n, w);
  links_.for_each_share(w, [&](stream_range const& theirs, window_part const& p) {
    windows_.cover(all, w, theirs, p);
  });
  with_relays([&](auto& r) {
    r.for_each_run(
        k, [&](std::int64_t from, std::int64_t length) { windows_.cover(all, from, length); });
  });
  std::int64_t const bits = (w.length() + plan_.granule - 1) / plan_.granule;
  std::vector<read_part> parts;
  for (std::int64_t from = all.next_set(0, bits); from < bits;) {
    std::int64_t const to = all.next_clear(from, bits), begin = from * plan_.granule;
    std::int64_t const length = std::min(to * plan_.granule, w.length()) - begin;
    parts.push_back(
        {w.begin + begin, {stage_.window(s, n) + begin, static_cast<std::size_t>(length)}});
    from = all.next_set(to, bits);
  }
  io_result const got = guided_transfer<read_part>(file_, parts, plan_.max_ranges, done_);
  done_.bytes_read += got.bytes;
  std::int64_t left = got.bytes;
  for (read_part const& p : parts) {
    std::int64_t const here = std::min(left, static_cast<std::int64_t>(p.memory.size()));
    if (left > 0 || &p == parts.data()) stage_.of(s).end[n & 1] = p.offset + here;
    left -= here;
  }
  return got.error;
}

}  // namespace argosy::detail

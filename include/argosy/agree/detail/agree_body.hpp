// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/agree/detail/phase.hpp>

namespace argosy::detail {

inline call_summary summarise(failure const& mine, int rank) {
  call_summary s;
  for (extremes& e : s.compared) e = extremes(0, rank);
  if (mine) {
    s.failed_rank = rank;
    s.failed_errno = is_errno(mine.code) ? 1 : 0;
    s.failed_value = s.failed_errno != 0 ? mine.code.value() : static_cast<int>(classify(mine.code));
  }
  return s;
}

// The text to send for a failure: other ranks may not know the error category that a handle of the program uses.
inline std::string words_of(failure const& f) {
  if (!f || is_errno(f.code) || f.code.category() == category()) return f.detail;
  return foreign_words(f.code) + (f.detail.empty() ? "" : "; ") + f.detail;
}

// Turns the reduced summary into words that every rank has. All ranks come here with the same `all`.
template <agreeing World>
agreement conclude(World const& world, call_summary const& all, failure const& mine) {
  if (all.failed_rank == call_summary::no_rank) return {};
  short_text<384> words;
  if (all.failed_rank == world.rank()) words.set_start(words_of(mine));
  world.broadcast(std::as_writable_bytes(std::span(&words, 1)), all.failed_rank);
  agreement a;
  a.failed_rank = all.failed_rank;
  a.cause = all.failed_errno != 0 ? std::error_code(all.failed_value, std::system_category())
                                  : std::error_code(all.failed_value, category());
  a.detail = words.get();
  a.code = mine ? classify(mine.code) : a.cause == errc::not_same ? errc::not_same : errc::error_on_another_rank;
  a.thrown = mine.thrown;
  if (mine && all.failed_rank != world.rank()) a.own = mine;
  return a;
}

// Of two texts of lines "name value", the first line that differs.
inline std::string difference_of_lines(std::string_view a, int rank_a, std::string_view b, int rank_b) {
  auto const next = [](std::string_view& text) {
    std::string_view const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
  };
  auto const name = [](std::string_view line) { return std::string(line.substr(0, line.find(' '))); };
  auto const rest = [](std::string_view line) {
    std::string_view const value = line.substr(std::min(line.size(), line.find(' ')));
    return value.size() < 2 ? std::string("empty") : std::string(value.substr(1));
  };
  auto const on = [](int rank) { return " on rank " + std::to_string(rank); };
  while (!a.empty() || !b.empty()) {
    std::string_view const x = next(a), y = next(b);
    if (x == y) continue;
    if (name(x) == name(y)) return name(x) + " is " + rest(x) + on(rank_a) + " and " + rest(y) + on(rank_b);
    // A line that only one of them has stands at the end.
    bool const first = !x.empty() && (y.empty() || b.find(x) == std::string_view::npos);
    return std::string(first ? x : y) + on(first ? rank_a : rank_b) + " only";
  }
  return "the texts are equal";
}

// Words for an argument of lines in which two ranks differ. Collective.
template <agreeing World>
std::string different_line(World const& world, std::string_view lines, extremes const& e) {
  auto size = static_cast<std::int64_t>(lines.size());
  world.broadcast(std::as_writable_bytes(std::span(&size, 1)), e.low_rank);
  std::string theirs(static_cast<std::size_t>(size), ' ');
  if (world.rank() == e.low_rank) theirs = lines;
  world.broadcast(std::as_writable_bytes(std::span(theirs)), e.low_rank);
  short_text<256> words;
  if (world.rank() == e.high_rank)
    words.set_start(e.low_rank < e.high_rank ? difference_of_lines(theirs, e.low_rank, lines, e.high_rank)
                                             : difference_of_lines(lines, e.high_rank, theirs, e.low_rank));
  world.broadcast(std::as_writable_bytes(std::span(&words, 1)), e.high_rank);
  return std::string(words.get());
}

template <agreeing World>
agreement agree_on(World const& world, arguments const& given, failure mine, int& develop, access_summary& access) {
  in_phase const now(phase::agreement);
  call_summary s = summarise(mine, world.rank());
  s.flag = develop;
  s.access = access;
  for (std::size_t i = 0; i < given.compared().size(); ++i)
    s.compared[i] = extremes(given.compared()[i].hash, world.rank());
  world.all_reduce(s);
  develop = s.flag;
  access = s.access;
  if (s.failed_rank != call_summary::no_rank) return conclude(world, s, mine);
  for (std::size_t i = 0; i < s.compared.size(); ++i) {
    extremes const& e = s.compared[i];
    if (e.low == e.high) continue;
    // All ranks know the mismatch already, so no broadcast: the words are the same, except for this rank's name of the argument.
    std::string const ranks = " on ranks " + std::to_string(std::min(e.low_rank, e.high_rank)) + " and " +
                              std::to_string(std::max(e.low_rank, e.high_rank));
    std::string words = i == 0 ? "ranks are in different collective calls; this one called " + std::string(given.call())
                               : "argument '" + std::string(given.compared()[i].name) + "' must be equal on all ranks";
    words += i == 0 ? ", others differ" + ranks : " and differs" + ranks;
    if (auto const lines = given.compared()[i].lines; !lines.empty()) words += ": " + different_line(world, lines, e);
    return {errc::not_same, std::min(e.low_rank, e.high_rank), errc::not_same, std::move(words), {}};
  }
  return {};
}

template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop, access_summary& access) {
  failure mine = given.fault();
  if (develop) mine.keep(detail::compare_with_neighbour(world, given));
  int unused = 0;
  return detail::agree_on(world, given, std::move(mine), unused, access);
}

template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop) {
  access_summary nothing;
  return agree_to_begin(world, given, develop, nothing);
}

template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop) {
  int flag = develop ? 1 : 0;
  access_summary nothing;
  agreement first = detail::agree_on(world, given, given.fault(), flag, nothing);
  develop = flag != 0;
  if (!develop || (!first && first.cause != errc::not_same)) return first;
  agreement compared = agree_on_outcome(world, detail::compare_with_neighbour(world, given));
  return compared ? first : compared;
}

template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine) {
  int unused = 0;
  return agree_on_outcome(world, mine, unused);
}

template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, bool& flag) {
  int flags = flag ? 1 : 0;
  agreement result = agree_on_outcome(world, mine, flags);
  flag = flags != 0;
  return result;
}

template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, int& flags) {
  in_phase const now(phase::agreement);
  static constexpr std::uint64_t outcome = fingerprint("outcome");  // no call has this name
  call_summary s = detail::summarise(mine, world.rank());
  s.compared[0] = extremes(outcome, world.rank());
  s.flag = flags;
  world.all_reduce(s);
  flags = s.flag;
  if (s.failed_rank == call_summary::no_rank && s.compared[0].low != s.compared[0].high)
    return {errc::not_same,
            std::min(s.compared[0].low_rank, s.compared[0].high_rank),
            errc::not_same,
            "a collective call ended on this rank, while another rank began one",
            {}};
  return detail::conclude(world, s, mine);
}

}  // namespace argosy::detail

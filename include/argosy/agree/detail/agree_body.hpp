// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/mismatch.hpp>
#include <argosy/agree/detail/neighbour.hpp>
#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/detail/memory_reserve.hpp>

namespace argosy::detail {

inline call_summary summarise(failure const& mine, int rank) {
  call_summary s;
  for (extremes& e : s.compared) e = extremes(0, rank);
  if (mine) {
    s.failed_rank = rank;
    s.failed_errno = is_errno(mine.code) ? 1 : 0;
    s.failed_value =
        s.failed_errno != 0 ? mine.code.value() : static_cast<int>(classify(mine.code));
  }
  return s;
}

// Returns the text to send for a failure. Other ranks may not know the error category that a handle
// of the program uses.
inline std::string words_of(failure const& f) {
  if (!f || is_errno(f.code) || f.code.category() == category()) return f.detail;
  return foreign_words(f.code) + (f.detail.empty() ? "" : "; ") + f.detail;
}

// The text of a failure as other ranks get it. If it is too long, the detail is cut.
struct told_words {
  std::uint16_t advice_at = 0;
  short_text<382> text;

  void set(std::string_view detail, std::string_view advice) {
    std::size_t const room = text.letters.size() - 1;
    advice = advice.substr(0, room);
    detail = detail.substr(0, room - advice.size());
    advice_at = static_cast<std::uint16_t>(detail.size());
    auto const after = std::copy(detail.begin(), detail.end(), text.letters.begin());
    std::copy(advice.begin(), advice.end(), after);
  }
  std::string_view detail() const { return text.get().substr(0, advice_at); }
  std::string_view advice() const { return text.get().substr(detail().size()); }
};

// Makes the agreement of the reduced summary, with the text that every rank has. All ranks call
// this with the same `all`.
template <agreeing World>
agreement conclude(World const& world, call_summary const& all, failure const& mine) {
  if (all.failed_rank == call_summary::no_rank) return {};
  told_words words;
  if (all.failed_rank == world.rank()) words.set(words_of(mine), mine.advice);
  world.broadcast(std::as_writable_bytes(std::span(&words, 1)), all.failed_rank);
  agreement a;
  a.failed_rank = all.failed_rank;
  a.cause = all.failed_errno != 0 ? std::error_code(all.failed_value, std::system_category())
                                  : std::error_code(all.failed_value, category());
  a.detail = words.detail();
  a.advice = words.advice();
  a.code = mine                        ? classify(mine.code)
           : a.cause == errc::not_same ? errc::not_same
                                       : errc::error_on_another_rank;
  a.thrown = mine.thrown;
  if (mine && all.failed_rank != world.rank()) a.own = mine;
  return a;
}

// Finds the cause if a digest shows trouble. All ranks call this, also those at the end of a call.
template <agreeing World>
agreement find_trouble(World const& world, arguments const& given, failure const& mine) {
  call_summary s = summarise(mine, world.rank());
  for (std::size_t i = 0; i < given.compared().size(); ++i)
    s.compared[i] = extremes(given.compared()[i].hash, world.rank());
  world.all_reduce(s);
  if (s.failed_rank != call_summary::no_rank) return conclude(world, s, mine);
  for (std::size_t i = 0; i < s.compared.size(); ++i) {
    if (s.compared[i].low == s.compared[i].high) continue;
    // All ranks have the result of the reduction, and ranks in the same call have the same list of
    // arguments.
    arguments::argument const& differs = given.compared()[i];
    if (differs.differs) *differs.differs = true;
    return not_the_same(world, i, differs.name, given_note(differs, given.where()), differs);
  }
  return {};
}

// Reduces the digest. Returns the sum of `access.spans` before this rank, which costs nothing if it
// sees the values of the others in memory; otherwise -1.
template <agreeing World>
std::int64_t reduce_with_sum_before(World const& world, call_digest& d) {
  if constexpr (requires { world.in_memory(); })
    if (auto const* const near = world.in_memory()) {
      std::int64_t before = 0;
      near->all_reduce(d, [&](call_digest const& other, int r) {
        if (r < near->rank()) before = access_summary::add(before, other.access.spans);
      });
      return before;
    }
  world.all_reduce(d);
  return -1;
}

template <agreeing World>
agreement agree_on(World const& world, arguments const& given, failure const& mine, int& develop,
                   access_summary& access, std::int64_t* spans_before = nullptr) {
  in_phase const now(phase::agreement);
  call_digest d{given.digest(), develop, mine ? 1 : 0, access};
  if (spans_before)
    *spans_before = reduce_with_sum_before(world, d);
  else
    world.all_reduce(d);
  develop = d.flags;
  access = d.access;
  return d.trouble == 0 ? agreement() : find_trouble(world, given, mine);
}

// A rank without the memory to carry a call out to its end must not begin it.
template <agreeing World>
failure fault_before(World const& world, arguments const& given) {
  if (world.size() > 1 && !memory_reserve::take_back()) return {errc::no_memory, {}};
  return given.fault();
}

template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop,
                         access_summary& access, std::int64_t& spans_before) {
  failure mine = fault_before(world, given);
  if (develop) mine.keep(detail::compare_with_neighbour(world, given));
  int unused = 0;
  return detail::agree_on(world, given, mine, unused, access, &spans_before);
}

template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop,
                         access_summary& access) {
  std::int64_t unused = 0;
  return agree_to_begin(world, given, develop, access, unused);
}

template <agreeing World>
agreement agree_to_begin(World const& world, arguments const& given, bool develop) {
  access_summary nothing;
  return agree_to_begin(world, given, develop, nothing);
}

template <agreeing World, class Given>
agreement agree_to_begin(World const& world, std::uint64_t digest, bool wrong,
                         access_summary& access, std::int64_t& spans_before, Given&& given) {
  in_phase const now(phase::agreement);
  bool const ready = world.size() == 1 || memory_reserve::take_back();
  call_digest d{digest, 0, wrong || !ready ? 1 : 0, access};
  spans_before = reduce_with_sum_before(world, d);
  access = d.access;
  if (d.trouble == 0) return {};
  arguments const& all = given();
  return find_trouble(world, all, ready ? all.fault() : failure(errc::no_memory, {}));
}

template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop) {
  bool nobody = false;
  return agree_to_begin_first(world, given, develop, nobody);
}

template <agreeing World>
agreement agree_to_begin_first(World const& world, arguments const& given, bool& develop,
                               bool& watch) {
  int flag = (develop ? 1 : 0) | (watch ? 2 : 0);
  access_summary nothing;
  agreement first = detail::agree_on(world, given, fault_before(world, given), flag, nothing);
  develop = (flag & 1) != 0;
  watch = (flag & 2) != 0;
  if (!develop || !first) return first;
  return agree_on_outcome(world, detail::compare_with_neighbour(world, given));
}

template <agreeing World>
agreement outcome_of(World const& world, failure const& mine, int& flags, phase counted) {
  in_phase const now(counted);
  static constexpr std::uint64_t outcome = fingerprint("outcome");  // no call has this name
  call_digest d{digest_of(0, outcome), flags, mine ? 1 : 0, {}};
  world.all_reduce(d);
  flags = d.flags;
  if (d.trouble == 0) return {};
  call_summary s = summarise(mine, world.rank());
  s.compared[0] = extremes(outcome, world.rank());
  world.all_reduce(s);
  if (s.failed_rank == call_summary::no_rank && s.compared[0].low != s.compared[0].high) {
    given_note here;
    here.text.set("the end of a call");
    here.hash = outcome;
    return not_the_same(world, 0, "call", here, {});
  }
  return conclude(world, s, mine);
}

template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine) {
  return agree_on_outcome(world, mine, phase::agreement);
}

template <agreeing World>
agreement agree_on_outcome(World const& world, failure const& mine, phase counted) {
  int unused = 0;
  return outcome_of(world, mine, unused, counted);
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
  return outcome_of(world, mine, flags, phase::agreement);
}

}  // namespace argosy::detail

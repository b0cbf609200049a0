// SPDX-License-Identifier: BSD-3-Clause
#include "remote_meeting.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace argosy::explore {

namespace {

// instead of the number of a step
constexpr std::size_t no_more = std::numeric_limits<std::size_t>::max();

}  // namespace

void remote_meeting::begins(std::size_t step) {
  began_(static_cast<int>(step), name_of(session_.steps()[step].what));
}

void remote_meeting::did(std::size_t step) {
  session::rank_state const& mine = session_.of(me_);
  record const& r = session_.part(step, me_);
  told_.put(step);
  told_.put(r.now);
  put_outcome(told_, r);
  told_.put(r.seen);
  told_.put(r.lowest);
  told_.put(r.displacement);
  told_.put(r.beside);
  told_.put(mine.position);
  told_.put(mine.ended.size() - ended_);
  for (; ended_ < mine.ended.size(); ++ended_) {
    told_.put(mine.ended[ended_]->step);
    told_.put(mine.ended[ended_]->now);
    put_outcome(told_, *mine.ended[ended_]);
  }
}

// Reads what another rank did in a step, in the order in which did() writes.
void remote_meeting::learn(int rank, received& in, std::size_t step) {
  session::rank_state& theirs = session_.of(rank);
  session_.enter(session_.steps()[step]);
  record& r = session_.begin(step, rank);
  in.get(r.now);
  bool const goes_on = r.now == record::state::pending;
  if (goes_on) {
    theirs.pending.push_back(std::make_unique<record>(std::move(r)));
    r = {};
    r.now = record::state::pending;
  }
  get_outcome(in, r);
  in.get(r.seen);
  in.get(r.lowest);
  in.get(r.displacement);
  in.get(r.beside);
  in.get(theirs.position);
  for (auto n = in.get<std::size_t>(); n > 0; --n) {
    auto const began = in.get<std::size_t>();
    auto const at = std::find_if(theirs.pending.begin(), theirs.pending.end(),
                                 [&](auto const& p) { return p->step == began; });
    if (at == theirs.pending.end())
      throw found_wrong(fmt::format("rank {} ends a request of step {} twice", rank, began));
    in.get((*at)->now);
    get_outcome(in, **at);
    theirs.ended.push_back(std::move(*at));
    theirs.pending.erase(at);
  }
}

void remote_meeting::found(std::string const& words) {
  if (wrong_.empty()) wrong_ = fmt::format("rank {}: {}", me_, words);
}

// Notes an exception of `look` as a mistake that this rank has found.
template <class F>
void remote_meeting::noting(F&& look) {
  try {
    look();
  } catch (std::exception const& e) {
    if (wrong_.empty()) wrong_ = e.what();
  }
}

void remote_meeting::after(std::size_t step, bool looks) {
  began_(static_cast<int>(step), "(with the other ranks, afterwards)");
  if (!looks) return place_.barrier(ranks_);
  // Agents on this rank may have seen errors of other ranks' calls since this rank put down its
  // part. After the barrier no rank is in a call, so all such errors are there.
  std::vector<witnessed> late;
  if (session_.serves) {
    place_.barrier(ranks_);
    late = session_.take_seen(me_);
    add_late(step, me_, late);
  }
  told_.put(no_more);
  told_.put(late);
  told_.put(wrong_);
  auto const all = place_.gather(told_.bytes(), ranks_);
  told_.clear();
  noting([&] {
    for (int r = 0; r < ranks_; ++r)
      if (std::string const words =
              r == me_ ? wrong_ : learn_all(r, received(all[static_cast<std::size_t>(r)]));
          !words.empty())
        throw found_wrong(words);
    session_.meet(step);
  });
  ended_ = 0;
  agree();
}

void remote_meeting::add_late(std::size_t step, int rank, std::vector<witnessed> const& late) {
  std::vector<witnessed>& seen = session_.part(step, rank).seen;
  seen.insert(seen.end(), late.begin(), late.end());
}

// Reads the steps of another rank. Returns the mistake that it has found.
std::string remote_meeting::learn_all(int rank, received in) {
  std::size_t last = 0;
  for (auto k = in.get<std::size_t>(); k != no_more; k = in.get<std::size_t>())
    learn(rank, in, last = k);
  std::vector<witnessed> late;
  std::string words;
  in.get(late);
  in.get(words);
  add_late(last, rank, late);
  return words;
}

// Throws on all ranks if one has found a mistake.
void remote_meeting::agree() {
  wrong_ = place_.first(wrong_, ranks_);
  if (!wrong_.empty()) throw found_wrong(wrong_);
}

void remote_meeting::end() {
  began_(-1, "(at the end)");
  noting([&] { session_.finish(); });
  agree();
}

}  // namespace argosy::explore

// One type and method on one partition: opens a file, runs all patterns, and closes it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <argosy/world/communicator.hpp>

#include "implementation.hpp"
#include "marks.hpp"
#include "plan.hpp"

namespace beffio {

inline constexpr int most_patterns = 9;
// A pattern that is driven by time ends when this many calls have failed.
inline constexpr std::int64_t most_errors = 10;

constexpr std::int64_t largest_call(std::int64_t longest) { return std::max(longest, 2 * mib); }

// The state of a partition's files, which one method leaves to the next.
struct files_state {
  std::array<std::array<std::int64_t, most_patterns>, types> calls{};
  std::array<bool, types> rewritten{};
  segment part{};
};

template <class World>
double seconds_in(World const& world) {
  if constexpr (requires { world.now(); })
    return world.now();
  else
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Sums over all ranks, and the error of the lowest rank that failed.
struct tally {
  std::int64_t bytes = 0, errors = 0, wrong = 0;
  int rank = -1;
  std::array<char, 200> words{};
  void combine(tally const& other) {
    bytes += other.bytes;
    errors += other.errors;
    wrong += other.wrong;
    if (other.rank >= 0 && (rank < 0 || other.rank < rank)) {
      rank = other.rank;
      words = other.words;
    }
  }
};

template <argosy::communicator World, implementation<World> I, class Memory = buffers>
class type_run {
 public:
  type_run(World const& team, World const& alone, I& files, plan const& p, files_state& state,
           Memory& memory, observer& tell, contender who)
      : team_(team),
        alone_(alone),
        files_(files),
        plan_(p),
        state_(state),
        memory_(memory),
        tell_(tell),
        who_(who) {
    patterns_ = patterns_of(who.type, p.longest);
    if (!is_segmented(who.type)) return;
    auto const counts = [&](int t) {
      return std::span<std::int64_t const>(state_.calls[static_cast<std::size_t>(t)]);
    };
    if (writes_first()) {
      segmented_ = segmented_counts(p.longest, counts(scatter), counts(shared), counts(separated));
      state_.part = segment_of(patterns_, segmented_);
      segmented_.push_back(1);
    }
    if (state_.part.filler > 0) patterns_.push_back({state_.part.filler, state_.part.filler, 0});
  }

  void open() {
    team_.barrier();
    double const start = now();
    open_request r{
        plan_.directory + file_name(files_.name(), who_.partition, who_.type, team_.rank()),
        who_.how == method::write     ? opened::to_write
        : who_.how == method::rewrite ? opened::to_rewrite
                                      : opened::to_read,
        plan_.unique == unique_open::always ||
            (plan_.unique == unique_open::not_separated && who_.type != separated),
        plan_.hints.at_open(who_.partition, who_.how, who_.type)};
    std::error_code error;
    file_.emplace(files_.open(who_.type == separated ? alone_ : team_, r, error));
    note("open", error);
    if (error) file_.reset();
    tally all = mine_;
    team_.all_reduce(all);
    // If opening fails on one rank, the other ranks of a common file close theirs. Separated files
    // are independent.
    if (all.errors > 0 && who_.type != separated) file_.reset();
    if (file_ && !has_view_per_pattern()) {
      placement where;
      if (is_segmented(who_.type)) where.displacement = team_.rank() * state_.part.bytes;
      file_->set_view(where, {}, error);
      note("set_view", error);
    }
    anyone_ = all.errors == 0 || (who_.type == separated && all.errors < team_.size());
    team_.barrier();
    open_seconds_ = now() - start;
    opening_ = r.hints;
  }

  void run(int number) {
    if (static_cast<std::size_t>(number) >= patterns_.size()) return;
    pattern const& p = patterns_[static_cast<std::size_t>(number)];
    if (team_.rank() == 0) tell_.begins(who_, number);
    cell c{.partition = who_.partition,
           .how = who_.how,
           .type = who_.type,
           .number = number,
           .what = p,
           .open_seconds = open_seconds_,
           .close_seconds = -1};
    hint_list const hints =
        plan_.hints.of(who_.partition, who_.how, who_.type, p.chunk, plan_.longest);
    team_.barrier();
    double const start = now();
    prepare(p, hints);
    c.calls = anyone_ ? repeat(number, p, start, c) : 0;
    if (who_.how != method::read) {
      team_.barrier();
      double const before = now();
      if (file_) {
        std::error_code error;
        file_->sync(error);
        note("sync", error);
      }
      team_.barrier();
      c.sync_seconds = now() - before;
    } else {
      team_.barrier();
    }
    c.seconds = now() - start;
    if (who_.how != method::read) memory_.unset(p);
    offset_ += c.calls * p.memory;
    state_.calls[index(who_.type)][index(number)] = c.calls;
    if (file_) {
      hint_list asked = opening_;
      for (auto const& h : hints)
        if (std::none_of(opening_.begin(), opening_.end(),
                         [&](auto const& o) { return o.first == h.first; }))
          asked.push_back(h);
      c.hints = file_->in_force(asked);
    }
    settle(c);
  }

  void close() {
    if (who_.how == method::rewrite && anyone_) state_.rewritten[index(who_.type)] = true;
    team_.barrier();
    double const start = now();
    if (file_) {
      std::error_code error;
      file_->close(error);
      note("close", error);
    }
    team_.barrier();
    double const seconds = now() - start;
    tally const all = summed();
    if (team_.rank() == 0) tell_.closed(who_, seconds, all.errors);
  }

  // Removes the files. Collective. Reports files that could not be removed.
  void remove() {
    team_.barrier();
    if (team_.rank() == 0 || who_.type == separated) {
      std::string const path =
          plan_.directory + file_name(files_.name(), who_.partition, who_.type, team_.rank());
      if (anyone_) note("remove", files_.remove(path));
    }
    summed();
  }

 private:
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  double now() const { return seconds_in(team_); }
  bool writes_first() const { return who_.how == method::write; }
  bool has_view_per_pattern() const {
    return who_.type == scatter || (who_.type == shared && !plan_.shared_pointer);
  }
  bool at_shared_pointer() const { return who_.type == shared && plan_.shared_pointer; }
  call how_called() const {
    return at_shared_pointer()                                ? call::ordered
           : who_.type == separated || who_.type == segmented ? call::alone
                                                              : call::together;
  }

  void prepare(pattern const& p, hint_list const& hints) {
    if (!file_) return;
    std::error_code error;
    if (has_view_per_pattern())
      file_->set_view({team_.size() * offset_, p.chunk, team_.size(), team_.rank()}, hints, error);
    else if (!hints.empty())
      file_->set_hints(hints, error);
    note("set_view", error);
  }

  // Makes the calls. Returns their number.
  std::int64_t repeat(int number, pattern const& p, double start, cell& c) {
    std::int64_t count = -1;
    if (!writes_first())
      count = state_.calls[index(who_.type)][index(number)];
    else if (is_segmented(who_.type))
      count = segmented_[index(number)];
    else if (p.units == 0)
      count = 1;
    if (count >= 0) {
      c.ended = count == 1 && p.units == 0 ? ending::once : ending::count;
      for (std::int64_t k = 0; k < count; ++k) one_call(number, p, k);
      return count;
    }
    c.scheduled = plan_.when.seconds_of(p);
    std::int64_t const most = most_calls(plan_.budget, team_.size(), p);
    std::int64_t done = 0, first_error = mine_.errors;
    for (;;) {
      argosy::detail::reducible_sum failed{mine_.errors - first_error};
      // waits for all ranks, so that no rank looks at the clock earlier
      if (done > 0) team_.all_reduce(failed);
      std::int64_t next = 0;
      if (team_.rank() == 0) {
        next = calls_to_come(done, now() - start, c.scheduled, plan_.when.geometric);
        c.ended = ending::time;
        if (next > 0 && failed.value >= most_errors) {
          c.ended = ending::errors;
          next = 0;
        } else if (next > most - done) {
          c.ended = ending::space;
          next = most - done;
        }
      }
      team_.broadcast(std::as_writable_bytes(std::span(&next, 1)), 0);
      if (next == 0) return done;
      for (std::int64_t k = 0; k < next; ++k) one_call(number, p, done + k);
      done += next;
    }
  }

  void one_call(int number, pattern const& p, std::int64_t k) {
    if (!file_) return;
    auto const length = static_cast<std::size_t>(p.memory / 8);
    std::error_code error;
    std::int64_t moved = 0;
    if (who_.how == method::read) {
      moved = file_->read(how_called(), std::span(memory_.in).first(length), error);
      if (!error && moved == p.memory)
        mine_.wrong += memory_.wrong(state_.rewritten[index(who_.type)], who_.type, number, p, k);
    } else {
      memory_.set(who_.how == method::rewrite, who_.type, number, p, k);
      moved = file_->write(how_called(), std::span<std::uint64_t const>(memory_.out).first(length),
                           error);
    }
    mine_.bytes += moved;
    if (!error && moved == p.memory) return;
    if (!error) error = std::make_error_code(std::errc::message_size);
    note(name_of(who_.how), error);
    if (at_shared_pointer()) return;  // all ranks set the pointer after the pattern
    std::error_code ignored;          // the next call reports it
    std::int64_t const after = (k + 1) * p.memory;
    file_->seek((has_view_per_pattern() ? after : offset_ + after) / 8, ignored);
  }

  void note(std::string_view what, std::error_code const& error) {
    if (!error) return;
    ++mine_.errors;
    if (mine_.rank >= 0) return;
    mine_.rank = team_.rank();
    std::string const text = std::string(what) + ": " + error.message();
    std::memcpy(mine_.words.data(), text.data(), std::min(text.size(), mine_.words.size() - 1));
  }

  // Returns the sums over all ranks since the last time. Reports the first failure.
  tally summed() {
    tally all = mine_;
    team_.all_reduce(all);
    mine_ = {};
    if (team_.rank() == 0 && all.rank >= 0)
      tell_.failed(who_, "rank " + std::to_string(all.rank) + ", " + all.words.data());
    return all;
  }

  void settle(cell& c) {
    tally const all = summed();
    c.bytes = all.bytes;
    c.errors = all.errors;
    c.wrong = all.wrong;
    if (all.errors > 0 && at_shared_pointer() && file_) {
      std::error_code error;
      file_->seek_shared(team_.size() * offset_ / 8, error);
      note("seek_shared", error);
    }
    if (team_.rank() == 0) tell_.measured(who_, c);
  }

  World team_, alone_;
  I& files_;
  plan const& plan_;
  files_state& state_;
  Memory& memory_;
  observer& tell_;
  contender who_;
  std::vector<pattern> patterns_;
  std::vector<std::int64_t> segmented_;  // calls of each pattern, if they are written first
  std::optional<typename I::file> file_;
  hint_list opening_;
  bool anyone_ = false;      // true if some rank has the file
  std::int64_t offset_ = 0;  // bytes of all earlier patterns, on this rank
  double open_seconds_ = 0;
  tally mine_;
};

}  // namespace beffio

// Checks that each rank gets the error that it must get.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>

#include <fmt/format.h>

#include <argosy/policy/data_shipping.hpp>

namespace argosy::explore {

using namespace extend;

namespace {

// Returns true for errors of the program's code: a value does not fit, or the code throws.
bool is_of_program(std::error_code const& e) {
  return e == errc::conversion || e == errc::user_code;
}

}  // namespace

bool session::some_done(std::vector<record> const& all, bool well) const {
  return std::any_of(all.begin(), all.end(), [&](record const& r) {
    return r.now == record::state::done && !r.code == well;
  });
}

bool session::tolerable(step const& s, witnessed const& w) const {
  errc const e = classify(w.error);
  if (w.harmless) return true;
  // A rank that cannot make the file of the shared pointer checks whether another rank has made it.
  if (w.of_pointer && w.only_looks && w.call == file_call::open)
    return e == errc::access || e == errc::read_only || e == errc::no_such_file;
  if (w.of_pointer) return w.call == file_call::close;
  switch (w.call) {
    case file_call::open:
      return s.what == op::open &&
             (e == errc::no_such_file || e == errc::file_exists || e == errc::access);
    case file_call::lock:
      return e == errc::no_locks && (s.what == op::open || (s.what != op::set_atomic && !atomic));
    case file_call::close:
      return s.what == op::open;
    default:
      return false;
  }
}

std::vector<witnessed> session::serious(step const& s, std::vector<witnessed> const& all) const {
  std::vector<witnessed> left;
  for (witnessed const& w : all)
    if (!tolerable(s, w)) left.push_back(w);
  return left;
}

bool explains(std::vector<witnessed> const& all, std::error_code const& code) {
  return std::any_of(all.begin(), all.end(),
                     [&](witnessed const& w) { return !w.harmless && classify(w.error) == code; });
}

std::string text_of(std::vector<witnessed> const& all) {
  std::string text;
  for (witnessed const& w : all)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", to_string(w.call), w.error.message());
  return text.empty() ? "nothing" : text;
}

bool may_read_wrong_items(record const& r) {
  return !r.writes && r.representation == representation_choice::picky;
}

namespace {

// Returns true if the file system ended this rank's wait for the other ranks. Their error then says
// why.
bool is_released(std::error_code const& stop) {
  return stop == std::errc::timed_out || stop == std::error_code(ESTALE, std::system_category());
}
// Returns true if the partitioning has ended, and cached data may be lost.
bool has_ended(std::error_code const& stop) {
  return stop == std::errc::io_error || stop == std::error_code(ESTALE, std::system_category());
}

}  // namespace

// If a partitioning ends with a loss, all later syncs repeat the error.
void session::look_at_stops(std::vector<record>& all) {
  bool goes_on = false;
  for (record& r : all)
    for (witnessed const& w : r.seen)
      if (w.call == file_call::fcntl && !w.harmless && !r.not_stopped) {
        r.not_stopped = w.error;
        goes_on = goes_on || !has_ended(w.error);
      }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].not_stopped && !goes_on && ranks_[i].sync_lost == errc{})
      ranks_[i].sync_lost = classify(all[i].not_stopped);
}

// Checks that some rank has reported an error if file calls of agents have seen one.
void session::look_at_pool(std::size_t k) {
  if (any_died || std::any_of(ranks_.begin(), ranks_.end(),
                              [](rank_state const& r) { return !r.pending.empty(); }))
    return;
  rank_state& all = pool_of(0);
  if (!all.pool_told && !serious(steps_[k], all.pool).empty())
    wrong(k, -1, "nobody is told anything, although file calls saw " + text_of(all.pool));
  all.pool.clear();
  all.pool_told = false;
}

// Checks the results of requests that have ended. Those of a collective call must agree.
void session::look_at_requests(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<witnessed>& pool = pool_of(static_cast<int>(i)).pool;
    pool.insert(pool.end(), all[i].seen.begin(), all[i].seen.end());
  }
  struct outcomes {
    int well = 0, failed = 0, own = 0;
    bool deserved = false;
  };
  std::map<std::size_t, outcomes> together;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rank_state& mine = ranks_[i];
    rank_state& r = pool_of(static_cast<int>(i));
    bool told = r.pool_told;
    for (auto const& e : mine.ended) {
      told = told || e->now == record::state::dropped;
      if (e->now != record::state::done) continue;
      bool const collective = is_collective(e->what),
                 elsewhere = e->code == errc::error_on_another_rank;
      bool const of_program = (e->must_fail || may_read_wrong_items(*e)) && is_of_program(e->code);
      // Wrong arguments are reported without the other ranks, except in a collective call, where a
      // death may be reported instead.
      bool const of_death = any_died && e->code == errc::rank_failed;
      bool const right = e->expected != errc{}
                             ? e->code == e->expected || (collective && of_death)
                             : !e->code || of_program || (collective && elsewhere) ||
                                   explains(r.pool, e->code) || of_death;
      if (!right)
        wrong(k, static_cast<int>(i),
              fmt::format("a request is told '{}' ({}); its file calls saw {}", e->code.message(),
                          e->words, text_of(r.pool)));
      told = told || e->code;
      if (!e->code && e->writes && e->told.bytes != e->bytes)
        wrong(k, static_cast<int>(i),
              fmt::format("a request succeeds with {} of {} bytes", e->told.bytes, e->bytes));
      if (!collective) continue;
      outcomes& o = together[e->step];
      ++(e->code ? o.failed : o.well);
      o.own += e->code && !elsewhere ? 1 : 0;
      o.deserved = o.deserved || e->expected != errc{};
    }
    r.pool_told = told;
    if (serves) continue;
    if (!told && !any_died && !serious(s, r.pool).empty())
      wrong(k, static_cast<int>(i),
            "all requests succeeded, although file calls saw " + text_of(r.pool));
    r.pool.clear();
    r.pool_told = false;
  }
  for (auto const& [step, o] : together) {
    if (any_died) continue;
    std::string const call = fmt::format("the request of step {} ", step);
    if (o.failed > 0 && o.well > 0) wrong(k, -1, call + "failed on some ranks and not on others");
    if (o.failed > 0 && o.own == 0) wrong(k, -1, call + "failed, and no rank says why");
    if (o.deserved && o.well > 0) wrong(k, -1, call + "succeeds, although the arguments are wrong");
  }
}

// Notes the errors that close may report later. These are errors of dropped requests, and errors of
// any file call, because cached data may fail in another rank's call.
void session::remember(std::vector<record> const& all) {
  auto const meet = [&](std::vector<witnessed> const& seen) {
    for (witnessed const& w : seen) met_.push_back(w.error);
  };
  for (record const& r : all) meet(r.seen);
  for (rank_state& me : ranks_) {
    meet(me.pool);
    for (auto const& e : me.ended) {
      if (e->now != record::state::dropped) continue;
      me.dropped = true;
      meet(e->seen);
      if (e->expected != errc{}) me.deserved.push_back(make_error_code(e->expected));
      if (e->must_fail || may_read_wrong_items(*e))
        me.deserved.insert(me.deserved.end(),
                           {make_error_code(errc::conversion), make_error_code(errc::user_code)});
    }
  }
}

// Returns true if close may report this error of a background call: of a split call that was not
// ended before, or of a dropped request.
bool session::is_untold(rank_state const& me, std::error_code const& code) const {
  auto const is_split_error = [&](std::unique_ptr<record> const& e) {
    return is_split(e->what) && e->code == code;
  };
  if (std::any_of(me.ended.begin(), me.ended.end(), is_split_error)) return true;
  auto const has = [&](std::vector<std::error_code> const& all) {
    return std::any_of(all.begin(), all.end(),
                       [&](std::error_code const& e) { return code == classify(e); });
  };
  return me.dropped && (has(me.deserved) || has(met_));
}

// Checks that every rank gets the error that it must get.
void session::look_at_codes(std::size_t k, std::vector<record>& all) {
  step const& s = steps_[k];
  bool const together = is_collective(s.what);
  bool const failed = some_done(all, false), succeeded = some_done(all, true);
  bool const deserved =
      std::any_of(all.begin(), all.end(), [](record const& r) { return r.expected != errc{}; });
  bool own = false, lost = false;
  bool const refuses_stop = std::any_of(all.begin(), all.end(), [](record const& r) {
    return r.not_stopped && !is_released(r.not_stopped);
  });
  remember(all);
  // Pools the errors of all ranks first, because an agent may have seen an error that another rank
  // reports.
  for (std::size_t i = 0; i < all.size(); ++i) {
    record& r = all[i];
    r.beside = r.beside || serves;
    if (!r.beside) continue;
    rank_state& me = pool_of(static_cast<int>(i));
    me.pool.insert(me.pool.end(), r.seen.begin(), r.seen.end());
    me.pool_told = me.pool_told || r.code;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    record& r = all[i];
    auto const rank = static_cast<int>(i);
    rank_state& me = pool_of(rank);
    std::vector<witnessed> const errors = serious(s, r.seen);
    bool const closes = s.what == op::close;
    if (closes && !r.code)
      for (auto const& e : ranks_[i].ended)
        if (is_split(e->what) && e->now == record::state::done && e->code &&
            e->code != errc::error_on_another_rank)
          wrong(k, rank, "success, although a split call that nobody ended failed: " + e->words);
    // The rank died, and may have been the only one that knew the error.
    if (r.now != record::state::done) {
      own = own || !errors.empty() || r.expected != errc{};
      continue;
    }
    auto const words = [&] {
      return fmt::format("told '{}' ({}); its file calls saw {}", r.code.message(), r.words,
                         text_of(r.seen));
    };
    policy_choice const& how = policy_of(s, rank);
    bool const spares_holes =
        how.kind == policy_kind::data_shipping && to_policy(how).target<data_shipping>()->sparse;
    if (spares_holes && is_local(s.what) && r.told.policy == data_shipping::name &&
        r.told.merged_bytes > 0)
      wrong(k, rank,
            fmt::format("holes of {} bytes are moved, although the policy is sparse",
                        r.told.merged_bytes));
    if (!r.code) {
      if (!errors.empty() && !r.beside) wrong(k, rank, "success, although " + words());
      if (together ? deserved : r.expected != errc{})
        wrong(k, rank, "success, although the arguments are wrong");
      if (r.must_fail) wrong(k, rank, "success, although code of the program failed");
      if (r.writes && r.told.bytes != r.bytes)
        wrong(k, rank,
              fmt::format("success, but {} of {} bytes are reported", r.told.bytes, r.bytes));
      continue;
    }
    if (r.code == errc::rank_failed) {
      if (!any_died) wrong(k, rank, "a death, and nobody died");
      lost = true;
    } else if (r.code == errc::error_on_another_rank) {
      if (!together) wrong(k, rank, "a local call " + words());
      bool const of_others = refuses_stop && is_released(r.not_stopped) &&
                             std::all_of(errors.begin(), errors.end(), [](witnessed const& w) {
                               return w.call == file_call::fcntl;
                             });
      // If an open fails on another rank, this rank removes the file that it has made. If that
      // fails, the file stays.
      bool const undoes = s.what == op::open && errors.size() == 1 && r.seen.size() == 2 &&
                          r.seen.front().call == file_call::open &&
                          (errors[0].call == file_call::size || errors[0].call == file_call::lock);
      bool const itself = !errors.empty() && !r.beside && !of_others && !undoes;
      if (itself || r.expected != errc{}) wrong(k, rank, "it failed itself, but is " + words());
    } else {
      // The check of the bytes will show whether an item that was read is wrong.
      bool const of_program = (r.must_fail || may_read_wrong_items(r)) && is_of_program(r.code);
      // A seek from the pointer or the end must first read that place, which may fail before the
      // argument is checked.
      bool const asks_first = s.what == op::seek
                                  ? s.whence == seek_from::end
                                  : s.what == op::seek_shared && s.whence != seek_from::start;
      bool const met = explains(r.seen, r.code) || (r.beside && explains(me.pool, r.code));
      bool const right = (r.expected != errc{} ? r.code == r.expected || (asks_first && met)
                                               : of_program || met) ||
                         (closes && is_untold(ranks_[i], r.code));
      if (r.bad == trouble::item_throws && r.code == errc::user_code && !r.threw && !serves)
        wrong(k, rank, "what was thrown does not reach the caller");
      if (!right) wrong(k, rank, "not its error: " + words());
      own = true;
    }
  }
  if (!together) return;
  if (failed && succeeded && !(lost && s.what == op::open))
    wrong(k, -1, "some ranks failed and others did not");
  if (failed && !own && !lost) wrong(k, -1, "no rank says what failed");
}

}  // namespace argosy::explore

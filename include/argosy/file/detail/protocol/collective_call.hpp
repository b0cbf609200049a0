// One rank's part of a collective read or write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/file/detail/call/call.hpp>
#include <argosy/file/detail/call/job.hpp>
#include <argosy/file/detail/state/file_position.hpp>
#include <argosy/file/detail/state/hint_facts.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/policy/automatic.hpp>

namespace argosy::detail {

// A call may stay plain: one contiguous piece of memory and of the file. Then the digest of its
// arguments is known without making them, and each rank accesses the file separately. If some rank
// needs more of a plain call, fill() prepares the rest. Other calls have all their arguments, and a
// job, from the beginning.
class collective_call {
 public:
  // Prepares arguments and job, and moves the individual pointer. `moves` is false for plans.
  collective_call(call const& c, open_file const& file, bool develops, bool moves)
      : collective_call(c, file) {
    develop = develops;
    prepare(c, file, moves);
  }
  // Begins a plain call, and moves the individual pointer. `c` must outlive this object.
  collective_call(call const& c, plain_call const& p, open_file& file) : collective_call(c, file) {
    if (c.pointer() == pointer_kind::individual) moved = file.position().advance(p.etypes);
    std::int64_t const at = c.pointer() == pointer_kind::individual ? moved.from : c.offset;
    auto const mine = ordered ? file.placeless_summary_of(p) : file.summary_of(p, at);
    if (mine) all = *mine;
    plain_.emplace(p, &c, at, mine.has_value());
  }

  operation what;
  source_location where;
  bool lenient;
  bool ordered;  // at the shared pointer
  bool develop = false;
  access_summary all = {};  // summary of this rank; of all ranks after all have begun
  // for ordered calls: etypes that the ranks before this one ask for; -1: not known yet
  std::int64_t before = 0;
  pointer_move moved = {};  // move of the individual pointer

  std::string_view name() const noexcept { return row_of(what).name; }
  access_kind kind() const noexcept { return row_of(what).kind; }

  // Returns the plain call; null if the call is not plain.
  plain_call const* plain() const noexcept { return plain_ ? &plain_->what : nullptr; }
  // Returns the place of a plain call, in etypes. Not valid for ordered calls.
  std::int64_t at() const noexcept { return plain_->at; }
  // Returns false if the place of a plain call is beyond what the view can address.
  bool has_place() const noexcept { return plain_->has_place; }
  // Returns the digest of the arguments of a call without errors. `key` is the policy's key.
  std::uint64_t digest(std::uint64_t key) const noexcept {
    return digest_of(digest_of(0, fingerprint(row_of(like()).name)), key);
  }
  // Prepares the arguments and the job that a plain call omits.
  void fill(open_file const& file) {
    access_summary const known = all;
    prepare(*plain_->asked, file, true);
    all = known;
    plain_ = {};
  }

  // Valid only if the call is not plain.
  arguments& given() { return full_->given; }
  arguments const& given() const { return full_->given; }
  job& work() { return full_->work; }
  job const& work() const { return full_->work; }
  bool has_work() const noexcept { return full_.has_value(); }

  // Records for the status of hints that each rank accessed the file separately.
  void planned_alone(bool weighed) { plan_ = {true, false, weighed, false, 0, 0}; }
  void planned(open_file const& file, collective_plan const& p) {
    bool const striped = !p.domains.empty() && p.domains.front().striped();
    bool const weighed = !p.together && p.weighed && work().by.together.target<automatic>();
    bool const shipped = !p.together && file.ships_alone(work());
    auto const domains = static_cast<std::int64_t>(p.domains.size());
    plan_ = {true, p.together, weighed, shipped, domains, striped ? 0 : p.window_bytes};
  }
  std::int64_t window_bytes() const noexcept { return plan_.window_bytes; }
  void tell(hint_facts& last) const {
    last.planned = plan_.known;
    last.together = plan_.together;
    last.weighed = plan_.weighed;
    last.shipped = plan_.shipped;
    last.aggregators = plan_.aggregators;
    last.window_bytes = plan_.window_bytes;
  }

 private:
  collective_call(call const& c, open_file const& file)
      : what(c.what),
        where(c.where()),
        lenient(file.hints().values().lenient),
        ordered(c.pointer() == pointer_kind::shared) {}

  operation like() const noexcept { return lenient ? at_any_pointer(what) : what; }

  void prepare(call const& c, open_file const& file, bool moves) {
    full_.emplace(arguments(name(), row_of(like()).name, where));
    given().fail(file.prepare(c, work(), moves ? &moved : nullptr));
    summarise(file);
  }
  // Local. Called after everything else is known.
  void summarise(open_file const& file) {
    job& t = work();
    t.told.timed = true;
    std::uint64_t key = 0;
    bool const together = t.by.together.has_value();
    given().fail(failure_of(errc::argument, [&] { key = together ? t.by.together.key() : 0; }));
    given().same("policy", key, together ? t.by.together.name() : t.by.policy.name());
    if (given().fault()) return;
    if (!ordered) {
      all = file.summary_of(t);
      return;
    }
    all.spans = t.etypes;  // becomes their sum; the places are not known yet
    all.pending = file.others().has_requests() ? 1 : 0;
    all.wrote_alone = file.merges().written_alone().are_unfound() ? 1 : 0;
    if (t.bytes == 0) return;
    all.bytes = t.bytes;
    all.alone_ns = std::numeric_limits<std::int64_t>::max();  // the cost is not known yet either
    all.ranks = 1;
  }

  struct prepared {
    explicit prepared(arguments a) : given(std::move(a)) {}
    arguments given;
    job work = {};
  };
  struct plain_part {
    plain_part(plain_call const& p, call const* c, std::int64_t place, bool there)
        : what(p), asked(c), at(place), has_place(there) {}
    plain_call what;
    call const* asked;
    std::int64_t at;
    bool has_place;
  };
  std::optional<plain_part> plain_;
  std::optional<prepared> full_;
  struct {
    bool known = false, together = false, weighed = false, shipped = false;
    std::int64_t aggregators = 0, window_bytes = 0;
  } plan_ = {};  // for the status of the hints
};

}  // namespace argosy::detail

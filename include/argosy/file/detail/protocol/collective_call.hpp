// A rank's part of one collective read or write.
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

// A call of one stretch in memory and in the file stays plain until some rank needs more of it: the
// digest of its arguments is known, and each rank goes by itself. All others have all their
// arguments, and a job, from the beginning.
class collective_call {
 public:
  // Prepares all of it, and moves the individual pointer; `moves` is false for plans.
  collective_call(call const& c, open_file const& file, bool develops, bool moves)
      : collective_call(c, file) {
    develop = develops;
    prepare(c, file, moves);
  }
  // Moves the individual pointer. `c` lives as long as this.
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
  access_summary all = {};  // of this rank; of all ranks when all have begun
  std::int64_t before = 0;  // ordered: etypes that ranks before this one ask for; -1: not known yet
  pointer_move moved = {};  // of the individual pointer

  std::string_view name() const noexcept { return row_of(what).name; }
  access_kind kind() const noexcept { return row_of(what).kind; }

  // Null: there is more to it.
  plain_call const* plain() const noexcept { return plain_ ? &plain_->what : nullptr; }
  // Returns where a plain call goes, in etypes, unless it is ordered.
  std::int64_t at() const noexcept { return plain_->at; }
  // Returns false if the place of a plain call is beyond what the view can address.
  bool has_place() const noexcept { return plain_->has_place; }
  // Returns the digest that the arguments have if nothing is wrong; `key` is that of the policy.
  std::uint64_t digest(std::uint64_t key) const noexcept {
    return digest_of(digest_of(0, fingerprint(row_of(like()).name)), key);
  }
  // Prepares what a plain call has left out.
  void fill(open_file const& file) {
    access_summary const known = all;
    prepare(*plain_->asked, file, true);
    all = known;
    plain_ = {};
  }

  // These are there if the call is not plain.
  arguments& given() { return full_->given; }
  arguments const& given() const { return full_->given; }
  job& work() { return full_->work; }
  job const& work() const { return full_->work; }
  bool has_work() const noexcept { return full_.has_value(); }

  // Notes what is said of the hints: that each rank went by itself.
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
  // Local, after all else is known.
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
    all.spans = t.etypes;  // their sum; where they go is not known yet
    all.pending = file.others().has_requests() ? 1 : 0;
    all.wrote_alone = file.merges().written_alone().are_unfound() ? 1 : 0;
    if (t.bytes == 0) return;
    all.bytes = t.bytes;
    all.alone_ns = std::numeric_limits<std::int64_t>::max();  // nor what it costs
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
  } plan_ = {};  // for what is said of the hints
};

}  // namespace argosy::detail

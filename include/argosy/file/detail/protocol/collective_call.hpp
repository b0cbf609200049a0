// One rank's part of a collective read or write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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
    if (!given().fault()) summarise(file);
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
    prepare(*plain_->asked, file, true);
    plain_ = {};
  }

  // Valid only if the call is not plain.
  arguments& given() { return full_->given; }
  arguments const& given() const { return full_->given; }
  job& work() { return full_->work; }
  job const& work() const { return full_->work; }
  bool has_work() const noexcept { return full_.has_value(); }

  // Records for the status of hints that each rank accessed the file separately.
  void planned_alone(bool weighed) { plan_ = {false, weighed, false, 0, 0}; }
  void planned(open_file const& file, collective_plan const& p) {
    bool const striped = !p.domains.empty() && p.domains.front().striped();
    auto const domains = static_cast<std::int64_t>(p.domains.size());
    plan_ = {p.together, p.weighed, file.ships_alone(work()), domains,
             striped ? 0 : p.window_bytes};
  }
  // Returns no value if the call failed before it had a plan.
  std::optional<plan_facts> const& plan() const noexcept { return plan_; }

 private:
  collective_call(call const& c, open_file const& file)
      : what(c.what),
        where(c.where()),
        lenient(file.hints().values().lenient),
        ordered(c.pointer() == pointer_kind::shared) {}

  operation like() const noexcept { return lenient ? at_any_pointer(what) : what; }

  void prepare(call const& c, open_file const& file, bool moves) {
    full_.emplace(arguments(name(), row_of(like()).name, where));
    job& t = work();
    given().fail(file.prepare(c, t, moves ? &moved : nullptr));
    t.told.timed = true;
    std::uint64_t key = 0;
    bool const together = t.by.together.has_value();
    given().fail(failure_of(errc::argument, [&] { key = together ? t.by.together.key() : 0; }));
    given().same("policy", key, together ? t.by.together.name() : t.by.policy.name());
  }
  void summarise(open_file const& file) {
    job const& t = work();
    if (!ordered) {
      all = file.summary_of(t);
      return;
    }
    all.spans = t.etypes;  // becomes their sum
    // The place of the data is not known yet, so its cost is not known either. Unsorted data is
    // never taken for a small call.
    all.unsorted = t.bytes > 0 ? 1 : 0;
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
  std::optional<plan_facts> plan_;
};

}  // namespace argosy::detail

// The steps of a collective call of one rank: what they do with the file, and what they tell.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "file/one_call.hpp"
#include "support/allocations.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"

namespace io = argosy;
using namespace io::test;
using io::extend::any_policy;

TEST_CASE("a plain call that is small or has no plan goes alone", "[file]") {
  auto data = some_bytes();
  auto const goes_alone = [&](io::hints const& h) {
    one_rank r(h);
    one_call c(r, operation::write_at_all, 0, data);
    collective_call const& call = c.plain();
    CHECK(c.run());
    CHECK(std::ssize(r.bytes->bytes) == 64);
    if (!call.has_work()) CHECK(call.plan()->weighed == r.file->choice().writing.has_value());
    return !call.has_work();
  };
  CHECK(goes_alone({}));
  CHECK(goes_alone({.cb_write = io::tristate::disable}));
  CHECK_FALSE(goes_alone({.policy = "two_phase"}));
}

TEST_CASE("a plain call that does not go alone is timed", "[file]") {
  one_rank r(io::hints{.policy = "two_phase"});
  auto data = some_bytes();
  one_call c(r, operation::write_at_all, 0, data);
  c.plain();
  CHECK(c.run());
  CHECK(c.done.time_ns == one_rank::ns_of_access);
  one_rank other;
  one_call small(other, operation::write_at_all, 0, data);
  small.plain();
  CHECK(small.run());
  CHECK(small.done.time_ns == 0);
  CHECK_FALSE(small.done.reason.empty());
}

TEST_CASE("the time until all ranks came is that of the first reduction", "[file]") {
  one_rank r;
  auto data = some_bytes();
  r.life->in_reduction = [&] { r.clock += 100; };
  one_call c(r, operation::write_at_all, 0, data, io::two_phase());
  collective_call const& call = c.in_full();
  CHECK(c.run());
  CHECK(call.work().told.begin_ns == 100);
  CHECK(c.done.agreement_ns > 100);
}

TEST_CASE("a trace is written out before a rank waits for others, if there are any", "[file]") {
  for (int const ranks : {1, 2}) {
    scratch const dir;
    one_rank r({}, ranks);
    auto const trace = std::make_shared<io::extend::tracer>(io::extend::trace_options{
        .mode = io::extend::trace_mode::calls, .directory = dir.string()});
    r.file->seen_by().trace_by(trace);
    auto data = some_bytes();
    one_call c(r, operation::write_at_all, 0, data);
    c.in_full();
    trace->record(io::detail::traced_call{.file = "gathered"});
    std::int64_t written = -1;
    r.life->in_reduction = [&] {
      if (written < 0) written = trace->lines();
    };
    CHECK(c.run());
    CHECK((written > 0) == (ranks > 1));
  }
}

TEST_CASE("without memory a rank fails before others wait for it", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call c(r, operation::write_at_all, 0, data);
  c.in_full();
  io::detail::staging_pool::lease const other(r.file->buffers());  // the call needs a new one
  {
    io::scarce_memory const none(0);
    CHECK_THROWS_AS(c.run(), std::bad_alloc);
  }
  CHECK(r.life->reductions == 0);
}

TEST_CASE("without staging memory for all, each rank goes by itself, and says so", "[file]") {
  if (sanitized) return;  // a sanitizer ends the process that asks for so much memory
  one_rank r;
  auto data = some_bytes();
  counting_policy by;
  by.window_bytes = std::int64_t{1} << 50;
  one_call c(r, operation::write_at_all, 0, data, by);
  c.in_full();
  CHECK(c.run());
  CHECK(c.done.reason == "no staging memory; each rank by itself");
  CHECK(r.bytes->bytes == data);
}

TEST_CASE("between nodes, writes of a node's requests take locks while ranks exchange", "[file]") {
  using io::detail::write_gate;
  one_rank r;
  auto const meet = [&] {
    r.file->meet({io::self().share(write_gate::bytes_for(1)), 0, 1, nullptr}, false);
  };
  meet();
  auto data = some_bytes();
  bool closed = false;
  r.before_call = [&](io::extend::handle_call const& call) {
    if (call.kind == io::file_call::read || call.kind == io::file_call::write)
      closed = !write_gate::writing(*r.file->merges().gate_of_node());
    return std::error_code();
  };
  auto const is_closed = [&](operation what, any_policy const& by) {
    one_call c(r, what, 0, data, by);
    c.in_full();
    CHECK(c.run());
    CHECK(write_gate::writing(*r.file->merges().gate_of_node()));
    return closed;
  };
  CHECK(is_closed(operation::write_at_all, io::two_phase()));
  CHECK_FALSE(is_closed(operation::write_at_all, io::independent()));
  CHECK_FALSE(is_closed(operation::read_at_all, io::two_phase()));
}

TEST_CASE("aggregators lock what they merge if a request or a thread may write", "[file]") {
  for (operation const what : {operation::write_at_all, operation::write_ordered})
    for (bool const pending : {false, true}) {
      CAPTURE(what, pending);
      one_rank r({}, 1, io::mode::unique_open);
      look_through(r, with_gaps());
      r.bytes->bytes.resize(4096);
      auto data = some_bytes();
      if (pending) r.file->others().add_request();
      one_call c(r, what, 0, data, io::two_phase());
      c.in_full();
      CHECK(c.run());
      CHECK(c.done.merged_bytes > 0);
      CHECK((c.done.locks > 0) == pending);
      if (pending) r.file->others().end_request();
    }
}

namespace {

// A file on a storage whose nodes cache what they write, after a write of this rank alone.
struct cached : one_rank {
  cached() {
    io::extend::storage s = io::extend::storage::network();
    s.exact_writes = true;
    file->meet({}, false);
    file->lies_on(s);
    io::detail::lone_writes::one const written(file->merges().counted());
  }
  bool is_unfound() { return file->merges().written_alone().are_unfound(); }
  // Returns the number of syncs before the first write.
  std::int64_t syncs_before_write() const {
    auto const write = std::ranges::find(asked, io::file_call::write);
    return std::count(asked.begin(), write, io::file_call::sync);
  }
};

}  // namespace

TEST_CASE("ranks that exchange first make visible what single ranks wrote", "[file]") {
  for (operation const what : {operation::write_at_all, operation::write_ordered}) {
    cached r;
    REQUIRE(r.is_unfound());
    auto data = some_bytes();
    one_call c(r, what, 0, data, io::two_phase());
    c.in_full();
    CHECK(c.run());
    CHECK(r.syncs_before_write() == 2);
    CHECK_FALSE(r.is_unfound());
    r.asked.clear();
    one_call again(r, what, 0, data, io::two_phase());
    again.in_full();
    CHECK(again.run());
    CHECK(r.syncs_before_write() == 0);
  }
}

TEST_CASE("a rank that cannot make its writes visible fails the call", "[file]") {
  for (int const failing : {1, 2}) {
    CAPTURE(failing);
    cached r;
    auto data = some_bytes();
    int syncs = 0;
    r.before_call = [&](io::extend::handle_call const& call) {
      bool const fails = call.kind == io::file_call::sync && ++syncs == failing;
      return fails ? std::make_error_code(std::errc::io_error) : std::error_code();
    };
    one_call c(r, operation::write_at_all, 0, data, io::two_phase());
    c.in_full();
    CHECK(c.run().cause == std::errc::io_error);
    if (failing == 1) CHECK(r.bytes->bytes.empty());
    CHECK(r.is_unfound() == (failing == 1));
  }
}

TEST_CASE("an ordered call whose place is beyond the view moves nothing", "[file]") {
  one_rank r;
  look_through(r, {0, io::type<double>, io::type<double>});
  r.pointer->set(largest / 4, 0);
  auto data = some_bytes();
  for (any_policy const& by : {any_policy(io::two_phase()), any_policy(io::independent())}) {
    one_call c(r, operation::write_ordered, 0, data, by);
    collective_call const& call = c.in_full();
    CHECK_FALSE(c.run());
    CHECK(call.work().bytes == 0);
    CHECK(r.bytes->bytes.empty());
  }
}

TEST_CASE("develop mode compares no writes that have an order", "[file]") {
  auto const reductions = [](operation what, bool develop, bool atomic) {
    one_rank r;
    r.file->be_atomic(atomic);
    auto data = some_bytes();
    one_call first(r, what, 0, data), c(r, what, 0, data);
    first.in_full(develop);
    CHECK(first.run());
    int const before = r.life->reductions;
    c.in_full(develop);
    CHECK(c.run());
    return r.life->reductions - before;
  };
  CHECK(reductions(operation::write_at_all, true, false) ==
        reductions(operation::write_at_all, false, false) + 1);
  for (auto const what : {operation::write_ordered, operation::read_at_all})
    CHECK(reductions(what, true, false) == reductions(what, false, false));
  CHECK(reductions(operation::write_at_all, true, true) ==
        reductions(operation::write_at_all, false, true));
}

TEST_CASE("the report knows who chose the aggregators, and the reason", "[file]") {
  using io::detail::chosen_by;
  one_rank r(io::hints{.policy = "two_phase"});
  auto data = some_bytes();
  auto const chosen = [&](any_policy const& by) {
    one_call c(r, operation::write_at_all, 100, data, by);
    collective_call const& call = c.in_full();
    CHECK(c.run());
    CHECK_FALSE(c.done.reason.empty());
    auto const& told = call.work().told.together_by;
    CHECK((told.aggregators == 1 && told.window_bytes > 0 && told.span == 64));
    return told.by;
  };
  CHECK(chosen({}) == chosen_by::hints);
  CHECK(chosen(io::two_phase()) == chosen_by::call);
  CHECK(chosen(counting_policy()) == chosen_by::program);
}

TEST_CASE("a call of ranks together is a write that a sync must know of, if it succeeded",
          "[file]") {
  one_rank r;
  auto data = some_bytes();
  auto const wrote = [&](operation what) {
    r.file->late().begin_sync();
    one_call c(r, what, 0, data, io::two_phase());
    c.in_full();
    c.run();
    return r.file->late().was_written();
  };
  CHECK(wrote(operation::write_at_all));
  CHECK_FALSE(wrote(operation::read_at_all));
  r.before_call = [](io::extend::handle_call const&) {
    return std::make_error_code(std::errc::io_error);
  };
  CHECK_FALSE(wrote(operation::write_at_all));
}

TEST_CASE("a rank that goes alone gives the reason of its plan, or of its policy", "[file]") {
  one_rank r;
  auto data = some_bytes();
  auto const reason = [&](any_policy const& by) {
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    CHECK(c.run());
    return c.done.reason.str();
  };
  std::string const alone = reason(io::independent());
  CHECK_FALSE(alone.empty());
  CHECK(alone.find("the policy is one of each rank") == std::string::npos);
  CHECK(reason({}) != alone);
  CHECK(reason({}).find("small") == std::string::npos);
}

// A collective call of one rank, step by step: what it knows of itself, its plan, and what it does
// with the file.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/file/detail/protocol/collective_call.hpp>
#include <argosy/file/detail/protocol/collective_steps.hpp>
#include <argosy/handle/tracer.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "file/one_rank.hpp"
#include "support/allocations.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using io::collective_plan;
using io::detail::collective_call;
using io::detail::operation;
using io::extend::any_policy;

namespace {

using steps = io::detail::collective_steps<mortal_world>;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// One call of a file, in full or plain.
class one_call {
 public:
  one_call(one_rank& r, operation what, std::int64_t at, std::vector<std::byte>& data,
           any_policy with = {})
      : rank_(r), with_(std::move(with)), data_(data), asked_{what, at, data_, with_} {}

  collective_call& in_full(bool develop = false) {
    return call_.emplace(asked_, *rank_.file, develop, true);
  }
  collective_call& plain() {
    plain_ = rank_.file->plain(asked_);
    REQUIRE(plain_);
    return call_.emplace(asked_, *plain_, *rank_.file);
  }
  io::extend::agreement run() { return steps(rank_.all(), *call_, done).run(space()); }
  collective_plan explain() {
    io::extend::agreement result;
    collective_plan p = steps(rank_.all(), *call_, done).explain(result);
    CHECK(result);
    return p;
  }
  io::detail::staging_of_call space() { return io::detail::staging_of_call(rank_.file->buffers()); }

  io::report done;

 private:
  one_rank& rank_;
  io::access_options const with_;
  io::source data_;
  io::detail::call const asked_;
  std::optional<io::detail::plain_call> plain_;
  std::optional<collective_call> call_;
};

std::vector<std::byte> some_bytes(std::size_t n = 64) { return std::vector(n, std::byte{7}); }

void look_through(one_rank& r, io::view v) {
  r.file->look_through(io::detail::checked_view(std::move(v), true, false, false));
}
// Every fourth int.
io::view with_gaps() { return {0, io::type<int>, io::resized(io::type<int>, 0, 16)}; }

// A policy of the program. It counts what it is asked for.
struct counting_policy {
  static constexpr std::string_view name = "counting";
  std::shared_ptr<int> plans = std::make_shared<int>(0);
  std::optional<io::two_phase> exchange = io::two_phase();  // nothing: stripes
  int domains_more = 0;                                     // of ranks that do not exist
  std::int64_t window_bytes = 0;                            // if not 0

  collective_plan plan(io::access_kind kind, io::extend::access_summary const& all,
                       io::extend::rank_group const& ranks) const {
    ++*plans;
    collective_plan p =
        exchange ? exchange->plan(kind, all, ranks) : io::data_shipping().plan(kind, all, ranks);
    p.policy = name;
    if (window_bytes > 0) p.window_bytes = window_bytes;
    for (int i = 0; i < domains_more; ++i) p.domains.push_back(p.domains.front());
    return p;
  }
  collective_plan plan(io::access_kind kind, io::extend::access_summary const& all,
                       io::extend::rank_group const& ranks,
                       io::detail::access_histogram const&) const {
    collective_plan p = plan(kind, all, ranks);
    p.reason = "by a histogram";
    return p;
  }
  std::uint64_t key() const { return 1; }
  friend bool operator==(counting_policy const&, counting_policy const&) = default;
};

}  // namespace

TEST_CASE("a collective call knows what it is", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call c(r, operation::write_at_all, 8, data);
  collective_call& plain = c.plain();
  CHECK(plain.plain() != nullptr);
  CHECK((plain.has_place() && !plain.develop && !plain.has_work()));
  CHECK((plain.at() == 8 && plain.all.bytes == 64 && plain.all.low == 8));
  plain.fill(*r.file);
  CHECK((plain.plain() == nullptr && plain.has_work()));
  CHECK((plain.work().bytes == 64 && plain.work().told.timed));

  one_call beyond(r, operation::write_at_all, largest, data);
  CHECK_FALSE(beyond.plain().has_place());
  one_call wrong(r, operation::write_at_all, -1, data);
  CHECK(wrong.in_full().all == io::extend::access_summary());
  CHECK(wrong.in_full(true).develop);
}

TEST_CASE("the summary of an ordered call is its number of etypes", "[file]") {
  one_rank r;
  for (std::size_t const n : {0u, 1u, 8u}) {
    auto data = some_bytes(n);
    auto const& all = one_call(r, operation::write_ordered, 0, data).in_full().all;
    CHECK(all.spans == static_cast<std::int64_t>(n));
    CHECK(all.unsorted == (n > 0 ? 1 : 0));
    CHECK(all.bytes == 0);
  }
}

TEST_CASE("calls at different pointers have one digest only in a lenient file", "[file]") {
  for (bool const lenient : {false, true}) {
    one_rank r(io::hints{.lenient = lenient});
    auto data = some_bytes();
    auto const digest = [&](operation what) {
      return one_call(r, what, 0, data).plain().digest(1);
    };
    CHECK((digest(operation::write_all) == digest(operation::write_at_all)) == lenient);
    CHECK(digest(operation::write_all) != digest(operation::read_all));
  }
}

TEST_CASE("a call stores the facts of its plan for the status of hints", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call made(r, operation::write_at_all, 0, data);
  collective_call& c = made.in_full();
  CHECK_FALSE(c.plan());
  for (bool const weighed : {false, true}) {
    c.planned_alone(weighed);
    CHECK(c.plan()->weighed == weighed);
    CHECK_FALSE((c.plan()->together || c.plan()->shipped));
    CHECK((c.plan()->aggregators == 0 && c.plan()->window_bytes == 0));

    collective_plan p{.policy = "", .reason = "", .together = !weighed, .weighed = weighed};
    p.window_bytes = 512;
    p.domains.resize(3);
    c.planned(*r.file, p);
    CHECK((c.plan()->together == !weighed && c.plan()->weighed == weighed));
    CHECK((c.plan()->aggregators == 3 && c.plan()->window_bytes == 512));
    p.domains.front().stripe_bytes = 64;
    c.planned(*r.file, p);
    CHECK(c.plan()->window_bytes == 0);
  }
}

TEST_CASE("the place of an ordered call, and its limit", "[file]") {
  one_rank r;
  io::extend::failure f;
  auto const place = [&](std::int64_t etypes, std::int64_t before) {
    f = {};
    return io::detail::find_ordered_place(r.world, *r.pointer, etypes, etypes, before, f);
  };
  for (std::int64_t const before : {0, -1}) {
    CAPTURE(before);
    r.pointer->set(10, 0);
    CHECK(place(5, before) == 10);
    CHECK(place(largest - 15, before) == 15);  // up to the limit
    CHECK_FALSE(f);
    r.pointer->set(10, 0);
    for (std::int64_t const too_many : {largest - 9, largest}) {
      CHECK_FALSE(place(too_many, before));
      CHECK(f.code == io::errc::argument);
    }
    r.pointer->set(0, 0);
    CHECK_FALSE(place(largest, before));  // stands for more
    CHECK(f.code == io::errc::argument);
    CHECK(place(1, before) == 0);
  }
  CHECK(place(1, 3) == 4);  // the ranks before this one ask for 3
}

TEST_CASE("in atomic mode each rank goes by itself, whatever the policy", "[file]") {
  one_rank r;
  auto data = some_bytes();
  one_call c(r, operation::write_at_all, 0, data);
  collective_call& call = c.in_full();
  auto const small = [&](any_policy const& by) {
    return io::detail::too_small(r.world, *r.ranks, *r.file, by, call.kind(), call.all).has_value();
  };
  CHECK(small(io::automatic()));
  CHECK_FALSE(small(io::two_phase()));
  r.file->be_atomic(true);
  CHECK_FALSE(small(io::automatic()));
  one_call together(r, operation::write_at_all, 0, data, io::two_phase());
  together.in_full();
  CHECK(together.run());
  CHECK(together.done.reason == "atomic mode: each rank by itself, under a lock");
}

TEST_CASE("a policy of the program is asked once, unless it fails or nobody asks", "[file]") {
  one_rank r;
  auto data = some_bytes();
  SECTION("once") {
    counting_policy const by;
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    CHECK(c.run());
    CHECK((c.done.policy == "counting" && *by.plans == 1));
  }
  SECTION("never, if there is nothing to do") {
    counting_policy const by;
    std::vector<std::byte> none;
    one_call c(r, operation::write_at_all, 0, none, by);
    c.in_full();
    CHECK(c.run());
    CHECK(*by.plans == 0);
  }
  SECTION("not again after a wrong plan") {
    counting_policy by;
    by.domains_more = 1;
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    auto const result = c.run();
    CHECK(result.cause == io::errc::argument);
    CHECK(*by.plans == 1);
    CHECK(r.bytes->bytes.empty());
  }
  SECTION("again if accesses are uneven, with a histogram") {
    // Asked of the function itself, because one rank is never uneven.
    counting_policy const by;
    one_call c(r, operation::write_at_all, 0, data, by);
    collective_call& call = c.in_full();
    io::extend::agreement result;
    io::detail::access_histogram const where{};
    auto const plan = ask_for_plan(r.world, *r.file, call, call.all,
                                   r.ranks->group(r.world, *r.file), &where, result);
    CHECK(plan.reason == "by a histogram");
  }
}

TEST_CASE("the reason says whose prices decided, and whether the file is partitioned", "[file]") {
  one_rank r;
  auto data = some_bytes();
  auto const reason = [&](any_policy const& by, std::size_t bytes = 64) {
    data.resize(bytes);
    one_call c(r, operation::write_at_all, 0, data, by);
    c.in_full();
    return c.explain().reason.str();
  };
  auto const says = [](std::string const& text, char const* words) {
    return text.find(words) != std::string::npos;
  };
  io::automatic given;
  given.storage = "a tape";
  CHECK(says(reason(given), "of the policy that the program gave"));
  CHECK_FALSE(says(reason({}), "of the policy that the program gave"));

  constexpr char const* words = "; not partitioned: no tokens";
  r.file->agents().parts().is_now({.bytes = 4096, .agents = 1}, "no tokens");
  io::automatic ships;
  ships.exchange = {.round_ns = 0, .byte_ns = 0, .piece_ns = 0, .block_ns = 1e9};
  look_through(r, with_gaps());
  CHECK(says(reason(ships), words));
  counting_policy of_program;
  of_program.exchange.reset();
  CHECK(says(reason(io::data_shipping()), words));
  CHECK(says(reason(io::data_shipping(), 0), words));
  CHECK_FALSE(says(reason(io::two_phase()), words));
  CHECK_FALSE(says(reason(of_program), words));
}

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
  io::detail::staging_pool::lease const other(r.file->buffers());  // so the call needs a new one
  {
    io::scarce_memory const none(0);
    CHECK_THROWS_AS(c.run(), std::bad_alloc);
  }
  CHECK(r.life->reductions == 0);
}

TEST_CASE("without staging memory for all, each rank goes by itself, and says so", "[file]") {
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

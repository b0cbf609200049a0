// Hints through MPI_Info. One page because all cases set hints by an MPI_Info and read their
// status.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/file/hints_mpi.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/policy/automatic.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/shared_scratch.hpp"

namespace io = argosy;
using Catch::Contains;
using io::hint_status;
using io::test::shared_scratch;

namespace {

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD); }

// A file of hints; an environment variable names it while this object lives.
class named_file {
 public:
  named_file(char const* variable, std::string const& path, std::string const& text)
      : variable_(variable) {
    std::ofstream(path) << text;
    ::setenv(variable, path.c_str(), 1);
  }
  ~named_file() { ::unsetenv(variable_); }

 private:
  char const* variable_;
};

constexpr io::mode making = io::mode::create | io::mode::read_write;

}  // namespace

TEST_CASE("hints come from an MPI_Info and go back into one", "[hints][mpi]") {
  CHECK(io::from_info(MPI_INFO_NULL).empty());
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "3");
  MPI_Info_set(info, "cb_buffer_size", "16777216");
  MPI_Info_set(info, "romio_ds_write", "sometimes");
  MPI_Info_set(info, "not_ours", std::string(200, 'x').c_str());
  io::hints const h = io::from_info(info);
  MPI_Info_free(&info);
  CHECK(h.named.size() == 4);

  io::file_hints f({}, h, {});
  f.tell("filename", "state.dat");
  CHECK(f.values().cb_nodes == 3);
  CHECK(f.find("cb_nodes")->source == io::hint_source::info);
  CHECK(f.find("romio_ds_write")->status == io::hint_status::rejected);
  // If the hints are passed on, their source is still the info.
  io::file_hints const passed({}, {}, h);
  CHECK(passed.find("cb_nodes")->source == io::hint_source::info);
  CHECK(passed.find("romio_ds_write")->source == io::hint_source::info);
  CHECK(passed.find("not_ours")->source == io::hint_source::info);

  MPI_Info out = io::to_info(f);
  io::hints const back = io::from_info(out);
  MPI_Info_free(&out);
  io::file_hints const again({}, back, {});
  auto const value = [&](std::string const& name) {
    for (io::detail::named_hint const& n : back.named)
      if (n.name == name) return n.value;
    return std::string("(none)");
  };
  CHECK(value("cb_nodes") == "3");
  CHECK(value("romio_ds_write") == "automatic");
  CHECK(value("filename") == "state.dat");
  CHECK(value("not_ours") == std::string(200, 'x'));
  CHECK(value("ind_wr_buffer_size") == "524288");
  CHECK(value("file_perm") == "(none)");
  CHECK(again.values().cb_nodes == 3);
  CHECK(again.values().cb_buffer_bytes == f.values().cb_buffer_bytes);
  CHECK(again.values().window_bytes == f.values().window_bytes);
  MPI_Info standard = io::to_info(io::file_hints());
  CHECK(io::file_hints({}, io::from_info(standard), {}).values().window_bytes ==
        io::extend::resolved_hints().window_bytes);
  MPI_Info_free(&standard);
}

TEST_CASE("hints that differ between ranks are named, with the values of both", "[hints][mpi]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  bool const odd = world.rank() == world.size() - 1;
  std::string const last = std::to_string(world.size() - 1);
  std::string const own = here / ("hints." + std::to_string(world.rank()));
  auto const failure = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (io::error const& e) {
      CHECK(e.code() == io::errc::not_same);
      return e.what();
    }
    return "nothing was wrong";
  };
  auto const opens = [&] { io::file::open(world, here / "data", making); };
  std::string const first_half = "argument 'hints' must be equal on all ranks: ";
  for (char const* const variable : {"ARGOSY_HINTS", "ARGOSY_HINTS_OVERRIDE"})
    for (bool const develop : {false, true}) {
      CAPTURE(variable, develop);
      std::string const mark = std::string_view(variable) == "ARGOSY_HINTS" ? "" : " overrides";
      if (develop) ::setenv("ARGOSY_DEVELOP", "1", 1);
      named_file const hints(
          variable, own,
          odd ? "cb_nodes 8\nargosy_policy sieving\n" : "cb_nodes 4\nargosy_policy sieving\n");
      CHECK_THAT(failure(opens), Contains(first_half + "cb_nodes is 8" + mark + " on rank " + last +
                                          " (" + variable + ", ") &&
                                     Contains("hints." + last + ":1), 4" + mark + " on "));
      ::unsetenv("ARGOSY_DEVELOP");
    }
  {
    // The values are equal, but on one rank they override.
    named_file const hints(odd ? "ARGOSY_HINTS_OVERRIDE" : "ARGOSY_HINTS", own, "cb_nodes 4\n");
    CHECK_THAT(failure(opens), Contains("cb_nodes is 4 overrides on rank " + last + " (") &&
                                   Contains(":1), 4 on "));
  }
  {
    named_file const hints("ARGOSY_HINTS", own,
                           odd ? "cb_buffer_size 4194304" : "romio_ds_write disable");
    CHECK_THAT(failure(opens),
               Contains("cb_buffer_size is 4194304 was given on rank " + last + " (") &&
                   Contains(":1), 4194304 on "));
  }
  io::file f = io::file::open(world, here / "data", making);
  CHECK_THAT(failure([&] { f.set_view(0, io::type<int>, io::hints{.cb_nodes = odd ? 1 : 2}); }),
             Contains("cb_nodes is 1 on rank " + last + ", 2 on "));
  f.close();
}

TEST_CASE("of hints that MPI lets ranks give differently the value of rank 0 counts",
          "[hints][mpi]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  int const rank = world.rank(), odd = world.size() - 1;
  auto const state = [](io::file const& f, char const* name) { return *f.get_hints().find(name); };
  bool const develop = GENERATE(false, true);
  io::hints given{.policy = rank == odd ? "independent" : "two_phase", .develop = develop};
  if (rank == odd)
    given.set("argosy_price_call_ns", "77")
        .set("romio_cb_write", "disable")
        .set("ind_rd_buffer_size", "4096");
  if (rank == 0) given.set("argosy_window_size", "65536").set("IBM_largeblock_io", "switchable");
  // One rank uses another name of the path, so open needs three agreements.
  std::string const path = rank == odd ? (here / "./data") : (here / "data");
  io::file f = io::file::open(world, path, making, given);
  CHECK(state(f, "argosy_policy").value == "two_phase");
  CHECK(state(f, "argosy_window_size").value == "65536");
  CHECK(state(f, "IBM_largeblock_io").value == "switchable");
  CHECK(state(f, "argosy_price_call_ns").value.empty());
  CHECK(state(f, "romio_cb_write").value == "automatic");
  // Each rank has its own value.
  CHECK(state(f, "ind_rd_buffer_size").value == (rank == odd ? "4096" : "4194304"));
  if (rank == odd) {
    CHECK(state(f, "argosy_policy").status == hint_status::overridden);
    CHECK(state(f, "argosy_policy").why ==
          "\"independent\": rank 0 gave another value, which counts on all ranks");
    CHECK(state(f, "argosy_price_call_ns").why ==
          "\"77\": rank 0 gave none, which counts on all ranks");
    CHECK(state(f, "argosy_window_size").why == "rank 0 gave it, which counts on all ranks");
    CHECK(state(f, "romio_cb_write").status == hint_status::overridden);
  } else {
    CHECK(state(f, "argosy_policy").why.empty());
  }

  // Checks set_view, where `lenient` of rank 0 counts, too, and set_hints; and that data moves
  // accordingly.
  std::vector<int> const mine(1000, rank);
  f.set_view(rank * std::int64_t{4000}, io::type<int>,
             io::hints{.policy = rank == 0 ? "sieving" : "independent", .lenient = rank == 0});
  CHECK(state(f, "argosy_policy").value == "sieving");
  CHECK(state(f, "argosy_lenient").value == "true");
  f.write_all(mine);
  f.set_hints({.policy = rank == 0 ? "two_phase" : "sieving"});
  CHECK(state(f, "argosy_policy").value == "two_phase");
  f.seek(0);
  std::vector<int> back(1000);
  CHECK(f.read_all(back).policy == "two_phase");
  CHECK(back == mine);
  // Rank 0 made it switchable, so it is switchable for all ranks.
  f.set_hints({.largeblock_io = rank == odd ? io::largeblock::on : io::largeblock::off});
  CHECK(state(f, "IBM_largeblock_io").value == (odd == 0 ? "true" : "false"));
  // Equal values again: nothing is reported.
  f.set_hints({.policy = "automatic"});
  CHECK(state(f, "argosy_policy").status == hint_status::accepted);
  CHECK(state(f, "argosy_policy").why.empty());
  // Hints of MPI that must be equal are still refused, and then nothing changes.
  std::error_code error;
  f.set_hints({.cb_nodes = 1 + rank, .policy = rank == 0 ? "sieving" : "two_phase"}, error);
  CHECK(error == io::errc::not_same);
  CHECK_THAT(f.what_failed(), Contains("cb_nodes is ") && !Contains("policy"));
  CHECK(state(f, "argosy_policy").value == "automatic");
  f.close();
}

TEST_CASE("overriding hints act on calls that are given a policy, and the status says so",
          "[hints][mpi][override]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::vector<char> const mine(1 << 20, static_cast<char>('a' + world.rank()));
  std::int64_t const at = world.rank() * std::int64_t{1 << 20};
  auto const open = [&](io::hints const& h = {}) {
    return io::file::open(world, here / "data", making, h);
  };
  io::two_phase const given{.window_bytes = 64 << 10};
  {
    io::file f = open({.cb_nodes = 1});
    CHECK(f.get_hints().find("cb_nodes")->status == hint_status::accepted);
    io::collective_plan const plan = f.explain_at_all(io::access_kind::write, at, mine, given);
    CHECK(plan.domains.size() == static_cast<std::size_t>(world.size()));
    CHECK(f.get_hints().find("cb_nodes")->status == hint_status::overridden);
    f.write_at_all(at, mine, given);
    CHECK(f.get_hints().find("cb_nodes")->why == "write_at_all was given two_phase");
    f.write_at_all(at, mine);
    CHECK(f.get_hints().find("cb_nodes")->status != hint_status::rejected);
    f.close();
  }
  std::string const file = here / ("hints." + std::to_string(world.rank()));
  {
    named_file const hints("ARGOSY_HINTS_OVERRIDE", file, "cb_nodes 1\nargosy_window_size 256k\n");
    io::file f = open({.cb_nodes = 2});
    io::collective_plan const plan = f.explain_at_all(io::access_kind::write, at, mine, given);
    CHECK(plan.domains.size() == 1);
    CHECK(plan.window_bytes == 256 << 10);
    CHECK(f.write_at_all(at, mine, given).rounds == plan.rounds());
    CHECK(f.get_hints().find("cb_nodes")->status == hint_status::accepted);
    CHECK_THAT(f.get_hints().find("cb_nodes")->why,
               Contains("applied to two_phase, which write_at_all was given"));
    CHECK(f.get_hints().find("cb_nodes")->source == io::hint_source::overriding);
    f.close();
  }
  {
    named_file const hints("ARGOSY_HINTS_OVERRIDE", file, "argosy_policy two_phase\n");
    io::file f = open();
    CHECK(f.write_at_all(at, mine, io::sieving{}).policy == "two_phase");
    CHECK_THAT(f.get_hints().find("argosy_policy")->why,
               Contains("instead of sieving, which write_at_all was given"));
    f.close();
  }
  {
    named_file const hints("ARGOSY_HINTS_OVERRIDE", file, "argosy_policy independent\n");
    io::file f = open();
    CHECK(f.write_at_all(at, mine, given).policy == "independent");
    CHECK(f.write_at(at, mine, io::sieving{}).policy == "independent");
    std::vector<char> back(mine.size());
    CHECK(f.read_at(at, back, io::sieving{}).policy == "independent");
    CHECK(back == mine);
    f.close();
  }
}

TEST_CASE("prices act on an automatic that a call is given as their status says",
          "[hints][mpi][override]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::vector<char> const mine(1000, static_cast<char>('a' + world.rank()));
  auto const reason = [&](io::hints const& h, std::string const& name, std::string const& why) {
    io::file f = io::file::open(world, here / "data", making, h);
    std::string const text =
        f.explain_at_all(io::access_kind::write, world.rank() * 1000, mine, io::automatic{}).reason;
    f.write_at_all(world.rank() * 1000, mine, io::automatic{});
    CHECK_THAT(f.get_hints().find(name)->why, Contains(why));
    f.close();
    return text;
  };
  std::string const dear = "1000000000000", as_it_is = reason({}, "cb_nodes", "");
  CHECK_THAT(as_it_is, Contains("by the prices of local files"));
  CHECK(reason({.named = {{"argosy_price_message_ns", dear}}}, "argosy_price_message_ns",
               "write_at_all was given automatic") == as_it_is);
  // The price of separate writes is taken from the rank's hints.
  CHECK_THAT(reason({.named = {{"argosy_price_write_call_ns", dear}}}, "argosy_price_write_call_ns",
                    "of ranks by themselves"),
             Contains("together takes") && Contains("000000 us, by"));
  named_file const hints("ARGOSY_HINTS_OVERRIDE", here / ("hints." + std::to_string(world.rank())),
                         "argosy_price_message_ns " + dear + "\n");
  CHECK_THAT(
      reason({}, "argosy_price_message_ns", "applied to automatic, which write_at_all was given"),
      Contains("each by itself") && Contains("by the prices of hints, else those of local files"));
}

namespace {

using latency = std::chrono::microseconds;

io::opener throttled(latency per_call, double bytes_per_second = 0) {
  auto const device = std::make_shared<io::throttle>(
      io::throttle_rates{.latency = per_call, .bytes_per_second = bytes_per_second});
  return io::with_throttle(io::posix_opener(), device);
}

// A handle of a program that is slow, and reports that.
class distant : public io::extend::forwarding<distant, io::extend::any_handle> {
 public:
  explicit distant(io::extend::any_handle inner) : forwarding(std::move(inner)) {}
  io::extend::storage storage() const { return forwarding::storage().slowed(1e6); }
};

// Returns the plan for interleaved pieces of 1000 bytes, four of each rank.
io::collective_plan plan_of_pieces(io::mpi const& world, std::string const& path,
                                   io::opener const& files, io::access_kind kind) {
  io::file f = io::file::open(world, path, making | io::mode::delete_on_close, {}, files);
  std::int64_t const n = world.size();
  f.set_view(1000 * world.rank(),
             io::resized(io::vector(4, 1000, n * 1000, io::type<char>), 0, 4000 * n));
  std::vector<char> data(4000);
  io::collective_plan const p = f.explain_at_all(kind, 0, data);
  f.close();
  return p;
}

}  // namespace

TEST_CASE("behind a throttle many small pieces go together, by what its calls take",
          "[hints][mpi][prices]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  for (io::access_kind const kind : {io::access_kind::read, io::access_kind::write}) {
    std::string const path = here / "pieces";
    io::collective_plan const fast = plan_of_pieces(world, path, io::posix_opener(), kind);
    io::collective_plan const slow = plan_of_pieces(world, path, throttled(latency(1000)), kind);
    io::opener const own = io::posix_opener().wrapping(
        [](io::extend::any_handle h) { return io::extend::any_handle(distant(std::move(h))); });
    io::collective_plan const told = plan_of_pieces(world, path, own, kind);
    INFO(fast.reason << "\n" << slow.reason << "\n" << told.reason);
    CHECK_FALSE(fast.together);
    CHECK_THAT(fast.reason, !Contains("slowed"));
    CHECK_THAT(slow.reason, Contains("by the prices of ") && Contains(" slowed by 1000 us a call"));
    CHECK_THAT(told.reason, Contains(" slowed by 1000 us a call"));
    CHECK(slow.together == (world.size() > 1));
    CHECK(told.together == (world.size() > 1));
  }
}

TEST_CASE("behind a throttle a rank by itself merges over holes that are cheaper than a call",
          "[hints][mpi][prices]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  auto const merged = [&](io::opener const& files) {
    io::file f = io::file::open(world, here / "sparse", making, {}, files);
    f.set_view(0, io::resized(io::type<char[100]>, 0, 50'000));
    std::vector<char> data(1000);
    io::plan const p = f.explain_at(io::access_kind::read, 0, data);
    f.close();
    return std::ranges::count(p.windows, io::transfer_mode::merged, &io::extend::window::how) > 0;
  };
  CHECK_FALSE(merged(io::posix_opener()));
  CHECK(merged(throttled(latency(1000))));
  CHECK_FALSE(merged(throttled(latency(1000), 1e6)));  // a hole of 50 kB takes 50 ms there
}

TEST_CASE("what a file lies on is told with what slows it down", "[hints][mpi][prices]") {
  io::extend::storage const local;
  io::extend::storage const s = local.slowed(2000, 10);
  CHECK(s.name == "local files slowed by 2000 ns a call slowed to 100 MB/s");
  CHECK(s.prices.call_ns == local.prices.call_ns + 2000);
  CHECK(s.prices.write_call_ns == local.prices.write_call_ns + 2000);
  CHECK(s.prices.lock_ns == local.prices.lock_ns + 4000);
  CHECK(s.prices.byte_ns == local.prices.byte_ns + 10);
  CHECK((s.exchange.crowd > 1 && s.exchange.crowd < 1.01));
  CHECK((s.exchange.write > 1 && s.exchange.write < 1.01));
  CHECK(local.slowed(0) == local);
  CHECK(local.slowed(1e6).exchange == local.exchange);
}

TEST_CASE("what is shipped by each rank, the status tells", "[hints][mpi]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::vector<char> const mine(1000, static_cast<char>('a' + world.rank()));
  io::file f = io::file::open(
      world, here / "data", making,
      io::hints{.collective_buffering = false, .cb_nodes = 1, .policy = "data_shipping"});
  CHECK_THAT(f.write_at_all(world.rank() * 1000, mine).reason.str(), !Contains("not shipped"));
  CHECK(f.get_hints().find("argosy_policy")->status == hint_status::accepted);
  CHECK(f.get_hints().find("cb_nodes")->status == hint_status::accepted);
  f.close();
}

TEST_CASE("a hint that made going together too dear is one of what was weighed", "[hints][mpi]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  // Calls of only 100 bytes are decided by their size alone.
  for (std::size_t const bytes : {std::size_t{1} << 20, std::size_t{100}}) {
    CAPTURE(bytes);
    std::vector<char> const mine(bytes, static_cast<char>('a' + world.rank()));
    io::file f = io::file::open(world, here / "data", making, io::hints{.cb_buffer_bytes = 256});
    CHECK(f.write_at_all(world.rank() * std::ssize(mine), mine).policy == "sieving");
    CHECK(f.get_hints().find("cb_buffer_size")->status == hint_status::accepted);
    if (world.size() > 1)
      CHECK(f.get_hints().find("cb_buffer_size")->why ==
            "counted in the choice: in write_at_all each rank worked separately, because together "
            "takes longer");
    f.close();
  }
}

TEST_CASE("where nothing was weighed, hints for two phases are overridden", "[hints][mpi]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::vector<char> const mine(100, 'x');
  io::file f = io::file::open(world, here / "data", making, io::hints{.cb_buffer_bytes = 256});
  f.set_atomic(true);
  f.write_at_all(100 * world.rank(), mine);
  CHECK(f.get_hints().find("cb_buffer_size")->status == hint_status::overridden);
  CHECK(f.get_hints().find("cb_buffer_size")->why == "in write_at_all each rank worked separately");
  f.close();
}

TEST_CASE("what cb_config_list cannot match is said after the first collective call",
          "[hints][mpi]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::vector<char> const mine(100);
  for (auto const& [list, status, why] :
       {std::tuple{"nohost:1", hint_status::ignored,
                   "no rank runs on nohost; it leaves no rank, so any may be an aggregator"},
        std::tuple{"nohost:1,*:2", hint_status::accepted, "no rank runs on nohost"},
        std::tuple{"*:0", hint_status::ignored, "it leaves no rank"},
        std::tuple{"*:1", hint_status::accepted, ""}}) {
    CAPTURE(list);
    io::file f = io::file::open(world, here / "data", making, io::hints{.cb_config_list = list});
    CHECK(f.get_hints().find("cb_config_list")->status == hint_status::accepted);
    f.write_at_all(100 * world.rank(), mine, io::two_phase{});
    CHECK(f.get_hints().find("cb_config_list")->status == status);
    CHECK_THAT(f.get_hints().find("cb_config_list")->why, Contains(why));
    f.close();
  }
}

TEST_CASE("more aggregators than there can be are capped, and the reason has their number",
          "[hints][mpi]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  std::vector<char> const mine(1 << 20);
  io::file f =
      io::file::open(world, here / "data", making,
                     io::hints{.cb_nodes = 99, .cb_config_list = "*:1", .policy = "two_phase"});
  f.write_at_all(world.rank() * std::int64_t{1 << 20}, mine);
  CHECK(f.get_hints().find("cb_nodes")->status == hint_status::capped);
  CHECK_THAT(f.get_hints().find("cb_nodes")->why, Contains("write_at_all had 1 aggregator: "));
  f.close();
}

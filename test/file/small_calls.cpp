// Small collective calls of ranks that share memory: their cost, and ranks whose calls are small,
// long, in pieces, or wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/any_world.hpp>
#include <argosy/file/file.hpp>

#include "support/allocations.hpp"
#include "support/file_cases.hpp"
#include "support/random_tree.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

io::mpi everyone() { return io::mpi(MPI_COMM_WORLD); }

// The data of a rank in a call: `count` numbers, contiguous or every other one of its memory.
struct part {
  int rank = 0;
  std::int64_t at = 0, count = 0;
  bool apart = false;
};

// Returns numbers that show the call and the rank to which they belong.
std::vector<int> numbers_of(part const& p, int call) {
  std::vector<int> all(static_cast<std::size_t>(p.count * (p.apart ? 2 : 1)), -1);
  for (std::int64_t i = 0; i < p.count; ++i)
    all[static_cast<std::size_t>(i * (p.apart ? 2 : 1))] =
        1'000'000 * p.rank + 1000 * call + static_cast<int>(i % 1000);
  return all;
}

}  // namespace

TEST_CASE("small collective calls allocate nothing on any rank", "[file][collective]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write);
  std::vector<double> out(8, world.rank() + 1.0), in(8);
  std::int64_t const at = 64 * world.rank();
  struct call {
    std::string name;
    std::function<io::report()> run;
  };
  std::vector<call> const calls{
      {"write_at_all", [&] { return f.write_at_all(at, out); }},
      {"read_at_all", [&] { return f.read_at_all(at, in); }},
      {"write_all", [&] { return f.seek(at), f.write_all(out); }},
      {"read_all", [&] { return f.seek(at), f.read_all(in); }},
      {"write_ordered", [&] { return f.seek_shared(0), f.write_ordered(out); }},
      {"read_ordered", [&] { return f.seek_shared(0), f.read_ordered(in); }},
  };
  for (call const& c : calls) {
    INFO(c.name);
    std::fill(in.begin(), in.end(), 0.0);
    c.run();  // makes what the file needs
    io::allocation_count const count;
    io::report const r = c.run();
    std::size_t const allocated = count.since();
    CHECK(allocated == 0);
    CHECK(r.bytes == 64);
    CHECK(r.rounds == 0);
    CHECK(r.policy == "sieving");
    CHECK(r.time_ns == 0);  // only calls with more work look at the clock
    CHECK_THAT(r.reason.str(), Catch::Contains("each by itself") &&
                                   Catch::Contains("by the prices of local files"));
    if (c.name.starts_with("read")) CHECK(in == out);
  }
  // The plan must give the same reason.
  std::string const told = f.write_at_all(at, out).reason;
  CHECK(f.explain_at_all(io::access_kind::write, at, out).reason.str() == told);
  f.close();
}

TEST_CASE("small calls of some ranks meet long ones, pieces and nothing of others",
          "[file][collective]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write);
  f.set_view(0, io::type<int>);
  engine random(seed());  // equal on all ranks
  std::vector<int> expected;
  std::int64_t shared = 0;
  auto const put = [&](std::int64_t at, part const& p, int call) {
    std::vector<int> const from = numbers_of(p, call);
    if (p.count > 0)
      expected.resize(std::max(expected.size(), static_cast<std::size_t>(at + p.count)));
    for (std::int64_t i = 0; i < p.count; ++i)
      expected[static_cast<std::size_t>(at + i)] =
          from[static_cast<std::size_t>(i * (p.apart ? 2 : 1))];
  };
  for (int call = 0; call < 200; ++call) {
    std::vector<part> parts;
    std::int64_t const longest = one_in(random, 10) ? 60'000 : 20;
    std::int64_t begin = pick(random, 0, 100);
    for (int r = 0; r < world.size(); ++r) {
      parts.push_back(
          {r, begin, one_in(random, 5) ? 0 : pick(random, 1, longest), one_in(random, 3)});
      begin += parts.back().count + pick(random, 0, 3);
    }
    part const& mine = parts[static_cast<std::size_t>(world.rank())];
    std::vector<int> data = numbers_of(mine, call);
    // Pieces in memory, or one stretch.
    auto const given = [&]() -> io::source {
      if (!mine.apart) return data;
      return {data.data(), io::vector(mine.count, 1, 2, io::type<int>), 1};
    };
    std::int64_t const how = pick(random, 0, 3);
    CAPTURE(call, how, mine.at, mine.count, mine.apart);
    io::report r;
    if (how == 0) {
      r = f.write_at_all(mine.at, given());
    } else if (how == 1) {
      f.seek(mine.at);
      r = f.write_all(given());
      CHECK(f.position() == mine.at + mine.count);
    } else if (how == 2) {  // concurrent with local calls
      if (world.rank() == call % world.size())
        f.write_shared(data = numbers_of({world.rank(), 0, 3}, call));
      world.barrier();
      put(shared, {call % world.size(), 0, 3}, call);
      shared += 3;
      data = numbers_of(mine, call);
    }
    if (how >= 2) {
      r = f.write_ordered(given());
      for (part const& p : parts) put(shared, p, call), shared += p.count;
      CHECK(f.position_shared() == shared);
      world.barrier();  // before a rank moves it
    } else {
      for (part const& p : parts) put(p.at, p, call);
    }
    CHECK(r.bytes == 4 * mine.count);
    // Each rank reads what another one wrote.
    part const& other = parts[static_cast<std::size_t>((world.rank() + 1) % world.size())];
    if (how < 2) {
      std::vector<int> in(static_cast<std::size_t>(other.count));
      f.read_at_all(other.at, in);
      CHECK(std::equal(in.begin(), in.end(), expected.begin() + other.at));
    }
  }
  std::vector<int> all(expected.size(), -2);
  f.read_at(0, all);
  CHECK(all == expected);
  f.close();
}

TEST_CASE("small calls that go together may write one byte", "[file][collective]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write,
                              io::hints{.cb_write = io::tristate::enable});
  std::vector<int> const out(4, world.rank());
  std::vector<int> in(4, -1);
  io::report const r = f.write_at_all(0, out);
  CHECK(r.policy == (world.size() > 1 ? "two_phase" : "sieving"));
  CHECK(r.time_ns > 0);
  f.read_at_all(0, in);
  CHECK((in[0] >= 0 && in[0] < world.size()));
  CHECK(std::count(in.begin(), in.end(), in[0]) == 4);
  f.close();
}

TEST_CASE("what ranks together cost decides over calls at the shared pointer",
          "[file][collective]") {
  io::mpi const world = everyone();
  if (world.size() == 1) return;
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write);
  f.set_view(0, io::type<int>);
  bool const last = world.rank() == world.size() - 1;
  std::vector<int> data(200, world.rank());
  // The last rank has its data in pieces, the others have one small stretch each.
  io::source const mine = last ? io::source(data.data(), io::vector(100, 1, 2, io::type<int>), 1)
                               : io::source(std::span(data).first(8));
  std::string const why = f.write_ordered(mine).reason.str();
  std::int64_t const bytes = 32 * (world.size() - 1) + 400;
  CHECK_THAT(why, Catch::Contains(std::to_string(world.size()) + " ranks") &&
                      Catch::Contains(std::to_string(bytes) + " bytes"));
  f.close();
}

TEST_CASE("in atomic mode small calls are each under a lock", "[file][collective]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write);
  f.set_atomic(true);
  std::vector<int> const out(4, world.rank());
  std::string const why = "atomic mode: each rank by itself, under a lock";
  CHECK(f.write_at_all(16 * world.rank(), out).reason.str() == why);
  CHECK(f.write_ordered(out).reason.str() == why);
  CHECK(f.write_at_all(16 * world.rank(), out, io::two_phase{}).reason.str() == why);
  f.close();
}

TEST_CASE("the shared pointer goes to the last etype that there can be, and no further",
          "[file][collective][error]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write);
  std::error_code error;
  f.seek_shared(INT64_MAX);
  f.write_ordered(std::span<int const>());
  CHECK(f.position_shared() == INT64_MAX);
  // The sum of what ranks ask for is too large to be counted.
  if (world.size() > 1) {
    f.seek_shared(0);
    int const one = 1;
    f.write_ordered({&one, io::hvector(INT64_MAX / 4, 1, 0, io::type<int>), 1}, error);
    CHECK(error == errc::argument);
    CHECK(f.position_shared() == 0);
  }
  f.close();
}

TEST_CASE("what is wrong with a small call of one rank ends it on all",
          "[file][collective][error]") {
  io::mpi const world = everyone();
  shared_scratch const here(world);
  io::file f = io::file::open(world, here / "data", mode::create | mode::read_write);
  std::vector<int> const before(4, 7);
  std::vector<int> out(4, 9), in(4);
  std::error_code error;
  for (int wrong = 0; wrong < world.size(); ++wrong) {
    CAPTURE(wrong);
    bool const here_wrong = world.rank() == wrong;
    std::int64_t const at = 16 * world.rank();
    f.write_at_all(at, before);
    f.write_at_all(here_wrong ? -1 : at, out, error);
    CHECK(failed_on(world, wrong, errc::argument, error));
    CHECK_THAT(f.what_failed(),
               Catch::Contains("rank " + std::to_string(wrong)) &&
                   Catch::Contains("the offset is -1 etypes; it must not be negative"));
    f.read_at_all(at, in);
    CHECK(in == before);

    // If a call fails, the individual pointer stays.
    f.seek(here_wrong ? INT64_MAX - 3 : at);
    f.write_all(out, error);
    CHECK(failed_on(world, wrong, errc::argument, error));
    CHECK(f.position() == (here_wrong ? INT64_MAX - 3 : at));
    f.read_at_all(at, in);
    CHECK(in == before);  // no rank has begun to write

    // All ranks but one read.
    if (here_wrong)
      f.write_at_all(at, out, error);
    else
      f.read_at_all(at, in, error);
    CHECK(error == errc::not_same);
    CHECK_THAT(f.what_failed(), Catch::Contains("ranks are in different collective calls"));
    // One rank writes, the others set a view.
    if (here_wrong)
      f.write_at_all(at, out, error);
    else
      f.set_view(0, io::type<std::byte>, error);
    CHECK(error == errc::not_same);
    // One rank gives another policy, so it takes the general path.
    if (here_wrong)
      f.write_at_all(at, out, {io::two_phase{}, error});
    else
      f.write_at_all(at, out, error);
    CHECK(error == errc::not_same);
    CHECK_THAT(f.what_failed(), Catch::Contains("argument 'policy' must be equal on all ranks"));
    f.read_at_all(at, in);
    CHECK(in == before);
  }

  // The offsets of all ranks together go beyond 2^63, but not those of any single rank.
  f.seek_shared(INT64_MAX - 16 * world.size() + 1);
  f.write_ordered(out, error);
  CHECK(error == errc::argument);
  CHECK_THAT(f.what_failed(), Catch::Contains("would take it beyond 2^63 etypes"));
  f.close();
}

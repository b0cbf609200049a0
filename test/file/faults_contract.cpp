// Failures, line by line of the contract: calls in the background, retries, the end of the file,
// requests, exceptions, ranks that are late. The table of faults is in faults.cpp. One page because
// it follows the contract from line to line.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "file/contract_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_bench.hpp"
#include "support/files_on_worlds.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using tier_place = io::test::place;
using namespace io::test;

TEST_CASE("what fails in the background, and nobody waits for, is told by close",
          "[faults][close][nonblocking]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  std::vector<char> const data(512, 'n');
  using begin = std::function<void(io::file&)>;
  std::int64_t const here = world.rank() * 512;
  std::pair<std::string, begin> const ways[] = {
      {"iwrite_at", [&](io::file& f) { f.iwrite_at(here, data); }},
      {"iwrite_at_all", [&](io::file& f) { f.iwrite_at_all(here, data); }},
      {"begin_write_at_all", [&](io::file& f) { f.begin_write_at_all(here, data); }}};
  for (auto const& [call, drop] : ways)
    for (int failing = -1; failing < world.size(); ++failing) {
      CAPTURE(call, failing, world.rank());
      tier.script().clear();
      io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write,
                                  {}, tier.files());
      // Each rank writes by itself, so it is known which rank fails.
      f.set_hints({.policy = "independent"});
      tier.script().clear();
      if (world.rank() == failing)
        tier.script().add(io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device));
      drop(f);
      std::error_code error;
      f.close(error);
      CHECK(error == (failing < 0 ? std::error_code()
                      : failing == world.rank()
                          ? make_error_code(io::errc::no_space)
                          : make_error_code(io::errc::error_on_another_rank)));
      if (failing >= 0)
        CHECK_THAT(f.what_failed(),
                   Catch::Matchers::ContainsSubstring(call + ", which nobody waited for, failed"));
      CHECK_FALSE(f.is_open());
    }

  // The request reports the error to its owner.
  tier.script().clear();
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              tier.files());
  tier.script().clear();
  tier.script().add(io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device));
  io::request r = f.iwrite_at(here, data);
  std::error_code error;
  f.close(error);
  CHECK_FALSE(error);
  r.wait(error);
  CHECK(error == io::errc::no_space);
}

TEST_CASE("EINTR, EAGAIN and short counts are never seen by the user", "[faults][retries]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  for (auto const& tier : tiers()) {
    if (tier->where() == tier_place::decorator) continue;
    std::error_code error;
    io::file f = io::file::open(world, directory / "broken.dat", mode::create | mode::read_write,
                                {merging_on_nodes, error}, tier->files());
    f.set_view(0, interleaved(world, 32));
    std::vector<char> out(640, static_cast<char>('a' + world.rank())), in(640);
    for (int const number : {EINTR, EAGAIN, 0})
      for (auto const kind :
           {io::file_call::write, io::file_call::read, io::file_call::sync, io::file_call::lock}) {
        bool const moves = kind == io::file_call::write || kind == io::file_call::read;
        if (number == 0 && !moves) continue;
        trouble t{.name = "", .kind = kind, .number = number, .times = number == EAGAIN ? 3 : 50};
        if (number == 0) t.bytes = 3;
        tier->arm(t);
        for (io::extend::any_policy const& policy :
             {io::extend::any_policy(io::independent{}), io::extend::any_policy(merging_windows)}) {
          CHECK(f.write_at_all(0, out, {policy, error}).bytes == 640);
          CHECK_FALSE(error);
          CHECK(f.read_at_all(0, in, {policy, error}).bytes == 640);
          CHECK_FALSE(error);
          CHECK(in == out);
          f.sync(error);
          CHECK_FALSE(error);
        }
        if (kind != io::file_call::lock || world.size() > 1) CHECK(tier->disarm());
        tier->disarm();
      }
    f.close(error);
    CHECK_FALSE(error);
  }
}

TEST_CASE(
    "reading past the end: exact counts on every rank and in every policy, memory beyond untouched",
    "[faults][end]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  std::int64_t const n = world.size();
  for (std::int64_t const size : {std::int64_t{0}, std::int64_t{1}, 37 * n, 37 * n + 8 * n + 3}) {
    if (world.rank() == 0) make_file(path, size);
    world.barrier();
    io::file f = io::file::open(world, path, mode::read);
    f.set_view(0, interleaved(world, 8));
    // Returns the bytes of this rank before the end of the file.
    std::int64_t const tile = 8 * n;
    std::int64_t const there =
        size / tile * 8 + std::clamp<std::int64_t>(size % tile - 8 * world.rank(), 0, 8);
    for (io::extend::any_policy const& policy :
         {io::extend::any_policy(io::independent{}), io::extend::any_policy(io::sieving{}),
          io::extend::any_policy(merging_windows),
          io::extend::any_policy(io::independent{.buffer_bytes = 5})}) {
      auto const check = [&](io::report const& r, std::vector<char> const& in) {
        CHECK(r.bytes == there);
        CHECK(std::count(in.begin(), in.end(), 'o') == there);
        CHECK(std::count(in.begin() + there, in.end(), '?') == 1000 - there);
      };
      std::vector<char> in(1000, '?');
      check(f.read_at(0, in, policy), in);
      std::fill(in.begin(), in.end(), '?');
      check(f.read_at_all(0, in, policy), in);
      std::fill(in.begin(), in.end(), '?');
      check(f.iread_at(0, in, policy).wait(), in);
      CHECK(f.read_at_all(std::int64_t{1} << 50, in, policy).bytes == 0);
    }
    f.close();
    world.barrier();
  }
}

namespace {

// A real file that another program truncates while it is read, after the first bytes.
struct cut_while_read : io::extend::raw_posix {
  std::string path;
  std::int64_t calls = 0;

  cut_while_read() = default;
  cut_while_read(io::extend::raw_posix&& raw, std::string p)
      : io::extend::raw_posix(std::move(raw)), path(std::move(p)) {}
  using io::extend::raw_posix::read;
  io::extend::io_result read(std::int64_t offset, std::span<std::byte> memory) {
    if (calls++ > 0) return io::extend::raw_posix::read(offset, memory);
    io::extend::io_result const got = io::extend::raw_posix::read(
        offset, memory.first(std::min<std::size_t>(memory.size(), 100)));
    if (::truncate(path.c_str(), 50) != 0) std::perror("truncate");
    return got;
  }
};

}  // namespace

TEST_CASE("a file that is truncated while it is read is an error with the true count",
          "[faults][end]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  if (world.rank() == 0) make_file(path, 4000);
  world.barrier();
  int const odd = world.size() / 2;
  io::opener const files = io::posix_opener().opening(
      [&](auto const& name, auto flags, auto& e) -> io::extend::any_handle {
        io::extend::raw_posix raw = io::extend::raw_posix::open(name, flags, e);
        if (e) return {};
        return io::extend::any_handle(io::extend::retrying(cut_while_read(std::move(raw), name)));
      });
  io::file f =
      io::file::open(world, path, mode::read, {}, world.rank() == odd ? files : io::posix_opener());
  std::vector<char> in(1000, '?');
  std::error_code error;
  io::report const r = f.read_at_all(0, std::span(in).first(world.rank() == odd ? 1000 : 0), error);
  CHECK(error == (world.rank() == odd ? errc::truncated : errc::error_on_another_rank));
  if (world.rank() == odd) {
    CHECK(r.bytes == 100);
    CHECK(std::string(in.begin(), in.end()) == std::string(100, 'o') + std::string(900, '?'));
  }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("a request tells its error when it is waited for, once, and leaves the file usable",
          "[faults][requests]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              tier.files());
  int const odd = world.size() - 1;
  bool const here = world.rank() == odd;
  std::vector<char> data(100, 'a');
  std::error_code error;
  if (here) tier.script().add(io::fail_at(io::file_call::write, 2, std::errc::no_space_on_device));
  std::array<io::request, 3> requests;
  for (std::size_t i = 0; i < 3; ++i) {
    requests[i] = f.iwrite_at(world.rank() * 300 + static_cast<std::int64_t>(i) * 100, data);
    // Tests one request after the other. test() must not take the error away.
    while (!requests[i].test()) std::this_thread::yield();
  }
  wait_all(requests, error);
  CHECK(error == (here ? std::error_code(errc::no_space) : std::error_code()));
  for (io::request& r : requests) CHECK_FALSE(r.pending());
  CHECK(requests[1].wait(error).bytes == 0);
  CHECK_FALSE(error);
  // A request that is dropped leaves its error to close, and does not wait for other ranks.
  if (here) {
    tier.script().clear();
    tier.script().add(io::fail_at(io::file_call::write, 1, std::errc::io_error));
    {
      io::request const dropped = f.iwrite_at(0, data);
    }
    CHECK(tier.script().struck() == 2);
  }
  // Bad arguments are reported by the request, too.
  io::request bad = f.iread_at(-1, data);
  outcome const o = thrown_by([&] { bad.wait(); });
  CHECK(o.code == errc::argument);
  CHECK(o.failed_rank == world.rank());
  f.write_at_all(world.rank() * 100, data, error);
  CHECK_FALSE(error);
  f.close(error);
  CHECK(error == (here ? errc::io : errc::error_on_another_rank));
}

TEST_CASE("what cannot be changed under a request is refused on every rank", "[faults][requests]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  auto const script = std::make_shared<io::fault_script>();
  std::atomic<bool> go_on{false};
  script->sleep_by([&](auto) {
    while (!go_on) std::this_thread::yield();
  });
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              io::with_faults(io::posix_opener(), script));
  int const odd = world.size() / 2;
  bool const here = world.rank() == odd;
  std::vector<char> data(100, 'a');
  io::request r;
  if (here) {
    script->add(io::delay_at(io::file_call::write, 1, std::chrono::nanoseconds(1)));
    r = f.iwrite_at(0, data);
  }
  auto const promised = here ? errc::unsupported : errc::error_on_another_rank;
  std::error_code error;
  f.set_view(0, io::type<int>, error);
  CHECK(error == promised);
  f.set_size(5, error);
  CHECK(error == promised);
  f.preallocate(5, error);
  CHECK(error == promised);
  f.sync(error);
  CHECK_FALSE(error);
  go_on = true;
  CHECK(r.wait(error).bytes == (here ? 100 : 0));
  CHECK_FALSE(error);
  f.set_view(0, io::type<int>, error);
  CHECK_FALSE(error);
  f.close(error);
  CHECK_FALSE(error);
}

namespace {
struct my_exception {
  int number;
};
}  // namespace

TEST_CASE("what the user's code throws reaches the caller, and the file stays usable",
          "[faults][exceptions]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::error_code ignored;
  io::extend::register_representation("throwing",
                                      {.file_bytes = {},
                                       .read = [](auto...) -> bool { throw my_exception{3}; },
                                       .write = [](auto...) -> bool { throw my_exception{4}; }},
                                      ignored);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write);
  table cells(world, "exceptions of the user");
  std::array<int, 4> data{1, 2, 3, 4};
  using call = std::function<void(io::file&, bool, std::error_code&)>;
  auto const type_of = [](bool bad) {
    return [bad] {
      if (bad) throw my_exception{1};
      return io::type<int>;
    };
  };
  struct body {
    char const* name;
    bool collective;
    call run;
  } const calls[] = {
      {"write_at, datatype", false,
       [&](io::file& g, bool bad, auto& e) {
         g.write_at(0, io::source(data.data(), type_of(bad), 4), e);
       }},
      {"write_at_all, datatype", true,
       [&](io::file& g, bool bad, auto& e) {
         g.write_at_all(0, io::source(data.data(), type_of(bad), 4), e);
       }},
      {"read_ordered, datatype", true,
       [&](io::file& g, bool bad, auto& e) {
         g.read_ordered(io::target(data.data(), type_of(bad), 4), e);
       }},
      {"iread, datatype", false,
       [&](io::file& g, bool bad, auto& e) {
         g.iread(io::target(data.data(), type_of(bad), 4)).wait(e);
       }},
      {"set_view, filetype", true,
       [&](io::file& g, bool bad, auto& e) { g.set_view(0, type_of(bad), e); }},
      {"write_at_all, representation", true,
       [&](io::file& g, bool bad, auto& e) {
         g.set_view(0, {io::type<int>, io::type<int>, "throwing"}, e);
         g.write_at_all(0, std::span(data).first(bad ? 4 : 0), e);
       }},
      {"iwrite_at, representation", false,
       [&](io::file& g, bool bad, auto& e) {
         g.set_view(0, {io::type<int>, io::type<int>, "throwing"}, e);
         g.iwrite_at(0, std::span(data).first(bad ? 4 : 0)).wait(e);
       }},
  };
  for (auto const& c : calls)
    for_each_set_of_ranks(world, [&](bool bad_here, std::string const& where) {
      cells.begin(std::string(c.name) + " " + where);
      f.set_view(0, io::type<int>);
      std::error_code error;
      bool reached = false;
      try {
        c.run(f, bad_here, error);
      } catch (my_exception const&) {
        reached = true;
      }
      cells.expect(reached == bad_here, reached ? "threw" : "did not throw");
      if (!bad_here)
        cells.expect(error == (c.collective ? std::error_code(errc::error_on_another_rank)
                                            : std::error_code()),
                     error.message());
      f.set_view(0, io::type<int>);
      cells.expect(f.write_at_all(world.rank() * 4, data, error).bytes == 16 && !error,
                   "afterwards: " + error.message());
      cells.end();
    });
  // Error codes of the user must stay as they are, also one that means success.
  for (std::error_code const code :
       {std::error_code(ENOSPC, std::system_category()), std::error_code()}) {
    std::error_code error;
    bool reached = false;
    try {
      f.set_view(
          0,
          [&] {
            if (world.rank() == 0) throw std::system_error(code, "mine");
            return io::type<int>;
          },
          error);
    } catch (std::system_error const& e) {
      reached = e.code() == code;
    }
    CHECK(reached == (world.rank() == 0));
    if (world.rank() != 0) CHECK(error == errc::error_on_another_rank);
  }
  f.close();
}

TEST_CASE("ranks that are late, or have nothing to do, are ordinary", "[faults][late]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              tier.files());
  std::vector<char> data(64, 'a');
  std::error_code error;
  for (int odd = 0; odd < world.size(); ++odd) {
    tier.script().clear();
    if (world.rank() == odd) {
      tier.script().add(io::delay_at(io::file_call::write, 1, std::chrono::milliseconds(20)));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    auto const mine = std::span(data).first(world.rank() == odd ? 64 : 0);
    CHECK(f.write_at_all(0, mine, error).bytes == static_cast<std::int64_t>(mine.size()));
    CHECK_FALSE(error);
    CHECK(f.write_ordered(mine, error).bytes == static_cast<std::int64_t>(mine.size()));
    CHECK_FALSE(error);
    // The late rank fails. The others, which have no data, must get an error.
    if (world.rank() == odd)
      tier.script().add(io::fail_from(io::file_call::write, 1, std::errc::io_error));
    f.write_at_all(0, mine, error);
    CHECK(error == (world.rank() == odd ? errc::io : errc::error_on_another_rank));
  }
  tier.script().clear();
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("a shared pointer never goes beyond 2^63", "[faults][shared]") {
  io::mpi const mpi = everyone();
  common_directory const directory(mpi);
  auto const check = [&](auto const& world) {
    using file = io::basic_file<std::remove_cvref_t<decltype(world)>>;
    file f = file::open(world, directory / "state.dat", mode::create | mode::read_write);
    std::array<char, 8> data{};
    std::error_code error;
    for (int i = 0; i < 3; ++i) {
      f.seek_shared(std::numeric_limits<std::int64_t>::max() - 3);
      mpi.barrier();
      f.write_shared(data, error);
      CHECK(error == errc::argument);
      f.write_ordered(data, error);
      CHECK(error == errc::argument);
      CHECK(f.position_shared() == std::numeric_limits<std::int64_t>::max() - 3);
      mpi.barrier();
    }
    f.seek_shared(0);
    CHECK(f.write_ordered(data, error).bytes == 8);
    CHECK_FALSE(error);
    f.close();
  };
  check(mpi);
  check(plain_world(mpi));
}

TEST_CASE("a lock of the hidden pointer that cannot be taken back stops nobody",
          "[faults][shared]") {
  io::mpi const mpi = everyone();
  if (mpi.size() == 1) return;  // a single rank has the pointer in memory
  common_directory const directory(mpi);
  plain_world const world(mpi);
  scripted tier(tier_place::raw);
  table cells(mpi, "unlocking the hidden pointer");
  using file = io::basic_file<plain_world>;
  file f =
      file::open(world, directory / "state.dat", mode::create | mode::read_write, {}, tier.files());
  std::array<char, 8> data{};
  for_each_set_of_ranks(mpi, [&](bool here, std::string const& where) {
    cells.begin(where);
    tier.script().clear();
    if (here) tier.script().add(io::fail_at(io::file_call::unlock, 1, std::errc::io_error));
    std::error_code error;
    for (int i = 0; i < 5; ++i) {
      f.write_shared(data, {io::independent{}, error});
      bool const struck = here && i == 0;
      cells.expect(error == (struck ? std::error_code(errc::io) : std::error_code()),
                   error.message());
    }
    mpi.barrier();
    cells.end();
  });
  f.close();
}

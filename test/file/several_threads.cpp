// One file that several threads of a rank use at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/self.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/file_on_threads.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using io::test::scratch;
using io::test::seed;
using io::test::thread_world;
using namespace std::chrono_literals;

namespace {

constexpr auto created = io::mode::create | io::mode::read_write;
constexpr int threads = 4;
using file = io::basic_file<io::self>;

// Runs `body` in several threads, and returns the sum of their results. Catch2 counts in one thread
// only.
int in_threads(std::function<int(int)> const& body) {
  std::atomic<int> wrong{0}, ready{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      wrong += body(t);
    });
  for (auto& t : all) t.join();
  return wrong;
}

// Reads and writes at random in etypes of the thread, each an int. `mine` is their expected
// content.
int use_own_part(file& f, int thread, int steps, std::int64_t first, std::vector<int>& mine,
                 io::extend::any_policy const& by) {
  std::mt19937_64 random(seed() * 100 + static_cast<std::uint64_t>(thread));
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int wrong = 0;
  for (int k = 0; k < steps; ++k) {
    std::size_t const n = 1 + below(below(8) == 0 ? mine.size() : 40),
                      from = below(mine.size() - n + 1);
    auto const at = first + static_cast<std::int64_t>(from),
               bytes = static_cast<std::int64_t>(4 * n);
    bool const strided = below(2) == 0;
    std::size_t const step = strided ? 3 : 1;
    std::vector<int> data(n * step, -7);
    auto const memory = [&] {
      return io::memory(data.data(), io::resized(io::type<int>, 0, strided ? 12 : 4),
                        static_cast<std::int64_t>(n));
    };
    if (below(2) == 0) {
      for (std::size_t i = 0; i < n; ++i)
        mine[from + i] = data[i * step] = static_cast<int>(below(1'000'000'000));
      wrong += f.write_at(at, memory(), by).bytes != bytes;
    } else {
      wrong += f.read_at(at, memory(), by).bytes != bytes;
      for (std::size_t i = 0; i < data.size(); ++i)
        wrong += data[i] != (i % step == 0 ? mine[from + i / step] : -7);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("threads read and write parts of their own of one file at explicit offsets",
          "[threads][file]") {
  CAPTURE(seed());
  scratch const dir(io::test::in_memory());
  io::hints small;  // small windows, so that calls have many of them
  small.ind_rd_buffer_bytes = small.ind_wr_buffer_bytes = 512;
  small.ds_read = small.ds_write = io::tristate::enable;
  struct one {
    char const* name;
    bool holes, big_endian;
    io::extend::any_policy by;
    io::mode how;
  };
  one const all[] = {
      {"one stretch", false, false, {}, created},
      {"one stretch, unique", false, false, {}, created | io::mode::unique_open},
      {"holes", true, false, {}, created},
      {"holes, unique", true, false, {}, created | io::mode::unique_open},
      {"holes, piece by piece", true, false, io::independent{}, created},
      {"big-endian holes", true, true, {}, created},
  };
  constexpr std::size_t part = 1500;
  for (one const& c : all) {
    CAPTURE(c.name);
    file f = file::open(io::self(), dir / "data", c.how, small);
    f.set_view(40, {io::type<int>, io::resized(io::type<int>, 0, c.holes ? 12 : 4),
                    c.big_endian ? "external32" : "native"});
    std::vector<std::vector<int>> expected(threads, std::vector<int>(part));
    std::vector<int> const zeros(threads * part);
    f.write_at(0, zeros);
    CHECK(in_threads([&](int t) {
            return use_own_part(f, t, 150, static_cast<std::int64_t>(part) * t,
                                expected[static_cast<std::size_t>(t)], c.by);
          }) == 0);
    std::vector<int> flat, got(threads * part);
    for (auto const& e : expected) flat.insert(flat.end(), e.begin(), e.end());
    f.read_at(0, got);
    CHECK((got == flat));
    f.close();
  }
}

TEST_CASE("threads at the individual and at the shared pointer have places of their own",
          "[threads][file]") {
  scratch const dir(io::test::in_memory());
  constexpr int calls = 150, block = 5;
  for (bool const shared : {false, true}) {
    CAPTURE(shared);
    file f = file::open(io::self(), dir / (shared ? "shared" : "own"), created);
    f.set_view(0, io::type<int>);
    CHECK(in_threads([&](int t) {
            int wrong = 0;
            for (int k = 0; k < calls; ++k) {
              std::vector<int> const data(block, 1 + t * calls + k);
              wrong += (shared ? f.write_shared(data) : f.write(data)).bytes != 4 * block;
            }
            return wrong;
          }) == 0);
    auto const all = std::int64_t{threads} * calls * block;
    CHECK((shared ? f.position_shared() : f.position()) == all);
    CHECK(f.size() == 4 * all);
    if (shared)
      f.seek_shared(0);
    else
      f.seek(0);
    // Each block must go to one reader, as a whole.
    std::vector<std::atomic<int>> seen(threads * calls + 1);
    CHECK(in_threads([&](int) {
            int wrong = 0;
            for (int k = 0; k < calls; ++k) {
              std::vector<int> got(block);
              wrong += (shared ? f.read_shared(got) : f.read(got)).bytes != 4 * block;
              wrong += std::count(got.begin(), got.end(), got[0]) != block || got[0] < 1 ||
                       got[0] > threads * calls;
              if (wrong == 0) ++seen[static_cast<std::size_t>(got[0])];
            }
            return wrong;
          }) == 0);
    CHECK(std::count(seen.begin() + 1, seen.end(), 1) == threads * calls);
    // All threads seek back by one block each, in any order.
    if (!shared) {
      CHECK(in_threads([&](int) { return f.seek(-block, io::seek_from::current), 0; }) == 0);
      CHECK(f.position() == all - threads * block);
    }
    f.close();
  }
}

TEST_CASE("a call that fails gives its place back, if no other call has moved the pointer",
          "[threads][file]") {
  scratch const dir(io::test::in_memory());
  auto const script = std::make_shared<io::fault_script>();
  file f = file::open(io::self(), dir / "data", created, {},
                      io::with_faults(io::posix_opener(), script));
  std::vector<char> const data(10, 'x');
  f.write(data);
  script->add(io::fail_at(io::file_call::write, 2, std::errc::io_error));
  std::error_code error;
  f.write(data, error);
  CHECK(error);
  CHECK(f.position() == 10);
  f.write(data, {io::sieving{}, error});
  CHECK(!error);
  CHECK(f.position() == 20);
  script->clear();
  script->add(io::fail_at(io::file_call::write, 1, std::errc::io_error));
  f.write(data, {io::sieving{}, error});
  CHECK(error);
  CHECK(f.position() == 20);
  f.close();
}

TEST_CASE("each thread has the errors of its own calls, and its own look at the hints",
          "[threads][file]") {
  scratch const dir(io::test::in_memory());
  file f = file::open(io::self(), dir / "data", created);
  f.set_view(0, io::type<int>);
  std::vector<int> const zeros(100);
  f.write_at(0, zeros);
  CHECK(in_threads([&](int t) {
          int wrong = 0;
          for (int k = 0; k < 300; ++k) {
            int value = t;
            std::error_code error;
            bool const fails = t % 2 == 0 && k % 3 != 2;
            std::int64_t const at = fails ? -1 - t : t;
            f.read_at(at, std::span(&value, 1),
                      {k % 2 == 0 ? io::extend::any_policy() : io::sieving{}, error});
            wrong += static_cast<bool>(error) != fails;
            std::string const& told = f.what_failed();
            wrong += fails ? told.find("the offset is " + std::to_string(at)) == std::string::npos
                           : !told.empty();
            if (k % 10 == 0) {
              io::file_hints const& h = f.get_hints();
              wrong += h.find("cb_nodes") == nullptr;
            }
          }
          return wrong;
        }) == 0);
  f.close();
}

TEST_CASE("what a thread writes into a hole that a collective call is merging survives",
          "[threads][file]") {
  scratch const dir(io::test::in_memory());
  io::hints merges;
  merges.ds_write = io::tristate::enable;
  merges.cb_nodes = 1;
  for (auto const how : {created, created | io::mode::unique_open}) {
    for (bool const before : {false, true}) {  // the thread has used the file before
      CAPTURE(before, has(how, io::mode::unique_open));
      std::string const path = dir / "data";
      std::atomic<int> merging{0}, held{0};
      std::string const dashes(400, '-'), first("before"), second("beside"), all("together");
      thread_world::run(2, [&](thread_world const& world) {
        auto const script = std::make_shared<io::fault_script>();
        auto f = io::basic_file<thread_world>::open(world, path, how, merges,
                                                    io::with_faults(io::posix_opener(), script));
        f.write_at_all(400 * world.rank(), dashes);
        script->clear();
        if (world.rank() == 0)  // the aggregator is late between its read and its write
          script->add(io::delay_at(io::file_call::write, 1, 200ms));
        std::thread beside([&] {
          if (world.rank() == 0) return;
          if (before) f.write_at(700, first);
          while (merging == 0) std::this_thread::yield();
          std::this_thread::sleep_for(50ms);
          f.write_at(100, second);
        });
        if (before) std::this_thread::sleep_for(20ms);
        world.barrier();
        merging = 1;
        f.write_at_all(200 * world.rank(), all, io::two_phase{.aggregators = 1});
        beside.join();
        if (world.rank() == 0)
          held = script->struck() > 0 && script->calls(io::file_call::read) > 0;
        f.close();
      });
      std::string const got = io::test::content_of(path);
      CHECK(held == 1);
      CHECK(got.substr(0, 8) == "together");
      CHECK(got.substr(200, 8) == "together");
      CHECK(got.substr(100, 6) == "beside");
      std::filesystem::remove(path);
    }
  }
}

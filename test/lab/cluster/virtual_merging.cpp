// Ranks that merge by themselves, on one node and on several, concurrently with other writers.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "lab/cluster/virtual_files_cases.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

// Even ranks write every other int by sieving. Odd ranks write the ints between them, each by a
// call of its own. All write at the same time.
TEST_CASE("ranks of several nodes merge where one gains by it, and then all lock what they write",
          "[virtual][file]") {
  constexpr int ranks = 4, numbers = 300;
  for (std::uint64_t number = seed(); number < seed() + 20; ++number) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1, .seed = number})
        .run([&](io::lab::virtual_rank const& world) {
          bool const merges = world.rank() % 2 == 0;
          int const pair = world.rank() / 2;
          auto f = virtual_file::open(world, "state", create, {}, files.opener());
          std::vector<int> data(numbers);
          for (int i = 0; i < numbers; ++i)
            data[static_cast<std::size_t>(i)] = 2 * (pair * numbers + i) + !merges;
          auto const write = [&] {
            io::report all;
            if (merges) return f.write_at(0, data);
            for (int i = 0; i < numbers; ++i) {
              auto const r = f.write_at(data[static_cast<std::size_t>(i)],
                                        std::span(data).subspan(static_cast<std::size_t>(i), 1));
              CHECK(r.merged_bytes == 0);
              all.locks += r.locks;
            }
            return all;
          };
          auto const look = [&](io::hints const& h, bool merging) {
            f.set_hints(h);
            if (merges)
              f.set_view(8 * pair * numbers, {io::type<int>, io::resized(io::type<int>, 0, 8)});
            else
              f.set_view(0, io::type<int>);
            std::error_code refused;  // fails on all ranks, and changes nothing
            f.set_view(world.rank() == 1 ? -4 : 0, io::type<int>, refused);
            CHECK(refused);
            auto const r = write();
            INFO("rank " << world.rank() << ", seed " << number);
            if (merges) CHECK((r.merged_bytes > 0) == merging);
            CHECK((r.locks > 0) == merging);
            world.barrier();
            std::vector<int> back(2 * numbers * ranks / 2);
            f.set_view(0, io::type<int>);
            CHECK(f.read_at(0, back).bytes == static_cast<std::int64_t>(4 * back.size()));
            for (int i = 0; i < static_cast<int>(back.size()); ++i)
              REQUIRE(back[static_cast<std::size_t>(i)] == i);
            // no rank merges in these views
            CHECK(f.write_at(0, std::span<int const>(back).first(1)).locks == 0);
            world.barrier();
            f.set_size(0);
          };
          look({}, true);
          look({.ds_write = io::tristate::disable}, false);
          look({.ds_write = io::tristate::automatic}, true);
          // a lock is too expensive
          look({.named = {{"argosy_price_lock_ns", "1000000000"}}}, false);
          look({.named = {{"argosy_price_lock_ns", "100"}}}, true);
          f.close();
        });
  }
}

// While a request may write, an aggregator must lock its windows. If it gets no lock, it must not
// wait for a rank that waits for it.
TEST_CASE("where locks come to an end beside a request, a collective write ends",
          "[virtual][file][faults]") {
  int refused = 0;
  for (int const per_node : {1, 2})
    for (int first = 1; first <= 12; ++first)
      for (bool const together : {false, true}) {
        io::lab::virtual_files const files;
        io::lab::scenario s{.ranks = 2, .ranks_per_node = per_node};
        s.faults = {{0, io::fail_from(io::file_call::lock, first, std::errc::no_lock_available)}};
        io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
          std::error_code e, later;
          auto f = virtual_file::open(world, "f", create, e, files.opener());
          if (e) return;
          f.set_view(0, {io::type<int>, io::resized(at(4 * world.rank(), io::bytes(4)), 0, 12)}, e);
          REQUIRE_FALSE(e);
          std::vector<int> const data(200, world.rank() + 1);
          io::two_phase const windows{.buffer_bytes = 512, .align_bytes = 64};
          auto behind = f.iwrite_at(400, data);
          if (together) {
            auto all = f.iwrite_at_all(0, data, windows);
            all.wait(e);
          } else {
            f.write_at_all(0, data, {windows, e});
          }
          CAPTURE(world.rank(), per_node, first, together, e.message());
          CHECK((!e ||
                 e == (world.rank() == 0 ? io::errc::no_locks : io::errc::error_on_another_rank)));
          if (e == io::errc::no_locks) ++refused;
          behind.wait(later);
          f.close(later);
        });
      }
  CHECK(refused > 0);
}

// A merge that has read its window must not write it back when rank 1 has meanwhile written into a
// hole. Each look at a gate is an event of the run, so a rank that looked every microsecond for
// seconds would make the run endless.
TEST_CASE(
    "what a rank writes while its collective call goes on in the background is not merged over",
    "[virtual][file][merging]") {
  constexpr int ranks = 4;
  constexpr double call_s = 1e-3;
  for (io::mode const how : {create, create | io::mode::unique_open})
    for (int const per_node : {1, ranks})
      for (int step = 0; step < 40; ++step) {
        CAPTURE(has(how, io::mode::unique_open), per_node, step);
        io::lab::scenario s{.ranks = ranks, .ranks_per_node = per_node};
        s.disk.call_ns = static_cast<std::int64_t>(call_s * 1e9);
        io::lab::virtual_files files;
        std::string const dashes(400, '-');
        files.put("f", std::as_bytes(std::span(dashes)));
        io::hints always;
        always.set("argosy_progress", "always");
        std::int64_t merged = 0;
        io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
          auto f = virtual_file::open(world, "f", how, always, files.opener());
          std::string const mine(8, static_cast<char>('a' + world.rank()));
          auto request = f.iwrite_at_all(100 * world.rank(), mine, io::two_phase{.aggregators = 1});
          if (world.rank() == 1) {
            world.compute(step * call_s / 4);
            f.write_at(50, std::string_view("beside"));
          }
          merged += request.wait().merged_bytes;
          f.close();
        });
        CHECK(merged > 0);
        std::string expected = dashes;
        for (int r = 0; r < ranks; ++r)
          expected.replace(static_cast<std::size_t>(100 * r), 8,
                           std::string(8, static_cast<char>('a' + r)));
        expected.replace(50, 6, "beside");
        auto const got = files.content("f");
        CHECK(std::string(reinterpret_cast<char const*>(got.data()), got.size()) == expected);
      }
}

TEST_CASE("who merges looks seldom at a write that takes seconds", "[virtual][file][faults]") {
  constexpr int ranks = 4;
  io::lab::virtual_files const files;
  io::lab::scenario s{.ranks = ranks, .ranks_per_node = ranks};
  s.faults = {
      {0, io::fail_from(io::file_call::write, 1, std::errc::resource_unavailable_try_again)}};
  auto const r = io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
    std::error_code e;
    auto f = virtual_file::open(world, "f", create, {}, files.opener());
    f.set_size(4 * 200 * ranks);
    f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * ranks)});
    std::vector<int> const data(200, world.rank() + 1);
    double const began = world.now();
    if (world.rank() == 0) {
      f.write_at(0, std::span(data).first(1), e);
      CHECK(e == io::errc::io);
    } else {
      world.compute(1e-3);  // while rank 0 repeats its write
      auto const merged = f.write_at(0, data, {io::sieving{.writes = io::sieving_mode::always}, e});
      CHECK_FALSE(e);
      CHECK(merged.merged_bytes > 0);
    }
    CHECK(world.now() - began > 4);
    CHECK(world.now() - began < 6);
    f.close(e);
  });
  CHECK(r.events < 100'000);
}

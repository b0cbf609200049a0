// Failures of merged windows, aggregators and locks. No byte of another rank, and no error, may be
// lost.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "file/contract_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_bench.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using tier_place = io::test::place;
using namespace io::test;

TEST_CASE("a window whose reading fails, or is short, is not written", "[faults][merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  scripted tier(tier_place::decorator);
  std::string const old(1024, 'o');
  if (world.rank() == 0) make_file(path, 1024);
  world.barrier();
  int const odd = world.size() - 1;
  std::error_code error;
  io::file f =
      io::file::open(world, path, mode::read_write, {merging_on_nodes, error}, tier.files());
  f.set_view(0, every_other(16));
  std::vector<char> const data(512, 'n');
  // Reading the second of four windows fails. The first must be complete, and nothing else written.
  if (world.rank() == odd) {
    tier.script().add(io::fail_at(io::file_call::read, 2, std::errc::io_error));
    io::report const r = f.write_at(0, data, {merging_windows, error});
    CHECK(error == errc::io);
    CHECK(r.bytes == 128);
    std::string expected = old;
    for (std::size_t i = 0; i < 256; ++i)
      if (i % 32 < 16) expected[i] = 'n';
    CHECK(content_of(path) == expected);
    make_file(path, 1024);

    // Reads return too few bytes without an error. The file has more, so the read must be repeated.
    // The missing bytes must not be taken for zeros.
    tier.script().clear();
    tier.script().add(io::shorten_at(io::file_call::read, 1, 10));
    tier.script().add(io::shorten_at(io::file_call::read, 2, 0));
    f.write_at(0, data, {merging_windows, error});
    CHECK_FALSE(error);
    expected = old;
    for (std::size_t i = 0; i < 1024; ++i)
      if (i % 32 < 16) expected[i] = 'n';
    CHECK(content_of(path) == expected);
    make_file(path, 1024);

    // If all reads return nothing, the call must fail and leave the window unchanged.
    tier.script().clear();
    tier.script().add(io::shorten_at(io::file_call::read, 1, 0, io::fault::forever));
    io::report const none = f.write_at(0, data, {merging_windows, error});
    CHECK(error == errc::truncated);
    CHECK(none.bytes == 0);
    CHECK(content_of(path) == old);
    tier.script().clear();
  }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("a write that is short and says nothing is an error", "[faults][merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              tier.files());
  std::vector<char> const data(512, 'n');
  std::error_code error;
  for (io::extend::any_policy const& policy :
       {io::extend::any_policy(io::independent{}), io::extend::any_policy(merging_windows)})
    for (bool const holes : {false, true}) {
      f.set_view(0, holes ? every_other(16) : io::layout(io::bytes(16)));
      tier.script().clear();
      if (world.rank() == 0) tier.script().add(io::shorten_at(io::file_call::write, 1, 5));
      io::report const r = f.write_at_all(world.rank() * 512, data, {policy, error});
      CHECK(error == (world.rank() == 0 ? errc::io : errc::error_on_another_rank));
      if (world.rank() == 0) CHECK(r.bytes == 5);
    }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("an aggregator's write that is short and says nothing is an error on every rank",
          "[faults][two_phase]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::file f = io::file::open(world, directory / "state.dat", mode::create | mode::read_write, {},
                              tier.files());
  std::vector<char> const data(512, 'n');
  std::error_code error;
  for (io::extend::any_policy const& policy :
       {io::extend::any_policy(io::two_phase{}),
        io::extend::any_policy(io::two_phase{.window_bytes = 64}),
        io::extend::any_policy(io::data_shipping{})})
    for (bool const holes : {false, true}) {
      f.set_view(0, holes ? every_other(16) : io::layout(io::bytes(16)));
      for (std::int64_t const bytes : {5, 0}) {
        CAPTURE(policy.name(), holes, bytes, world.rank());
        tier.script().clear();
        tier.script().add(io::shorten_at(io::file_call::write, 1, bytes));
        f.write_at_all(world.rank() * 512, data, {policy, error});
        CHECK(error);
      }
    }
  f.close(error);
  CHECK_FALSE(error);
}

TEST_CASE("where a rank has no locks nobody merges, and atomic mode is an error on every rank",
          "[faults][locks]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "broken.dat";
  for (auto const& tier : tiers()) {
    std::error_code error;
    if (world.rank() == 0) make_file(path, 64 * world.size());
    for (int odd = 0; odd < world.size(); ++odd) {
      world.barrier();
      if (world.rank() == odd)
        tier->arm({.name = "ENOLCK", .kind = io::file_call::lock, .number = ENOLCK, .times = 0});
      io::file f = io::file::open(world, path, mode::read_write, error, tier->files());
      CHECK_FALSE(error);
      f.set_atomic(true, error);
      CHECK(error == (world.rank() == odd ? errc::no_locks : errc::error_on_another_rank));
      CHECK_THROWS_WITH(f.set_atomic(true),
                        Catch::Matchers::ContainsSubstring("atomic mode needs byte-range locks"));
      CHECK_FALSE(f.atomic());

      // The holes between the pieces belong to no other rank.
      f.set_view(64 * world.rank(), every_other(8), error);
      CHECK_FALSE(error);
      std::vector<char> const data(32, 'n');
      io::report const r = f.write_at_all(0, data, {merging_windows, error});
      CHECK_FALSE(error);
      CHECK(r.bytes == 32);
      CHECK(r.fallbacks > 0);
      CHECK(r.merged_bytes == 0);
      CHECK(r.locks == 0);
      f.close(error);
      CHECK_FALSE(error);
      tier->disarm();
    }
    std::string expected;
    for (int i = 0; i < 4 * world.size(); ++i) expected += "nnnnnnnnoooooooo";
    world.barrier();
    CHECK(content_of(path) == expected);
    world.barrier();
  }
}

TEST_CASE(
    "where locks come to an end later, a rank of one node waits until nobody merges, and one of "
    "several is told",
    "[faults][locks]") {
  io::mpi const world = everyone();
  bool const all_lock = on_several_nodes(world);
  common_directory const directory(world);
  std::string const path = directory / "broken.dat";
  for (auto const& tier : tiers())
    for (mode const how : {mode::read_write, mode::read_write | mode::unique_open}) {
      CAPTURE(has(how, mode::unique_open));
      bool const alone = world.size() == 1 && has(how, mode::unique_open);  // needs no locks
      std::error_code error;
      if (world.rank() == 0) make_file(path, 64 * world.size());
      world.barrier();
      io::file f = io::file::open(world, path, how, error, tier->files());
      f.set_view(64 * world.rank(), every_other(8), error);
      for (int odd = 0; odd < world.size(); ++odd) {
        bool const mine = world.rank() == odd;
        if (mine)
          tier->arm({.name = "ENOLCK", .kind = io::file_call::lock, .number = ENOLCK, .times = 0});
        std::vector<char> const data(32, static_cast<char>('a' + odd));
        io::report r = f.write_at_all(0, data, {merging_windows, error});
        if (all_lock)
          CHECK(error == (mine ? errc::no_locks : errc::error_on_another_rank));
        else
          CHECK_FALSE(error);
        CHECK(r.bytes == (all_lock && mine ? 0 : 32));
        if (mine && !alone) CHECK(r.merged_bytes == 0);
        auto const is_written = [&](char c) {
          std::string expected;
          for (int i = 0; i < 4 * world.size(); ++i)
            expected += std::string(8, c) + std::string(8, 'o');
          world.barrier();
          CHECK(content_of(path) == expected);
          world.barrier();
        };
        if (!all_lock) is_written(data[0]);
        // In a collective call each window has one owner.
        std::vector<char> const together(32, static_cast<char>('A' + odd));
        r = f.write_at_all(0, together, {io::two_phase{}, error});
        CHECK_FALSE(error);
        CHECK(r.bytes == 32);
        tier->disarm();
        is_written(together[0]);
      }
      f.close(error);
      CHECK_FALSE(error);
      world.barrier();
    }
}

TEST_CASE("ranks that have a file to themselves merge together without locks", "[merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  if (world.rank() == 0) make_file(path, 64 * world.size());
  world.barrier();
  io::file f = io::file::open(world, path, mode::read_write | mode::unique_open, merging_on_nodes);
  f.set_view(64 * world.rank(), every_other(8));
  std::vector<char> const data(32, 'n');
  io::report const r = f.write_at_all(0, data, io::two_phase{});
  std::vector<std::int64_t> merged(static_cast<std::size_t>(world.size()));
  world.all_gather(std::as_bytes(std::span(&r.merged_bytes, 1)),
                   std::as_writable_bytes(std::span(merged)));
  CHECK(std::accumulate(merged.begin(), merged.end(), std::int64_t{0}) > 0);
  CHECK(r.locks == 0);
  f.close();
  std::string expected;
  for (int i = 0; i < 4 * world.size(); ++i) expected += "nnnnnnnnoooooooo";
  CHECK(content_of(path) == expected);
  world.barrier();
}

TEST_CASE("ranks that merge into each other's holes lose nothing", "[faults][merging]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  scripted no_locks(tier_place::raw);
  for (bool const locks : {true, false}) {
    std::error_code error;
    if (!locks)
      no_locks.script().add(io::fail_from(io::file_call::lock, 1, std::errc::no_lock_available));
    io::file f =
        locks ? io::file::open(world, path, mode::create | mode::read_write, merging_on_nodes)
              : io::file::open(world, path, mode::create | mode::read_write, merging_on_nodes,
                               no_locks.files());
    f.set_view(0, interleaved(world, 8));
    for (int round = 0; round < 20; ++round) {
      std::vector<char> const data(512, static_cast<char>('A' + world.rank() + 8 * (round % 7)));
      f.write_at(0, data, {merging_windows, error});  // the ranks do not wait for each other
      CHECK_FALSE(error);
      world.barrier();
      std::vector<char> in(512);
      f.read_at(0, in, {io::independent{}, error});
      CHECK(in == data);
      world.barrier();
    }
    f.close(error);
    CHECK_FALSE(error);
  }
}

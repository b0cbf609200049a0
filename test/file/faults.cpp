// The fault table: every call of a file is broken on each rank alone and on all of them. Every rank
// must leave the call with the promised code. Bytes outside of the request must stay, and the file
// must be usable afterwards. Opening and closing: faults_open.cpp. One page because one table has
// the faults of all calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "file/contract_cases.hpp"
#include "support/catch.hpp"
#include "support/fault_bench.hpp"
#include "support/fault_transfers.hpp"
#include "support/files.hpp"
#include "support/plain_world.hpp"

namespace io = argosy;
using io::errc;
using io::mode;
using tier_place = io::test::place;
using namespace io::test;

// --- The table of transfers ----------------------------------------------------------------------

TEST_CASE("any call of a read or write may fail on any rank: decorator", "[faults][transfers]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::decorator);
  io::test::break_transfers(world, world, tier, directory.string(), false, false, {false, true});
  io::test::break_transfers(world, world, tier, directory.string(), true, on_several_nodes(world),
                            {false});
}

TEST_CASE("any call of a read or write may fail on any rank: below the retries",
          "[faults][transfers]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  scripted tier(tier_place::raw);
  io::test::break_transfers(world, world, tier, directory.string(), false, false, {false, true});
}

TEST_CASE("any call of a read or write may fail on any rank: system calls", "[faults][transfers]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  system_calls tier("broken");
  io::test::break_transfers(world, world, tier, directory.string(), false, false, {false, true});
  io::test::break_transfers(world, world, tier, directory.string(), true, on_several_nodes(world),
                            {true});
}

TEST_CASE("a shared pointer that lies in a hidden file breaks like any file",
          "[faults][transfers][shared]") {
  io::mpi const mpi = everyone();
  // Every addition to the shared pointer's file is synced, so files in memory are faster. They are
  // not used if ranks are on several nodes.
  common_directory const directory(
      mpi, on_several_nodes(mpi) ? std::filesystem::temp_directory_path() : io::test::in_memory());
  plain_world const world(mpi);
  scripted decorator(tier_place::decorator);
  io::test::break_transfers(mpi, world, decorator, directory.string(), true, mpi.size() > 1,
                            {false}, io::tristate::disable);
  system_calls calls("broken");
  io::test::break_transfers(mpi, world, calls, directory.string(), true, mpi.size() > 1, {false});
  // Only the file is left.
  mpi.barrier();
  CHECK(std::distance(std::filesystem::directory_iterator(directory.string()), {}) == 1);
}

// --- The file as a whole -------------------------------------------------------------------------

TEST_CASE("set_size, preallocate, sync, set_atomic, seek_shared and seek fail as agreed",
          "[faults][whole]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  using enum io::file_call;
  trouble const troubles[] = {
      {.name = "EIO", .kind = resize, .number = EIO, .gives = errc::io},
      {.name = "EFBIG", .kind = resize, .number = EFBIG, .gives = errc::file_too_large},
      {.name = "ENOSPC", .kind = resize, .number = ENOSPC, .gives = errc::no_space},
      {.name = "EINTR", .kind = resize, .number = EINTR, .times = 2, .where = tier_place::below},
      {.name = "ENOSPC", .kind = preallocate, .number = ENOSPC, .gives = errc::no_space},
      {.name = "EDQUOT", .kind = preallocate, .number = EDQUOT, .gives = errc::quota},
      {.name = "EIO", .kind = preallocate, .number = EIO, .gives = errc::io},
      {.name = "EINTR",
       .kind = preallocate,
       .number = EINTR,
       .times = 2,
       .where = tier_place::below},
      {.name = "EIO", .kind = sync, .number = EIO, .gives = errc::io},
      {.name = "ENOSPC", .kind = sync, .number = ENOSPC, .gives = errc::no_space},
      {.name = "EDQUOT", .kind = sync, .number = EDQUOT, .gives = errc::quota},
      {.name = "EINTR", .kind = sync, .number = EINTR, .times = 2, .where = tier_place::below},
      {.name = "ENOLCK", .kind = lock, .number = ENOLCK, .gives = errc::no_locks},
      {.name = "EIO", .kind = lock, .number = EIO, .gives = errc::io},
      {.name = "EINTR", .kind = lock, .number = EINTR, .times = 2, .where = tier_place::below},
      {.name = "EINTR", .kind = unlock, .number = EINTR, .times = 2, .where = tier_place::below},
      {.name = "EIO", .kind = size, .number = EIO, .gives = errc::io},
      {.name = "ESTALE", .kind = size, .number = ESTALE, .gives = errc::file},
  };
  struct whole {
    char const* name;
    std::vector<io::file_call> breaks;
    bool collective;
    bool first_rank_only;  // only rank 0 makes the file call, for all ranks
    std::function<outcome(io::file&, bool)> run;
  };
  whole const calls[] = {
      {"set_size",
       {resize},
       true,
       true,
       [](io::file& f, bool t) {
         return outcome_of(f, [](io::file& g, auto&... e) { g.set_size(300, e...); }, t);
       }},
      {"preallocate",
       {preallocate},
       true,
       true,
       [](io::file& f, bool t) {
         return outcome_of(f, [](io::file& g, auto&... e) { g.preallocate(900, e...); }, t);
       }},
      {"sync",
       {sync},
       true,
       false,
       [](io::file& f, bool t) {
         return outcome_of(f, [](io::file& g, auto&... e) { g.sync(e...); }, t);
       }},
      {"set_atomic",
       {lock, unlock},
       true,
       false,
       [](io::file& f, bool t) {
         return outcome_of(f, [](io::file& g, auto&... e) { g.set_atomic(true, e...); }, t);
       }},
      {"seek_shared",
       {size},
       true,
       true,
       [](io::file& f, bool t) {
         return outcome_of(
             f, [](io::file& g, auto&... e) { g.seek_shared(0, io::seek_from::end, e...); }, t);
       }},
      {"seek",
       {size},
       false,
       false,
       [](io::file& f, bool t) {
         return outcome_of(
             f, [](io::file& g, auto&... e) { g.seek(0, io::seek_from::end, e...); }, t);
       }},
  };
  for (auto const& tier : tiers()) {
    table cells(world, std::string(tier->name()) + ", the file as a whole");
    std::string const path = directory / "broken.dat";
    std::error_code error;
    io::file f = io::file::open(world, path, mode::create | mode::read_write, error, tier->files());
    CHECK_FALSE(error);
    if (error) continue;
    for (whole const& call : calls)
      for (trouble const& t : troubles) {
        if (!tier->takes(t) ||
            std::find(call.breaks.begin(), call.breaks.end(), t.kind) == call.breaks.end())
          continue;
        for_each_set_of_ranks(world, [&](bool struck_here, std::string const& where) {
          cells.begin(std::string(call.name) + ", " + to_text(t) + " " + where);
          for (bool const throwing : {false, true}) {
            cells.again();
            f.set_atomic(false);
            if (world.rank() == 0) make_file(path, 600);
            world.barrier();
            if (struck_here) tier->arm(t);
            outcome const o = call.run(f, throwing);
            bool const struck = struck_here && tier->disarm();
            promise mine;
            if (struck && t.gives) mine = {static_cast<int>(*t.gives), t.number};
            promises const all(world, mine);
            cells.expect(struck == (struck_here && (!call.first_rank_only || world.rank() == 0)),
                         "struck otherwise");
            std::error_code const promised = all.code(call.collective);
            cells.expect_code(o, promised);
            if (promised) {
              int const culprit = all.failed_rank(call.collective);
              cells.expect_words(o.words, call.name, path, culprit,
                                 static_cast<errc>(all.of(culprit).gives));
              if (throwing)
                cells.expect(
                    o.failed_rank == culprit && (o.cause == t.code() || o.cause == *t.gives),
                    "another cause");
              cells.expect(content_of(path) == std::string(600, 'o'), "the file changed");
              cells.expect(!f.atomic(), "atomic after all");
            }
            if (std::string_view(call.name) == "sync" && all.any()) {
              // Every later sync must report the same error on every rank, until the error is
              // cleared.
              outcome const again = call.run(f, !throwing);
              cells.expect_code(again, promised);
              f.clear_sync_error();
            }
            // Without the fault, the call must succeed.
            world.barrier();
            cells.expect_code(call.run(f, throwing), {});
            if (std::string_view(call.name) == "preallocate")
              cells.expect(content_of(path) == std::string(600, 'o') + std::string(300, '\0'),
                           "data changed");
            if (std::string_view(call.name) == "set_size")
              cells.expect(content_of(path) == std::string(300, 'o'), "data changed");
          }
          cells.end();
        });
      }
    f.close(error);
    CHECK_FALSE(error);
  }
}

TEST_CASE("asking for the size fails on the rank that asks", "[faults][whole]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  for (auto const& tier : tiers()) {
    std::error_code error;
    io::file f = io::file::open(world, directory / "broken.dat", mode::create | mode::read_write,
                                error, tier->files());
    if (world.rank() == world.size() - 1) {
      trouble const t{
          .name = "ESTALE", .kind = io::file_call::size, .number = ESTALE, .gives = errc::file};
      tier->arm(t);
      f.size(error);
      CHECK(tier->disarm());
      CHECK(error == errc::file);
      tier->arm(t);
      outcome const o = thrown_by([&] { f.size(); });
      tier->disarm();
      CHECK(o.code == errc::file);
      CHECK(o.cause.value() == ESTALE);
    }
    CHECK(f.size() == 0);
    f.close(error);
    CHECK_FALSE(error);
  }
}

TEST_CASE("a failed sync is repeated by every later one until the loss is cleared",
          "[faults][whole]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  system_calls tier("broken");
  io::file f = io::file::open(world, directory / "broken.dat", mode::create | mode::read_write);
  int const bad = world.size() - 1;
  if (world.rank() == bad) tier.arm({.name = "EIO", .kind = io::file_call::sync, .number = EIO});
  std::error_code error;
  f.sync(error);
  if (world.rank() == bad) CHECK(tier.disarm());
  auto const promised = world.rank() == bad ? errc::io : errc::error_on_another_rank;
  CHECK(error == promised);
  std::string const digits = "0123456789";
  for (int i = 0; i < 3; ++i) {
    // succeeds, but does not make up for the lost write
    f.write_at_all(world.rank() * 10, digits, error);
    CHECK_FALSE(error);
    f.sync(error);
    CHECK(error == promised);
    CHECK(contains(f.what_failed(), "may be lost"));
  }
  f.clear_sync_error();
  f.sync(error);
  CHECK_FALSE(error);
  if (world.rank() == 0) tier.arm({.name = "EIO", .kind = io::file_call::sync, .number = EIO});
  f.sync(error);
  if (world.rank() == 0) tier.disarm();
  CHECK(error == (world.rank() == 0 ? errc::io : errc::error_on_another_rank));
  f.close(error);
  CHECK_FALSE(error);
}

// --- Real limits ---------------------------------------------------------------------------------

TEST_CASE("a file size limit of one rank is EFBIG in the call, and the process lives",
          "[faults][real]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const path = directory / "state.dat";
  constexpr std::int64_t limit = 1 << 20, large = 1 << 17;
  std::vector<char> data(large, static_cast<char>('a' + world.rank()));
  table cells(world, "RLIMIT_FSIZE");
  auto const all_policies = {io::extend::any_policy(io::independent{}),
                             io::extend::any_policy(io::sieving{})};
  for_each_set_of_ranks(world, [&](bool limited_here, std::string const& where) {
    using call =
        std::function<io::report(io::file&, io::extend::any_policy const&, std::error_code&)>;
    std::int64_t const beyond = limit + world.rank() * large;
    std::pair<char const*, call> const calls[] = {
        {"write_at",
         [&](io::file& f, auto& p, auto& e) { return f.write_at(beyond, data, {p, e}); }},
        {"iwrite_at",
         [&](io::file& f, auto& p, auto& e) { return f.iwrite_at(beyond, data, p).wait(e); }},
        {"write_at_all",
         [&](io::file& f, auto& p, auto& e) { return f.write_at_all(beyond, data, {p, e}); }},
        {"write_at_all over the limit",
         [&](io::file& f, auto& p, auto& e) {
           return f.write_at_all(limit - large / 2, data, {p, e});
         }},
        {"set_size",
         [&](io::file& f, auto&, auto& e) { return f.set_size(2 * limit, e), io::report(); }},
        {"preallocate",
         [&](io::file& f, auto&, auto& e) { return f.preallocate(2 * limit, e), io::report(); }},
    };
    for (io::extend::any_policy const& policy : all_policies)
      for (auto const& [name, run] : calls) {
        cells.begin(std::string(name) + ", limit " + where);
        std::string_view const n = name;
        std::error_code error;
        io::file f = io::file::open(world, path, mode::create | mode::read_write, error);
        cells.expect(!error, "opening: " + error.message());
        f.set_size(0, error);
        rlimit before{};
        ::getrlimit(RLIMIT_FSIZE, &before);
        if (limited_here) {
          rlimit const less{static_cast<rlim_t>(limit), before.rlim_max};
          ::setrlimit(RLIMIT_FSIZE, &less);
        }
        io::report const r = run(f, policy, error);
        ::setrlimit(RLIMIT_FSIZE, &before);
        bool const one_rank = n == "set_size" || n == "preallocate";
        bool const fails = limited_here && (!one_rank || world.rank() == 0);
        promises const all(world, {fails ? static_cast<int>(errc::file_too_large) : 0, EFBIG});
        std::error_code const promised =
            all.code(n.find("write_at") == n.npos || n.ends_with("all") || n.ends_with("limit"));
        cells.expect(error == promised, error.message() + ", promised " + promised.message());
        if (n.ends_with("over the limit") && fails)
          cells.expect(r.bytes <= large / 2, std::to_string(r.bytes) + " bytes");
        f.set_size(10, error);
        cells.expect(!error, "afterwards: " + error.message());
        f.close(error);
        cells.expect(!error, "closing: " + error.message());
        cells.end();
        world.barrier();
      }
  });
}

TEST_CASE("a full disk is no_space on the ranks that it struck, and the counts are true",
          "[faults][real]") {
  io::mpi const world = everyone();
  common_directory const directory(world);
  std::string const place = directory / "small", path = place + "/state.dat";
  std::optional<io::test::small_tmpfs> disk;
  if (world.rank() == 0) disk.emplace(place, "size=256k");
  // All ranks must see the mount.
  world.barrier();
  if (world.rank() == 0 && disk->mounted()) make_file(place + "/seen", 1);
  world.barrier();
  if (!true_everywhere(world, std::filesystem::exists(place + "/seen"))) {
    if (world.rank() == 0)
      skipped("a full file system: mounting a small one needs the right to (root)");
    return;
  }
  table cells(world, "a full tmpfs");
  constexpr std::int64_t mine = 160 << 10;  // two ranks fill the disk
  std::int64_t const start = world.rank() * mine;
  std::vector<char> data(mine, static_cast<char>('a' + world.rank()));
  using call =
      std::function<io::report(io::file&, io::extend::any_policy const&, std::error_code&)>;
  std::pair<char const*, call> const calls[] = {
      {"write_at", [&](io::file& f, auto& p, auto& e) { return f.write_at(start, data, {p, e}); }},
      {"iwrite_at",
       [&](io::file& f, auto& p, auto& e) { return f.iwrite_at(start, data, p).wait(e); }},
      {"write_shared", [&](io::file& f, auto& p, auto& e) { return f.write_shared(data, {p, e}); }},
      {"write_at_all",
       [&](io::file& f, auto& p, auto& e) { return f.write_at_all(start, data, {p, e}); }},
      {"write_all",
       [&](io::file& f, auto& p, auto& e) { return f.seek(start), f.write_all(data, {p, e}); }},
      {"write_ordered",
       [&](io::file& f, auto& p, auto& e) { return f.write_ordered(data, {p, e}); }},
  };
  for (bool const alone : {true, false})
    for (io::extend::any_policy const& policy :
         {io::extend::any_policy(io::independent{.buffer_bytes = 16 << 10}),
          io::extend::any_policy(io::sieving{.write_window_bytes = 16 << 10})})
      for (auto const& [name, run] : calls) {
        cells.begin(std::string(name) + ", " + std::string(policy.name()) +
                    (alone ? ", one more file" : ""));
        // Either another file leaves little space on the disk, or the ranks fill it.
        if (world.rank() == 0) {
          std::filesystem::remove(place + "/other");
          if (alone) make_file(place + "/other", 200 << 10);
        }
        world.barrier();
        std::error_code error;
        io::file f = io::file::open(world, path, mode::create | mode::read_write, error);
        cells.expect(!error, "opening: " + error.message());
        io::report const r = run(f, policy, error);
        bool const full = error == errc::no_space;
        promises const all(world, {full ? static_cast<int>(errc::no_space) : 0, ENOSPC});
        cells.expect(all.any() || (!alone && world.size() == 1), "nobody was struck");
        bool const collective = contains(name, "_all") || contains(name, "ordered");
        cells.expect(error == all.code(collective), error.message());
        if (full)
          cells.expect(contains(f.what_failed(), "no space") || contains(name, "iwrite"),
                       f.what_failed());
        cells.expect(full ? r.bytes < mine : r.bytes == mine, std::to_string(r.bytes) + " bytes");
        // At least the bytes that the report counts must be in the file.
        std::string const content = content_of(path);
        cells.expect(std::count(content.begin(), content.end(), data[0]) >= r.bytes,
                     "counted more than was written");
        if (!contains(name, "shared"))
          for (std::int64_t i = 0; i < r.bytes; ++i)
            if (content[static_cast<std::size_t>(start + i)] != data[0]) {
              cells.expect(false, "byte " + std::to_string(i) + " is not there");
              break;
            }
        world.barrier();
        // There is no space for this either, and the file must not change.
        std::int64_t const size = f.size();
        f.preallocate(1 << 20, error);
        cells.expect(error == (world.rank() == 0 ? errc::no_space : errc::error_on_another_rank),
                     error.message());
        cells.expect(f.size() == size, "preallocate changed the size");
        world.barrier();
        // When there is space again, the same file must work.
        f.set_size(0, error);
        cells.expect(!error, "set_size: " + error.message());
        f.write_at_all(world.rank() * 100, std::span(data).first(100), error);
        cells.expect(!error, "afterwards: " + error.message());
        f.close(error);
        cells.expect(!error, "closing: " + error.message());
        cells.end();
        world.barrier();
      }
  world.barrier();
}

// Files on virtual ranks whose handles throw, whose calls fail, or whose ranks die.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "lab/cluster/virtual_files_cases.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

namespace {

struct throwing : io::extend::forwarding<throwing, io::extend::any_handle> {
  throwing(io::extend::any_handle inner, io::file_call call)
      : forwarding(std::move(inner)), at(call) {}
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& c, Act&& act) {
    if (c.kind == at) throw std::runtime_error("not this one");
    return act();
  }
  io::file_call at;
};

}  // namespace

TEST_CASE("where an opener or its handle throws in open, no rank waits, and nothing is left behind",
          "[virtual][file]") {
  auto const where = GENERATE(io::file_call::open, io::file_call::size, io::file_call::lock,
                              io::file_call::unlock);
  auto const failing = GENERATE(0, 1, 2);
  CAPTURE(to_string(where), failing);
  io::lab::virtual_files const files;
  int told = 0;
  io::lab::virtual_cluster({.ranks = 3, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        io::opener const below = files.opener();
        io::opener const mine = below.opening(
            [&](std::string const& path, io::extend::open_flags flags, std::error_code& error) {
              if (world.rank() != failing) return below(path, flags, error);
              if (where == io::file_call::open) throw std::runtime_error("not this one");
              io::extend::any_handle h = below(path, flags, error);
              if (error) return h;
              return io::extend::any_handle(throwing(std::move(h), where));
            });
        std::error_code error;
        std::string thrown;
        virtual_file f;
        try {
          // Only a unique open tries a lock and releases it.
          io::mode const more =
              where == io::file_call::unlock ? io::mode::unique_open : io::mode::none;
          f = virtual_file::open(world, "f",
                                 io::mode::create | io::mode::write | io::mode::append | more,
                                 error, mine);
        } catch (std::runtime_error const& e) {
          thrown = e.what();
        }
        CHECK_FALSE(f.is_open());
        CHECK(thrown == (world.rank() == failing ? "not this one" : ""));
        if (world.rank() != failing && error == io::errc::error_on_another_rank) ++told;
      });
  CHECK(told == 2);
  // The file stays if a rank that made it cannot find out whether it is still empty and its own.
  bool const unsure = where == io::file_call::size || where == io::file_call::lock;
  CHECK(files.exists("f") == (unsure && failing == 0));
}

TEST_CASE("where asking for the shared pointer throws on the one rank that asks, no rank waits",
          "[virtual][file]") {
  io::lab::virtual_files const files;
  io::opener const below = files.opener();
  bool breaks = false;
  io::opener const throwing = below.opening(
      [&](std::string const& path, io::extend::open_flags flags, std::error_code& error) {
        if (breaks && path.find(".pointer-") != std::string::npos)
          throw std::runtime_error("not this one");
        return below(path, flags, error);
      });
  for (bool const sequential : {false, true}) {
    CAPTURE(sequential);
    breaks = false;
    io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto const modes =
              sequential ? io::mode::create | io::mode::write | io::mode::sequential : create;
          auto f = virtual_file::open(world, "f", modes, {}, throwing);
          // The pointer must have been used by some rank. Otherwise its value is known, and no rank
          // reads it.
          bytes const first = filled(1, 1);
          if (world.rank() == 2) f.write_shared(first);
          world.barrier();
          breaks = true;
          std::error_code error;
          std::string thrown;
          try {
            if (sequential)
              f.set_view(io::extend::current_displacement,
                         {io::type<std::uint8_t>, io::type<std::uint8_t>}, error);
            else
              f.seek_shared(1, io::seek_from::current, error);
          } catch (std::runtime_error const& e) {
            thrown = e.what();
          }
          CHECK(thrown == (world.rank() == 0 ? "not this one" : ""));
          CHECK((error == io::errc::error_on_another_rank) == (world.rank() != 0));
          world.barrier();
          breaks = false;
          CHECK(f.view().displacement() == 0);
          bytes const last = filled(1, 2);
          f.write_ordered(last);
          f.close();
        });
  }
}

TEST_CASE("scenarios break the calls of a rank", "[virtual][file][faults]") {
  auto const run = [](io::lab::scenario s, auto&& check) {
    s.ranks = 4;
    s.ranks_per_node = 2;
    io::lab::virtual_files const files(s.disk);
    io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
      std::error_code e;
      auto f = virtual_file::open(world, "f", create, e, files.opener());
      std::vector<int> const data(5000, world.rank() + 1);
      if (!e) f.write_at_all(world.rank() * std::int64_t{20000}, data, e);
      check(world, e, f);
    });
    return files;
  };
  int const victim = 2;
  auto const errors = [&](io::errc mine) {
    return [=](io::lab::virtual_rank const& world, std::error_code const& e, virtual_file&) {
      CAPTURE(world.rank());
      CHECK(e == (world.rank() == victim ? mine : io::errc::error_on_another_rank));
    };
  };
  run({.faults = {{victim, io::fail_at(io::file_call::write, 1, std::errc::io_error)}}},
      errors(io::errc::io));
  run({.faults = {{victim, io::write_partly_at(io::file_call::write, 1, 100,
                                               std::errc::no_space_on_device)}}},
      errors(io::errc::no_space));
  run({.faults = {{victim, io::fail_at(io::file_call::open, 1, std::errc::permission_denied)}}},
      errors(io::errc::access));
  // The faults strike below the retries, so the caller must see no error.
  auto const none = [](io::lab::virtual_rank const&, std::error_code const& e, virtual_file& f) {
    CHECK_FALSE(e);
    f.close();
  };
  io::lab::virtual_files const whole = run({}, none);
  auto const storm = run({.faults = {{-1, io::interrupt_at(io::file_call::write, 1, 50)},
                                     {-1, io::interrupt_at(io::file_call::open, 1, 3)}}},
                         none);
  CHECK(storm.content("f") == whole.content("f"));
  io::fault busy = io::fail_at(io::file_call::open, 1, std::errc::resource_unavailable_try_again);
  busy.times = 3;
  CHECK(run({.faults = {{-1, busy}}}, none).content("f") == whole.content("f"));
  auto const small = run(
      {.faults = {{-1, io::shorten_at(io::file_call::write, 1, 777, io::fault::forever)}}}, none);
  CHECK(small.content("f") == whole.content("f"));
  double slow = 0;
  run({.faults = {{1, io::delay_at(io::file_call::write, 1, std::chrono::milliseconds(500))}}},
      [&](io::lab::virtual_rank const& world, std::error_code const& e, virtual_file&) {
        CHECK_FALSE(e);
        slow = world.now();
      });
  CHECK(slow > 0.5);
  run({.faults = {{1, io::fail_from(io::file_call::write, 1,
                                    std::errc::resource_unavailable_try_again)}}},
      [&](io::lab::virtual_rank const& world, std::error_code const& e, virtual_file&) {
        CHECK(e == (world.rank() == 1 ? io::errc::io : io::errc::error_on_another_rank));
        CHECK(world.now() > 5);  // seconds of retries, which take no real time
      });
  io::lab::scenario full;
  full.disk.capacity_bytes = 40'000;
  run(full, [](io::lab::virtual_rank const&, std::error_code const& e, virtual_file&) {
    CHECK((e == io::errc::no_space || e == io::errc::error_on_another_rank));
  });
}

// When another node reads the hidden file, its bytes are refused on their way to disk. If the rank
// that wrote them did not sync, its call would be over by then.
TEST_CASE("where the hidden file of a shared pointer loses bytes, no place is given twice",
          "[virtual][file][faults]") {
  io::lab::gpfs::machine one_server;
  one_server.servers = 1;
  io::lab::virtual_gpfs const files(
      one_server, 2,
      io::lab::gpfs::parse_troubles("fault=server:-1,call:write,times:1,error:ENOSPC"));
  bool told = false;
  std::int64_t behind = -1;
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, "f", create, {}, files.opener());
        std::int32_t const one = world.rank() + 1;
        std::error_code error;
        for (int turn = 0; turn < 2; ++turn) {
          if (turn == world.rank()) f.write_shared(one, error);
          world.barrier();
        }
        if (world.rank() == 0) {
          told = error == io::errc::no_space;
          CHECK_THAT(f.what_failed(), ContainsSubstring("syncing the shared pointer"));
          behind = f.position_shared();
        } else {
          CHECK_FALSE(error);
        }
        f.close();
      });
  CHECK(told);
  CHECK(behind == 4);
  CHECK(files.content("f") == bytes({std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}}));
}

TEST_CASE("a rank dies at any operation: no survivor hangs or reports success for it",
          "[virtual][file][faults]") {
  // A report at close is one more call in which a rank may be missing.
  bool const reports = GENERATE(false, true);
  CAPTURE(reports);
  if (reports) ::setenv("ARGOSY_REPORT", "/dev/null", 1);
  int const ranks = 5, victim = 3;
  bool died = true;
  std::int64_t k = 1;
  for (; died && k < 500; ++k) {
    CAPTURE(k);
    io::lab::virtual_files const files;
    std::vector<std::error_code> opened(ranks), written(ranks), closed(ranks);
    auto const r =
        io::lab::virtual_cluster(
            {.ranks = ranks, .ranks_per_node = 2, .seed = 7, .deaths = {{victim, k}}}, roomy)
            .run([&](io::lab::virtual_rank const& world) {
              auto const me = static_cast<std::size_t>(world.rank());
              try {
                auto f = virtual_file::open(world, "f", create, opened[me], files.opener());
                if (opened[me]) return;
                std::vector<int> const data(1000, world.rank() + 1);
                f.write_at_all(world.rank() * 4000, data, written[me]);
                f.close(closed[me]);
                CHECK_FALSE(f.is_open());
              } catch (io::extend::rank_failure const&) {
                FAIL("a file lets rank_failure out");
              }
            });
    died = !r.dead.empty();
    if (!died) break;
    CHECK(r.dead == std::vector<int>{victim});
    bytes const all = files.content("f");
    bool const complete = all.size() >= 4000 * (victim + 1) &&
                          all[4000 * victim] == std::byte{victim + 1} &&
                          all[4000 * victim + 3996] == std::byte{victim + 1};
    for (std::size_t i = 0; i < ranks; ++i) {
      if (i == victim) continue;
      for (std::error_code const& e : {opened[i], written[i], closed[i]})
        CHECK((!e || e == io::errc::rank_failed));
      if (!opened[i] && !written[i]) CHECK(complete);
      if (!opened[i] && !opened[0]) CHECK(written[i] == written[0]);
    }
  }
  ::unsetenv("ARGOSY_REPORT");
  CHECK(k > 10);
  CHECK_FALSE(died);
}

TEST_CASE("a handle that throws in an aggregator keeps nobody waiting", "[virtual][file][faults]") {
  bool const reads = GENERATE(false, true);
  CAPTURE(reads);
  io::lab::virtual_files files;
  files.put("f", filled(4000, 1));
  int thrown = 0, told = 0;
  io::lab::virtual_cluster({.ranks = 4, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto const script = std::make_shared<io::fault_script>();
        script->sleep_by(
            [](std::chrono::nanoseconds) { throw std::runtime_error("a handle of the program"); });
        io::file_call const call = reads ? io::file_call::read : io::file_call::write;
        if (world.rank() == 1) script->add(io::delay_at(call, 2, std::chrono::nanoseconds(1)));
        auto f = virtual_file::open(world, "f", io::mode::read_write, {},
                                    io::with_faults(files.opener(), script));
        std::vector<std::byte> data = filled(1000, 2);
        io::two_phase const rounds{.buffer_bytes = 400, .aggregators = 4, .align_bytes = 100};
        std::error_code e;
        try {
          if (reads)
            f.read_at_all(1000 * world.rank(), data, {rounds, e});
          else
            f.write_at_all(1000 * world.rank(), data, {rounds, e});
          told += e == io::errc::error_on_another_rank;
        } catch (std::runtime_error const& own) {
          CHECK(world.rank() == 1);
          ++thrown;
        }
        f.close();  // the file is still usable
      });
  CHECK(thrown == 1);
  CHECK(told == 3);
  bytes const after = files.content("f");
  CHECK(std::count(after.begin(), after.end(), std::byte{2}) == (reads ? 0 : 3800));
}

TEST_CASE("a handle that throws leaves no lock behind", "[virtual][file][faults]") {
  bool const atomic = GENERATE(false, true);
  CAPTURE(atomic);
  io::lab::virtual_files files;
  files.put("f", filled(4000, 1));
  io::lab::virtual_cluster({.ranks = 2, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto const script = std::make_shared<io::fault_script>();
        script->sleep_by(
            [](std::chrono::nanoseconds) { throw std::runtime_error("a handle of the program"); });
        if (world.rank() == 1)
          script->add(io::delay_at(io::file_call::write, 1, std::chrono::nanoseconds(1)));
        auto f = virtual_file::open(world, "f", io::mode::read_write, {},
                                    io::with_faults(files.opener(), script));
        f.set_atomic(atomic);
        f.set_view(0, {io::type<std::byte>, io::resized(io::bytes(8), 0, 16)});
        std::vector<std::byte> const data(800, std::byte{2});
        io::sieving const merged{.write_window_bytes = 500, .writes = io::sieving_mode::always};
        std::error_code e;
        if (world.rank() == 1)
          CHECK_THROWS_WITH(f.write_at(0, data, {merged, e}), "a handle of the program");
        world.barrier();
        CHECK(f.write_at(0, data, {merged, e}).bytes == 800);  // on rank 0, too: the lock is free
        CHECK_FALSE(e);
        f.close();
      });
  bytes const after = files.content("f");
  CHECK(std::count(after.begin(), after.end(), std::byte{2}) == 800);
}

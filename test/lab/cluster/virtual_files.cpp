// argosy's files on virtual ranks. One page because all cases are short programs on the same
// virtual files.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "lab/cluster/virtual_files_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

namespace {

// Deals blocks of ints to the ranks at random, the same way on all ranks.
std::vector<int> deal(std::mt19937_64& random, int ranks, int blocks) {
  std::vector<int> owner(static_cast<std::size_t>(blocks));
  for (int& o : owner) o = static_cast<int>(random() % static_cast<unsigned>(ranks));
  return owner;
}

void write_and_read(io::lab::virtual_rank const& world, io::lab::virtual_files const& files,
                    std::uint64_t number, int blocks) {
  std::mt19937_64 random(number);
  constexpr int block = 3;
  auto const owner = deal(random, world.size(), blocks);
  std::vector<std::int64_t> mine;
  for (int b = 0; b < blocks; ++b)
    if (owner[static_cast<std::size_t>(b)] == world.rank()) mine.push_back(b * block);
  std::vector<int> data(mine.size() * block), back(mine.size() * block);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = world.rank() * 100003 + static_cast<int>(i);

  auto f = virtual_file::open(world, "state", create, {}, files.opener());
  if (mine.empty())
    f.set_view(0, io::type<int>);
  else
    f.set_view(0, {io::type<int>, io::resized(io::indexed_block(block, mine, io::type<int>), 0,
                                              std::int64_t{4} * blocks * block)});
  CHECK(f.write_all(data).bytes == static_cast<std::int64_t>(data.size() * sizeof(int)));
  f.seek(0);
  CHECK(f.read_all(back).bytes == static_cast<std::int64_t>(back.size() * sizeof(int)));
  CHECK(back == data);
  f.close();

  if (world.rank() != 0) return;
  bytes const all = files.content("state");
  std::map<int, int> next;
  std::size_t wrong = 0;
  for (std::size_t b = 0; b < owner.size(); ++b)
    for (std::size_t i = 0; i < block; ++i) {
      int value = 0;
      std::memcpy(&value, all.data() + (b * block + i) * sizeof(int), sizeof(int));
      wrong += value != owner[b] * 100003 + next[owner[b]]++;
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a program writes and reads by random views", "[virtual][file]") {
  int const most = io::test::sanitized ? 64 : 1024;
  for (int ranks : {1, 7, 64, most})
    for (std::uint64_t round = 0; round < (ranks > 64 ? 1 : 4); ++round) {
      std::uint64_t const number = seed() + round;
      CAPTURE(ranks, number);
      io::lab::virtual_files const files;
      io::lab::virtual_cluster const cluster({.ranks = ranks, .ranks_per_node = 8, .seed = number},
                                             roomy);
      cluster.run([&](io::lab::virtual_rank const& world) {
        write_and_read(world, files, number, ranks * 5);
      });
    }
}

TEST_CASE("virtual ranks use files of the operating system", "[virtual][file]") {
  io::test::scratch const directory;
  std::string const path = directory / "state";
  io::lab::virtual_cluster({.ranks = 12, .ranks_per_node = 4, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, path, create);
        f.set_hints({.ds_write = io::tristate::enable});  // all writes are locked
        f.set_view(
            // every other int belongs to no rank
            0, {io::type<int>, io::resized(at(4 * world.rank(), io::bytes(4)), 0, 4 * 24)});
        std::vector<int> const data(100, world.rank() + 1);
        std::vector<int> back(100);
        CHECK(
            f.write_at_all(0, data, io::two_phase{.buffer_bytes = 512, .align_bytes = 64}).bytes ==
            400);
        CHECK(f.write_at(0, data,
                         io::sieving{.write_window_bytes = 96, .writes = io::sieving_mode::always})
                  .locks > 0);
        f.sync();
        CHECK(f.read_at_all(0, back).bytes == 400);
        CHECK(back == data);
        f.close();
      });
  CHECK(std::filesystem::file_size(path) == 4 * (99 * 24 + 12));
}

TEST_CASE("a timeline shows exchange and file access", "[virtual][file]") {
  io::lab::virtual_files const files;
  auto const r =
      io::lab::virtual_cluster({.ranks = 8, .ranks_per_node = 4, .seed = 1}, {.timeline = true})
          .run([&](io::lab::virtual_rank const& world) {
            auto f = virtual_file::open(world, "f", create, {}, files.opener());
            bytes const mine(4096, std::byte{1});
            f.set_view(0, {io::type<std::byte>,
                           io::resized(at(8 * world.rank(), io::bytes(8)), 0, 8 * world.size())});
            f.write_all(mine, io::two_phase{.buffer_bytes = 4096, .align_bytes = 64});
            f.close();
          });
  auto const some = [&](std::string_view kind, std::string_view name) {
    return std::any_of(r.timeline.begin(), r.timeline.end(), [=](io::lab::virtual_span const& s) {
      return s.kind == kind && s.name == name && s.bytes > 0 && s.end_ps > s.begin_ps;
    });
  };
  CHECK(some("message", "send"));
  CHECK(some("file", "write"));
  CHECK(some("collective", "all_reduce"));
}

TEST_CASE("a program of files is a function of its scenario", "[virtual][file]") {
  auto const hash = [](std::uint64_t number) {
    io::lab::virtual_files const files;
    return io::lab::virtual_cluster({.ranks = 20, .ranks_per_node = 8, .seed = number}, roomy)
        .run([&](io::lab::virtual_rank const& world) { write_and_read(world, files, 1, 100); })
        .trace_hash;
  };
  CHECK(hash(1) == hash(1));
  CHECK(hash(1) != hash(2));
}

TEST_CASE("nonblocking access runs beside its rank", "[virtual][file]") {
  io::lab::virtual_files const files;
  auto const r =
      io::lab::virtual_cluster({.ranks = 5, .ranks_per_node = 2, .seed = 3}, roomy)
          .run([&](io::lab::virtual_rank const& world) {
            auto f = virtual_file::open(world, "f", create, {}, files.opener());
            std::vector<int> const data(1 << 18, world.rank());
            double const began = world.now();
            io::request request = f.iwrite_at(world.rank() * std::int64_t{4} * (1 << 18), data);
            CHECK(world.now() < began + 1e-4);
            CHECK_FALSE(request.test());
            CHECK(request.wait().bytes == 1 << 20);
            CHECK(world.now() > began + 2.5e-4);
            std::vector<int> back(1 << 18);
            io::request again = f.iread_at(world.rank() * std::int64_t{4} * (1 << 18), back);
            while (!again.test()) {
            }
            again.wait();
            CHECK(back == data);
            {
              [[maybe_unused]] io::request const dropped = f.iread_at(0, back);
            }
            io::request left = f.iread_at(0, back);
            f.close();  // waits for the request
            CHECK(left.wait().bytes == 1 << 20);

            // If ranks are on several nodes, the shared pointer lies in a hidden file.
            auto g = virtual_file::open(world, "g", create, {}, files.opener());
            int const one = world.rank();
            g.set_view(0, io::type<int>);
            g.write_shared(one);
            g.write_ordered(one);
            world.barrier();
            CHECK(g.position_shared() == 10);
            g.close();
          });
  CHECK(r.file_calls > 0);
  CHECK(files.names() == std::vector<std::string>{"f", "g"});
}

TEST_CASE("a view of a sequential file begins at the same place for all, however late a rank comes",
          "[virtual][file]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, "f",
                                    io::mode::create | io::mode::write | io::mode::sequential, {},
                                    files.opener());
        if (world.rank() == 1) {
          world.compute(0.3);
          bytes const early = filled(100, 1);
          f.write_shared(early);
        }
        f.set_view(io::extend::current_displacement,
                   {io::type<std::uint8_t>, io::type<std::uint8_t>});
        CHECK(f.view().displacement() == 100);
        bytes const last = filled(1, 2);
        f.write_ordered(last);
        f.close();
      });
  bytes expected = filled(100, 1);
  expected.resize(103, std::byte{2});
  CHECK(files.content("f") == expected);
}

TEST_CASE("a hint that may not change while a rank has a request is rejected on all ranks",
          "[virtual][file]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, "f", create, {}, files.opener());
        bytes const data = filled(1 << 20, 1);
        io::request request;
        if (world.rank() == 1) request = f.iwrite_at(0, data);
        f.set_hints({.io_buffer_bytes = 1 << 16});
        io::hint_state const* const state = f.get_hints().find("IBM_io_buffer_size");
        CHECK(state->status == io::hint_status::rejected);
        CHECK_THAT(state->why, ContainsSubstring("pending"));
        CHECK(state->value == "0");
        // The value of rank 0 does not count either while a request is pending. Hints that may
        // change do.
        f.set_hints({.io_buffer_bytes = (1 + world.rank()) << 16,
                     .policy = world.rank() == 0 ? "sieving" : "two_phase"});
        CHECK(f.get_hints().find("IBM_io_buffer_size")->value == "0");
        CHECK(f.get_hints().find("argosy_policy")->value == "sieving");
        request.wait();
        std::error_code differs;
        f.set_hints({.cb_block_bytes = (1 + world.rank()) << 16}, differs);
        CHECK(differs == io::errc::not_same);
        f.set_hints({.io_buffer_bytes = (1 + world.rank()) << 16});
        CHECK(f.get_hints().find("IBM_io_buffer_size")->value == "65536");
        f.close();
      });
}

TEST_CASE(
    "a rank that cannot make the file of the shared pointer reads where another one has moved it",
    "[virtual][file][faults]") {
  bool const somebody_moves = GENERATE(false, true);
  io::lab::scenario const s{
      .ranks = 2,
      .ranks_per_node = 1,
      .faults = {{1, io::fail_at(io::file_call::open, 2, std::errc::permission_denied)}}};
  io::lab::virtual_files const files(s.disk);
  io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
    auto f = virtual_file::open(world, "f", create, {}, files.opener());
    std::vector<char> const data(70, 'x');
    if (world.rank() == 0 && somebody_moves) f.write_shared(data);
    f.sync();
    CHECK(f.position_shared() == (somebody_moves ? 70 : 0));
    f.close();
  });
}

TEST_CASE("ranks of one virtual node write and read together", "[virtual][file]") {
  constexpr int ranks = 6, blocks = 40, block = 5;
  auto const program = [&](io::lab::virtual_rank const& world, io::lab::virtual_files const& files,
                           std::error_code& e) {
    std::vector<std::int64_t> mine;
    // every seventh block belongs to no rank
    for (int b = world.rank(); b < blocks; b += ranks + 1) mine.push_back(b * block);
    std::vector<int> data(mine.size() * block, world.rank() + 1), back(data.size());
    auto f = virtual_file::open(world, "f", create, {}, files.opener());
    f.set_view(0, {io::type<int>, io::resized(io::indexed_block(block, mine, io::type<int>), 0,
                                              4 * blocks * block)});
    io::two_phase const rounds{.buffer_bytes = 128, .aggregators = 3, .align_bytes = 32};
    io::report const put = f.write_all(data, {rounds, e});
    if (e) return put;
    CHECK(put.policy == "two_phase");
    CHECK(put.rounds >= 4);
    f.seek(0);
    io::report const got = f.read_all(back, {rounds, e});
    if (e) return got;
    CHECK(got.policy == "two_phase");
    CHECK(back == data);
    f.close();
    return put;
  };
  auto const right = [&](std::vector<std::byte> const& all, bool complete) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size() / 4; ++i) {
      int value = 0;
      std::memcpy(&value, all.data() + 4 * i, 4);
      int const owner = static_cast<int>(i / block % (ranks + 1));
      int const wanted = owner < ranks ? owner + 1 : 0x77777777;
      wrong += value != wanted && (complete || value != 0x77777777);
    }
    return wrong == 0;
  };
  auto const before = filled(4 * blocks * block, 0x77);

  io::lab::virtual_files files;
  files.put("f", before);
  io::lab::virtual_cluster({.ranks = ranks, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code e;
        program(world, files, e);
        CHECK_FALSE(e);
      });
  CHECK(right(files.content("f"), true));

  // One window of one aggregator fails, in any round. All ranks must leave the call, and only that
  // window may be missing.
  for (std::int64_t call = 1; call <= 6; ++call) {
    CAPTURE(call);
    io::lab::virtual_files broken;
    broken.put("f", before);
    io::lab::scenario s{.ranks = ranks, .seed = seed()};
    s.faults.push_back({2, io::fail_at(io::file_call::write, call, std::errc::no_space_on_device)});
    int failed = 0;
    auto const r = io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
      std::error_code e;
      program(world, broken, e);
      CHECK(
          (!e || e == (world.rank() == 2 ? io::errc::no_space : io::errc::error_on_another_rank)));
      failed += e ? 1 : 0;
    });
    CHECK((failed == 0 || failed == ranks));
    if (call == 1) CHECK(failed == ranks);
    CHECK(right(broken.content("f"), failed == 0));
  }

  // A rank dies at any operation. The others must get an error, and none may report success if the
  // dead rank's data is missing.
  bool died = true;
  for (std::int64_t k = 1; died; ++k) {
    CAPTURE(k);
    io::lab::virtual_files left;
    left.put("f", before);
    int successes = 0;
    auto const r =
        io::lab::virtual_cluster({.ranks = ranks, .seed = seed(), .deaths = {{3, k}}}, roomy)
            .run([&](io::lab::virtual_rank const& world) {
              std::error_code e;
              try {
                program(world, left, e);
                successes += !e && world.rank() != 3;
              } catch (io::error const& lost) {
                CHECK(lost.code() == io::errc::rank_failed);
              }
              CHECK((!e || e == io::errc::rank_failed));
            });
    died = !r.dead.empty();
    CHECK(right(left.content("f"), successes > 0));
  }
}

TEST_CASE("who waits in a barrier of its own is in no call of a file", "[virtual][file]") {
  io::lab::virtual_files const files;
  try {
    io::lab::virtual_cluster({.ranks = 16}, roomy).run([&](io::lab::virtual_rank const& world) {
      auto f = virtual_file::open(world, "f", create, {}, files.opener());
      if (world.rank() < 3) world.barrier();
      if (world.rank() != 5) f.sync();
    });
    FAIL("no deadlock");
  } catch (io::lab::virtual_run_error const& e) {
    std::string const words = e.what();
    CHECK_THAT(words,
               ContainsSubstring("ranks 0-2 wait since") &&
                   ContainsSubstring("barrier of communicator 0") &&
                   ContainsSubstring(
                       "; its last collective call of a file is open at virtual_files.cpp:"));
    CHECK_THAT(words, ContainsSubstring("ranks 3-4, 6-15 wait since") &&
                          ContainsSubstring("; in sync at virtual_files.cpp:"));
    CHECK(words.find("in open") == std::string::npos);
    CHECK(words.find(".hpp:") == std::string::npos);
  }
}

TEST_CASE("a deadlock of files names the call, and nothing leaks", "[virtual][file]") {
  io::lab::virtual_files const files;
  try {
    io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2, .seed = 7}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto f = virtual_file::open(world, "f", create, {}, files.opener());
          std::vector<int> data(1000);
          io::request const pending = f.iwrite_at(0, data);
          if (world.rank() != 1) f.write_at_all(0, data);
          if (world.rank() == 1) world.receive(std::as_writable_bytes(std::span(data)), 0, 1);
        });
    FAIL("no deadlock");
  } catch (io::lab::virtual_run_error const& e) {
    CHECK(e.why() == io::lab::virtual_run_error::reason::deadlock);
    CHECK_THAT(e.what(), ContainsSubstring("in write_at_all at virtual_files.cpp:"));
    CHECK_THAT(e.what(), ContainsSubstring(
                             "receive from rank 0, tag 1, communicator 0, at virtual_files.cpp:"));
  }
}

TEST_CASE("ARGOSY_REPORT of virtual ranks has virtual times: the same report in every run",
          "[virtual][file][report]") {
  io::test::scratch const dir;
  std::string texts[2];
  for (std::string& text : texts) {
    std::string const to = dir / ("report" + std::to_string(&text - texts));
    ::setenv("ARGOSY_REPORT", to.c_str(), 1);
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 6, .ranks_per_node = 2, .seed = 11}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto f = virtual_file::open(world, "f", create, {}, files.opener());
          std::vector<int> const data(20'000, world.rank());
          world.compute(0.001 * world.rank());
          io::report const r = f.write_at_all(80'000 * world.rank(), data, io::two_phase{});
          CHECK(r.time_ns > 0);
          CHECK(r.agreement_ns > 0);
          CHECK(r.exchange_ns() >= 0);
          // it came 5 ms before the last rank
          if (world.rank() == 0) CHECK(r.agreement_ns > 4'000'000);
          f.write_at(100 * world.rank(), std::span(data).first(25));
          f.iwrite_at_all(80'000 * world.rank(), data).wait();
          f.close();
        });
    ::unsetenv("ARGOSY_REPORT");
    std::ifstream file(to);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  CHECK_THAT(texts[0], ContainsSubstring("argosy report of 'f': 6 ranks") &&
                           ContainsSubstring("local writes") &&
                           ContainsSubstring("collective writes, in the background"));
  CHECK(texts[0] == texts[1]);
  // In virtual time, the report compares with no speed of this machine.
  CHECK(texts[0].find("plain copy") == std::string::npos);
}

TEST_CASE(
    "files are on the scenario's disk, unless they were given one; the report tells of a disk that "
    "nobody used",
    "[virtual][handle]") {
  io::lab::scenario s{.ranks = 2, .ranks_per_node = 1};
  s.disk.capacity_bytes = 2 * s.disk.block_bytes;
  s.disk.has_locks = false;
  std::error_code full, locked;
  auto const run = [&](io::lab::virtual_files const& files) {
    return io::lab::virtual_cluster(s).run(
        [&, open = files.opener()](io::lab::virtual_rank const& world) {
          if (world.rank() != 0) return;
          std::error_code e;
          io::extend::any_handle h = open("a", {.read = true, .write = true, .create = true}, e);
          std::vector<std::byte> const data(static_cast<std::size_t>(3 * s.disk.block_bytes));
          full = h.write(0, data).error;
          locked = h.lock(0, 1, io::extend::lock_kind::shared);
        });
  };
  io::lab::virtual_files followed;
  CHECK(run(followed).did_not_happen.empty());
  CHECK(errno_of(full) == ENOSPC);
  CHECK(locked == io::errc::no_locks);
  CHECK(run(followed).did_not_happen.empty());

  io::lab::virtual_report const other = run(io::lab::virtual_files(io::lab::virtual_disk()));
  CHECK_FALSE(full);
  CHECK_FALSE(locked);
  CHECK(other.did_not_happen ==
        std::vector<std::string>{"disk.capacity_bytes=8192 disk.has_locks=0"});

  // Files that exist in blocks of another size stay as they are.
  io::lab::virtual_files filled;
  filled.put("b", std::vector<std::byte>(10));
  s.disk.block_bytes = 1024;
  CHECK(run(filled).did_not_happen.size() == 1);
  CHECK_FALSE(full);
}

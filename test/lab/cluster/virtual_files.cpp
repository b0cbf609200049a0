// Files of the virtual cluster, and argosy's files on it.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::test::seed;

namespace {

using virtual_file = io::basic_file<io::lab::virtual_rank>;
using bytes = std::vector<std::byte>;
constexpr auto create = io::mode::create | io::mode::read_write;
constexpr io::lab::virtual_options roomy{.stack_bytes = std::size_t{512} << 10};

int errno_of(std::error_code const& e) { return e.category() == std::system_category() ? e.value() : -1; }

bytes filled(std::size_t n, int value) { return bytes(n, static_cast<std::byte>(value)); }

// Blocks of ints that are dealt to the ranks at random, the same way on all of them.
std::vector<int> deal(std::mt19937_64& random, int ranks, int blocks) {
  std::vector<int> owner(static_cast<std::size_t>(blocks));
  for (int& o : owner) o = static_cast<int>(random() % static_cast<unsigned>(ranks));
  return owner;
}

void write_and_read(io::lab::virtual_rank const& world, io::lab::virtual_files const& files, std::uint64_t number,
                    int blocks) {
  std::mt19937_64 random(number);
  constexpr int block = 3;
  auto const owner = deal(random, world.size(), blocks);
  std::vector<std::int64_t> mine;
  for (int b = 0; b < blocks; ++b)
    if (owner[static_cast<std::size_t>(b)] == world.rank()) mine.push_back(b * block);
  std::vector<int> data(mine.size() * block), back(mine.size() * block);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = world.rank() * 100003 + static_cast<int>(i);

  auto f = virtual_file::open(world, "state", create, {}, files.opener());
  if (mine.empty())
    f.set_view(0, io::type<int>);
  else
    f.set_view(0, {io::type<int>,
                   io::resized(io::indexed_block(block, mine, io::type<int>), 0, std::int64_t{4} * blocks * block)});
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

TEST_CASE("virtual files open and fail as those of POSIX", "[virtual][handle]") {
  io::lab::virtual_files files({.capacity_bytes = 5 * 4096});
  io::opener const open = files.opener();
  std::error_code e;
  CHECK_FALSE(open("a", {.read = true}, e).is_open());
  CHECK(errno_of(e) == ENOENT);
  open("a", {}, e);
  CHECK(errno_of(e) == EINVAL);
  io::any_handle a = open("a", {.read = true, .write = true, .create = true, .exclusive = true}, e);
  CHECK_FALSE(e);
  open("a", {.read = true, .write = true, .create = true, .exclusive = true}, e);
  CHECK(errno_of(e) == EEXIST);
  files.make_directory("d");
  open("d", {.read = true}, e);
  CHECK(errno_of(e) == EISDIR);
  files.set_permissions("a", 0400);
  open("a", {.write = true}, e);
  CHECK(errno_of(e) == EACCES);
  CHECK(open("a", {.read = true}, e).is_open());
  files.set_permissions("a", 0600);
  files.set_read_only(true);
  open("a", {.write = true}, e);
  CHECK(errno_of(e) == EROFS);
  open("new", {.write = true, .create = true}, e);
  CHECK(errno_of(e) == EROFS);
  CHECK(errno_of(open.remove("a")) == EROFS);
  files.set_read_only(false);

  // Holes cost nothing, and are zeros. The disk fills.
  CHECK(a.write(1'000'000, filled(100, 1)).bytes == 100);
  CHECK(a.size(e) == 1'000'100);
  bytes some(200, std::byte{7});
  CHECK(a.read(999'900, some).bytes == 200);
  CHECK(std::count(some.begin(), some.end(), std::byte{0}) == 100);
  CHECK(a.read(1'000'050, some).bytes == 50);
  CHECK(a.read(2'000'000, some).bytes == 0);
  CHECK(files.allocated_bytes() == 4096);
  auto const full = a.write(100, filled(6 * 4096, 2));
  CHECK(full.bytes == 4 * 4096 - 100);
  CHECK(errno_of(full.error) == ENOSPC);
  CHECK(a.write(0, filled(4096, 3)).bytes == 4096);  // it has its block
  CHECK(errno_of(a.preallocate(9 * 4096)) == ENOSPC);
  CHECK_FALSE(a.resize(10));
  CHECK(a.size(e) == 10);
  CHECK(files.allocated_bytes() == 4096);
  CHECK_FALSE(a.resize(100));
  CHECK(files.content("a") == [] {
    auto b = filled(100, 0);
    std::fill_n(b.begin(), 10, std::byte{3});
    return b;
  }());
  CHECK_FALSE(a.preallocate(5 * 4096));
  CHECK_FALSE(a.close());
  CHECK(errno_of(a.close()) == EBADF);
  CHECK_FALSE(open.remove("a"));
  CHECK(errno_of(open.remove("a")) == ENOENT);
  CHECK(files.allocated_bytes() == 0);
  CHECK(files.names().empty());
}

TEST_CASE("servers, stripes and adapters take time", "[virtual][handle]") {
  auto const took = [](int ranks, int servers, std::int64_t piece) {
    io::lab::virtual_files files({.servers = servers, .stripe_bytes = 1 << 16});
    return io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1})
        .run([&](io::lab::virtual_rank const& world) {
          std::error_code e;
          io::any_handle f = files.opener()("f", {.read = true, .write = true, .create = true}, e);
          constexpr std::int64_t each = 1 << 20;
          for (std::int64_t done = 0; done < each; done += piece)
            f.write(world.rank() * each + done, filled(static_cast<std::size_t>(piece), 1));
        })
        .seconds;
  };
  CHECK(took(1, 1, 1 << 20) > 1e-3);
  CHECK(took(1, 1, 1 << 20) < 2e-3);
  CHECK(took(4, 1, 1 << 20) > 4e-3);
  CHECK(took(4, 4, 1 << 20) < 2e-3);
  CHECK(took(1, 1, 1 << 10) > took(1, 1, 1 << 20));
}

TEST_CASE("the middle of a lock may be given back", "[virtual][handle]") {
  io::lab::virtual_files const files;
  constexpr double late = 1e-3;
  io::lab::virtual_cluster({.ranks = 2, .seed = seed()}).run([&](io::lab::virtual_rank const& world) {
    std::error_code e;
    io::any_handle f = files.opener()("f", {.read = true, .write = true, .create = true}, e);
    auto const told = [&](std::int64_t offset, std::int64_t bytes) {
      CHECK_FALSE(f.lock(offset, bytes, io::lock_kind::exclusive));
      double const at = world.now();
      CHECK_FALSE(f.unlock(offset, bytes));
      return at;
    };
    for (std::int64_t const still : {0, 39, 60, 99}) {
      if (world.rank() == 0) {
        CHECK_FALSE(f.lock(0, 100, io::lock_kind::exclusive));
        CHECK_FALSE(f.unlock(40, 20));
      }
      world.barrier();
      double const begin = world.now();
      if (world.rank() == 0) {
        world.compute(late);
        CHECK_FALSE(f.unlock(0, 100));
      } else {
        CHECK(told(40, 20) - begin < late / 2);
        CHECK(told(still, 1) - begin > late / 2);
      }
      world.barrier();
    }
    CHECK_FALSE(f.close());
  });
}

TEST_CASE("what does not fit on the disk cannot be put there", "[virtual][handle]") {
  io::lab::virtual_files files({.capacity_bytes = 2 * 4096});
  files.put("f", filled(2 * 4096, 1));
  CHECK_THROWS_AS(files.put("g", filled(1, 1)), std::length_error);
  files.put("f", filled(4096, 2));  // what was there makes room
  files.put("g", filled(4096, 3));
  CHECK_THROWS_AS(files.put("g", filled(4097, 4)), std::length_error);
}

TEST_CASE("a lock is waited for in virtual time", "[virtual][handle]") {
  io::lab::virtual_files const files;
  int count = 0, inside = 0;
  io::lab::virtual_cluster({.ranks = 20, .seed = seed()}).run([&](io::lab::virtual_rank const& world) {
    std::error_code e;
    io::any_handle f = files.opener()("f", {.read = true, .write = true, .create = true}, e);
    for (int i = 0; i < 5; ++i) {
      CHECK_FALSE(f.lock(10, 10, io::lock_kind::exclusive));
      CHECK(++inside == 1);
      world.compute(1e-4);
      world.pause();
      ++count;
      --inside;
      CHECK_FALSE(f.unlock(10, 10));
    }
    // Readers share; parts of one's own may be converted.
    CHECK_FALSE(f.lock(10, 10, io::lock_kind::shared));
    world.barrier();
    CHECK_FALSE(f.lock(1000 * world.rank(), 10, io::lock_kind::exclusive));
    CHECK_FALSE(f.unlock(0, INT64_MAX));
    if (world.rank() == 3) CHECK_FALSE(f.lock(0, 1 << 20, io::lock_kind::exclusive));
    CHECK_FALSE(f.close());  // gives back what is left
  });
  CHECK(count == 100);

  try {
    io::lab::virtual_cluster({.ranks = 2}).run([&](io::lab::virtual_rank const& world) {
      std::error_code e;
      io::any_handle f = files.opener()("f", {.read = true, .write = true, .create = true}, e);
      int const mine = world.rank();
      f.lock(100 * mine, 10, io::lock_kind::exclusive);
      world.barrier();
      f.lock(100 * (1 - mine), 10, io::lock_kind::exclusive);
    });
    FAIL("no deadlock");
  } catch (io::lab::virtual_run_error const& e) {
    CHECK_THAT(e.what(), ContainsSubstring("lock of bytes [100, 110) of 'f', held by rank 1"));
  }
  CHECK_FALSE(io::lab::virtual_files({.has_locks = false})
                  .opener()("f", {.write = true, .create = true}, *std::make_unique<std::error_code>())
                  .lock(0, 1, io::lock_kind::shared) != io::errc::no_locks);
}

TEST_CASE("a crash keeps what was synced", "[virtual][handle]") {
  io::lab::virtual_files files;
  std::error_code e;
  io::any_handle f = files.opener()("f", {.read = true, .write = true, .create = true}, e);
  std::size_t const size = 40 * 4096;
  f.write(0, filled(size, 1));
  f.sync();
  f.write(4096, filled(20 * 4096, 2));
  io::any_handle g = files.opener()("g", {.write = true, .create = true}, e);
  g.write(0, filled(10, 9));
  bool seen_old = false, seen_new = false, seen_torn = false, seen_g = false, missed_g = false;
  for (std::uint64_t s = 0; s < 50; ++s) {
    io::lab::virtual_files const left = files.crash(s);
    bytes const now = left.content("f");
    REQUIRE(now.size() == size);
    CHECK(std::all_of(now.begin(), now.begin() + 4096, [](std::byte b) { return b == std::byte{1}; }));
    CHECK(std::all_of(now.begin() + 21 * 4096, now.end(), [](std::byte b) { return b == std::byte{1}; }));
    for (std::ptrdiff_t b = 1; b < 21; ++b) {
      auto const first = now.begin() + b * 4096, end = first + 4096;
      auto const twos = std::count(first, end, std::byte{2});
      CHECK(twos % 512 == 0);
      CHECK(std::all_of(first, first + twos, [](std::byte x) { return x == std::byte{2}; }));
      seen_new = seen_new || twos == 4096;
      seen_old = seen_old || twos == 0;
      seen_torn = seen_torn || (twos > 0 && twos < 4096);
    }
    (left.exists("g") ? seen_g : missed_g) = true;
    CHECK(files.crash(s).content("f") == now);
  }
  CHECK((seen_old && seen_new && seen_torn && seen_g && missed_g));
  f.sync();
  CHECK(files.crash(1).content("f") == files.content("f"));
}

TEST_CASE("what a node has not synced is not safe", "[virtual][handle]") {
  // Rank 0 writes the first four blocks and syncs, rank 1 the last four and does not; the size is safe.
  io::lab::virtual_files files;
  files.put("f", filled(6 * 4096, 0));
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1}).run([&](io::lab::virtual_rank const& world) {
    std::error_code e;
    io::any_handle f = files.opener()("f", {.read = true, .write = true}, e);
    CHECK(f.write(world.rank() * 2 * 4096, filled(4 * 4096, 1)).bytes == 4 * 4096);
    world.barrier();
    if (world.rank() == 0) CHECK_FALSE(f.sync());
  });
  std::size_t lost = 0;
  for (std::uint64_t s = 0; s < 50; ++s) {
    bytes const now = files.crash(s).content("f");
    REQUIRE(now.size() == 6 * 4096);
    CHECK(std::all_of(now.begin(), now.begin() + 2 * 4096, [](std::byte b) { return b == std::byte{1}; }));
    // Of blocks that both have written nothing is safe yet.
    lost += std::any_of(now.begin() + 2 * 4096, now.begin() + 4 * 4096, [](std::byte b) { return b == std::byte{0}; });
    lost += std::any_of(now.begin() + 4 * 4096, now.end(), [](std::byte b) { return b == std::byte{0}; });
  }
  CHECK(lost > 20);
}

TEST_CASE("a program writes and reads by random views", "[virtual][file]") {
#if defined(__SANITIZE_ADDRESS__)
  int const most = 64;
#else
  int const most = 1024;
#endif
  for (int ranks : {1, 7, 64, most})
    for (std::uint64_t round = 0; round < (ranks > 64 ? 1 : 4); ++round) {
      std::uint64_t const number = seed() + round;
      CAPTURE(ranks, number);
      io::lab::virtual_files const files;
      io::lab::virtual_cluster const cluster({.ranks = ranks, .ranks_per_node = 8, .seed = number}, roomy);
      cluster.run([&](io::lab::virtual_rank const& world) { write_and_read(world, files, number, ranks * 5); });
    }
}

TEST_CASE("virtual ranks use files of the operating system", "[virtual][file]") {
  io::test::scratch const directory;
  std::string const path = directory / "state";
  io::lab::virtual_cluster({.ranks = 12, .ranks_per_node = 4, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, path, create);
        f.set_hints({.ds_write = io::toggle::enable});  // or ranks of several nodes do not merge by themselves
        f.set_view(
            0, {io::type<int>, io::resized(at(4 * world.rank(), io::bytes(4)), 0, 4 * 24)});  // every other is nobody's
        std::vector<int> const data(100, world.rank() + 1);
        std::vector<int> back(100);
        CHECK(f.write_at_all(0, data, io::two_phase{.buffer_bytes = 512, .align_bytes = 64}).bytes == 400);
        CHECK(f.write_at(0, data, io::sieving{.write_window_bytes = 96, .writes = io::sieve::always}).locks > 0);
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
            f.set_view(0, {io::type<std::byte>, io::resized(at(8 * world.rank(), io::bytes(8)), 0, 8 * world.size())});
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
  auto const r = io::lab::virtual_cluster({.ranks = 5, .ranks_per_node = 2, .seed = 3}, roomy)
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
                       f.close();  // waits for it
                       CHECK(left.wait().bytes == 1 << 20);

                       // The shared pointer lies in a hidden file where ranks are on several nodes.
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
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}, roomy).run([&](io::lab::virtual_rank const& world) {
    auto f =
        virtual_file::open(world, "f", io::mode::create | io::mode::write | io::mode::sequential, {}, files.opener());
    if (world.rank() == 1) {
      world.compute(0.3);
      bytes const early = filled(100, 1);
      f.write_shared(early);
    }
    f.set_view(io::current_displacement, {io::type<std::uint8_t>, io::type<std::uint8_t>});
    CHECK(f.view().displacement() == 100);
    bytes const last = filled(1, 2);
    f.write_ordered(last);
    f.close();
  });
  bytes expected = filled(100, 1);
  expected.resize(103, std::byte{2});
  CHECK(files.content("f") == expected);
}

namespace {

struct throwing : io::forwarding<throwing, io::any_handle> {
  throwing(io::any_handle inner, io::file_call call) : forwarding(std::move(inner)), at(call) {}
  template <class Act>
  io::io_result around(io::handle_call const& c, Act&& act) {
    if (c.kind == at) throw std::runtime_error("not this one");
    return act();
  }
  io::file_call at;
};

}  // namespace

TEST_CASE("where an opener or its handle throws in open, no rank waits, and nothing is left behind",
          "[virtual][file]") {
  auto const where = GENERATE(io::file_call::open, io::file_call::size, io::file_call::lock, io::file_call::unlock);
  auto const failing = GENERATE(0, 1, 2);
  CAPTURE(to_string(where), failing);
  io::lab::virtual_files const files;
  int told = 0;
  io::lab::virtual_cluster({.ranks = 3, .seed = seed()}, roomy).run([&](io::lab::virtual_rank const& world) {
    io::opener const below = files.opener();
    io::opener const mine = below.opening([&](std::string const& path, io::open_flags flags, std::error_code& error) {
      if (world.rank() != failing) return below(path, flags, error);
      if (where == io::file_call::open) throw std::runtime_error("not this one");
      io::any_handle h = below(path, flags, error);
      if (error) return h;
      return io::any_handle(throwing(std::move(h), where));
    });
    std::error_code error;
    std::string thrown;
    virtual_file f;
    try {
      // Only a unique open tries a lock and gives it back.
      io::mode const more = where == io::file_call::unlock ? io::mode::unique_open : io::mode::none;
      f = virtual_file::open(world, "f", io::mode::create | io::mode::write | io::mode::append | more, error, mine);
    } catch (std::runtime_error const& e) {
      thrown = e.what();
    }
    CHECK_FALSE(f.is_open());
    CHECK(thrown == (world.rank() == failing ? "not this one" : ""));
    if (world.rank() != failing && error == io::errc::error_on_another_rank) ++told;
  });
  CHECK(told == 2);
  CHECK_FALSE(files.exists("f"));
}

TEST_CASE("where asking for the shared pointer throws on the one rank that asks, no rank waits", "[virtual][file]") {
  io::lab::virtual_files const files;
  io::opener const below = files.opener();
  bool breaks = false;
  io::opener const throwing = below.opening([&](std::string const& path, io::open_flags flags, std::error_code& error) {
    if (breaks && path.find(".pointer-") != std::string::npos) throw std::runtime_error("not this one");
    return below(path, flags, error);
  });
  for (bool const sequential : {false, true}) {
    CAPTURE(sequential);
    breaks = false;
    io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}, roomy).run([&](io::lab::virtual_rank const& world) {
      auto const modes = sequential ? io::mode::create | io::mode::write | io::mode::sequential : create;
      auto f = virtual_file::open(world, "f", modes, {}, throwing);
      // Some rank has used the pointer; else it is known, and nobody is asked.
      bytes const first = filled(1, 1);
      if (world.rank() == 2) f.write_shared(first);
      world.barrier();
      breaks = true;
      std::error_code error;
      std::string thrown;
      try {
        if (sequential)
          f.set_view(io::current_displacement, {io::type<std::uint8_t>, io::type<std::uint8_t>}, error);
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

TEST_CASE("a hint that may not change while a rank has a request is rejected on all ranks", "[virtual][file]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1}, roomy).run([&](io::lab::virtual_rank const& world) {
    auto f = virtual_file::open(world, "f", create, {}, files.opener());
    bytes const data = filled(1 << 20, 1);
    io::request request;
    if (world.rank() == 1) request = f.iwrite_at(0, data);
    f.set_hints({.io_buffer_bytes = 1 << 16});
    io::hint_state const* const state = f.get_hints().find("IBM_io_buffer_size");
    CHECK(state->status == io::hint_status::rejected);
    CHECK_THAT(state->why, ContainsSubstring("pending"));
    CHECK(state->value == "0");
    // Nor does the value of rank 0 where all have others; what may change does.
    f.set_hints({.io_buffer_bytes = (1 + world.rank()) << 16, .policy = world.rank() == 0 ? "sieving" : "two_phase"});
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

TEST_CASE("a rank that cannot make the file of the shared pointer reads where another one has moved it",
          "[virtual][file][faults]") {
  bool const somebody_moves = GENERATE(false, true);
  io::lab::scenario const s{.ranks = 2,
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
  run({.faults = {{victim, io::fail_at(io::file_call::write, 1, std::errc::io_error)}}}, errors(io::errc::io));
  run({.faults = {{victim, io::tear_at(io::file_call::write, 1, 100, std::errc::no_space_on_device)}}},
      errors(io::errc::no_space));
  run({.faults = {{victim, io::fail_at(io::file_call::open, 1, std::errc::permission_denied)}}},
      errors(io::errc::access));
  // Below the retries: nothing is seen of it.
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
  auto const small = run({.faults = {{-1, io::shorten_at(io::file_call::write, 1, 777, io::fault::forever)}}}, none);
  CHECK(small.content("f") == whole.content("f"));
  double slow = 0;
  run({.faults = {{1, io::delay_at(io::file_call::write, 1, std::chrono::milliseconds(500))}}},
      [&](io::lab::virtual_rank const& world, std::error_code const& e, virtual_file&) {
        CHECK_FALSE(e);
        slow = world.now();
      });
  CHECK(slow > 0.5);
  run({.faults = {{1, io::fail_from(io::file_call::write, 1, std::errc::resource_unavailable_try_again)}}},
      [&](io::lab::virtual_rank const& world, std::error_code const& e, virtual_file&) {
        CHECK(e == (world.rank() == 1 ? io::errc::io : io::errc::error_on_another_rank));
        CHECK(world.now() > 5);  // of patience, which take no real time
      });
  io::lab::scenario full;
  full.disk.capacity_bytes = 40'000;
  run(full, [](io::lab::virtual_rank const&, std::error_code const& e, virtual_file&) {
    CHECK((e == io::errc::no_space || e == io::errc::error_on_another_rank));
  });
}

// The bytes of the hidden file are refused when another node takes them over, which is after the call of the rank that wrote
// them, unless it syncs.
TEST_CASE("where the hidden file of a shared pointer loses bytes, no place is given twice", "[virtual][file][faults]") {
  io::lab::gpfs::machine one_server;
  one_server.servers = 1;
  io::lab::virtual_gpfs const files(one_server, 2,
                                    io::lab::gpfs::parse_troubles("fault=server:-1,call:write,times:1,error:ENOSPC"));
  bool told = false;
  std::int64_t behind = -1;
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1}, roomy).run([&](io::lab::virtual_rank const& world) {
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

TEST_CASE("a rank dies at any operation: no survivor hangs or reports success for it", "[virtual][file][faults]") {
  // With a report at close, too, which is one more thing in which a rank may be missing.
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
        io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = 7, .deaths = {{victim, k}}}, roomy)
            .run([&](io::lab::virtual_rank const& world) {
              auto const me = static_cast<std::size_t>(world.rank());
              try {
                auto f = virtual_file::open(world, "f", create, opened[me], files.opener());
                if (opened[me]) return;
                std::vector<int> const data(1000, world.rank() + 1);
                f.write_at_all(world.rank() * 4000, data, written[me]);
                f.close(closed[me]);
                CHECK_FALSE(f.is_open());
              } catch (io::rank_failure const&) {
                FAIL("a file lets rank_failure out");
              }
            });
    died = !r.dead.empty();
    if (!died) break;
    CHECK(r.dead == std::vector<int>{victim});
    bytes const all = files.content("f");
    bool const complete = all.size() >= 4000 * (victim + 1) && all[4000 * victim] == std::byte{victim + 1} &&
                          all[4000 * victim + 3996] == std::byte{victim + 1};
    for (std::size_t i = 0; i < ranks; ++i) {
      if (i == victim) continue;
      for (std::error_code const& e : {opened[i], written[i], closed[i]}) CHECK((!e || e == io::errc::rank_failed));
      if (!opened[i] && !written[i]) CHECK(complete);
      if (!opened[i] && !opened[0]) CHECK(written[i] == written[0]);
    }
  }
  ::unsetenv("ARGOSY_REPORT");
  CHECK(k > 10);
  CHECK_FALSE(died);
}

TEST_CASE("ranks of one virtual node write and read together", "[virtual][file]") {
  constexpr int ranks = 6, blocks = 40, block = 5;
  auto const program = [&](io::lab::virtual_rank const& world, io::lab::virtual_files const& files,
                           std::error_code& e) {
    std::vector<std::int64_t> mine;
    for (int b = world.rank(); b < blocks; b += ranks + 1) mine.push_back(b * block);  // every seventh is nobody's
    std::vector<int> data(mine.size() * block, world.rank() + 1), back(data.size());
    auto f = virtual_file::open(world, "f", create, {}, files.opener());
    f.set_view(0, {io::type<int>, io::resized(io::indexed_block(block, mine, io::type<int>), 0, 4 * blocks * block)});
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
  io::lab::virtual_cluster({.ranks = ranks, .seed = seed()}, roomy).run([&](io::lab::virtual_rank const& world) {
    std::error_code e;
    program(world, files, e);
    CHECK_FALSE(e);
  });
  CHECK(right(files.content("f"), true));

  // One window of one aggregator fails, in any round: all ranks leave the call, and nothing else is missing.
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
      CHECK((!e || e == (world.rank() == 2 ? io::errc::no_space : io::errc::error_on_another_rank)));
      failed += e ? 1 : 0;
    });
    CHECK((failed == 0 || failed == ranks));
    if (call == 1) CHECK(failed == ranks);
    CHECK(right(broken.content("f"), failed == 0));
  }

  // A rank dies at any operation: the others learn it, and none of them reports success for what it did not bring.
  bool died = true;
  for (std::int64_t k = 1; died; ++k) {
    CAPTURE(k);
    io::lab::virtual_files left;
    left.put("f", before);
    int successes = 0;
    auto const r = io::lab::virtual_cluster({.ranks = ranks, .seed = seed(), .deaths = {{3, k}}}, roomy)
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

TEST_CASE("a handle that throws in an aggregator keeps nobody waiting", "[virtual][file][faults]") {
  bool const reads = GENERATE(false, true);
  CAPTURE(reads);
  io::lab::virtual_files files;
  files.put("f", filled(4000, 1));
  int thrown = 0, told = 0;
  io::lab::virtual_cluster({.ranks = 4, .seed = seed()}, roomy).run([&](io::lab::virtual_rank const& world) {
    auto const script = std::make_shared<io::fault_script>();
    script->sleep_by([](std::chrono::nanoseconds) { throw std::runtime_error("a handle of the program"); });
    io::file_call const call = reads ? io::file_call::read : io::file_call::write;
    if (world.rank() == 1) script->add(io::delay_at(call, 2, std::chrono::nanoseconds(1)));
    auto f = virtual_file::open(world, "f", io::mode::read_write, {}, io::with_faults(files.opener(), script));
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
    f.close();  // it is usable
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
  io::lab::virtual_cluster({.ranks = 2, .seed = seed()}, roomy).run([&](io::lab::virtual_rank const& world) {
    auto const script = std::make_shared<io::fault_script>();
    script->sleep_by([](std::chrono::nanoseconds) { throw std::runtime_error("a handle of the program"); });
    if (world.rank() == 1) script->add(io::delay_at(io::file_call::write, 1, std::chrono::nanoseconds(1)));
    auto f = virtual_file::open(world, "f", io::mode::read_write, {}, io::with_faults(files.opener(), script));
    f.set_atomic(atomic);
    f.set_view(0, {io::type<std::byte>, io::resized(io::bytes(8), 0, 16)});
    std::vector<std::byte> const data(800, std::byte{2});
    io::sieving const merged{.write_window_bytes = 500, .writes = io::sieve::always};
    std::error_code e;
    if (world.rank() == 1) CHECK_THROWS_WITH(f.write_at(0, data, {merged, e}), "a handle of the program");
    world.barrier();
    CHECK(f.write_at(0, data, {merged, e}).bytes == 800);  // of rank 0, too: the lock is free
    CHECK_FALSE(e);
    f.close();
  });
  bytes const after = files.content("f");
  CHECK(std::count(after.begin(), after.end(), std::byte{2}) == 800);
}

TEST_CASE("a fault that no call came to is named in the report", "[virtual][handle][faults]") {
  io::lab::virtual_files const files;
  io::lab::scenario s{.ranks = 2};
  s.faults = {{1, io::fail_at(io::file_call::sync, 1, std::errc::io_error)},
              {0, io::fail_at(io::file_call::write, 2, std::errc::io_error)},
              {-1, io::fail_at(io::file_call::write, 1, std::errc::io_error)},
              {-1, io::fail_at(io::file_call::write, 7, std::errc::io_error)}};
  io::lab::virtual_report const r = io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    std::error_code e;
    io::any_handle f = files.opener()("f", {.write = true, .create = true}, e);
    f.write(0, filled(10, 1));
    if (world.rank() == 1) f.sync();
  });
  CHECK(r.did_not_happen == std::vector<std::string>{"fault=rank:0,call:write,first:2,error:EIO",
                                                     "fault=rank:-1,call:write,first:7,error:EIO"});
  CHECK_THAT(to_string(r), ContainsSubstring("2 faults did not happen: fault=rank:0,call:write"));
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
    CHECK_THAT(words, ContainsSubstring("ranks 0-2 wait since") && ContainsSubstring("barrier of communicator 0") &&
                          ContainsSubstring("; its last collective call of a file is open at virtual_files.cpp:"));
    CHECK_THAT(words,
               ContainsSubstring("ranks 3-4, 6-15 wait since") && ContainsSubstring("; in sync at virtual_files.cpp:"));
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
    CHECK_THAT(e.what(), ContainsSubstring("receive from rank 0, tag 1, communicator 0, at virtual_files.cpp:"));
  }
}

TEST_CASE("ARGOSY_REPORT of virtual ranks has virtual times: the same report in every run", "[virtual][file][report]") {
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
          if (world.rank() == 0) CHECK(r.agreement_ns > 4'000'000);  // it came 5 ms before the last
          f.write_at(100 * world.rank(), std::span(data).first(25));
          f.iwrite_at_all(80'000 * world.rank(), data).wait();
          f.close();
        });
    ::unsetenv("ARGOSY_REPORT");
    std::ifstream file(to);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  CHECK_THAT(texts[0], ContainsSubstring("argosy report of 'f': 6 ranks") && ContainsSubstring("local writes") &&
                           ContainsSubstring("collective writes, in the background"));
  CHECK(texts[0] == texts[1]);
  CHECK(texts[0].find("plain copy") == std::string::npos);  // virtual time is no time of this machine
}

TEST_CASE("files are on the scenario's disk, unless they were given one; the report tells of a disk that nobody used",
          "[virtual][handle]") {
  io::lab::scenario s{.ranks = 2, .ranks_per_node = 1};
  s.disk.capacity_bytes = 2 * s.disk.block_bytes;
  s.disk.has_locks = false;
  std::error_code full, locked;
  auto const run = [&](io::lab::virtual_files const& files) {
    return io::lab::virtual_cluster(s).run([&, open = files.opener()](io::lab::virtual_rank const& world) {
      if (world.rank() != 0) return;
      std::error_code e;
      io::any_handle h = open("a", {.read = true, .write = true, .create = true}, e);
      std::vector<std::byte> const data(static_cast<std::size_t>(3 * s.disk.block_bytes));
      full = h.write(0, data).error;
      locked = h.lock(0, 1, io::lock_kind::shared);
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
  CHECK(other.did_not_happen == std::vector<std::string>{"disk.capacity_bytes=8192 disk.has_locks=0"});

  // What lies there in blocks of another size stays as it is.
  io::lab::virtual_files filled;
  filled.put("b", std::vector<std::byte>(10));
  s.disk.block_bytes = 1024;
  CHECK(run(filled).did_not_happen.size() == 1);
  CHECK_FALSE(full);
}

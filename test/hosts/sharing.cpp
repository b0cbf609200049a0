// What docs/use/files.md promises to ranks that share a file, asked where they are on hosts with caches of their own. Every byte is compared
// with what a list of all writes says. Runs on any file system; cmake/hosts.sh takes it to distributed ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include <argosy/argosy.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/policy.hpp>

#include "support/catch.hpp"
#include "support/file_cases.hpp"

namespace io = argosy;
using namespace io::test;
using io::mode;

namespace {

using bytes = std::vector<std::uint8_t>;
constexpr std::int64_t block = 96;  // no divisor of pages
constexpr std::uint8_t nobodys = 0xee;

io::mpi const& world() {
  static io::mpi const all(MPI_COMM_WORLD);
  return all;
}

std::uint8_t value(std::int64_t round, int rank, std::int64_t at) {
  return static_cast<std::uint8_t>(1 + (round * 31 + rank * 13 + at) % 200);
}

// Blocks in turn: one of every rank, then one that nobody writes. `shift` deals them to other ranks.
struct turns {
  std::int64_t cycles = 0, shift = 0;
  std::int64_t parts() const { return world().size() + 1; }
  std::int64_t size() const { return cycles * parts() * block; }
  int place(int rank) const { return static_cast<int>((rank + shift) % world().size()); }
  io::layout view() const {
    return io::resized(io::contiguous(block, io::type<std::uint8_t>), 0, parts() * block).form();
  }
  std::int64_t displacement(int rank) const { return place(rank) * block; }
  bytes data(std::int64_t round, int rank) const {
    bytes mine(static_cast<std::size_t>(cycles * block));
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = value(round, rank, static_cast<std::int64_t>(i));
    return mine;
  }
  void put(bytes& file, std::int64_t round, int rank) const {
    bytes const mine = data(round, rank);
    for (std::int64_t c = 0; c < cycles; ++c)
      std::copy_n(mine.begin() + c * block, block,
                  file.begin() + static_cast<std::ptrdiff_t>((c * parts() + place(rank)) * block));
  }
  void put_all(bytes& file, std::int64_t round) const {
    for (int r = 0; r < world().size(); ++r) put(file, round, r);
  }
};

std::int64_t different(bytes const& got, bytes const& wanted) {
  std::int64_t n = got.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) n += got[i] != wanted[i];
  return n;
}

// Made by rank 0 with plain calls, and on its server before anybody opens it.
void make(std::string const& path, bytes const& content) {
  if (world().rank() == 0) {
    int const d = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
    std::size_t done = 0;
    while (d >= 0 && done < content.size()) {
      ssize_t const n = ::pwrite(d, content.data() + done, content.size() - done, static_cast<off_t>(done));
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    CHECK(done == content.size());
    CHECK(::fsync(d) == 0);
    ::close(d);
  }
  world().barrier();
}

// By every rank, with plain calls and a descriptor of its own; not from pages, nor to the end, that its host has kept, as some do beyond
// a close.
bytes plainly(std::string const& path, std::size_t most) {
  bytes all(most + 1);
  int const d = ::open(path.c_str(), O_RDONLY);
  if (d >= 0) look_at_server(d);
  std::size_t done = 0;
  for (ssize_t n = 1; d >= 0 && n > 0; done += static_cast<std::size_t>(std::max<ssize_t>(n, 0)))
    n = ::pread(d, all.data() + done, all.size() - done, static_cast<off_t>(done));
  if (d >= 0) ::close(d);
  all.resize(done);
  return all;
}

io::any_policy policy_of(std::int64_t round) {
  switch (round % 4) {
    case 0:
      return io::two_phase{};
    case 1:
      return io::sieving{.writes = io::sieve::always};
    case 2:
      return io::independent{};
    default:
      return io::automatic{};
  }
}

}  // namespace

TEST_CASE("what was written, synced and waited for is read by all, round after round", "[hosts][sync]") {
  shared_scratch const here(world());
  turns const t{40};
  bytes wanted(static_cast<std::size_t>(t.size()), nobodys), got(wanted.size());
  make(here / "data", wanted);
  auto f = io::file::open(world(), here / "data", mode::read_write);
  for (int round = 0; round < 12; ++round) {
    turns const now{t.cycles, round};
    f.set_view(now.displacement(world().rank()), now.view());
    bytes const mine = now.data(round, world().rank());
    round % 3 == 2 ? f.write_at(0, mine) : f.write_at_all(0, mine, policy_of(round));
    f.sync();
    world().barrier();
    f.sync();
    now.put_all(wanted, round);
    f.set_view(0, io::type<std::uint8_t>);
    round % 2 == 0 ? f.read_at(0, got) : f.read_at_all(0, got);
    CAPTURE(round);
    CHECK(different(got, wanted) == 0);
    world().barrier();  // nobody writes what another still reads
  }
  f.close();
  CHECK(different(plainly(here / "data", wanted.size()), wanted) == 0);
}

// Nobody syncs, but each rank asks for its own bytes only. They may have been written by an aggregator elsewhere, while this host keeps
// older ones, and be read by another, which keeps older ones as well. Domains end within pages, and move from call to call.
TEST_CASE("a rank reads what it wrote last, whoever carried it", "[hosts][own]") {
  shared_scratch const here(world());
  turns const t{40};
  bytes wanted(static_cast<std::size_t>(t.size()), nobodys);
  make(here / "data", wanted);
  auto f = io::file::open(world(), here / "data", mode::read_write);
  f.set_view(t.displacement(world().rank()), t.view());
  auto const by = [](std::int64_t aggregators) {
    return io::two_phase{.aggregators = aggregators, .align_bytes = 512, .least_domain_bytes = 512};
  };
  bytes got(t.data(0, world().rank()).size());
  for (int round = 0; round < 40; ++round) {
    // What all keep until then: their own part, and that of an aggregator.
    if (round % 2 == 0) f.read_at_all(0, got, by(1 + round % 3));
    f.read_at(0, got);
    bytes const older = t.data(round + 100, world().rank()), mine = t.data(round, world().rank());
    if (round % 4 == 1) f.write_at(0, older);
    if (round % 4 > 1) f.write_at_all(0, older, by(3 - round % 3));
    if (round % 4 == 2)
      f.write_at(0, mine);
    else
      f.write_at_all(0, mine, by(1 + round % 3));
    std::ranges::fill(got, nobodys);
    if (round % 3 == 0)
      f.read_at_all(0, got, by(1 + round % 2));
    else
      f.read_at(0, got);
    CAPTURE(round);
    CHECK(different(got, mine) == 0);
  }
  f.close();
  t.put_all(wanted, 39);
  world().barrier();
  CHECK(different(plainly(here / "data", wanted.size()), wanted) == 0);
  world().barrier();
}

TEST_CASE("in atomic mode what was written is read by all, without sync", "[hosts][atomic]") {
  shared_scratch const here(world());
  std::int64_t const n = world().size();
  make(here / "data", bytes(static_cast<std::size_t>(n * 5000)));
  auto f = io::file::open(world(), here / "data", mode::read_write);
  std::error_code opened, refused;
  bool const late = io::posix::open(here / "data", {.read = true}, opened).storage().reads_late;
  f.set_atomic(true, refused);
  CHECK_FALSE(opened);
  CHECK((refused == io::errc::no_locks) == (late && world().size() > 1));
  if (refused) return f.close();
  for (int round = 0; round < 8; ++round) {
    bytes const mine(5000, value(round, world().rank(), 0));
    f.write_at(world().rank() * 5000, mine);
    world().barrier();
    for (int r = 0; r < n; ++r) {
      bytes got(5000);
      f.read_at(r * 5000, got);
      CAPTURE(round, r);
      CHECK(different(got, bytes(5000, value(round, r, 0))) == 0);
    }
    world().barrier();
  }
  // Writes of the same bytes at a time: one of them is there, not a mixture.
  for (int round = 0; round < 4; ++round) {
    bytes const all_of_it(static_cast<std::size_t>(n * 5000), value(round, world().rank(), 7));
    f.write_at(0, all_of_it);
    world().barrier();
    bytes got(static_cast<std::size_t>(n * 5000));
    f.read_at(0, got);
    CHECK(std::ranges::all_of(got, [&](std::uint8_t b) { return b == got[0]; }));
    CHECK(got[0] != 0);
    world().barrier();
  }
  f.close();
}

TEST_CASE("no addition under a byte-range lock is lost", "[hosts][locks]") {
  shared_scratch const here(world());
  make(here / "counter", bytes(sizeof(std::int64_t)));
  std::error_code error;
  auto f = io::posix::open(here / "counter", {.read = true, .write = true}, error);
  CHECK_FALSE(error);
  std::int64_t failed = 0;
  for (int i = 0; i < 60; ++i) {
    std::int64_t n = 0;
    failed += f.lock(0, sizeof n, io::lock_kind::exclusive) ? 1 : 0;
    failed += f.read(0, std::as_writable_bytes(std::span(&n, 1))).bytes != sizeof n;
    ++n;
    failed += f.write(0, std::as_bytes(std::span(&n, 1))).bytes != sizeof n;
    failed += f.unlock(0, sizeof n) ? 1 : 0;
  }
  CHECK(failed == 0);
  world().barrier();
  std::int64_t all = 0;
  CHECK_FALSE(f.lock(0, sizeof all, io::lock_kind::shared));
  f.read(0, std::as_writable_bytes(std::span(&all, 1)));
  CHECK(all == 60 * world().size());
  CHECK_FALSE(f.close());
  world().barrier();
}

// One window after the other, so that a host that reads ahead has the next one from before the others wrote there.
TEST_CASE("windows that hosts change in turn under locks keep everybody's bytes", "[hosts][locks]") {
  constexpr std::int64_t length = 64 << 10, windows = 4;
  shared_scratch const here(world());
  make(here / "data", {});
  std::error_code error;
  auto f = io::posix::open(here / "data", {.read = true, .write = true}, error);
  CHECK_FALSE(error);
  if (f.storage().reads_late) {
    f.close();
    return world().barrier();  // nobody merges there
  }
  turns const t{length * windows / block / (world().size() + 1)};
  bytes wanted(static_cast<std::size_t>(t.size()), 0), got(wanted.size()), window(static_cast<std::size_t>(length));
  for (int round = 0; round < 6; ++round) {
    bytes mine(wanted.size());
    t.put(mine, round, world().rank());
    std::int64_t failed = 0;
    for (std::int64_t begin = 0; begin < t.size(); begin += length) {
      auto const here_too = std::span(window).first(static_cast<std::size_t>(std::min(length, t.size() - begin)));
      std::ranges::fill(here_too, std::uint8_t{0});
      failed += f.lock(begin, length, io::lock_kind::exclusive) ? 1 : 0;
      failed += f.read(begin, std::as_writable_bytes(here_too)).error ? 1 : 0;
      for (std::size_t i = 0; i < here_too.size(); ++i)
        if (mine[static_cast<std::size_t>(begin) + i] != 0) here_too[i] = mine[static_cast<std::size_t>(begin) + i];
      failed += f.write(begin, std::as_bytes(here_too)).error ? 1 : 0;
      failed += f.unlock(begin, length) ? 1 : 0;
    }
    CHECK(failed == 0);
    CHECK_FALSE(f.sync());
    world().barrier();
    CHECK_FALSE(f.sync());
    t.put_all(wanted, round);
    CHECK(f.read(0, std::as_writable_bytes(std::span(got))).bytes == std::ssize(got));
    CAPTURE(round);
    CHECK(different(got, wanted) == 0);
    world().barrier();
  }
  CHECK_FALSE(f.close());
  world().barrier();
}

TEST_CASE("merged writes of other calls, other aggregators and other ranks keep each other's bytes",
          "[hosts][merging]") {
  shared_scratch const here(world());
  for (mode const m : {mode::read_write, mode::read_write | mode::unique_open}) {
    turns const t{60};
    bytes wanted(static_cast<std::size_t>(t.size()), nobodys);
    make(here / "data", wanted);
    auto f = io::file::open(world(), here / "data", m);
    for (int round = 0; round < 12; ++round) {
      // Some cycles only, from different starts on: the aggregators' parts of the file move, and windows have holes.
      turns const now{20, round};
      std::int64_t const first = (round * 7) % 40;
      f.set_view(now.displacement(world().rank()) + first * now.parts() * block, now.view());
      bytes const mine = now.data(round, world().rank());
      if (round % 4 == 3) {  // by themselves, at the same time
        f.write_at(0, mine,
                   world().rank() % 2 ? io::any_policy(io::independent{})
                                      : io::any_policy(io::sieving{.writes = io::sieve::always}));
        world().barrier();
      } else {
        f.write_at_all(0, mine, policy_of(round));
      }
      bytes part(static_cast<std::size_t>(now.size()));
      std::copy_n(wanted.begin() + first * now.parts() * block, now.size(), part.begin());
      now.put_all(part, round);
      std::copy(part.begin(), part.end(), wanted.begin() + first * now.parts() * block);
    }
    f.close();
    world().barrier();
    CAPTURE(static_cast<int>(m));
    CHECK(different(plainly(here / "data", wanted.size()), wanted) == 0);
    world().barrier();
  }
}

TEST_CASE("appending starts where the last run ended, on all ranks", "[hosts][append]") {
  shared_scratch const here(world());
  bytes wanted;
  for (int run = 0; run < 5; ++run) {
    auto f = io::file::open(world(), here / "log", mode::create | mode::read_write | mode::append);
    CHECK(f.position() == static_cast<std::int64_t>(wanted.size()));
    CHECK(f.position_shared() == static_cast<std::int64_t>(wanted.size()));
    CHECK(f.size() == static_cast<std::int64_t>(wanted.size()));
    bytes const mine(static_cast<std::size_t>(100 + world().rank()), value(run, world().rank(), 3));
    f.write_ordered(mine);
    for (int r = 0; r < world().size(); ++r)
      wanted.insert(wanted.end(), static_cast<std::size_t>(100 + r), value(run, r, 3));
    f.close();
  }
  CHECK(different(plainly(here / "log", wanted.size()), wanted) == 0);
  world().barrier();
}

TEST_CASE("the shared pointer gives each place once", "[hosts][shared]") {
  shared_scratch const here(world());
  constexpr int each = 25;
  auto f = io::file::open(world(), here / "records", mode::create | mode::read_write);
  f.set_view(0, io::type<std::int64_t[3]>);
  for (int i = 0; i < each; ++i) {
    std::array<std::int64_t, 3> const record{world().rank(), i, 1000 * world().rank() + i};
    f.write_shared(record);
  }
  world().barrier();
  CHECK(f.position_shared() == each * world().size());
  f.close();
  bytes const all = plainly(here / "records", static_cast<std::size_t>(24 * each * world().size()));
  CHECK(all.size() == static_cast<std::size_t>(24 * each * world().size()));
  std::set<std::int64_t> seen;
  for (std::size_t at = 0; at + 24 <= all.size(); at += 24) {
    std::array<std::int64_t, 3> record{};
    std::memcpy(record.data(), all.data() + at, 24);
    CHECK(record[2] == 1000 * record[0] + record[1]);
    seen.insert(record[2]);
  }
  CHECK(seen.size() == static_cast<std::size_t>(each * world().size()));
  world().barrier();
}

TEST_CASE("a size that was set is everybody's at once, and what is new is zero", "[hosts][size]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::int64_t round = 0;
  for (std::int64_t const bytes_now : {10000, 500, 70000, 0, 4096, 123}) {
    f.set_size(bytes_now);
    CAPTURE(bytes_now);
    CHECK(f.size() == bytes_now);
    f.seek(0, io::seek_from::end);
    CHECK(f.position() == bytes_now);
    bytes got(200, nobodys);
    std::int64_t const at = std::max<std::int64_t>(bytes_now - 100, 0);
    CHECK(f.read_at(at, got).bytes == std::min<std::int64_t>(bytes_now, 100));
    CHECK(got[0] == (bytes_now > 0 ? 0 : nobodys));
    world().barrier();
    // Full of something, so that a size that grows again must show zeros.
    bytes const nines(static_cast<std::size_t>(bytes_now), 9);
    if (world().rank() == round++ % world().size()) f.write_at(0, nines);
    f.sync();
    world().barrier();
    f.sync();
    f.set_size(bytes_now / 2);
    f.set_size(bytes_now);
    bytes whole(static_cast<std::size_t>(bytes_now), nobodys), wanted(whole.size(), 0);
    std::fill_n(wanted.begin(), bytes_now / 2, std::uint8_t{9});
    f.read_at(0, whole);
    CHECK(different(whole, wanted) == 0);
    world().barrier();
    f.set_size(0);
  }
  f.preallocate(50000);
  CHECK(f.size() == 50000);
  bytes got(50000, nobodys);
  CHECK(f.read_at(0, got).bytes == 50000);
  CHECK(different(got, bytes(50000)) == 0);
  world().barrier();
  bytes const mine(1000, 7);
  f.write_at(1000 * world().rank(), mine);
  f.preallocate(60000);  // data stays
  CHECK(f.size() == 60000);
  f.sync();
  world().barrier();
  f.sync();
  bytes wanted(60000);
  std::fill_n(wanted.begin(), 1000 * world().size(), std::uint8_t{7});
  bytes now(60000, nobodys);
  f.read_at(0, now);
  CHECK(different(now, wanted) == 0);
  f.close();
}

TEST_CASE("a file that is deleted on close is gone for all", "[hosts][delete]") {
  shared_scratch const here(world());
  for (int i = 0; i < 5; ++i) {
    auto f = io::file::open(world(), here / "gone",
                            mode::create | mode::exclusive | mode::read_write | mode::delete_on_close);
    bytes const ten(10, 1);
    f.write_at_all(10 * world().rank(), ten);
    f.close();
    // Names may be kept for a second or so.
    std::error_code error;
    for (int tries = 0; tries < 50; ++tries) {
      auto again = io::posix::open(here / "gone", {.read = true}, error);
      if (error == std::errc::no_such_file_or_directory) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    CHECK(error == std::errc::no_such_file_or_directory);
    world().barrier();
  }
}

// Nothing is promised here: how old is what a rank reads that only waited?
TEST_CASE("without sync, who sees what", "[hosts][told]") {
  shared_scratch const here(world());
  make(here / "data", bytes(100000));
  auto f = io::file::open(world(), here / "data", mode::read_write);
  int old = 0;
  for (int round = 1; round <= 20; ++round) {
    bytes got(100000);
    f.read_at(0, got);
    world().barrier();
    bytes const now(100000, static_cast<std::uint8_t>(round));
    if (world().rank() == 0) f.write_at(0, now, io::independent{});
    world().barrier();
    f.read_at(0, got);
    old += different(got, now) > 0;
    world().barrier();
  }
  f.close();
  if (world().rank() == world().size() - 1)
    std::printf("without sync, the last rank read old bytes in %d of 20 rounds\n", old);
  SUCCEED();
}

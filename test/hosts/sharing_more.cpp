// Properties of a file that ranks on several hosts share, other than its bytes: locks, its end, the
// shared pointer, and its name.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <system_error>
#include <thread>

#include <argosy/argosy.hpp>
#include <argosy/handle/posix.hpp>

#include "hosts/sharing.hpp"
#include "support/catch.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test::sharing;
using io::mode;
using io::test::shared_scratch;

TEST_CASE("no addition under a byte-range lock is lost", "[hosts][locks]") {
  shared_scratch const here(world());
  make(here / "counter", bytes(sizeof(std::int64_t)));
  std::error_code error;
  auto f = io::posix::open(here / "counter", {.read = true, .write = true}, error);
  CHECK_FALSE(error);
  std::int64_t failed = 0;
  for (int i = 0; i < 60; ++i) {
    std::int64_t n = 0;
    failed += f.lock(0, sizeof n, io::extend::lock_kind::exclusive) ? 1 : 0;
    failed += f.read(0, std::as_writable_bytes(std::span(&n, 1))).bytes != sizeof n;
    ++n;
    failed += f.write(0, std::as_bytes(std::span(&n, 1))).bytes != sizeof n;
    failed += f.unlock(0, sizeof n) ? 1 : 0;
  }
  CHECK(failed == 0);
  world().barrier();
  std::int64_t all = 0;
  CHECK_FALSE(f.lock(0, sizeof all, io::extend::lock_kind::shared));
  f.read(0, std::as_writable_bytes(std::span(&all, 1)));
  CHECK(all == 60 * world().size());
  CHECK_FALSE(f.close());
  world().barrier();
}

// One window after the other. A host that reads ahead then has the next window from before the
// others wrote there.
TEST_CASE("windows that hosts change in turn under locks keep everybody's bytes",
          "[hosts][locks]") {
  constexpr std::int64_t length = 64 << 10, windows = 4;
  shared_scratch const here(world());
  make(here / "data", {});
  std::error_code error;
  auto f = io::posix::open(here / "data", {.read = true, .write = true}, error);
  CHECK_FALSE(error);
  if (f.storage().reads_late) {
    f.close();
    return world().barrier();  // no rank merges there
  }
  turns const t{length * windows / block / (world().size() + 1)};
  bytes wanted(static_cast<std::size_t>(t.size()), 0), got(wanted.size()),
      window(static_cast<std::size_t>(length));
  for (int round = 0; round < 6; ++round) {
    bytes mine(wanted.size());
    t.put(mine, round, world().rank());
    std::int64_t failed = 0;
    for (std::int64_t begin = 0; begin < t.size(); begin += length) {
      auto const here_too =
          std::span(window).first(static_cast<std::size_t>(std::min(length, t.size() - begin)));
      std::ranges::fill(here_too, std::uint8_t{0});
      failed += f.lock(begin, length, io::extend::lock_kind::exclusive) ? 1 : 0;
      failed += f.read(begin, std::as_writable_bytes(here_too)).error ? 1 : 0;
      for (std::size_t i = 0; i < here_too.size(); ++i)
        if (mine[static_cast<std::size_t>(begin) + i] != 0)
          here_too[i] = mine[static_cast<std::size_t>(begin) + i];
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
    // Fills the file, so that a size that grows again must show zeros.
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
    auto f =
        io::file::open(world(), here / "gone",
                       mode::create | mode::exclusive | mode::read_write | mode::delete_on_close);
    bytes const ten(10, 1);
    f.write_at_all(10 * world().rank(), ten);
    f.close();
    // Names may be cached for about a second.
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

// Zarr arrays after failures, deaths and crashes: each array and each shard is the old one or the
// new one, whole.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/format/zarr.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/looking.hpp"
#include "format/zarr_cases.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using rank = io::lab::virtual_rank;
using zarr = io::basic_zarr<rank>;
constexpr io::lab::virtual_options small_stacks{.stack_bytes = std::size_t{1} << 20};
constexpr std::int64_t rows = 6, columns = 10;

// Parts that cut shards.
auto part_of(int which, int ranks) {
  return io::darray<std::int32_t, 2>({rows, columns}, io::distribute::block, {1, ranks}, which);
}
io::zarr_options options() {
  return {.chunks = {2, 2}, .shards = {4, 4}, .codecs = {io::zarr_codec::crc32c()}};
}
std::vector<std::int32_t> all_of(std::int32_t value, int which, int ranks) {
  return std::vector<std::int32_t>(
      static_cast<std::size_t>(io::array_part(part_of(which, ranks)).elements()), value);
}

// Writes a new array in which all elements have one value.
void make(rank const& world, std::int32_t value, io::opener const& files, std::error_code& error) {
  zarr z = zarr::create(world, "f", part_of(world.rank(), world.size()), options(), error, files);
  if (error) return;
  auto const mine = all_of(value, world.rank(), world.size());
  z.write_all(mine, error);
  std::error_code closed;
  z.close(closed);
  if (!error) error = closed;
}
// Writes this value into the array that is there.
void change(rank const& world, std::int32_t value, io::opener const& files,
            std::error_code& error) {
  zarr z = zarr::open(world, "f", part_of(world.rank(), world.size()), io::mode::read_write, error,
                      files);
  if (error) return;
  auto const mine = all_of(value, world.rank(), world.size());
  z.write_all(mine, error);
  std::error_code closed;
  z.close(closed);
  if (!error) error = closed;
}

// Returns the elements of the array; none if there is no array. -1 stands for anything else.
std::vector<std::int32_t> elements_in(io::lab::virtual_files const& files) {
  std::error_code error;
  std::vector<std::int32_t> all(static_cast<std::size_t>(rows * columns));
  auto z = io::basic_zarr<io::self>::open(io::self(), "f", part_of(0, 1), io::mode::read, error,
                                          files.opener());
  if (error == io::errc::no_such_file) return {};
  if (!error) z.read_all(all, error);
  if (error) return {-1};
  z.close();
  return all;
}
// Returns the value that all elements have; 0 if there is no array, and -1 if they differ.
std::int32_t value_in(io::lab::virtual_files const& files) {
  auto const all = elements_in(files);
  if (all.empty()) return 0;
  return std::ranges::count(all, all[0]) == std::ssize(all) ? all[0] : -1;
}
// Returns true if all elements of each shard have the same value, of these.
bool shards_are_whole(io::lab::virtual_files const& files, std::set<std::int32_t> const& values) {
  auto const all = elements_in(files);
  if (std::ssize(all) != rows * columns) return false;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      auto const here = all[static_cast<std::size_t>(i * columns + j)];
      auto const first = all[static_cast<std::size_t>(i / 4 * 4 * columns + j / 4 * 4)];
      if (here != first || !values.contains(here)) return false;
    }
  return true;
}

io::lab::virtual_files with_first() {
  io::lab::virtual_files files;
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
    std::error_code error;
    make(world, 1, files.opener(), error);
    CHECK_FALSE(error);
  });
  REQUIRE(value_in(files) == 1);
  return files;
}

std::size_t unfinished(io::lab::virtual_files const& files) {
  auto const names = files.names();
  return static_cast<std::size_t>(std::ranges::count_if(
      names, [](std::string const& n) { return n.find(".part") != std::string::npos; }));
}

// Runs a call in which rank `who` fails at call k of a kind. Returns true if it failed, which it
// must then do on all ranks.
template <class Call>
bool strike(io::lab::virtual_files const& files, int who, io::file_call kind, std::int64_t k,
            Call&& call) {
  io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
  s.faults.push_back({who, io::fail_at(kind, k, std::errc::no_space_on_device)});
  int failed = 0;
  io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
    std::error_code error;
    call(world, files.opener(), error);
    failed += error ? 1 : 0;
    if (error)
      CHECK((error == io::errc::no_space || error == io::errc::error_on_another_rank ||
             error == io::errc::damaged));
  });
  CHECK((failed == 0 || failed == 3));
  return failed > 0;
}

// Returns the files after crashes before and after each call that changes a file or a name.
template <class Call>
std::vector<io::lab::virtual_files> crashes(io::lab::virtual_files const& files, Call&& call) {
  std::vector<io::lab::virtual_files> left;
  std::uint64_t looks = 0;
  auto const look = [&] {
    for (std::uint64_t k = 0; k < 3; ++k) left.push_back(files.crash(seed() + 3 * looks + k));
    ++looks;
  };
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}, small_stacks)
      .run([&](rank const& world) {
        std::error_code error;
        call(world, 2, looking(files.opener(), look), error);
        CHECK_FALSE(error);
      });
  return left;
}

constexpr io::file_call kinds[] = {io::file_call::open, io::file_call::read,  io::file_call::write,
                                   io::file_call::sync, io::file_call::close, io::file_call::size,
                                   io::file_call::lock};

}  // namespace

TEST_CASE("a failure of any rank at any call of a new array leaves the old one",
          "[format][zarr][errors]") {
  int failures = 0;
  for (io::file_call const kind : kinds)
    for (int who = 0; who < 3; ++who) {
      bool struck = true;
      // Some failures need not be reported: rank 0 looks for an old array, and closes it.
      for (std::int64_t k = 1, spared = 0; struck || ++spared < 4; ++k) {
        CAPTURE(static_cast<int>(kind), who, k);
        REQUIRE(k < 200);
        io::lab::virtual_files const files = with_first();
        struck = strike(files, who, kind, k,
                        [](auto const& world, auto const& by, auto& e) { make(world, 2, by, e); });
        failures += struck ? 1 : 0;
        CHECK(value_in(files) == (struck ? 1 : 2));
        CHECK(unfinished(files) == 0);
      }
    }
  CHECK(failures > 30);
}

TEST_CASE("a failure of any rank at any call leaves each shard as the old or the new one",
          "[format][zarr][errors]") {
  int failures = 0;
  for (io::file_call const kind : kinds)
    for (int who = 0; who < 3; ++who) {
      bool struck = true;
      for (std::int64_t k = 1, spared = 0; struck || ++spared < 4; ++k) {
        CAPTURE(static_cast<int>(kind), who, k);
        REQUIRE(k < 200);
        io::lab::virtual_files const files = with_first();
        struck = strike(files, who, kind, k, [](auto const& world, auto const& by, auto& e) {
          change(world, 2, by, e);
        });
        failures += struck ? 1 : 0;
        CHECK(shards_are_whole(files, {1, 2}));
        if (!struck) CHECK(value_in(files) == 2);
        CHECK(unfinished(files) == 0);
      }
    }
  CHECK(failures > 30);
}

TEST_CASE("a crash at any call leaves the old array or the new one", "[format][zarr][crash]") {
  for (bool const first : {true, false}) {
    io::lab::virtual_files const files = first ? io::lab::virtual_files() : with_first();
    auto const left = crashes(files, make);
    CHECK(left.size() > 90);
    std::set<std::int32_t> seen;
    for (io::lab::virtual_files const& l : left) seen.insert(value_in(l));
    CHECK(seen == std::set<std::int32_t>{first ? 0 : 1, 2});
    CHECK(value_in(files.crash(seed())) == 2);  // close has returned
  }
}

TEST_CASE("a crash at any call of a change leaves each shard as the old or the new one",
          "[format][zarr][crash]") {
  io::lab::virtual_files const files = with_first();
  auto const left = crashes(files, change);
  CHECK(left.size() > 90);
  std::int64_t damaged = 0, changed = 0;
  for (io::lab::virtual_files const& l : left) {
    damaged += shards_are_whole(l, {1, 2}) ? 0 : 1;
    changed += elements_in(l) == elements_in(left.front()) ? 0 : 1;
  }
  CHECK(damaged == 0);
  CHECK(changed > 0);
}

TEST_CASE("when a rank dies at any operation, the array is the old one or the new one",
          "[format][zarr][deaths]") {
  std::set<std::int32_t> seen;
  for (int who = 0; who < 3; ++who)
    for (std::int64_t k = 1, alive = 0; alive == 0; k += 19) {
      CAPTURE(who, k);
      REQUIRE(k < 5000);
      io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
      s.deaths.push_back({.rank = who, .operation = k});
      io::lab::virtual_files const files = with_first();
      auto const r = io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
        std::error_code error;
        make(world, 2, files.opener(), error);
        CHECK((!error || error == io::errc::rank_failed || error == io::errc::damaged));
      });
      std::int32_t const found = value_in(files);
      CHECK((found == 1 || found == 2));
      seen.insert(found);
      if (!r.dead.empty()) continue;
      alive = 1;
      CHECK(found == 2);
    }
  CHECK(seen == std::set<std::int32_t>{1, 2});
}

TEST_CASE("a damaged shard is named on the rank that reads it", "[format][zarr][damage]") {
  io::lab::virtual_files files = with_first();
  std::vector<std::byte> const good = files.content("f/c/1/0");
  REQUIRE(good.size() > 100);
  auto const words_of = [&](std::vector<std::byte> const& bytes) {
    files.put("f/c/1/0", bytes);
    std::string words;
    io::lab::virtual_cluster({.ranks = 3}, small_stacks).run([&](rank const& world) {
      std::error_code error;
      zarr z = zarr::open(world, "f", part_of(world.rank(), 3), io::mode::read, {}, files.opener());
      auto back = all_of(0, world.rank(), 3);
      z.read_all(back, error);
      CHECK((error == io::errc::damaged || error == io::errc::error_on_another_rank));
      if (error == io::errc::damaged) words = z.what_failed();
      z.close();
    });
    return words;
  };
  auto bad = good;
  bad[5] ^= std::byte{1};
  CHECK_THAT(words_of(bad), ContainsSubstring("'c/1/0' is damaged: chunk 0: its checksum"));
  bad = good;
  bad[bad.size() - 1] ^= std::byte{1};
  CHECK_THAT(words_of(bad), ContainsSubstring("the checksum of its index differs"));
  bad.resize(10);
  CHECK_THAT(words_of(bad), ContainsSubstring("it has 10 bytes"));
}

TEST_CASE("a rename of the array that fails leaves the old one", "[format][zarr][errors]") {
  io::lab::virtual_files const files = with_first();
  io::opener::directory_functions broken{
      [](std::string const&) { return std::error_code(); },
      [](std::string const&, std::string const&) {
        return std::make_error_code(std::errc::io_error);
      },
      [inner = files.opener()](std::string const& path) { return inner.remove_directory(path); }};
  io::opener const none = files.opener().with_directories({});
  std::string words;
  io::lab::virtual_cluster({.ranks = 3}, small_stacks).run([&](rank const& world) {
    std::error_code error;
    make(world, 2, files.opener().with_directories(broken), error);
    CHECK(error == (world.rank() == 0 ? io::errc::io : io::errc::error_on_another_rank));
    make(world, 2, none, error);
    CHECK(error == io::errc::unsupported);
  });
  CHECK(value_in(files) == 1);
  CHECK(unfinished(files) == 0);
}

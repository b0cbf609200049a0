// Checkpoints. After a failure, a death or a crash, the file must be whole, or as before. Any
// number of ranks can read it, and damage is named.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "format/checkpoint_cases.hpp"
#include "format/checkpoint_ranks.hpp"
#include "format/looking.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// An array of several blocks of numbers, and its parts.
constexpr std::int64_t many = 400'000;
auto part_of_many(int which, int ranks) {
  return io::darray<double, 1>({many}, io::distribute::cyclic(1 + 777 * (which % 7)), {ranks},
                               which % ranks);
}

}  // namespace

TEST_CASE("what ranks save, other ranks load in other parts", "[format][checkpoint][random]") {
  for (int const ranks : {1, 2, 3, 7}) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = seed()}, small_stacks)
        .run([&](rank const& world) { check_checkpoints(world, "f", files.opener(), 6); });
    CHECK(files.names() == std::vector<std::string>{"f"});
  }
  scratch const here;
  check_checkpoints(io::self(), here / "f", io::posix_opener(), 6);
  CHECK(std::distance(std::filesystem::directory_iterator(here.string()), {}) == 1);
}

TEST_CASE("a crash at any call leaves the old checkpoint or the new one, whole",
          "[format][checkpoint][crash]") {
  for (bool const first : {true, false}) {
    io::lab::virtual_files files = first ? io::lab::virtual_files() : with_first();
    std::vector<io::lab::virtual_files> left;
    std::uint64_t looks = 0;
    auto const look = [&] {
      for (std::uint64_t k = 0; k < 3; ++k) left.push_back(files.crash(seed() + 3 * looks + k));
      ++looks;
    };
    io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}, small_stacks)
        .run([&](rank const& world) {
          state(world.rank(), 3, 2, true)
              .named<rank>()
              .save(world, "f", {}, looking(files.opener(), look));
          if (world.rank() == 0) look();
        });
    CHECK(looks > 30);
    std::set<std::int64_t> seen;
    for (auto const& l : left) seen.insert(generation_in(l));
    CHECK(seen == std::set<std::int64_t>{first ? 0 : 1, 2});
    // save had returned before these crashes
    for (std::size_t k = left.size() - 3; k < left.size(); ++k) CHECK(generation_in(left[k]) == 2);
  }
}

TEST_CASE(
    "when all nodes of a GPFS are lost at any call, the old checkpoint is on its disks, or the new "
    "one, whole",
    "[format][checkpoint][crash][gpfs]") {
  for (bool const first : {true, false}) {
    io::lab::virtual_gpfs const files({.block_bytes = 4096}, 2);
    auto const save = [&](std::int64_t number, io::opener const& by) {
      io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}, small_stacks)
          .run([&](rank const& world) {
            state(world.rank(), 3, number, true).named<rank>().save(world, "f", {}, by);
          });
    };
    if (!first) save(1, files.opener());
    std::vector<std::int64_t> left;
    auto const look = [&] {
      io::lab::virtual_files disk;
      if (files.exists("f")) disk.put("f", files.on_disk("f"));
      left.push_back(generation_in(disk));
    };
    save(2, looking(files.opener(), look));
    look();
    CHECK(left.size() > 30);
    CHECK(std::set(left.begin(), left.end()) == std::set<std::int64_t>{first ? 0 : 1, 2});
    CHECK(left.back() == 2);
    CHECK(std::is_sorted(left.begin(), left.end()));
    CHECK(files.names() == std::vector<std::string>{"f"});
  }
}

TEST_CASE("a failure of any rank at any call is an error of all, and leaves the old checkpoint",
          "[format][checkpoint][errors]") {
  using io::file_call;
  for (file_call const kind :
       {file_call::open, file_call::resize, file_call::write, file_call::sync, file_call::close})
    for (int who = 0; who < 3; ++who) {
      // Rank 0 first checks the old file. A failure there does not stop the save.
      bool const looks = who == 0 && (kind == file_call::open || kind == file_call::close);
      std::int64_t const first = looks ? 2 : 1;
      bool struck = true;
      for (std::int64_t k = first; struck; ++k) {
        CAPTURE(static_cast<int>(kind), who, k);
        REQUIRE(k < 60);
        io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
        s.faults.push_back({who, io::fail_at(kind, k, std::errc::io_error)});
        io::lab::virtual_files const files = with_first();
        int failed = 0, own = 0;
        io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
          state now(world.rank(), 3, 2, true);
          auto c = now.named<rank>();
          std::error_code error;
          c.save(world, "f", error, files.opener());
          failed += error ? 1 : 0;
          own += error == io::errc::io ? 1 : 0;
          CHECK(error.value() ==
                (error ? static_cast<int>(world.rank() == who ? io::errc::io
                                                              : io::errc::error_on_another_rank)
                       : 0));
          CHECK(c.what_failed().empty() == !error);
        });
        struck = failed > 0;
        CHECK((failed == 0 || (failed == 3 && own == 1)));
        CHECK(generation_in(files) == (struck ? 1 : 2));
        CHECK(files.names() == std::vector<std::string>{"f"});
        if (!struck && (kind == file_call::open || kind == file_call::sync ||
                        kind == file_call::close || who == 0))
          CHECK(k > first);
      }
    }
}

TEST_CASE("a rename that fails leaves the old checkpoint; a directory that is not synced is told",
          "[format][checkpoint][errors]") {
  for (bool const renames : {false, true}) {
    io::lab::virtual_files const files = with_first();
    io::opener const inner = files.opener();
    auto const fails = [](auto const&...) { return std::make_error_code(std::errc::io_error); };
    auto const open = [=](std::string const& path, io::extend::open_flags flags,
                          std::error_code& error) { return inner(path, flags, error); };
    auto const remove = [=](std::string const& path) { return inner.remove(path); };
    auto const rename = [=](std::string const& from, std::string const& to) {
      return inner.rename(from, to);
    };
    io::opener const broken =
        renames ? io::opener(open, remove, rename, fails) : io::opener(open, remove, fails, fails);
    std::string words;
    io::lab::virtual_cluster({.ranks = 3}, small_stacks).run([&](rank const& world) {
      auto const save = [&](io::opener const& o) {
        state(world.rank(), 3, 2, true).named<rank>().save(world, "f", {}, o);
      };
      CHECK_THROWS_AS(save(io::opener(open, remove)), io::error);  // cannot rename at all
      CHECK(files.names() == std::vector<std::string>{"f"});
      try {
        save(broken);
      } catch (io::error const& e) {
        CHECK(e.cause() == std::errc::io_error);
        if (world.rank() == 2) words = e.what();
      }
    });
    CHECK_THAT(words, ContainsSubstring(renames ? "after a crash the old one" : "renaming 'f."));
    CHECK(ContainsSubstring("is still there").match(words) == !renames);
    CHECK(generation_in(files) == (renames ? 2 : 1));
    CHECK(files.names() == std::vector<std::string>{"f"});
  }
}

TEST_CASE("when a rank dies at any operation, the checkpoint is the old one or the new one",
          "[format][checkpoint][deaths]") {
  std::set<std::int64_t> seen;
  for (int who = 0; who < 3; ++who)
    for (std::int64_t k = 1; k < 400; k += 7) {
      CAPTURE(who, k);
      io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
      s.deaths.push_back({.rank = who, .operation = k});
      io::lab::virtual_files const files = with_first();
      auto const r = io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
        std::error_code error;
        state now(world.rank(), 3, 2, true);
        auto c = now.named<rank>();
        c.save(world, "f", error, files.opener());
        CHECK((!error || error == io::errc::rank_failed));
      });
      std::int64_t const found = generation_in(files);
      CHECK((found == 1 || found == 2));
      seen.insert(found);
      if (r.dead.empty()) CHECK(found == 2);
    }
  CHECK(seen == std::set<std::int64_t>{1, 2});
}

TEST_CASE("damage is found where it is read, and named", "[format][checkpoint][damage]") {
  io::lab::virtual_files files;
  std::vector<double> const u(many, 1.25);
  io::lab::virtual_cluster({.ranks = 1}, small_stacks).run([&](rank const& world) {
    double const small = 1;
    checkpoint c;
    c.add_value("small", small)
        .add("many", part_of_many(0, 1), u)
        .save(world, "f", {}, files.opener());
  });
  std::vector<std::byte> const good = files.content("f");
  io::extend::failure why;
  auto const h = io::detail::parse_checkpoint_header(good, why);
  REQUIRE(h.has_value());
  std::int64_t const at = h->find("many")->offset, block = h->block_bytes;
  REQUIRE(h->blocks(*h->find("many")) == 4);
  CHECK(io::find_damage("f", {}, files.opener()).empty());

  // once: each element on one rank; whole: all elements on each rank; some: a few of the first
  // block
  enum class parts { once, whole, some };
  auto const load = [&](int ranks, parts how) {
    std::set<std::string> words;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2}, small_stacks)
        .run([&](rank const& world) {
          io::array_part const part =
              how == parts::once    ? io::array_part(part_of_many(world.rank(), world.size()))
              : how == parts::whole ? io::array_part(part_of_many(0, 1))
                                    : io::array_part(io::subarray({many}, {10}, {20 * world.rank()},
                                                                  io::type<double>));
          std::vector<double> back(static_cast<std::size_t>(part.elements()));
          checkpoint c;
          std::error_code error;
          double small = 0;
          c.add_value("small", small).add("many", part, back);
          c.load(world, "f", error, files.opener());
          words.insert(c.what_failed());
          if (!error) CHECK((std::ranges::count(back, 1.25) == std::ssize(back) && small == 1));
          if (error)
            CHECK((error == io::errc::damaged || error == io::errc::error_on_another_rank));
        });
    std::string all;
    for (std::string const& w : words) all += w;
    return all;
  };
  for (int const ranks : {1, 3})
    for (parts const how : {parts::once, parts::whole, parts::some}) {
      CAPTURE(ranks, static_cast<int>(how));
      files.put("f", good);
      CHECK(load(ranks, how).empty());
      for (std::int64_t const bad :
           {at, at + block - 1, at + block, at + 3 * block + 777, at + 8 * many - 1}) {
        auto content = good;
        content[static_cast<std::size_t>(bad)] ^= std::byte{1};
        files.put("f", content);
        std::int64_t const number = (bad - at) / block;
        std::string const name = "block " + std::to_string(number) + " of 'many'";
        if (how == parts::some && number > 0)
          CHECK(load(ranks, how).empty());  // no rank reads this block
        else
          CHECK_THAT(load(ranks, how), ContainsSubstring(name));
        auto const all = io::find_damage("f", {}, files.opener());
        REQUIRE(all.size() == 1);
        CHECK(all[0].block == number);
        CHECK(all[0].offset == at + number * block);
      }
    }
  auto content = good;  // damage in a checksum, in two blocks, in the header, and a missing end
  content[static_cast<std::size_t>(h->find("many")->sums + 9)] ^= std::byte{1};
  files.put("f", content);
  CHECK_THAT(load(3, parts::once), ContainsSubstring("block 2 of 'many'"));
  content = good;
  content[static_cast<std::size_t>(at)] ^= std::byte{1};
  content[static_cast<std::size_t>(at + block)] ^= std::byte{1};
  files.put("f", content);
  CHECK_THAT(load(1, parts::once), ContainsSubstring("so is 1 block behind it"));
  content = good;
  content[30] ^= std::byte{1};
  files.put("f", content);
  CHECK_THAT(load(3, parts::once), ContainsSubstring("checksum is not that of its text"));
  content = good;
  content.pop_back();
  files.put("f", content);
  CHECK_THAT(load(3, parts::once), ContainsSubstring("its header speaks of"));

  // Data of the other byte order is converted in memory, so checksums are computed from the file.
  auto foreign = *h;
  foreign.arrays[1].type.order = '>';
  content = good;
  std::ranges::copy(io::detail::checkpoint_header_of(foreign), content.begin());
  double const one = 1.25;
  std::vector<std::byte> bytes(sizeof one);
  std::ranges::reverse_copy(std::as_bytes(std::span(&one, 1)), bytes.begin());
  for (std::int64_t n = 0; n < many; ++n) std::ranges::copy(bytes, content.begin() + at + 8 * n);
  files.put("f", content);
  CHECK_THAT(load(3, parts::once), ContainsSubstring("block 0 of 'many'"));
  for (std::int64_t b = 0; b < 4; ++b) {
    std::span<std::byte> const all(content);
    auto const data = all.subspan(static_cast<std::size_t>(at + b * block),
                                  static_cast<std::size_t>(std::min(block, 8 * many - b * block)));
    io::detail::store_checksum(
        io::detail::checksum_of(data),
        all.subspan(static_cast<std::size_t>(h->find("many")->sums + 4 * b)).first<4>());
  }
  files.put("f", content);
  for (parts const how : {parts::once, parts::whole, parts::some}) CHECK(load(3, how).empty());
}

// Checkpoints. After a failure, a death or a crash, the file must be whole, or as before. Any
// number of ranks can read it, and damage is named.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/xdmf.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "format/checkpoint_cases.hpp"
#include "format/looking.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using rank = io::lab::virtual_rank;
using checkpoint = io::basic_checkpoint<rank>;

constexpr io::lab::virtual_options options{.stack_bytes = std::size_t{1} << 20};

// Returns the generation that the file has as a whole; 0 if there is no file, -1 if it is anything
// else.
std::int64_t generation_in(io::lab::virtual_files const& files) {
  if (!files.exists("f")) return 0;
  state back(0, 1, 0, false);
  std::error_code error;
  back.named<io::self>().load(io::self(), "f", error, files.opener());
  return !error && back.is(back.number) ? back.number : -1;
}

io::lab::virtual_files with_first() {
  io::lab::virtual_files files;
  io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
    state(world.rank(), 2, 1, true).named<rank>().save(world, "f", {}, files.opener());
  });
  REQUIRE(generation_in(files) == 1);
  return files;
}

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
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = seed()}, options)
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
    io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}, options)
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
      io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}, options)
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
        io::lab::virtual_cluster(s, options).run([&](rank const& world) {
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
    io::lab::virtual_cluster({.ranks = 3}, options).run([&](rank const& world) {
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
      auto const r = io::lab::virtual_cluster(s, options).run([&](rank const& world) {
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
  io::lab::virtual_cluster({.ranks = 1}, options).run([&](rank const& world) {
    double const small = 1;
    checkpoint c;
    c.add("small", small).add("many", part_of_many(0, 1), u).save(world, "f", {}, files.opener());
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
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2}, options)
        .run([&](rank const& world) {
          io::array_part const part =
              how == parts::once    ? io::array_part(part_of_many(world.rank(), world.size()))
              : how == parts::whole ? io::array_part(part_of_many(0, 1))
                                    : io::array_part(io::subarray({many}, {10}, {20 * world.rank()},
                                                                  io::type<double>));
          std::vector<double> back(static_cast<std::size_t>(part.elements()));
          checkpoint c;
          std::error_code error;
          c.add("many", part, back).load(world, "f", error, files.opener());
          words.insert(c.what_failed());
          if (!error) CHECK(std::ranges::count(back, 1.25) == std::ssize(back));
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
  CHECK_THAT(load(1, parts::once), ContainsSubstring("so are 1 blocks behind it"));
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
  for (auto& a : foreign.arrays) a.type.order = '>';
  content = good;
  std::ranges::copy(io::detail::checkpoint_header_of(foreign), content.begin());
  double const one = 1.25;
  std::vector<std::byte> bytes(sizeof one);
  std::ranges::reverse_copy(std::as_bytes(std::span(&one, 1)), bytes.begin());
  for (std::int64_t n = 0; n < many; ++n) std::ranges::copy(bytes, content.begin() + at + 8 * n);
  files.put("f", content);
  CHECK_THAT(load(3, parts::once), ContainsSubstring("block 0 of 'many'"));
}

TEST_CASE("parts that overlap or leave elements out are no checkpoint",
          "[format][checkpoint][errors]") {
  io::lab::virtual_files const files = with_first();
  io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
    struct given {
      std::int64_t start, count;  // those of rank 1; 5 and 5 would be right
      char const* words;
    };
    for (given const& one : {given{0, 5, "overlap, and leave other elements out"},
                             {4, 5, "overlap, and leave other"},
                             {6, 4, "leave elements out (they have 72 of its 80 bytes)"},
                             {4, 6, "parts of ranks overlap (they have 88 of its 80 bytes)"}}) {
      CAPTURE(one.start, one.count);
      std::vector<double> const u(static_cast<std::size_t>(world.rank() == 0 ? 5 : one.count));
      checkpoint c;
      c.add("u", io::subarray({10}, {std::ssize(u)}, {world.rank() * one.start}, io::type<double>),
            u);
      std::error_code error;
      c.save(world, "f", error, files.opener());
      CHECK((error == io::errc::datatype || error == io::errc::error_on_another_rank));
      CHECK_THAT(c.what_failed(),
                 ContainsSubstring("block 0 of 'u'") && ContainsSubstring("exactly once: ") &&
                     ContainsSubstring(one.words) &&
                     ContainsSubstring("What to do: let each element be in the part of one rank"));
    }
  });
  CHECK(generation_in(files) == 1);
  CHECK(files.names() == std::vector<std::string>{"f"});
}

TEST_CASE("what cannot be saved or loaded is told on all ranks, with both sides",
          "[format][checkpoint][errors]") {
  io::lab::virtual_files const files = with_first();
  io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
    double value = 0;
    std::int32_t small = 0;
    std::int64_t const fixed = 0;
    std::vector<float> longer_room(6), empty;
    std::span<float> longer(longer_room), none_at_all(empty);
    std::error_code error;
    std::string checkpoint_words;
    auto const refused = [&](checkpoint c, bool saves, io::errc e, std::string const& words) {
      if (saves)
        c.save(world, "f", error, files.opener());
      else
        c.load(world, "f", error, files.opener());
      CHECK((error == e || error == io::errc::error_on_another_rank));
      CHECK_THAT(c.what_failed(), ContainsSubstring(words));
      checkpoint_words = c.what_failed();
    };
    refused(checkpoint().add("none", value), false, io::errc::datatype,
            "has no 'none'; it has\ngeneration: '<i8' ()");
    CHECK_THAT(checkpoint_words,
               ContainsSubstring("checkpoint::load of 'f' failed") && !ContainsSubstring("\n."));
    refused(checkpoint().add("generation", small), false, io::errc::datatype,
            "'generation': the file has an array of '<i8' (), the program's is of '<i4' ()");
    refused(checkpoint().add("table", longer), false, io::errc::datatype,
            "'<f4' (5,), the program's is of '<f4' (6,)");
    refused(checkpoint().add("table", none_at_all), false, io::errc::datatype,
            "'<f4' (0,). What to do: give the program's that size before; header_of tells it");
    refused(checkpoint().add("generation", fixed), false, io::errc::argument, "is const");
    refused(checkpoint().add(world.rank() == 0 ? "table" : "generation", value), false,
            io::errc::datatype, "the file has");
    refused(checkpoint().add("a", value).add("a", small), true, io::errc::argument,
            "'a' is there twice");
    refused(checkpoint().add("", value), true, io::errc::argument, "has a name");
    refused(checkpoint().add(world.rank() == 0 ? "a" : "b", value), true, io::errc::not_same,
            "arrays[0] is 'b' '<f8' () = 0 (8 bytes, sum");
    CHECK_THAT(checkpoint_words, ContainsSubstring("on rank 1, 'a' '<f8' () = 0"));
    std::int32_t const own = world.rank() + 5;
    refused(checkpoint().add("k", own), true, io::errc::not_same,
            "arrays[0] is 'k' '<i4' () = 6 (4 bytes, sum");
    CHECK_THAT(checkpoint_words,
               ContainsSubstring("checkpoint::save of 'f' failed") &&
                   ContainsSubstring("what was saved in 'f' before is still there"));
    std::vector<float> const several(3, static_cast<float>(world.rank()));
    refused(checkpoint().add("several", several), true, io::errc::not_same,
            "'several' '<f4' (3,) = (12 bytes, sum");
    std::vector<float> const wrong(world.rank() == 0 ? 5 : 4);
    refused(checkpoint().add(
                "u", io::darray<float, 1>({10}, io::distribute::block, {2}, world.rank()), wrong),
            true, io::errc::datatype,
            "the data is 4 float32, this rank's part of 'u', '<f4' (10,), is 5 float32");
    // An invalid box on one rank. Its own message must be reported, when it is saved and when it is
    // loaded.
    auto const box = io::subarray({10}, {5}, {5 + world.rank()}, io::type<float>);
    std::vector<float> const five(5);
    refused(checkpoint().add("u", box, five), true, io::errc::datatype,
            "start[0] = 6 and subsize[0] = 5 exceed");
    CHECK(error == (world.rank() == 1 ? io::errc::datatype : io::errc::error_on_another_rank));
    std::vector<float> into(5);
    auto const part = io::subarray({5}, {5}, {world.rank()}, io::type<float>);
    refused(checkpoint().add("table", part, into), false, io::errc::datatype,
            "start[0] = 1 and subsize[0] = 5 exceed");
    checkpoint const none;
    CHECK(checkpoint::header_of(world, "f", {}, files.opener()).arrays.size() == 6);
    CHECK_THROWS_AS(checkpoint::header_of(world, "g", {}, files.opener()), io::error);
  });
  CHECK(generation_in(files) == 1);
}

TEST_CASE("an old checkpoint is spoken of only where there is one",
          "[format][checkpoint][errors]") {
  io::lab::scenario s{.ranks = 2, .ranks_per_node = 2};
  s.faults.push_back({0, io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device)});
  for (bool const there : {false, true}) {
    io::lab::virtual_files const files = there ? with_first() : io::lab::virtual_files();
    io::lab::virtual_cluster(s, options).run([&](rank const& world) {
      std::int32_t const k = 5;
      checkpoint c;
      c.add("k", k);
      std::error_code error;
      c.save(world, "f", error, files.opener());
      CHECK(error);
      CHECK((c.what_failed().find("before is still there") != std::string::npos) == there);
    });
  }
}

TEST_CASE("a failed save says that the old checkpoint is there, unless the new one has its name",
          "[format][checkpoint][errors]") {
  // Words in the path must not decide anything.
  std::string const name = "the new checkpoint has its name";
  for (bool const renamed : {false, true}) {
    io::lab::virtual_files const files = with_first();
    io::opener const usual = files.opener();
    auto const no_space = make_error_code(std::errc::no_space_on_device);
    io::opener const failing([=](std::string const& path, io::extend::open_flags flags,
                                 std::error_code& error) { return usual(path, flags, error); },
                             [=](std::string const& path) { return usual.remove(path); },
                             [=](std::string const& from, std::string const& to) {
                               return renamed ? usual.rename(from, to) : no_space;
                             },
                             [=](std::string const&) { return no_space; });
    io::lab::virtual_cluster({.ranks = 3}, options).run([&](rank const& world) {
      std::int32_t const k = 5;
      checkpoint c;
      c.add("k", k).save(world, name, {}, usual);
      std::error_code error;
      c.save(world, name, error, failing);
      CHECK(error);
      CAPTURE(c.what_failed());
      CHECK(ContainsSubstring("before is still there").match(c.what_failed()) == !renamed);
      CHECK(ContainsSubstring("after a crash the old one may have it").match(c.what_failed()) ==
            renamed);
    });
  }
}

TEST_CASE("a container may get other elements, and another size, between saving and loading",
          "[format][checkpoint]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
    io::darray<double, 1> const tile({8}, io::distribute::block, {2}, world.rank());
    std::vector<double> u(4, 1);
    std::vector<std::int32_t> list(3, 3);
    checkpoint d;
    d.add("u", tile, u).add("list", list);
    u = std::vector<double>(4, 2 + world.rank());
    list.assign(500, 7);
    d.save(world, "f", {}, files.opener());
    u = std::vector<double>(4, -1);
    list = std::vector<std::int32_t>(500, -1);
    d.load(world, "f", {}, files.opener());
    CHECK(u == std::vector<double>(4, 2 + world.rank()));
    CHECK(list == std::vector<std::int32_t>(500, 7));
    u.resize(5);  // the part has 4
    std::error_code error;
    d.save(world, "f", error, files.opener());
    CHECK(error == io::errc::datatype);
    CHECK_THAT(d.what_failed(),
               ContainsSubstring("the data is 5 float64, this rank's part of 'u'"));
  });
}

TEST_CASE("errors on the way are told as those of the call and the file that the program named",
          "[format][checkpoint][errors]") {
  io::lab::scenario s{.ranks = 2, .ranks_per_node = 2};
  s.faults.push_back({0, io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device)});
  io::lab::virtual_files const files = with_first();
  io::lab::virtual_cluster(s, options).run([&](rank const& world) {
    state now(world.rank(), 2, 2, true);
    auto c = now.named<rank>();
    try {
      c.save(world, "f", {}, files.opener());
      CHECK(false);
    } catch (io::error const& e) {
      CHECK(e.cause() == std::errc::no_space_on_device);
      CHECK(std::string(e.what()) == c.what_failed());
      CHECK_THAT(e.what(), ContainsSubstring("argosy: checkpoint::save of 'f' failed on rank 0") &&
                               ContainsSubstring("what was saved in 'f' before is still there") &&
                               !ContainsSubstring("write_at_all") && !ContainsSubstring(".part"));
    }
  });
}

namespace {

// Values that all ranks have, one of every kind that can be added by itself.
struct everything {
  std::int64_t number = 0;
  std::complex<double> wave;
  bool flag = false;
  std::array<float, 3> triple{};
  std::pair<std::int32_t, double> both;
  std::string text;
  std::optional<double> some, none = 5.0;
  std::optional<particle> chosen;
  std::vector<double> table;
  std::vector<std::pair<std::int32_t, double>> list;
  std::vector<std::vector<double>> rows;
  std::vector<std::string> names;

  static everything filled() {
    everything e{.number = 7,
                 .wave = {1, -2},
                 .flag = true,
                 .triple = {1, 2, 3},
                 .both = {3, 0.25},
                 .text = "state of the run",
                 .some = 2.5,
                 .none = {},
                 .chosen = particle{},
                 .table = {1, 2, 3},
                 .list = {{1, 1.5}, {2, 2.5}},
                 .rows = {{1, 2, 3}, {}, {4}, {5, 6}},
                 .names = {"first", "", "the third one"}};
    number_to(9, *e.chosen);
    return e;
  }
  checkpoint named() {
    checkpoint c;
    c.add("number", number)
        .add("wave", wave)
        .add("flag", flag)
        .add("triple", triple)
        .add("both", both);
    c.add("text", text)
        .add("some", some)
        .add("none", none)
        .add("chosen", chosen)
        .add("table", table);
    return std::move(c.add("list", list).add("rows", rows).add("names", names));
  }
  bool is_filled() const {
    everything const e = filled();
    return number == e.number && wave == e.wave && flag == e.flag && triple == e.triple &&
           both == e.both && text == e.text && some == e.some && none == e.none && chosen &&
           is_number(9, *chosen) && table == e.table && list == e.list && rows == e.rows &&
           names == e.names;
  }
};

}  // namespace

TEST_CASE(
    "what is the same on all ranks is loaded by any ranks, and gets the size that the file has",
    "[format][checkpoint]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 3}, options).run([&](rank const& world) {
    everything e = everything::filled();
    e.named().save(world, "f", {}, files.opener());
  });
  for (int const ranks : {1, 2, 5})
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2}, options)
        .run([&](rank const& world) {
          everything empty;  // its lists are empty, and it has one optional value too many
          empty.named().load(world, "f", {}, files.opener());
          CHECK(empty.is_filled());
          everything other;
          other.text = "another text, which is longer than that of the file";
          other.table.assign(100, -1);
          other.rows = {{1}, {2, 3}, {}, {}, {}, {7}};
          other.names.assign(1, "x");
          other.named().load(world, "f", {}, files.opener());
          CHECK(other.is_filled());
        });
  auto const h = io::read_header("f", {}, files.opener());
  auto const& all = std::get<io::checkpoint_header>(h);
  CHECK(to_string(all.find("text")->type) == "'|i1'");
  CHECK(all.find("some")->shape == std::vector<std::int64_t>{1});
  CHECK(all.find("none")->shape == std::vector<std::int64_t>{0});
  CHECK(all.find("rows")->shape == std::vector<std::int64_t>{6});
  CHECK(all.find("rows.lengths")->shape == std::vector<std::int64_t>{4});
}

TEST_CASE("what has another type in the file keeps its size, and what cannot be resized must fit",
          "[format][checkpoint][errors]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
    everything e = everything::filled();
    e.named().save(world, "f", {}, files.opener());
    auto const refused = [&](checkpoint c, std::string const& words) {
      std::error_code error;
      c.load(world, "f", error, files.opener());
      CHECK((error == (words == "is const" ? io::errc::argument : io::errc::datatype) ||
             error == io::errc::error_on_another_rank));
      CHECK_THAT(c.what_failed(), ContainsSubstring(words));
    };
    std::vector<float> other(2);
    refused(checkpoint().add("table", other),
            "the file has an array of '<f8' (3,), the program's is of '<f4' (2,)");
    CHECK(other.size() == 2);
    std::vector<double> room(2);
    std::span<double> fixed(room);
    refused(checkpoint().add("table", fixed),
            "the program's is of '<f8' (2,). What to do: give the program's");
    std::optional<std::int64_t> wrong;
    refused(checkpoint().add("some", wrong), "the program's is of '<i8' (0,)");
    refused(checkpoint().add("table", e.some), "the file has an array of '<f8' (3,)");
    std::array<std::span<double>, 4> rows{};
    refused(checkpoint().add("rows", rows), "row 0 of 'rows' has another length in the file");
    std::vector<std::vector<float>> others(4);
    refused(checkpoint().add("rows", others), "'rows': the file has an array of '<f8' (6,)");
    auto const both = everything::filled().rows;
    refused(checkpoint().add("rows", both), "is const");
    std::vector<std::vector<double>> unnamed;
    refused(checkpoint().add("table", unnamed), "the checkpoint has no 'table.lengths'");
  });
}

TEST_CASE("lengths of rows that are not those of the elements are damage",
          "[format][checkpoint][damage]") {
  for (std::vector<std::int64_t> const& lengths : {std::vector<std::int64_t>{1, 2},
                                                   {4, -1},
                                                   {std::int64_t{1} << 62, std::int64_t{1} << 62},
                                                   {}}) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
      auto const mine = lengths;
      std::vector<double> const elements(4, 1.5);
      checkpoint c;
      c.add("rows.lengths", mine).add("rows", elements).save(world, "f", {}, files.opener());
      std::vector<std::vector<double>> rows;
      checkpoint d;
      std::error_code error;
      d.add("rows", rows).load(world, "f", error, files.opener());
      CHECK((error == io::errc::damaged || error == io::errc::error_on_another_rank));
      CHECK_THAT(d.what_failed(), ContainsSubstring("lengths"));
    });
  }
}

TEST_CASE("a checkpoint of an earlier version is loaded", "[format][checkpoint]") {
  std::string const text =
      "{'blocks': 1048576, 'size': 24576, 'arrays': [\n"
      "  {'name': 'step', 'descr': '<i8', 'fortran_order': False, 'shape': (), 'offset': 4096, "
      "'sums': 4104},\n"
      "  {'name': 'table', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'offset': 8192, "
      "'sums': 8204},\n"
      "  {'name': 'text', 'descr': '|i1', 'fortran_order': False, 'shape': (5,), 'offset': 12288, "
      "'sums': 12296},\n"
      "  {'name': 'pair', 'descr': [('first', '<i4'), ('second', '<f8')], 'fortran_order': False, "
      "'shape': (), "
      "'offset': 16384, 'sums': 16396},\n"
      "  {'name': 'u', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'offset': 20480, "
      "'sums': 20528},\n"
      "]}\n";
  std::vector<std::byte> file(24576);
  auto const put = [&](std::size_t at, auto const& what) {
    std::ranges::copy(std::as_bytes(std::span(what)),
                      file.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, std::string("\x93"
                     "ARGOSY\x01\x61\x02\x00\x00\x8c\xc0\x3a\x03",
                     16) +
             text);
  put(4096, std::array<std::int64_t, 1>{7});
  put(4104, std::array<std::uint32_t, 1>{0x6fe7d670});
  put(8192, std::array{1.5f, 2.5f, 3.5f});
  put(8204, std::array<std::uint32_t, 1>{0xbe9cb085});
  put(12288, std::string("state"));
  put(12296, std::array<std::uint32_t, 1>{0xa393d2fb});
  put(16384, std::array<std::int32_t, 3>{3, 0, 0x3fd00000});
  put(16396, std::array<std::uint32_t, 1>{0x3b15fcbd});
  put(20480, std::array{0., 1., 2., 3., 4., 5.});
  put(20528, std::array<std::uint32_t, 1>{0xf12b0119});
  io::lab::virtual_files files;
  files.put("f", file);
  for (int const ranks : {1, 2})
    io::lab::virtual_cluster({.ranks = ranks}, options).run([&](rank const& world) {
      std::int64_t step = 0;
      std::vector<float> table;
      std::string words;
      std::pair<std::int32_t, double> both;
      std::vector<double> u(6);
      checkpoint c;
      c.add("step", step).add("table", table).add("text", words).add("pair", both);
      c.add("u", io::subarray({2, 3}, {2, 3}, {0, 0}, io::type<double>), u)
          .load(world, "f", {}, files.opener());
      CHECK(step == 7);
      CHECK(table == std::vector<float>{1.5f, 2.5f, 3.5f});
      CHECK(words == "state");
      CHECK(both == std::pair<std::int32_t, double>{3, 0.25});
      CHECK(u == std::vector<double>{0, 1, 2, 3, 4, 5});
    });
  CHECK(io::find_damage("f", {}, files.opener()).empty());
}

TEST_CASE("chosen members of elements are an array of their own, and are read into others",
          "[format][checkpoint]") {
  struct body {
    double x[3];
    std::int64_t more;
    std::int32_t id;
  };
  io::lab::virtual_files const files;
  io::members<&body::x, &body::id> const choice;
  auto const tile = [&](int me, int ranks) {
    return io::darray(std::vector<std::int64_t>{12}, io::distribute::block,
                      std::vector<std::int64_t>{ranks}, me, choice);
  };
  io::lab::virtual_cluster({.ranks = 3}, options).run([&](rank const& world) {
    std::vector<body> mine(4);
    for (int i = 0; i < 4; ++i)
      mine[static_cast<std::size_t>(i)] = {{1.0 * i, 2, 3}, -1, 4 * world.rank() + i};
    checkpoint c;
    c.add("bodies", tile(world.rank(), 3), mine, choice).save(world, "f", {}, files.opener());
  });
  io::lab::virtual_cluster({.ranks = 2}, options).run([&](rank const& world) {
    std::vector<body> back(6, body{{}, 77, 0});
    checkpoint c;
    c.add("bodies", tile(world.rank(), 2), back, choice).load(world, "f", {}, files.opener());
    for (int i = 0; i < 6; ++i) {
      auto const& b = back[static_cast<std::size_t>(i)];
      CHECK((b.id == 6 * world.rank() + i && b.x[0] == b.id % 4 && b.x[2] == 3 && b.more == 77));
    }
    // A struct of these members reads them, too, and one member can be read alone.
    std::vector<particle> others(6);
    checkpoint d;
    d.add("bodies", io::darray<particle, 1>({12}, io::distribute::block, {2}, world.rank()),
          others);
    d.load(world, "f", {}, files.opener());
    CHECK(others[5].id == 6 * world.rank() + 5);
    std::vector<body> numbers(6, body{{}, 77, 0});
    io::members<&body::id> const only;
    checkpoint e;
    e.add("bodies",
          io::darray(std::vector<std::int64_t>{12}, io::distribute::block,
                     std::vector<std::int64_t>{2}, world.rank(), only),
          numbers, only);
    e.load(world, "f", {}, files.opener());
    CHECK((numbers[4].id == 6 * world.rank() + 4 && numbers[4].x[1] == 0));
  });
  auto const h = io::read_header("f", {}, files.opener());
  CHECK(to_string(std::get<io::checkpoint_header>(h).arrays[0].type) ==
        "[('x', '<f8', (3,)), ('id', '<i4')]");
}

TEST_CASE("errors advise what the caller of a checkpoint can do", "[format][checkpoint][errors]") {
  scratch const here;
  auto const words_of = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (io::error const& e) {
      return e.what();
    }
    return "no error";
  };
  std::int64_t value = 1;
  io::basic_checkpoint<io::self> c;
  c.add("value", value);
  for (auto const& words : {words_of([&] { c.load(io::self(), here / "none"); }), words_of([&] {
                              io::basic_checkpoint<io::self>::header_of(io::self(), here / "none");
                            }),
                            words_of([&] { io::read_header(here / "none"); }),
                            words_of([&] { io::find_damage(here / "none"); })}) {
    CHECK_THAT(words, ContainsSubstring("no such file") &&
                          ContainsSubstring("this call makes no file. What to do: ") &&
                          !ContainsSubstring("mode::"));
  }
  CHECK_THAT(words_of([&] { c.save(io::self(), here / "none/f"); }),
             ContainsSubstring("What to do: check the path, or make the directory first") &&
                 !ContainsSubstring("mode::"));
  std::string const longest(233, 'x');
  c.save(io::self(), here / longest);
  CHECK_THAT(words_of([&] { c.save(io::self(), here / (longest + "x")); }),
             ContainsSubstring("its name ends in .<16 hexadecimal digits>.part") &&
                 ContainsSubstring("of 233 bytes at most"));
  value = 0;
  c.load(io::self(), here / longest);
  CHECK(value == 1);
}

TEST_CASE("what replaces a file has its permissions", "[format][checkpoint]") {
  namespace fs = std::filesystem;
  scratch const here;
  std::int64_t value = 1;
  io::basic_checkpoint<io::self> c;
  c.add("value", value);
  io::basic_xdmf<io::self> run({.points = {2, 2}});
  auto const permissions = [&](char const* name) {
    return static_cast<unsigned>(fs::status(here / name).permissions());
  };
  mode_t const before = ::umask(022);
  c.save(io::self(), here / "f");
  CHECK(permissions("f") == 0644);
  for (unsigned const chosen : {0600u, 0664u, 0440u, 0777u}) {
    CAPTURE(chosen);
    fs::permissions(here / "f", static_cast<fs::perms>(chosen));
    c.save(io::self(), here / "f");
    CHECK(permissions("f") == chosen);
    run.save(io::self(), here / "run");
    fs::permissions(here / "run", static_cast<fs::perms>(chosen));
    run.save(io::self(), here / "run");
    CHECK(permissions("run") == chosen);
  }
  // The part file that replaces a private file must be private at every moment.
  fs::permissions(here / "f", static_cast<fs::perms>(0600));
  int looks = 0;
  auto const inner = io::posix_opener();
  auto const look = [&] {
    for (auto const& entry : fs::directory_iterator(here.string()))
      if (entry.path().extension() == ".part") {
        ++looks;
        CHECK(static_cast<unsigned>(entry.status().permissions()) == 0600);
      }
  };
  auto const opens = [&](std::string const& path, io::extend::open_flags flags,
                         std::error_code& error) {
    look();
    return inner(path, flags, error);
  };
  c.save(io::self(), here / "f", {}, inner.opening(opens));
  CHECK(looks > 0);
  c.save(io::self(), here / "f", io::hints{.file_permissions = 0640u});
  CHECK(permissions("f") == 0640);
  ::umask(before);
}

TEST_CASE("the hint file_perm counts for a checkpoint, wherever it is given",
          "[format][checkpoint]") {
  namespace fs = std::filesystem;
  scratch const here;
  std::int64_t value = 1;
  io::basic_checkpoint<io::self> c;
  c.add("value", value);
  auto const saved = [&](io::hints const& given) {
    fs::permissions(here / "f", static_cast<fs::perms>(0644));
    c.save(io::self(), here / "f", given);
    return static_cast<unsigned>(fs::status(here / "f").permissions());
  };
  c.save(io::self(), here / "f");
  CHECK(saved({}) == 0644);
  CHECK(saved({.named = {{"file_perm", "0600"}}}) == 0600);
  std::string const told = here / "hints";
  std::ofstream(told) << "file_perm 0600\n";
  for (char const* const variable : {"ARGOSY_HINTS", "ARGOSY_HINTS_OVERRIDE"}) {
    CAPTURE(variable);
    ::setenv(variable, told.c_str(), 1);
    CHECK(saved({}) == 0600);
    ::unsetenv(variable);
  }
}

TEST_CASE("an old checkpoint that cannot be opened is replaced", "[format][checkpoint]") {
  scratch const here;
  std::int64_t value = 1;
  io::basic_checkpoint<io::self> c;
  c.add("value", value);
  c.save(io::self(), here / "f");
  auto const inner = io::posix_opener();
  auto const failing = [&](int with) {
    return inner.opening([&, with](std::string const& path, io::extend::open_flags flags,
                                   std::error_code& error) -> io::extend::any_handle {
      if (path != here / "f") return inner(path, flags, error);
      error = {with, std::system_category()};
      return {};
    });
  };
  for (int const unreadable : {EIO, ESTALE, EACCES}) {
    ++value;
    c.save(io::self(), here / "f", {}, failing(unreadable));
  }
  for (int const wanting : {EMFILE, ENFILE, ENOMEM}) {
    std::error_code error;
    c.save(io::self(), here / "f", error, failing(wanting));
    CHECK(error);
  }
  value = 0;
  c.load(io::self(), here / "f");
  CHECK(value == 4);
}

TEST_CASE("a handle that throws in close on one rank keeps no other waiting", "[format][error]") {
  bool const removes = GENERATE(false, true);
  int const bad = GENERATE(0, 2);
  CAPTURE(removes, bad);
  io::lab::virtual_files files;
  io::lab::virtual_cluster({.ranks = 4}, options).run([&](rank const& world) {
    bool throws = false;
    auto const look = [&] {
      if (throws) throw std::runtime_error("it does not close");
    };
    io::mode const modes = io::mode::create | io::mode::read_write;
    auto f =
        io::basic_file<rank>::open(world, "f", removes ? modes | io::mode::delete_on_close : modes,
                                   {}, looking(files.opener(), look));
    throws = world.rank() == bad;
    std::error_code error;
    bool thrown = false;
    try {
      f.close(error);
    } catch (std::runtime_error const&) {
      thrown = true;
    }
    throws = false;
    CHECK(thrown == (world.rank() == bad));
    CHECK((thrown || error == io::errc::error_on_another_rank));
    CHECK_FALSE(f.is_open());
  });
}

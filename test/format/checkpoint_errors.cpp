// Checkpoints: what cannot be saved or loaded, and what errors say.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/checkpoint_cases.hpp"
#include "format/checkpoint_ranks.hpp"
#include "format/looking.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("parts that overlap or leave elements out are no checkpoint",
          "[format][checkpoint][errors]") {
  io::lab::virtual_files const files = with_first();
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
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
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
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
    refused(checkpoint().add_value("none", value), false, io::errc::datatype,
            "has no 'none'; it has\ngeneration: '<i8' ()");
    CHECK_THAT(checkpoint_words,
               ContainsSubstring("checkpoint::load of 'f' failed") && !ContainsSubstring("\n."));
    refused(checkpoint().add_value("generation", small), false, io::errc::datatype,
            "'generation': the file has an array of '<i8' (), the program's is of '<i4' ()");
    refused(checkpoint().add_value("table", longer), false, io::errc::datatype,
            "'<f4' (5,), the program's is of '<f4' (6,)");
    refused(checkpoint().add_value("table", none_at_all), false, io::errc::datatype,
            "'<f4' (0,). What to do: give the program's that size before; header_of tells it");
    refused(checkpoint().add_value("generation", fixed), false, io::errc::argument, "is const");
    refused(checkpoint().add_value(world.rank() == 0 ? "table" : "generation", value), false,
            io::errc::datatype, "the file has");
    refused(checkpoint().add_value("a", value).add_value("a", small), true, io::errc::argument,
            "'a' is there twice");
    refused(checkpoint().add_value("", value), true, io::errc::argument, "has a name");
    refused(checkpoint().add_value(world.rank() == 0 ? "a" : "b", value), true, io::errc::not_same,
            "arrays[0] is 'b' '<f8' () = 0 (8 bytes, sum");
    CHECK_THAT(checkpoint_words, ContainsSubstring("on rank 1, 'a' '<f8' () = 0"));
    std::int32_t const own = world.rank() + 5;
    refused(checkpoint().add_value("k", own), true, io::errc::not_same,
            "arrays[0] is 'k' '<i4' () = 6 (4 bytes, sum");
    CHECK_THAT(checkpoint_words,
               ContainsSubstring("checkpoint::save of 'f' failed") &&
                   ContainsSubstring("what was saved in 'f' before is still there"));
    std::vector<float> const several(3, static_cast<float>(world.rank()));
    refused(checkpoint().add_value("several", several), true, io::errc::not_same,
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
    io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
      std::int32_t const k = 5;
      checkpoint c;
      c.add_value("k", k);
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
    io::lab::virtual_cluster({.ranks = 3}, small_stacks).run([&](rank const& world) {
      std::int32_t const k = 5;
      checkpoint c;
      c.add_value("k", k).save(world, name, {}, usual);
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
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
    io::darray<double, 1> const tile({8}, io::distribute::block, {2}, world.rank());
    std::vector<double> u(4, 1);
    std::vector<std::int32_t> list(3, 3);
    checkpoint d;
    d.add("u", tile, u).add_value("list", list);
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
  io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
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
  c.add_value("value", value);
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

TEST_CASE("a handle that throws in close on one rank keeps no other waiting", "[format][error]") {
  bool const removes = GENERATE(false, true);
  int const bad = GENERATE(0, 2);
  CAPTURE(removes, bad);
  io::lab::virtual_files files;
  io::lab::virtual_cluster({.ranks = 4}, small_stacks).run([&](rank const& world) {
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

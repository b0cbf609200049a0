// Checkpoints: what they may contain, who may load it, and the permissions of the file.
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
#include <optional>
#include <span>
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

#include "format/checkpoint_cases.hpp"
#include "format/checkpoint_ranks.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

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
    c.add_value("number", number)
        .add_value("wave", wave)
        .add_value("flag", flag)
        .add_value("triple", triple)
        .add_value("both", both);
    c.add_value("text", text)
        .add_value("some", some)
        .add_value("none", none)
        .add_value("chosen", chosen)
        .add_value("table", table);
    return std::move(c.add_value("list", list).add_value("rows", rows).add_value("names", names));
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
  io::lab::virtual_cluster({.ranks = 3}, small_stacks).run([&](rank const& world) {
    everything e = everything::filled();
    e.named().save(world, "f", {}, files.opener());
  });
  for (int const ranks : {1, 2, 5})
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2}, small_stacks)
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
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
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
    refused(checkpoint().add_value("table", other),
            "the file has an array of '<f8' (3,), the program's is of '<f4' (2,)");
    CHECK(other.size() == 2);
    std::vector<double> room(2);
    std::span<double> fixed(room);
    refused(checkpoint().add_value("table", fixed),
            "the program's is of '<f8' (2,). What to do: give the program's");
    std::optional<std::int64_t> wrong;
    refused(checkpoint().add_value("some", wrong), "the program's is of '<i8' (0,)");
    refused(checkpoint().add_value("table", e.some), "the file has an array of '<f8' (3,)");
    std::array<std::span<double>, 4> rows{};
    refused(checkpoint().add_value("rows", rows), "row 0 of 'rows' has another length in the file");
    std::vector<std::vector<float>> others(4);
    refused(checkpoint().add_value("rows", others), "'rows': the file has an array of '<f8' (6,)");
    auto const both = everything::filled().rows;
    refused(checkpoint().add_value("rows", both), "is const");
    std::vector<std::vector<double>> unnamed;
    refused(checkpoint().add_value("table", unnamed), "the checkpoint has no 'table.lengths'");
  });
}

TEST_CASE("lengths of rows that are not those of the elements are damage",
          "[format][checkpoint][damage]") {
  for (std::vector<std::int64_t> const& lengths : {std::vector<std::int64_t>{1, 2},
                                                   {4, -1},
                                                   {std::int64_t{1} << 62, std::int64_t{1} << 62},
                                                   {}}) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
      auto const mine = lengths;
      std::vector<double> const elements(4, 1.5);
      checkpoint c;
      c.add_value("rows.lengths", mine)
          .add_value("rows", elements)
          .save(world, "f", {}, files.opener());
      std::vector<std::vector<double>> rows;
      checkpoint d;
      std::error_code error;
      d.add_value("rows", rows).load(world, "f", error, files.opener());
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
    io::lab::virtual_cluster({.ranks = ranks}, small_stacks).run([&](rank const& world) {
      std::int64_t step = 0;
      std::vector<float> table;
      std::string words;
      std::pair<std::int32_t, double> both;
      std::vector<double> u(6);
      checkpoint c;
      c.add_value("step", step)
          .add_value("table", table)
          .add_value("text", words)
          .add_value("pair", both);
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
  io::lab::virtual_cluster({.ranks = 3}, small_stacks).run([&](rank const& world) {
    std::vector<body> mine(4);
    for (int i = 0; i < 4; ++i)
      mine[static_cast<std::size_t>(i)] = {{1.0 * i, 2, 3}, -1, 4 * world.rank() + i};
    checkpoint c;
    c.add("bodies", tile(world.rank(), 3), mine, choice).save(world, "f", {}, files.opener());
  });
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
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

TEST_CASE("what replaces a file has its permissions", "[format][checkpoint]") {
  namespace fs = std::filesystem;
  scratch const here;
  std::int64_t value = 1;
  io::basic_checkpoint<io::self> c;
  c.add_value("value", value);
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
  c.add_value("value", value);
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
  c.add_value("value", value);
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

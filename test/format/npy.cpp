// .npy files on one rank, and on virtual ranks. One page because all cases write and read the same
// arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <unistd.h>

#include <array>
#include <bit>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/looking.hpp"
#include "format/npy_cases.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

using rank = io::lab::virtual_rank;

template <class Check>
void in_clusters(Check&& check) {
  for (int const ranks : {1, 2, 3, 7}) {
    CAPTURE(ranks);
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = seed()},
                             {.stack_bytes = std::size_t{1} << 20})
        .run([&](rank const& world) { check(world, "f", files.opener()); });
  }
}

// Makes a .npy file of this text and these bytes.
template <class Bytes>
void put(io::lab::virtual_files& files, std::string text, Bytes const& data) {
  std::string head = "\x93NUMPY\x01";
  head += {'\0', static_cast<char>(text.size()), '\0'};
  head += text;
  std::vector<std::byte> all;
  for (char const c : head) all.push_back(static_cast<std::byte>(c));
  auto const bytes = std::as_bytes(std::span(data));
  all.insert(all.end(), bytes.begin(), bytes.end());
  files.put("f", all);
}

template <class T>
T swapped(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

}  // namespace

TEST_CASE("what ranks write is the array, and other ranks read it in other parts",
          "[format][npy][random]") {
  in_clusters([](auto const&... all) { check_random_npy_files(all..., 8); });
  scratch const here;
  check_random_npy_files(io::self(), here / "f", io::posix_opener(), 8);
}

TEST_CASE("a wrong type, shape, order or amount is an error on all ranks that says both",
          "[format][npy][errors]") {
  in_clusters([](auto const&... all) { check_npy_errors(all...); });
  scratch const here;
  check_npy_errors(io::self(), here / "f", io::posix_opener());
}

TEST_CASE("numbers of the other byte order are converted", "[format][npy]") {
  io::lab::virtual_files files;
  std::vector<double> numbers;
  for (int i = 0; i < 12; ++i) numbers.push_back(swapped(0.5 * i));
  put(files, "{'descr': '>f8', 'fortran_order': False, 'shape': (6, 2)}", numbers);
  for (int const ranks : {1, 3})
    io::lab::virtual_cluster({.ranks = ranks}).run([&](rank const& world) {
      io::darray<double, 2> const tile({6, 2}, io::distribute::block, {world.size(), 1},
                                       world.rank());
      auto f = io::basic_npy<rank>::open(world, "f", tile, io::mode::read, {}, files.opener());
      CHECK(f.header().type.order == '>');
      std::vector<double> u(static_cast<std::size_t>(12 / world.size()));
      f.read_all(u);
      for (std::size_t i = 0; i < u.size(); ++i)
        CHECK(u[i] ==
              0.5 * static_cast<double>(u.size() * static_cast<std::size_t>(world.rank()) + i));
      f.close();
    });
}

TEST_CASE("of wider records the fields that the program has are read, by name", "[format][npy]") {
  struct wide {
    std::int16_t kind;
    char hole[6];
    double x[3];
    std::int32_t id, more;
  };
  std::vector<wide> all(5);
  for (int i = 0; i < 5; ++i) all[static_cast<std::size_t>(i)] = {3, {}, {1.0 * i, 2, 3}, i, -1};
  io::lab::virtual_files files;
  std::string const start = "{'fortran_order': False, 'shape': (5,), 'descr': [";
  auto const open = [&](rank const& world) {
    io::darray<particle, 1> const tile({5}, io::distribute::block, {1}, world.rank());
    return io::basic_npy<rank>::open(world, "f", tile, io::mode::read, {}, files.opener());
  };
  io::lab::virtual_cluster const one({.ranks = 1});
  put(files,
      start + "('kind', '<i2'), ('', '|V6'), ('x', '<f8', (3,)), ('id', '<i4'), ('more', '<i4')]}",
      all);
  one.run([&](rank const& world) {
    auto f = open(world);
    std::vector<particle> back(5);
    f.read_all(back);
    for (int i = 0; i < 5; ++i) CHECK(is_number(i, back[static_cast<std::size_t>(i)]));
    f.close();
  });
  // Another order of the fields, a field that does not exist, one of another type, and mixed byte
  // orders.
  for (char const* fields :
       {"('id', '<i4'), ('x', '<f8', (3,)), ('more', '<f8')]}",
        "('x', '<f8', (3,)), ('idd', '<i4')]}", "('x', '<f8', (3,)), ('id', '<i8')]}",
        "('x', '>f8', (3,)), ('id', '<i4')]}"}) {
    put(files, start + fields, std::vector<std::byte>(1000));
    one.run([&](rank const& world) { CHECK_THROWS_AS(open(world), io::error); });
  }
}

TEST_CASE("interiors, arrays as elements, lists of elements and single ones are parts, too",
          "[format][npy]") {
  struct view_of_memory {  // models std::mdspan
    double* data_;
    static constexpr std::size_t rank() { return 2; }
    std::int64_t extent(std::size_t) const { return 4; }
    std::int64_t stride(std::size_t i) const { return i == 0 ? 4 : 1; }
    double* data_handle() const { return data_; }
  };
  scratch const here;
  using npy = io::basic_npy<io::self>;
  std::vector<double> u(16);
  for (std::size_t i = 0; i < 16; ++i) u[i] = static_cast<double>(i);
  npy f = npy::create(io::self(), here / "a",
                      io::darray<double, 2>({2, 2}, io::distribute::block, {1, 1}, 0));
  view_of_memory const memory{u.data()};
  f.write_all(io::interior(memory, {1, 1}));
  f.close();
  std::vector<double> inner(4);
  f = npy::open(io::self(), here / "a", io::subarray({2, 2}, {2, 2}, {0, 0}, io::type<double>));
  f.read_all(inner);
  f.close();
  CHECK(inner == std::vector<double>{5, 6, 9, 10});

  io::array_part const vectors = io::darray<float[3], 2>({2, 5}, io::distribute::block, {1, 1}, 0);
  CHECK(to_string(vectors) == "'<f4' (2, 5, 3)");
  CHECK(to_string(io::array_part(io::darray<float[3][7], 2>({2, 5}, io::distribute::block, {1, 1},
                                                            0, io::order::fortran))) ==
        "'<f4' (7, 3, 2, 5) in Fortran order");
  f = npy::create(io::self(), here / "b", vectors);
  std::vector<float> v(30, 2);
  v[29] = 7;
  f.write_all(v);
  f.close();
  f = npy::open(io::self(), here / "b",
                io::darray<float, 3>({2, 5, 3}, io::distribute::block, {1, 1, 1}, 0));
  std::vector<float> back(30);
  f.read_all(back);
  f.close();
  CHECK(back == v);

  std::vector<std::int64_t> const numbers{1, 4, 5, 9};
  io::array_part const cells({10}, io::indexed_block(1, numbers, io::type<std::int32_t>));
  io::darray<std::int32_t, 1> const whole({10}, io::distribute::block, {1}, 0);
  npy::create(io::self(), here / "c", whole).close();
  f = npy::open(io::self(), here / "c", cells, io::mode::read_write);
  std::vector<std::int32_t> const values{10, 40, 50, 90};
  f.write_all(values);
  f.close();
  f = npy::open(io::self(), here / "c", whole);
  std::vector<std::int32_t> all(10);
  f.read_all(all);
  f.close();
  CHECK(all == std::vector<std::int32_t>{0, 10, 0, 0, 40, 50, 0, 0, 0, 90});
  CHECK_THROWS_AS(io::array_part({9}, io::indexed_block(1, numbers, io::type<std::int32_t>)).form(),
                  io::invalid_layout);
  CHECK_THROWS_AS(
      io::array_part({-1}, io::indexed_block(1, numbers, io::type<std::int32_t>)).form(),
      io::invalid_layout);

  double one = 2.5;
  f = npy::create(io::self(), here / "d", io::type<double>);
  f.write_all(one);
  CHECK(f.header().shape.empty());
  one = 0;
  f.read_all(one);
  CHECK(one == 2.5);
  f.close();
}

TEST_CASE("a header or a size that one rank cannot read is an error on all",
          "[format][npy][errors]") {
  io::lab::virtual_files files;
  auto const tile_of = [](rank const& world) {
    return io::darray<double, 1>({30}, io::distribute::block, {3}, world.rank());
  };
  io::lab::virtual_cluster({.ranks = 3}).run([&](rank const& world) {
    io::basic_npy<rank>::create(world, "f", tile_of(world), {}, files.opener()).close();
  });
  std::set<io::file_call> failed_by;
  for (int who = 0; who < 3; ++who)
    for (io::file_call const kind : {io::file_call::open, io::file_call::read, io::file_call::size})
      for (std::int64_t k = 1; k <= 3; ++k) {
        CAPTURE(who, static_cast<int>(kind), k);
        io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
        s.faults.push_back({who, io::fail_at(kind, k, std::errc::io_error)});
        int failed = 0;
        io::lab::virtual_cluster(s).run([&](rank const& world) {
          std::error_code error;
          auto f = io::basic_npy<rank>::open(world, "f", tile_of(world), io::mode::read, error,
                                             files.opener());
          CHECK(f.file().is_open() == !error);
          if (error)
            ++failed;
          else
            f.close();
        });
        CHECK((failed == 0 || failed == 3));
        if (failed > 0) failed_by.insert(kind);
      }
  CHECK(failed_by.size() == 3);
}

TEST_CASE("what create could not make is removed, and a file that it could not cut is as it was",
          "[format][npy][errors]") {
  for (int who = 0; who < 3; ++who)
    for (io::file_call const kind :
         {io::file_call::open, io::file_call::resize, io::file_call::write, io::file_call::lock})
      for (std::int64_t k = 1; k <= 3; ++k) {
        CAPTURE(who, static_cast<int>(kind), k);
        io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
        s.faults.push_back({who, io::fail_at(kind, k, std::errc::no_space_on_device)});
        io::lab::virtual_files files;
        files.put("f", std::vector<std::byte>(10, std::byte{7}));
        int failed = 0, made = 0;
        io::lab::virtual_cluster(s).run([&](rank const& world) {
          std::error_code error;
          io::darray<double, 1> const tile({30}, io::distribute::block, {3}, world.rank());
          auto f = io::basic_npy<rank>::create(world, "f", tile, error, files.opener());
          if (error) {
            ++failed;
            CHECK_FALSE(f.file().is_open());
          } else {
            ++made;
            f.close(error);
          }
        });
        CHECK((failed == 0 || failed == 3));
        if (failed > 0) {
          auto const left = files.content("f");
          CHECK((!files.exists("f") || left == std::vector<std::byte>(10, std::byte{7})));
        }
      }
}

namespace {

bool looks_whole(io::lab::virtual_files const& files) {
  if (!files.exists("f")) return false;
  std::error_code error;
  io::read_header("f", error, files.opener());
  return !error;
}

}  // namespace

TEST_CASE("a new file does not look whole before it is closed, whatever ends the program",
          "[format][npy][crash]") {
  io::lab::virtual_files const files;
  int looks = 0, whole = 0;
  bool closing = false;
  auto const look = [&] {
    ++looks;
    whole += looks_whole(files);
    CHECK((closing || whole == 0));
  };
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}).run([&](rank const& world) {
    io::darray<double, 1> const tile({30}, io::distribute::block, {3}, world.rank());
    std::vector<double> const mine(10, world.rank());
    for (int round = 0; round < 2; ++round) {  // the second round replaces a whole file
      auto f = io::basic_npy<rank>::create(world, "f", tile, {}, looking(files.opener(), look));
      f.write_all(mine);
      world.barrier();
      CHECK(!looks_whole(files));
      closing = true;
      f.close();
      world.barrier();
      CHECK(looks_whole(files));
      if (world.rank() == 0) whole = 0;
      world.barrier();
    }
  });
  CHECK(looks > 10);
}

TEST_CASE("a file whose writing or closing failed on a rank never looks whole",
          "[format][npy][errors]") {
  std::set<std::pair<io::file_call, int>> struck;
  for (io::file_call const kind : {io::file_call::open, io::file_call::write, io::file_call::close})
    for (int who = 0; who < 3; ++who)
      for (std::int64_t k = 1; k <= 6; ++k) {
        CAPTURE(static_cast<int>(kind), who, k);
        io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
        s.faults.push_back({who, io::fail_at(kind, k, std::errc::no_space_on_device)});
        io::lab::virtual_files const files;
        int failed = 0;
        io::lab::virtual_cluster(s).run([&](rank const& world) {
          io::darray<double, 1> const tile({30}, io::distribute::cyclic, {3}, world.rank());
          std::error_code made, written, closed;
          auto f = io::basic_npy<rank>::create(world, "f", tile, made, files.opener());
          std::vector<double> const mine(10, 1.5);
          f.write_all(mine, written);
          f.close(closed);
          failed += made || written || closed;
        });
        CHECK((failed == 0 || failed == 3));
        CHECK(looks_whole(files) == (failed == 0));
        if (failed > 0) struck.insert({kind, who});
      }
  CHECK(struck.size() >= 7);
}

TEST_CASE("what is not closed does not look whole, and is told so", "[format][npy][errors]") {
  scratch const here;
  io::subarray const all({4}, {4}, {0}, io::type<double>);
  int const ended = in_child([&] {
    std::vector<double> const mine(4, 1.5);
    auto f = io::basic_npy<io::self>::create(io::self(), here / "f", all);
    f.write_all(mine);
    ::kill(::getpid(), SIGKILL);
    return true;
  });
  CHECK(ended == 1000 + SIGKILL);
  auto const words_of = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (io::error const& e) {
      return e.what();
    }
    return "no error";
  };
  using Catch::Matchers::ContainsSubstring;
  for (std::string const& words : {words_of([&] { io::read_header(here / "f"); }), words_of([&] {
                                     io::basic_npy<io::self>::open(io::self(), here / "f", all);
                                   })})
    CHECK_THAT(
        words,
        ContainsSubstring("the array was not finished: the file has not been closed") &&
            ContainsSubstring("What to do: write it again; or give it its first byte, 0x93"));
  std::fstream(here / "f", std::ios::binary | std::ios::in | std::ios::out) << '\x93';
  std::vector<double> back(4);
  auto f = io::basic_npy<io::self>::open(io::self(), here / "f", all);
  f.read_all(back);
  f.close();
  CHECK(back == std::vector<double>(4, 1.5));
}

TEST_CASE("a file that was whole stays so while it is changed", "[format][npy]") {
  scratch const here;
  io::subarray const all({4}, {4}, {0}, io::type<double>);
  io::basic_npy<io::self>::create(io::self(), here / "f", all).close();  // makes zeros
  auto f = io::basic_npy<io::self>::open(io::self(), here / "f", all, io::mode::read_write);
  CHECK_NOTHROW(io::read_header(here / "f"));
  std::error_code error;
  std::vector<double> const three(3);
  f.write_all(three, error);
  CHECK(error == io::errc::datatype);
  f.close();
  CHECK_NOTHROW(io::read_header(here / "f"));
}

TEST_CASE("a file that another one took the name of is not touched by close",
          "[format][npy][errors]") {
  scratch const here;
  io::subarray const all({4}, {4}, {0}, io::type<double>);
  std::vector<double> const mine(4, 1.5);
  auto f = io::basic_npy<io::self>::create(io::self(), here / "f", all);
  f.write_all(mine);
  std::ofstream(here / "other") << "of another program";
  std::filesystem::rename(here / "other", here / "f");
  CHECK_THROWS_WITH(f.close(), Catch::Matchers::ContainsSubstring("another file has its name now"));
  CHECK(content_of(here / "f") == "of another program");
}

TEST_CASE("a file is completed also if the program has changed its directory", "[format][npy]") {
  scratch const here, elsewhere;
  std::filesystem::path const before = std::filesystem::current_path();
  io::subarray const all({4}, {4}, {0}, io::type<double>);
  std::vector<double> const mine(4, 1.5), others(4, 2.5);
  std::filesystem::current_path(elsewhere.string());
  auto other = io::basic_npy<io::self>::create(io::self(), "f", all);
  other.write_all(others);
  std::filesystem::current_path(here.string());
  auto f = io::basic_npy<io::self>::create(io::self(), "f", all);
  f.write_all(mine);
  std::filesystem::current_path(elsewhere.string());
  f.close();
  std::filesystem::current_path(before);
  CHECK_NOTHROW(io::read_header(here / "f"));
  CHECK(content_of(elsewhere / "f").front() == '\0');  // the other file, which is still open
  other.close();
  CHECK_NOTHROW(io::read_header(elsewhere / "f"));
}

TEST_CASE("parts that leave elements out are no array", "[format][npy][errors]") {
  for (bool const develop : {false, true}) {
    io::lab::virtual_files files;
    files.put("f", std::vector<std::byte>(10, std::byte{7}));
    io::lab::virtual_cluster({.ranks = 3}).run([&](rank const& world) {
      auto const made = [&](std::int64_t start, std::int64_t count) -> std::string {
        std::error_code error;
        auto f = io::basic_npy<rank>::create(
            world, "f", io::subarray({30}, {count}, {start}, io::type<double>),
            {io::hints{.develop = develop}, error}, files.opener());
        if (!error) f.close();
        CHECK((!error || error == io::errc::datatype));
        return error ? f.what_failed() : std::string();
      };
      using Catch::Matchers::ContainsSubstring;
      std::int64_t const me = world.rank();
      CHECK_THAT(made(10 * me, me == 1 ? 9 : 10),
                 ContainsSubstring("leave elements out (they have 232 of its 240 bytes)") &&
                     ContainsSubstring("open it with mode::read_write for each slice"));
      CHECK_THAT(made(10 * me, me == 0 ? 0 : 10), ContainsSubstring("160 of its 240 bytes"));
      world.barrier();
      CHECK(files.content("f") == std::vector<std::byte>(10, std::byte{7}));
      world.barrier();
      // The pieces have the size of the array, but one element is there twice and one is not. Only
      // develop mode looks at pieces and finds this.
      CHECK(made(me == 2 ? 19 : 10 * me, 10).empty() == !develop);
      CHECK(made(me == 0 ? 0 : 10 * me - 1, me == 0 ? 10 : 11)
                .empty());  // each has an element of its neighbour, too
      CHECK(made(10 * me, 10).empty());
    });
    CHECK(looks_whole(files));
  }
}

TEST_CASE("chosen members of elements are records of them", "[format][npy]") {
  struct body {
    double x[3];
    std::int64_t more;
    std::int32_t id;
  };
  io::members<&body::x, &body::id> const choice;
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 2}).run([&](rank const& world) {
    io::array_part const part = io::subarray({6}, {3}, {3 * world.rank()}, choice);
    std::vector<body> mine(3);
    for (int i = 0; i < 3; ++i)
      mine[static_cast<std::size_t>(i)] = {{1, 2, 3}, -1, 3 * world.rank() + i};
    auto f = io::basic_npy<rank>::create(world, "f", part, {}, files.opener());
    f.write_all({mine, choice});
    f.close();
    std::vector<body> back(3, body{{}, 77, 0});
    f = io::basic_npy<rank>::open(world, "f", part, io::mode::read, {}, files.opener());
    f.read_all({back, choice});
    f.close();
    for (int i = 0; i < 3; ++i) {
      auto const& b = back[static_cast<std::size_t>(i)];
      CHECK((b.id == 3 * world.rank() + i && b.x[1] == 2 && b.more == 77));
    }
  });
  auto const h = io::read_header("f", {}, files.opener());
  CHECK(to_string(std::get<io::npy_header>(h).type) == "[('x', '<f8', (3,)), ('id', '<i4')]");
  CHECK(std::get<io::npy_header>(h).bytes() == 6 * 28);
}

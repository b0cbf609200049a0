// An invalid datatype, view or buffer on one rank. All calls must end on all ranks, and report the
// mistake.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

io::mpi const& world() {
  static io::mpi const all(MPI_COMM_WORLD);
  return all;
}

constexpr std::array<int, 16> numbers{};

// Checks the error of this rank, and that the words name the mistake and the rank that made it.
void check_told(std::error_code const& error, errc own, int culprit, std::string const& told,
                std::string const& words) {
  CHECK(error == (world().rank() == culprit ? own : errc::error_on_another_rank));
  CHECK_THAT(
      told, Catch::Contains(words) && Catch::Contains("failed on rank " + std::to_string(culprit)));
}

// `make(true)` returns an invalid datatype, and `make(false)` a valid one. It is used as a
// filetype, in memory, and in a buffer and a view made beforehand.
template <class Make>
void check_everywhere(io::file& f, Make const& make, std::string const& words, int culprit) {
  CAPTURE(words, culprit);
  bool const mine = world().rank() == culprit;
  auto const type = make(mine);
  std::vector<std::byte> memory(1 << 12);
  std::error_code error;

  f.set_view(0, type, error);
  check_told(error, errc::datatype, culprit, f.what_failed(), words);
  f.set_view(0, {io::type<std::byte>, io::contiguous(1, type)}, error);
  check_told(error, errc::datatype, culprit, f.what_failed(), words);
  io::view const whole(0, type);
  f.set_view(whole, error);
  check_told(error, errc::datatype, culprit, f.what_failed(), words);
  if (mine)
    CHECK_THROWS_WITH(f.set_view(0, type), Catch::Contains(words));
  else
    CHECK_THROWS_AS(f.set_view(0, type), io::error);
  CHECK(f.view() == io::view());

  f.write_all({memory.data(), type, 1}, error);
  check_told(error, errc::argument, culprit, f.what_failed(), words);
  io::buffer const described = io::memory(memory.data(), type);
  f.read_at_all(0, described, error);
  check_told(error, errc::argument, culprit, f.what_failed(), words);
  f.write_ordered({memory.data(), type, 1}, {io::two_phase{}, error});
  check_told(error, errc::argument, culprit, f.what_failed(), words);

  auto request = f.iwrite_at_all(0, {memory.data(), type, 1});
  request.wait(error);
  CHECK(error == (mine ? errc::argument : errc::error_on_another_rank));
  f.begin_read_all(described);
  f.end(error);
  CHECK(error == (mine ? errc::argument : errc::error_on_another_rank));
  CHECK_THROWS_AS(f.explain_all(io::access_kind::read, {memory.data(), type, 1}), io::error);

  // A local call fails only on the rank that made the mistake.
  f.read_at(0, {memory.data(), type, 1}, error);
  CHECK(error == (mine ? errc::argument : std::error_code()));
  auto alone = f.iread_at(0, described);
  alone.wait(error);
  CHECK(error == (mine ? errc::argument : std::error_code()));
  f.write_shared(described, error);
  CHECK(error == (mine ? errc::argument : std::error_code()));
  f.sync();
}

template <class Body>
void on_each_rank(Body&& body) {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  for (int culprit = 0; culprit < world().size(); ++culprit) body(f, culprit);
  f.write_at_all(0, numbers);  // the file must still be usable
  f.close();
}

}  // namespace

TEST_CASE("a datatype that cannot be on one rank is an error of the call on all ranks",
          "[file][datatype][error]") {
  auto const item = io::type<std::byte>;
  auto const too_large = std::numeric_limits<std::uint64_t>::max();
  auto const size = [&](bool bad) { return bad ? too_large : 2; };
  using list = std::vector<std::int64_t>;
  on_each_rank([&](io::file& f, int culprit) {
    auto const check = [&](auto make, std::string const& words) {
      check_everywhere(f, make, words, culprit);
    };
    check([&](bool bad) { return io::contiguous(bad ? -3 : 3, item); },
          "argosy::contiguous: the count is -3");
    check([&](bool bad) { return io::contiguous(size(bad), item); }, "exceeds 2^63 - 1");
    check([&](bool bad) { return io::vector(2, bad ? -1 : 1, 4, item); },
          "argosy::vector: the block length is -1");
    check([&](bool bad) { return io::vector(2, 1, size(bad), item); }, "exceeds 2^63 - 1");
    check([&](bool bad) { return io::hvector(bad ? -2 : 2, 1, 4, item); },
          "argosy::hvector: the count is -2");
    check([&](bool bad) { return io::indexed({1, bad ? -1 : 1}, {0, 1}, item); },
          "argosy::indexed: block length[1] is -1");
    check([&](bool bad) { return io::hindexed(list{1, 1}, bad ? list{0} : list{0, 4}, item); },
          "2 block lengths but 1 displacements");
    check([&](bool bad) { return io::indexed_block(bad ? -1 : 1, {0, 2}, item); },
          "argosy::indexed_block");
    check(
        [&](bool bad) {
          return io::hindexed_block(1, std::vector<std::uint64_t>{0, size(bad)}, item);
        },
        "exceeds 2^63 - 1");
    check(
        [&](bool bad) {
          return io::record(io::member(0, item, bad ? -1 : 1), io::member(8, item));
        },
        "argosy::member: the count is -1");
    check([&](bool bad) { return io::record(list{1, 2}, bad ? list{0} : list{0, 2}, item, item); },
          "2 types but 1 displacements");
    check([&](bool bad) { return io::subarray({4, 4}, {2, 2}, {0, bad ? 3 : 1}, item); },
          "argosy::subarray: start[1] = 3");
    check([&](bool bad) { return io::resized(item, 0, bad ? too_large : 8); }, "exceeds 2^63 - 1");
    check(
        [&](bool bad) {
          return io::darray(list{8, 8}, io::distribute::block, list{2, 2}, bad ? 4 : 3, item);
        },
        "rank 4 is not in a grid of 4 processes");
    check(
        [&](bool bad) {
          return io::darray(list{8, 8}, io::distribute::cyclic(bad ? 0 : 2), list{2, 2}, 1, item);
        },
        "the block size of dimension 0 is 0");
    check(
        [&](bool bad) {
          return io::darray<std::byte, 2>({8, 8}, io::distribute::block,
                                          io::process_grid(4, bad ? 3 : 2), 1);
        },
        "the grid has 3 dimensions, but the array has 2");
  });
}

TEST_CASE("what from_mpi cannot decode on one rank is an error of the call on all ranks",
          "[file][datatype][error]") {
  on_each_rank([](io::file& f, int culprit) {
    check_everywhere(
        f, [](bool bad) { return io::from_mpi(bad ? MPI_DATATYPE_NULL : MPI_BYTE); },
        "MPI_DATATYPE_NULL", culprit);
  });
}

TEST_CASE("what is made of a datatype that cannot be carries its fault",
          "[file][datatype][error]") {
  on_each_rank([](io::file& f, int culprit) {
    check_everywhere(
        f,
        [](bool bad) {
          auto const old = io::vector(2, bad ? -1 : 1, 2, io::type<std::byte>);
          return io::contiguous(
              2, io::resized(io::record(io::member(0, old), io::member(4, io::type<std::byte>)), 0,
                             8));
        },
        "argosy::vector: the block length is -1", culprit);
  });
}

TEST_CASE("a halo that is too wide on one rank is an error of the call on all ranks",
          "[file][datatype][error]") {
  struct grid {
    double* first;
    static constexpr std::size_t rank() { return 2; }
    std::size_t extent(std::size_t) const { return 4; }
    std::size_t stride(std::size_t d) const { return d == 0 ? 4 : 1; }
    double* data() const { return first; }
  };
  std::array<double, 16> u{};
  on_each_rank([&](io::file& f, int culprit) {
    bool const mine = world().rank() == culprit;
    std::error_code error;
    f.write_at_all(128 * world().rank(), io::interior(grid{u.data()}, {mine ? 3 : 1, 1}), error);
    check_told(error, errc::argument, culprit, f.what_failed(), "extent(0) = 4");
    f.write_at_all(128 * world().rank(), io::interior(grid{u.data()}, {1, 1}), error);
    CHECK_FALSE(error);
  });
}

namespace {

struct block {
  double u[6];
  std::int32_t level;
};

}  // namespace

template <>
struct argosy::describe<block> : argosy::members<&block::u, &block::level> {};

namespace {

// Makes every call that moves data, with `data...`. Errors of collective calls must reach all
// ranks. Each rank uses 1024 bytes of its own.
template <class... Given>
void check_every_call(io::file& f, bool mine, errc own, std::string const& words, Given&&... data) {
  std::error_code error;
  std::int64_t const at = 1024 * world().rank();
  auto const check = [&](char const* call, bool collective) {
    CAPTURE(call);
    if (collective)
      CHECK(error == (own == errc{} ? std::error_code()
                      : mine        ? own
                                    : errc::error_on_another_rank));
    else
      CHECK(error == (own != errc{} && mine ? own : std::error_code()));
    if (error) CHECK_THAT(f.what_failed(), Catch::Contains(words));
  };
  auto const ended = [&](char const* call, bool collective, io::request r) {
    r.wait(error);
    CAPTURE(call, r.what_failed());
    if (error) CHECK_THAT(r.what_failed(), Catch::Contains(words));
    bool const told = own != errc{} && (collective || mine);
    CHECK(static_cast<bool>(error) == told);
  };
#define CALLS_THAT(kind)                                                                         \
  f.kind##_at(at, {data...}, error), check(#kind "_at", false);                                  \
  f.kind##_at_all(at, {data...}, error), check(#kind "_at_all", true);                           \
  f.seek(at), f.kind({data...}, error), check(#kind, false);                                     \
  f.seek(at), f.kind##_all({data...}, error), check(#kind "_all", true);                         \
  f.kind##_shared({data...}, error), check(#kind "_shared", false);                              \
  f.kind##_ordered({data...}, error), check(#kind "_ordered", true);                             \
  ended("i" #kind "_at", false, f.i##kind##_at(at, {data...}));                                  \
  ended("i" #kind "_at_all", true, f.i##kind##_at_all(at, {data...}));                           \
  f.seek(at), ended("i" #kind, false, f.i##kind({data...}));                                     \
  f.seek(at), ended("i" #kind "_all", true, f.i##kind##_all({data...}));                         \
  ended("i" #kind "_shared", false, f.i##kind##_shared({data...}));                              \
  f.begin_##kind##_at_all(at, {data...}), f.end(error), check("begin_" #kind "_at_all", true);   \
  f.seek(at), f.begin_##kind##_all({data...}), f.end(error), check("begin_" #kind "_all", true); \
  f.begin_##kind##_ordered({data...}), f.end(error), check("begin_" #kind "_ordered", true);     \
  f.seek_shared(0)
  CALLS_THAT(write);
  f.sync();
  CALLS_THAT(read);
#undef CALLS_THAT
}

}  // namespace

TEST_CASE("a datatype that needs more than its container has is an error of every call",
          "[file][datatype][error]") {
  on_each_rank([](io::file& f, int culprit) {
    bool const mine = world().rank() == culprit;
    auto const inside = io::subarray({4, 5}, {2, 3}, {1, 1}, io::type<double>);
    // The last element of the first copy is number 13, and the second copy begins at 20.
    std::vector<double> const room(34, 1.0);
    for (std::size_t const missing :
         {std::size_t{0}, std::size_t{1}, std::size_t{20}, std::size_t{34}}) {
      CAPTURE(missing);
      std::vector<double> u(room.begin(), room.end() - (mine ? static_cast<long>(missing) : 0));
      errc const own = missing == 0 ? errc{} : errc::argument;
      check_every_call(f, mine, own,
                       "need 272 bytes, and the container that they are given with has " +
                           std::to_string(8 * (34 - missing)) + " bytes",
                       u, inside, 2);
      if (missing != 20) continue;
      check_every_call(f, mine, errc{}, "", u, inside);  // one copy fits
    }
    std::vector<double> u(mine ? 13 : 14);
    check_every_call(f, mine, errc::argument, "need 112 bytes", u, inside);
    check_every_call(f, mine, errc::argument, "the count is -1", u, io::type<double>,
                     mine ? -1 : 1);
    std::vector<double> back(20);
    check_every_call(f, mine, errc::argument, "begins 8 bytes before the container", back,
                     io::hindexed({1}, {mine ? -8 : 8}, io::type<double>));
  });
}

TEST_CASE(
    "the datatype of an element stands for all elements of its container, others for one copy",
    "[file][datatype]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::int64_t const mine = 4096 * world().rank();
  std::vector<double> u(20);
  std::iota(u.begin(), u.end(), 100.0 * world().rank());
  auto const inside = io::subarray({4, 5}, {2, 3}, {1, 1}, io::type<double>);
  CHECK(f.write_at_all(mine, {u, io::type<double>}).bytes == 160);
  CHECK(f.write_at_all(mine, {u, inside}).bytes == 48);
  double const c[4][5] = {{}, {0, 1, 2, 3}, {0, 4, 5, 6}};
  CHECK(f.write_at_all(mine + 48, {c, [&] { return inside; }}).bytes == 48);
  std::vector<double> got(12);
  CHECK(f.read_at_all(mine, got).bytes == 96);
  double const r = 100.0 * world().rank();
  CHECK(got == std::vector<double>{r + 6, r + 7, r + 8, r + 11, r + 12, r + 13, 1, 2, 3, 4, 5, 6});
  std::vector<double> rank_statistics(20);
  CHECK(f.read_at_all(mine, {rank_statistics, inside, std::uint8_t{1}}).bytes == 48);
  CHECK(rank_statistics[6] == r + 6);
  CHECK(rank_statistics[13] == r + 13);
  CHECK(rank_statistics[5] == 0);
  std::vector<block> blocks(3);
  CHECK(f.write_at_all(mine, {blocks, io::members<&block::u>{}}).bytes == 144);
  CHECK(f.write_at_all(mine, {blocks, io::members<&block::u>{}, 2}).bytes == 96);
  CHECK(f.write_at_all(mine, {blocks, io::type<block>}).bytes == 156);
  f.close();
}

TEST_CASE("blocks that pointers lead to are written and read in the order of the pointers",
          "[file][datatype]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::int64_t const mine = 4096 * world().rank();
  std::vector<std::unique_ptr<block>> blocks;
  for (int i = 0; i < 20; ++i) {
    blocks.push_back(std::make_unique<block>());
    for (int k = 0; k < 6; ++k) blocks.back()->u[k] = 1000 * world().rank() + 10 * i + k;
    blocks.back()->level = i;
  }
  std::swap(blocks[3], blocks[17]);  // addresses in no order
  using u_only = io::members<&block::u>;
  CHECK(f.write_at_all(mine, {blocks, u_only{}}).bytes == 20 * 48);
  std::vector<double> got(120), expected;
  for (auto const& b : blocks) expected.insert(expected.end(), b->u, b->u + 6);
  CHECK(f.read_at_all(mine, got).bytes == 960);
  CHECK(got == expected);
  // A request: the vector of pointers may be gone before it ends.
  std::vector<std::unique_ptr<block>> others;
  for (int i = 0; i < 20; ++i) others.push_back(std::make_unique<block>());
  {
    std::vector<block*> raw;
    for (auto const& b : others) raw.push_back(b.get());
    auto r = f.iread_at_all(mine, {raw, u_only{}});
    raw.clear();
    CHECK(r.wait().bytes == 960);
  }
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(std::equal(others[i]->u, others[i]->u + 6, blocks[i]->u));
  // A part of the array of each block, where each block is on the heap; and a range made in the
  // call.
  auto const where = [](auto const& b) { return b->u; };
  auto const two = io::resized(io::type<double>, 0, 24);
  CHECK(f.write_at_all(mine, {blocks | std::views::transform(where), two, 2}).bytes == 320);
  got.resize(40);
  f.read_at_all(mine, got);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(got[2 * i] == blocks[i]->u[0]);
    CHECK(got[2 * i + 1] == blocks[i]->u[3]);
  }
  std::vector<std::shared_ptr<block const>> const none;
  CHECK(f.write_at_all(mine, {none, u_only{}}).bytes == 0);
  CHECK(f.read_at_all(mine, {std::vector<block*>(), u_only{}}).bytes == 0);
  f.close();
}

TEST_CASE(
    "a null pointer among blocks, or a datatype larger than a block, is an error of every call",
    "[file][datatype][error]") {
  on_each_rank([](io::file& f, int culprit) {
    bool const mine = world().rank() == culprit;
    std::vector<std::unique_ptr<block>> blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(std::make_unique<block>());
    using u_only = io::members<&block::u>;
    check_every_call(f, mine, errc{}, "", blocks, u_only{});
    check_every_call(f, mine, errc::argument, "need 104 bytes, and the object", blocks, u_only{},
                     mine ? 2 : 1);
    if (mine) blocks[3] = nullptr;
    check_every_call(f, mine, errc::argument, "pointer 3 of the container is null", blocks,
                     u_only{});
  });
}

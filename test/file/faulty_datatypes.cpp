// A datatype, view or buffer that cannot be, on one rank: all calls end on all ranks, and say what was wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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

// What a call told this rank, against who made the mistake, and which words must be there.
void check_told(std::error_code const& error, errc own, int culprit, std::string const& told,
                std::string const& words) {
  CHECK(error == (world().rank() == culprit ? own : errc::error_on_another_rank));
  CHECK_THAT(told, Catch::Contains(words) && Catch::Contains("failed on rank " + std::to_string(culprit)));
}

// `make(true)` cannot be, and `make(false)` can. As a filetype, in memory, and in a buffer and a view made beforehand.
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

  // A local call is that rank's own affair.
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
  f.write_at_all(0, numbers);  // as good as ever
  f.close();
}

}  // namespace

TEST_CASE("a datatype that cannot be on one rank is an error of the call on all ranks", "[file][datatype][error]") {
  auto const item = io::type<std::byte>;
  auto const too_large = std::numeric_limits<std::uint64_t>::max();
  auto const size = [&](bool bad) { return bad ? too_large : 2; };
  using list = std::vector<std::int64_t>;
  on_each_rank([&](io::file& f, int culprit) {
    auto const check = [&](auto make, std::string const& words) { check_everywhere(f, make, words, culprit); };
    check([&](bool bad) { return io::contiguous(bad ? -3 : 3, item); }, "argosy::contiguous: the count is -3");
    check([&](bool bad) { return io::contiguous(size(bad), item); }, "exceeds 2^63 - 1");
    check([&](bool bad) { return io::vector(2, bad ? -1 : 1, 4, item); }, "argosy::vector: the block length is -1");
    check([&](bool bad) { return io::vector(2, 1, size(bad), item); }, "exceeds 2^63 - 1");
    check([&](bool bad) { return io::hvector(bad ? -2 : 2, 1, 4, item); }, "argosy::hvector: the count is -2");
    check([&](bool bad) { return io::indexed({1, bad ? -1 : 1}, {0, 1}, item); },
          "argosy::indexed: block length[1] is -1");
    check([&](bool bad) { return io::hindexed(list{1, 1}, bad ? list{0} : list{0, 4}, item); },
          "2 block lengths but 1 displacements");
    check([&](bool bad) { return io::indexed_block(bad ? -1 : 1, {0, 2}, item); }, "argosy::indexed_block");
    check([&](bool bad) { return io::hindexed_block(1, std::vector<std::uint64_t>{0, size(bad)}, item); },
          "exceeds 2^63 - 1");
    check([&](bool bad) { return io::record(io::member(0, item, bad ? -1 : 1), io::member(8, item)); },
          "argosy::member: the count is -1");
    check([&](bool bad) { return io::record(list{1, 2}, bad ? list{0} : list{0, 2}, item, item); },
          "2 types but 1 displacements");
    check([&](bool bad) { return io::subarray({4, 4}, {2, 2}, {0, bad ? 3 : 1}, item); },
          "argosy::subarray: start[1] = 3");
    check([&](bool bad) { return io::resized(item, 0, bad ? too_large : 8); }, "exceeds 2^63 - 1");
    check([&](bool bad) { return io::darray(list{8, 8}, io::distribute::block, list{2, 2}, bad ? 4 : 3, item); },
          "rank 4 is not in a grid of 4 processes");
    check([&](bool bad) { return io::darray(list{8, 8}, io::distribute::cyclic(bad ? 0 : 2), list{2, 2}, 1, item); },
          "the block size of dimension 0 is 0");
    check(
        [&](bool bad) {
          return io::darray<std::byte, 2>({8, 8}, io::distribute::block, io::process_grid(4, bad ? 3 : 2), 1);
        },
        "the grid has 3 dimensions, but the array has 2");
  });
}

TEST_CASE("what from_mpi cannot decode on one rank is an error of the call on all ranks", "[file][datatype][error]") {
  on_each_rank([](io::file& f, int culprit) {
    check_everywhere(
        f, [](bool bad) { return io::from_mpi(bad ? MPI_DATATYPE_NULL : MPI_BYTE); }, "MPI_DATATYPE_NULL", culprit);
  });
}

TEST_CASE("what is made of a datatype that cannot be carries its fault", "[file][datatype][error]") {
  on_each_rank([](io::file& f, int culprit) {
    check_everywhere(
        f,
        [](bool bad) {
          auto const old = io::vector(2, bad ? -1 : 1, 2, io::type<std::byte>);
          return io::contiguous(2,
                                io::resized(io::record(io::member(0, old), io::member(4, io::type<std::byte>)), 0, 8));
        },
        "argosy::vector: the block length is -1", culprit);
  });
}

TEST_CASE("a halo that is too wide on one rank is an error of the call on all ranks", "[file][datatype][error]") {
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

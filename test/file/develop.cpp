// Mistakes that develop mode finds in addition to calls and arguments that differ: types, arrays
// whose sizes differ, and bytes that two ranks write.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/independent.hpp>

#include "support/shared_scratch.hpp"
#include "support/standard_error.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Contains;
using io::errc;
using io::mode;

struct padded {
  double x;
  std::int32_t id;
};
template <>
struct argosy::describe<padded> : argosy::members<&padded::x, &padded::id> {};

namespace {

io::mpi const& world() {
  static io::mpi const all(MPI_COMM_WORLD);
  return all;
}
int rank() { return world().rank(); }
int size() { return world().size(); }

using list = std::vector<std::int64_t>;

struct opened {
  explicit opened(bool develop)
      : here(world()),
        f(io::file::open(world(), here / "data", mode::create | mode::read_write,
                         io::hints{.develop = develop})) {}
  ~opened() { f.close(); }
  shared_scratch<io::mpi> here;
  io::file f;
  std::error_code error;
};

}  // namespace

TEST_CASE("data of other types than the etype is found in develop mode, and both are named",
          "[file][develop]") {
  std::vector<float> const floats(8);
  std::vector<double> doubles(4);
  for (bool const develop : {false, true}) {
    opened o(develop);
    o.f.set_view(64 * rank(), io::type<double>);
    o.f.write_all(floats, o.error);
    CHECK(o.error == (develop ? errc::datatype : std::error_code()));
    if (develop)
      CHECK_THAT(o.f.what_failed(), Contains("other types (8 float32) than the etype (float64)") &&
                                        Contains("develop mode"));
    o.f.write_at(0, floats, o.error);
    CHECK(o.error == (develop ? errc::datatype : std::error_code()));
    CHECK(o.f.write_at_all(0, doubles).bytes == 32);
    std::vector<std::byte> const bytes(16);  // fit every etype
    CHECK(o.f.write_at_all(0, bytes).bytes == 16);
    o.f.set_view(0, io::type<std::byte>);
    CHECK(o.f.write_at_all(32 * rank(), floats).bytes == 32);
  }
}

TEST_CASE(
    "a filetype of other types than the etype is found in develop mode, and wherever data is "
    "converted",
    "[file][develop]") {
  for (bool const develop : {false, true}) {
    opened o(develop);
    o.f.set_view(0, {io::type<double>, io::contiguous(4, io::type<float>)}, o.error);
    CHECK(o.error == (develop ? errc::datatype : std::error_code()));
    if (develop)
      CHECK_THAT(o.f.what_failed(), Contains("other types (4 float32) than the etype (float64)"));
    o.f.set_view(0, {io::type<double>, io::contiguous(4, io::type<float>), io::external32},
                 o.error);
    CHECK(o.error == errc::datatype);
    o.f.set_view(0, {io::type<double>, io::contiguous(4, io::type<double>), io::external32},
                 o.error);
    CHECK_FALSE(o.error);
    o.f.set_view(0, {io::type<std::byte>, io::contiguous(4, io::type<double>)}, o.error);
    CHECK_FALSE(o.error);
  }
}

TEST_CASE("global sizes of an array that differ on one rank are found in develop mode",
          "[file][develop]") {
  for (int odd = 0; odd < size(); ++odd) {
    opened o(true);
    std::int64_t const n = size(), mine = rank() == odd ? 9 : 8;
    o.f.set_view(0, io::subarray({n, mine}, {1, 8}, {rank(), 0}, io::type<int>), o.error);
    CHECK(o.error == (size() > 1 ? errc::not_same : std::error_code()));
    if (size() == 1) continue;
    CHECK_THAT(o.f.what_failed(), Contains(std::to_string(n) + " x 9") &&
                                      Contains(std::to_string(n) + " x 8") &&
                                      Contains("develop.cpp:"));
    if (size() > 2)
      CHECK_THAT(o.f.what_failed(), Contains("9, " + std::to_string(36 * n) + " bytes on rank " +
                                             std::to_string(odd)) &&
                                        Contains("8, " + std::to_string(32 * n) + " bytes on the " +
                                                 std::to_string(n - 1) + " others"));
    try {
      o.f.set_view(0, io::subarray({n, mine}, {1, 8}, {rank(), 0}, io::type<int>));
      FAIL("sizes that differ were taken");
    } catch (io::error const& e) {
      CHECK(e.code() == errc::not_same);
      CHECK(e.failed_rank() == (size() == 2 ? 1 : odd));  // with two ranks, neither is the odd one
      CHECK(e.what() == o.f.what_failed());
    }
    // Arrays at displacements of their own, and filetypes that are no arrays, may differ.
    o.f.set_view(4096 * rank(), io::subarray({n, mine}, {1, 8}, {rank(), 0}, io::type<int>),
                 o.error);
    CHECK_FALSE(o.error);
    o.f.set_view(0, io::contiguous(mine, io::type<int>), o.error);
    CHECK_FALSE(o.error);
  }
  if (size() > 4) {
    opened two(true);
    two.f.set_view(0,
                   io::subarray({size(), rank() < 2 ? 9 : 8}, {1, 8}, {rank(), 0}, io::type<int>),
                   two.error);
    CHECK_THAT(two.f.what_failed(), Contains(" bytes on ranks 0, 1 ("));
  }
  opened o(false);
  o.f.set_view(0, io::subarray({size(), rank() == 0 ? 9 : 8}, {1, 8}, {rank(), 0}, io::type<int>),
               o.error);
  CHECK_FALSE(o.error);
}

TEST_CASE("ranks that write one byte twice are found in develop mode, and nothing is written",
          "[file][develop]") {
  std::vector<int> const row(8, 7);
  for (bool const develop : {false, true}) {
    opened o(develop);
    o.f.set_size(0);
    // Columns of 2 ints. The last rank begins one int too far to the left.
    std::int64_t const n = size(), me = rank(), from = me == n - 1 && n > 1 ? 2 * me - 1 : 2 * me;
    o.f.set_view(0, io::subarray(list{4, 2 * n}, list{4, 2}, list{0, from}, io::type<int>));
    bool const found = develop && n > 1;
    o.f.write_all(row, o.error);
    CHECK(o.error == (!found        ? std::error_code()
                      : me >= n - 2 ? errc::argument
                                    : errc::error_on_another_rank));
    if (found) {
      CHECK_THAT(o.f.what_failed(),
                 Contains("ranks " + std::to_string(n - 2) + " and " + std::to_string(n - 1) +
                          " both write byte " + std::to_string(4 * (2 * n - 3))));
      CHECK(o.f.size() == 0);
    }
    auto request = o.f.iwrite_at_all(0, row);
    request.wait(o.error);
    CHECK(static_cast<bool>(o.error) == found);
    o.f.write_at_all(0, row, {io::independent{}, o.error});
    CHECK(static_cast<bool>(o.error) == found);
    std::vector<int> back(8);
    o.f.read_at_all(0, back, o.error);  // several ranks may read the same bytes
    CHECK_FALSE(o.error);
    o.f.set_view(0, io::subarray(list{4, 2 * n}, list{4, 2}, list{0, 2 * me}, io::type<int>));
    o.f.write_all(row, o.error);
    CHECK_FALSE(o.error);
    if (me == 0) o.f.write_at(0, row);
    std::vector<int> const none;
    o.f.write_at_all(0, me == 0 ? row : none, o.error);
    CHECK_FALSE(o.error);
  }
}

TEST_CASE("the environment switches develop mode on by 1, on and true only", "[file][develop]") {
  for (auto const& [value, on] : std::vector<std::pair<std::string, bool>>{{"1", true},
                                                                           {"on", true},
                                                                           {"true", true},
                                                                           {"0", false},
                                                                           {"off", false},
                                                                           {"false", false},
                                                                           {"", false},
                                                                           {"maybe", false}}) {
    CAPTURE(value);
    ::setenv("ARGOSY_DEVELOP", value.c_str(), 1);
    opened o(false);
    ::unsetenv("ARGOSY_DEVELOP");
    o.f.set_view(0, {io::type<double>, io::contiguous(4, io::type<float>)}, o.error);
    CHECK(o.error == (on ? errc::datatype : std::error_code()));
  }
}

TEST_CASE("integers of one width are one type where nothing converts, whatever C calls them",
          "[file][develop]") {
  static_assert(sizeof(long) == sizeof(long long));
  std::vector<long long> const wide(4);
  std::vector<int> const narrow(8);
  opened o(true);
  o.f.set_view(0, io::type<long>);
  CHECK(o.f.write_at_all(4 * rank(), wide).bytes == 32);
  o.f.write_at_all(4 * rank(), narrow, o.error);
  CHECK(o.error == errc::datatype);
  o.f.set_view(0, {io::type<long>, io::contiguous(4, io::type<long long>)}, o.error);
  CHECK_FALSE(o.error);
  o.f.set_view(0, {io::type<long>, io::external32});  // a long has 4 bytes there, a long long has 8
  o.f.write_at_all(4 * rank(), wide, o.error);
  CHECK(o.error == errc::datatype);
}

TEST_CASE("data that is not a rank's part of an array is told once in develop mode, and written",
          "[file][develop]") {
  std::int64_t const n = 4 * size();
  io::darray<int, 2> const tile({n, 2}, io::distribute::block, {size(), 1}, rank());
  std::vector<int> const exact(8, rank()), fewer(6), more(16);
  std::string const words = "brings 64 bytes, and its part of the array is 32";
  for (bool const develop : {false, true}) {
    opened o(develop);
    CHECK(errors_of([&] {
            o.f.set_view(0, tile);
            o.f.write_all(exact);
            o.f.write_all({});
            o.f.write(more);  // local calls may write any number of bytes
            o.f.set_view(0, io::contiguous(8, io::type<int>));
            if (rank() == 0) o.f.write_at_all(0, fewer);
            if (rank() != 0) o.f.write_at_all(0, {});
          }) == "");
    o.f.set_view(0, tile);
    std::string const said = errors_of([&] {
      CHECK(o.f.write_all(more).bytes == 64);
      CHECK(o.f.write_all(fewer).bytes == 24);
    });
    if (!develop) CHECK(said == "");
    if (develop)
      CHECK_THAT(said, Contains("write_all of '") && Contains("develop.cpp:") &&
                           Contains("rank " + std::to_string(rank()) + " " + words) &&
                           !Contains("brings 24"));
  }
}

TEST_CASE("plans say that the etype has holes", "[file][develop]") {
  opened o(false);
  std::vector<padded> const all(4);
  o.f.set_view(0, io::type<padded>);
  std::string const words = "12 of every 16 bytes are data (io::packed(type) leaves them out)";
  CHECK_THAT(o.f.explain(io::access_kind::write, all).reason, Contains(words));
  CHECK_THAT(o.f.explain_all(io::access_kind::write, all).reason, Contains(words));
  o.f.set_view(0, io::packed(io::type<padded>));
  CHECK_THAT(o.f.explain(io::access_kind::write, all).reason, !Contains("the etype has holes"));
  CHECK(o.f.write_at_all(4 * rank(), all).bytes == 48);
  CHECK(o.f.byte_offset(3) == 36);
}

TEST_CASE(
    "a rank in another collective call is named with its call and place, without develop mode",
    "[file]") {
  if (size() == 1) return;
  opened o(false);
  std::vector<int> const data(4);
  for (int odd = 0; odd < size(); ++odd) {
    if (rank() == odd)
      o.f.sync(o.error);
    else
      o.f.write_at_all(0, data, o.error);
    CHECK(o.error == errc::not_same);
    INFO(o.f.what_failed());
    CHECK_THAT(o.f.what_failed(), Contains("sync at ") &&
                                      Contains(" on rank " + std::to_string(odd)) &&
                                      Contains("write_at_all at ") && Contains("develop.cpp:"));
    CHECK_THAT(o.f.what_failed(), !Contains("failed on rank"));
    if (size() > 2)
      CHECK_THAT(o.f.what_failed(), Contains("on the " + std::to_string(size() - 1) + " others"));
  }
}

TEST_CASE("hints that differ between ranks are named with their values", "[file][hints]") {
  if (size() == 1) return;
  opened o(false);
  o.f.set_hints({.cb_nodes = rank() == 0 ? 1 : 2}, o.error);
  CHECK(o.error == errc::not_same);
  CHECK_THAT(o.f.what_failed(),
             Contains("argument 'hints' must be equal on all ranks: cb_nodes is ") &&
                 Contains("1 on rank 0") && !Contains("cb_buffer_size"));
}

TEST_CASE("a file that is dropped and was never closed says so once, in develop mode",
          "[file][develop]") {
  shared_scratch const here(world());
  auto const drop = [&](bool develop, bool closes) {
    return errors_of([&] {
      auto f = io::file::open(world(), here / "dropped", mode::create | mode::read_write,
                              io::hints{.develop = develop});
      double const data = 1;
      f.write_at(8 * rank(), data);
      if (closes) f.close();
    });
  };
  CHECK(drop(false, false) == "");
  CHECK(drop(true, true) == "");
  CHECK(errors_of([&] {
          try {
            auto f = io::file::open(world(), here / "dropped", mode::read_write,
                                    io::hints{.develop = true});
            throw 1;
          } catch (int) {
          }
        }) == "");
  std::string const first = drop(true, false), second = drop(true, false);
  if (rank() == 0)
    CHECK_THAT(first, Contains("dropped' was never closed") &&
                          Contains("What to do: all ranks call close()"));
  if (rank() != 0) CHECK(first == "");
  CHECK(second == "");
}

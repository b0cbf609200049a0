// Classes that Boost.MPI can send, as data of files. The bytes that a call writes are compared with
// those that MPI_Pack makes of Boost.MPI's own datatype.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype/aggregate.hpp>
#include <argosy/datatype/boost_mpi.hpp>
#include <argosy/datatype/contiguous.hpp>
#include <argosy/datatype/packed.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/world/self.hpp>

#include "support/boost_cases.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;

namespace sent {

// An aggregate, which names its members in another order and leaves one out.
struct cell {
  int number;
  int cache;
  particle inside;
  state how;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & inside & how & number;
  }
};

struct described {
  double a, b;
  template <class Archive>
  void serialize(Archive& a_, unsigned) {
    a_ & a & b;
  }
};
io::members<&described::b> describe(described const&);

// Its numbers are elsewhere, although it says that it has a datatype.
struct elsewhere {
  elsewhere() : far(std::make_unique<double>(0)) {}
  std::unique_ptr<double> far;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a&(*far);
  }
};

// Holds a class of Boost.MPI, and is described otherwise.
struct holder {
  std::int32_t first;
  particle two[2];
};
io::members<&holder::first, &holder::two> describe(holder const&);
struct aggregate {
  float f;
  described d;
  cell c;
};

}  // namespace sent

BOOST_IS_MPI_DATATYPE(sent::cell)
BOOST_IS_MPI_DATATYPE(sent::described)
BOOST_IS_MPI_DATATYPE(sent::elsewhere)

namespace {

static_assert(io::element_type<sent::particle> && io::element_type<sent::cell[2]>);
static_assert(io::element_type<std::pair<double, int>>);
static_assert(!decltype(io::type<sent::particle>)::is_static);
static_assert(!decltype(io::type<std::array<sent::cell, 2>>)::is_static);
static_assert(!decltype(io::type<sent::holder>)::is_static &&
              !decltype(io::type<sent::aggregate>)::is_static);
// Types that are described otherwise stay constants.
static_assert(decltype(io::type<sent::described>)::is_static &&
              decltype(io::type<std::array<double, 3>>)::is_static &&
              decltype(io::type<std::pair<double, int>>)::is_static);

}  // namespace

TEST_CASE("a call writes what Boost.MPI would send, and reads it back", "[datatype][boost]") {
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  std::vector<sent::particle> const all = some_particles(7);
  std::vector<std::byte> const expected = packed_by_boost(std::span(all));
  REQUIRE(expected.size() == 7 * (1 + 24 + 2));
  REQUIRE(f.write_at(0, all).bytes == static_cast<std::int64_t>(expected.size()));
  CHECK(bytes_of(f) == expected);

  std::vector<sent::particle> again(7);
  f.read_at(0, again);
  CHECK(again == all);
  f.read_at(0, {again, io::type<sent::particle>, 3});
  std::array<sent::particle, 2> two{};
  f.read_at(27, two);
  CHECK((two[0] == all[1] && two[1] == all[2]));
  f.read_at(27, two[1]);
  CHECK(two[1] == all[1]);
}

TEST_CASE("padding in memory is not changed by a read", "[datatype][boost]") {
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  std::vector<sent::particle> const all = some_particles(5);
  f.write_at(0, all);

  std::vector<sent::particle> target(5);
  std::size_t const bytes = 5 * sizeof(sent::particle);
  std::memset(static_cast<void*>(target.data()), 0xee, bytes);
  f.read_at(0, target);
  // The bytes that MPI_Unpack leaves alone are those that the read must leave alone.
  std::vector<sent::particle> other(5);
  std::memset(static_cast<void*>(other.data()), 0xee, bytes);
  std::vector<std::byte> const stream = packed_by_boost(std::span(all));
  for (std::size_t i = 0, at = 0; i < 5; ++i) {
    int place = static_cast<int>(at);
    MPI_Unpack(stream.data(), static_cast<int>(stream.size()), &place, &other[i], 1,
               boost::mpi::get_mpi_datatype(other[i]), MPI_COMM_SELF);
    at = static_cast<std::size_t>(place);
  }
  CHECK(std::memcmp(target.data(), other.data(), bytes) == 0);
  CHECK(target == all);
}

TEST_CASE("a class of Boost.MPI is an element of views and of other descriptions",
          "[datatype][boost]") {
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  std::vector<sent::particle> const all = some_particles(4);
  f.set_view(16, io::packed(io::type<sent::particle>));
  f.write_at_all(0, all);
  CHECK(f.size() == 16 + 4 * 27);
  f.set_view(16, io::type<sent::particle>);  // with the gaps that memory has
  CHECK(f.type_extent(io::contiguous(3, io::type<sent::particle>)) == 3 * sizeof(sent::particle));

  sent::cell const cells[2] = {{1, 77, all[1], sent::state::old}, {2, 78, all[2], {}}};
  std::vector<std::byte> const stream = packed_by_boost(std::span<sent::cell const>(cells));
  REQUIRE(stream.size() == 2 * (27 + 2 + 4));
  f.set_view(0, io::type<std::byte>);
  f.set_size(0);
  f.write_at(0, cells);  // by serialize(), although the aggregate header is included, too
  CHECK(bytes_of(f) == stream);

  sent::holder const h{42, {all[0], all[3]}};
  CHECK(io::memory(h).size() == 4 + 2 * 27);
  sent::holder read{};
  f.write_at(0, h);
  f.read_at(0, read);
  CHECK((read.first == 42 && read.two[0] == all[0] && read.two[1] == all[3]));
  CHECK(io::memory(std::as_const(h.two)).form().extent() == 2 * sizeof(sent::particle));
  sent::aggregate const a{1.5f, {2, 3}, cells[0]};
  CHECK(io::memory(a).size() == 4 + 8 + 33);  // 8 bytes of `described`: b alone
}

TEST_CASE("a representation converts a class of Boost.MPI", "[datatype][boost]") {
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  std::vector<sent::particle> const all = some_particles(3);
  f.set_view(0, {io::packed(io::type<sent::particle>), io::external32});
  f.write_at(0, all);
  std::vector<char> expected(3 * 27);
  MPI_Aint at = 0;
  for (sent::particle const& p : all)
    MPI_Pack_external("external32", &p, 1, boost::mpi::get_mpi_datatype(p), expected.data(),
                      static_cast<MPI_Aint>(expected.size()), &at);
  std::vector<sent::particle> again(3);
  f.read_at(0, again);
  CHECK(again == all);
  std::vector<std::byte> const file = bytes_of(f);
  REQUIRE(file.size() == expected.size());
  CHECK(std::memcmp(file.data(), expected.data(), file.size()) == 0);
}

TEST_CASE("a class whose numbers are outside of its objects is an error of the call",
          "[datatype][boost]") {
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  std::vector<sent::elsewhere> const all(2);
  for (int i = 0; i < 2; ++i) {
    std::error_code error;
    f.write_at(0, all, error);
    CHECK(error == io::errc::argument);
    CHECK_THAT(f.what_failed(),
               Catch::Matchers::ContainsSubstring("the described bytes lie outside the object"));
  }
}

// Contents of lists and trees that Boost.Serialization can save, as data of files. The bytes that a
// call writes are compared with those that MPI_Pack makes of boost::mpi::get_content.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <concepts>
#include <cstddef>
#include <cstring>
#include <list>
#include <system_error>
#include <utility>
#include <vector>

#include <mpi.h>

#include <boost/mpi/collectives/broadcast.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/skeleton_and_content.hpp>
#include <boost/serialization/list.hpp>
#include <boost/serialization/vector.hpp>

#include <argosy/datatype/boost_mpi.hpp>
#include <argosy/datatype/packed.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/representations.hpp>

#include "support/boost_cases.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;

namespace sent {

struct tree {
  double value = 0;
  std::vector<int> more;
  std::list<tree> below;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & value & more & below;
  }
};

// A list by pointers, whose last one is null.
struct node {
  explicit node(int n = 0) {
    if (n > 1) next = new node(n - 1);
    x = n;
  }
  node(node const&) = delete;
  node& operator=(node const&) = delete;
  ~node() { delete next; }
  double x;
  node* next = nullptr;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & x & next;
  }
};

struct with_enum {
  double x = 1;
  state how = state::old;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & x & how;
  }
};

}  // namespace sent

namespace {

static_assert(!io::element_type<sent::tree>);
static_assert(
    std::same_as<decltype(io::content_of(std::declval<std::list<double>&>())), io::buffer> &&
    std::same_as<decltype(io::content_of(std::declval<std::list<double> const&>())),
                 io::const_buffer>);
template <class T>
concept has_content = requires { io::content_of(std::declval<T>()); };
static_assert(has_content<sent::tree&> && !has_content<sent::tree> &&
              !has_content<sent::tree const>);

sent::tree some_tree(int depth, double value) {
  sent::tree t;
  t.value = value;
  for (int i = 0; i < depth; ++i) {
    t.more.push_back(depth * 100 + i);
    t.below.push_back(some_tree(depth - 1, value * 10 + i));
  }
  return t;
}
void clear_values(sent::tree& t) {
  t.value = -1;
  for (int& n : t.more) n = -1;
  for (sent::tree& b : t.below) clear_values(b);
}

}  // namespace

TEST_CASE("the content of a list or a tree is written and read as one call", "[content][boost]") {
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);

  std::list<double> const numbers{1.5, 2.5, -3.5, 4.5, 1e300};
  f.write_at(0, io::content_of(numbers));
  CHECK(bytes_of(f) == packed_content(numbers));
  std::list<double> again(5);
  f.read_at(0, io::content_of(again));
  CHECK(again == numbers);

  sent::tree const t = some_tree(4, 1);
  std::vector<std::byte> const stream = packed_content(t);
  f.set_size(0);
  CHECK(f.write_at(0, io::content_of(t)).bytes == static_cast<std::int64_t>(stream.size()));
  CHECK(bytes_of(f) == stream);
  sent::tree other = some_tree(4, 1);
  clear_values(other);
  CHECK(packed_content(other) != stream);
  io::buffer const kept = io::content_of(other);  // valid while the structure is the same
  f.read_at(0, kept);
  CHECK(packed_content(other) == stream);
  other.below.back().value = 99;
  f.write_at(0, kept);
  CHECK(bytes_of(f) == packed_content(other));

  sent::node const chain(6);
  sent::node copy(6);
  copy.x = copy.next->x = copy.next->next->next->x = -1;
  f.set_size(0);
  f.write_at(0, io::content_of(chain));
  CHECK(bytes_of(f) == packed_content(chain));
  CHECK(f.size() == 6 * 8);
  f.read_at(0, io::content_of(copy));
  CHECK(packed_content(copy) == packed_content(chain));

  // Numbers of external32, as MPI packs the content.
  f.set_view(0, {io::type<double>, io::external32});
  f.set_size(0);
  f.write_at(0, io::content_of(numbers));
  std::vector<char> expected(5 * 8);
  MPI_Aint at = 0;
  MPI_Pack_external("external32", MPI_BOTTOM, 1,
                    boost::mpi::get_content(numbers).get_mpi_datatype(), expected.data(),
                    static_cast<MPI_Aint>(expected.size()), &at);
  std::vector<std::byte> const file = bytes_of(f);
  REQUIRE(file.size() == expected.size());
  CHECK(std::memcmp(file.data(), expected.data(), file.size()) == 0);
}

TEST_CASE("the content of nothing is nothing, and of a vector one block", "[content][boost]") {
  std::list<double> nothing;
  CHECK(io::content_of(nothing).size() == 0);
  std::vector<float> row(1000, 2);
  io::buffer const all = io::content_of(row);
  CHECK(all.form().pieces() == 1);
  CHECK(all.address() == static_cast<void*>(row.data()));
  std::vector<sent::particle> particles = some_particles(3);
  CHECK(io::content_of(particles).size() == 3 * 27);

  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  f.write_at(0, io::content_of(nothing));
  CHECK(f.size() == 0);
}

TEST_CASE("values that the archive copies are refused", "[content][boost]") {
  if (sanitized) return;  // which may have such objects on a stack of its own
  scratch const here;
  auto f = self_file::open(io::self(), here / "data", writable);
  std::vector<bool> bits(3, true);
  std::list<sent::with_enum> enums(2);
  std::error_code error;
  f.write_at(0, io::content_of(bits), error);
  CHECK(error == io::errc::argument);
  f.read_at(0, io::content_of(enums), error);
  CHECK(error == io::errc::argument);
  CHECK_THAT(f.what_failed(), Catch::Matchers::ContainsSubstring("exists only while it is given"));
  CHECK_THROWS_AS(io::content_of(bits).form(), io::invalid_layout);
  // Objects of calls that have not ended are data.
  double here_too[3] = {1, 2, 3};
  std::list<double> one{4};
  CHECK(io::content_of(here_too).size() == 24);
  CHECK(io::content_of(one).size() == 8);
}

TEST_CASE("ranks that got the skeleton read the content together", "[content][boost][mpi]") {
  boost::mpi::communicator const world;
  io::mpi const ranks(world);
  shared_scratch const here(ranks);
  sent::tree t;
  if (world.rank() == 0) t = some_tree(3, 7);
  boost::mpi::broadcast(world, boost::mpi::skeleton(t), 0);
  std::vector<std::byte> const stream = packed_content(some_tree(3, 7));

  auto f = io::file::open(world, here / "tree", writable);
  f.write_at_all(0, world.rank() == 0 ? io::source(io::content_of(t)) : io::source());
  if (world.rank() != 0) clear_values(t);
  f.read_at_all(0, io::content_of(t));
  CHECK(packed_content(t) == stream);

  // Collective calls of classes of Boost.MPI, each rank at its place.
  std::vector<sent::particle> const mine = some_particles(world.rank() + 1);
  auto const share = io::share_of(world, mine.size());
  f.set_view(0, io::packed(io::type<sent::particle>));
  f.set_size(0);
  f.write_at_all(share.first, mine);
  std::vector<sent::particle> all(static_cast<std::size_t>(share.all));
  f.read_at_all(0, all);
  auto const first = all.begin() + static_cast<std::ptrdiff_t>(share.first);
  CHECK(std::vector<sent::particle>(first, first + world.rank() + 1) == mine);
  f.close();
}

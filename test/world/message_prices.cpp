// The cost of messages: measured by all ranks together, stored with the communicator, and equal on
// all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include <mpi.h>

#include <argosy/file/detail/protocol/common_storage.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/detail/message_prices.hpp>
#include <argosy/world/mpi.hpp>

#include "support/nodes_world.hpp"

namespace io = argosy;
using io::detail::message_prices;

static_assert(io::detail::priced<io::mpi>);
static_assert(!io::detail::priced<argosy::test::nodes_world>);

namespace {

// Returns a new communicator, because duplicates would share the stored prices.
io::mpi everyone() {
  io::mpi const all(MPI_COMM_WORLD);
  return all.split(0, all.rank());
}

template <class T>
std::vector<T> of_all(io::mpi const& world, T const& mine) {
  std::vector<T> all(static_cast<std::size_t>(world.size()));
  world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

io::extend::any_handle any_file() {
  std::error_code error;
  io::extend::any_handle f = io::posix_opener()("/dev/null", {.read = true}, error);
  REQUIRE_FALSE(error);
  return f;
}

}  // namespace

TEST_CASE("messages are measured by all ranks, which find the same", "[world][prices]") {
  io::mpi const world = everyone();
  for (int const times : {1, 5, 1000}) {
    message_prices const found = io::detail::measure_messages(world, times).value();
    CHECK(found.round_ns >= 0);
    CHECK(found.round_ns < 60e9);
    CHECK(found.byte_ns >= 0);
    if (world.size() > 1) CHECK(found.round_ns > 0);
    for (message_prices const& other : of_all(world, found)) CHECK(other == found);
  }
}

TEST_CASE("prices of messages stay with a communicator and its duplicates", "[world][prices]") {
  io::mpi const world = everyone(), other = everyone();
  io::mpi const before = world.duplicate();
  CHECK_FALSE(world.kept_prices());
  before.keep_prices({.round_ns = 5, .byte_ns = 2});
  CHECK(world.kept_prices() == message_prices{5, 2});
  CHECK(world.duplicate().kept_prices() == message_prices{5, 2});
  CHECK_FALSE(other.kept_prices());
  CHECK_FALSE(world.split(0, world.rank()).kept_prices());
}

TEST_CASE("ranks that are not near price what they exchange by what was measured, and measure once",
          "[world][prices]") {
  io::mpi const world = everyone();
  io::extend::exchange_prices const usual = io::extend::storage{}.exchange;
  auto const priced = [&](bool near) {
    return io::detail::common_storage(world, any_file(), near).exchange;
  };
  CHECK(priced(true) == usual);
  CHECK_FALSE(world.kept_prices());
  // One rank has stored prices higher than any real ones, and the others none. The ranks measure,
  // and the higher prices count for all.
  message_prices const dear{.round_ns = 1e15, .byte_ns = 1e9};
  if (world.rank() == world.size() - 1) world.keep_prices(dear);
  io::extend::exchange_prices found = priced(false);
  CHECK(found.round_ns == dear.round_ns);
  CHECK(found.byte_ns == dear.byte_ns);
  CHECK(world.kept_prices() == dear);
  CHECK(priced(true) == usual);  // the prices of memory
  // All ranks have stored prices, so nothing is measured. Cheap messages do not make memory cheaper
  // than it is.
  world.keep_prices({.round_ns = 1, .byte_ns = 1e-6});
  CHECK(priced(false) == usual);
  // The stored prices differ, as if threads had opened several files at the same time.
  world.keep_prices({.round_ns = 1e6 + world.rank(), .byte_ns = 3});
  found = priced(false);
  CHECK(found.round_ns == 1e6 + (world.size() - 1));
  CHECK(found.byte_ns == 3);
}

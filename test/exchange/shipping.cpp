// Data shipping of independent calls between processes.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/policy/data_shipping.hpp>

#include "support/catch.hpp"
#include "support/shared_scratch.hpp"
#include "support/shipping_cases.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

template <class Check>
void on_posix(Check&& check) {
  io::mpi const ranks(MPI_COMM_WORLD);
  shared_scratch const dir(ranks);
  check(ranks, dir / "f", io::posix_opener());
}

}  // namespace

TEST_CASE("what ranks ship to agents is what each of them wrote, and nothing else",
          "[shipping][random]") {
  on_posix([](auto const&... all) { check_shipped_transfers(all..., 60); });
}
TEST_CASE("reads and writes that meet at agents, and at the file, are kept apart",
          "[shipping][random]") {
  on_posix([](auto const&... all) {
    check_shipped_mixture(all..., io::mode::none, 10);
    check_shipped_mixture(all..., io::mode::unique_open, 10);
  });
}
TEST_CASE("who asks for it gets what is wanted, and no holes", "[shipping][sparse]") {
  on_posix([](auto const&... all) { check_sparse_shipping(all...); });
}
TEST_CASE("external32 goes to agents, too", "[shipping][representation]") {
  on_posix([](auto const&... all) { check_shipped_conversion(all...); });
}
TEST_CASE("who ships to an agent that fails is told where, and with what", "[shipping][errors]") {
  on_posix([](auto const&... all) { check_failing_agents(all...); });
}
TEST_CASE("views travel, offsets do not", "[shipping][views]") {
  on_posix([](auto const&... all) { check_messages_of_shipping(all...); });
}
TEST_CASE("agents begin where hints ask for them, and serve until close", "[shipping][hints]") {
  on_posix([](auto const&... all) { check_hints_of_shipping(all...); });
}

TEST_CASE("an agent answers while its rank waits in another call", "[shipping]") {
  io::mpi const world(MPI_COMM_WORLD);
  on_posix([&](io::mpi const& ranks, std::string const& path, io::opener const& files) {
    auto f =
        io::file::open(ranks, path, io::mode::create | io::mode::read_write, with_agents(), files);
    std::vector<int> const data(1000, world.rank());
    // The ranks write one after the other. All agents but one belong to ranks that wait for a
    // message.
    if (world.rank() > 0) world.receive({}, world.rank() - 1, 0);
    io::report const r =
        f.write_at(4000 * world.rank(), data, io::data_shipping{.stripe_bytes = 1});
    CHECK(r.policy == "data_shipping");
    if (world.rank() + 1 < world.size()) world.send({}, world.rank() + 1, 0);
    f.close();
  });
}

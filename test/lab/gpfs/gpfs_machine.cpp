// Machines of the simulated GPFS: as text, and the values that policies get.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <cstddef>
#include <sstream>
#include <stdexcept>

#include <boost/pfr.hpp>

#include <argosy/lab/gpfs/machine.hpp>

namespace gpfs = argosy::lab::gpfs;

TEST_CASE("what a machine's calls cost is told to policies", "[gpfs][machine]") {
  gpfs::machine m;
  m.call_us = 7;
  m.write_call_us = 3;
  m.message_us = 20;
  m.token_us = 300;
  CHECK(m.storage().prices.call_ns == Approx(7000));
  CHECK(m.storage().prices.write_call_ns == Approx(10'000));
  CHECK(m.storage().prices.lock_ns == Approx(340'000));
  CHECK(m.storage().exchange.round_ns == Approx(100'000));
}

TEST_CASE("a machine is a small text, which names all there is", "[gpfs][machine]") {
  std::size_t named = 0;
  gpfs::machine const all;
  for_each_parameter(all, [&](char const*, auto const&) { ++named; });
  CHECK(named == boost::pfr::tuple_size_v<gpfs::machine>);
  gpfs::machine m;
  m.disk_us = 5500.25;
  m.overload_write = 0.7;
  m.servers = 20;
  std::stringstream text;
  text << m;
  CHECK(gpfs::read_machine(text) == m);
  std::istringstream part("# frost\nservers 2   # dedicated\n\ndisks_per_server 12\n");
  gpfs::machine const frost = gpfs::read_machine(part);
  CHECK(frost.servers == 2);
  CHECK(frost.disks_per_server == 12);
  CHECK(frost.block_bytes == gpfs::machine{}.block_bytes);
  for (char const* bad :
       {"wheels 4", "servers", "servers two", "servers 1 2", "servers -1", "block_bytes 1000",
        "servers 0", "pagepool_bytes 0", "prefetch_percent 101",
        // Values that need too much memory, or times that no clock can count.
        "block_bytes 134217728", "servers 65537", "disks_per_server 65537",
        "adapters_per_node 65537", "prefetch_max_blocks 9223372036854775807",
        "pagepool_bytes 9223372036854775807", "noise inf", "call_us nan", "lease_s 1e300",
        "disk_mb_per_s 1e-300"}) {
    CAPTURE(bad);
    std::istringstream in(bad);
    CHECK_THROWS_AS(gpfs::read_machine(in), std::invalid_argument);
  }
}

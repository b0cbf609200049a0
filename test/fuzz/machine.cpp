// Machines of the simulated GPFS as text. An accepted machine must print and read back, and a
// simulation must run on it.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <argosy/lab/gpfs/loopback.hpp>
#include <argosy/lab/gpfs/machine.hpp>

using namespace argosy::lab::gpfs;
using namespace argosy::lab::gpfs::detail;

namespace {

std::optional<machine> read(std::string const& text) {
  try {
    std::istringstream in(text);
    return read_machine(in);
  } catch (std::invalid_argument const&) {
    return {};
  }
}

// Makes a few calls on one file of two nodes.
void run(machine const& m) {
  loopback system(m, 2);
  std::vector<std::byte> some(100, std::byte{1}), seen(100);
  std::int64_t instance[2] = {};
  for (int node : {0, 1}) {
    call c;
    c.kind = call_kind::open;
    c.path = "f";
    c.for_writing = c.create = true;
    completion const done = system.perform(node, std::move(c));
    FUZZ_CHECK(done.error == 0);
    instance[node] = done.value;
  }
  for (int node : {0, 1}) {
    call c;
    c.kind = call_kind::write;
    c.instance = static_cast<int>(instance[node]);
    c.offset = 50 * node;
    c.from = some;
    FUZZ_CHECK(system.perform(node, std::move(c)).value == 100);
  }
  call c;
  c.instance = static_cast<int>(instance[0]);
  c.into = seen;
  completion const done = system.perform(0, std::move(c));
  FUZZ_CHECK(done.value == 100 && seen == some && done.at.count() >= 0);
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const m = read(std::string(argosy::fuzz::text_of(data, size)));
  if (!m) return 0;
  // Sizes must be small enough for the memory that is allocated at once.
  FUZZ_CHECK(m->block_bytes <= 64 << 20 && m->servers <= 1 << 16 && m->disks_per_server <= 1 << 16);
  std::ostringstream text;
  text << *m;
  FUZZ_CHECK(read(text.str()) == m);
  if (m->block_bytes <= 1 << 20 && m->servers <= 1000) run(*m);
  return 0;
}

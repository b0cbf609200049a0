// Messages of the simulated GPFS as bytes: what is a message is these bytes and no others.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cstdint>

#include <lab/gpfs/codec.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const bytes = fuzz::bytes_of(data, size);
  auto const m = gpfs::decode(bytes);
  if (!m) return 0;
  auto const again = gpfs::encode(*m);
  FUZZ_CHECK(std::ranges::equal(again, bytes));
  FUZZ_CHECK(gpfs::decode(again).has_value());
  gpfs::machine hardware;
  hardware.block_bytes = 512;
  gpfs::makes_sense(*m, hardware);
  return 0;
}

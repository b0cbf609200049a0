// Messages of the simulated GPFS as bytes. A message must have exactly one form as bytes.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cstdint>

#include <lab/gpfs/codec.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const bytes = fuzz::bytes_of(data, size);
  auto const m = lab::gpfs::detail::decode(bytes);
  if (!m) return 0;
  auto const again = lab::gpfs::detail::encode(*m);
  FUZZ_CHECK(std::ranges::equal(again, bytes));
  FUZZ_CHECK(lab::gpfs::detail::decode(again).has_value());
  lab::gpfs::machine hardware;
  hardware.block_bytes = 512;
  lab::gpfs::detail::makes_sense(*m, hardware);
  return 0;
}

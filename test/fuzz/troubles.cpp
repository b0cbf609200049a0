// Troubles of the simulated GPFS as text. Accepted ones must print and read back.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include <argosy/lab/gpfs/troubles.hpp>

using namespace argosy;

namespace {

std::optional<lab::gpfs::troubles> read(std::string_view text) {
  try {
    return lab::gpfs::parse_troubles(text);
  } catch (std::invalid_argument const&) {
    return {};
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const t = read(fuzz::text_of(data, size));
  if (!t) return 0;
  std::string const text = to_string(*t);
  auto const again = read(text);
  FUZZ_CHECK(again && *again == *t && to_string(*again) == text);
  return 0;
}

// Scenarios of the virtual cluster as text, with their scripts of faults. An accepted scenario must
// print and read back.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include <argosy/lab/cluster/scenario.hpp>

using namespace argosy;

namespace {

std::optional<lab::scenario> read(std::string_view text) {
  try {
    return lab::parse_scenario(text);
  } catch (std::invalid_argument const&) {
    return {};
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const s = read(fuzz::text_of(data, size));
  if (!s) return 0;
  std::string const text = to_string(*s);
  auto const again = read(text);
  FUZZ_CHECK(again && *again == *s && to_string(*again) == text);
  return 0;
}

// Datatypes as text, as `argosy layout` reads them. The result must be a layout that can be
// printed, or an error that shows the place.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <string>

#include <argosy/layout/print.hpp>
#include <tools/argosy/datatype_text.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const text = fuzz::text_of(data + 1, size - 1);
  try {
    layout const l = tool::parse_datatype(text, data[0] % 8);
    FUZZ_CHECK(l.size() >= 0 && l.pieces() >= 0);
    FUZZ_CHECK(!to_string(l).empty());
    FUZZ_CHECK(l == tool::parse_datatype(text, data[0] % 8));
    // Blanks around it mean nothing, and one of it is itself.
    FUZZ_CHECK(l == tool::parse_datatype(" " + std::string(text) + " ", data[0] % 8));
  } catch (tool::datatype_text_error const& e) {
    FUZZ_CHECK(*e.what() != '\0');
  }
  return 0;
}

// Descriptions of published machines. An accepted one must have a source for each number, and read
// back.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include <papers/machine_file.hpp>

namespace {

// The text behind a line "---" is the file that may be included, under any name.
std::optional<papers::paper_machine> read(std::string const& text) {
  std::string const border = "\n---\n";
  std::size_t const end = text.find(border);
  try {
    return papers::read_paper_machine("m", text.substr(0, end), [&](std::string const& name) {
      if (end == text.npos) throw std::invalid_argument("no file " + name);
      return text.substr(end + border.size());
    });
  } catch (std::invalid_argument const&) {
    return {};
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(argosy::fuzz::text_of(data, size));
  auto const m = read(text);
  if (!m) return 0;
  for (auto const& [name, p] : m->given) {
    FUZZ_CHECK(!p.source.empty() && !p.place.empty() && std::isfinite(p.value));
    bool const free = p.kind == papers::origin::calibrated || p.kind == papers::origin::assumed;
    FUZZ_CHECK(!free || (p.low < p.high && p.low <= p.value && p.value <= p.high));
  }
  FUZZ_CHECK(m->fs.servers >= 1 && m->fs.servers <= 1 << 16 && m->fs.block_bytes <= 64 << 20);
  auto const again = read(text);
  FUZZ_CHECK(again && again->hash() == m->hash() && again->fs == m->fs && again->net == m->net);
  return 0;
}

// The start of a file, made from a fuzzer's bytes, and a check for all functions that read one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>

#include "fuzz.hpp"

namespace argosy::fuzz {

using namespace extend;

// Returns the bytes of a word in the order of a file.
inline std::string little_endian(std::uint64_t word, int bytes) {
  std::string s;
  for (int i = 0; i < bytes; ++i) s += static_cast<char>(word >> (8 * i) & 0xff);
  return s;
}

inline std::vector<std::byte> file_start(std::string const& head, std::string_view rest) {
  std::string const all = head + std::string(rest);
  auto const bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

// Returns the result of `parse`, which must be a header or damage in words, never both.
template <class Parse>
auto header_or_damage(std::span<std::byte const> start, Parse&& parse) {
  failure why;
  auto h = parse(start, why);
  FUZZ_CHECK(h.has_value() == !why);
  FUZZ_CHECK(h || (why.code == errc::damaged && !why.detail.empty()));
  return h;
}

}  // namespace argosy::fuzz

// Shared by all fuzzers: a check that is always made, and bytes as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include <fuzzer/FuzzedDataProvider.h>

namespace argosy::fuzz {

[[noreturn]] inline void fail(char const* what, char const* file, int line) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::abort();
}

inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}
inline std::span<std::byte const> bytes_of(std::uint8_t const* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace argosy::fuzz

// Prints the failed condition and ends the process. libFuzzer then keeps the input.
#define FUZZ_CHECK(...) \
  if (!(__VA_ARGS__)) argosy::fuzz::fail(#__VA_ARGS__, __FILE__, __LINE__)

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

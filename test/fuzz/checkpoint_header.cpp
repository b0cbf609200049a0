// The start of checkpoints, also under a right checksum: places lie in the file, and what is accepted reads back.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/format/checkpoint_header.hpp>
#include <format/crc32.hpp>

using namespace argosy;

namespace {

std::vector<std::byte> start_of(std::uint8_t const* data, std::size_t size) {
  std::string all(fuzz::text_of(data, size));
  if (size > 0 && data[0] == '{') {
    std::string head(
        "\x93"
        "ARGOSY\x01");
    auto const append = [&](std::uint32_t word) {
      for (int i = 0; i < 4; ++i) head += static_cast<char>(word >> (8 * i) & 0xff);
    };
    append(static_cast<std::uint32_t>(size));
    append(detail::crc32(fuzz::bytes_of(data, size)));
    all = head + all;
  }
  auto const bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const start = start_of(data, size);
  failure why;
  auto const h = detail::parse_checkpoint_header(start, why);
  FUZZ_CHECK(h.has_value() == !why);
  if (!h) {
    FUZZ_CHECK(why.code == errc::damaged && !why.detail.empty());
    return 0;
  }
  std::int64_t end = 0;
  FUZZ_CHECK(h->block_bytes > 0);
  for (checkpoint_array const& a : h->arrays) {
    FUZZ_CHECK(a.bytes() >= 0 && a.offset >= end && a.sums >= a.offset + a.bytes());
    end = a.sums + 4 * h->blocks(a);
    FUZZ_CHECK(end >= a.sums && end <= h->file_bytes && h->find(a.name) == &a);
  }
  FUZZ_CHECK(to_string(*h).empty() == h->arrays.empty());
  auto const back = detail::parse_checkpoint_header(detail::checkpoint_header_of(*h), why);
  FUZZ_CHECK(!back || *back == *h);  // a longer text may not leave the arrays their places
  return 0;
}

// The start of .npy files: what is accepted is written again with the same meaning.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <argosy/format/npy_header.hpp>

using namespace argosy;

namespace {

// As a file has it; `text` alone is put behind the start that goes with it.
std::vector<std::byte> start_of(std::uint8_t const* data, std::size_t size) {
  std::string all(fuzz::text_of(data, size));
  if (size > 0 && data[0] < 4) {
    int const version = std::max<int>(data[0], 1);
    std::string head = "\x93NUMPY";
    head += {static_cast<char>(version), '\0'};
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) head += static_cast<char>((size - 1) >> (8 * i) & 0xff);
    all = head + all.substr(1);
  }
  auto const bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const start = start_of(data, size);
  failure why;
  auto const h = detail::parse_npy_header(start, why);
  FUZZ_CHECK(h.has_value() == !why);
  if (!h) {
    FUZZ_CHECK(why.code == errc::damaged && !why.detail.empty());
    return 0;
  }
  FUZZ_CHECK(h->version >= 1 && h->version <= 3 && h->type.bytes >= 0 && h->bytes() >= 0);
  FUZZ_CHECK(h->data_offset <= static_cast<std::int64_t>(start.size()));
  FUZZ_CHECK(std::ranges::all_of(h->shape, [](std::int64_t n) { return n >= 0; }));
  FUZZ_CHECK(!to_string(*h).empty());
  auto const again = detail::npy_header_of(h->type, h->order, h->shape);
  auto const back = detail::parse_npy_header(again, why);
  FUZZ_CHECK(back && back->type == h->type && back->order == h->order && back->shape == h->shape);
  return 0;
}

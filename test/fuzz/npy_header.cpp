// The start of .npy files. An accepted header must be written again with the same meaning.
// SPDX-License-Identifier: BSD-3-Clause
#include "file_start.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <argosy/format/npy_header.hpp>

using namespace argosy;

// An input that begins with a version below 4 is a description. It gets the signature and length
// that match, so that fuzzing reaches the code behind these checks.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string head;
  std::string_view rest = fuzz::text_of(data, size);
  if (size > 0 && data[0] < 4) {
    int const version = std::max<int>(data[0], 1);
    head = std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
           fuzz::little_endian(size - 1, version == 1 ? 2 : 4);
    rest.remove_prefix(1);
  }
  auto const start = fuzz::file_start(head, rest);
  auto const h = fuzz::header_or_damage(start, detail::parse_npy_header);
  if (!h) return 0;
  FUZZ_CHECK(h->version >= 1 && h->version <= 3 && h->type.bytes >= 0 && h->bytes() >= 0);
  FUZZ_CHECK(h->data_offset <= static_cast<std::int64_t>(start.size()));
  FUZZ_CHECK(std::ranges::all_of(h->shape, [](std::int64_t n) { return n >= 0; }));
  FUZZ_CHECK(!to_string(*h).empty());
  auto const again = detail::npy_header_of(h->type, h->order, h->shape);
  extend::failure why;
  auto const back = detail::parse_npy_header(again, why);
  FUZZ_CHECK(back && back->type == h->type && back->order == h->order && back->shape == h->shape);
  return 0;
}

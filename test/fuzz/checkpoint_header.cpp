// The start of checkpoints, also with a right checksum. Places must lie in the file, and an
// accepted header must read back.
// SPDX-License-Identifier: BSD-3-Clause
#include "file_start.hpp"

#include <cstdint>
#include <string>

#include <argosy/format/checkpoint_header.hpp>
#include <format/crc32.hpp>

using namespace argosy;

// An input that begins with '{' is a list of arrays. It gets the signature, length and checksum
// that match, so that fuzzing reaches the code behind these checks.
int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string head;
  bool const encoded = fuzz::text_of(data, size).find("'codecs'") != std::string::npos;
  if (size > 0 && data[0] == '{')
    head =
        "\x93"
        "ARGOSY" +
        std::string(1, encoded ? 2 : 1) + fuzz::little_endian(size, 4) +
        fuzz::little_endian(detail::crc32(fuzz::bytes_of(data, size)), 4);
  auto const start = fuzz::file_start(head, fuzz::text_of(data, size));
  auto const h = fuzz::header_or_damage(start, detail::parse_checkpoint_header);
  if (!h) return 0;
  std::int64_t end = 0, decoded = 0;
  FUZZ_CHECK(h->block_bytes > 0);
  for (argosy::detail::checkpoint_array const& a : h->arrays) {
    bool const coded = !h->codecs.empty();
    FUZZ_CHECK(a.bytes() >= 0 && a.sums >= end);
    FUZZ_CHECK(coded ? a.offset >= decoded && a.offset % h->block_bytes == 0
                     : a.offset >= end && a.sums >= a.offset + a.bytes());
    decoded = a.offset + h->blocks(a) * h->block_bytes;
    end = a.sums + (coded ? detail::table_entry_bytes : 4) * h->blocks(a);
    FUZZ_CHECK(end >= a.sums && end <= h->file_bytes && h->find(a.name) == &a);
  }
  FUZZ_CHECK(to_string(*h).empty() == h->arrays.empty());
  extend::failure why;
  auto const back = detail::parse_checkpoint_header(detail::checkpoint_header_of(*h), why);
  FUZZ_CHECK(!back || *back == *h);  // a longer text may leave no room before the arrays
  return 0;
}

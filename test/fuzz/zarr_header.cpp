// The metadata of Zarr arrays of both versions, and of groups. Accepted metadata of version 3 must
// be written again with the same meaning.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <string>

#include <argosy/format/detail/zarr/zarr_grid.hpp>
#include <argosy/format/zarr_group.hpp>
#include <argosy/format/zarr_header.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  extend::failure why;
  if (auto const g = detail::parse_zarr_group(fuzz::text_of(data, size), why)) {
    for (zarr_member const& m : g->members) {
      FUZZ_CHECK(m.is_group || m.array.has_value() == m.unread.empty());
      FUZZ_CHECK(("/" + m.path + "/").find("/../") == std::string::npos);
    }
    FUZZ_CHECK(to_string(*g).empty() == g->members.empty());
    return 0;
  }
  FUZZ_CHECK(!why.detail.empty());
  why = {};
  auto const h = detail::parse_zarr_header(fuzz::text_of(data, size), why);
  FUZZ_CHECK(h.has_value() == !why);
  if (!h) {
    bool const known =
        why.code == errc::damaged || why.code == errc::unsupported || why.code == errc::datatype;
    FUZZ_CHECK(known && !why.detail.empty());
    return 0;
  }
  FUZZ_CHECK(!to_string(*h).empty());
  detail::zarr_grid const grid(*h);
  FUZZ_CHECK(grid.chunk_bytes() > 0 && grid.shard_bytes() >= grid.chunk_bytes());
  FUZZ_CHECK(grid.bytes() >= 0 && grid.bytes() <= std::int64_t{1} << 61);
  FUZZ_CHECK(std::ssize(detail::fill_element(*h)) == h->type.bytes);
  if (grid.shards() > 0) FUZZ_CHECK(!grid.name_of(grid.shards() - 1, h->options).empty());
  if (h->version != 3) return 0;  // arrays of version 2 are read only
  auto const back = detail::parse_zarr_header(detail::zarr_json_of(*h), why);
  FUZZ_CHECK(back && *back == *h);
  return 0;
}

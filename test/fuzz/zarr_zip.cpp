// The directory of a zip file. Each accepted entry lies in the file.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <argosy/format/detail/zarr/zip_file.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const bytes = fuzz::bytes_of(data, size);
  std::span const all(bytes);
  std::size_t const end = std::min(size, static_cast<std::size_t>(detail::longest_zip_end));
  detail::zip_directory where;
  if (auto const f = detail::find_zip_directory(all.last(end), std::ssize(all), where)) {
    FUZZ_CHECK(f.code == errc::damaged && !f.detail.empty());
    return 0;
  }
  std::vector<detail::zip_entry> entries;
  auto const f = detail::parse_zip_directory(
      all.subspan(static_cast<std::size_t>(where.offset), static_cast<std::size_t>(where.bytes)),
      where, entries);
  FUZZ_CHECK(!f || !f.detail.empty());
  if (f) return 0;
  for (detail::zip_entry const& e : entries)
    FUZZ_CHECK(e.offset >= 0 && e.bytes >= 0 && e.bytes <= std::ssize(all) - e.offset);
  return 0;
}

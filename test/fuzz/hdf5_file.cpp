// HDF5 files. The content must fit to the file, and each chunk is decoded, or its damage is named.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <argosy/format/detail/hdf5/hdf5_file.hpp>

#include "format/hdf5/bytes.hpp"
#include "format/hdf5/filters.hpp"
#include "format/hdf5/messages.hpp"

using namespace argosy;

namespace {

constexpr std::int64_t most_chunk_bytes = 1 << 16;

// Returns true if there is no failure, which must be a documented one.
bool well(extend::failure const& why) {
  FUZZ_CHECK(!why ||
             ((why.code == errc::damaged || why.code == errc::unsupported) && !why.detail.empty()));
  return !why;
}

void decode_chunks(std::span<std::byte const> file, hdf5_dataset const& d,
                   detail::hdf5_place const& p) {
  std::int64_t const bytes = detail::hdf5::chunk_bytes_of(p, d.type.bytes);
  FUZZ_CHECK(bytes > 0);
  if (bytes > most_chunk_bytes) return;
  std::vector<std::byte> chunk(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < std::min<std::size_t>(p.chunks.size(), 100); ++i) {
    detail::hdf5_chunk const& c = p.chunks[i];
    if (c.address < 0) continue;
    auto const stored = file.subspan(static_cast<std::size_t>(c.address),
                                     static_cast<std::size_t>(c.bytes));  // within the file
    well(detail::hdf5::failure_in(
        [&] { detail::hdf5::decode(p.steps, c.left_out, {stored.begin(), stored.end()}, chunk); }));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const file = fuzz::bytes_of(data, size);
  auto const read = [&](std::int64_t offset, std::span<std::byte> into) {
    FUZZ_CHECK(offset >= 0 && offset + std::ssize(into) <= std::ssize(file));
    std::ranges::copy(file.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  };
  detail::hdf5_file f;
  if (!well(detail::find_hdf5(read, std::ssize(file), f))) return 0;
  FUZZ_CHECK(f.content.datasets.size() == f.places.size());
  (void)to_string(f.content);
  (void)detail::lines_of(f.content);
  for (std::size_t i = 0; i < f.places.size(); ++i) {
    hdf5_dataset const& d = f.content.datasets[i];
    detail::hdf5_place& p = f.places[i];
    if (!well(p.unreadable)) continue;
    for (std::int64_t const n : d.shape) FUZZ_CHECK(n >= 0);
    if (!p.is_chunked()) {
      if (p.what == detail::hdf5_place::kind::contiguous && p.address >= 0)
        FUZZ_CHECK(p.bytes == 0 || p.address + p.bytes <= std::ssize(file));
      continue;
    }
    if (well(detail::find_hdf5_chunks(read, std::ssize(file), d, p))) decode_chunks(file, d, p);
  }
  return 0;
}

// The file of a shard, under some lists of codecs. Each chunk must be read, or its damage named.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/opener.hpp>

#include "../support/memory_handle.hpp"
#include "format/zarr/crc32c.hpp"
#include "format/zarr/shard.hpp"

using namespace argosy;

namespace {

zarr_header header_of(std::uint8_t choice) {
  using c = zarr_codec;
  std::vector<c> const lists[] = {{},
                                  {c::crc32c()},
                                  {c::gzip()},
                                  {c::zstd()},
                                  {c::transpose({1, 0}), c::bytes(true), c::gzip(), c::crc32c()},
                                  {c::crc32c(), c::zstd(), c::gzip()}};
  zarr_header h{{8, 8},
                {.kind = 'i', .order = detail::native_order, .bytes = 2, .fields = {}},
                {.chunks = {4, 2}, .codecs = lists[choice % 6]}};
  if ((choice & 128) != 0) h.options.codecs = {c::blosc("lz4")};
  if ((choice & 8) == 0) h.options.shards = {8, 4};
  h.options.index_at_start = (choice & 16) != 0;
  h.options.index_checksum = (choice & 32) != 0;
  return h;
}

// Gives the index of the file its checksum.
void sum_up(std::vector<std::byte>& file, zarr_options const& how, std::int64_t chunks) {
  auto const n = static_cast<std::size_t>(detail::shard_index::bytes_of(chunks, false));
  if (how.shards.empty() || !how.index_checksum || file.size() < n + 4) return;
  std::size_t const at = how.index_at_start ? 0 : file.size() - n - 4;
  detail::put_little(detail::crc32c(std::span(file).subspan(at, n)), file.data() + at + n);
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  zarr_header h = header_of(data[0]);
  if (detail::complete(h)) return 0;  // a codec that this build does not have
  auto const bytes = fuzz::bytes_of(data + 1, size - 1);
  auto const file = std::make_shared<test::memory_file>();
  file->bytes.assign(bytes.begin(), bytes.end());
  detail::zarr_grid const grid(h);
  if ((data[0] & 64) != 0) sum_up(file->bytes, h.options, grid.chunks_in_shard());
  opener const files(
      [file](std::string const&, extend::open_flags, std::error_code&) {
        return extend::any_handle(test::memory_handle(file));
      },
      [](std::string const&) { return std::error_code(); });
  auto const told = std::make_shared<detail::zarr_reports>();
  detail::zarr_store const store(files, "u", h, told);
  detail::shard_reader shard(store);
  auto const well = [&](std::error_code const& error) {
    FUZZ_CHECK(!error || (error == errc::damaged && !told->words.get().empty()));
    return !error;
  };
  if (!well(shard.open(1))) return 0;
  std::vector<std::byte> chunk(static_cast<std::size_t>(grid.chunk_bytes()));
  for (std::int64_t c = 0; c < grid.chunks_in_shard(); ++c) {
    bool const whole = well(shard.read(c, 0, chunk));
    std::vector<std::byte> part(3);
    if (well(shard.read(c, 5, part)) && whole)
      FUZZ_CHECK(std::equal(part.begin(), part.end(), chunk.begin() + 5));
  }
  return 0;
}

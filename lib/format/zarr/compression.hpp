// Compression by libraries that a build may lack.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace argosy::detail {

bool has_zlib() noexcept;
bool has_zstd() noexcept;
bool has_blosc() noexcept;
// Returns true if the Blosc of this build has a compressor.
bool has_blosc_compressor(std::string const& name);

// How Blosc compresses. `shuffle` is 0 for none, 1 for bytes and 2 for bits.
struct blosc_choice {
  std::string compressor;
  int level = 5, shuffle = 0, item_bytes = 1;
  std::int64_t block_bytes = 0;
};

// Each compresses `from` into `into`, whose former content is lost. Returns false if the library
// reports an error.
bool gzip_compress(std::span<std::byte const> from, int level, std::vector<std::byte>& into);
bool zlib_compress(std::span<std::byte const> from, int level, std::vector<std::byte>& into);
bool zstd_compress(std::span<std::byte const> from, int level, bool checksum,
                   std::vector<std::byte>& into);
bool blosc_compress(std::span<std::byte const> from, blosc_choice const& how,
                    std::vector<std::byte>& into);
// Each decompresses all of `from` into the start of `into`, and returns the number of bytes.
// Returns -1 if the data is damaged, or has more bytes than `into`.
std::ptrdiff_t gzip_decompress(std::span<std::byte const> from, std::span<std::byte> into);
std::ptrdiff_t zlib_decompress(std::span<std::byte const> from, std::span<std::byte> into);
std::ptrdiff_t zstd_decompress(std::span<std::byte const> from, std::span<std::byte> into);
std::ptrdiff_t blosc_decompress(std::span<std::byte const> from, std::span<std::byte> into);

}  // namespace argosy::detail

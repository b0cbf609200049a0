// Compression by libraries that a build may lack.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace argosy::detail {

bool has_zlib() noexcept;
bool has_zstd() noexcept;

// Each compresses `from` into `into`, whose former content is lost. Returns false if the library
// reports an error.
bool gzip_compress(std::span<std::byte const> from, int level, std::vector<std::byte>& into);
bool zstd_compress(std::span<std::byte const> from, int level, bool checksum,
                   std::vector<std::byte>& into);
// Each decompresses all of `from` into the start of `into`, and returns the number of bytes.
// Returns -1 if the data is damaged, or has more bytes than `into`.
std::ptrdiff_t gzip_decompress(std::span<std::byte const> from, std::span<std::byte> into);
std::ptrdiff_t zstd_decompress(std::span<std::byte const> from, std::span<std::byte> into);

}  // namespace argosy::detail

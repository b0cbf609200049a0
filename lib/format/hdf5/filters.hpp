// Filters of chunks: from a chunk to its bytes in the file, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/format/detail/hdf5/hdf5_chunks.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>

namespace argosy::detail::hdf5 {

// The numbers of filters in files.
inline constexpr int deflate_id = 1, shuffle_id = 2, fletcher32_id = 3, zstd_id = 32015;

// Returns the name of a filter, also of those that this library does not have.
std::string_view filter_name(int id);
// Returns the filter of an option, for elements of so many bytes.
hdf5_step step_of(hdf5_filter const& f, std::int64_t element_bytes);
// Returns the option of a filter. Throws if this library does not read it.
hdf5_filter filter_of(hdf5_step const& s);

// Encodes a chunk. The result is in `space`, or the chunk itself. Throws std::runtime_error if the
// library of a filter fails.
std::span<std::byte const> encoded(std::vector<hdf5_step> const& steps,
                                   std::span<std::byte const> chunk, hdf5_space& space);
// Decodes a chunk. Throws damage if the bytes are none of a chunk. A bit of `left_out` is a filter
// that was not used.
void decode(std::vector<hdf5_step> const& steps, std::uint32_t left_out,
            std::vector<std::byte> bytes, std::span<std::byte> chunk);

}  // namespace argosy::detail::hdf5

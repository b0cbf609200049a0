// Reads a window that will be written back: the first half of a read-modify-write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include <argosy/agree/detail/phase.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

// Reads a window. If the read is short, the size must confirm that the file ends there. Otherwise
// bytes that were not read would be written back as zeros. If another process has made the file
// longer, reads the rest.
template <handle H>
io_result read_back(H& file, std::int64_t offset, std::span<std::byte> data, report& done) {
  io_result all;
  for (int empty = 0;;) {
    io_result const got = [&] {
      reading_to_merge const marked;
      return file.read(offset + all.bytes, data.subspan(static_cast<std::size_t>(all.bytes)));
    }();
    ++done.read_calls;
    done.bytes_read += got.bytes;
    all.bytes += got.bytes;
    all.error = got.error;
    if (all.error || all.bytes == static_cast<std::int64_t>(data.size())) return all;
    std::int64_t const there = file.size(all.error);
    if (all.error || there <= offset + all.bytes) return all;
    if (got.bytes == 0 && ++empty == 2) return {all.bytes, errc::truncated};
  }
}

}  // namespace argosy::detail

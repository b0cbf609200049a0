// replace_window: reads a window of a file, changes it and writes it back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include <argosy/exchange/detail/read_back.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/plan/window.hpp>

namespace argosy::detail {

// Returns the bytes of the window's data that lie in its first `bytes` bytes.
inline std::int64_t data_within(layout const& stream, window const& w, std::int64_t bytes) {
  if (bytes == w.length) return w.wanted;
  return std::clamp<std::int64_t>(stream.bytes_before(w.offset + bytes) - w.position, 0, w.wanted);
}

// `place` copies the new data into `room`, which is as long as the window. A window without gaps is
// not read. If the window cannot be read, it is not written. No other writer may change the window
// meanwhile.
template <handle H, class Place>
std::error_code replace_window(H& file, layout const& stream, window const& w,
                               std::span<std::byte> room, report& done, Place&& place) {
  if (w.holes() > 0) {
    io_result const got = read_back(file, w.offset, room, done);
    if (got.error) return got.error;
    done.merged_bytes += got.bytes - data_within(stream, w, got.bytes);
    // There is nothing to keep beyond the end of the file; gaps there become zeros.
    std::fill(room.begin() + got.bytes, room.end(), std::byte{0});
  }
  place();
  io_result const put = file.write(w.offset, room);
  ++done.write_calls;
  done.bytes_written += put.bytes;
  done.bytes += data_within(stream, w, put.bytes);
  return put.error;
}

}  // namespace argosy::detail

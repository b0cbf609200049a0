// sieving: windows of the file are read whole, and written by read-modify-write under a lock, if
// that costs less than a call for each piece. The policy decides for every window by its gaps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <argosy/policy/detail/defaults.hpp>
#include <argosy/policy/policy.hpp>
#include <argosy/policy/storage.hpp>

namespace argosy {

// The way to access windows of several pieces.
// - automatic: merged if that costs less than by pieces, otherwise by pieces.
// - always: merged.
// - never: by pieces.
enum class sieving_mode { automatic, always, never };

struct sieving {
  static constexpr std::string_view name = "sieving";
  // Small, so that the pieces are copied out of a window while it is in a cache.
  std::int64_t read_window_bytes = 256 << 10;
  std::int64_t write_window_bytes = detail::cached_window_bytes;  // 512 KiB
  sieving_mode reads = sieving_mode::automatic;
  sieving_mode writes = sieving_mode::automatic;
  argosy::extend::prices prices = {};
  // Number of ranks that may write into the same windows at the same time. While one merges, the
  // others wait for its lock.
  std::int64_t sharers = 1;
  // If false, other ranks do not lock their writes, and a merge could overwrite them. Windows with
  // gaps are then written by pieces.
  bool merges = true;

  // Returns the window from `position` on: the part of the stream within one window of the file, or
  // more if pieces are accessed singly.
  constexpr extend::window next(access const& wanted, std::int64_t position) const {
    std::int64_t const limit = window_bytes(wanted.kind), left = wanted.end() - position;
    if (!wanted.sorted) return extend::window_of(wanted, position, std::min(limit, left));
    extend::piece const first = extend::cursor(wanted.file, position).current();
    std::int64_t const reach = first.offset > INT64_MAX - limit ? INT64_MAX : first.offset + limit;
    std::int64_t const within =
        std::min(left, first.length >= limit ? 0 : wanted.file.bytes_before(reach) - position);
    if (within <= first.length) {
      std::int64_t const length = std::min(left, first.length);
      return more_pieces(wanted, {first.offset, length, position, length, 1, transfer_mode::whole});
    }
    extend::window w = extend::window_of(wanted.file, position, within);
    if (merge(w, wanted.kind)) {
      w.how = transfer_mode::merged;
      return w;
    }
    return more_pieces(wanted, w);
  }
  constexpr std::int64_t buffer_for(access const& wanted) const {
    // If bytes are named twice, the last byte of the stream need not be the farthest in the file.
    std::int64_t const most =
        wanted.sorted ? extend::window_of(wanted.file, wanted.position, wanted.bytes).length
                      : wanted.bytes;
    return std::min(window_bytes(wanted.kind), most);
  }
  constexpr extend::reason_text reason(access const& wanted) const {
    return extend::reason_text::of_words(words(wanted.kind));
  }
  constexpr std::string_view words(access_kind kind) const {
    sieving_mode const asked = kind == access_kind::read ? reads : writes;
    if (kind == access_kind::write && !merges)
      return "windows by pieces: of these nodes no rank would merge in its view (by romio_ds_write "
             "= enable all may)";
    if (asked == sieving_mode::automatic)
      return "each window as one or by pieces, by price of calls against price of holes";
    if (asked == sieving_mode::always) return "windows as one, as the hint asks";
    return "windows by pieces, as the hint asks";
  }
  friend constexpr bool operator==(sieving const&, sieving const&) = default;

  // Returns true if the window is to be merged. `reads` or `writes` decides; if it is automatic,
  // the prices do. Returns false for a write of a window with gaps if `merges` is false.
  constexpr bool merge(extend::window const& w, access_kind kind) const {
    sieving_mode const asked = kind == access_kind::read ? reads : writes;
    if (kind == access_kind::write && !merges && w.holes() > 0) return false;
    if (asked != sieving_mode::automatic) return asked == sieving_mode::always;
    return merged_ns(w, kind) < pieces_ns(w, kind);
  }
  // Returns the price of the window, in nanoseconds, in the way that merge() chooses.
  constexpr double price_ns(extend::window const& w, access_kind kind) const {
    return merge(w, kind) ? merged_ns(w, kind) : pieces_ns(w, kind);
  }
  // An estimate of the whole access. It assumes that all windows are like the first.
  struct estimate {
    // the price; the calls that read or write the file, and the bytes they move, with gaps
    double ns = 0, calls = 0, bytes = 0;
  };
  constexpr estimate estimate_of(access const& wanted) const {
    if (wanted.bytes == 0) return {};
    extend::window const first = next(wanted, wanted.position);
    double const windows = static_cast<double>(wanted.bytes) / static_cast<double>(first.wanted);
    return {price_ns(first, wanted.kind) * windows, calls_of(first, wanted.kind) * windows,
            bytes_of(first, wanted.kind) * windows};
  }
  // Returns the estimate for one contiguous range of the file, at any offset.
  constexpr estimate estimate_of_stretch(access_kind kind, std::int64_t bytes) const {
    extend::window const all{0, bytes, 0, bytes, 1, transfer_mode::whole};
    return {price_ns(all, kind), calls_of(all, kind), bytes_of(all, kind)};
  }
  constexpr double price_ns(access const& wanted) const { return estimate_of(wanted).ns; }

 private:
  constexpr double calls_of(extend::window const& w, access_kind kind) const {
    if (!merge(w, kind)) return static_cast<double>(w.pieces);
    return kind == access_kind::write && w.holes() > 0 ? 2 : 1;
  }
  constexpr double bytes_of(extend::window const& w, access_kind kind) const {
    if (!merge(w, kind)) return static_cast<double>(w.wanted);
    return static_cast<double>(w.length) * (kind == access_kind::write && w.holes() > 0 ? 2 : 1);
  }
  constexpr double pieces_ns(extend::window const& w, access_kind kind) const {
    return static_cast<double>(w.pieces) *
               (kind == access_kind::read ? prices.call_ns : prices.write_call_ns) +
           static_cast<double>(w.wanted) * prices.byte_ns;
  }
  constexpr double merged_ns(extend::window const& w, access_kind kind) const {
    double const pass = static_cast<double>(w.length) * prices.byte_ns;
    double const picking = static_cast<double>(w.pieces) * prices.piece_ns +
                           static_cast<double>(w.wanted) * prices.byte_ns;
    if (kind == access_kind::read) return prices.call_ns + pass + picking;
    double const write = picking + prices.write_call_ns + pass;
    if (w.holes() == 0) return write;
    return static_cast<double>(sharers) * (prices.lock_ns + prices.call_ns + pass + write);
  }
  // Makes a window of pieces longer, because each window costs planning and, for a write, a lock.
  // The window stays as it is if merging would pay in a quarter of the longer one.
  constexpr extend::window more_pieces(access const& wanted, extend::window const& w) const {
    constexpr std::int64_t enough_pieces = 64, enough_bytes = 1 << 20;
    if (2 * w.pieces > enough_pieces || w.wanted >= enough_bytes) return w;
    std::int64_t const mean = w.wanted / w.pieces, left = wanted.end() - w.position;
    std::int64_t const bytes = std::min(enough_pieces, left / mean) * mean, quarter = bytes / 4;
    if (bytes < 2 * w.wanted || quarter == 0) return w;
    for (std::int64_t from = 0; from < bytes; from += quarter) {
      extend::window const part =
          extend::window_of(wanted.file, w.position + from, std::min(quarter, bytes - from));
      if (part.pieces > 1 && merge(part, wanted.kind)) return w;
    }
    return extend::window_of(wanted.file, w.position, bytes);
  }
  constexpr std::int64_t window_bytes(access_kind kind) const {
    return std::max<std::int64_t>(
        1, kind == access_kind::read ? read_window_bytes : write_window_bytes);
  }
};
static_assert(extend::independent_policy<sieving>);

}  // namespace argosy

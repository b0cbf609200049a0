// The file side of an aggregator that writes: writes the covered bytes of a window, and no others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/exchange/detail/guided_access.hpp>
#include <argosy/exchange/detail/read_back.hpp>
#include <argosy/exchange/detail/staging.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/layout/detail/marks.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/sieving.hpp>

namespace argosy::detail {

template <handle H>
class window_writer {
 public:
  // `max_ranges`: see guided_transfer.
  window_writer(H& h, sieving const& prices, merging how, staging& space, report& done,
                std::int64_t max_ranges = 0)
      : file_(h),
        prices_(prices),
        guard_(h, how, done),
        space_(space),
        done_(done),
        max_ranges_(max_ranges) {}

  // `covered` has a bit for each granule from w.begin on; `data` holds the window.
  template <class Marks>
  std::error_code write(file_window const& w, std::byte const* data, Marks const& covered,
                        std::int64_t granule) {
    std::int64_t const bits = (w.length() + granule - 1) / granule;
    parts_.clear();
    std::int64_t wanted = 0;
    for (std::int64_t from = covered.next_set(0, bits); from < bits;) {
      std::int64_t const to = covered.next_clear(from, bits);
      std::int64_t const length = std::min(to * granule, w.length()) - from * granule;
      parts_.push_back(
          {w.begin + from * granule, {data + from * granule, static_cast<std::size_t>(length)}});
      wanted += length;
      from = covered.next_set(to, bits);
    }
    if (parts_.empty()) return {};
    ++done_.windows;
    write_part const &first = parts_.front(), &last = parts_.back();
    std::int64_t const length =
        last.offset + static_cast<std::int64_t>(last.memory.size()) - first.offset;
    window const whole{
        first.offset,         length, 0, wanted, static_cast<std::int64_t>(parts_.size()),
        transfer_mode::pieces};
    auto const by_pieces = [&] { return write_parts(); };
    if (parts_.size() > 1 && prices_.merge(whole, access_kind::write)) {
      if (guard_.merges())
        return guard_.merge(whole.offset, length, [&] { return replace(whole); }, by_pieces);
      ++done_.fallbacks;
    }
    return guard_.pieces(whole.offset, length, by_pieces);
  }
  // Readmits other opens that a merge has excluded. Called after the last window.
  std::error_code end() { return guard_.end(); }

 private:
  std::error_code write_parts() {
    io_result const put = guided_transfer<write_part>(file_, parts_, max_ranges_, done_);
    done_.bytes_written += put.bytes;
    return outcome(put, total_bytes(std::span<write_part const>(parts_)));
  }

  // Returns errc::io for a handle that breaks its promise: it wrote less and reported no error.
  static std::error_code outcome(io_result const& put, std::int64_t wanted) {
    return !put.error && put.bytes < wanted ? make_error_code(errc::io) : put.error;
  }

  std::error_code replace(window const& w) {
    std::span<std::byte> const old(space_.get(w.length), static_cast<std::size_t>(w.length));
    io_result const got = read_back(file_, w.offset, old, done_);
    if (got.error) return got.error;
    // There is nothing to keep beyond the end of the file; gaps there become zeros.
    std::fill(old.begin() + got.bytes, old.end(), std::byte{0});
    std::int64_t covered = 0;
    for (write_part const& p : parts_) {
      std::memcpy(old.data() + (p.offset - w.offset), p.memory.data(), p.memory.size());
      covered += std::clamp<std::int64_t>(w.offset + got.bytes - p.offset, 0,
                                          static_cast<std::int64_t>(p.memory.size()));
    }
    done_.merged_bytes += got.bytes - covered;
    io_result const put = file_.write(w.offset, old);
    ++done_.write_calls;
    done_.bytes_written += put.bytes;
    return outcome(put, w.length);
  }

  H& file_;
  sieving prices_;
  write_guard<H> guard_;
  staging& space_;
  report& done_;
  std::int64_t max_ranges_;
  std::vector<write_part> parts_;
};

}  // namespace argosy::detail

// The file side of an aggregator that writes: what is covered of a window goes to the file, and nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>
#include <vector>

#include <argosy/agree/errc.hpp>
#include <argosy/detail/handle/give_back.hpp>
#include <argosy/exchange/carry_out.hpp>
#include <argosy/exchange/read_back.hpp>
#include <argosy/exchange/staging.hpp>
#include <argosy/handle/handle.hpp>
#include <argosy/layout/marks.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/policy/sieving.hpp>

namespace argosy {

template <handle H>
class window_writer {
 public:
  window_writer(H& h, sieving const& prices, merging how, staging& space, report& done)
      : file_(h), prices_(prices), how_(how), space_(space), done_(done) {}

  // `covered` has a bit for each granule from w.begin on; `data` holds the window.
  std::error_code write(file_window const& w, std::byte const* data, marks const& covered, std::int64_t granule) {
    std::int64_t const bits = (w.length() + granule - 1) / granule;
    parts_.clear();
    std::int64_t wanted = 0;
    for (std::int64_t from = covered.next_set(0, bits); from < bits;) {
      std::int64_t const to = covered.next_clear(from, bits);
      std::int64_t const length = std::min(to * granule, w.length()) - from * granule;
      parts_.push_back({w.begin + from * granule, {data + from * granule, static_cast<std::size_t>(length)}});
      wanted += length;
      from = covered.next_set(to, bits);
    }
    if (parts_.empty()) return {};
    ++done_.windows;
    write_part const &first = parts_.front(), &last = parts_.back();
    std::int64_t const length = last.offset + static_cast<std::int64_t>(last.memory.size()) - first.offset;
    window const whole{first.offset, length, 0, wanted, static_cast<std::int64_t>(parts_.size()), passage::pieces};
    bool const can_merge = how_ == merging::alone || (how_ == merging::locked && !no_locks_);
    if (parts_.size() > 1 && can_merge && prices_.merge(whole, access_kind::write)) {
      std::error_code const error = guarded(whole, lock_kind::exclusive, [&] { return replace(whole); });
      if (!no_locks_ || how_ == merging::alone || error) return error;
      ++done_.fallbacks;
    }
    // Others may merge a window around these bytes: while they do, their lock keeps this write out.
    return guarded(whole, lock_kind::shared, [&] { return write_parts(); });
  }

 private:
  // Under a lock, unless this file is ours alone. Where nobody can lock nobody merges: then shared locks are left out, and
  // what needs an exclusive one is not done.
  template <class Write>
  std::error_code guarded(window const& w, lock_kind kind, Write&& write) {
    bool const lock = !no_locks_ && (how_ == merging::locked || how_ == merging::never);
    if (lock) {
      std::error_code const error = file_.lock(w.offset, w.length, kind);
      no_locks_ = error && classify(error) == errc::no_locks;
      if (error && !no_locks_) return error;
      if (no_locks_ && kind == lock_kind::exclusive) return {};
      if (!no_locks_) ++done_.locks;
    }
    std::error_code error = write();
    if (lock && !no_locks_) {
      std::error_code const unlocked = detail::give_back(file_, w.offset, w.length);
      if (!error) error = unlocked;
    }
    return error;
  }

  std::error_code write_parts() {
    io_result const put = file_.write(parts_);
    done_.write_calls += static_cast<std::int64_t>(parts_.size());
    done_.bytes_written += put.bytes;
    return put.error;
  }

  std::error_code replace(window const& w) {
    std::span<std::byte> const old(space_.get(w.length), static_cast<std::size_t>(w.length));
    io_result const got = read_back(file_, w.offset, old, done_);
    if (got.error) return got.error;
    // Beyond the end of the file there is nothing to keep: its holes are zeros.
    std::fill(old.begin() + got.bytes, old.end(), std::byte{0});
    std::int64_t covered = 0;
    for (write_part const& p : parts_) {
      std::memcpy(old.data() + (p.offset - w.offset), p.memory.data(), p.memory.size());
      covered +=
          std::clamp<std::int64_t>(w.offset + got.bytes - p.offset, 0, static_cast<std::int64_t>(p.memory.size()));
    }
    done_.merged_bytes += got.bytes - covered;
    io_result const put = file_.write(w.offset, old);
    ++done_.write_calls;
    done_.bytes_written += put.bytes;
    return put.error;
  }

  H& file_;
  sieving prices_;
  merging how_;
  staging& space_;
  report& done_;
  std::vector<write_part> parts_;
  bool no_locks_ = false;
};

}  // namespace argosy

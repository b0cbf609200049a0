// The executor of independent plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/exchange/detail/carry_out.hpp>
#include <argosy/exchange/detail/replace_window.hpp>
#include <argosy/layout/detail/transfer.hpp>
#include <argosy/policy/detail/window_check.hpp>

namespace argosy::detail {

template <handle H>
class carrier {
 public:
  carrier(access const& wanted, H& file, memory_side& memory, merging with, staging& space,
          report& done)
      : wanted_(wanted),
        file_(file),
        memory_(memory),
        guard_(file, with, done),
        staging_(space),
        done_(done) {}

  std::error_code run(any_policy const& policy) {
    std::error_code const error = windows_of(policy), ended = guard_.end();
    return error ? error : ended;
  }

 private:
  std::error_code windows_of(any_policy const& policy) {
    if (wanted_.bytes <= 0) return {};
    if (!policy.keeps_rules()) {
      buffer_bytes_ = policy.buffer_for(wanted_);
      window_check check(policy.name(), wanted_, buffer_bytes_);
      return windows([&](std::int64_t at) {
        window const w = policy.next(wanted_, at);
        check(w, at);
        return w;
      });
    }
    // Most small accesses are one window. Then the buffer size is known, and need not be computed
    // by the policy.
    window const first = policy.next(wanted_, wanted_.position);
    bool const all = first.how == transfer_mode::merged && first.wanted == wanted_.bytes;
    buffer_bytes_ = all ? first.length : policy.buffer_for(wanted_);
    return windows(
        [&](std::int64_t at) { return at == wanted_.position ? first : policy.next(wanted_, at); });
  }

  template <class Next>
  std::error_code windows(Next&& next) {
    for (std::int64_t at = wanted_.position; at < wanted_.end();) {
      window const w = next(at);
      std::int64_t const before = done_.bytes;
      if (std::error_code const error = wanted_.kind == access_kind::read ? read(w) : write(w))
        return error;
      ++done_.windows;
      if (done_.bytes - before < w.wanted) {
        // the handle wrote less and reported no error
        if (wanted_.kind == access_kind::write) return errc::io;
        break;  // the end of the file
      }
      at += w.wanted;
    }
    return {};
  }

  // Smaller pieces of memory are gathered: a call takes longer than copying them.
  static constexpr std::int64_t least_direct_bytes = 1024;
  static constexpr std::size_t most_parts = 1024;
  static constexpr std::int64_t page_bytes = 4096;

  std::int64_t position_of(std::int64_t stream) const { return stream - wanted_.position; }
  // On many processors a kernel copy is several times slower if the target lies a few bytes behind
  // the source, both counted within their pages. So the byte at `offset` of the file gets the same
  // place within a page of the buffer.
  std::byte* buffer_for(std::int64_t offset) {
    std::byte* const memory = staging_.get(buffer_bytes_ + page_bytes);
    auto const address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory));
    return memory + ((offset - address) & (page_bytes - 1));
  }

  std::error_code read(window const& w) {
    if (w.how == transfer_mode::merged) return read_merged(w);
    if (auto const memory = direct(w); !memory.empty()) {
      io_result const got = file_.read(w.offset, memory);
      count_read(got.bytes);
      done_.bytes += got.bytes;
      return got.error;
    }
    return read_pieces(w);
  }
  std::error_code write(window const& w) {
    if (!wanted_.sorted) return write_out_of_order(w);
    auto const by_pieces = [&] { return write_unmerged(w); };
    auto const as_one = [&] { return replace(w); };
    if (w.how == transfer_mode::merged && w.holes() == 0)
      return guard_.pieces(w.offset, w.length, as_one);
    if (w.how == transfer_mode::merged && guard_.merges())
      return guard_.merge(w.offset, w.length, as_one, by_pieces);
    if (w.how == transfer_mode::merged) ++done_.fallbacks;
    return guard_.pieces(w.offset, w.length, by_pieces);
  }
  // Locks the range that is written, whatever range the policy gave for the window.
  std::error_code write_out_of_order(window const& w) {
    window const hull = window_of(wanted_, w.position, w.wanted);
    return guard_.pieces(hull.offset, hull.length, [&] { return write_unmerged(hull); });
  }
  std::error_code write_unmerged(window const& w) {
    if (auto const memory = direct(w); !memory.empty()) {
      io_result const put = file_.write(w.offset, memory);
      count_written(put.bytes);
      done_.bytes += put.bytes;
      return put.error;
    }
    return write_pieces(w);
  }
  // Returns the user's memory if memory and window are both contiguous; then no copy is needed.
  // Otherwise empty.
  std::span<std::byte> direct(window const& w) {
    if (w.length != w.wanted || (!wanted_.sorted && w.pieces > 1)) return {};
    std::span<std::byte> const memory = memory_.stretch(position_of(w.position));
    auto const size = static_cast<std::size_t>(w.wanted);
    return memory.size() < size ? std::span<std::byte>() : memory.first(size);
  }

  // --- windows that are accessed whole ---

  std::error_code read_merged(window const& w) {
    std::byte* const data = buffer_for(w.offset);
    io_result const got = file_.read(w.offset, {data, static_cast<std::size_t>(w.length)});
    count_read(got.bytes);
    // The part of the stream before the end of the file.
    std::int64_t const bytes = data_within(wanted_.file, w, got.bytes);
    if (bytes > 0)
      memory_.take(wanted_.file, moved(data, -w.offset), w.position, position_of(w.position),
                   bytes);
    done_.merged_bytes += got.bytes - bytes;
    done_.bytes += bytes;
    return got.error;
  }

  std::error_code replace(window const& w) {
    std::byte* const data = buffer_for(w.offset);
    return replace_window(file_, wanted_.file, w, {data, static_cast<std::size_t>(w.length)}, done_,
                          [&] {
                            memory_.place(wanted_.file, moved(data, -w.offset), w.position,
                                          position_of(w.position), w.wanted);
                          });
  }

  // --- windows that are accessed by pieces ---

  // Calls part(offset, memory, staged) for each part of the window: a contiguous range of the file
  // and its memory. The memory is the user's, or a place in the buffer for small pieces. Calls
  // flush() when the limit of parts is reached, the buffer is full, or the window ends.
  template <class Part, class Flush>
  std::error_code for_each_part(window const& w, Part&& part, Flush&& flush) {
    std::int64_t position = w.position, used = 0;
    std::int64_t const end = w.position + w.wanted;
    std::byte* space = nullptr;
    bool const gathers = w.how == transfer_mode::gathered;
    for (cursor at(wanted_.file, w.position); position < end;) {
      piece const p = at.current();
      std::int64_t length = std::min(p.length, end - position);
      std::span<std::byte> const direct = memory_.stretch(position_of(position));
      auto const stretch = static_cast<std::int64_t>(direct.size());
      bool const staged = stretch < (gathers ? length : std::min(length, least_direct_bytes));
      if (staged) {
        if (!space) space = buffer_for(0);
        length = std::min(length, buffer_bytes_ - used);
        part(p.offset, position,
             std::span<std::byte>(space + used, static_cast<std::size_t>(length)), true);
        used += length;
      } else {
        length = std::min(length, stretch);
        part(p.offset, position, direct.first(static_cast<std::size_t>(length)), false);
      }
      ++batch_.parts;
      batch_.bytes += length;
      // adjacent parts of the file share a call
      batch_.calls += p.offset != batch_.end;
      batch_.end = p.offset + length;
      position += length;
      if (position < end) at.advance(length);
      if (!staged) memory_.advance(length);
      bool const is_full = used == buffer_bytes_ || (batch_.parts == most_parts && !gathers);
      if (is_full || position == end) {
        bool more = true;
        std::error_code const error = flush(more);
        batch_ = {};
        if (error) return error;
        if (!more) return {};
        used = 0;
      }
    }
    return {};
  }

  std::error_code read_pieces(window const& w) {
    auto const add = [&](std::int64_t offset, std::int64_t position, std::span<std::byte> memory,
                         bool in_buffer) {
      if (in_buffer) staged_.push_back({reads_.size(), position});
      reads_.push_back({offset, memory});
    };
    auto const flush = [&](bool& more) {
      io_result const got = file_.read(reads_);
      count_read(got.bytes, batch_.calls);
      if (!staged_.empty()) scatter_staged(got.bytes);
      more = got.bytes == batch_.bytes;
      done_.bytes += got.bytes;
      reads_.clear();
      staged_.clear();
      return got.error;
    };
    return for_each_part(w, add, flush);
  }
  // Copies staged parts from the buffer to memory, up to `left` bytes of all parts.
  void scatter_staged(std::int64_t left) {
    std::size_t i = 0;
    for (auto const& [index, position] : staged_) {
      for (; i < index; ++i) left -= static_cast<std::int64_t>(reads_[i].memory.size());
      auto const length = std::min(left, static_cast<std::int64_t>(reads_[i].memory.size()));
      if (length <= 0) return;
      memory_.scatter(reads_[i].memory.data(), position_of(position),
                      position_of(position) + length);
    }
  }

  std::error_code write_pieces(window const& w) {
    auto const add = [&](std::int64_t offset, std::int64_t position, std::span<std::byte> memory,
                         bool in_buffer) {
      if (in_buffer)
        memory_.gather(position_of(position),
                       position_of(position) + static_cast<std::int64_t>(memory.size()),
                       memory.data());
      writes_.push_back({offset, memory});
    };
    auto const flush = [&](bool& more) {
      io_result const put = file_.write(writes_);
      count_written(put.bytes, batch_.calls);
      more = put.bytes == batch_.bytes;
      done_.bytes += put.bytes;
      writes_.clear();
      return put.error;
    };
    return for_each_part(w, add, flush);
  }

  void count_read(std::int64_t bytes, std::int64_t calls = 1) {
    done_.read_calls += calls;
    done_.bytes_read += bytes;
  }
  void count_written(std::int64_t bytes, std::int64_t calls = 1) {
    done_.write_calls += calls;
    done_.bytes_written += bytes;
  }

  access const& wanted_;
  H& file_;
  memory_side& memory_;
  write_guard<H> guard_;
  staging& staging_;
  std::int64_t buffer_bytes_ = 0;
  report& done_;
  // Parts that wait for their file call. The vectors are kept for the next window, to reuse their
  // memory.
  struct {
    std::size_t parts = 0;
    std::int64_t bytes = 0, calls = 0, end = -1;
  } batch_;
  struct staged_part {
    std::size_t index;
    std::int64_t position;  // position in the stream
  };
  std::vector<read_part> reads_;
  std::vector<staged_part> staged_;  // the parts that go through the buffer
  std::vector<write_part> writes_;
};

template <handle H>
std::error_code carry_out(any_policy const& policy, access const& wanted, H& file,
                          memory_side& memory, merging with, staging& space, report& done) {
  done.policy = policy.name();
  done.reason = policy.reason(wanted);
  return detail::carrier<H>(wanted, file, memory, with, space, done).run(policy);
}

}  // namespace argosy::detail

// The executor of independent plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/exchange/carry_out.hpp>

namespace argosy {
namespace detail {

template <handle H, class Memory>
class carrier {
 public:
  carrier(access const& wanted, H& file, Memory& memory, merging with, staging& space, std::int64_t buffer_bytes,
          report& done)
      : wanted_(wanted),
        file_(file),
        memory_(memory),
        with_(with),
        staging_(space),
        buffer_bytes_(buffer_bytes),
        done_(done) {}

  std::error_code run(any_policy const& policy) {
    for (std::int64_t at = wanted_.position; at < wanted_.end();) {
      window const w = policy.next(wanted_, at);
      std::int64_t const before = done_.bytes;
      if (std::error_code const error = wanted_.kind == access_kind::read ? read(w) : write(w)) return error;
      ++done_.windows;
      if (done_.bytes - before < w.wanted) break;  // the end of the file
      at += w.wanted;
    }
    return {};
  }

 private:
  // Pieces of memory below this are gathered: a call takes longer than copying them.
  static constexpr std::int64_t least_direct_bytes = 1024;
  static constexpr std::size_t most_parts = 1024;

  std::int64_t position_of(std::int64_t stream) const { return stream - wanted_.position; }
  std::byte* buffer() { return staging_.get(buffer_bytes_); }

  std::error_code read(window const& w) { return w.how == passage::merged ? read_merged(w) : read_pieces(w); }
  std::error_code write(window const& w) { return w.how == passage::merged ? write_merged(w) : write_pieces(w); }

  // --- windows as one ---

  std::error_code read_merged(window const& w) {
    io_result const got = file_.read(w.offset, {buffer(), static_cast<std::size_t>(w.length)});
    count_read(got.bytes);
    // What lies before the end of the file, counted along the stream.
    std::int64_t const bytes =
        got.bytes == w.length
            ? w.wanted
            : std::clamp<std::int64_t>(wanted_.file.bytes_before(w.offset + got.bytes) - w.position, 0, w.wanted);
    if (bytes > 0) memory_.take(at(-w.offset, wanted_.file), buffer(), w.position, position_of(w.position), bytes);
    done_.merged_bytes += got.bytes - bytes;
    done_.bytes += bytes;
    return got.error;
  }

  std::error_code write_merged(window const& w) {
    bool const lock = w.holes() > 0 && with_ == merging::locked;
    if (w.holes() > 0 && (with_ == merging::never || (lock && no_locks_))) {
      ++done_.fallbacks;
      return write_pieces(w);
    }
    if (lock) {
      std::error_code const error = file_.lock(w.offset, w.length, lock_kind::exclusive);
      if (error == errc::no_locks) {
        no_locks_ = true;
        ++done_.fallbacks;
        return write_pieces(w);
      }
      if (error) return error;
      ++done_.locks;
    }
    std::error_code error = replace(w);
    if (lock) {
      std::error_code const unlocked = file_.unlock(w.offset, w.length);
      if (!error) error = unlocked;
    }
    return error;
  }

  std::error_code replace(window const& w) {
    auto const size = static_cast<std::size_t>(w.length);
    if (w.holes() > 0) {
      io_result const got = file_.read(w.offset, {buffer(), size});
      count_read(got.bytes);
      done_.merged_bytes += w.length;
      if (got.error) return got.error;
      // Beyond the end of the file there is nothing to keep: its holes are zeros.
      std::fill(buffer() + got.bytes, buffer() + size, std::byte{0});
    }
    memory_.place(at(-w.offset, wanted_.file), buffer(), w.position, position_of(w.position), w.wanted);
    io_result const put = file_.write(w.offset, {buffer(), size});
    count_written(put.bytes);
    done_.bytes +=
        put.bytes == w.length
            ? w.wanted
            : std::clamp<std::int64_t>(wanted_.file.bytes_before(w.offset + put.bytes) - w.position, 0, w.wanted);
    return put.error;
  }

  // --- pieces by themselves ---

  // Calls part(offset, memory, staged) for each part of the window: a stretch of the file with its memory, either the
  // user's or, for small pieces, a place in the buffer; flush() when the parts or the buffer are used up.
  template <class Part, class Flush>
  std::error_code for_each_part(window const& w, Part&& part, Flush&& flush) {
    std::int64_t position = w.position, used = 0;
    std::int64_t const end = w.position + w.wanted;
    for (cursor at(wanted_.file, w.position); position < end;) {
      piece const p = at.current();
      std::int64_t length = std::min(p.length, end - position);
      std::span<std::byte> const direct = memory_.stretch(position_of(position));
      auto const stretch = static_cast<std::int64_t>(direct.size());
      bool const staged = stretch < std::min(length, least_direct_bytes);
      if (staged) {
        length = std::min(length, buffer_bytes_ - used);
        part(p.offset, position, std::span<std::byte>(buffer() + used, static_cast<std::size_t>(length)), true);
        used += length;
      } else {
        length = std::min(length, stretch);
        part(p.offset, position, direct.first(static_cast<std::size_t>(length)), false);
      }
      position += length;
      if (position < end) at.advance(length);
      if (used == buffer_bytes_ || parts_ == most_parts || position == end) {
        bool more = true;
        if (std::error_code const error = flush(more)) return error;
        if (!more) return {};
        used = 0;
        parts_ = 0;
      }
    }
    return {};
  }

  std::error_code read_pieces(window const& w) {
    std::vector<read_part> parts;
    std::vector<std::int64_t> staged;  // stream position of each part that went to the buffer, else -1
    auto const add = [&](std::int64_t offset, std::int64_t position, std::span<std::byte> memory, bool in_buffer) {
      parts.push_back({offset, memory});
      staged.push_back(in_buffer ? position : -1);
      parts_ = parts.size();
    };
    auto const flush = [&](bool& more) {
      io_result const got = file_.read(parts);
      count_read(got.bytes, calls_for(parts));
      std::int64_t left = got.bytes;
      for (std::size_t i = 0; i < parts.size() && left > 0; ++i) {
        auto const length = std::min(left, static_cast<std::int64_t>(parts[i].memory.size()));
        if (staged[i] >= 0)
          memory_.scatter(parts[i].memory.data(), position_of(staged[i]), position_of(staged[i]) + length);
        left -= length;
      }
      more = got.bytes == total(parts);
      done_.bytes += got.bytes;
      parts.clear();
      staged.clear();
      return got.error;
    };
    return for_each_part(w, add, flush);
  }

  std::error_code write_pieces(window const& w) {
    std::vector<write_part> parts;
    auto const add = [&](std::int64_t offset, std::int64_t position, std::span<std::byte> memory, bool in_buffer) {
      if (in_buffer)
        memory_.gather(position_of(position), position_of(position) + static_cast<std::int64_t>(memory.size()),
                       memory.data());
      parts.push_back({offset, memory});
      parts_ = parts.size();
    };
    auto const flush = [&](bool& more) {
      io_result const put = file_.write(parts);
      count_written(put.bytes, calls_for(parts));
      more = put.bytes == total(parts);
      done_.bytes += put.bytes;
      parts.clear();
      return put.error;
    };
    return for_each_part(w, add, flush);
  }

  template <class Part>
  static std::int64_t total(std::vector<Part> const& parts) {
    std::int64_t bytes = 0;
    for (Part const& p : parts) bytes += static_cast<std::int64_t>(p.memory.size());
    return bytes;
  }
  // Parts that follow one another in the file share a call.
  template <class Part>
  static std::int64_t calls_for(std::vector<Part> const& parts) {
    std::int64_t calls = 0, end = -1;
    for (Part const& p : parts) {
      calls += p.offset != end;
      end = p.offset + static_cast<std::int64_t>(p.memory.size());
    }
    return calls;
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
  Memory& memory_;
  merging with_;
  staging& staging_;
  std::int64_t buffer_bytes_;
  report& done_;
  std::size_t parts_ = 0;
  bool no_locks_ = false;
};

}  // namespace detail

template <handle H, class Memory>
std::error_code carry_out(any_policy const& policy, access const& wanted, H& file, Memory& memory, merging with,
                          staging& space, report& done) {
  done.policy = policy.name();
  done.reason = policy.reason(wanted);
  return detail::carrier<H, Memory>(wanted, file, memory, with, space, policy.buffer_for(wanted), done).run(policy);
}

}  // namespace argosy

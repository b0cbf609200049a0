// What is there: in memory, in the files, after a crash.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace argosy::explore {

void session::check_read(std::size_t k, int rank, record const& r, std::int64_t most_size, bool was_request) {
  std::vector<std::byte> const& now = model_[static_cast<std::size_t>(file)].bytes;
  // The end of the file when the call looked may have been anywhere in between.
  auto const before = [&](std::int64_t size) {
    std::int64_t n = 0;
    for (piece const& p : r.file) n += std::clamp<std::int64_t>(size - p.offset, 0, p.length);
    return n;
  };
  std::int64_t const shrunk = least_size_[static_cast<std::size_t>(file)];
  std::int64_t const sure = shrunk < 0 ? r.least_size : std::min(shrunk, r.least_size);
  std::int64_t const least = before(std::min(sure, static_cast<std::int64_t>(now.size()))), most = before(most_size);
  std::int64_t const got = r.told.bytes;
  if (got > r.bytes || (!r.code && (got < least || got > most)))
    wrong(k, rank,
          fmt::format("{} bytes read of {}, but {} to {} lie before the end of the file", got, r.bytes, least, most));
  // Behind what is reported memory is as before; but while the file grows, or after an error, later windows may have come.
  std::int64_t at = 0;
  std::size_t m = 0;
  std::int64_t within = 0;
  std::vector<bool> named(r.buffer.size());
  auto const was_lost = [&](std::int64_t o, std::byte value) {
    return std::any_of(losses_.begin(), losses_.end(), [&](loss const& l) {
      std::int64_t const at_loss = o - l.offset;
      return l.path == path(file) && at_loss >= 0 && at_loss < static_cast<std::int64_t>(l.lost.size()) &&
             l.lost[static_cast<std::size_t>(at_loss)] == value;
    });
  };
  auto const is_free = [&](std::int64_t o) {
    return std::any_of(anything_.begin(), anything_.end(), [&](auto const& x) { return x[0] <= o && o < x[1]; });
  };
  for (piece const& p : r.file)
    for (std::int64_t o = p.offset; o < p.end(); ++o, ++at) {
      while (within == r.memory.pieces[m].length) ++m, within = 0;
      auto const place = static_cast<std::size_t>(r.memory.pieces[m].offset + within++);
      named[place] = true;
      std::byte const value = r.buffer[place], old = byte_of(~r.key, static_cast<std::int64_t>(place));
      std::byte const there =
          o < static_cast<std::int64_t>(now.size()) ? now[static_cast<std::size_t>(o)] : std::byte{};
      // A request may have read what was lost later.
      bool const right = fits(file, o, value) || (was_request && was_lost(o, value));
      if (at < got ? !right : !(value == old || ((r.code || most > least) && right) || is_free(o)))
        wrong(k, rank,
              fmt::format("byte {} of the stream, at {} of the file, is read as {:#x}; {:#x} is there, {:#x} was in "
                          "memory ({} bytes reported{})",
                          at, o, static_cast<int>(value), static_cast<int>(there), static_cast<int>(old), got,
                          r.code ? ", with an error" : ""));
    }
  for (std::size_t i = 0; i < r.buffer.size() && r.bytes > 0; ++i)
    if (!named[i] && r.buffer[i] != byte_of(~r.key, static_cast<std::int64_t>(i)))
      wrong(k, rank, fmt::format("memory at byte {} of the buffer was touched, and is not of the data", i));
}

void session::check_files(std::size_t k) {
  for (std::size_t i = 0; i < 2; ++i) {
    stored& f = model_[i];
    std::string const name = path(static_cast<int>(i));
    if (files_.exists(name) != f.exists) {
      if (!any_died) wrong(k, -1, fmt::format("file '{}' is {}there", name, f.exists ? "not " : ""));
      f.exists = files_.exists(name);
      continue;
    }
    std::vector<std::byte> now = files_.content(name);
    bool const open_one = static_cast<int>(i) == file;
    auto const size = static_cast<std::int64_t>(now.size()), sure = static_cast<std::int64_t>(f.bytes.size());
    std::int64_t const other = open_one && maybe_size_ >= 0 ? maybe_size_ : sure;
    std::int64_t const least = least_size_[i] < 0 ? sure : least_size_[i];
    if (size < std::min({sure, other, least}) || size > std::max(sure, other))
      wrong(k, -1, fmt::format("file '{}' has {} bytes, and not {}", name, size, sure));
    if (now != f.bytes)
      for (std::int64_t o = 0; o < size; ++o) {
        std::byte const value = now[static_cast<std::size_t>(o)],
                        wanted = o < sure ? f.bytes[static_cast<std::size_t>(o)] : std::byte{};
        if (value == wanted) continue;
        if (!fits(static_cast<int>(i), o, value))
          wrong(k, -1,
                fmt::format("byte {} of file '{}' is {:#x}, and not {:#x}", o, name, static_cast<int>(value),
                            static_cast<int>(wanted)));
      }
    f.bytes = std::move(now);
  }
  std::size_t others = 0;
  for (std::string const& name : files_.names()) others += name != path(0) && name != path(1);
  bool const closed_well = steps_[k].what == op::close;
  if (closed_well && others > 0 && !any_died) wrong(k, -1, "hidden files are left behind");
}

// What a sync that succeeded has made safe.
void session::check_crash(std::size_t k) {
  std::vector<record> const& all = records_.at(k);
  if (any_died || some_done(all, false)) return;
  if (files_.after_crash(path(file), steps_[k].salt + 1) != model_[static_cast<std::size_t>(file)].bytes)
    wrong(k, -1, "a crash after a sync that succeeded loses data");
  crashes_.keep(path(file));
}

}  // namespace argosy::explore

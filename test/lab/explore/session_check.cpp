// Checks the content of memory, of files, and of files after a crash.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace argosy::explore {

using namespace extend;

void session::check_read(std::size_t k, int rank, record const& r, std::int64_t most_size,
                         bool was_request) {
  std::vector<std::byte> const& now = model_[static_cast<std::size_t>(file)].bytes;
  // While the call ran, the end of the file may have been anywhere between the two sizes.
  auto const before = [&](std::int64_t size) {
    std::int64_t n = 0;
    for (piece const& p : r.file) {
      std::int64_t const there = std::clamp<std::int64_t>(size - p.offset, 0, p.length);
      n += there;
      // if copies interleave, later pieces may lie before the end again
      if (there < p.length) break;
    }
    return n;
  };
  std::int64_t const shrunk = least_size_[static_cast<std::size_t>(file)];
  std::int64_t const sure = shrunk < 0 ? r.least_size : std::min(shrunk, r.least_size);
  std::int64_t const least = before(std::min(sure, static_cast<std::int64_t>(now.size()))),
                     most = before(most_size);
  std::int64_t const got = r.told.bytes;
  if (got > r.bytes || (!r.code && (got < least || got > most)))
    wrong(k, rank,
          fmt::format("{} bytes read of {}, but {} to {} lie before the end of the file", got,
                      r.bytes, least, most));
  // Memory behind the reported bytes must be unchanged. If the file grows, or after an error, later
  // windows may also have been read.
  std::int64_t at = 0;
  std::size_t m = 0;
  std::int64_t within = 0;
  std::vector<bool> named(r.buffer.size());
  bool const typed = converts(r.representation) && r.item != basic_type::byte;
  for (piece const& p : r.memory.pieces)
    std::fill_n(named.begin() + p.offset, r.bytes > 0 ? p.length : 0, true);
  for (std::size_t i = 0; i < r.buffer.size() && r.bytes > 0; ++i)
    if (!named[i] && r.buffer[i] != byte_of(~r.key, static_cast<std::int64_t>(i)))
      wrong(k, rank,
            fmt::format("memory at byte {} of the buffer was touched, and is not of the data", i));
  if (typed) return check_items(k, rank, r, r.code || most > least, was_request);
  for (piece const& p : r.file)
    for (std::int64_t o = p.offset; o < p.end(); ++o, ++at) {
      while (within == r.memory.pieces[m].length) ++m, within = 0;
      auto const place = static_cast<std::size_t>(r.memory.pieces[m].offset + within++);
      std::byte const value = r.buffer[place],
                      old = byte_of(~r.key, static_cast<std::int64_t>(place));
      std::byte const there = o < static_cast<std::int64_t>(now.size())
                                  ? now[static_cast<std::size_t>(o)]
                                  : std::byte{};
      // A request may have read bytes that were lost later.
      bool const right = fits(file, o, value) || (was_request && was_lost(o, value));
      if (at < got ? !right : !(value == old || ((r.code || most > least) && right) || is_free(o)))
        wrong(k, rank,
              fmt::format("byte {} of the stream, at {} of the file, is read as {:#x}; {:#x} is "
                          "there, {:#x} was in "
                          "memory ({} bytes reported{})",
                          at, o, static_cast<int>(value), static_cast<int>(there),
                          static_cast<int>(old), got, r.code ? ", with an error" : ""));
    }
}

bool session::was_lost(std::int64_t offset, std::byte value) const {
  return std::any_of(losses_.begin(), losses_.end(), [&](loss const& l) {
    std::int64_t const at_loss = offset - l.offset;
    return l.path == path(file) && at_loss >= 0 &&
           at_loss < static_cast<std::int64_t>(l.lost.size()) &&
           l.lost[static_cast<std::size_t>(at_loss)] == value;
  });
}

// Checks converted items: if the item in memory is encoded, the result must be in the file.
void session::check_items(std::size_t k, int rank, record const& r, bool growing,
                          bool was_request) {
  std::vector<std::byte> const& now = model_[static_cast<std::size_t>(file)].bytes;
  auto const f = static_cast<std::size_t>(file_bytes_of(r.representation, r.item)),
             m = static_cast<std::size_t>(memory_bytes_of(r.item));
  std::vector<std::int64_t> places, memory;
  for (piece const& p : r.file)
    for (std::int64_t o = p.offset; o < p.end(); ++o) places.push_back(o);
  for (piece const& p : r.memory.pieces)
    for (std::int64_t i = 0; i < p.length; ++i) memory.push_back(p.offset + i);
  std::vector<std::byte> there(f), back(f), value(m), again(m);
  auto const got = static_cast<std::size_t>(r.told.bytes);
  bool has_wrong = false, may_have_wrong = false;
  for (std::size_t i = 0; (i + 1) * f <= places.size(); ++i) {
    bool untouched = true, right = true, sure = true, free = false;
    for (std::size_t j = 0; j < m; ++j) {
      auto const place = static_cast<std::size_t>(memory[i * m + j]);
      value[j] = r.buffer[place];
      untouched = untouched && value[j] == byte_of(~r.key, static_cast<std::int64_t>(place));
    }
    encode(r.representation, r.item, value.data(), back.data());
    decode(r.representation, r.item, back.data(), again.data());
    right = again == value;
    for (std::size_t j = 0; j < f; ++j) {
      std::int64_t const o = places[i * f + j];
      there[j] = o < static_cast<std::int64_t>(now.size()) ? now[static_cast<std::size_t>(o)]
                                                           : std::byte{};
      sure = sure && is_sure(o);
      free = free || is_free(o);
      right = right && (fits(file, o, back[j]) || (was_request && was_lost(o, back[j])));
    }
    bool const came = (i + 1) * f <= got, is_bad = is_wrong(r.representation, r.item, there.data());
    has_wrong = has_wrong || (came && sure && is_bad);
    may_have_wrong =
        may_have_wrong || is_bad || !sure || is_wrong(r.representation, r.item, back.data());
    if (came ? !right && !(is_bad || free) : !(untouched || (growing && right) || free || is_bad))
      wrong(
          k, rank,
          fmt::format(
              "item {} of the data, at {} of the file, is not as it is there ({} bytes reported{})",
              i, places[i * f], r.told.bytes, r.code ? ", with an error" : ""));
  }
  if (!r.code && has_wrong && !was_request)
    wrong(k, rank, "success, although an item in the file does not fit");
  if (r.code == errc::conversion && !r.must_fail && !r.threw && !may_have_wrong &&
      !explains(pool_of(rank).pool, r.code) && !explains(r.seen, r.code))
    wrong(k, rank, "told that an item does not fit, but all do");
}

void session::check_files(std::size_t k) {
  for (std::size_t i = 0; i < 2; ++i) {
    stored& f = model_[i];
    std::string const name = path(static_cast<int>(i));
    if (files_.exists(name) != f.exists) {
      if (!any_died)
        wrong(k, -1, fmt::format("file '{}' is {}there", name, f.exists ? "not " : ""));
      f.exists = files_.exists(name);
      continue;
    }
    std::vector<std::byte> now = files_.content(name);
    bool const open_one = static_cast<int>(i) == file;
    auto const size = static_cast<std::int64_t>(now.size()),
               sure = static_cast<std::int64_t>(f.bytes.size());
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
                fmt::format("byte {} of file '{}' is {:#x}, and not {:#x}", o, name,
                            static_cast<int>(value), static_cast<int>(wanted)));
      }
    f.bytes = std::move(now);
  }
  std::size_t others = 0;
  for (std::string const& name : files_.names()) others += name != path(0) && name != path(1);
  bool const closed_well = steps_[k].what == op::close && !other_.is_open;
  if (closed_well && others > 0 && !any_died) wrong(k, -1, "hidden files are left behind");
}

// Checks that data is on disk after a sync that succeeded.
void session::check_crash(std::size_t k) {
  std::vector<record> const& all = records_.at(k);
  if (any_died || some_done(all, false)) return;
  if (files_.after_crash(path(file), steps_[k].salt + 1) !=
      model_[static_cast<std::size_t>(file)].bytes)
    wrong(k, -1, "a crash after a sync that succeeded loses data");
  crashes_.keep(path(file));
}

}  // namespace argosy::explore

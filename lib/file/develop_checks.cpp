// Implements file/detail/protocol/develop_checks.hpp: checks whether two ranks write to one place.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/protocol/develop_checks.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include <argosy/layout/cursor.hpp>
#include <argosy/layout/serialize.hpp>

namespace argosy::detail {

void tell_of_holes(open_file const& file, used_view const& next, source_location const& where) {
  std::string const words = next.words_of_holes();
  if (words.empty() || file.rank() != 0) return;
  std::string const line = "set_view of '" + file.path() + "' at " + where.file_name() + ":" +
                           std::to_string(where.line()) + words;
  file.remark(line);
  std::fprintf(stderr, "argosy: %s\n", line.c_str());
}

void tell_of_parts(open_file const& file, view const& v, call const& c, std::int64_t bytes) {
  std::int64_t const whole = v.filetype().size();
  std::string const line = std::string(c.name()) + " of '" + file.path() + "' at " +
                           c.where().file_name() + ":" + std::to_string(c.where().line()) + ": ";
  if (whole > 0 && bytes % whole != 0)
    file.remark(line + "the data has " + std::to_string(bytes) +
                " bytes in the file, no whole number of filetypes of " + std::to_string(whole));
  bool const not_its_part = v.array_sizes().size() > 0 && file.in_use().last().was_collective() &&
                            bytes > 0 && bytes != whole;
  if (!not_its_part || !file.seen_by().tells_of_parts()) return;
  std::fprintf(stderr,
               "argosy: %srank %d brings %lld bytes, and its part of the array is %lld: does the "
               "program deal the array out as "
               "the filetype does? (block gives all ranks as much as the first, and the last ones "
               "the rest; subarray takes any "
               "division.) Told once.\n",
               line.c_str(), file.rank(), static_cast<long long>(bytes),
               static_cast<long long>(whole));
}

namespace {

// Returns true if the serialised form may fit: each piece needs at least some bytes.
bool is_short(layout const& l, std::size_t most_bytes) {
  std::size_t pieces = 0;
  for (piece_table const& t : l.tables()) pieces += t.size();
  return pieces + l.nodes().size() < most_bytes;
}

}  // namespace

written_note note_of_write(open_file const& file, job const& t) {
  written_note note;
  if (t.bytes == 0 || !t.where->sorted || !is_short(t.where->view.stream(), note.stream.size()))
    return note;
  access_summary const all = file.summary_of(t);
  note.low = all.low;
  note.high = all.high;
  note.position = t.position;
  note.bytes = t.bytes;
  std::vector<std::byte> const stream = serialize(t.where->view.stream());
  if (stream.size() > note.stream.size()) return note;
  note.length = static_cast<std::int64_t>(stream.size());
  std::copy(stream.begin(), stream.end(), note.stream.begin());
  return note;
}

std::optional<std::int64_t> common_byte(written_note const& a, written_note const& b) {
  constexpr int most_steps = 1 << 15;
  if (std::max(a.low, b.low) >= std::min(a.high, b.high) || a.length == 0 || b.length == 0)
    return {};
  auto const stream = [](written_note const& n) {
    return deserialize(std::span(n.stream).first(static_cast<std::size_t>(n.length)));
  };
  layout const first = stream(a), second = stream(b);
  cursor x(first, a.position), y(second, b.position);
  auto const piece_of = [](cursor const& c, written_note const& n) {
    piece p = c.current();
    p.length = std::min(p.length, n.position + n.bytes - c.position());
    return p;
  };
  auto const ended = [](cursor const& c, written_note const& n) {
    return c.done() || c.position() >= n.position + n.bytes;
  };
  // The cursor that is behind jumps to the position of the other one.
  for (int i = 0; i < most_steps && !ended(x, a) && !ended(y, b); ++i) {
    piece const p = piece_of(x, a), q = piece_of(y, b);
    if (p.end() <= q.offset)
      x.seek_offset(q.offset);
    else if (q.end() <= p.offset)
      y.seek_offset(p.offset);
    else
      return std::max(p.offset, q.offset);
  }
  return {};
}

}  // namespace argosy::detail

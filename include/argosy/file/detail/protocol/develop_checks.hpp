// Checks of develop mode for mistakes that several ranks make together: parts of different arrays,
// and data that several ranks write to one place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <argosy/agree/detail/mismatch.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/error/source_location.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/view/view.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::detail {

// A note of what a rank writes in a call. It is small, because every rank gets the notes of all
// ranks.
struct written_note {
  std::int64_t low = 0, high = 0;  // the hull; empty if nothing is written
  std::int64_t position = 0, bytes = 0;
  std::int64_t length = 0;  // length of the serialised stream; 0: it is too long
  std::array<std::byte, 1000> stream = {};
};
// Reports holes in the view, on rank 0, on standard error and in the trace.
void tell_of_holes(open_file const& file, used_view const& next, source_location const& where);
// Reports data that is no whole number of filetypes, in the trace. For a collective write whose
// data is not exactly this rank's part of an array, also reports it once on standard error. The
// program may distribute the array in another way than the filetype does.
void tell_of_parts(open_file const& file, view const& v, call const& c, std::int64_t bytes);

written_note note_of_write(open_file const& file, job const& t);
// Returns a byte that both ranks write. Nothing if there is none, or if the search would take too
// long. O(pieces), at most a few 10,000.
std::optional<std::int64_t> common_byte(written_note const& a, written_note const& b);

// Checks that filetypes agree if they are parts of arrays with the same first byte and number of
// dimensions: the arrays must have equal sizes. Returns nothing on all ranks if they do. Otherwise
// the lowest rank of the minority returns the failure and the other ranks return none, so the
// message names that rank. Collective. Costs one gathering.
template <agreeing World>
std::optional<failure> compare_arrays(World const& world, view const& mine,
                                      source_location const& where) {
  given_note note;
  if (mine.array_sizes().size() > 0) {
    std::string text;
    for (std::int64_t n : mine.array_sizes())
      text += (text.empty() ? "" : " x ") + std::to_string(n);
    note = given_note({}, where);
    note.text.set(text + ", " + std::to_string(mine.filetype().extent()) + " bytes");
    note.number = mine.displacement();
    note.asked = static_cast<std::int64_t>(mine.array_sizes().size());  // number of dimensions
    note.hash = fingerprint(std::string(note.text.get()) + " at " + std::to_string(note.number));
  }
  auto groups = groups_of(world, note);
  std::erase_if(groups, [](like_minded const& g) { return g.note.text.get().empty(); });
  given_note const most = groups.empty() ? note : groups.back().note;
  std::erase_if(groups, [&](like_minded const& g) {
    return g.note.number != most.number || g.note.asked != most.asked;
  });
  if (groups.size() < 2) return {};
  like_minded const &odd = groups.front(), &others = groups.back();
  if (world.rank() != odd.ranks.front()) return failure();
  return failure{errc::not_same,
                 "the global sizes of the array differ: " + std::string(odd.note.text.get()) +
                     " on " + odd.words(false) + " (" + odd.note.place() + "), " +
                     std::string(most.text.get()) + " on " + others.words(true)};
}

// Every rank gets a kilobyte from each other rank. With more ranks than this, writes are not
// compared.
constexpr int most_compared_writers = 256;

// Checks that no byte is written by two ranks in one call: it would be chance which data stays.
// Collective. Costs one gathering.
template <agreeing World>
failure compare_writes(World const& world, open_file const& file, job const& t) {
  if (world.size() > most_compared_writers) return {};
  written_note const mine = note_of_write(file, t);
  std::vector<written_note> all(static_cast<std::size_t>(world.size()), mine);
  world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  auto const me = static_cast<std::size_t>(world.rank());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r == me) continue;
    if (auto const byte = common_byte(mine, all[r]))
      return {errc::argument,
              "ranks " + std::to_string(std::min(r, me)) + " and " +
                  std::to_string(std::max(r, me)) + " both write byte " + std::to_string(*byte) +
                  " of the file; found in develop mode, in other modes one of them would win"};
  }
  return {};
}

}  // namespace argosy::detail

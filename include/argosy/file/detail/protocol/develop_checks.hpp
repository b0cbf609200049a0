// Mistakes of several ranks together, which develop mode looks for: arrays that are not one, data
// that ranks write to one place.
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

// What a rank writes in a call: small, since every rank sees that of every other.
struct written_note {
  std::int64_t low = 0, high = 0;  // the hull; empty if nothing is written
  std::int64_t position = 0, bytes = 0;
  std::int64_t length = 0;  // of the serialised stream; 0: it is too long to be told
  std::array<std::byte, 1000> stream = {};
};
// On rank 0, on standard error and in the trace.
void tell_of_holes(open_file const& file, used_view const& next, source_location const& where);
// Data that is no whole number of filetypes, in the trace; and once, on standard error, that of a
// collective write which is not this rank's part of an array, all of it and no more: the program
// may deal the array out in another way than the filetype does.
void tell_of_parts(open_file const& file, call const& c, std::int64_t bytes);

written_note note_of_write(open_file const& file, job const& t);
// Some byte that both write; none if there is none, or if it would take too long to know.
// O(pieces), at most a few 10,000.
std::optional<std::int64_t> common_byte(written_note const& a, written_note const& b);

// Of ranks whose filetypes are parts of an array that begins at the same byte with as many
// dimensions: their sizes are equal. Nothing if they are, on all ranks; else the lowest rank of the
// minority brings the failure, and the others bring none: so it is the one that is named.
// Collective: one gathering.
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
    note.asked = static_cast<std::int64_t>(mine.array_sizes().size());  // the dimensions
    note.hash = fingerprint(std::string(note.text.get()) + " at " + std::to_string(note.number));
  }
  auto groups = groups_of(world, note);
  std::erase_if(groups, [](like_minded const& g) { return g.note.text.get().empty(); });
  if (groups.size() < 2) return {};
  given_note const most = groups.back().note;
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

// A rank sees the notes of all, a kilobyte each: among more ranks than these they are not compared.
constexpr int most_compared_writers = 256;

// Ranks write no byte twice in one call: which of them wins would be chance. Collective: one
// gathering.
template <agreeing World>
failure compare_writes(World const& world, open_file const& file, job const& t) {
  if (world.size() > most_compared_writers) return {};
  written_note const mine = note_of_write(file, t);
  std::vector<written_note> all(static_cast<std::size_t>(world.size()), mine);
  world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  auto const me = static_cast<std::size_t>(world.rank());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r == me) continue;
    auto const byte = common_byte(mine, all[r]);
    if (!byte) continue;
    return {errc::argument,
            "ranks " + std::to_string(std::min(r, me)) + " and " + std::to_string(std::max(r, me)) +
                " both write byte " + std::to_string(*byte) +
                " of the file; found in develop mode, in other modes one of them would win"};
  }
  return {};
}

}  // namespace argosy::detail

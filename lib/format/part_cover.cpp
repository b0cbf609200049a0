// Implements format/detail/part_cover.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/part_cover.hpp>

#include <string>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/format/detail/checksums.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/detail/counted.hpp>

namespace argosy::detail {

failure part_cover::fault(std::int64_t array_bytes) const {
  std::uint64_t const sum_high = high + (low >> 32), sum_low = low & 0xffff'ffff;
  auto const bytes = static_cast<std::uint64_t>(array_bytes);
  bool const more =
      sum_high > bytes >> 32 || (sum_high == bytes >> 32 && sum_low > (bytes & 0xffff'ffff));
  bool const same = sum_high == bytes >> 32 && sum_low == (bytes & 0xffff'ffff);
  constexpr char const* remedy =
      "let each element be in the part of a rank; to write slices one after the other, create the "
      "file with parts that cover it, close it, and open it with mode::read_write for each slice";
  if (!same && !more)
    return {errc::datatype,
            "the parts of the ranks leave elements out (they have " +
                std::to_string(sum_high << 32 | sum_low) + " of its " +
                counted(array_bytes, "byte") + ")",
            remedy};
  if (same && develop && !block_part{.cover = hash}.covers(array_bytes))
    return {errc::datatype, "parts of ranks overlap, and leave other elements out", remedy};
  return {};
}

part_cover cover_of(layout const& filetype, bool develop) {
  auto const bytes = static_cast<std::uint64_t>(filetype.size());
  return {.high = bytes >> 32, .low = bytes & 0xffff'ffff, .develop = develop ? 1 : 0};
}

part_cover exact_cover_of(layout const& filetype) {
  part_cover all;
  for (cursor c(filetype); !c.done();) {
    piece const p = c.current();
    all.hash += cover_of_piece(p.offset, p.offset + p.length);
    c.advance(p.length);
  }
  return all;
}

bool develops(hints const& given) {
  return wants_develop(file_hints(environment_hints(), {}, given, overriding_hints()));
}

}  // namespace argosy::detail

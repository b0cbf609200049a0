// Function bodies of view that are not templates: its construction from two layouts, and its
// queries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/view/view.hpp>

namespace argosy {
namespace detail {

// Repeats the filetype as often as sizes and the ends of its bytes stay below 2^63. The bounds of
// the result are those of its bytes, since those of the last copy may lie beyond. If the last piece
// of a table joins the next copy, and there are at least a million copies, the last copy is not
// whole. No file reaches that copy, and this saves as much memory as the table takes.
inline layout tiles(std::int64_t displacement, layout const& filetype) {
  if (filetype.empty()) return {};
  std::int64_t const most = std::numeric_limits<std::int64_t>::max(), extent = filetype.extent();
  std::int64_t const room = most - displacement - filetype.true_upper_bound();
  std::int64_t count = most / filetype.size();
  if (extent != 0) count = std::min(count, room < 0 ? 1 : room / extent + 1);
  bool const whole = count < (1 << 20);
  layout const one = resized(filetype, filetype.true_lower_bound(), filetype.true_extent());
  return at(displacement, copies(count, extent, one, whole));
}

}  // namespace detail

ARGOSY_ONCE void view::make(layout etype, layout filetype, extend::stream_types types) {
  etype_ = std::move(etype);
  filetype_ = std::move(filetype);
  etype_types_ = std::move(types);
  if (displacement_ < 0)
    throw invalid_layout("argosy::view: the displacement is " + std::to_string(displacement_) +
                         "; give 0 or more, in bytes from the start of the file");
  // MPI libraries do not allow filetypes of fractions of etypes either.
  uneven_ =
      detail::check_filetype(etype_, filetype_, false) == detail::filetype_fault::not_etypes &&
      filetype_.size() % etype_.size() == 0;
  if (!uneven_) detail::require_filetype(etype_, filetype_, false);
  stream_ = detail::tiles(displacement_, filetype_);
  if (uneven_) detail::throw_filetype(detail::filetype_fault::not_etypes, etype_, filetype_);
}

// Checks that a filetype is made of whole etypes (MPI 3.1, 13.3). Bytes fit everything.
ARGOSY_ONCE void view::compare_types(extend::signature const& etype,
                                     extend::signature const& filetype) {
  bool const converts = representation_.converts();
  detail::type_digest const wanted(etype, converts), given(filetype, converts);
  if (wanted.is_bytes() || given.is_bytes() || etype_.empty()) return;
  if (!given.repeats(wanted, filetype_.size() / etype_.size()))
    types_fault_ = "the filetype is of other types (" + to_string(filetype) + ") than the etype (" +
                   to_string(etype) + ")";
}

ARGOSY_ONCE view view::lenient() const {
  view v(*this);
  if (v.uneven_) v.fault_ = {};
  return v;
}

ARGOSY_ONCE view view::first_copy() const {
  view v(whole());
  v.stream_ = at(displacement_, filetype_);
  v.one_copy_ = true;
  return v;
}

ARGOSY_ONCE std::int64_t view::offset_of_end(std::int64_t file_size) const {
  if (stream_.empty()) return 0;
  // Offsets never decrease within a tile, so its etypes are sorted by their starts. Those of all
  // tiles are sorted, too, unless tiles interleave. This uses the cursor, not bytes_before, because
  // a view for reading may name bytes twice.
  std::int64_t low = 0, high = stream_.size() / etype_.size();
  if (std::int64_t const of_tile = filetype_.size() / etype_.size();
      filetype_.true_extent() > filetype_.extent() && of_tile > 0) {
    std::int64_t const last =
        extend::cursor(stream_, (of_tile - 1) * etype_.size()).current().offset;
    if (filetype_.extent() == 0 && last < file_size) return high;
    // The first tile with an etype that starts there is the first tile whose last etype does.
    if (last < file_size) low = ((file_size - last - 1) / filetype_.extent() + 1) * of_tile;
    if (low >= high) return high;
    high = std::min(high, low + of_tile - 1);
  }
  while (low < high) {
    std::int64_t const middle = low + (high - low) / 2;
    if (extend::cursor(stream_, middle * etype_.size()).current().offset >= file_size)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace argosy

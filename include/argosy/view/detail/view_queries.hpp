// Bodies of view that are no templates: what makes one of two layouts, and what is asked of it.
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
// the result are those of its bytes, since those of the last copy may lie beyond. A table whose
// last piece joins the next copy, repeated a million times and more, is not whole in its last copy,
// which no file reaches: that saves as much memory as the table takes.
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

ARGOSY_ONCE void view::make(layout etype, layout filetype, stream_types types) {
  etype_ = std::move(etype);
  filetype_ = std::move(filetype);
  etype_types_ = std::move(types);
  if (displacement_ < 0)
    throw invalid_layout("argosy::view: the displacement is " + std::to_string(displacement_) +
                         "; give 0 or more, in bytes from the start of the file");
  // Filetypes of fractions of etypes are nowhere allowed.
  uneven_ =
      detail::check_filetype(etype_, filetype_, false) == detail::filetype_fault::not_etypes &&
      filetype_.size() % etype_.size() == 0;
  if (!uneven_) detail::require_filetype(etype_, filetype_, false);
  stream_ = detail::tiles(displacement_, filetype_);
  if (uneven_) detail::throw_filetype(detail::filetype_fault::not_etypes, etype_, filetype_);
}

// MPI 3.1, 13.3: a filetype is made of whole etypes. Bytes fit everything.
ARGOSY_ONCE void view::compare_types(signature const& etype, signature const& filetype) {
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
  // Offsets never decrease within a tile, so its etypes are sorted by where they start; those of
  // all tiles are, unless they interleave. Uses the cursor, not bytes_before, because a view for
  // reading may name bytes twice.
  std::int64_t low = 0, high = stream_.size() / etype_.size();
  if (std::int64_t const of_tile = filetype_.size() / etype_.size();
      filetype_.true_extent() > filetype_.extent() && of_tile > 0) {
    std::int64_t const last = cursor(stream_, (of_tile - 1) * etype_.size()).current().offset;
    if (filetype_.extent() == 0 && last < file_size) return high;
    // The first tile with an etype that starts there is the first whose last one does.
    if (last < file_size) low = ((file_size - last - 1) / filetype_.extent() + 1) * of_tile;
    if (low >= high) return high;
    high = std::min(high, low + of_tile - 1);
  }
  while (low < high) {
    std::int64_t const middle = low + (high - low) / 2;
    if (cursor(stream_, middle * etype_.size()).current().offset >= file_size)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace argosy

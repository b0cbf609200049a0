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

// Repeats the filetype as often as sizes and offsets stay below 2^63. Two extents are left free, because walking a layout
// looks at the place of the next copy. Nobody gets to the last copy of a table, so it need not be whole: less memory.
inline layout tiles(std::int64_t displacement, layout const& filetype) {
  if (filetype.empty()) return {};
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  std::int64_t const room = most - displacement - std::max(filetype.upper_bound(), filetype.true_upper_bound());
  std::int64_t const all = most / filetype.size();
  std::int64_t const count = filetype.extent() == 0 ? all : std::min(room / filetype.extent() - 1, all);
  return at(displacement, copies(std::max<std::int64_t>(count, 1), filetype.extent(), filetype, false));
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
  uneven_ = detail::check_filetype(etype_, filetype_, false) == detail::filetype_fault::not_etypes &&
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
    types_fault_ =
        "the filetype is of other types (" + to_string(filetype) + ") than the etype (" + to_string(etype) + ")";
}

ARGOSY_ONCE view view::lenient(bool for_writing) const {
  view v(*this);
  if (v.uneven_) v.fault_ = {};
  if (!v.fault_ && for_writing &&
      detail::check_filetype(etype_, filetype_, true) == detail::filetype_fault::tiles_overlap) {
    v.stream_ = at(displacement_, filetype_);
    v.one_copy_ = true;
  }
  return v;
}

ARGOSY_ONCE std::int64_t view::offset_of_end(std::int64_t file_size) const {
  if (stream_.empty()) return 0;
  // Offsets never decrease within a tile, so its etypes are sorted by where they start; those of all tiles are, unless they interleave.
  // Uses the cursor, not bytes_before, because a view for reading may name bytes twice.
  std::int64_t low = 0, high = stream_.size() / etype_.size();
  if (std::int64_t const of_tile = filetype_.size() / etype_.size();
      filetype_.true_extent() > filetype_.extent() && of_tile > 0) {
    std::int64_t const last = cursor(stream_, (of_tile - 1) * etype_.size()).current().offset;
    if (filetype_.extent() == 0 && last < file_size) return high;
    // The first tile with an etype that starts there is the first whose last one does.
    if (last < file_size) low = (file_size - last + filetype_.extent() - 1) / filetype_.extent() * of_tile;
    if (low >= high) return high;
    high = low + of_tile - 1;
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

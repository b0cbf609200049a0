// Function bodies of view that only programs need: the comparison of types, and queries.
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

[[noreturn]] ARGOSY_ONCE void detail::throw_displacement(std::int64_t displacement) {
  throw invalid_layout("argosy::view: the displacement is " + std::to_string(displacement) +
                       "; give 0 or more, in bytes from the start of the file");
}

ARGOSY_ONCE void view::say_types(extend::signature const& etype,
                                 extend::signature const& filetype) {
  types_fault_ = detail::run_time_only("the filetype is of other types (" + to_string(filetype) +
                                       ") than the etype (" + to_string(etype) + ")");
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

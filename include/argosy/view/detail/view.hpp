// Bodies of view.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <argosy/view/view.hpp>

namespace argosy {
namespace detail {

// Repeats the filetype as often as sizes and offsets stay below 2^63. Two extents are left free, because walking a layout
// looks at the place of the next copy.
inline layout tiles(std::int64_t displacement, layout const& filetype) {
  if (filetype.empty()) return {};
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  std::int64_t const room = most - displacement - std::max(filetype.upper_bound(), filetype.true_upper_bound());
  std::int64_t const count = std::min(room / filetype.extent() - 1, most / filetype.size());
  return at(displacement, repeat(std::max<std::int64_t>(count, 1), filetype.extent(), filetype));
}

// The datatype at the core of others: what a user would call the elements.
template <datatype D>
constexpr decltype(auto) core_of(D const& type) {
  if constexpr (typed_copies<D>)
    return core_of(type.old());
  else
    return (type);
}

}  // namespace detail

inline view::view(made, std::int64_t displacement, layout etype, layout filetype, signature types,
                  argosy::representation r)
    : displacement_(displacement),
      etype_(std::move(etype)),
      filetype_(std::move(filetype)),
      representation_(std::move(r)),
      etype_types_(std::move(types)) {
  if (displacement < 0)
    throw invalid_layout("argosy::view: the displacement is " + std::to_string(displacement) +
                         "; give 0 or more, in bytes from the start of the file");
  require_filetype(etype_, filetype_, false);
  stream_ = detail::tiles(displacement, filetype_);
}

template <datatype Filetype>
view::view(made, std::int64_t displacement, Filetype const& type, layout filetype, argosy::representation r)
    : view([&] {
        auto const& core = detail::core_of(type);
        layout etype = file_form(core, r);
        bool const divides = check_filetype(etype, filetype, false) == filetype_fault::no_fault;
        return view(made{}, displacement, divides ? std::move(etype) : bytes(1), filetype,
                    divides ? signature_of(core) : signature(basic::byte), r);
      }()) {}

inline std::int64_t view::offset_of_end(std::int64_t file_size) const {
  if (stream_.empty()) return 0;
  // Offsets never decrease, so the etypes are sorted by where they start. Uses the cursor, not bytes_before, because a view
  // for reading may name bytes twice.
  std::int64_t low = 0, high = stream_.size() / etype_.size();
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

// The texts of errors about views.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/filetype.hpp>

namespace argosy::detail {

[[noreturn]] ARGOSY_ONCE void throw_filetype(filetype_fault fault, layout const& etype,
                                             layout const& filetype) {
  auto const bounds = [](layout const& l) {
    return "size " + std::to_string(l.size()) + ", bytes [" + std::to_string(l.true_lower_bound()) +
           ", " + std::to_string(l.true_upper_bound()) + "), bounds [" +
           std::to_string(l.lower_bound()) + ", " + std::to_string(l.upper_bound()) + ")";
  };
  auto const e = " (etype: " + bounds(etype) + ")", f = " (filetype: " + bounds(filetype) + ")";
  using enum filetype_fault;
  std::string what = "argosy::require_filetype: ";
  switch (fault) {
    case no_fault:
      break;
    case etype_empty:
      what += "the etype has no bytes" + e + "; choose one that holds data";
      break;
    case etype_bounds:
      what += "the etype has a negative displacement" + e + "; move it up";
      break;
    case etype_order:
      what += "the displacements of the etype decrease" + e +
              "; list its parts in the order of the file";
      break;
    case etype_overlap:
      what += "the etype names a byte twice" + e +
              "; open the file for reading only, or make its parts disjoint";
      break;
    case negative:
      what += "the filetype has a negative displacement or extent" + f +
              "; move it up and use the displacement of the view";
      break;
    case decreasing:
      what += "the displacements of the filetype decrease" + f +
              "; list its parts in the order of the file (a memory type may have any order)";
      break;
    case overlap:
      what += "the filetype names a byte twice, so it cannot be written" + f +
              "; make its parts disjoint, or open the file for reading only";
      break;
    case tiles_overlap:
      what +=
          "the extent of the filetype is smaller than its data, and its copies overlap, so it "
          "cannot be written" +
          f +
          "; give it the extent of the whole tile with io::resized, or open the file for reading "
          "only";
      break;
    case not_etypes:
      what += "the etype does not divide the filetype" + e + f +
              "; offsets count etypes; build the filetype of whole ones (holes, too), or give "
              "set_view both, as in "
              "{io::bytes(1), filetype}, and count bytes; or give the hint argosy_lenient";
      break;
    case other_types:
      what += "the items of the filetype are of other types than those of the etype" + e + f +
              "; give the etype of the data";
      break;
  }
  throw invalid_layout(what);
}

}  // namespace argosy::detail

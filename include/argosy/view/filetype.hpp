// MPI's rules for the etype and filetype of a view (MPI 3.1, section 13.3), at run time and at
// compile time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <argosy/datatype/datatype.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace detail {

enum class filetype_fault {
  no_fault,
  etype_empty,    // an etype without bytes
  etype_bounds,   // a negative displacement in the etype
  etype_order,    // decreasing displacements in the etype
  etype_overlap,  // bytes named twice in the etype, for writing
  negative,       // a negative displacement or extent in the filetype
  decreasing,     // decreasing displacements in the filetype
  overlap,        // bytes named twice in the filetype, for writing
  tiles_overlap,  // copies of the filetype name bytes twice, for writing
  not_etypes,     // sizes, gaps or extent are not whole etypes
};

// Returns the first rule that the pair breaks as a view. O(nodes), except for irregular layouts
// with interleaved pieces.
constexpr filetype_fault check_filetype(layout const& etype, layout const& filetype, bool writable);

// Throws invalid_layout for the fault.
[[noreturn]] void throw_filetype(filetype_fault fault, layout const& etype, layout const& filetype);

// Throws invalid_layout if the pair breaks a rule; the exception names the rule, the numbers and
// the remedy. Local.
template <datatype Etype, datatype Filetype>
constexpr void require_filetype(Etype const& etype, Filetype const& filetype, bool writable) {
  auto const& e = form_of(etype);
  auto const& f = form_of(filetype);
  auto const fault = check_filetype(e, f, writable);
  if (fault != filetype_fault::no_fault) detail::throw_filetype(fault, e, f);
}

enum class view_use { read_only, writable };

// The numbers of the rule that a filetype breaks, for the compiler to print.
struct broken_rule {
  filetype_fault fault = filetype_fault::no_fault;
  std::int64_t etype_bytes = 0, filetype_bytes = 0, filetype_extent = 0;
  std::int64_t offset = 0, next_offset = 0;  // the lowest, or of two pieces in decreasing order
};

constexpr broken_rule broken_by(layout const& etype, layout const& filetype, bool writable) {
  broken_rule b{check_filetype(etype, filetype, writable), etype.size(), filetype.size(),
                filetype.extent()};
  if (b.fault != filetype_fault::decreasing) {
    b.offset = b.next_offset = filetype.true_lower_bound();
    return b;
  }
  for (cursor at(filetype); !at.done(); b.offset = b.next_offset) {
    b.next_offset = at.current().offset;
    if (at.position() > 0 && b.next_offset < b.offset) break;
    at.next();
  }
  return b;
}

// Does not compile if there is a fault. The compiler prints the numbers with the template.
template <filetype_fault Fault, std::int64_t EtypeBytes, std::int64_t FiletypeBytes,
          std::int64_t FiletypeExtent, std::int64_t Offset, std::int64_t NextOffset>
consteval void require_no_fault() {
  constexpr auto fault = Fault;
  using enum filetype_fault;
  static_assert(
      fault != etype_empty,
      "argosy: the etype has no bytes; choose one that holds data, such as io::type<double>");
  static_assert(fault != etype_bounds && fault != etype_order && fault != etype_overlap,
                "argosy: the etype must not have negative, decreasing or overlapping "
                "displacements; use io::resized or "
                "list its parts in the order of the file");
  static_assert(
      fault != negative,
      "argosy: the filetype has a negative displacement or extent; move it up and use the "
      "displacement of the view");
  static_assert(
      fault != decreasing,
      "argosy: the displacements of the filetype decrease; list its parts in the order of "
      "the file (a memory type may have any order)");
  static_assert(fault != overlap,
                "argosy: the filetype names a byte twice, so it cannot be written; make its parts "
                "disjoint, or use view_use::read_only");
  static_assert(
      fault != tiles_overlap,
      "argosy: the filetype's extent is smaller than its data, and its copies overlap, so that it "
      "cannot be written; give it the extent of the whole tile with io::resized");
  static_assert(
      fault != not_etypes,
      "argosy: the etype does not divide the filetype; build the filetype of whole etypes, "
      "or choose a smaller etype");
}

// Checks static datatypes at compile time. A broken rule is a compile error that names the type:
//   io::detail::static_require_filetype(io::type<double>, tile);
template <view_use Use = view_use::writable, static_datatype Etype, static_datatype Filetype>
consteval void static_require_filetype(Etype const&, Filetype const&) {
  constexpr broken_rule b = broken_by(Etype{}.form(), Filetype{}.form(), Use == view_use::writable);
  require_no_fault<b.fault, b.etype_bytes, b.filetype_bytes, b.filetype_extent, b.offset,
                   b.next_offset>();
}

}  // namespace detail

}  // namespace argosy

#include <argosy/view/detail/filetype_rules.hpp>

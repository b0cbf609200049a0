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
  other_types,    // items of other types than the etype; found at compile time only
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

// The answers to the rules for a view, if they are known. The compiler knows them for static
// datatypes, as long as no representation converts these.
struct known_rules {
  bool known = false;
  bool overlaps = false;  // the filetype names a byte twice
  filetype_fault for_writing = filetype_fault::no_fault;
};

constexpr known_rules rules_for(layout const& etype, layout const& filetype) {
  return {true, filetype.overlaps(), check_filetype(etype, filetype, true)};
}

// Returns false if the compiler sees that the items of a filetype are not those of whole etypes.
// Bytes fit everything.
template <static_datatype Etype, static_datatype Filetype>
consteval bool types_agree();

// The rule that static datatypes break, with the rule about types.
template <view_use Use, static_datatype Etype, static_datatype Filetype>
inline constexpr broken_rule broken_by_types = [] {
  broken_rule b = broken_by(Etype{}.form(), Filetype{}.form(), Use == view_use::writable);
  if (b.fault == filetype_fault::no_fault && !types_agree<Etype, Filetype>())
    b.fault = filetype_fault::other_types;
  return b;
}();

// Does not compile if there is a fault. The compiler prints the numbers with the template. One
// template for all, because each level of templates makes the text longer.
template <view_use Use, static_datatype Etype, static_datatype Filetype,
          filetype_fault Fault = broken_by_types<Use, Etype, Filetype>.fault,
          std::int64_t EtypeBytes = broken_by_types<Use, Etype, Filetype>.etype_bytes,
          std::int64_t FiletypeBytes = broken_by_types<Use, Etype, Filetype>.filetype_bytes,
          std::int64_t FiletypeExtent = broken_by_types<Use, Etype, Filetype>.filetype_extent,
          std::int64_t Offset = broken_by_types<Use, Etype, Filetype>.offset,
          std::int64_t NextOffset = broken_by_types<Use, Etype, Filetype>.next_offset>
struct require_rules {
  using fault = filetype_fault;
  static constexpr bool has_etype = Fault != fault::etype_empty,
                        orders_etype = Fault != fault::etype_bounds &&
                                       Fault != fault::etype_order && Fault != fault::etype_overlap,
                        is_not_negative = Fault != fault::negative,
                        is_in_order = Fault != fault::decreasing,
                        names_bytes_once = Fault != fault::overlap,
                        has_room = Fault != fault::tiles_overlap,
                        is_whole_etypes = Fault != fault::not_etypes,
                        has_equal_types = Fault != fault::other_types;
  static_assert(has_etype,
                "argosy: the etype has no bytes; choose one that holds data, such as "
                "io::type<double>");
  static_assert(orders_etype,
                "argosy: the etype must not have negative, decreasing or overlapping "
                "displacements; use io::resized or list its parts in the order of the file");
  static_assert(is_not_negative,
                "argosy: the filetype has a negative displacement or extent; move it up and use "
                "the displacement of the view");
  static_assert(is_in_order,
                "argosy: the displacements of the filetype decrease; list its parts in the order "
                "of the file (a memory type may have any order)");
  static_assert(names_bytes_once,
                "argosy: the filetype names a byte twice, so it cannot be written; make its parts "
                "disjoint, or use view_use::read_only");
  static_assert(has_room,
                "argosy: the filetype's extent is smaller than its data, and its copies overlap, "
                "so that it cannot be written; give it the extent of the whole tile with "
                "io::resized");
  static_assert(is_whole_etypes,
                "argosy: the etype does not divide the filetype; build the filetype of whole "
                "etypes, or choose a smaller etype");
  static_assert(has_equal_types,
                "argosy: the items of the filetype are of other types than those of the etype; "
                "give the etype of the data, or io::type<std::byte>");
};

// Checks static datatypes at compile time. A broken rule is a compile error that names the type:
//   io::detail::static_require_filetype(io::type<double>, tile);
template <view_use Use = view_use::writable, static_datatype Etype, static_datatype Filetype>
consteval void static_require_filetype(Etype const&, Filetype const&) {
  (void)require_rules<Use, Etype, Filetype>();
}

// The rules of static datatypes. Bytes that are named twice are wrong only in files that are
// written, which the mode of a file decides at run time. Broken rules are no error here, because
// clang would report the same mistake once more for each constant that needs it.
template <static_datatype Etype, static_datatype Filetype>
inline constexpr known_rules rules_of = rules_for(Etype{}.form(), Filetype{}.form());

// The etype of a view for which only the filetype is given.
enum class chosen_etype { core, resized_core, byte };

// Chooses the etype: the core of the filetype, or the core with its `resized` if only that divides
// the filetype. If the core can be no etype, it is a byte. `resized_core` is a function, because
// few filetypes need it.
template <class ResizedCore>
constexpr chosen_etype choose_etype(layout const& core, ResizedCore const& resized_core,
                                    layout const& filetype) {
  using enum filetype_fault;
  filetype_fault const fault = check_filetype(core, filetype, false);
  if (fault == not_etypes && check_filetype(resized_core(), filetype, false) == no_fault)
    return chosen_etype::resized_core;
  // The type can be a filetype, but not an etype.
  if (fault == etype_empty || fault == etype_bounds || fault == etype_order)
    return chosen_etype::byte;
  return chosen_etype::core;
}

}  // namespace detail

}  // namespace argosy

#include <argosy/view/detail/filetype_rules.hpp>

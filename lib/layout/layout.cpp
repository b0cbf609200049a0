// Implements layout/detail/algebra.hpp, equal.hpp, measure.hpp, faults.hpp and serialize.hpp for
// programs that link the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#include <argosy/layout/detail/faults.hpp>
#include <argosy/layout/detail/serialize.hpp>

namespace argosy::detail {

layout linked::copies(std::int64_t count, std::int64_t stride, layout const& inner, bool whole) {
  return copies_here(count, stride, inner, whole);
}
void linked::multiply(layout& form, std::int64_t count, std::int64_t stride) {
  multiply_here(form, count, stride);
}
layout linked::table(std::span<std::int64_t const> offsets, std::span<std::int64_t const> lengths) {
  return table_here(offsets, lengths);
}
layout linked::table(std::span<std::int64_t const> offsets, std::int64_t length) {
  return table_here(offsets, length);
}
layout linked::borrowed_table(std::span<std::int64_t const> offsets, std::int64_t length) {
  return borrowed_table_here(offsets, length);
}
void linked::add(assembler& to, std::int64_t displacement, layout const& part) {
  to.add_here(displacement, part);
}
layout linked::finish(assembler& all) { return all.finish_here(); }

bool linked::same_bytes(layout const& a, layout const& b) { return same_bytes_here(a, b); }
piece linked::hull_of(layout const& l, std::int64_t from, std::int64_t to) {
  return hull_here(l, from, to);
}
std::size_t linked::depth(layout const& l) { return measure(l).depth(); }
bool linked::is_monotonic(layout const& l) { return measure(l).is_monotonic(); }
byte_place linked::place_of(layout const& l, std::int64_t position) {
  return measure(l).place_of(position);
}
std::int64_t linked::bytes_before(layout const& l, std::int64_t offset) {
  return measure(l).bytes_before(l.root(), offset - l.origin());
}
bool linked::overlaps(layout const& l) { return overlaps_here(l); }

}  // namespace argosy::detail

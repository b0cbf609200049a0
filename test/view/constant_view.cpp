// Views that the compiler makes of static datatypes.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/view/view.hpp>

#include "support/catch.hpp"

namespace io = argosy;
using Catch::Contains;

namespace {

using io::constant;
constexpr auto inner =
    io::subarray(io::list(constant<8>, constant<8>), io::list(constant<4>, constant<4>),
                 io::list(constant<2>, constant<2>), io::type<double>);
constexpr io::view fixed_view(64, inner);
constexpr io::view irregular(
    0,
    io::indexed_block(constant<1>, io::list(constant<0>, constant<3>, constant<4>, constant<9>),
                      io::type<int>),
    io::external32);
static_assert(fixed_view.etype_size() == 8 && fixed_view.in_order());
static_assert(fixed_view.byte_offset(0) == 64 + 8 * 18 && fixed_view.byte_offset(4) == 64 + 8 * 26);
static_assert(io::view(0, io::type<double>, inner).byte_offset(16) == 8 * 18 + 512);
static_assert(io::view().byte_offset(7) == 7);
static_assert(irregular.byte_offset(1) == 12 && irregular.representation() == io::external32);

}  // namespace

TEST_CASE("a view of static datatypes is a constant, and equals the one made at run time",
          "[view]") {
  io::view const now(64, io::subarray({8, 8}, {4, 4}, {2, 2}, io::type<double>));
  CHECK(fixed_view == now);
  CHECK(fixed_view.stream() == now.stream());
  CHECK(fixed_view.array_sizes() == now.array_sizes());
  CHECK(fixed_view.in_order() == now.in_order());
  CHECK(fixed_view.offset_of_end(1000) == now.offset_of_end(1000));
  for (bool const writable : {false, true})
    CHECK(fixed_view.fault(writable) == now.fault(writable));
  CHECK(io::view(0, io::resized(io::type<float>, constant<0>, constant<16>)).etype() ==
        io::bytes(4));
  CHECK(io::view(0, io::resized(io::type<float>, constant<0>, constant<6>)).etype().extent() == 6);
}

TEST_CASE("the compiler's view of a filetype that names bytes twice knows that", "[view]") {
  // Each of three blocks of two begins within the one before it.
  io::view const known(0, io::vector(constant<3>, constant<2>, constant<1>, io::type<int>));
  io::view const now(0, io::vector(3, 2, 1, io::type<int>));
  CHECK(known.fault(false) == io::detail::filetype_fault::no_fault);
  CHECK(known.fault(true) == io::detail::filetype_fault::overlap);
  CHECK(known.fault(true) == now.fault(true));
  CHECK_FALSE(known.in_order());
  CHECK_THROWS_WITH(known.require_writable(), Contains("names a byte twice"));
  io::view const tiles(
      0, io::type<int>,
      io::resized(io::contiguous(constant<2>, io::type<int>), constant<0>, constant<4>));
  CHECK(tiles.fault(true) == io::detail::filetype_fault::tiles_overlap);
  CHECK_FALSE(tiles.in_order());
  CHECK(tiles.first_copy().in_order());
}

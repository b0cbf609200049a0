// MPI's rules for views.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <array>
#include <cstdint>

#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>
#include <argosy/view/filetype.hpp>

namespace io = argosy;
using Catch::Contains;
using io::detail::filetype_fault;

namespace {

constexpr auto real = io::type<double>;
constexpr filetype_fault fault(io::layout const& e, io::layout const& f, bool writable = true) {
  return io::detail::check_filetype(e, f, writable);
}

constexpr io::subarray box(io::list(io::constant<8>, io::constant<8>),
                           io::list(io::constant<4>, io::constant<4>),
                           io::list(io::constant<2>, io::constant<2>), real);
consteval bool all_compile() {
  io::detail::static_require_filetype(real, real);
  io::detail::static_require_filetype(real, box);
  io::detail::static_require_filetype<io::detail::view_use::read_only>(
      real, io::indexed(io::list(io::constant<2>, io::constant<2>),
                        io::list(io::constant<0>, io::constant<1>),
                        io::resized(real, io::constant<0>, io::constant<8>)));
  return true;
}

}  // namespace

TEST_CASE("views that MPI allows pass", "[filetype]") {
  static_assert(fault(real.form(), box.form()) == filetype_fault::no_fault);
  CHECK_NOTHROW(
      io::detail::require_filetype(io::type<char>, io::vector(3, 5, 7, io::type<char>), true));
  CHECK_NOTHROW(io::detail::require_filetype(
      real, io::darray<double, 2>({100, 90}, io::distribute::cyclic(3), io::list(3, 4), 7), true));
  CHECK_NOTHROW(io::detail::require_filetype(real, io::contiguous(0, real), true));
  CHECK_NOTHROW(io::detail::require_filetype(real, io::indexed({1, 2, 1}, {0, 7, 20}, real), true));
  // An etype with a hole, and filetypes made of it.
  auto const loose = io::resized(io::type<float>, 0, 8);
  CHECK_NOTHROW(io::detail::require_filetype(loose, io::vector(4, 2, 3, loose), true));
  CHECK_NOTHROW(io::detail::require_filetype(
      io::type<std::array<float, 5>>, io::vector(4, 2, 3, io::type<std::array<float, 5>>), true));
}

TEST_CASE("each rule is refused by its name and numbers", "[filetype][error]") {
  CHECK_THROWS_WITH(io::detail::require_filetype(io::contiguous(0, real), real, false),
                    Contains("the etype has no bytes"));
  auto const below = io::hindexed({1}, {-8}, real);
  CHECK_THROWS_WITH(io::detail::require_filetype(below, below, false),
                    Contains("the etype has a negative displacement") &&
                        Contains("bytes [-8, 0)") && Contains("move it up"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::hindexed({1}, {-8}, real), false),
                    Contains("negative displacement"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::indexed({1, 1}, {4, 0}, real), false),
                    Contains("decrease"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::indexed({3, 3}, {0, 1}, real), true),
                    Contains("names a byte twice"));
  CHECK_THROWS_WITH(
      io::detail::require_filetype(real, io::resized(io::contiguous(4, real), 0, 16), true),
      Contains("io::resized") && Contains("copies overlap"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::contiguous(3, io::type<float>), true),
                    Contains("does not divide") && Contains("size 12"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::hindexed({1, 1}, {0, 12}, real), true),
                    Contains("does not divide"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::resized(real, 0, 12), true),
                    Contains("does not divide"));
  CHECK_THROWS_WITH(io::detail::require_filetype(real, io::hindexed({2}, {4}, real), true),
                    Contains("does not divide"));
  auto const loose = io::resized(io::type<float>, 0, 8);
  CHECK_THROWS_WITH(io::detail::require_filetype(loose, io::contiguous(2, io::type<double>), true),
                    Contains("does not divide"));
  // Two pieces, of which only the first lies at a place of the etype.
  auto const two = io::hindexed({1, 1}, {0, 8}, io::type<float>),
             other = io::hindexed({1, 1}, {0, 4}, io::type<float>);
  CHECK_NOTHROW(io::detail::require_filetype(two, io::contiguous(2, two), true));
  CHECK_THROWS_WITH(io::detail::require_filetype(two, io::resized(other, 0, 12), true),
                    Contains("does not divide"));
}

TEST_CASE("copies of a filetype may interleave, and begin elsewhere than at the lower bound",
          "[filetype]") {
  auto const pair = io::indexed({1, 1}, {0, 3}, real);
  CHECK(fault(real.form(), io::resized(pair, 0, 16).form()) == filetype_fault::no_fault);
  CHECK(fault(real.form(), io::resized(pair, 0, 24).form()) == filetype_fault::tiles_overlap);
  CHECK(fault(real.form(), io::resized(pair, 0, 8).form()) == filetype_fault::tiles_overlap);
  CHECK(fault(real.form(), io::resized(real, 0, 0).form()) == filetype_fault::tiles_overlap);
  CHECK(fault(real.form(), io::resized(pair, 0, 8).form(), false) == filetype_fault::no_fault);
  CHECK(fault(real.form(), io::resized(real, 0, 0).form(), false) == filetype_fault::no_fault);
  CHECK(fault(real.form(), io::resized(real, -8, 24).form()) == filetype_fault::no_fault);
  CHECK(fault(io::resized(real, -8, 8).form(),
              io::contiguous(3, io::resized(real, -8, 8)).form()) == filetype_fault::no_fault);
  // Pieces that cross the end of a copy.
  CHECK(fault(io::type<char>.form(),
              io::resized(io::hindexed({4, 3}, {2, 12}, io::type<char>), 0, 7).form()) ==
        filetype_fault::tiles_overlap);
  CHECK(fault(io::type<char>.form(),
              io::resized(io::hindexed({4, 3}, {2, 13}, io::type<char>), 0, 7).form()) ==
        filetype_fault::no_fault);
}

TEST_CASE("what may be read may name bytes twice", "[filetype]") {
  static_assert(all_compile());
  auto const twice = io::indexed({2, 2}, {0, 1}, real).form();
  CHECK(fault(real.form(), twice, false) == filetype_fault::no_fault);
  CHECK(fault(real.form(), twice, true) == filetype_fault::overlap);
}

// Buffers deduced from the program's data. Every byte is compared with the elements' own addresses.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#if defined(__clang__)
#pragma clang diagnostic push
// Boost.Functional uses std::unary_function
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif
#include <boost/multi_array.hpp>

#include <argosy/datatype.hpp>
#include <argosy/datatype/aggregate.hpp>
#include <argosy/layout.hpp>

namespace io = argosy;

namespace {

struct particle {
  double x;
  int id;
};

// Models std::mdspan: static rank(), extent, stride, data_handle. The mapping is given by strides:
// left, right or any.
template <class T, std::size_t Rank>
struct mdspan_twin {
  T* handle;
  std::array<std::int64_t, Rank> extents, strides;

  static constexpr std::size_t rank() noexcept { return Rank; }
  constexpr std::int64_t extent(std::size_t i) const { return extents[i]; }
  constexpr std::int64_t stride(std::size_t i) const { return strides[i]; }
  constexpr T* data_handle() const { return handle; }
};

// Models Kokkos::View: `rank` is a constant that can also be called, and there is data(). Constness
// is that of the value type.
template <class T, std::size_t Rank>
struct view_twin {
  static constexpr std::integral_constant<std::size_t, Rank> rank{};
  T* pointer;
  std::array<std::size_t, Rank> extents, strides;

  template <class I>
  std::size_t extent(I i) const {
    return extents[static_cast<std::size_t>(i)];
  }
  template <class I>
  std::size_t stride(I i) const {
    return strides[static_cast<std::size_t>(i)];
  }
  T* data() const { return pointer; }
};
// Models older views: rank is an enumerator.
struct old_view {
  enum { rank = 1 };
  double* pointer;
  std::size_t extent(std::size_t) const { return 3; }
  std::ptrdiff_t stride(std::size_t) const { return 2; }
  double* data() const { return pointer; }
};

// Returns the addresses of the bytes of a buffer, in stream order.
template <class Buffer>
std::vector<void const*> addresses(Buffer const& b) {
  std::vector<void const*> result;
  for (io::extend::cursor at(b.form()); !at.done(); at.next())
    for (std::int64_t k = at.current().offset; k < at.current().end(); ++k)
      result.push_back(b.address() + k);
  return result;
}
void append(std::vector<void const*>& all, void const* element, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) all.push_back(static_cast<std::byte const*>(element) + k);
}

template <class T>
concept writable_memory = std::same_as<decltype(io::memory(std::declval<T>())), io::buffer>;
template <class T>
concept constant_memory = std::same_as<decltype(io::memory(std::declval<T>())), io::const_buffer>;

static_assert(writable_memory<std::vector<double>&> && constant_memory<std::vector<double> const&>);
static_assert(writable_memory<std::span<int>> && constant_memory<std::span<int const>>);
static_assert(writable_memory<std::string&> && constant_memory<std::string_view>);
static_assert(writable_memory<double&> && constant_memory<double const&>);
static_assert(writable_memory<int (&)[3]> && constant_memory<int const (&)[3]>);
static_assert(writable_memory<particle&> && constant_memory<particle const&>);
static_assert(writable_memory<std::array<float, 3>&> &&
              constant_memory<std::array<float, 3> const&>);
// The constness of a view says nothing about its elements, that of an array does.
static_assert(writable_memory<mdspan_twin<int, 2> const&> &&
              constant_memory<mdspan_twin<int const, 2>>);
static_assert(writable_memory<view_twin<int, 2> const&> &&
              constant_memory<view_twin<int const, 2>&>);
static_assert(writable_memory<boost::multi_array<int, 2>&> &&
              constant_memory<boost::multi_array<int, 2> const&>);
static_assert(std::is_convertible_v<io::buffer, io::const_buffer> &&
              !std::is_convertible_v<io::const_buffer, io::buffer>);
static_assert(io::extend::mdspan_like<old_view> && io::detail::array_rank<view_twin<int, 3>> == 3 &&
              io::detail::array_rank<old_view> == 1);
static_assert(!io::extend::mdspan_like<std::vector<double>> &&
              !io::extend::mdspan_like<double[3]> && !io::extend::mdspan_like<std::span<int>>);

}  // namespace

TEST_CASE("objects and ranges are their elements, without padding", "[memory]") {
  double x = 1;
  CHECK(io::memory(x).form() == io::bytes(8));
  CHECK(static_cast<void*>(io::memory(x).address()) == &x);
  std::vector<std::complex<float>> const z(5);
  CHECK(io::memory(z).form() == io::bytes(40));
  CHECK(io::memory(std::span(z).subspan(1, 3)).address() ==
        reinterpret_cast<std::byte const*>(z.data() + 1));
  int grid[3][4];
  CHECK(io::memory(grid).form() == io::bytes(48));
  std::vector<particle> p(3);
  std::vector<void const*> expected;
  for (auto& one : p) {
    append(expected, &one.x, 8);
    append(expected, &one.id, 4);
  }
  CHECK(addresses(io::memory(p)) == expected);
  CHECK(io::memory(std::span<int>()).size() == 0);
  double field[16];
  CHECK(io::memory(field, io::vector(2, 2, 4, io::type<double>)).size() == 32);
  CHECK(io::memory(static_cast<void const*>(field), io::type<double>, 3).form() == io::bytes(24));
  auto const b = io::memory(field);
  CHECK(io::memory(b).address() == b.address());
}

TEST_CASE("an mdspan-like view is read in the order of its indices, however it is stored",
          "[memory][mdspan]") {
  std::vector<double> storage(3 * 4 * 5);
  auto const at = [&](mdspan_twin<double, 3> const& v, std::int64_t i, std::int64_t j,
                      std::int64_t k) {
    return v.handle + i * v.strides[0] + j * v.strides[1] + k * v.strides[2];
  };
  std::vector<mdspan_twin<double, 3>> const views{
      {storage.data(), {3, 4, 5}, {20, 5, 1}},          // right
      {storage.data(), {3, 4, 5}, {1, 3, 12}},          // left
      {storage.data(), {3, 2, 2}, {20, 10, 2}},         // strided
      {storage.data() + 59, {3, 4, 5}, {-20, -5, -1}},  // backwards
  };
  for (auto const& v : views) {
    std::vector<void const*> c_order, fortran_order;
    for (std::int64_t i = 0; i < v.extents[0]; ++i)
      for (std::int64_t j = 0; j < v.extents[1]; ++j)
        for (std::int64_t k = 0; k < v.extents[2]; ++k) append(c_order, at(v, i, j, k), 8);
    for (std::int64_t k = 0; k < v.extents[2]; ++k)
      for (std::int64_t j = 0; j < v.extents[1]; ++j)
        for (std::int64_t i = 0; i < v.extents[0]; ++i) append(fortran_order, at(v, i, j, k), 8);
    CHECK(addresses(io::memory(v)) == c_order);
    CHECK(addresses(io::memory(v, io::order::fortran)) == fortran_order);
  }
  CHECK(io::memory(views[0]).form() == io::bytes(480));
  CHECK(io::memory(views[1], io::order::fortran).form() == io::bytes(480));
}

TEST_CASE("views of Kokkos' kind work without the library knowing them", "[memory][mdspan]") {
  std::vector<float> storage(24);
  view_twin<float, 2> const v{storage.data(), {4, 6}, {6, 1}};
  CHECK(io::memory(v).form() == io::bytes(96));
  CHECK(io::interior(v, {1, 2}).size() == 2 * 2 * 4);
  double three[6];
  CHECK(io::memory(old_view{three}).form().pieces() == 3);
}

TEST_CASE("Boost.MultiArray: any storage order, any index base, and its views",
          "[memory][multi_array]") {
  using array = boost::multi_array<int, 3>;
  auto const check = [](auto& a) {
    std::vector<void const*> expected, inside;
    auto const first = a.index_bases();
    auto const shape = a.shape();
    using index = boost::multi_array_types::index;
    auto const end = [&](std::size_t d) { return first[d] + static_cast<index>(shape[d]); };
    for (index i = first[0]; i < end(0); ++i)
      for (index j = first[1]; j < end(1); ++j)
        for (index k = first[2]; k < end(2); ++k) {
          append(expected, &a[i][j][k], sizeof(int));
          if (i > first[0] && i + 1 < end(0) && j >= first[1] + 2 && k + 1 < end(2))
            append(inside, &a[i][j][k], sizeof(int));
        }
    CHECK(addresses(io::memory(a)) == expected);
    CHECK(addresses(io::interior(a, {1, 2, 0}, {1, 0, 1})) == inside);
  };
  array c_array(boost::extents[4][5][3]);
  check(c_array);
  array fortran(boost::extents[4][5][3], boost::fortran_storage_order());
  check(fortran);
  using range = array::extent_range;
  array based(boost::extents[range(-1, 3)][range(1, 6)][range(10, 13)]);
  check(based);
  std::size_t const ordering[] = {2, 0, 1};
  bool const ascending[] = {true, false, true};
  array backwards(boost::extents[4][5][3], boost::general_storage_order<3>(ordering, ascending));
  check(backwards);
  using view_range = array::index_range;
  auto view = c_array[boost::indices[view_range(0, 4, 2)][view_range(4, -1, -1)][view_range(0, 3)]];
  std::vector<void const*> expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 3; ++k) append(expected, &view[i][j][k], sizeof(int));
  CHECK(addresses(io::memory(view)) == expected);
}

TEST_CASE("the interior leaves the halo out, on both sides or on each by itself",
          "[memory][interior]") {
  std::vector<double> storage(6 * 7);
  mdspan_twin<double, 2> const u{storage.data(), {6, 7}, {7, 1}};
  CHECK(io::interior(u, {1, 1}).form() == io::at(8 * 8, io::repeat(4, 56, io::bytes(40))));
  CHECK(io::interior(u, {0, 0}).form() == io::bytes(6 * 7 * 8));
  CHECK(io::interior(u, {3, 0}).size() == 0);
  CHECK(io::interior(u, {2, 0}, {1, 3}).size() == 3 * 4 * 8);
  std::size_t const halo = 2;
  CHECK(io::interior(u, {halo, 1}, io::order::fortran).form().pieces() == 2 * 5);
  CHECK_THROWS_WITH(io::interior(u, {4, 0}).form(), Catch::Contains("extent(0) = 6"));
  CHECK_THROWS_AS(io::interior(u, {-1, 0}).form(), io::invalid_layout);
}

namespace {
struct moving : particle {
  double v[2];
};
}  // namespace

TEST_CASE("members chosen of a base step by the class that lies there", "[memory]") {
  std::vector<moving> all(3);
  auto const ids = io::memory(all.data(), io::members<&particle::id>{}, std::ssize(all));
  CHECK(ids.form() ==
        io::repeat(3, sizeof(moving), io::resized(io::at(8, io::bytes(4)), 0, sizeof(moving))));
  CHECK(ids.types().get() == io::extend::signature(io::extend::basic_type::int32, 3));
  std::vector<std::byte> raw(3 * sizeof(particle));  // raw memory may hold anything
  CHECK(io::memory(raw.data(), io::members<&particle::id>{}, 3).size() == 12);
}

// The few shapes that the parts of a darray can have, if all its numbers but the rank are fixed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <argosy/datatype/detail/deal.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy::detail {

// Parts have equal shapes if they have equally many indices in each dimension. A dimension has at
// most three such numbers: that of most coordinates, that of a coordinate with a partial block, and
// that of the coordinates behind.
template <class Sizes, class Rules, class Grid>
struct part_shapes {
  static constexpr std::size_t dimensions = Sizes::static_size;
  static constexpr std::size_t most_counts = 3;

  struct dimension {
    std::array<std::int64_t, most_counts> count{}, coordinate{};  // the first with that count
    std::size_t counts = 0;

    constexpr std::size_t find(std::int64_t n) const {
      return static_cast<std::size_t>(std::find(count.begin(), count.begin() + counts, n) -
                                      count.begin());
    }
  };

  static constexpr dealt_indices indices(std::size_t d, std::int64_t coordinate) {
    return dealt_to(Sizes{}[d], Grid{}[d], coordinate, Rules{}[d]);
  }
  static constexpr std::array<dimension, dimensions> all = [] {
    std::array<dimension, dimensions> found{};
    for (std::size_t d = 0; d < dimensions; ++d)
      for (std::int64_t c = 0; c < Grid{}[d]; ++c) {
        std::int64_t const n = indices(d, c).count;
        dimension& one = found[d];
        if (one.find(n) < one.counts) continue;
        one.count[one.counts] = n;
        one.coordinate[one.counts++] = c;
      }
    return found;
  }();
  static constexpr std::size_t number = [] {
    std::size_t n = 1;
    for (dimension const& d : all) n *= d.counts;
    return n;
  }();

  // Returns the first rank that has shape number `shape`.
  static constexpr std::int64_t first_rank(std::size_t shape) {
    std::int64_t rank = 0, after = 1;
    for (std::size_t d = dimensions; d-- > 0; after *= Grid{}[d]) {
      rank += all[d].coordinate[shape % all[d].counts] * after;
      shape /= all[d].counts;
    }
    return rank;
  }

  // The shape of a rank, and how far its part lies behind that of the first rank with this shape,
  // counted in elements.
  struct place {
    std::size_t shape = 0;
    std::int64_t elements = 0;
  };
  static constexpr place of(std::int64_t rank, order o) {
    std::array<std::int64_t, dimensions> coordinate{}, stride{};
    for (std::size_t d = dimensions; d-- > 0; rank /= Grid{}[d]) coordinate[d] = rank % Grid{}[d];
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      std::size_t const d = from_fastest(o, i, dimensions);
      stride[d] = elements;
      elements = mul(elements, Sizes{}[d]);
    }
    place p;
    bool is_empty = false;
    for (std::size_t d = 0; d < dimensions; ++d) {
      dealt_indices const mine = indices(d, coordinate[d]);
      std::size_t const k = all[d].find(mine.count);
      p.shape = p.shape * all[d].counts + k;
      p.elements += (mine.start - indices(d, all[d].coordinate[k]).start) * stride[d];
      is_empty = is_empty || mine.count == 0;
    }
    if (is_empty) p.elements = 0;
    return p;
  }
};

// The forms of all shapes. `Part<R>` is the datatype of rank R, which is static.
template <class Shapes, template <std::int64_t> class Part>
constexpr auto forms_of_shapes() {
  return []<std::size_t... Shape>(std::index_sequence<Shape...>) {
    return std::array<layout const& (*)(), sizeof...(Shape)>{
        &static_layout_of<Part<Shapes::first_rank(Shape)>>::value...};
  }(std::make_index_sequence<Shapes::number>());
}

}  // namespace argosy::detail

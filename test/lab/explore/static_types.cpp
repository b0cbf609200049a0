// SPDX-License-Identifier: BSD-3-Clause
#include "static_types.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>

#include "support/random_tree.hpp"
#include "support/type_map.hpp"

namespace argosy::explore {

using namespace extend;
namespace {

using test::form;
using test::tree;

// --- Twins: trees with the arguments of the constructors ---

template <class E>
tree element() {
  char const* const name = std::is_same_v<E, std::byte> ? "byte"
                           : std::is_same_v<E, short>   ? "short"
                           : std::is_same_v<E, int>     ? "int"
                                                        : "double";
  std::size_t at = 0;
  while (std::string(test::leaves()[at].name) != name) ++at;
  return {.leaf = at};
}

// --- The set ---

template <std::int64_t... N>
inline constexpr auto fixed_list = list(constant<N>...);

template <class E>
struct triple {
  E first, second, third;
};

class set {
 public:
  set() {
    all_of<std::byte>();
    all_of<short>();
    all_of<int>();
    all_of<double>();
  }
  std::vector<static_type> const& all() const { return all_; }

 private:
  // Adds a datatype for memory of the type T. The datatype must be an empty object.
  template <class T, class E, class D>
  void add(D const&, tree twin) {
    static_assert(detail::static_datatype<D>);
    test::type_map const map = test::expand(twin, test::bounds_rule::hull);
    std::int64_t bytes = 0;
    for (piece const& p : map.pieces) bytes += p.length;
    std::string name = test::to_text(twin);
    auto* const data = +[](std::byte* address, std::int64_t copies) {
      return target(reinterpret_cast<T*>(address), D{}, copies);
    };
    all_.push_back({detail::basic_of<E>(), std::move(twin), std::move(name), bytes,
                    map.limits.extent(), data});
  }

  template <class E>
  void all_of() {
    constexpr auto one = type<E>;
    constexpr std::int64_t e = sizeof(E);
    tree const part = element<E>();
    auto const put = [&](auto const& fixed, tree twin) {
      add<std::byte, E>(fixed, std::move(twin));
    };
    put(resized(one, constant<0>, constant<3 * e>),
        {.form = form::resized, .extent = 3 * e, .parts = {part}});
    put(resized(contiguous(constant<2>, one), constant<-e>, constant<5 * e>),
        {.form = form::resized,
         .lower_bound = -e,
         .extent = 5 * e,
         .parts = {{.form = form::contiguous, .count = 2, .parts = {part}}}});
    put(contiguous(constant<5>, one), {.form = form::contiguous, .count = 5, .parts = {part}});
    vectors<E>(part);
    lists<E>(part);
    boxes<E>(part);
    add<triple<E>, E>(members<&triple<E>::first, &triple<E>::third>{},
                      {.form = form::resized,
                       .extent = 3 * e,
                       .parts = {{.form = form::record,
                                  .lengths = {1, 1},
                                  .displacements = {0, 2 * e},
                                  .parts = {part, part}}}});
  }

  template <class E>
  void vectors(tree const& part) {
    constexpr auto one = type<E>;
    constexpr std::int64_t odd = 4 * sizeof(E) + 1;
    auto const put = [&](auto const& fixed, tree twin) {
      twin.parts = {part};
      add<std::byte, E>(fixed, std::move(twin));
    };
    put(vector(constant<4>, constant<1>, constant<2>, one),
        {.form = form::vector, .count = 4, .blocklength = 1, .stride = 2});
    put(vector(constant<3>, constant<2>, constant<5>, one),
        {.form = form::vector, .count = 3, .blocklength = 2, .stride = 5});
    put(vector(constant<4>, constant<1>, constant<-2>, one),
        {.form = form::vector, .count = 4, .blocklength = 1, .stride = -2});
    put(hvector(constant<2>, constant<4>, constant<odd>, one),
        {.form = form::hvector, .count = 2, .blocklength = 4, .stride = odd});
  }

  template <class E>
  void lists(tree const& part) {
    constexpr auto one = type<E>;
    constexpr std::int64_t e = sizeof(E);
    auto const put = [&](auto const& fixed, tree twin) {
      if (twin.parts.empty()) twin.parts = {part};
      add<std::byte, E>(fixed, std::move(twin));
    };
    put(indexed(fixed_list<3, 1, 2>, fixed_list<0, 7, 11>, one),
        {.form = form::indexed, .lengths = {3, 1, 2}, .displacements = {0, 7, 11}});
    put(indexed_block(constant<2>, fixed_list<9, 0, 5>, one),
        {.form = form::indexed_block, .blocklength = 2, .displacements = {9, 0, 5}});
    put(hindexed(fixed_list<1, 2>, fixed_list<0, 3 * e + 1>, one),
        {.form = form::hindexed, .lengths = {1, 2}, .displacements = {0, 3 * e + 1}});
    put(argosy::record(fixed_list<2, 1>, fixed_list<0, 4 * e>, one,
                       vector(constant<2>, constant<1>, constant<3>, one)),
        {.form = form::record,
         .lengths = {2, 1},
         .displacements = {0, 4 * e},
         .parts = {
             part,
             {.form = form::vector, .count = 2, .blocklength = 1, .stride = 3, .parts = {part}}}});
  }

  template <class E>
  void boxes(tree const& part) {
    constexpr auto one = type<E>;
    auto const put = [&](auto const& fixed, tree twin) {
      twin.parts = {part};
      add<std::byte, E>(fixed, std::move(twin));
    };
    put(subarray(fixed_list<4, 6>, fixed_list<2, 3>, fixed_list<1, 2>, one),
        {.form = form::subarray, .sizes = {4, 6}, .subsizes = {2, 3}, .starts = {1, 2}});
    put(subarray(fixed_list<3, 4, 5>, fixed_list<2, 2, 3>, fixed_list<1, 0, 1>, one),
        {.form = form::subarray, .sizes = {3, 4, 5}, .subsizes = {2, 2, 3}, .starts = {1, 0, 1}});
    put(subarray(fixed_list<5, 4>, fixed_list<2, 4>, fixed_list<3, 0>, one, fortran_order),
        {.form = form::subarray,
         .sizes = {5, 4},
         .subsizes = {2, 4},
         .starts = {3, 0},
         .fortran = true});
    put(darray(fixed_list<8, 3>, distribute::cyclic(constant<2>), fixed_list<2, 1>, constant<1>,
               one),
        {.form = form::darray,
         .sizes = {8, 3},
         .grid = {2, 1},
         .rules = {{distribute::kind::cyclic, 2}, {distribute::kind::cyclic, 2}},
         .rank = 1});
  }

  std::vector<static_type> all_;
};

}  // namespace

std::span<static_type const> static_types() {
  static set const them;
  return them.all();
}

static_type const* static_type_for(int choice, std::int64_t n, view_choice const& v) {
  std::span<static_type const> const all = static_types();
  bool const converted = converts(v.representation);
  for (std::size_t i = 0; n > 0 && i < all.size(); ++i) {
    static_type const& t = all[(static_cast<std::size_t>(choice) - 1 + i) % all.size()];
    // Bytes are data of any type where nothing is converted, and any data is bytes.
    bool const any = !converted && (v.item == basic_type::byte || t.element == basic_type::byte);
    if (n % t.bytes == 0 && (any || t.element == v.item)) return &t;
  }
  return nullptr;
}

memory_map memory_of(static_type const& t, std::int64_t n) {
  constexpr std::int64_t margin = 32;  // keeps the base aligned for all elements
  memory_map m;
  m.type = &t;
  m.copies = n / t.bytes;
  std::vector<piece> const one = test::joined(test::expand(t.twin, test::bounds_rule::hull).pieces);
  std::int64_t low = 0, high = 0;
  for (piece const& p : one) low = std::min(low, p.offset), high = std::max(high, p.end());
  m.base = margin - low / margin * margin + (low % margin != 0 ? margin : 0);
  for (std::int64_t i = 0; i < m.copies; ++i)
    for (piece const& p : one) m.pieces.push_back({m.base + i * t.extent + p.offset, p.length});
  m.form = repeat(m.copies, t.extent, test::to_layout(t.twin, test::bounds_rule::hull));
  m.buffer_bytes = m.base + (m.copies - 1) * t.extent + high + margin;
  return m;
}

}  // namespace argosy::explore

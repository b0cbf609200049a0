// How a dimension of a darray is distributed: io::distribute::block, block(k), cyclic, cyclic(k),
// none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include <argosy/datatype/detail/numbers.hpp>

namespace argosy::distribute {

enum class kind { block, cyclic, none };

// One dimension's rule, at run time. Size 0 means MPI's default: ceil(n / p) for block, 1 for
// cyclic.
struct rule {
  distribute::kind kind = kind::block;
  std::int64_t size = 0;
  friend constexpr bool operator==(rule const&, rule const&) = default;
};

// One dimension's rule, with its kind, and perhaps its size, in the type. If the size k of
// `block(k)` or `cyclic(k)` is not positive, form() of the array throws invalid_layout. If k is
// known at compile time, that does not compile.
template <distribute::kind Kind, number Size>
struct kind_rule {
  [[no_unique_address]] Size size;
  constexpr operator rule() const noexcept { return {Kind, size}; }
};
template <distribute::kind Kind>
struct default_rule {
  constexpr operator rule() const noexcept { return {Kind, 0}; }
  template <number N>
    requires(Kind != kind::none)
  constexpr auto operator()(N size) const {
    using stored = argosy::detail::stored_number<N>;
    if constexpr (argosy::detail::is_fixed<N>) {
      static_assert(N::value > 0,
                    "argosy::distribute: the block size is not positive; give 1 or more");
    } else if (std::is_constant_evaluated() && size <= 0) {
      detail::throw_invalid("distribute",
                            "the block size is " + std::to_string(size) + "; give 1 or more");
    } else if (size == 0) {  // 0 would mean the default
      return kind_rule<Kind, stored>{detail::no_number::zero};
    }
    return kind_rule<Kind, stored>{detail::store<stored>(size)};
  }
};

// One block for each process. block(k): blocks of k indices, where k * p >= n.
inline constexpr default_rule<kind::block> block{};
// One index at a time in turn. cyclic(k): k indices at a time.
inline constexpr default_rule<kind::cyclic> cyclic{};
// Not distributed: one process along this dimension.
inline constexpr default_rule<kind::none> none{};

// One rule for each of N dimensions. A single rule applies to all.
template <std::size_t N = std::dynamic_extent>
struct rules {
  static constexpr std::size_t static_size = N;
  std::array<rule, N> each{};

  constexpr rules() = default;
  template <std::convertible_to<rule> R>
  constexpr rules(R all) {
    each.fill(all);
  }
  template <std::convertible_to<rule>... R>
    requires(sizeof...(R) == N && N > 1)
  constexpr rules(R... r) : each{static_cast<rule>(r)...} {}
  constexpr rules(std::array<rule, N> const& list) : each(list) {}
  static constexpr std::size_t size() noexcept { return N; }
  constexpr rule operator[](std::size_t i) const noexcept { return each[i]; }
};
template <>
struct rules<std::dynamic_extent> {
  static constexpr std::size_t static_size = std::dynamic_extent;
  detail::small_array<rule, 8> list;

  constexpr rules() = default;
  template <std::ranges::contiguous_range R>
    requires(std::same_as<std::ranges::range_value_t<R>, rule>)
  constexpr rules(R const& each) {
    for (rule r : each) list.push_back(r);
  }
  constexpr std::size_t size() const noexcept { return list.size(); }
  constexpr rule operator[](std::size_t i) const noexcept { return list[i]; }
};

// One rule for each dimension, with fixed parts in the type:
// each(block, cyclic(io::constant<2>), none).
template <class... Rules>
struct rule_list {
  static constexpr std::size_t static_size = sizeof...(Rules);
  [[no_unique_address]] std::tuple<Rules...> values;

  static constexpr std::size_t size() noexcept { return static_size; }
  constexpr rule operator[](std::size_t i) const {
    return std::apply(
        [&](auto const&... r) { return std::array<rule, static_size>{static_cast<rule>(r)...}[i]; },
        values);
  }
};
template <std::convertible_to<rule>... Rules>
constexpr rule_list<Rules...> each(Rules... r) {
  return {{r...}};
}

}  // namespace argosy::distribute

namespace argosy::detail {

// One rule for all dimensions, of whatever number.
template <class Rule>
struct rule_for_all {
  static constexpr std::size_t static_size = std::dynamic_extent;
  [[no_unique_address]] Rule all;
  constexpr rule_for_all() = default;
  constexpr rule_for_all(Rule r) : all(r) {}
  constexpr distribute::rule operator[](std::size_t) const { return all; }
};

template <class T>
struct rules_storage;
template <std::convertible_to<distribute::rule> T>
struct rules_storage<T> {
  using type = rule_for_all<T>;
};
template <std::size_t N>
struct rules_storage<distribute::rules<N>> {
  using type = distribute::rules<N>;
};
template <std::size_t N>
struct rules_storage<std::array<distribute::rule, N>> {
  using type = distribute::rules<N>;
};
template <class... R>
struct rules_storage<distribute::rule_list<R...>> {
  using type = distribute::rule_list<R...>;
};
template <std::ranges::contiguous_range T>
  requires(std::same_as<std::ranges::range_value_t<T>, distribute::rule>)
struct rules_storage<T> {
  using type = distribute::rules<>;
};
template <class T>
using stored_rules = typename rules_storage<std::remove_cvref_t<T>>::type;

template <class R>
inline constexpr bool is_fixed_rule = false;
template <distribute::kind K>
inline constexpr bool is_fixed_rule<distribute::default_rule<K>> = true;
template <distribute::kind K, std::int64_t N>
inline constexpr bool is_fixed_rule<distribute::kind_rule<K, fixed<N>>> = true;

// True if all rules are in the type, so that any object of it has the same value.
template <class L>
inline constexpr bool are_fixed_rules = false;
template <class R>
inline constexpr bool are_fixed_rules<rule_for_all<R>> = is_fixed_rule<R>;
template <class... R>
inline constexpr bool are_fixed_rules<distribute::rule_list<R...>> = (is_fixed_rule<R> && ...);

}  // namespace argosy::detail

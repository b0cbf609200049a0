// darray: one process' part of an array that is distributed over a grid of processes, in blocks or
// cyclically.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/deal.hpp>
#include <argosy/datatype/detail/shapes.hpp>
#include <argosy/datatype/distribute.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/datatype/order.hpp>
#include <argosy/datatype/process_grid.hpp>

namespace argosy {

// One process' part of a distributed array.
//
//   using namespace io::distribute;
//   io::darray<double, 3> tile({nx, ny, nz}, block, grid, world.rank());
//   io::darray<double, 2> cells({ny, nx}, {cyclic(4), none}, {p, 1}, rank, io::order::fortran);
//   io::darray rows(io::list(io::constant<64>, n), block,
//                   io::list(io::constant<4>, io::constant<1>), rank, io::type<double>);
// Like MPI_Type_create_darray, the rank's coordinates are in C order of the grid whatever the
// array's order, and the extent is the whole array. Costs O(dimensions), because blocks are not
// listed. If the grid does not match, form() throws invalid_layout. If the numbers are fixed, that
// does not compile.
template <class T, std::size_t Dimensions = std::dynamic_extent, class Sizes = numbers<Dimensions>,
          class Rules = distribute::rules<Dimensions>, class Grid = numbers<Dimensions>,
          number Process = std::int64_t, detail::order_argument Order = order>
class darray {
  static_assert(detail::sizes_may_agree<Sizes, Rules, Grid>(),
                "argosy::darray: the lists differ in size; give one size, distribution and grid "
                "dimension for each dimension");
  static_assert(detail::common_size<Sizes, Rules, Grid>() != 0,
                "argosy::darray: the array has no dimension; give at least one size");
  static constexpr auto fault = detail::known_deal_fault<Sizes, Rules, Grid>();
  static constexpr bool has_sizes = fault != detail::deal_fault::size,
                        has_grid = fault != detail::deal_fault::grid,
                        has_rule_sizes = fault != detail::deal_fault::rule_size,
                        fits_none = fault != detail::deal_fault::none_is_dealt,
                        is_covered = fault != detail::deal_fault::block_too_small;
  static_assert(has_sizes, "argosy::darray: a size is negative; give 0 or more");
  static_assert(has_grid, "argosy::darray: a grid dimension is not positive; give 1 or more");
  static_assert(has_rule_sizes, "argosy::darray: a block size is negative; give 1 or more");
  static_assert(
      fits_none,
      "argosy::darray: distribution none needs exactly 1 process along its dimension of the grid");
  static_assert(is_covered,
                "argosy::darray: block(k) times the processes does not cover a size; give a larger "
                "k, or leave it out");
  static_assert(detail::may_be_not_negative<Process>,
                "argosy::darray: the rank is negative; ranks count from 0");
  static_assert(detail::known_processes<Grid>() == 0 ||
                    detail::known_number<Process>().value_or(0) < detail::known_processes<Grid>(),
                "argosy::darray: the rank is not in the grid; ranks go from 0 to the product of "
                "its dimensions - 1");

 public:
  using old_type = std::conditional_t<datatype<T>, T, extend::element<T>>;
  static constexpr bool is_static = detail::is_fixed_list<Sizes> &&
                                    detail::are_fixed_rules<Rules> && detail::is_fixed_list<Grid> &&
                                    detail::is_fixed<Process> && detail::is_fixed_order<Order> &&
                                    detail::static_datatype<old_type>;

  // True if only the rank is known at run time. The compiler then makes a table of the few shapes
  // that ranks can have.
  static constexpr bool has_shapes =
      detail::is_fixed_list<Sizes> && detail::are_fixed_rules<Rules> &&
      detail::is_fixed_list<Grid> && !detail::is_fixed<Process> && detail::is_fixed_order<Order> &&
      detail::static_datatype<old_type>;
  // The part of a rank that is known at compile time.
  template <std::int64_t Rank>
  using part_of_rank = darray<T, Dimensions, Sizes, Rules, Grid, fixed<Rank>, Order>;
  using shapes = detail::part_shapes<Sizes, Rules, Grid>;

  constexpr darray()
    requires is_static
  = default;
  template <number R>
  constexpr darray(Sizes sizes, Rules distribution, Grid grid, R rank, Order order = {})
    requires std::default_initializable<old_type>
      : darray(std::move(sizes), std::move(distribution), std::move(grid), rank, old_type{},
               order) {}
  template <number R>
  constexpr darray(Sizes sizes, Rules distribution, Grid grid, R rank, old_type old,
                   Order order = {})
      : sizes_(std::move(sizes)),
        rules_(std::move(distribution)),
        grid_(std::move(grid)),
        process_(detail::store<Process>(rank)),
        old_(std::move(old)),
        order_(order) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    if constexpr (has_shapes)
      if (!std::is_constant_evaluated()) return form_of_shape();
    layout form = detail::form_of(old_);
    check();
    detail::array_form array(form);
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      std::size_t const d = detail::from_fastest(order_, i, sizes_.size());
      detail::deal(array, sizes_[d], grid_[d], coordinate(d), rules_[d]);
    }
    array.finish();
    return form;
  }

  // Returns the shape of this rank. Throws invalid_layout if the rank is not in the grid.
  // Precondition: has_shapes.
  constexpr auto shape() const {
    check();
    return shapes::of(process_, order_);
  }

  // Returns the sizes of the whole array.
  constexpr Sizes const& sizes() const noexcept { return sizes_; }
  constexpr argosy::order element_order() const noexcept { return order_; }

  // Used by signature_of and file_form_of: the stream is `copies()` copies of `old`.
  constexpr old_type const& old() const noexcept { return old_; }
  constexpr std::int64_t copies() const { return with(bytes(1)).form().size(); }
  template <datatype New>
  constexpr auto with(New old) const {
    return darray<New, Dimensions, Sizes, Rules, Grid, Process, Order>(
        sizes_, rules_, grid_, process_, std::move(old), order_);
  }

 private:
  layout form_of_shape() const {
    static constexpr auto forms = detail::forms_of_shapes<shapes, part_of_rank>();
    auto const mine = shape();
    layout const& form = forms[mine.shape]();
    return resized(at(mine.elements * old_type{}.form().extent(), form), 0, form.extent());
  }
  constexpr std::int64_t coordinate(std::size_t d) const {
    std::int64_t after = 1;
    for (std::size_t i = d + 1; i < grid_.size(); ++i) after *= grid_[i];
    return process_ / after % grid_[d];
  }
  constexpr void check() const {
    if (grid_.size() > 0)
      if (auto const given = detail::no_number::length(grid_[0]))
        detail::throw_grid_differs(*given, sizes_.size());
    detail::require_numbers(sizes_);
    detail::require_numbers(grid_);
    detail::require_number(process_);
    detail::require_same_size("darray", "sizes", sizes_, "grid dimensions", grid_);
    if constexpr (requires { rules_.size(); })
      detail::require_same_size("darray", "sizes", sizes_, "distributions", rules_);
    std::int64_t processes = 1;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      auto const found = detail::check_deal(sizes_[d], grid_[d], rules_[d]);
      if (found != detail::deal_fault::no_fault)
        detail::throw_deal(found, d, sizes_[d], grid_[d], rules_[d]);
      processes = detail::mul(processes, grid_[d]);
    }
    if (process_ < 0 || process_ >= processes)
      detail::throw_invalid("darray", "rank " + std::to_string(process_) + " is not in a grid of " +
                                          std::to_string(processes) +
                                          " processes; give a grid whose product is the "
                                          "number of processes");
  }

  [[no_unique_address]] Sizes sizes_;
  [[no_unique_address]] Rules rules_;
  [[no_unique_address]] Grid grid_;
  [[no_unique_address]] Process process_;
  [[no_unique_address]] old_type old_;
  [[no_unique_address]] Order order_;
};

namespace detail {

// The type that stores a grid, or a list of numbers that are its dimensions.
template <class Grid, std::size_t Dimensions>
using stored_grid =
    std::conditional_t<std::same_as<Grid, process_grid>, numbers<Dimensions>, stored_list<Grid>>;

}  // namespace detail

template <detail::number_sequence S, class R, detail::number_sequence G, number P, datatype Old>
darray(S const&, R const&, G const&, P, Old)
    -> darray<Old, detail::stored_list<S>::static_size, detail::stored_list<S>,
              detail::stored_rules<R>, detail::stored_grid<G, detail::stored_list<S>::static_size>,
              detail::stored_number<P>, detail::fixed_order<order::c>>;
template <detail::number_sequence S, class R, detail::number_sequence G, number P, datatype Old,
          class Order>
darray(S const&, R const&, G const&, P, Old, Order)
    -> darray<Old, detail::stored_list<S>::static_size, detail::stored_list<S>,
              detail::stored_rules<R>, detail::stored_grid<G, detail::stored_list<S>::static_size>,
              detail::stored_number<P>, Order>;
template <std::size_t N, class R, detail::number_sequence G, number P, datatype Old>
darray(detail::any_integer const (&)[N], R const&, G const&, P, Old)
    -> darray<Old, N, numbers<N>, detail::stored_rules<R>, detail::stored_grid<G, N>,
              detail::stored_number<P>, detail::fixed_order<order::c>>;
template <std::size_t N, class R, detail::number_sequence G, number P, datatype Old, class Order>
darray(detail::any_integer const (&)[N], R const&, G const&, P, Old, Order)
    -> darray<Old, N, numbers<N>, detail::stored_rules<R>, detail::stored_grid<G, N>,
              detail::stored_number<P>, Order>;

}  // namespace argosy

// A grid of processes: balanced dimensions, coordinates, neighbours. Plain arithmetic; no
// communicator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include <argosy/datatype/detail/balanced.hpp>
#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/layout/detail/checked.hpp>

namespace argosy {

// A grid of processes.
//
//   io::process_grid grid(world.size(), 3);                // 12 processes: 3 x 2 x 2
//   io::process_grid plane(12, {0, 2}, {true, false});     // 6 x 2, the first dimension periodic
// Ranks are in C order, the last coordinate fastest, as in MPI's Cartesian communicators and
// darray. All functions are local. The constructors throw invalid_layout if there is no process, or
// if there are not 1 to 63 dimensions. Periodic flags are none or one for each dimension, otherwise
// the constructors throw it, too. Functions of a dimension throw it if the grid does not have that
// dimension.
class process_grid {
 public:
  // Makes a grid that is as square as possible: dimensions never increase, and the largest is as
  // small as possible.
  constexpr process_grid(std::int64_t processes, int dimensions)
      : process_grid(processes, zeros(dimensions)) {}
  constexpr process_grid(std::int64_t processes, int dimensions,
                         std::initializer_list<bool> periodic)
      : process_grid(processes, zeros(dimensions)) {
    set_periodic(periodic);
  }
  // Makes a grid with some dimensions fixed. Dimensions that are 0 are free, and balanced among
  // themselves. Throws invalid_layout if the fixed ones do not divide the number of processes, or
  // if none is free and they multiply to another number.
  constexpr process_grid(std::int64_t processes, std::initializer_list<int> dims,
                         std::initializer_list<bool> periodic = {})
      : process_grid(processes, numbers<>(std::span(dims.begin(), dims.size()))) {
    set_periodic(periodic);
  }
  constexpr process_grid(std::int64_t processes, numbers<> const& dims) : dims_(dims) {
    fill(processes);
  }
  // Makes such a grid with periodic flags of run time, such as a std::vector<bool>.
  template <std::ranges::sized_range Flags>
    requires std::same_as<std::ranges::range_value_t<Flags>, bool>
  constexpr process_grid(std::int64_t processes, numbers<> const& dims, Flags const& periodic)
      : process_grid(processes, dims) {
    require_flags(std::ranges::size(periodic));
    std::size_t d = 0;
    for (bool const p : periodic) set_periodic(d++, p);
  }

  constexpr int size() const noexcept { return size_; }
  constexpr int dimensions() const noexcept { return static_cast<int>(dims_.size()); }
  // Returns the number of processes along dimension d.
  constexpr int extent(int d) const { return static_cast<int>(dims_[index(d)]); }
  // Returns true if dimension d is periodic.
  constexpr bool periodic(int d) const { return (periodic_ >> index(d) & 1) != 0; }
  constexpr numbers<> const& extents() const noexcept { return dims_; }

  // Returns the coordinates of a rank. Throws invalid_layout if it is not in the grid.
  constexpr numbers<> coordinates(int rank) const {
    if (rank < 0 || rank >= size_) throw_rank(rank);
    numbers<> result = dims_;
    std::int64_t rest = rank;
    for (std::size_t d = dims_.size(); d-- > 0; rest /= dims_[d]) result[d] = rest % dims_[d];
    return result;
  }
  // Returns the rank at these coordinates, or no rank if a coordinate lies outside of a dimension
  // that is not periodic. Coordinates wrap around in periodic dimensions. Throws invalid_layout if
  // there is not one coordinate for each dimension.
  template <detail::number_sequence C>
  constexpr std::optional<int> rank(C const& coordinates) const {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): most sequences are converted
    numbers<> const where(coordinates);
    detail::require_numbers(where);
    detail::require_same_size("process_grid::rank", "dimensions", dims_, "coordinates", where);
    std::int64_t result = 0;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      std::int64_t c = where[d];
      if (periodic(static_cast<int>(d))) c = ((c % dims_[d]) + dims_[d]) % dims_[d];
      if (c < 0 || c >= dims_[d]) return std::nullopt;
      result = result * dims_[d] + c;
    }
    return static_cast<int>(result);
  }
  constexpr std::optional<int> rank(std::initializer_list<int> coordinates) const {
    return rank(std::span(coordinates.begin(), coordinates.size()));
  }
  // Returns the rank that is `steps` away along dimension d, or no rank behind the border. Throws
  // invalid_layout if `of_rank` is not in the grid.
  constexpr std::optional<int> neighbour(int of_rank, int d, std::int64_t steps) const {
    numbers<> where = coordinates(of_rank);
    where[index(d)] += steps;
    return rank(where);
  }

  // Converts to the dimensions as a list, for callers that need exactly N. If the grid has another
  // number of dimensions, a datatype made of the list throws.
  template <std::size_t N>
  constexpr operator numbers<N>() const {
    return numbers<N>(std::span(dims_.begin(), dims_.size()));
  }

  friend constexpr bool operator==(process_grid const&, process_grid const&) = default;

 private:
  static constexpr numbers<> zeros(int dimensions) {
    if (dimensions < 1 || dimensions > 63)
      detail::throw_invalid("process_grid", "the number of dimensions is " +
                                                std::to_string(dimensions) + "; give 1 to 63");
    numbers<> dims;
    for (int d = 0; d < dimensions; ++d) dims.push_back(0);
    return dims;
  }
  constexpr void fill(std::int64_t processes);
  constexpr void require_flags(std::size_t flags) const {
    if (flags != 0 && flags != dims_.size())
      detail::throw_sizes_differ("process_grid", "dimensions", dims_.size(), "periodic flags",
                                 flags);
  }
  constexpr void set_periodic(std::size_t dimension, bool is_periodic) {
    periodic_ |= std::uint64_t{is_periodic} << dimension;
  }
  constexpr void set_periodic(std::initializer_list<bool> periodic) {
    require_flags(periodic.size());
    std::size_t d = 0;
    for (bool const p : periodic) set_periodic(d++, p);
  }
  constexpr std::size_t index(int d) const {
    if (d < 0 || d >= dimensions()) throw_dimension(d);
    return static_cast<std::size_t>(d);
  }
  [[noreturn]] void throw_rank(int rank) const {
    detail::throw_invalid("process_grid", "rank " + std::to_string(rank) + " is not in a grid of " +
                                              std::to_string(size_) +
                                              " processes; ranks are 0 to " +
                                              std::to_string(size_ - 1));
  }
  [[noreturn]] void throw_dimension(int d) const {
    detail::throw_invalid("process_grid", "dimension " + std::to_string(d) +
                                              " of a grid that has " +
                                              std::to_string(dims_.size()) + "; they count from 0");
  }

  numbers<> dims_;
  std::uint64_t periodic_ = 0;
  int size_ = 1;
};

constexpr void process_grid::fill(std::int64_t processes) {
  if (processes < 1 || processes > 0x7fffffff)
    detail::throw_invalid("process_grid", "the number of processes is " +
                                              std::to_string(processes) + "; give 1 or more");
  detail::require_numbers(dims_);
  std::int64_t given = 1, free = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (dims_[d] < 0) detail::throw_negative_element("process_grid", "dimension", d, dims_[d]);
    if (dims_[d] == 0)
      ++free;
    else
      given = detail::mul(given, dims_[d]);
  }
  if (dims_.size() == 0 || dims_.size() > 63) zeros(static_cast<int>(dims_.size()));
  if (processes % given != 0 || (free == 0 && given != processes))
    detail::throw_invalid("process_grid", "the given dimensions multiply to " +
                                              std::to_string(given) + ", which does not fit " +
                                              std::to_string(processes) +
                                              " processes; leave a dimension 0 to have it chosen");
  numbers<> const chosen = detail::balanced(processes / given, static_cast<std::size_t>(free));
  std::size_t next = 0;
  for (std::size_t d = 0; d < dims_.size(); ++d)
    if (dims_[d] == 0) dims_[d] = chosen[next++];
  size_ = static_cast<int>(processes);
}

namespace detail {

template <>
struct list_storage<process_grid> {
  using type = numbers<>;
};

}  // namespace detail
}  // namespace argosy

// vector and hvector: blocks of copies, evenly spaced.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/datatype/detail/strided.hpp>

namespace argosy {

// `count` blocks of `blocklength` copies. The blocks start `stride` extents of `old` apart. The
// stride may be negative.
//   io::vector(ny, 1, nx, io::type<double>)     a column of an ny x nx array
// If the count or the block length is negative, form() throws invalid_layout.
template <number Count, number BlockLength, number Stride, datatype Old>
class vector : public detail::strided<vector<Count, BlockLength, Stride, Old>, Count, BlockLength,
                                      Stride, Old> {
  using base = detail::strided<vector, Count, BlockLength, Stride, Old>;
  friend base;
  static_assert(detail::may_be_not_negative<Count>,
                "argosy::vector: the count is negative; give 0 or more");
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::vector: the block length is negative; give 0 or more");
  static constexpr char const* name = "vector";
  static constexpr std::int64_t unit(std::int64_t extent) { return extent; }

 public:
  using base::base;
  template <datatype New>
  constexpr auto with(New old) const {
    return base::template as<vector<Count, BlockLength, Stride, New>>(std::move(old));
  }
};

template <number Count, number BlockLength, number Stride, datatype Old>
vector(Count, BlockLength, Stride, Old)
    -> vector<detail::stored_number<Count>, detail::stored_number<BlockLength>,
              detail::stored_number<Stride>, Old>;

// Like `vector`, with the stride in bytes.
template <number Count, number BlockLength, number Stride, datatype Old>
class hvector : public detail::strided<hvector<Count, BlockLength, Stride, Old>, Count, BlockLength,
                                       Stride, Old> {
  using base = detail::strided<hvector, Count, BlockLength, Stride, Old>;
  friend base;
  static_assert(detail::may_be_not_negative<Count>,
                "argosy::hvector: the count is negative; give 0 or more");
  static_assert(detail::may_be_not_negative<BlockLength>,
                "argosy::hvector: the block length is negative; give 0 or more");
  static constexpr char const* name = "hvector";
  static constexpr std::int64_t unit(std::int64_t) { return 1; }

 public:
  using base::base;
  template <datatype New>
  constexpr auto with(New old) const {
    return base::template as<hvector<Count, BlockLength, Stride, New>>(std::move(old));
  }
};

template <number Count, number BlockLength, number Stride, datatype Old>
hvector(Count, BlockLength, Stride, Old)
    -> hvector<detail::stored_number<Count>, detail::stored_number<BlockLength>,
               detail::stored_number<Stride>, Old>;

}  // namespace argosy

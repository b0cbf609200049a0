// Parts of arrays: the interior of a block, BTIO's cells of five doubles, block-cyclic matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <string>

#include <argosy/datatype.hpp>

#include "cases.hpp"

namespace contest {
namespace {

namespace io = argosy;

// Loops over rows: `Length` bytes at `column_stride` in rows at `row_stride`.
struct rows_loop {
  std::int64_t rows, row_stride, columns, column_stride;
};

template <int Length>
void enter_rows(std::string const& name, io::layout const& l, MPI_Datatype type, rows_loop r) {
  std::int64_t const origin = l.origin();
  enter_both(
      name, l, type,
      [=](std::byte const* __restrict from, std::byte* __restrict to) {
        for (std::int64_t i = 0; i < r.rows; ++i)
          for (std::int64_t j = 0; j < r.columns; ++j)
            std::memcpy(to + (i * r.columns + j) * Length,
                        from + origin + i * r.row_stride + j * r.column_stride, Length);
      },
      [=](std::byte const* __restrict from, std::byte* __restrict to) {
        for (std::int64_t i = 0; i < r.rows; ++i)
          for (std::int64_t j = 0; j < r.columns; ++j)
            std::memcpy(to + origin + i * r.row_stride + j * r.column_stride,
                        from + (i * r.columns + j) * Length, Length);
      });
}

void enter_interior() {
  constexpr int n = 34, inside = n - 2;
  std::array<int, 3> const sizes{n, n, n}, subsizes{inside, inside, inside}, starts{1, 1, 1};
  MPI_Datatype type;
  MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &type);
  committed(type);
  constexpr std::int64_t row = inside * 8, first = (n * n + n + 1) * 8;
  auto const pack_loop = [](std::byte const* __restrict from, std::byte* __restrict to) {
    for (std::int64_t z = 0; z < inside; ++z)
      for (std::int64_t y = 0; y < inside; ++y)
        std::memcpy(to + (z * inside + y) * row, from + first + (z * n + y) * n * 8, row);
  };
  auto const unpack_loop = [](std::byte const* __restrict from, std::byte* __restrict to) {
    for (std::int64_t z = 0; z < inside; ++z)
      for (std::int64_t y = 0; y < inside; ++y)
        std::memcpy(to + first + (z * n + y) * n * 8, from + (z * inside + y) * row, row);
  };
  std::int64_t volatile size = n;
  std::int64_t const s = size;
  enter_both("interior/256B/34x34x34",
             io::subarray({s, s, s}, {s - 2, s - 2, s - 2}, {1, 1, 1}, io::type<double>).form(),
             type, pack_loop, unpack_loop);
  enter_both("static_interior/256B/34x34x34",
             io::flatten(io::subarray(
                 io::list(io::constant<n>, io::constant<n>, io::constant<n>),
                 io::list(io::constant<inside>, io::constant<inside>, io::constant<inside>),
                 io::list(io::constant<1>, io::constant<1>, io::constant<1>), io::type<double>)),
             type, pack_loop, unpack_loop);
}

// A cell is a row of five doubles. Every second cell belongs to this process.
void enter_cells() {
  constexpr int rows = 64, cells = 102;
  MPI_Datatype row, type;
  MPI_Type_vector(cells, 5, 10, MPI_DOUBLE, &row);
  MPI_Type_create_hvector(rows, 1, 2 * cells * 80, row, &type);
  committed(type);
  std::int64_t volatile n = rows;
  enter_rows<40>("cells/40B/btio",
                 io::repeat(n, 2 * cells * 80, io::repeat(cells, 80, io::bytes(40))), type,
                 {rows, 2 * cells * 80, cells, 80});
}

// Rank 0's part of a matrix of doubles on a 2 x 2 grid. All its blocks are full.
template <int Block>
void enter_cyclic() {
  constexpr int n = 256;
  std::array<int, 2> const sizes{n, n}, grid{2, 2}, blocks{Block, Block};
  std::array<int, 2> const rule{MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
  MPI_Datatype type;
  MPI_Type_create_darray(4, 0, 2, sizes.data(), rule.data(), blocks.data(), grid.data(),
                         MPI_ORDER_C, MPI_DOUBLE, &type);
  committed(type);
  io::layout const l =
      io::darray<double, 2>({n, n}, {io::distribute::cyclic(Block), io::distribute::cyclic(Block)},
                            io::process_grid(4, 2), 0)
          .form();
  constexpr std::int64_t length = Block * 8, columns = n / 2 / Block, row_bytes = n * 8;
  auto const loop = [](auto&& move) {
    std::int64_t k = 0;
    for (std::int64_t outer = 0; outer < n; outer += 2 * Block)
      for (std::int64_t y = outer; y < outer + Block; ++y)
        for (std::int64_t x = 0; x < columns; ++x, k += length)
          move(k, y * row_bytes + x * 2 * length);
  };
  enter_both(
      "cyclic(" + std::to_string(Block) + ")/" + std::to_string(length) + "B/256x256", l, type,
      [=](std::byte const* __restrict from, std::byte* __restrict to) {
        loop([=](std::int64_t k, std::int64_t at) { std::memcpy(to + k, from + at, length); });
      },
      [=](std::byte const* __restrict from, std::byte* __restrict to) {
        loop([=](std::int64_t k, std::int64_t at) { std::memcpy(to + at, from + k, length); });
      });
}

}  // namespace

void enter_arrays() {
  enter_interior();
  enter_cells();
  enter_cyclic<1>();
  enter_cyclic<4>();
}

}  // namespace contest

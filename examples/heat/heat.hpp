// The heat equation on a cube, for all steps of the tutorial, docs/use/tutorial.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// [heat_field]
// A box of the cube in a halo of one layer. `start` is the place of the box in the cube.
// io::interior accepts it because it has the members of an mdspan.
struct field {
  std::array<std::int64_t, 3> size, start;
  std::vector<double> values =
      std::vector<double>(static_cast<std::size_t>((size[0] + 2) * (size[1] + 2) * (size[2] + 2)));

  static constexpr std::size_t rank() { return 3; }
  std::int64_t extent(std::size_t d) const { return size[d] + 2; }
  std::int64_t stride(std::size_t d) const { return d == 2 ? 1 : extent(d + 1) * stride(d + 1); }
  double* data_handle() { return values.data(); }

  // i, j and k run from -1 to size; these two are in the halo.
  double& operator()(std::int64_t i, std::int64_t j, std::int64_t k) {
    return values[static_cast<std::size_t>((i + 1) * stride(0) + (j + 1) * stride(1) + k + 1)];
  }
};
// [heat_field]

constexpr std::int64_t side = 24;  // points along each side of the cube

// Calls f(i, j, k) for each point of the box.
template <class F>
void for_each_point(field const& u, F&& f) {
  for (std::int64_t i = 0; i < u.size[0]; ++i)
    for (std::int64_t j = 0; j < u.size[1]; ++j)
      for (std::int64_t k = 0; k < u.size[2]; ++k) f(i, j, k);
}

// One corner of the cube is hot.
inline void heat_up(field& u) {
  for_each_point(u, [&](auto i, auto j, auto k) {
    u(i, j, k) = u.start[0] + i < side / 3 && u.start[1] + j < side / 3 && u.start[2] + k < side / 3
                     ? 100
                     : 0;
  });
}

// [heat_step]
// One step in time: each point changes towards its six neighbours. The halo must hold the
// neighbours' values; outside of the cube it is cold.
inline void step(field& u) {
  field next = u;
  for_each_point(u, [&](auto i, auto j, auto k) {
    next(i, j, k) =
        u(i, j, k) + 0.1 * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) +
                            u(i, j, k - 1) + u(i, j, k + 1) - 6 * u(i, j, k));
  });
  u = next;  // a copy, so that the memory of u stays in place
}
// [heat_step]

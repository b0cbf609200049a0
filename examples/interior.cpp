// Copies the halo-free part of a 3-D array into a dense one, without a loop.
// Run: build/release/bin/interior
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>
#include <argosy/layout/fmt.hpp>

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <vector>

namespace io = argosy;

// Any array with extents, strides and data works: std::mdspan, Kokkos::View, boost::multi_array, or
// this one.
class field {
 public:
  using element_type = double;
  static constexpr std::size_t rank() { return 3; }

  field(std::size_t nx, std::size_t ny, std::size_t nz)
      : extents_{nx, ny, nz}, values_(nx * ny * nz) {}

  std::size_t extent(std::size_t d) const { return extents_[d]; }
  std::size_t stride(std::size_t d) const {
    return d == 2 ? 1 : d == 1 ? extents_[2] : extents_[1] * extents_[2];
  }
  double* data() { return values_.data(); }
  double& operator()(std::size_t i, std::size_t j, std::size_t k) {
    return values_[i * stride(0) + j * stride(1) + k];
  }

 private:
  std::array<std::size_t, 3> extents_;
  std::vector<double> values_;
};

int main() {
  field u(10, 12, 14);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 12; ++j)
      for (std::size_t k = 0; k < 14; ++k)
        u(i, j, k) = static_cast<double>(10000 * i + 100 * j + k);

  io::buffer const core = io::interior(u, {1, 1, 1});
  fmt::print("{}\n", core.form());

  std::vector<double> dense(8 * 10 * 12);
  io::pack(core.form(), core.address(), dense.data());
  fmt::print("{} bytes in {} pieces; first {}, last {}\n", core.size(), core.form().pieces(),
             dense.front(), dense.back());
}

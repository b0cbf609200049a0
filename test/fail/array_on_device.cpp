// An array of Kokkos in the memory of a device.
// SPDX-License-Identifier: BSD-3-Clause
// build error: argosy::memory: this array lies in the memory of a device

#include <argosy/datatype.hpp>

namespace io = argosy;

struct host_space {};
struct device_space {};

template <class Space>
struct view {
  using memory_space = Space;
  using HostMirror = view<host_space>;
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t) const { return 4; }
  std::size_t stride(std::size_t d) const { return d == 0 ? 4 : 1; }
  double* data() const { return u; }
  double* u;
};
auto buffer(view<device_space> const& g) { return io::memory(g).size(); }

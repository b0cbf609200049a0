// Values that do not fit, in local and collective calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/two_phase.hpp>

#include "catch.hpp"

namespace argosy::test {

using namespace extend;

// One value of one rank, or of all ranks, does not fit the file or the memory, at any place in a
// window. That rank gets an error, and all other values are moved.
template <communicator World, class File>
void check_values_that_do_not_fit(World const& world, File& f, any_policy const& policy,
                                  bool together) {
  int const rank = world.rank(), size = world.size();
  constexpr std::size_t count = 300;
  for (int who = -1; who < size; who += std::max(1, size / 2)) {
    std::size_t const odd = who < 0 ? 0 : who == 0 ? count - 1 : count / 2;
    CAPTURE(policy.name(), together, who, odd);
    bool const here = who < 0 || who == rank;
    auto const told = here       ? std::error_code(errc::conversion)
                      : together ? std::error_code(errc::error_on_another_rank)
                                 : std::error_code();
    // The file has four bytes for each long.
    std::vector<long> data(count), back(count), hoped(count);
    for (std::size_t i = 0; i < count; ++i)
      data[i] = hoped[i] = 1000 * rank + static_cast<long>(i) - 500;
    if (here && sizeof(long) > 4) {
      data[odd] = static_cast<long>(std::int64_t{1} << 40);
      hoped[odd] = 0;
    }
    f.set_view(4 * rank, {type<long>, vector(static_cast<std::int64_t>(count), 1, size, type<long>),
                          external32});
    std::error_code error;
    if (together)
      f.write_at_all(0, data, {policy, error});
    else
      f.write_at(0, data, {policy, error});
    if (sizeof(long) > 4) CHECK(error == told);
    world.barrier();
    CHECK(f.read_at_all(0, back, two_phase{.window_bytes = 60, .align_bytes = 512}).bytes ==
          4 * count);
    CHECK(back == hoped);

#if LDBL_MANT_DIG == 64
    // The file has binary128 numbers, one of them larger than any long double.
    std::vector<long double> wide(count), wide_back(count);
    for (std::size_t i = 0; i < count; ++i) wide[i] = rank + 0.25L * static_cast<long double>(i);
    auto const mine = vector(static_cast<std::int64_t>(count), 1, size, type<long double>);
    f.set_view(16 * rank, {type<long double>, mine, external32});
    f.write_at_all(0, wide);
    f.set_view(0, argosy::bytes(1));
    std::vector<std::byte> largest(16, std::byte{0xff});
    largest[0] = std::byte{0x7f}, largest[1] = std::byte{0xfe};
    if (here) f.write_at(16 * (static_cast<std::int64_t>(odd) * size + rank), largest);
    f.set_view(16 * rank, {type<long double>, mine, external32});
    world.barrier();
    if (together)
      f.read_at_all(0, wide_back, {policy, error});
    else
      f.read_at(0, wide_back, {policy, error});
    CHECK(error == told);
    if (here) wide_back[odd] = wide[odd];
    CHECK(wide_back == wide);
    world.barrier();
#endif
  }
}

}  // namespace argosy::test

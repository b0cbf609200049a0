// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/detail/message_prices.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <span>

#include <argosy/world/mpi.hpp>

namespace argosy::detail {
namespace {

using clock = std::chrono::steady_clock;

constexpr int most_times = 255;

// In nanoseconds.
template <class F>
double median_of(int times, F const& call) {
  std::array<double, most_times> took{};
  int const counted = std::clamp(times, 1, most_times);
  call();
  for (int i = 0; i < counted; ++i) {
    auto const begin = clock::now();
    call();
    took[static_cast<std::size_t>(i)] = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
  }
  std::nth_element(took.begin(), took.begin() + counted / 2, took.begin() + counted);
  return took[static_cast<std::size_t>(counted / 2)];
}

}  // namespace

message_prices measure_messages(mpi const& world, int times) {
  // Two of these are little of a stack.
  std::array<std::byte, std::size_t{64} << 10> out{}, in{};
  int const n = world.size(), to = (world.rank() + n / 2) % n, from = (world.rank() + n - n / 2) % n;
  constexpr int tag = 1;
  auto const exchange = [&](std::size_t bytes) {
    std::array<mpi::request, 2> both;
    both[0] = world.start_receive(std::span(in).first(bytes), from, tag);
    both[1] = world.start_send(std::span(out).first(bytes), to, tag);
    mpi::wait_all(both);
  };
  message_prices found{.round_ns = median_of(times, [&] { world.barrier(); })};
  // What a message costs however short it is, is no price of its bytes.
  double const few = median_of(times, [&] { exchange(8); }), many = median_of(times, [&] { exchange(out.size()); });
  found.byte_ns = std::max(0.0, many - few) / static_cast<double>(out.size());
  world.all_reduce(found);
  return found;
}

}  // namespace argosy::detail

// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/detail/message_prices.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include <argosy/world/mpi.hpp>

namespace argosy::detail {
namespace {

using clock = std::chrono::steady_clock;

constexpr int most_times = 255;

// Returns the median time of a call, in nanoseconds.
template <class F>
double median_of(int times, F const& call) {
  std::array<double, most_times> took{};
  int const counted = std::clamp(times, 1, most_times);
  call();
  for (int i = 0; i < counted; ++i) {
    auto const begin = clock::now();
    call();
    took[static_cast<std::size_t>(i)] =
        std::chrono::duration<double, std::nano>(clock::now() - begin).count();
  }
  std::nth_element(took.begin(), took.begin() + counted / 2, took.begin() + counted);
  return took[static_cast<std::size_t>(counted / 2)];
}

}  // namespace

std::optional<message_prices> measure_messages(mpi const& world, int times) {
  constexpr std::size_t bytes = std::size_t{64} << 10;
  std::unique_ptr<std::byte[]> const room(new (std::nothrow) std::byte[2 * bytes]());
  struct any {
    bool value;
    void combine(any const& other) { value = value || other.value; }
  } has_none{room == nullptr};
  world.all_reduce(has_none);
  if (has_none.value) return {};
  std::span<std::byte> const out(room.get(), bytes), in(room.get() + bytes, bytes);
  int const n = world.size(), to = (world.rank() + n / 2) % n,
            from = (world.rank() + n - n / 2) % n;
  constexpr int tag = 1;
  auto const exchange = [&](std::size_t some) {
    std::array<mpi::request, 2> both;
    both[0] = world.start_receive(in.first(some), from, tag);
    both[1] = world.start_send(out.first(some), to, tag);
    mpi::wait_all(both);
  };
  message_prices found{.round_ns = median_of(times, [&] { world.barrier(); })};
  // The cost of a short message is not part of the price of a byte.
  double const few = median_of(times, [&] { exchange(8); }),
               many = median_of(times, [&] { exchange(bytes); });
  found.byte_ns = std::max(0.0, many - few) / static_cast<double>(bytes);
  world.all_reduce(found);
  return found;
}

}  // namespace argosy::detail

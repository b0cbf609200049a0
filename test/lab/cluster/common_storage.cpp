// The storage that ranks agree on: the dearer of each two prices, and messages that are measured.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/file/detail/protocol/common_storage.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/world/detail/message_prices.hpp>
#include <argosy/world/self.hpp>

#include "lab/cluster/elsewhere.hpp"
#include "support/catch.hpp"

namespace io = argosy;
using io::lab::virtual_rank;
using io::test::elsewhere;

namespace {

// Returns 15 numbers. Of each of them, one of three ranks has the highest.
std::vector<double> numbers_of(int rank) {
  std::vector<double> all;
  for (int i = 0; i < 15; ++i) all.push_back(100 * i + (rank + i) % 3 + 1);
  return all;
}

io::extend::storage storage_with(std::string name, std::vector<double> const& n) {
  return {.name = std::move(name),
          .prices = {n[0], n[1], n[2], n[3], n[4]},
          .exchange = {n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12]},
          .stripe_bytes = static_cast<std::int64_t>(n[13]),
          .stripe_count = static_cast<std::int64_t>(n[14])};
}

}  // namespace

TEST_CASE("where ranks are on several file systems the dearer of each two prices counts",
          "[automatic][prices][virtual]") {
  bool const same_name = GENERATE(true, false);
  int const shift = GENERATE(0, 1, 2);   // gives each rank the highest of each once
  int const odd = GENERATE(0, 1, 2, 3);  // the rank with traits of its own; 3: none
  io::lab::virtual_cluster({.ranks = 3}).run([&](virtual_rank const& world) {
    bool const differs = world.rank() == odd;
    io::extend::storage mine =
        storage_with(same_name || world.rank() != 1 ? "a" : "b", numbers_of(world.rank() + shift));
    mine.over_network = mine.separate_caches = mine.reads_late = differs;
    mine.exact_writes = !differs;
    io::extend::storage const all = io::detail::common_storage(world, elsewhere({}, mine), false);
    std::vector<double> highest(15);
    for (int i = 0; i < 15; ++i) highest[static_cast<std::size_t>(i)] = 100 * i + 3;
    io::extend::storage const expected = storage_with("", highest);
    CHECK(all.name == (same_name ? "a" : "several file systems"));
    CHECK(all.prices == expected.prices);
    CHECK(all.exchange == expected.exchange);
    CHECK(all.stripe_bytes == expected.stripe_bytes);
    CHECK(all.stripe_count == expected.stripe_count);
    CHECK(all.over_network == (odd < 3));
    CHECK(all.separate_caches == (odd < 3));
    CHECK(all.reads_late == (odd < 3));
    CHECK(all.exact_writes == (odd == 3));
  });
}

namespace priced {

using io::detail::message_prices;

// One rank of a world whose messages are worth measuring.
class world : public io::self {
 public:
  mutable std::optional<message_prices> kept = {};
  mutable int measured = 0;

  std::optional<message_prices> kept_prices() const { return kept; }
  void keep_prices(message_prices p) const { kept = p; }
};
static_assert(io::detail::priced<world>);

// Found by its argument instead of the function that measures MPI.
std::optional<message_prices> measure_messages(world const& w, int) {
  ++w.measured;
  return message_prices{.round_ns = 1e9, .byte_ns = 1e6};
}

}  // namespace priced

TEST_CASE("messages are measured once, by ranks that are not near", "[automatic][prices]") {
  auto const exchange = [](priced::world const& w, bool near) {
    return io::detail::common_storage(w, elsewhere({}, storage_with("a", numbers_of(0))), near)
        .exchange;
  };
  priced::world w;
  CHECK(exchange(w, true).round_ns < 1e9);
  CHECK((w.measured == 0 && !w.kept));
  CHECK(exchange(w, false).round_ns == 1e9);
  CHECK(exchange(w, false).byte_ns == 1e6);
  CHECK(w.measured == 1);
  CHECK(w.kept == priced::message_prices{1e9, 1e6});

  io::detail::storage_of_ranks one{}, other{};
  other.messages = {.round_ns = 3, .byte_ns = 4};
  one.combine(other);
  CHECK(one.messages == other.messages);
}

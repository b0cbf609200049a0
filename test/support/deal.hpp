// A file whose bytes are dealt to the ranks at random, for tests of collective calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/world/communicator.hpp>

#include "catch.hpp"
#include "random.hpp"
#include "seed.hpp"

namespace argosy::test {

using namespace extend;

using bytes = std::vector<std::byte>;

template <communicator World>
std::int64_t sum(World const& world, std::int64_t mine) {
  argosy::detail::reducible_sum all{mine};
  world.all_reduce(all);
  return all.value;
}
template <communicator World>
bool everywhere(World const& world, bool here) {
  return sum(world, here ? 0 : 1) == 0;
}

constexpr std::byte left_alone{0xee};

// A file dealt to the ranks at random, unit by unit: the units of each rank, and the data that each
// rank writes. Equal on every rank.
struct deal {
  std::int64_t unit, slots, displacement;
  // offsets of each rank's units, relative to the displacement
  std::vector<std::vector<std::int64_t>> offsets;
  bytes before, after;
  std::vector<bytes> data;

  deal(engine& random, int ranks, bool holes, bool overlap) {
    unit = pick(random, 0, 2) == 0 ? 1 : pick(random, 1, 40);
    slots = pick(random, 1, 4000);
    displacement = pick(random, 0, 3) == 0 ? pick(random, 0, 100) : 0;
    std::int64_t const longest = pick(random, 1, 30);
    offsets.resize(static_cast<std::size_t>(ranks));
    bool const clusters = pick(random, 0, 3) == 0;  // groups of units with wide gaps between them
    for (std::int64_t s = 0; s < slots;) {
      if (clusters && pick(random, 0, 9) == 0) s += pick(random, 0, slots / 2);
      auto const who = static_cast<std::size_t>(pick(random, 0, ranks - (holes ? 0 : 1)));
      for (std::int64_t n = pick(random, 1, longest); n > 0 && s < slots; --n, ++s)
        if (who < offsets.size()) offsets[who].push_back(s * unit);
    }
    if (pick(random, 0, 9) == 0)
      offsets[static_cast<std::size_t>(pick(random, 0, ranks - 1))].clear();
    if (overlap && ranks > 1) offsets[1] = offsets[0];  // two ranks write the same bytes
    before.resize(static_cast<std::size_t>(slots * unit + displacement + pick(random, 0, 50)));
    for (std::byte& b : before) b = static_cast<std::byte>(random());
    after = before;
    data.resize(offsets.size());
    for (std::size_t r = 0; r < data.size(); ++r) {
      bool const copies = overlap && r == 1;
      for (std::int64_t const offset : offsets[r])
        for (std::int64_t b = 0; b < unit; ++b) {
          std::byte& place = after[static_cast<std::size_t>(displacement + offset + b)];
          if (!copies) place = static_cast<std::byte>(random());
          data[r].push_back(place);
        }
    }
  }
  // Makes a deal in which pieces of several ranks overlap and carry the same bytes, as ghost cells
  // do. A rank has data in every window or only in some, and owns most units or few.
  static deal with_ghosts(engine& random, int ranks, std::int64_t window_bytes) {
    deal d;
    d.unit = pick(random, 0, 1) == 0 ? 1 : 4 * pick(random, 1, 3);
    d.slots = pick(random, 2, 12) * window_bytes / d.unit;
    d.displacement = 0;
    d.offsets.resize(static_cast<std::size_t>(ranks));
    for (auto& places : d.offsets) {
      std::int64_t const every = pick(random, 1, 3), first = pick(random, 0, every - 1),
                         percent = pick(random, 10, 99);
      for (std::int64_t s = 0; s < d.slots; ++s)
        if (s * d.unit / window_bytes % every == first && pick(random, 0, 99) < percent)
          places.push_back(s * d.unit);
    }
    d.before.resize(static_cast<std::size_t>(d.slots * d.unit + pick(random, 0, 50)));
    for (std::byte& b : d.before) b = static_cast<std::byte>(random());
    bytes all = d.after = d.before;
    for (std::byte& b : all) b = static_cast<std::byte>(random());
    for (int rank = 0; rank < ranks; ++rank) {
      bytes& mine = d.data.emplace_back(d.offsets[static_cast<std::size_t>(rank)].size() *
                                        static_cast<std::size_t>(d.unit));
      d.for_each_byte(rank, [&](std::int64_t offset, std::size_t k) {
        auto const at = static_cast<std::size_t>(offset);
        mine[k] = d.after[at] = all[at];
      });
    }
    return d;
  }
  // Returns a random end of file at which the test truncates: the whole length half of the time.
  std::int64_t some_end(engine& random) const {
    auto const whole = static_cast<std::int64_t>(after.size());
    return pick(random, 0, 1) == 0 ? whole : pick(random, 0, whole);
  }
  // Returns the bytes that a rank reads if the file ends at `end`. Memory behind the end stays
  // `left_alone`.
  bytes read_back(int rank, std::int64_t end) const {
    bytes all = data[static_cast<std::size_t>(rank)];
    for_each_byte(rank, [&](std::int64_t offset, std::size_t k) {
      if (offset >= end) all[k] = left_alone;
    });
    return all;
  }
  std::int64_t bytes_before(int rank, std::int64_t end) const {
    std::int64_t n = 0;
    for_each_byte(rank, [&](std::int64_t offset, std::size_t) { n += offset < end ? 1 : 0; });
    return n;
  }
  std::int64_t tile() const { return std::max<std::int64_t>(1, slots * unit); }
  // Returns the bytes of `content` at the offsets of a rank.
  bytes of(int rank, bytes const& content) const {
    bytes all(data[static_cast<std::size_t>(rank)].size());
    for_each_byte(rank, [&](std::int64_t offset, std::size_t k) {
      all[k] = content[static_cast<std::size_t>(offset)];
    });
    return all;
  }
  // Returns `content` with the bytes of all ranks set to 0, so that only the gaps remain.
  bytes of_nobody(bytes content) const {
    for (int rank = 0; rank < static_cast<int>(offsets.size()); ++rank)
      for_each_byte(rank, [&](std::int64_t offset, std::size_t) {
        content[static_cast<std::size_t>(offset)] = std::byte{};
      });
    return content;
  }
  template <class File>
  void set_view(File& f, int rank) const {
    f.set_view(displacement,
               {contiguous(unit, type<std::byte>),
                resized(table(offsets[static_cast<std::size_t>(rank)], unit), 0, tile())});
  }

 private:
  deal() = default;
  template <class F>
  void for_each_byte(int rank, F&& f) const {
    std::size_t k = 0;
    for (std::int64_t const offset : offsets[static_cast<std::size_t>(rank)])
      for (std::int64_t b = 0; b < unit; ++b) f(displacement + offset + b, k++);
  }
};

template <class File, communicator World>
void fill(File& f, World const& world, bytes const& content) {
  f.set_view(0, argosy::bytes(1));
  f.set_size(0);
  if (world.rank() == 0) f.write_at(0, content);
  world.barrier();
}
template <class File>
bytes content_of(File& f) {
  f.set_view(0, argosy::bytes(1));
  bytes all(static_cast<std::size_t>(f.size()));
  f.read_at(0, all);
  return all;
}

}  // namespace argosy::test

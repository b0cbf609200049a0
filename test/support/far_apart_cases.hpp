// Collective calls whose data lies far apart: the cost of a call must follow its data, not the
// span.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/communicator.hpp>

#include "catch.hpp"
#include "random.hpp"
#include "seed.hpp"
#include "shared_scratch.hpp"

namespace argosy::test {

using namespace extend;

// Slots of 64 bytes in clusters that are up to `span` bytes apart. Each slot is dealt to a rank or
// to none. The piece of a rank fills a part of its slot. Equal on every rank.
struct far_apart {
  static constexpr std::int64_t slot_bytes = 64;
  struct slot {
    std::int64_t offset, length;
    int rank;
  };
  std::vector<slot> slots;

  far_apart(engine& random, int ranks, std::int64_t span) {
    std::set<std::int64_t> clusters{0};
    for (std::int64_t i = pick(random, 0, 5); i >= 0; --i)
      clusters.insert(pick(random, 0, span / 4096) * 4096);
    for (std::int64_t const at : clusters)
      for (std::int64_t i = 0, n = pick(random, 1, 60); i < n; ++i)
        slots.push_back({at + i * slot_bytes, pick(random, 1, slot_bytes - 1),
                         static_cast<int>(pick(random, 0, ranks))});
  }
  std::vector<slot> of(int rank) const {
    std::vector<slot> mine;
    std::copy_if(slots.begin(), slots.end(), std::back_inserter(mine),
                 [&](slot const& s) { return s.rank == rank; });
    return mine;
  }
};

template <communicator World>
void check_far_apart(World const& world, int rounds, std::int64_t span, std::string const& path,
                     opener files) {
  engine random(seed());
  for (int round = 0; round < rounds; ++round) {
    far_apart const all(random, world.size(), span);
    any_policy const policy = round % 3 == 0   ? any_policy(two_phase{.window_bytes = 4096})
                              : round % 3 == 1 ? any_policy(two_phase{})
                                               : any_policy(data_shipping{.stripe_bytes = 4096});
    CAPTURE(seed(), round, world.rank());
    std::vector<std::int64_t> offsets, lengths;
    std::vector<std::byte> data;
    auto const value = [&](std::int64_t offset) {
      return static_cast<std::byte>(offset / 8 % 256 * 31 + offset % 256 + round + 1);
    };
    for (far_apart::slot const& s : all.of(world.rank())) {
      offsets.push_back(s.offset);
      lengths.push_back(s.length);
      for (std::int64_t i = 0; i < s.length; ++i) data.push_back(value(s.offset + i));
    }
    auto f = basic_file<World>::open(
        world, path, mode::create | mode::read_write | mode::delete_on_close, {}, files);
    if (!offsets.empty())
      f.set_view(0, {type<std::byte>, table(offsets, lengths)});
    else
      f.set_view(0, {type<std::byte>, type<std::byte>});
    report const put = f.write_at_all(0, data, policy);
    CHECK(put.bytes == static_cast<std::int64_t>(data.size()));
    CHECK(put.rounds <= static_cast<std::int64_t>(all.slots.size()) + 16);
    std::vector<std::byte> back(data.size());
    report const got = f.read_at_all(0, back, policy);
    CHECK(got.rounds <= static_cast<std::int64_t>(all.slots.size()) + 16);
    CHECK(back == data);
    // Checks all slots in the file. Bytes that belong to no rank must be unchanged.
    f.set_view(0, {type<std::byte>, type<std::byte>});
    for (far_apart::slot const& s : all.slots) {
      std::vector<std::byte> there(far_apart::slot_bytes), expected(there.size());
      std::int64_t const n = f.read_at(s.offset, there).bytes;
      if (s.rank < world.size())
        for (std::int64_t i = 0; i < s.length; ++i)
          expected[static_cast<std::size_t>(i)] = value(s.offset + i);
      there.resize(static_cast<std::size_t>(n));
      expected.resize(there.size());
      REQUIRE(there == expected);
    }
    f.close();
  }
}

template <communicator World>
void check_far_apart(World const& world, int rounds, std::int64_t span) {
  shared_scratch const dir(world);
  check_far_apart(world, rounds, span, dir / "f", posix_opener());
}

}  // namespace argosy::test

// Shares of elements, in any world. Called by all ranks, for any number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <argosy/error/error.hpp>
#include <argosy/world/share_of.hpp>

#include "catch.hpp"

namespace argosy::test {

using namespace extend;

// `share` calls share_of with the communicator that is tested.
template <class Share>
void check_shares(int rank, int ranks, Share&& share) {
  CHECK(share(rank + 2) == rank_share{rank * (rank + 3) / 2, ranks * (ranks + 3) / 2});
  CHECK(share(0u) == rank_share{0, 0});
  std::int64_t const big = std::numeric_limits<std::int64_t>::max() / ranks;
  CHECK(share(big) == rank_share{rank * big, ranks * big});

  auto const refused = [&](auto count, bool here, std::string const& words) {
    try {
      share(count);
      FAIL("nothing was thrown");
    } catch (error const& e) {
      CHECK(e.code() == (here ? errc::argument : errc::error_on_another_rank));
      CHECK_THAT(e.what(), Catch::Matchers::ContainsSubstring(words));
    }
  };
  int const last = ranks - 1;
  refused(rank == last ? -7 : 7, rank == last, "share_of failed on rank " + std::to_string(last));
  refused(rank == last ? -7 : 7, rank == last, "the number of elements is -7; give 0 or more");
  refused(-1, rank == 0, "failed on rank 0");
  std::uint64_t const beyond = std::uint64_t{1} << 63;
  refused(rank == last ? beyond : 1, rank == last,
          "the number of elements does not fit into 64 bits");
  // Each count fits, but the sum does not: an error on all ranks.
  if (ranks > 1) {
    refused(rank == 0 ? std::numeric_limits<std::int64_t>::max() : std::int64_t{rank == last}, true,
            "all ranks together have 2^63 elements or more");
    refused(std::numeric_limits<std::int64_t>::max(), true, "2^63 elements or more");
  }
  CHECK(share(1) == rank_share{rank, ranks});
}

}  // namespace argosy::test

// Shared by tests of virtual ranks: a program that makes every kind of call, and the error text of
// a run that fails.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/error/errc.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/world_cases.hpp"

namespace argosy::test {

inline constexpr lab::virtual_options roomy{.stack_bytes = std::size_t{1} << 20};

// Each rank sends messages of any length to some others, computes, and takes part in collective
// calls.
inline void busy(lab::virtual_rank const& world) {
  int const n = world.size(), me = world.rank();
  for (int round = 0; round < 5; ++round) {
    std::vector<lab::virtual_rank::request> requests;
    std::vector<bytes> in, out;
    for (int d = 1; d <= std::min(n, 4); ++d) {
      auto const size = static_cast<std::size_t>((round * 7919 + d * 104729) % 30000);
      in.emplace_back(size);
      out.push_back(content(size, me, static_cast<std::size_t>(d)));
    }
    for (int d = 1; d <= std::min(n, 4); ++d) {
      requests.push_back(
          world.start_receive(in[static_cast<std::size_t>(d - 1)], (me + n - d % n) % n, d));
      requests.push_back(world.start_send(out[static_cast<std::size_t>(d - 1)], (me + d) % n, d));
    }
    world.compute(1e-6 * ((me * 31 + round) % 17));
    lab::virtual_rank::wait_all(requests);
    for (int d = 1; d <= std::min(n, 4); ++d)
      if (in[static_cast<std::size_t>(d - 1)] != content(in[static_cast<std::size_t>(d - 1)].size(),
                                                         (me + n - d % n) % n,
                                                         static_cast<std::size_t>(d)))
        throw std::runtime_error("wrong bytes");
    argosy::detail::reducible_sum sum{1};
    world.all_reduce(sum);
    if (sum.value != n) throw std::runtime_error("wrong sum");
  }
}

inline std::string what_of(lab::virtual_cluster const& cluster,
                           std::function<void(lab::virtual_rank const&)> const& program,
                           lab::virtual_run_error::reason why) {
  try {
    cluster.run(program);
  } catch (lab::virtual_run_error const& e) {
    CHECK(e.why() == why);
    return e.what();
  }
  FAIL("the run came to its end");
  return {};
}

}  // namespace argosy::test

// The snippets of docs/use/worlds.md, in its order. Their claims are asserted. Run: snippets_worlds
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/communicator.hpp>
#include <argosy/world/memory_world.hpp>
#include <argosy/world/mpi.hpp>
#include <argosy/world/self.hpp>
#include <argosy/world/shared_memory.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace io = argosy;

// [reducible]
// A value that ranks reduce: the longest of all.
struct longest {
  std::int64_t bytes = 0;
  void combine(longest const& other) { bytes = std::max(bytes, other.bytes); }
};
static_assert(io::extend::reducible<longest>);
// [reducible]

// [concepts]
static_assert(io::communicator<io::mpi> && io::communicator<io::self>);
static_assert(io::extend::agreeing<io::extend::memory_world> &&
              io::extend::node_sharing<io::extend::memory_world>);
static_assert(!io::extend::messaging<
              io::extend::memory_world>);  // its ranks share memory, and send no messages
// [concepts]

int main() {
  // [memory_world]
  // Four threads as ranks of a world, on memory of this process.
  constexpr int ranks = 4;
  io::extend::shared_memory const memory =
      io::extend::shared_memory::private_zeros(io::extend::memory_world::bytes_for(ranks));
  std::vector<std::int64_t> seen(ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      io::extend::memory_world const world(memory.part(0, memory.bytes().size()), r, ranks);
      longest all{10 * (r + 1)};
      world.all_reduce(all);
      seen[static_cast<std::size_t>(r)] = all.bytes;
    });
  for (std::thread& t : threads) t.join();
  // [memory_world]
  if (std::count(seen.begin(), seen.end(), 40) == ranks) return 0;
  std::fprintf(stderr, "not true: all ranks have the longest\n");
  return 1;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "remote_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "real_files.hpp"
#include "remote_meeting.hpp"
#include "run_on.hpp"
#include "support/fault_shim.hpp"
#include "support/nodes_world.hpp"

namespace argosy::explore {

using namespace extend;

namespace {

// Processes of one machine, on nodes as the program says.
class process_world : public test::nodes_world {
 public:
  process_world(mpi inner, shape s) : nodes_world(inner, s), shape_(s) {}

  process_world duplicate() const { return {mpi::duplicate(), shape_}; }
  process_world split(int colour, int key) const { return {mpi::split(colour, key), shape_}; }
  process_world node() const {
    nodes_world const n = nodes_world::node();
    return {n, shape_};
  }
  // Sleeps long enough for other ranks to overtake.
  void compute(double seconds) const {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 1e-3)));
  }

 private:
  shape shape_;
};
static_assert(communicator<process_world> && argosy::extend::node_waiting<process_world> &&
              serving<process_world>);

// In some programs the ranks of a node are not neighbours, and in some a node has no room for
// shared memory.
test::nodes_world::shape shape_of(lab::scenario const& w) {
  return {.per_node = std::max(w.ranks_per_node, 1),
          .dealt = mixed(w.seed, 1) % 3 == 0,
          .shares = mixed(w.seed, 2) % 4 != 0};
}

void run_here(program const& p, ground const& g, mpi const& world, changes const& c,
              process_verdict& v) {
  int const me = world.rank();
  real_files files(g.directory, me == 0);
  session s(p, files, me);
  g.place.barrier(world.size());  // the initial files exist now
  if (argosy_faults(g.directory.c_str(), system_faults(p, me).c_str()) != 0)
    throw std::logic_error("the shim does not understand " + system_faults(p, me));
  remote_meeting meeting(s, g.place, world.size(), g.began);
  try {
    process_world const mine(world, shape_of(p.world));
    opener seen = with_witness(c.files ? c.files(files.files(), me) : files.files(), s, me);
    if (c.above) seen = c.above(std::move(seen), me);
    actor(s, mine, c, std::move(seen), &meeting).run();
    meeting.end();
  } catch (found_wrong const& e) {
    v.wrong = e.what();
  }
  v.struck = argosy_faults_struck();
  argosy_faults(nullptr, nullptr);
  v.features = s.features;
  g.began(-1, "(when all is over)");
  g.place.barrier(world.size());
  if (me == 0) files.remove();
  g.place.barrier(world.size());
}

}  // namespace

process_verdict verdict_on_processes(program const& program_of_seed, ground const& g,
                                     changes const& c) {
  program const p = for_processes(program_of_seed);
  int const ranks = p.world.ranks;
  if (ranks > g.world.size())
    throw std::invalid_argument("the program has more ranks than there are processes");
  g.began(-1, "(before the first step)");
  process_verdict v;
  bool const here = g.world.rank() < ranks;
  if (ranks == g.world.size())
    run_here(p, g, g.world, c, v);
  else if (mpi const part = g.world.split(here ? 0 : 1, 0); here)
    run_here(p, g, part, c, v);
  g.began(-1, "(waiting for the next program)");
  int const all = g.world.size();
  v.wrong = g.place.first(v.wrong, all);
  std::vector<std::vector<std::byte>> const struck =
      g.place.gather(std::as_bytes(std::span(&v.struck, 1)), all);
  v.struck = 0;
  for (auto const& of_rank : struck) {
    std::int64_t n = 0;
    std::memcpy(&n, of_rank.data(), sizeof n);
    v.struck += n;
  }
  return v;
}

}  // namespace argosy::explore

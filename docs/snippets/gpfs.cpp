// The code of docs/use/gpfs.md. The program runs it, and checks what the page claims.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <iostream>
#include <span>
#include <sstream>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

namespace io = argosy;

namespace {

void require(bool well, char const* what) {
  if (well) return;
  std::cerr << "docs/snippets/gpfs.cpp: " << what << "\n";
  std::exit(1);
}

// [gpfs_code]
template <io::communicator World>
void save(World const& world, std::vector<double> const& u, io::opener files,
          io::extend::any_policy policy) {
  auto const n = static_cast<std::int64_t>(u.size());
  auto f =
      io::basic_file<World>::open(world, "state", io::mode::create | io::mode::write, {}, files);
  f.set_view(0, io::darray<double, 1>({n * world.size()}, {io::distribute::cyclic(2)},
                                      {world.size()}, world.rank()));
  f.write_all(u, policy);
  f.close();
}
// [gpfs_code]

void run_it() {
  std::int64_t revocations[2] = {};
  int k = 0;
  // [gpfs_run]
  for (io::extend::any_policy const& policy :
       {io::extend::any_policy(io::independent()), io::extend::any_policy(io::two_phase())}) {
    io::lab::virtual_gpfs files({.block_bytes = 65536}, 4);  // for a cluster of 4 nodes
    io::lab::virtual_cluster const cluster({.ranks = 16, .ranks_per_node = 4, .seed = 7});
    io::lab::virtual_report const r = cluster.run([&](io::lab::virtual_rank const& world) {
      save(world, std::vector<double>(1000, world.rank()), files.opener(), policy);
    });
    // the sum over all nodes; counters(3) has one node
    io::lab::gpfs::client_counters const c = files.counters();
    std::cout << policy.name() << ": " << r.seconds << " s, " << c.revokes_sent << " revocations, "
              << c.block_writes << " blocks written\n";
    revocations[k++] = c.revokes_sent;
  }
  // [gpfs_run]
  require(revocations[0] > revocations[1], "two-phase takes blocks away from others, too");
}

void say_the_machine() {
  // [gpfs_machine]
  std::istringstream text(
      "block_bytes 262144  # a file of such lines will do\nservers 20\ndisk_us 5000\n");
  io::lab::gpfs::machine const machine = io::lab::gpfs::read_machine(text);
  auto const troubles = io::lab::gpfs::parse_troubles(
      "seed=7 delay_ns=100000 fault=server:3,call:write,first:10,error:EIO");
  io::lab::virtual_gpfs const files(machine, 64, troubles);
  // [gpfs_machine]
  require(files.system().hardware().servers == 20, "the machine was not read");
}

void lose_something() {
  int told = 0;
  // [gpfs_late]
  io::lab::virtual_gpfs files(
      {}, 2, io::lab::gpfs::parse_troubles("fault=server:-1,call:write,times:1,error:ENOSPC"));
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1})
      .run([&](io::lab::virtual_rank const& world) {
        auto f = io::basic_file<io::lab::virtual_rank>::open(
            world, "state", io::mode::create | io::mode::read_write, {}, files.opener());
        std::vector<double> const u(100, 1.0);
        std::vector<double> seen(100, 9.0);
        if (world.rank() == 0)
          f.write_at(0, u);  // succeeds, because the data is in the page pool of node 0
        world.barrier();
        if (world.rank() == 1)
          f.read_at(0, seen);  // node 0 must give up its token, and its disk is full
        std::error_code error;
        f.sync(error);  // rank 0 gets the error, and the other ranks learn that a rank failed
        if (error == (world.rank() == 0 ? io::errc::no_space : io::errc::error_on_another_rank))
          ++told;
        f.close(error);
      });
  // [gpfs_late]
  require(told == 2, "a loss that nobody was told of");
}

void hint_it() {
  std::error_code error;
  // [gpfs_hint]
  io::lab::virtual_gpfs const files({}, 1);
  io::lab::virtual_cluster({.ranks = 1}).run([&](io::lab::virtual_rank const&) {
    io::lab::virtual_gpfs_handle f =
        files.open("state", {.read = true, .write = true, .create = true}, error);
    struct {
      io::lab::gpfs::gpfsFcntlHeader_t header{sizeof(header) + sizeof(free)};
      io::lab::gpfs::gpfsFreeRange_t free;  // 0, 0 is the whole file
    } hint;
    error = f.fcntl(hint);  // flushes, and gives back all tokens
  });
  // [gpfs_hint]
  require(!error, "the hint failed");
}

}  // namespace

int main() {
  run_it();
  say_the_machine();
  lose_something();
  hint_it();
}

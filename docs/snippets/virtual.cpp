// The code of docs/use/virtual.md. The program runs it, and checks what the page claims.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

namespace io = argosy;

namespace {

void require(bool well, char const* what) {
  if (well) return;
  std::cerr << "docs/snippets/virtual.cpp: " << what << "\n";
  std::exit(1);
}

// [virtual_code]
template <io::communicator World>
void save(World const& world, std::vector<double> const& u, io::opener files) {
  auto const n = static_cast<std::int64_t>(u.size());
  auto f =
      io::basic_file<World>::open(world, "state", io::mode::create | io::mode::write, {}, files);
  f.set_view(0, io::darray<double, 1>({n * world.size()}, {io::distribute::cyclic(2)},
                                      {world.size()}, world.rank()));
  f.write_all(u);
  f.sync();
  f.close();
}
// [virtual_code]

void run_it() {
  // [virtual_run]
  io::lab::virtual_files files;  // in memory; they outlive the run
  io::lab::virtual_cluster const cluster({.ranks = 64, .ranks_per_node = 16, .seed = 7});
  io::lab::virtual_report const r = cluster.run([&](io::lab::virtual_rank const& world) {
    std::vector<double> const u(1000, world.rank());
    save(world, u, files.opener());
  });
  std::cout << to_string(r) << "\n";
  // [virtual_run]
  require(files.content("state").size() == 64 * 1000 * sizeof(double), "the file is too short");
}

void break_it() {
  // [virtual_faults]
  for (std::int64_t k = 1; k <= 3; ++k) {
    io::lab::scenario s{.ranks = 8, .ranks_per_node = 4, .seed = 1};
    s.faults.push_back(
        {.rank = 5, .what = io::fail_at(io::file_call::write, k, std::errc::no_space_on_device)});
    io::lab::virtual_files files;
    int informed = 0;
    io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
      try {
        save(world, std::vector<double>(1000, world.rank()), files.opener());
      } catch (io::error const& e) {
        informed += e.cause() == std::errc::no_space_on_device && e.failed_rank() == 5;
      }
    });
    require(informed == 0 || informed == 8, "some ranks know, others do not");  // the ranks agree
  }
  // [virtual_faults]
}

void kill_it() {
  // [virtual_death]
  io::lab::scenario s{.ranks = 8, .ranks_per_node = 4, .seed = 1};
  // its twentieth message, collective call, file call, ...
  s.deaths.push_back({.rank = 3, .operation = 20});
  io::lab::virtual_files files;
  int survivors = 0;
  io::lab::virtual_cluster(s).run([&](io::lab::virtual_rank const& world) {
    try {
      save(world, std::vector<double>(1000, world.rank()), files.opener());
    } catch (io::error const& e) {
      survivors += e.code() == io::errc::rank_failed;
    }
  });
  // [virtual_death]
  require(survivors == 7, "survivors were not told");
}

void crash_it() {
  io::lab::virtual_cluster const cluster({.ranks = 4});
  // [virtual_crash]
  io::lab::virtual_files files;
  cluster.run([&](io::lab::virtual_rank const& world) {
    save(world, std::vector<double>(1000, 1.0), files.opener());
  });
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    // the power fails now; `left` is the state after that
    io::lab::virtual_files const left = files.crash(seed);
    if (left.content("state") != files.content("state"))
      std::cout << "lost in crash " << seed << "\n";
  }
  // [virtual_crash]
  require(files.crash(1).content("state") == files.content("state"), "synced data is lost");
}

void deadlock_it() {
  std::string words;
  // [virtual_deadlock]
  try {
    io::lab::virtual_files files;
    io::lab::virtual_cluster({.ranks = 3}).run([&](io::lab::virtual_rank const& world) {
      auto f = io::basic_file<io::lab::virtual_rank>::open(
          world, "state", io::mode::create | io::mode::write, {}, files.opener());
      std::vector<double> const u(10, world.rank());
      // The author believed that rank 1 has nothing to write.
      if (world.rank() != 1) f.write_at_all(80 * world.rank(), u);
    });
  } catch (io::lab::virtual_run_error const& e) {
    words = e.what();
  }
  // [virtual_deadlock]
  require(words.find("for rank 1 (which has left its program)") != std::string::npos,
          "the deadlock is not named");
}

void draw_it(std::string const& path) {
  io::lab::virtual_files files;
  // [virtual_timeline]
  io::lab::virtual_cluster const cluster({.ranks = 8, .ranks_per_node = 4}, {.timeline = true});
  io::lab::virtual_report const r = cluster.run([&](io::lab::virtual_rank const& world) {
    save(world, std::vector<double>(1000, 1.0), files.opener());
  });
  std::ofstream(path) << timeline_json(r);  // for chrome://tracing or ui.perfetto.dev
  // [virtual_timeline]
  require(!r.timeline.empty(), "there is no timeline");
}

}  // namespace

int main(int argc, char** argv) {
  run_it();
  break_it();
  kill_it();
  crash_it();
  deadlock_it();
  draw_it(argc > 1 ? argv[1] : "/dev/null");
}

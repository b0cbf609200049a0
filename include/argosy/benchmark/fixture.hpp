// A case with a file: any world, any opener, the time of the slowest rank, and counters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include <argosy/benchmark/ranks_case.hpp>
#include <argosy/file/any_world.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/mpi.hpp>

namespace argosy::bench {

// How the file of a fixture is opened.
struct file_setting {
  argosy::mode modes = mode::create | mode::read_write;
  argosy::hints with = {};
  opener files = posix_opener();
};

// Opens a file for a case, and removes it at the end of the case.
//
//   void tile(benchmark::State& state) {
//     io::bench::fixture on(state, MPI_COMM_WORLD, "/dev/shm/tile");
//     on.prepare([&] { on.file().set_view(0, my_part); });
//     on.run([&] { return on.file().write_at_all(0, data); });
//   }
//   BENCHMARK(tile)->UseManualTime();
//
// Each case needs a path of its own, equal on all ranks. Google Benchmark calls the function of a
// case several times, so each call has a new file. For the rules of registration and of errors see
// ranks_case.hpp.
template <communicator World = mpi>
class fixture {
 public:
  // Opens the file. Collective. If that fails, the case fails on all ranks, and prepare() and run()
  // do nothing.
  fixture(benchmark::State& state, World const& world, std::string const& path,
          file_setting const& how = {})
      : all_(state, world, path), path_(path), files_(how.files) {
    all_.prepare(
        [&] { file_ = basic_file<World>::open(world, path, how.modes, how.with, how.files); });
    opened_ = !all_.failed();
  }
  fixture(fixture const&) = delete;
  fixture& operator=(fixture const&) = delete;
  // Closes the file on this rank, and removes it on rank 0. Waits for no other rank.
  ~fixture() {
    file_ = {};
    if (opened_ && all_.world().rank() == 0) files_.remove(path_);
  }

  // Returns the file. It is not open if the case has failed.
  basic_file<World>& file() noexcept { return file_; }
  World const& world() const noexcept { return all_.world(); }
  bool failed() const noexcept { return all_.failed(); }

  // Calls `body` once, outside of the timing. Collective. Does nothing if the case has failed.
  template <class Body>
  void prepare(Body&& body) {
    all_.prepare(std::forward<Body>(body));
  }
  // Calls `body` in each iteration, and another function before it, which is not timed. Collective.
  // See ranks_case::run.
  template <class Body, class... Before>
  void run(Body&& body, Before&&... before) {
    all_.run(std::forward<Body>(body), std::forward<Before>(before)...);
  }

 private:
  ranks_case<World> all_;
  std::string path_;
  opener files_;
  basic_file<World> file_;
  bool opened_ = false;
};

template <extend::mpi_handle C, class... More>
fixture(benchmark::State&, C const&, std::string const&, More const&...) -> fixture<mpi>;
template <communicator World, class... More>
fixture(benchmark::State&, World const&, std::string const&, More const&...) -> fixture<World>;

}  // namespace argosy::bench

// ARGOSY_WATCH: a rank that waits long in a collective call reports once, on standard error, for
// which rank it waits.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/handle/forwarding.hpp>

#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"
#include "support/standard_error.hpp"

namespace io = argosy;
using namespace io::test;
using namespace std::chrono_literals;
using Catch::Contains;
using io::mode;

namespace {

io::mpi const& world() {
  static io::mpi const all(MPI_COMM_WORLD);
  return all;
}
int rank() { return world().rank(); }
int size() { return world().size(); }

// Returns how late a rank comes: three times as long as the others wait before they report. With a
// single rank, no rank waits.
std::chrono::milliseconds late_by() { return size() > 1 ? 750ms : 0ms; }

struct watched {
  explicit watched(char const* seconds) {
    if (seconds) ::setenv("ARGOSY_WATCH", seconds, 1);
  }
  ~watched() { ::unsetenv("ARGOSY_WATCH"); }
};

}  // namespace

TEST_CASE("a rank that waits in a collective call says for whom", "[file][watch]") {
  watched const on("0.25");
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  for (int late = 0; late < size(); ++late) {
    f.sync();
    std::string const said = errors_of([&] {
      if (rank() == late) std::this_thread::sleep_for(late_by());
      f.set_size(100);
    });
    INFO(said);
    if (rank() == late) {
      CHECK_THAT(said, !Contains("(last seen in"));
      continue;
    }
    CHECK_THAT(said, Contains("argosy: rank " + std::to_string(rank()) + " has waited 0."));
    CHECK_THAT(said, Contains("in set_size at ") && Contains("watch.cpp:") && Contains("data'"));
    CHECK_THAT(said, Contains("for rank " + std::to_string(late) + " (last seen in sync at "));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  }
  f.close();
}

TEST_CASE("a request that waits for ranks which have not begun it says so", "[file][watch]") {
  watched const on("0.25");
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  int const late = size() - 1;
  std::vector<char> const data(10);
  f.sync();
  for (bool const by_sync : {false, true}) {
    std::string const said = errors_of([&] {
      if (rank() == late) std::this_thread::sleep_for(late_by());
      auto r = f.iwrite_at_all(10 * rank(), data);
      if (by_sync) f.sync();  // waits for the request, too
      r.wait();
    });
    CAPTURE(said, by_sync);
    // The late rank was last seen in a call of the other kind, or in one that has ended.
    if (rank() != late)
      CHECK_THAT(
          said,
          Contains("in iwrite_at_all at ") && Contains("for rank " + std::to_string(late)) &&
              Contains(by_sync ? "(last seen in iwrite_at_all at " : "(last seen in sync at "));
  }
  f.close();
}

TEST_CASE("a rank that comes late to open is waited for, though nobody knows which",
          "[file][watch]") {
  watched const on("0.25");
  shared_scratch const here(world());
  std::string const said = errors_of([&] {
    if (rank() == 0) std::this_thread::sleep_for(late_by());
    io::file::open(world(), here / "data", mode::create | mode::read_write).close();
  });
  if (rank() != 0) CHECK_THAT(said, Contains("in open at ") && Contains("for other ranks"));
}

TEST_CASE("one rank may watch for itself, and without shared memory a rank says that it waits",
          "[file][watch]") {
  watched const on(rank() == 0 ? "0.25" : nullptr);
  shared_scratch const here(world());
  auto const waits = [&](auto& f, std::string const& words) {
    std::string const said = errors_of([&] {
      if (rank() == size() - 1) std::this_thread::sleep_for(late_by());
      f.set_size(100);
    });
    INFO(said);
    if (rank() == 0 && size() > 1)
      CHECK_THAT(said, Contains("in set_size at ") && Contains(words));
    else
      CHECK(said.empty());
    f.close();
  };
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  waits(f, "for rank " + std::to_string(size() - 1) + " (last seen in open)");
  auto g = io::basic_file<plain_world>::open(plain_world(world()), here / "data", mode::read_write);
  waits(g, "for other ranks");
  auto h =
      io::basic_file<nodes_world>::open(nodes_world(world(), {1}), here / "data", mode::read_write);
  waits(h, "for rank " + std::to_string(size() - 1) + " (last seen in open)");
}

namespace {

class slow_to_describe : public io::extend::forwarding<slow_to_describe, io::extend::any_handle> {
 public:
  using forwarding::forwarding;
  io::extend::storage storage() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return forwarding::storage();
  }
};

}  // namespace

TEST_CASE("a rank that waits in open after all have come to it waits for their work",
          "[file][watch]") {
  if (size() == 1) return;
  watched const on("0.5");
  shared_scratch const here(world());
  bool const slow = rank() == size() - 1;
  auto const describes = [slow](io::extend::any_handle h) {
    return slow ? io::extend::any_handle(slow_to_describe(std::move(h))) : std::move(h);
  };
  std::string const said = errors_of([&] {
    io::file::open(world(), here / "data", mode::create | mode::read_write, {},
                   io::posix_opener().wrapping(describes))
        .close();
  });
  // On a busy machine a rank may have told of its wait before it knew the others, or only later.
  bool const too_early = said.find("before the file is open") != std::string::npos;
  if (!slow && !said.empty() && !too_early)
    CHECK_THAT(said, Contains("in open at ") && Contains("' for the work of the others: all ranks "
                                                         "have come to it"));
}

TEST_CASE("ranks of other nodes are known by name, too", "[file][watch][nodes]") {
  watched const on("0.25");
  shared_scratch const here(world());
  for (nodes_world::shape const shape : {nodes_world::shape{1}, nodes_world::shape{2}}) {
    auto f = io::basic_file<nodes_world>::open(nodes_world(world(), shape), here / "data",
                                               mode::create | mode::read_write);
    for (int late = 0; late < size(); ++late) {
      f.sync();
      std::string const said = errors_of([&] {
        if (rank() == late) std::this_thread::sleep_for(late_by());
        f.set_size(100);
      });
      INFO(said);
      CAPTURE(shape.per_node, late, rank());
      if (rank() == late) {
        CHECK_THAT(said, !Contains("(last seen in"));
        continue;
      }
      CHECK_THAT(said, Contains("in set_size at ") && Contains("for rank " + std::to_string(late) +
                                                               " (last seen in sync at "));
      CHECK_THAT(said, !Contains("other nodes"));
      CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    }
    f.close();
  }
}

TEST_CASE(
    "where ranks are stuck in different calls each says so, and asking each other does not stop "
    "them",
    "[file][watch][nodes]") {
  watched const on("0.2");
  shared_scratch const here(world());
  auto f = io::basic_file<nodes_world>::open(nodes_world(world(), {1}), here / "data",
                                             mode::create | mode::read_write);
  auto g = io::basic_file<nodes_world>::open(nodes_world(world(), {1}), here / "more",
                                             mode::create | mode::read_write);
  std::string const said = errors_of([&] {
    // Each rank in turn lets the others wait, while all wait for the next one.
    for (int late = 0; late < size(); ++late) {
      if (rank() == late) std::this_thread::sleep_for(500ms);
      (late % 2 == 0 ? f : g).sync();
    }
  });
  INFO(said);
  if (size() > 1) CHECK_THAT(said, Contains("in sync at "));
  f.close();
  g.close();
}

TEST_CASE("nobody is watched without ARGOSY_WATCH, and nonsense is told", "[file][watch]") {
  shared_scratch const here(world());
  auto const run = [&] {
    auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
    if (rank() == 0) std::this_thread::sleep_for(200ms);
    f.close();
  };
  CHECK(errors_of(run).empty());
  watched const on("soon");
  CHECK_THAT(errors_of(run), Contains("ARGOSY_WATCH=soon is no number of seconds"));
}

// Nonblocking collective calls must go on while ranks wait elsewhere: in MPI, for other files, or
// in another order.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/any_world.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/opener.hpp>

#include "support/caching_client.hpp"
#include "support/nodes_world.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::mode;

namespace {

// Calls `check` on one node, with one rank to a node, and with two.
template <class Check>
void in_each_world(Check&& check) {
  io::mpi const ranks(MPI_COMM_WORLD);
  check(ranks);
  check(nodes_world(ranks, {1}));
  if (ranks.size() > 2) check(nodes_world(ranks, {2}));
}

// Every rank's part of a file in which elements of the ranks alternate, so that every window has
// data of all ranks.
template <class World>
struct turns {
  static constexpr std::size_t count = 3000;

  World const& world;
  std::string const path;
  io::basic_file<World> f;
  std::vector<double> mine = std::vector<double>(count), room = std::vector<double>(count, -1);

  turns(World const& w, std::string const& p, io::hints const& h = {})
      : world(w),
        path(p),
        f(io::basic_file<World>::open(world, path, mode::create | mode::read_write, h)) {
    std::iota(mine.begin(), mine.end(), world.rank() * 1e6);
    f.set_view(world.rank() * 8,
               {io::type<double>,
                io::resized(io::type<double>, 0, 8 * static_cast<std::int64_t>(world.size()))});
  }
  io::request write() { return f.iwrite_at_all(0, mine); }
  void holds_all() {
    f.sync();  // after all calls that have begun
    f.read_at_all(0, room);
    CHECK(room == mine);
    f.close();
  }
};

}  // namespace

TEST_CASE("a rank that asks whether its call has ended waits for nobody", "[file][progress]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    turns t(world, here / "f");
    if (world.rank() == 0) {
      io::request q = t.write();
      CHECK((!q.test() || world.size() == 1));  // the others begin only after this rank's message
      for (int r = 1; r < world.size(); ++r) world.send({}, r, 1);
      q.wait();
    } else {
      world.receive({}, 0, 1);
      t.write().wait();
    }
    t.holds_all();
  });
}

TEST_CASE("ranks may wait for a call while others that have begun it wait in MPI",
          "[file][progress]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    for (int first = 0; first < world.size(); ++first) {
      turns t(world, here / ("f" + std::to_string(first)));
      io::request q = t.write();
      if (world.rank() != first) MPI_Barrier(MPI_COMM_WORLD);
      q.wait();
      if (world.rank() == first) MPI_Barrier(MPI_COMM_WORLD);
      t.holds_all();
    }
  });
}

TEST_CASE("ranks wait for the calls of several files in any order", "[file][progress]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    turns a(world, here / "a"), b(world, here / "b"), c(world, here / "c");
    io::request all[] = {a.write(), b.write(), c.write()};
    for (int i = 0; i < 3; ++i) all[(world.rank() + i) % 3].wait();
    a.holds_all();
    b.holds_all();
    c.holds_all();
  });
}

TEST_CASE("a request that is dropped writes while its rank is elsewhere", "[file][progress]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    turns t(world, here / "f");
    io::request q = t.write();
    if (world.rank() == 0) {
      {
        io::request const dropped = std::move(q);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      q.wait();
      MPI_Barrier(MPI_COMM_WORLD);
    }
    t.holds_all();
  });
}

TEST_CASE("polling ranks see their calls end", "[file][progress]") {
  in_each_world([](auto const& world) {
    shared_scratch const here(world);
    turns t(world, here / "f");
    for (int i = 0; i < 20; ++i) {
      io::request q = i % 2 == 0 ? t.write() : t.f.iread_at_all(0, t.room);
      while (!q.test()) std::this_thread::yield();
      q.wait();
      if (i % 2 != 0) CHECK(t.room == t.mine);
    }
    t.holds_all();
  });
}

namespace {

// Nodes that only MPI connects. If `listens`, sockets can be opened, but questions get no answer.
template <bool listens>
struct nodes_apart : nodes_world {
  using nodes_world::nodes_world;
  nodes_apart(nodes_world const& w) : nodes_world(w) {}
  nodes_apart duplicate() const { return nodes_world::duplicate(); }
  nodes_apart split(int colour, int key) const { return nodes_world::split(colour, key); }
  nodes_apart node() const { return nodes_world::node(); }
  std::unique_ptr<io::extend::service> serve(io::extend::serve_function,
                                             std::error_code& error) const {
    struct nobody : io::extend::service {
      std::vector<io::extend::service_answer> call(
          std::vector<io::extend::parcel> const& requests) override {
        return std::vector<io::extend::service_answer>(
            requests.size(), {make_error_code(io::errc::rank_failed), {}});
      }
    };
    error = listens ? std::error_code() : std::make_error_code(std::errc::host_unreachable);
    if (error) return {};
    return std::make_unique<nobody>();
  }
};

template <class World>
void check_in_calls(World const& world, std::string const& path, io::hints const& h) {
  turns t(world, path, h);
  for (int i = 0; i < 3; ++i) {
    io::request q = t.write();
    io::report const done = q.wait();
    CHECK_THAT(done.reason.str(), Catch::Contains("carried out where it was waited for"));
  }
  t.holds_all();
}

}  // namespace

TEST_CASE("without sockets between nodes calls are carried out where they are waited for",
          "[file][progress]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  if (ranks.size() == 1) return;
  shared_scratch const here(ranks);
  check_in_calls(nodes_world(ranks, {1}), here / "hint", {.progress = "in_calls"});
  // The split communicators have no cached service yet.
  check_in_calls(nodes_apart<false>(ranks.split(0, ranks.rank()), {1}), here / "apart", {});
  check_in_calls(nodes_apart<true>(ranks.split(0, ranks.rank()), {1}), here / "unreached", {});
  nodes_world const nodes(ranks, {1});
  turns t(nodes, here / "sockets");
  CHECK_THAT(t.write().wait().reason.str(), !Catch::Contains("waited for"));
  t.holds_all();
}

namespace {

template <class World>
void check_ordered_only(World const& world, std::string const& path) {
  auto const clients = std::make_shared<kept_files>();
  clients->reads_late = true;
  auto f = io::basic_file<World>::open(world, path, io::mode::create | io::mode::read_write, {},
                                       caching(io::posix_opener(), clients, world.rank()));
  int const mine = world.rank();
  CHECK_THROWS_WITH(f.write_shared(mine), Catch::Contains("asking rank 0 for the shared pointer"));
  f.write_ordered(mine);
  f.write_ordered(mine);
  f.sync();
  world.barrier();
  CHECK(f.size() == 8 * world.size());
  f.close();
}

}  // namespace

TEST_CASE("where files are read late, and rank 0 cannot be asked, no file keeps the shared pointer",
          "[file][shared]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  if (ranks.size() == 1) return;
  shared_scratch const here(ranks);
  check_ordered_only(nodes_apart<false>(ranks, {1}), here / "f");
  check_ordered_only(nodes_apart<true>(ranks, {1}), here / "g");
}

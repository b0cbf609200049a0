// A rank runs out of memory anywhere in a collective call. No rank may wait for it, and data of
// other ranks must stay.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/file/file.hpp>

#include "support/allocations.hpp"
#include "support/files_on_worlds.hpp"
#include "support/sanitized.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

constexpr int numbers = 3000;

io::view scattered_among(int ranks, std::int64_t from, std::size_t blocks) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < blocks; ++i)
    places.push_back(static_cast<std::int64_t>(3 * i + i % 2) * ranks);
  return {from + std::int64_t{4} * numbers * ranks, io::type<int>,
          io::indexed_block(1, places, io::type<int>)};
}

template <class World>
struct opened {
  World const& world;
  io::basic_file<World> f;
  std::vector<int> mine, room, many = numbers_from(7, 20000);
  io::view scattered;  // equally many blocks, behind those of the default view

  opened(World const& w, std::string const& path, std::string const& policy)
      : world(w),
        f(io::basic_file<World>::open(world, path, mode::create | mode::read_write,
                                      io::hints{.policy = policy})),
        mine(numbers_from(world.rank() * numbers, numbers)),
        room(numbers),
        scattered(scattered_among(world.size(), 4 * world.rank(), many.size())) {
    f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())});
    f.write_all(mine);
    f.seek(0);
  }
};

template <class World>
struct call {
  std::string name;
  std::function<void(opened<World>&, std::error_code&)> body;
  std::string policy = "two_phase";
};

// Runs `body` twice, with ever more memory on rank `who`, from none to as much as it needs.
template <class World>
void check_on(World const& world, std::string const& path, call<World> const& c, int who) {
  for (std::uint64_t bytes = 0, need = 1; need != 0; bytes = need) {
    opened<World> o(world, path, c.policy);
    std::array<int, 2> failed{};
    std::string words;
    {
      std::optional<io::scarce_memory> scarce;
      if (world.rank() == who) scarce.emplace(bytes);
      for (int& f : failed) {
        std::error_code error;
        try {
          c.body(o, error);
        } catch (std::exception const&) {
          f = 1;
        }
        if (error) f = 1;
      }
      need = scarce ? scarce->first_need() : 0;
    }
    world.broadcast(std::as_writable_bytes(std::span(&need, 1)), who);
    CAPTURE(c.name, who, bytes, o.f.what_failed());
    std::array<int, 4> mine{failed[0], failed[1], -failed[0], -failed[1]}, all{};
    MPI_Allreduce(mine.data(), all.data(), 4, MPI_INT, MPI_MAX, world.get());
    CHECK(all[0] == -all[2]);  // failed on all ranks or on none
    CHECK(all[1] == -all[3]);
    // When there is memory again, the file must be usable.
    if (!o.f.is_open()) continue;
    o.f.set_view(4 * world.rank(),
                 {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())});
    o.f.read_all(o.room);
    CHECK(o.room == o.mine);
  }
}

template <class World>
std::vector<call<World>> calls() {
  using file = opened<World>;
  using code = std::error_code;
  auto const irregular = [](file& o, code& e) {
    o.f.set_view(o.scattered, e);
    if (!e) o.f.write_all(o.many, e);
  };
  return {
      {"write_all", [](file& o, code& e) { o.f.seek(0), o.f.write_all(o.mine, e); }},
      {"read_all", [](file& o, code& e) { o.f.read_all(o.room, e); }},
      {"write_all", [](file& o, code& e) { o.f.seek(0), o.f.write_all(o.mine, e); }, "automatic"},
      {"write_all", [](file& o, code& e) { o.f.seek(0), o.f.write_all(o.mine, e); },
       "data_shipping"},
      {"write_ordered", [](file& o, code& e) { o.f.seek_shared(0), o.f.write_ordered(o.mine, e); }},
      {"iwrite_all", [](file& o, code& e) { o.f.seek(0), o.f.iwrite_all(o.mine).wait(e); }},
      {"set_view", [](file& o, code& e) { o.f.set_view(0, io::type<double>, e); }},
      {"set_hints",
       [](file& o, code& e) {
         o.f.set_hints({.policy = o.world.rank() == 0 ? "sieving" : "automatic"}, e);
       }},
      {"set_size", [](file& o, code& e) { o.f.set_size(4 * numbers * o.world.size(), e); }},
      {"sync", [](file& o, code& e) { o.f.sync(e); }},
      {"seek_shared", [](file& o, code& e) { o.f.seek_shared(0, io::seek_from::end, e); }},
      {"set_atomic", [](file& o, code& e) { o.f.set_atomic(true, e); }},
      {"explain_all", [](file& o, code&) { o.f.explain_all(io::access_kind::write, o.mine); }},
      {"open",
       [](file& o, code& e) { io::basic_file<World>::open(o.world, o.f.path(), mode::read, e); }},
      {"close", [](file& o, code& e) { o.f.close(e); }},
      {"many blocks", irregular},
  };
}

template <class World>
void check_all(World const& world) {
  shared_scratch<World> const here(world);
  std::string const path = here / "data";
  for (call<World> const& c : calls<World>())
    for (int who : {0, world.size() - 1})
      if (who > 0 || world.size() == 2 || !sanitized) check_on(world, path, c, who);
}

}  // namespace

TEST_CASE("a rank out of memory in a collective call does not keep the others waiting",
          "[two_phase][memory][error]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  SECTION("on one node") { check_all(ranks); }
  SECTION("on a node for each rank") { check_all(nodes_world(ranks, {1})); }
  SECTION("on two nodes") {
    if (ranks.size() > 2) check_all(nodes_world(ranks, {(ranks.size() + 1) / 2, true}));
  }
}

// One thread needs the reserve again and again. Meanwhile another thread refills it slowly, and the
// first must wait for that.
TEST_CASE("the reserve is there while it is taken back", "[memory][threads]") {
  io::detail::memory_reserve const kept;
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) {
      io::detail::memory_reserve const again;
    }
  });
  int refused = 0;
  {
    io::slow_memory const slow(io::detail::memory_reserve::bytes);
    io::scarce_memory const scarce(0);
    auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (std::chrono::steady_clock::now() < end) {
      try {
        void* const volatile some = ::operator new(16 << 10);  // volatile: cannot be optimised away
        ::operator delete(some);
      } catch (std::bad_alloc const&) {
        ++refused;
      }
    }
    ends = true;
    other.join();
  }
  CHECK(refused == 0);
}

namespace {

int asked_of_program = 0;
void handler_of_program() {
  ++asked_of_program;
  throw std::bad_alloc();
}

}  // namespace

TEST_CASE("outside of collective calls the program's own handler is asked for memory", "[memory]") {
  // Stays for the rest of this process. It refuses, as if there were no memory.
  std::set_new_handler(handler_of_program);
  asked_of_program = 0;
  {
    io::detail::memory_reserve const kept;
  }
  bool refused = false;
  {
    io::scarce_memory const scarce(0);
    try {
      void* const volatile some = ::operator new(1 << 20);  // volatile: cannot be optimised away
      ::operator delete(some);
    } catch (std::bad_alloc const&) {
      refused = true;
    }
  }
  CHECK(refused);
  CHECK(asked_of_program == 1);
}

// Ends the job. The caller of this test checks the message.
TEST_CASE("what the reserve is not enough for ends the job", "[.gives_up]") {
  io::mpi const ranks(MPI_COMM_WORLD);
  bool const waits = ranks.rank() != 0;
  io::detail::with_reserve(ranks, [&] {
    if (!waits) throw std::bad_alloc();
    ranks.barrier();
  });
  FAIL("the others waited for nothing");
}

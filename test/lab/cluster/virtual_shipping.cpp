// Data shipping of independent calls in the virtual cluster.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <random>
#include <system_error>
#include <vector>

#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>

#include "lab/cluster/virtual_shipping_cases.hpp"
#include "support/catch.hpp"
#include "support/shipping_cases.hpp"
#include "support/throwing_cases.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

namespace {

template <class Check>
void in_the_cluster(int ranks, int ranks_per_node, Check&& check) {
  CAPTURE(ranks, ranks_per_node);
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = ranks_per_node, .seed = seed()},
                           roomy)
      .run([&](io::lab::virtual_rank const& world) { check(world, files.opener()); });
}

}  // namespace

TEST_CASE("what ranks ship to agents is what each of them wrote, and nothing else",
          "[shipping][random]") {
  for (int const ranks : {1, 2, 3, 7, 16})
    in_the_cluster(ranks, 3, [](io::lab::virtual_rank const& world, io::opener const& files) {
      check_shipped_transfers(world, "f", files, 30);
    });
}
TEST_CASE("reads and writes that meet at agents, and at the file, are kept apart",
          "[shipping][random]") {
  for (io::mode const more : {io::mode::none, io::mode::unique_open})
    for (int const ranks : {1, 2, 3, 8})
      in_the_cluster(ranks, 3, [more](io::lab::virtual_rank const& world, io::opener const& files) {
        check_shipped_mixture(world, "f", files, more, 20);
      });
}
TEST_CASE("who asks for it gets what is wanted, and no holes", "[shipping][sparse]") {
  for (int const ranks : {1, 2, 5})
    in_the_cluster(ranks, 2, [](auto const& world, auto const& files) {
      check_sparse_shipping(world, "f", files);
    });
}
TEST_CASE("pieces of any size meet in a window", "[shipping][merging]") {
  for (int const ranks : {2, 5})
    in_the_cluster(ranks, 2, [](auto const& world, auto const& files) {
      check_uneven_pieces(world, "f", files);
    });
}
TEST_CASE("who throws in a call that is shipped leaves nothing strange in the file",
          "[shipping][exceptions]") {
  for (int const ranks : {1, 2, 5})
    in_the_cluster(ranks, 2, [](auto const& world, auto const& files) {
      check_throwing_shipments(world, "f", files);
    });
}
TEST_CASE("external32 goes to agents, too", "[shipping][representation]") {
  in_the_cluster(3, 2, [](auto const& world, auto const& files) {
    check_shipped_conversion(world, "f", files);
  });
}
TEST_CASE("who ships to an agent that fails is told where, and with what", "[shipping][errors]") {
  for (int const ranks : {1, 2, 5})
    in_the_cluster(ranks, 2, [](auto const& world, auto const& files) {
      check_failing_agents(world, "f", files);
    });
}
TEST_CASE("views travel, offsets do not", "[shipping][views]") {
  in_the_cluster(4, 1, [](auto const& world, auto const& files) {
    check_messages_of_shipping(world, "f", files);
  });
}
TEST_CASE("agents begin where hints ask for them, and serve until close", "[shipping][hints]") {
  for (int const ranks : {1, 3})
    in_the_cluster(ranks, 2, [](auto const& world, auto const& files) {
      check_hints_of_shipping(world, "f", files);
    });
}

TEST_CASE("requests that meet in a window go to the file as one", "[shipping][merging]") {
  constexpr int ranks = 16;
  constexpr std::int64_t pieces = 1000;
  in_the_cluster(ranks, 1, [](io::lab::virtual_rank const& world, io::opener const& files) {
    auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write, with_agents(),
                                files);
    f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * ranks)});
    std::vector<int> data(pieces, world.rank()), back(pieces);
    io::data_shipping const policy{.stripe_bytes = 1 << 20, .agents = 1};
    world.barrier();
    io::report const put = f.write_at(0, data, policy);
    world.barrier();
    io::report const got = f.read_at(0, back, policy);
    CHECK(back == data);
    // The first request finds the agent idle. All others wait, and are carried out together.
    CHECK(sum(world, put.windows) <= 3);
    CHECK(sum(world, put.write_calls) <= 3);
    CHECK(sum(world, got.read_calls) <= 3);
    f.close();
  });
}

TEST_CASE("reads that meet writes in a window go to the file by themselves",
          "[shipping][merging]") {
  constexpr int ranks = 8;
  constexpr std::int64_t pieces = 1000;
  in_the_cluster(ranks, 1, [](io::lab::virtual_rank const& world, io::opener const& files) {
    auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write, with_agents(),
                                files);
    f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * ranks)});
    io::data_shipping const policy{.stripe_bytes = 1 << 20, .agents = 1};
    std::vector<int> mine(pieces, world.rank()), back(pieces);
    f.write_at(0, mine, policy);
    for (int writers = 0; writers < 2; ++writers) {  // even ranks write, then odd ones
      bool const writes = world.rank() % 2 == writers;
      std::vector<int> const data(pieces, 100 + world.rank());
      world.barrier();
      io::report const r = writes ? f.write_at(0, data, policy) : f.read_at(0, back, policy);
      if (writes)
        mine = data;
      else
        CHECK(back == mine);
      // The number of requests of each kind is the number of its ranks. The first goes alone, the
      // others together.
      CHECK(sum(world, writes ? r.windows : 0) <= 3);
      CHECK(sum(world, writes ? 0 : r.windows) <= 3);
      CHECK(sum(world, writes ? 0 : r.bytes_written) == 0);
      world.barrier();
      f.read_at(0, back, io::independent{});
      CHECK(back == mine);
    }
    f.close();
  });
}

TEST_CASE("where one of those who meet asks for no holes, none are touched",
          "[shipping][merging][sparse]") {
  constexpr int ranks = 6;
  constexpr std::int64_t pieces = 500;
  io::lab::scenario s{.ranks = ranks, .ranks_per_node = 1, .seed = seed()};
  s.disk.call_ns = 100'000;  // an agent is busy for that long
  for (int sparse = 0; sparse < ranks; ++sparse) {
    CAPTURE(sparse);
    io::lab::virtual_files const on(s.disk);
    io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
      io::hints h = with_agents();
      h.ds_write = h.ds_read = io::tristate::enable;
      auto f =
          virtual_file::open(world, "f", io::mode::create | io::mode::read_write, h, on.opener());
      fill(f, world, bytes(4 * pieces * (ranks + 1), std::byte{7}));
      f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * (ranks + 1))});
      std::vector<int> const data(pieces, 1);
      std::vector<int> back(pieces);
      io::data_shipping const policy{
          .stripe_bytes = 1 << 20, .agents = 1, .sparse = world.rank() == sparse};
      // When the others' requests arrive, the agent is busy with the first one.
      bool const first = world.rank() == (sparse + 1) % ranks;
      world.barrier();
      if (!first) world.compute(2e-5);
      io::report const put = f.write_at(0, data, policy);
      world.barrier();
      if (!first) world.compute(2e-5);
      io::report const got = f.read_at(0, back, policy);
      CHECK(back == data);
      CHECK(sum(world, first ? put.merged_bytes : 0) > 0);
      CHECK(sum(world, first ? 0 : put.read_calls) == 0);
      CHECK(sum(world, first ? 0 : put.bytes_written) == 4 * pieces * (ranks - 1));
      CHECK(sum(world, first ? got.merged_bytes : 0) > 0);
      CHECK(sum(world, first ? 0 : got.bytes_read) == 4 * pieces * (ranks - 1));
      f.close();
    });
  }
}

TEST_CASE("an agent answers while its rank computes", "[shipping]") {
  in_the_cluster(2, 1, [](io::lab::virtual_rank const& world, io::opener const& files) {
    auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write, with_agents(),
                                files);
    if (world.rank() == 0) {
      world.compute(10);
    } else {
      std::vector<int> const data(1000, 5);
      CHECK(f.write_at(0, data, io::data_shipping{.agents = 1}).messages == 1);
      CHECK(world.now() < 1);
    }
    f.close();
  });
}

TEST_CASE("a buffer size does not change while a request is pending", "[shipping][hints]") {
  in_the_cluster(2, 1, [](io::lab::virtual_rank const& world, io::opener const& files) {
    auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write, with_agents(),
                                files);
    std::vector<int> const data(1000, 5);
    io::request r = f.iwrite_at(1000 * world.rank(), data);
    f.set_hints({.io_buffer_bytes = 8192});
    CHECK(f.get_hints().find("IBM_io_buffer_size")->status == io::hint_status::rejected);
    CHECK_THAT(f.get_hints().find("IBM_io_buffer_size")->why,
               Catch::Matchers::ContainsSubstring("pending"));
    r.wait();
    f.set_hints({.io_buffer_bytes = 8192});
    CHECK(f.get_hints().find("IBM_io_buffer_size")->status == io::hint_status::accepted);
    f.close();
  });
}

TEST_CASE("a sync covers what agents wrote", "[shipping][sync]") {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 1, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write,
                                    with_agents(), files.opener());
        std::vector<std::byte> const data(50'000, static_cast<std::byte>(world.rank() + 1));
        f.write_at(50'000 * world.rank(), data, io::data_shipping{.stripe_bytes = 1});
        f.sync();
        for (std::uint64_t s = 1; s < 5; ++s)
          CHECK(files.crash(s).content("f") == files.content("f"));
        CHECK(files.content("f").size() == 150'000);
        world.barrier();
        f.close();
      });
}

TEST_CASE("where an agent dies, whoever needs it is told, and nobody waits", "[shipping][death]") {
  int told = 0, died = 0;
  for (std::int64_t k = 1; k < 200; ++k) {
    CAPTURE(k);
    io::lab::virtual_files const files;
    io::lab::scenario s{.ranks = 3, .ranks_per_node = 1, .seed = seed()};
    s.deaths.push_back({1, k});
    auto const r = io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
      std::error_code error;
      auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write,
                                  {with_agents(), error}, files.opener());
      if (error) {
        CHECK(error == io::errc::rank_failed);
        return;
      }
      std::vector<std::byte> data(30'000, static_cast<std::byte>(world.rank() + 1));
      for (int i = 0; i < 5 && !error; ++i) {
        io::report const put =
            f.write_at(30'000 * world.rank(), data, {io::data_shipping{.stripe_bytes = 1}, error});
        if (!error) CHECK(put.bytes == 30'000);
        if (error) {
          CHECK(error == io::errc::rank_failed);
          CHECK_THAT(f.what_failed(), ContainsSubstring("agent on rank 1"));
          CHECK(put.bytes < 30'000);
          ++told;
        }
        world.pause();
      }
      f.close(error);
      CHECK((!error || error == io::errc::rank_failed));
    });
    died += r.dead.empty() ? 0 : 1;
  }
  CHECK(told > 0);
  CHECK(died > 20);
}

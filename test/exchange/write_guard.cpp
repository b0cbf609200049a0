// Writes without a lock, and merges that wait for them: the two sides of the gate.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include <argosy/exchange/detail/write_gate.hpp>
#include <argosy/exchange/detail/write_guard.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/world/shared_memory.hpp>

#include "support/catch.hpp"
#include "support/memory_handle.hpp"

namespace io = argosy;
using io::detail::merging;
using io::detail::write_gate;
using io::test::memory_file;
using io::test::memory_handle;

namespace {

using guard = io::detail::write_guard<memory_handle>;

// Returns the gate of each rank of a node.
std::vector<write_gate> gates(int ranks) {
  io::extend::shared_memory const all =
      io::extend::shared_memory::private_zeros(write_gate::bytes_for(ranks));
  std::vector<write_gate> result;
  for (int r = 0; r < ranks; ++r)
    result.emplace_back(all.part(0, all.bytes().size()), r, ranks, nullptr);
  return result;
}
merging among_ranks(write_gate const& g) { return {.writing = merging::others::ranks, .gate = &g}; }

void give_time(std::atomic<bool> const& done) {
  for (int i = 0; i < 50 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}
std::error_code fine() { return {}; }

}  // namespace

TEST_CASE("a merge waits for the writes that are under way on any rank", "[write_guard]") {
  for (int const ranks : {1, 3})
    for (int writer = 0; writer < ranks; ++writer) {
      CAPTURE(ranks, writer);
      std::vector<write_gate> const all = gates(ranks);
      auto const file = std::make_shared<memory_file>();
      std::atomic<bool> inside{false}, leave{false}, merged{false};
      std::thread writes([&] {
        memory_handle h(file);
        io::report done;
        guard(h, among_ranks(all[static_cast<std::size_t>(writer)]), done).pieces(0, 8, [&] {
          inside = true;
          while (!leave) std::this_thread::yield();
          return fine();
        });
        CHECK(done.locks == 0);
      });
      while (!inside) std::this_thread::yield();
      std::thread merges([&] {
        memory_handle h(file);
        io::report done;
        guard(h, among_ranks(all[0]), done)
            .merge(0, 8, [&] { return merged = true, fine(); }, fine);
        CHECK(done.locks == 1);
      });
      give_time(merged);
      CHECK_FALSE(merged);
      leave = true;
      writes.join();
      merges.join();
      CHECK(merged);
    }
}

TEST_CASE("while a rank merges, from its first window to the end, the writes of all take locks",
          "[write_guard]") {
  std::vector<write_gate> const all = gates(2);
  auto const file = std::make_shared<memory_file>();
  memory_handle h(file);
  auto const locks_of_a_write = [&](write_gate const& g, std::int64_t length = 8,
                                    bool announces = true) {
    merging how = among_ranks(g);
    how.announces = announces;
    io::report done;
    bool written = false;
    CHECK_FALSE(guard(h, how, done).pieces(0, length, [&] { return written = true, fine(); }));
    CHECK(written);
    return done.locks;
  };
  for (write_gate const& g : all) CHECK(locks_of_a_write(g) == 0);
  io::report done;
  guard merges(h, among_ranks(all[1]), done);
  CHECK_FALSE(merges.pieces(0, 8, fine));
  CHECK(done.locks == 0);
  for (int window = 0; window < 2; ++window) {
    merges.merge(
        0, 8,
        [&] {
          for (write_gate const& g : all) CHECK(locks_of_a_write(g) == 1);
          return fine();
        },
        fine);
    for (write_gate const& g : all) CHECK(locks_of_a_write(g) == 1);
  }
  {
    write_gate::closed const another(&all[0]);
    CHECK_FALSE(merges.end());
    for (write_gate const& g : all) CHECK(locks_of_a_write(g) == 1);
  }
  for (write_gate const& g : all) CHECK(locks_of_a_write(g) == 0);
  CHECK(locks_of_a_write(all[0], write_gate::most_bytes) == 0);
  CHECK(locks_of_a_write(all[0], write_gate::most_bytes + 1) == 1);  // too long to wait for
  CHECK(locks_of_a_write(all[0], 8, false) == 1);
  CHECK(file->locks == file->unlocks);
}

TEST_CASE("writes and merges of many ranks at a time never overlap", "[write_guard][random]") {
  constexpr int ranks = 4, rounds = 4000;
  std::vector<write_gate> const all = gates(ranks);
  std::atomic<int> free_writes{0}, merges{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      for (int i = 0; i < rounds; ++i)
        if (i % 8 == r) {
          write_gate::closed const mine(&all[static_cast<std::size_t>(r)]);
          ++merges;
          wrong += free_writes > 0;
          --merges;
        } else if (write_gate::writing const here(all[static_cast<std::size_t>(r)]); here) {
          ++free_writes;
          wrong += merges > 0;
          --free_writes;
        }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

// The worlds of programs: networks, disks and faults.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <system_error>

#include "generate.hpp"
#include "weights.hpp"

namespace argosy::explore {

using test::engine;
using test::one_in;
using test::pick;

namespace {

void random_world(engine& random, lab::scenario& w) {
  int const ranks = w.ranks;
  w.seed = number(random);
  w.ranks_per_node =
      one_in(random, 2) ? ranks : static_cast<int>(pick(random, 1, std::min(ranks, 16)));
  if (one_in(random, 3)) w.network.jitter_ns = pick(random, 1, 100'000);
  if (one_in(random, 4)) w.network.eager_bytes = any_of(random, {0, 64, 1 << 20});
  w.disk.servers = static_cast<int>(pick(random, 1, 4));
  if (one_in(random, 3)) w.disk.stripe_bytes = any_of(random, {512, 4096, 65536});
  if (one_in(random, 3)) w.disk.block_bytes = any_of(random, {512, 1024});
  if (one_in(random, 12)) w.disk.has_locks = false;
  auto const someone = [&] { return static_cast<int>(pick(random, 0, w.ranks - 1)); };
  if (one_in(random, 5)) w.slow.push_back({someone(), static_cast<double>(pick(random, 2, 50))});
  if (one_in(random, 5))
    w.pauses.push_back({someone(), pick(random, 0, 5000), pick(random, 1, 20000)});
}

void random_faults(engine& random, lab::scenario& w) {
  if (one_in(random, 3)) return;
  for (std::int64_t n = pick(random, 1, 3); n > 0; --n) {
    auto const who = static_cast<int>(pick(random, 0, w.ranks - 1));
    int const rank = one_in(random, 8) ? -1 : who;
    std::int64_t const first =
        one_in(random, 2) ? pick(random, 1, 4) : pick(random, 1, one_in(random, 4) ? 200 : 30);
    std::int64_t times = one_in(random, 3) ? fault::forever : pick(random, 1, 3);
    auto const transfer = one_in(random, 2) ? file_call::read : file_call::write;
    switch (pick(random, 0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        constexpr int errors[] = {EIO,    EIO,    ENOSPC, ENOSPC, EDQUOT, EFBIG,
                                  ESTALE, EACCES, EROFS,  ENOLCK, EMFILE, EAGAIN,
                                  ENOENT, EISDIR, EINVAL, EPERM,  EBADF};
        file_call const kind = weights::pick(random, weights::failing_calls);
        std::error_code const error(any_of(random, errors), std::system_category());
        // Handles repeat such a call, so the error becomes visible only if it stays.
        if (error == std::errc::resource_unavailable_try_again && one_in(random, 2))
          times = fault::forever;
        if (kind == file_call::unlock)
          // a lock that can never be released would block other ranks for ever
          times = std::min<std::int64_t>(times, 3);
        // A program makes some calls only once or twice, and on one rank. Half of these faults
        // therefore strike the first such call of every rank.
        bool const is_rare =
            kind != file_call::write && kind != file_call::read && kind != file_call::lock;
        if (is_rare && one_in(random, 2)) {
          w.faults.push_back({-1, {.kind = kind, .times = times, .error = error}});
          break;
        }
        w.faults.push_back({rank, {.kind = kind, .first = first, .times = times, .error = error}});
        break;
      }
      case 4:
        w.faults.push_back({rank,
                            {.kind = transfer,
                             .first = first,
                             .times = times,
                             .most_bytes = pick(random, 1, 50)}});
        break;
      case 5:
        w.faults.push_back({rank, interrupt_at(static_cast<file_call>(pick(random, 0, 8)), first,
                                               pick(random, 1, 40))});
        break;
      case 6:
        w.faults.push_back(
            {rank, write_partly_at(
                       file_call::write, first, pick(random, 1, 200),
                       any_of(random, {std::errc::io_error, std::errc::no_space_on_device}))});
        break;
      case 7:
        w.disk.capacity_bytes = pick(random, 0, 30) * w.disk.block_bytes;
        // Room for the files that exist before the program.
        w.disk.capacity_bytes += 2 * 20480;
        break;
      case 8:
        w.faults.push_back(
            {rank,
             delay_at(transfer, first, std::chrono::microseconds(pick(random, 1, 50000)), times)});
        break;
      default:
        w.deaths = {{who, pick(random, 1, one_in(random, 2) ? 30 : 300)}};
        break;
    }
  }
}

}  // namespace

void make_world(engine& random, program& p) {
  random_world(random, p.world);
  random_faults(random, p.world);
}

// Makes machines so small that ranks disturb each other: few bytes in a block, few blocks in a
// pool.
program random_gpfs_program(std::uint64_t seed, int ranks) {
  program p = random_program(seed, ranks);
  if (ranks == 0 && p.world.ranks > 64) p = random_program(seed, 2 + static_cast<int>(seed % 31));
  engine random(seed ^ 0x67706673u);
  lab::scenario& w = p.world;
  w.disk = {};
  w.ranks_per_node =
      one_in(random, 3) ? 1 : static_cast<int>(pick(random, 1, std::max(1, w.ranks / 2)));

  gpfs_choice g;
  lab::gpfs::machine& m = g.machine;
  m.block_bytes = any_of(random, {256, 256, 512, 1024, 4096, 16384, 65536});
  m.pagepool_bytes = m.block_bytes * (one_in(random, 3) ? pick(random, 1, 3) : pick(random, 2, 40));
  m.servers = pick(random, 1, 3);
  m.disks_per_server = pick(random, 1, 2);
  m.prefetch_max_blocks = pick(random, 1, 6);
  m.write_behind_max_blocks = pick(random, 1, 8);
  m.disk_us = static_cast<double>(pick(random, 1, 3000));
  m.lease_s = 1;

  lab::gpfs::troubles& t = g.troubles;
  t.seed = number(random);
  if (one_in(random, 2)) t.delay_max = std::chrono::nanoseconds(pick(random, 1, 3'000'000));
  auto const server = [&] { return static_cast<int>(pick(random, 0, m.servers - 1)); };
  if (one_in(random, 2))
    for (std::int64_t n = pick(random, 1, 2); n > 0; --n) {
      lab::gpfs::server_fault f;
      f.server = one_in(random, 2) ? -1 : server();
      f.of_writes = !one_in(random, 4);
      f.first = one_in(random, 2) ? pick(random, 1, 4) : pick(random, 1, 40);
      f.times = one_in(random, 4) ? lab::gpfs::server_fault::forever : pick(random, 1, 3);
      f.error = !f.of_writes ? EIO : one_in(random, 4) ? ENOSPC : EREMOTEIO;
      t.faults.push_back(f);
    }
  if (one_in(random, 4)) t.slow.push_back({server(), static_cast<double>(pick(random, 2, 20))});

  // A separate random engine, so that the rest of the programs of older seeds stays as it is.
  engine more(seed ^ 0x6d656368u);
  bool const refuses =
      std::any_of(t.faults.begin(), t.faults.end(), [](auto const& f) { return f.of_writes; });
  if (one_in(more, 2)) m.sub_blocks = std::int64_t{1} << pick(more, 1, 5);
  if (one_in(more, 3)) m.server_cache_bytes = m.block_bytes * pick(more, 1, 20);
  if (one_in(more, 3)) m.server_dirty_bytes = m.block_bytes * pick(more, 1, 5);
  if (one_in(more, 3)) m.server_read_mb_per_s = static_cast<double>(pick(more, 10, 200));
  if (one_in(more, 3))
    m.tenure_us = m.open_us = m.create_us = m.close_us = static_cast<double>(pick(more, 1, 3000));
  if (one_in(more, 3)) m.write_call_us = static_cast<double>(pick(more, 1, 200));
  m.close_flushes = one_in(more, 3) ? 1 : 0;
  m.shared_adapters = one_in(more, 3) ? 1 : 0;
  m.servers_on_clients = one_in(more, 4) ? 1 : 0;
  m.disk_streams = one_in(more, 3) ? 1 : 0;
  // The oracle knows which handle must report a refused block only if blocks go to disk whole and
  // one after the other.
  if (refuses) {
    m.sub_blocks = lab::gpfs::machine{}.sub_blocks;
    m.server_dirty_bytes = 0;
  }

  engine further(seed ^ 0x70726f63u);
  m.stride_tokens = one_in(further, 3) ? 1 : 0;
  if (one_in(further, 3) && !refuses) m.server_buffer_bytes = m.block_bytes * pick(further, 1, 6);
  m.retry_ms = static_cast<double>(pick(further, 1, 20));
  lab::virtual_network& net = w.network;
  if (one_in(further, 3)) net.node_processors = pick(further, 1, 1 + w.ranks_per_node);
  net.polls_in_files = one_in(further, 3);
  if (one_in(further, 3)) net.pack_mb_per_s = pick(further, 10, 1000);
  if (one_in(further, 3)) net.piece_ns = pick(further, 10, 20'000);
  if (one_in(further, 3)) m.ip_mb_per_s = static_cast<double>(pick(further, 10, 1000));
  // A quarter of such a small pool is seldom a whole block.
  m.prefetch_percent = any_of(further, {0, 25, 50, 100, 100});
  if (one_in(further, 3)) m.prefetch_threads = pick(further, 0, 3);
  p.gpfs = g;
  return p;
}

}  // namespace argosy::explore

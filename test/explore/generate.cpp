// Programs from seeds.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "program.hpp"
#include "support/random_tree.hpp"

namespace argosy::explore {
namespace {

using test::engine;
using test::one_in;
using test::pick;

template <class T, std::size_t N>
T const& any_of(engine& random, T const (&all)[N]) {
  return all[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(N) - 1))];
}
std::uint64_t number(engine& random) { return static_cast<std::uint64_t>(pick(random, 1, 1 << 30)); }

int random_ranks(engine& random) {
  std::int64_t const x = pick(random, 1, 3000);
  if (x == 1) return 4096;
  if (x < 60) return static_cast<int>(pick(random, 65, 256));
  if (x < 300) return static_cast<int>(pick(random, 17, 64));
  if (x < 900) return static_cast<int>(pick(random, 9, 16));
  return static_cast<int>(pick(random, 1, 8));
}

// --- Steps ---

policy_choice random_policy(engine& random) {
  policy_choice p;
  p.kind = static_cast<policy_kind>(any_of(random, {0, 1, 2, 2, 3, 3, 3, 4, 5, 5, 5}));
  if (one_in(random, 3)) return p;
  constexpr std::int64_t sizes[] = {1, 7, 16, 64, 100, 512, 4096, 10000};
  p.buffer_bytes = any_of(random, sizes);
  p.window_bytes = any_of(random, sizes);
  if (one_in(random, 2)) p.aggregators = pick(random, 1, 9);
  if (one_in(random, 2)) p.align_bytes = any_of(random, {1, 8, 64, 512, 4096});
  p.merge = static_cast<int>(pick(random, 0, 2));
  // Few bytes at a time and few aggregators: thousands of rounds.
  if (p.kind == policy_kind::two_phase || p.kind == policy_kind::automatic || p.kind == policy_kind::data_shipping)
    p.buffer_bytes = std::max<std::int64_t>(p.buffer_bytes, 32),
    p.window_bytes = std::max<std::int64_t>(p.window_bytes, 16);
  return p;
}

std::vector<std::pair<std::string, std::string>> random_hints(engine& random) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const maybe = [&](char const* name, auto const&... values) {
    std::string const choices[] = {values...};
    if (one_in(random, 4)) all.emplace_back(name, any_of(random, choices));
  };
  if (one_in(random, 2)) return all;
  maybe("argosy_policy", "automatic", "independent", "sieving", "two_phase", "data_shipping");
  maybe("IBM_largeblock_io", "false", "switchable", "true");
  maybe("IBM_io_buffer_size", "512", "3000", "65536");
  maybe("IBM_sparse_access", "true");
  maybe("romio_cb_write", "enable", "disable");
  maybe("romio_cb_read", "enable", "disable");
  maybe("romio_ds_write", "enable", "disable");
  maybe("romio_ds_read", "enable", "disable");
  maybe("cb_buffer_size", "64", "1024", "8192");
  maybe("cb_block_size", "8", "64", "4096");
  maybe("cb_nodes", "1", "2", "5");
  maybe("romio_min_fdomain_size", "16", "1024");
  maybe("ind_wr_buffer_size", "16", "300");
  maybe("ind_rd_buffer_size", "16", "300");
  maybe("argosy_develop", "true");
  return all;
}

class writer_of_programs {
 public:
  writer_of_programs(std::uint64_t seed, int ranks) : random_(seed) {
    p_.world.ranks = ranks > 0 ? ranks : random_ranks(random_);
    ranks_ = p_.world.ranks;
    most_ = std::max<std::int64_t>(4, 6000 / ranks_);
  }

  program write() {
    world();
    faults();
    for (std::int64_t& size : p_.before)
      if (one_in(random_, 2)) size = one_in(random_, 4) ? 0 : pick(random_, 1, 20000);
    std::int64_t const files = one_in(random_, 4) ? 2 : 1;
    for (std::int64_t i = 0; i < files; ++i) {
      open(static_cast<int>(i));
      std::int64_t const calls = ranks_ > 256 ? 3 : ranks_ > 64 ? pick(random_, 2, 6) : pick(random_, 3, 14);
      for (std::int64_t k = 0; k < calls; ++k) call();
      p_.steps.push_back({.what = op::close});
    }
    if (one_in(random_, 6)) p_.crash_every = pick(random_, 1, 4);
    return p_;
  }

 private:
  void world() {
    scenario& w = p_.world;
    w.seed = number(random_);
    w.ranks_per_node = one_in(random_, 2) ? ranks_ : static_cast<int>(pick(random_, 1, std::min(ranks_, 16)));
    if (one_in(random_, 3)) w.network.jitter_ns = pick(random_, 1, 100'000);
    if (one_in(random_, 4)) w.network.eager_bytes = any_of(random_, {0, 64, 1 << 20});
    w.disk.servers = static_cast<int>(pick(random_, 1, 4));
    if (one_in(random_, 3)) w.disk.stripe_bytes = any_of(random_, {512, 4096, 65536});
    if (one_in(random_, 3)) w.disk.block_bytes = any_of(random_, {512, 1024});
    if (one_in(random_, 12)) w.disk.has_locks = false;
    auto const someone = [&] { return static_cast<int>(pick(random_, 0, ranks_ - 1)); };
    if (one_in(random_, 5)) w.slow.push_back({someone(), static_cast<double>(pick(random_, 2, 50))});
    if (one_in(random_, 5)) w.pauses.push_back({someone(), pick(random_, 0, 5000), pick(random_, 1, 20000)});
  }

  void faults() {
    scenario& w = p_.world;
    if (one_in(random_, 3)) return;
    for (std::int64_t n = pick(random_, 1, 3); n > 0; --n) {
      auto const who = static_cast<int>(pick(random_, 0, ranks_ - 1));
      int const rank = one_in(random_, 8) ? -1 : who;
      std::int64_t const first = one_in(random_, 2) ? pick(random_, 1, 4) : pick(random_, 1, 30);
      std::int64_t times = one_in(random_, 3) ? fault::forever : pick(random_, 1, 3);
      auto const transfer = one_in(random_, 2) ? file_call::read : file_call::write;
      switch (pick(random_, 0, 9)) {
        case 0:
        case 1:
        case 2:
        case 3: {
          constexpr int errors[] = {EIO, ENOSPC, EDQUOT, EFBIG, ESTALE, EACCES, EROFS, ENOLCK, EMFILE, EAGAIN};
          constexpr file_call calls[] = {file_call::write,      file_call::write,  file_call::write, file_call::read,
                                         file_call::read,       file_call::lock,   file_call::open,  file_call::size,
                                         file_call::sync,       file_call::resize, file_call::close, file_call::unlock,
                                         file_call::preallocate};
          file_call const kind = any_of(random_, calls);
          std::error_code const error(any_of(random_, errors), std::system_category());
          if (kind == file_call::unlock)
            times = std::min<std::int64_t>(times, 3);  // what cannot be unlocked at all stays
          w.faults.push_back({rank, {.kind = kind, .first = first, .times = times, .error = error}});
          break;
        }
        case 4:
          w.faults.push_back(
              {rank, {.kind = transfer, .first = first, .times = times, .most_bytes = pick(random_, 1, 50)}});
          break;
        case 5:
          w.faults.push_back(
              {rank, interrupt_at(static_cast<file_call>(pick(random_, 0, 8)), first, pick(random_, 1, 40))});
          break;
        case 6:
          w.faults.push_back({rank, tear_at(file_call::write, first, pick(random_, 1, 200),
                                            any_of(random_, {std::errc::io_error, std::errc::no_space_on_device}))});
          break;
        case 7:
          w.disk.capacity_bytes = pick(random_, 0, 30) * w.disk.block_bytes;
          // What is there before fits in.
          w.disk.capacity_bytes += 2 * 20480;
          break;
        case 8:
          w.faults.push_back(
              {rank, delay_at(transfer, first, std::chrono::microseconds(pick(random_, 1, 50000)), times)});
          break;
        default:
          w.deaths = {{who, pick(random_, 1, one_in(random_, 2) ? 30 : 300)}};
          break;
      }
    }
  }

  void open(int file) {
    step s{.what = op::open};
    s.file = file;
    mode const way = one_in(random_, 4) ? any_of(random_, {mode::read, mode::write}) : mode::read_write;
    s.modes = way;
    if (way != mode::read && !one_in(random_, 12)) s.modes = s.modes | mode::create;
    if (has(s.modes, mode::create) && one_in(random_, 10)) s.modes = s.modes | mode::exclusive;
    if (one_in(random_, 10)) s.modes = s.modes | mode::append;
    if (one_in(random_, 4)) s.modes = s.modes | mode::unique_open;
    if (one_in(random_, 10)) s.modes = s.modes | mode::delete_on_close;
    s.hints = random_hints(random_);
    p_.steps.push_back(std::move(s));
    seen_ = shape::plain;
    if (!one_in(random_, 4)) set_view();
  }

  void set_view() {
    step s{.what = op::set_view};
    s.view.shape =
        any_of(random_, {shape::plain, shape::dealt, shape::dealt, shape::woven, shape::woven, shape::common});
    s.view.seed = number(random_) % 4096 + 1;
    if (one_in(random_, 2)) s.view.displacement = pick(random_, 0, one_in(random_, 3) ? 9000 : 50);
    if (s.view.shape == shape::plain || s.view.shape == shape::dealt)
      s.view.etype_bytes = any_of(random_, {1, 2, 4, 8, 12});
    seen_ = s.view.shape;
    p_.steps.push_back(std::move(s));
  }

  void call() {
    std::int64_t const x = pick(random_, 1, 100);
    step s;
    if (x <= 8) return set_view();
    if (x <= 24) {
      s.what = any_of(random_, {op::set_size, op::preallocate, op::sync, op::sync, op::clear_sync, op::set_atomic,
                                op::seek_shared, op::compute, op::compute, op::wait});
      s.offset = s.what == op::seek_shared ? pick(random_, 0, 200) : pick(random_, 0, 20000);
      s.count = pick(random_, 0, 3000);
      s.salt = number(random_);
      s.on = !one_in(random_, 3);
      if ((s.what == op::set_size || s.what == op::preallocate) && one_in(random_, 10)) s.mistake = slip::other_size;
      p_.steps.push_back(std::move(s));
      return;
    }
    // Collective calls twice as often; reading less often than writing.
    std::int64_t const group = pick(random_, 0, 2), way = any_of(random_, {0, 1, 2, 2});
    bool const shared = group == 2 && !is_own(seen_);
    s.what = static_cast<op>(static_cast<int>(op::read_at) +
                             (shared       ? 12
                              : group == 1 ? 6
                                           : 0) +
                             2 * way + (pick(random_, 0, 4) < 3 ? 1 : 0));
    s.offset = one_in(random_, 3) ? 0 : pick(random_, 0, one_in(random_, 4) ? 400 : 40);
    if (at_pointer(s.what) && one_in(random_, 2)) s.offset = -1;
    s.count =
        one_in(random_, 12) ? 0 : pick(random_, 1, std::min<std::int64_t>(most_, one_in(random_, 6) ? 1500 : 120));
    if (one_in(random_, 2)) s.salt = number(random_);
    if (one_in(random_, 2)) s.memory = number(random_) % 4096 + 1;
    s.policy = random_policy(random_);
    s.later = one_in(random_, 2);
    s.loose = one_in(random_, 3);
    if (one_in(random_, 30)) s.mistake = one_in(random_, 2) ? slip::negative_offset : slip::null_address;
    s.culprit = static_cast<int>(pick(random_, 0, ranks_ - 1));
    p_.steps.push_back(std::move(s));
  }

  engine random_;
  program p_;
  int ranks_ = 1;
  std::int64_t most_ = 1;
  shape seen_ = shape::plain;
};

}  // namespace

program random_program(std::uint64_t seed, int ranks) { return writer_of_programs(seed, ranks).write(); }

// Machines so small that ranks are in each other's way: few bytes in a block, few blocks in a pool.
program random_gpfs_program(std::uint64_t seed, int ranks) {
  program p = random_program(seed, ranks);
  if (ranks == 0 && p.world.ranks > 64) p = random_program(seed, 2 + static_cast<int>(seed % 31));
  engine random(seed ^ 0x67706673u);
  scenario& w = p.world;
  w.disk = {};
  w.ranks_per_node = one_in(random, 3) ? 1 : static_cast<int>(pick(random, 1, std::max(1, w.ranks / 2)));

  gpfs_choice g;
  gpfs::machine& m = g.machine;
  m.block_bytes = any_of(random, {256, 256, 512, 1024, 4096, 16384, 65536});
  m.pagepool_bytes = m.block_bytes * (one_in(random, 3) ? pick(random, 1, 3) : pick(random, 2, 40));
  m.servers = pick(random, 1, 3);
  m.disks_per_server = pick(random, 1, 2);
  m.prefetch_max_blocks = pick(random, 1, 6);
  m.write_behind_max_blocks = pick(random, 1, 8);
  m.disk_us = static_cast<double>(pick(random, 1, 3000));
  m.lease_s = 1;

  gpfs::troubles& t = g.troubles;
  t.seed = number(random);
  if (one_in(random, 2)) t.delay_max = std::chrono::nanoseconds(pick(random, 1, 3'000'000));
  auto const server = [&] { return static_cast<int>(pick(random, 0, m.servers - 1)); };
  if (one_in(random, 2))
    for (std::int64_t n = pick(random, 1, 2); n > 0; --n) {
      gpfs::server_fault f;
      f.server = one_in(random, 2) ? -1 : server();
      f.of_writes = !one_in(random, 4);
      f.first = one_in(random, 2) ? pick(random, 1, 4) : pick(random, 1, 40);
      f.times = one_in(random, 4) ? gpfs::server_fault::forever : pick(random, 1, 3);
      f.error = !f.of_writes ? EIO : one_in(random, 4) ? ENOSPC : EREMOTEIO;
      t.faults.push_back(f);
    }
  if (one_in(random, 4)) t.slow.push_back({server(), static_cast<double>(pick(random, 2, 20))});
  p.gpfs = g;
  return p;
}

}  // namespace argosy::explore

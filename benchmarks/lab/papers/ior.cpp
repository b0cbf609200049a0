// Transfers of all tasks, each task one after the other: IOR's segments and strides, the same
// records sparse, and blocks dealt at random. The time includes open and close.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <argosy/benchmark/detail/shuffle.hpp>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

namespace {

// Makes each task's transfers, one after the other, at the offsets that `at` returns.
void transfers(player& p, io::access_kind kind, io::lab::hollow_memory const& memory,
               std::int64_t count, std::function<std::int64_t(std::int64_t)> const& at) {
  bool const writes = kind == io::access_kind::write;
  p.time(kind, p.s.what.transfer_bytes * count * p.world.size(), [&] {
    if (p.how().plain) {
      plain_file f(p);
      for (std::int64_t k = 0; k < count; ++k)
        if (writes)
          f.write(at(k), memory.bytes());
        else
          f.read(at(k), memory.bytes());
      f.close();
    } else {
      bool const together = p.how().together;
      io::hints const hints = p.ships_alone() ? p.hints_for_agents() : io::hints();
      io::extend::any_policy const policy =
          together || p.ships_alone() ? p.policy() : io::independent{};
      auto f = io::lab::virtual_file::open(p.world, player::path, p.amode(), hints, p.opener());
      for (std::int64_t k = 0; k < count; ++k)
        if (writes)
          together ? f.write_at_all(at(k), memory.bytes(), policy)
                   : f.write_at(at(k), memory.bytes(), policy);
        else
          together ? f.read_at_all(at(k), memory.bytes(), policy)
                   : f.read_at(at(k), memory.bytes(), policy);
      f.close();
    }
  });
}

std::int64_t count_of(setup const& s) {
  return s.bytes(s.what.transfer_bytes) / s.what.transfer_bytes;
}

// Measures a write of all transfers, and a read of them.
rates write_and_read(setup const& s,
                     std::function<std::int64_t(player const&, std::int64_t)> const& at) {
  io::lab::hollow_memory const memory(static_cast<std::size_t>(s.what.transfer_bytes));
  return play(s, [&](player& p) {
    for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read})
      transfers(p, kind, memory, count_of(s), [&](std::int64_t k) { return at(p, k); });
  });
}

}  // namespace

rates segmented(setup const& s) {
  std::int64_t const each = s.what.transfer_bytes, count = count_of(s);
  return write_and_read(
      s, [&](player const& p, std::int64_t k) { return (p.world.rank() * count + k) * each; });
}

rates strided(setup const& s) {
  std::int64_t const each = s.what.transfer_bytes;
  return write_and_read(s, [&](player const& p, std::int64_t k) {
    return (k * p.world.size() + p.world.rank()) * each;
  });
}

std::int64_t sparse_place(std::int64_t k, std::int64_t count, std::int64_t apart) {
  std::int64_t const longer = count % apart, length = count / apart,
                     in_longer = longer * (length + 1);
  if (k < in_longer) return k % (length + 1) * apart + k / (length + 1);
  return (k - in_longer) % length * apart + longer + (k - in_longer) / length;
}

// Accesses the strided records in an order in which no task has two records of one block in
// succession.
rates sparse(setup const& s) {
  std::int64_t const each = s.what.transfer_bytes, count = count_of(s),
                     stride = each * s.what.tasks();
  std::int64_t const apart = std::min(count, (s.machine.fs.block_bytes + stride - 1) / stride);
  return write_and_read(s, [&](player const& p, std::int64_t k) {
    return sparse_place(k, count, apart) * stride + p.world.rank() * each;
  });
}

// Accesses the file's blocks in any order, equally many for each task. The file exists before, and
// is not cached when it is read.
rates dealt_blocks(setup const& s) {
  std::int64_t const each = s.what.transfer_bytes, count = count_of(s);
  std::vector<std::int64_t> dealt(static_cast<std::size_t>(count * s.what.tasks()));
  std::iota(dealt.begin(), dealt.end(), 0);
  std::mt19937_64 random(s.seed);
  io::bench::detail::shuffle(dealt, random);
  io::lab::hollow_memory const memory(static_cast<std::size_t>(each));
  return play(s, [&](player& p) {
    p.fill(each * count * p.world.size());
    for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read}) {
      p.forget();
      transfers(p, kind, memory, count, [&](std::int64_t k) {
        return dealt[static_cast<std::size_t>(p.world.rank() * count + k)] * each;
      });
    }
  });
}

}  // namespace papers

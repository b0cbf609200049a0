// Blocks in an order that cannot be predicted, with the multiple access range hint and without.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <random>
#include <stdexcept>
#include <utility>

#include <argosy/benchmark/detail/shuffle.hpp>
#include <argosy/handle/gpfs_fcntl.hpp>

#include "experiment.hpp"

namespace shapes {

namespace io = argosy;

namespace {

constexpr std::int64_t piece_bytes = 4096;
constexpr int pieces_per_block = 16;

struct block_access {
  std::int64_t block = 0;
  std::array<std::int64_t, pieces_per_block> offsets = {};  // in the block, in ascending order
};

// Returns the blocks of each rank. Each block has one owner. Order and pieces are random.
std::vector<std::vector<block_access>> dealt(int ranks, std::int64_t blocks,
                                             std::int64_t block_bytes) {
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks) + 100);
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks * blocks));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  io::bench::detail::shuffle(all, random);
  // With gaps, because two adjacent pieces would look like a stream.
  std::vector<std::int64_t> places(static_cast<std::size_t>(block_bytes / (2 * piece_bytes)));
  std::vector<std::vector<block_access>> of_ranks(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < places.size(); ++k)
      places[k] = static_cast<std::int64_t>(k) * 2 * piece_bytes;
    io::bench::detail::shuffle(places, random);
    block_access a{all[i]};
    std::copy_n(places.begin(), pieces_per_block, a.offsets.begin());
    std::sort(a.offsets.begin(), a.offsets.end());
    of_ranks[i % of_ranks.size()].push_back(a);
  }
  return of_ranks;
}

io::lab::gpfs::gpfsRangeArray_t range_of(block_access const& a, bool is_write) {
  io::lab::gpfs::gpfsRangeArray_t r;
  r.blockNumber = a.block;
  r.start = static_cast<int>(a.offsets.front());
  r.length = static_cast<int>(a.offsets.back() + piece_bytes - a.offsets.front());
  r.isWrite = is_write ? 1 : 0;
  return r;
}

struct ranges_hint {
  io::lab::gpfs::gpfsFcntlHeader_t header{sizeof(header) + sizeof(ranges)};
  io::lab::gpfs::gpfsMultipleAccessRange_t ranges;
};

// Gives hints as published: as many ranges as possible are under way. At most max_acc of the
// accepted ranges are accessed between two calls of the hint. Each call releases the accessed
// ranges and requests more.
template <class Access>
void guided(io::lab::virtual_gpfs_handle& f, std::vector<block_access> const& mine, bool is_write,
            std::size_t max_acc, Access&& access) {
  constexpr std::size_t max_pre = io::lab::gpfs::range_count_max;
  std::deque<io::lab::gpfs::gpfsRangeArray_t> done;  // accessed but not released
  std::size_t next = 0, asked = 0;                   // [next, asked): accepted, not accessed
  while (next < mine.size() || !done.empty()) {
    ranges_hint h;
    for (; !done.empty(); done.pop_front())
      h.ranges.relRangeArray[h.ranges.relRangeCnt++] = done.front();
    for (std::size_t k = asked; k < std::min(next + max_pre, mine.size()); ++k)
      h.ranges.accRangeArray[h.ranges.accRangeCnt++] = range_of(mine[k], is_write);
    require(f.fcntl(h), "multiple access range");
    asked += static_cast<std::size_t>(h.ranges.accRangeCnt);
    if (asked == next) {
      if (next == mine.size()) break;
      access(mine[next++]);
      asked = next;
      continue;
    }
    for (std::size_t const end = next + std::min(asked - next, max_acc); next < end; ++next) {
      access(mine[next]);
      done.push_back(range_of(mine[next], is_write));
    }
  }
}

measured visit(stage& s, access_kind kind, std::size_t max_acc, std::uint64_t salt,
               std::vector<std::vector<block_access>> const& of_ranks) {
  bool const is_write = kind == access_kind::write;
  return s.run([&](player& p) {
    std::vector<block_access> const& mine = of_ranks[static_cast<std::size_t>(p.rank())];
    std::vector<std::byte> memory(mine.size() * pieces_per_block * piece_bytes);
    auto const piece = [&](block_access const& a, std::size_t k) {
      std::size_t const index = static_cast<std::size_t>(&a - mine.data()) * pieces_per_block + k;
      return std::span(memory).subspan(index * piece_bytes, piece_bytes);
    };
    auto const each_piece = [&](block_access const& a, auto const& f) {
      for (std::size_t k = 0; k < pieces_per_block; ++k)
        f(a.block * s.block_bytes() + a.offsets[k], piece(a, k));
    };
    if (is_write)
      for (block_access const& a : mine)
        each_piece(a, [&](std::int64_t at, std::span<std::byte> to) { fill(to, at, salt); });
    io::lab::virtual_gpfs_handle f = opened(p);
    auto const access = [&](block_access const& a) {
      each_piece(a, [&](std::int64_t at, std::span<std::byte> bytes) {
        io::extend::io_result const r = is_write ? f.write(at, bytes) : f.read(at, bytes);
        require(r.error, "transfer");
        if (r.bytes != piece_bytes) throw std::runtime_error("a short transfer");
      });
    };
    p.start();
    if (max_acc == 0)
      for (block_access const& a : mine) access(a);
    else
      guided(f, mine, is_write, max_acc, access);
    if (is_write) require(f.sync(), "sync");
    p.stop();
    require(f.close(), "close");
    if (!is_write)
      for (block_access const& a : mine)
        each_piece(a, [&](std::int64_t at, std::span<std::byte> got) { require(got, at, salt); });
  });
}

}  // namespace

void random_blocks(options const& o, int ranks, observer const& tell) {
  if (o.machine.block_bytes < 2 * pieces_per_block * piece_bytes)
    throw std::runtime_error("blocks are too small");
  std::int64_t const blocks = o.share(16), block_bytes = o.machine.block_bytes;
  auto const of_ranks = dealt(ranks, blocks, block_bytes);
  stage s(o, ranks, o.machine);
  std::vector<std::byte> content(static_cast<std::size_t>(ranks * blocks * block_bytes));
  fill(content, 0, 0);
  s.files.put(stage::path, content);
  std::uint64_t salt = 0;
  for (std::size_t const max_acc : {0u, 1u, 2u, 4u, 8u}) {
    std::string const name = max_acc == 0 ? "no hint" : "max_acc " + std::to_string(max_acc);
    tell.begins(name);
    ++salt;
    std::int64_t const bytes = ranks * blocks * pieces_per_block * piece_bytes;
    tell.ends(name, access_kind::write, bytes,
              visit(s, access_kind::write, max_acc, salt, of_ranks));
    for (auto const& blocks_of_rank : of_ranks)
      for (block_access const& a : blocks_of_rank)
        for (std::int64_t const inside : a.offsets) {
          std::int64_t const at = a.block * block_bytes + inside;
          fill(std::span(content).subspan(static_cast<std::size_t>(at), piece_bytes), at, salt);
        }
    if (s.files.content(stage::path) != content) throw std::runtime_error("wrong data in the file");
    tell.ends(name, access_kind::read, bytes, visit(s, access_kind::read, max_acc, salt, of_ranks));
  }
}

}  // namespace shapes

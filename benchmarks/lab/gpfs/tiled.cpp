// Experiments on a file that the ranks' pieces fill completely.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <utility>

#include <argosy/benchmark/detail/shuffle.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "experiment.hpp"

namespace shapes {

namespace io = argosy;

namespace {

using deal = std::function<std::vector<std::int64_t>(int rank)>;

// Files are small here compared with those that agents are made for. Stripes of one block give
// every rank some.
io::data_shipping shipping(options const& o) { return {.stripe_bytes = o.machine.block_bytes}; }

// Deals equally many blocks to each rank, in file order.
deal at_random(int ranks, std::int64_t blocks, std::int64_t block_bytes) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks * blocks));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i) * block_bytes;
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks));
  io::bench::detail::shuffle(all, random);
  return [all = std::move(all), blocks](int rank) {
    std::vector<std::int64_t> mine(all.begin() + rank * blocks, all.begin() + (rank + 1) * blocks);
    std::sort(mine.begin(), mine.end());
    return mine;
  };
}

deal in_turn(int ranks, std::int64_t records, std::int64_t record_bytes) {
  return [=](int rank) {
    std::vector<std::int64_t> mine(static_cast<std::size_t>(records));
    for (std::size_t i = 0; i < mine.size(); ++i)
      mine[i] = (static_cast<std::int64_t>(i) * ranks + rank) * record_bytes;
    return mine;
  };
}

// Divides each rank's one piece into blocks.
deal blocks_of(deal const& pieces, std::int64_t bytes, std::int64_t block_bytes) {
  return [=](int rank) {
    std::vector<std::int64_t> blocks;
    for (std::int64_t const at : pieces(rank))
      for (std::int64_t i = 0; i < bytes; i += block_bytes) blocks.push_back(at + i);
    return blocks;
  };
}

}  // namespace

void write_and_read(stage& s, setting const& what, std::int64_t bytes, std::uint64_t salt,
                    observer const& tell) {
  tell.begins(what.name);
  tell.ends(what.name, access_kind::write, bytes, what.run(s, access_kind::write));
  std::vector<std::byte> const content = s.files.content(stage::path);
  if (static_cast<std::int64_t>(content.size()) != bytes)
    throw std::runtime_error("the file has the wrong size");
  require(content, 0, salt);
  if (what.reads) tell.ends(what.name, access_kind::read, bytes, what.run(s, access_kind::read));
}

void discontiguous(options const& o, int ranks, observer const& tell) {
  constexpr std::int64_t piece = 1024;
  // With a call for each block, or a window of the whole file for each rank, little data is enough
  // to measure the rate.
  std::int64_t const few = o.share(128), many = o.share(1024);
  deal const little = at_random(ranks, few, piece), all = at_random(ranks, many, piece);
  std::uint64_t salt = 0;
  auto const measure = [&](std::string const& name, deal const& which, std::int64_t count,
                           auto const& run) {
    stage s(o, ranks, o.machine);
    ++salt;
    write_and_read(s, {name, [&](stage& on, access_kind kind) { return run(on, kind, which); }},
                   ranks * count * piece, salt, tell);
  };
  measure("posix", little, few, [&](stage& s, access_kind kind, deal const& which) {
    return by_calls(s, kind, salt, piece, which);
  });
  auto const with = [&](file_access const& how) {
    return [&, how](stage& s, access_kind kind, deal const& which) {
      return through_file(s, kind, how, salt, piece, which);
    };
  };
  measure("sieving", little, few,
          with({.policy = io::sieving{.reads = io::sieving_mode::always,
                                      .writes = io::sieving_mode::always},
                .together = false}));
  measure("two_phase", all, many, with({.policy = io::two_phase()}));
  measure("data_shipping", all, many, with({.policy = shipping(o)}));
}

void contiguous(options const& o, int ranks, observer const& tell) {
  std::int64_t const stretch = o.share(16) * o.machine.block_bytes;
  deal const each = [=](int rank) { return std::vector<std::int64_t>{rank * stretch}; };
  // Servers that slow down if they get more requests than they can serve, as in releases without
  // flow control.
  io::lab::gpfs::machine flooded = o.machine;
  flooded.overload_write = 1;
  std::uint64_t salt = 0;
  for (bool const controlled : {true, false})
    for (bool const ships : {false, true}) {
      stage s(o, ranks, controlled ? o.machine : flooded);
      ++salt;
      file_access const how = ships ? file_access{.policy = shipping(o)}
                                    : file_access{.policy = io::independent(), .together = false};
      write_and_read(s,
                     {std::string(ships ? "data_shipping" : "independent") +
                          (controlled ? "" : ", no flow control"),
                      [&](stage& on, access_kind kind) {
                        return through_file(on, kind, how, salt, stretch, each);
                      },
                      controlled},
                     ranks * stretch, salt, tell);
    }
  // A call of the file system for each block. If the file is partitioned round robin, most blocks
  // belong to another node.
  deal const blocks = blocks_of(each, stretch, o.machine.block_bytes);
  for (bool const partitioned : {false, true}) {
    stage s(o, ranks, o.machine);
    ++salt;
    write_and_read(s,
                   {partitioned ? "blocks, partitioned" : "blocks",
                    [&](stage& on, access_kind kind) {
                      return by_calls(on, kind, salt, o.machine.block_bytes, blocks, partitioned);
                    }},
                   ranks * stretch, salt, tell);
  }
}

// Answers an open question of the paper: whether an agent gains by a second buffer for a call, and
// by merging over gaps.
void agents(options const& o, int ranks, observer const& tell) {
  constexpr std::int64_t piece = 1024;
  std::int64_t const many = o.share(1024);
  deal const all = at_random(ranks, many, piece);
  std::uint64_t salt = 0;
  for (int const buffers : {1, 2, 4})
    for (bool const sparse : {false, true}) {
      if (sparse && buffers != 2) continue;
      io::data_shipping how = shipping(o);
      how.buffers = buffers;
      how.sparse = sparse;
      stage s(o, ranks, o.machine);
      ++salt;
      write_and_read(s,
                     {std::to_string(buffers) + (buffers == 1 ? " buffer" : " buffers") +
                          (sparse ? ", pieces alone" : ""),
                      [&](stage& on, access_kind kind) {
                        return through_file(on, kind,
                                            {.policy = how, .together = false, .served = true},
                                            salt, piece, all);
                      }},
                     ranks * many * piece, salt, tell);
    }
}

void strided(options const& o, int ranks, observer const& tell) {
  constexpr std::int64_t record = 512;
  std::int64_t const records = o.share(128);
  deal const turns = in_turn(ranks, records, record);
  std::uint64_t salt = 0;
  auto const measure = [&](std::string const& name, auto const& run) {
    stage s(o, ranks, o.machine);
    ++salt;
    write_and_read(s, {name, run}, ranks * records * record, salt, tell);
  };
  for (bool const partitioned : {false, true})
    measure(partitioned ? "partitioned" : "tokens", [&, partitioned](stage& s, access_kind kind) {
      return by_calls(s, kind, salt, record, turns, partitioned);
    });
  measure("data_shipping, a call each", [&](stage& s, access_kind kind) {
    return through_file(s, kind,
                        {.policy = shipping(o), .together = false, .served = true, .each = true},
                        salt, record, turns);
  });
  measure("data_shipping, collective", [&](stage& s, access_kind kind) {
    return through_file(s, kind, {.policy = shipping(o)}, salt, record, turns);
  });
}

}  // namespace shapes

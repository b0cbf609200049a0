// How a collective write scales with the number of ranks, on virtual ranks: time, messages,
// metadata and memory of each.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/benchmark/measure.hpp>
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/two_phase.hpp>

#include "../../patterns/process.hpp"
#include "../../support/options.hpp"
#include "lattice4d.hpp"

namespace io = argosy;

namespace {

struct options {
  int from = 16, to = 16384;
  int per_node = 16, calls = 2, layers = 0, servers = 64;
  std::int64_t bytes = 64 << 10;                   // for each rank
  std::int64_t aggregators = 0, window_bytes = 0;  // 0: the policy's own
  std::string view, way;                           // empty: all
  io::lab::contents contents = io::lab::contents::real;
  lattice::numbers local{4, 4, 4, 8};  // sites of each rank
};

constexpr bench::option_info table[] = {
    {"--ranks", "FROM:TO", "four times as many each time (default: 16:16384)"},
    {"--per-node", "N", "ranks of a node (default: 16; of lattice4d 8)"},
    {"--bytes", "N", "of each rank, about (default: 64k)"},
    {"--aggregators", "N", "in all (default: as the policy has it: more and more)"},
    {"--window", "N", "bytes of their windows"},
    {"--layers", "N", "messages with pairs of ranks (1) or of nodes (2); default: the cheaper"},
    {"--calls", "N", "equal calls, one after the other (default: 2)"},
    {"--view", "NAME",
     "only this: tile (a block of a 3-D array of doubles), cyclic (doubles dealt to the ranks), "
     "random (pieces of 64 bytes, dealt at random); or lattice4d: a lattice in four dimensions, "
     "written and read in three ways"},
    {"--local", "T,Z,Y,X", "sites of each rank of lattice4d, of 576 bytes (default: 4,4,4,8)"},
    {"--servers", "N", "of the file system of lattice4d (default: 64)"},
    {"--contents", "real|none",
     "none: files and messages have no bytes, and all ranks share their data (default: real)"},
    {"--way", "NAME", "only this way of lattice4d: romio, transposition or argosy"},
};
constexpr bench::program usage{
    "bench_scale",
    "A collective write on virtual ranks, from few to many; each rank brings the same amount.",
    table,
    "Columns: virtual time of the last call; its messages to other nodes and the bytes that told "
    "them the view, mean "
    "and most of one rank, in the first call and in the last; memory of the process beyond the "
    "file, by rank; real "
    "time of the whole run."};

options options_from(bench::arguments const& given) {
  options o;
  o.view = given.choice("--view", {"", "tile", "cyclic", "random", "lattice4d"});
  o.way = given.choice("--way", {"", "romio", "transposition", "argosy"});
  if (given.choice("--contents", {"real", "none"}) == "none") o.contents = io::lab::contents::none;
  char more = 0;
  std::string const ranks = given.value("--ranks", "16:16384");
  if (std::sscanf(ranks.c_str(), "%d:%d%c", &o.from, &o.to, &more) != 2 || o.from < 1 ||
      o.to < o.from)
    throw bench::usage_error("--ranks needs FROM:TO, two numbers that grow, not \"" + ranks + "\"");
  o.per_node = given.small_number("--per-node", o.view == "lattice4d" ? 8 : o.per_node, 1);
  o.bytes = given.number("--bytes", o.bytes, 64);
  o.aggregators = given.number("--aggregators", 0);
  o.window_bytes = given.number("--window", 0);
  o.layers = given.small_number("--layers", 0, 0, 2);
  o.calls = given.small_number("--calls", o.calls, 1);
  o.servers = given.small_number("--servers", o.servers, 1);
  auto const local = given.numbers("--local", {o.local.begin(), o.local.end()}, 1);
  if (local.size() != o.local.size())
    throw bench::usage_error("--local needs four numbers: T,Z,Y,X");
  std::copy(local.begin(), local.end(), o.local.begin());
  return o;
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Returns the rank's part of the file.
io::layout part(std::string_view view, int rank, int ranks, std::int64_t bytes) {
  if (view == "cyclic")
    return at(8 * rank, io::flatten(io::vector(bytes / 8, 1, ranks, io::type<double>)));
  if (view == "tile") {
    io::process_grid const grid(ranks, 3);
    auto const side = static_cast<std::int64_t>(std::cbrt(static_cast<double>(bytes) / 8));
    io::darray<double, 3> const a(
        {side * grid.extent(0), side * grid.extent(1), side * grid.extent(2)},
        io::distribute::block, grid, rank);
    return a.form();
  }
  // The file consists of ranges with a slot for each rank. The order of the ranks differs from
  // range to range.
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < bytes / 64; ++i) {
    auto const shift = static_cast<std::int64_t>(mixed(static_cast<std::uint64_t>(i)) %
                                                 static_cast<std::uint64_t>(ranks));
    offsets.push_back((i * ranks + (rank + shift) % ranks) * 64);
  }
  return io::table(offsets, 64);
}

struct most_and_sum {
  std::int64_t most = 0, sum = 0;
  void add(std::int64_t x) {
    most = std::max(most, x);
    sum += x;
  }
};

struct row {
  double seconds = 0;
  most_and_sum messages[2], view_bytes[2];
  std::int64_t rounds = 0;
};

void run(options const& o, std::string const& view, int ranks) {
  io::two_phase together{.aggregators = o.aggregators, .layers = o.layers};
  if (o.window_bytes > 0) {
    together.window_bytes = o.window_bytes;
    together.buffer_bytes = 2 * o.window_bytes;
  }
  io::lab::virtual_files const files({}, o.contents);
  io::lab::virtual_cluster const cluster({.ranks = ranks, .ranks_per_node = o.per_node, .seed = 1},
                                         {.contents = o.contents});
  io::lab::hollow_memory const shared(static_cast<std::size_t>(o.bytes));
  patterns::forget_peak();
  std::int64_t const before = patterns::peak_rss_bytes();
  auto const began = std::chrono::steady_clock::now();
  row all;
  cluster.run([&](io::lab::virtual_rank const& world) {
    io::layout const mine = part(view, world.rank(), ranks, o.bytes);
    std::vector<std::byte> own;
    if (o.contents == io::lab::contents::real)
      own.resize(static_cast<std::size_t>(mine.size()), static_cast<std::byte>(world.rank()));
    std::span<std::byte const> const data =
        own.empty() ? shared.bytes().first(static_cast<std::size_t>(mine.size())) : own;
    auto f = io::basic_file<io::lab::virtual_rank>::open(
        world, "state", io::mode::create | io::mode::read_write, {}, files.opener());
    f.set_view(0, {io::bytes(1), mine});
    for (int call = 0; call < o.calls; ++call) {
      io::report r;
      io::bench::outcome const done =
          io::bench::measure(world, [&] { r = f.write_at_all(0, data, together); });
      if (done.failed()) throw std::runtime_error(done.error());
      for (int const i : {0, 1}) {
        if (call != (i == 0 ? 0 : o.calls - 1)) continue;
        all.messages[i].add(r.messages);
        all.view_bytes[i].add(r.view_bytes);
      }
      all.rounds = r.rounds;
      all.seconds = done.seconds;
    }
    f.close();
  });
  double const real =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::int64_t const file = o.contents == io::lab::contents::real ? files.allocated_bytes() : 0;
  std::int64_t const memory = (patterns::peak_rss_bytes() - before - file) / ranks;
  auto const mean = [&](most_and_sum const& x) { return static_cast<double>(x.sum) / ranks; };
  std::printf("%-7s %6d %9.3f %7lld %9.1f %5lld %9.1f %5lld %10.0f %8lld %9.0f %6lld %9lld %8.2f\n",
              view.c_str(), ranks, all.seconds * 1e3, static_cast<long long>(all.rounds),
              mean(all.messages[0]), static_cast<long long>(all.messages[0].most),
              mean(all.messages[1]), static_cast<long long>(all.messages[1].most),
              mean(all.view_bytes[0]), static_cast<long long>(all.view_bytes[0].most),
              mean(all.view_bytes[1]), static_cast<long long>(all.view_bytes[1].most),
              static_cast<long long>(memory), real);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  auto const given = bench::options_of(usage, argc, argv, status, options_from);
  if (!given) return status;
  options const& o = *given;
  if (o.view == "lattice4d") {
    lattice::print_head();
    for (int n = o.from; n <= o.to; n *= 4)
      lattice::run({.ranks = n,
                    .per_node = o.per_node,
                    .servers = o.servers,
                    .calls = o.calls,
                    .local = o.local,
                    .contents = o.contents,
                    .way = o.way});
    return 0;
  }
  std::printf("%-7s %6s %9s %7s %15s %15s %19s %16s %9s %8s\n", "view", "ranks", "virtual",
              "rounds", "messages,", "messages,", "view bytes,", "view bytes,", "bytes of", "real");
  std::printf("%-7s %6s %9s %7s %9s %5s %9s %5s %10s %8s %9s %6s %9s %8s\n", "", "", "ms", "",
              "1st mean", "most", "last mean", "most", "1st mean", "most", "last mean", "most",
              "memory", "s");
  for (std::string const view : {"tile", "cyclic", "random"}) {
    if (!o.view.empty() && o.view != view) continue;
    for (int n = o.from; n <= o.to; n *= 4) run(o, view, n);
  }
}

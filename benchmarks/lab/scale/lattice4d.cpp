// Runs the three ways in the virtual cluster, and compares the files that they write.
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice4d.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/benchmark/measure.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "../../patterns/process.hpp"

namespace io = argosy;

namespace lattice {
namespace {

struct result {
  double write_s = 0, read_s = 0;  // time of the slowest rank
  std::int64_t messages = 0;       // sum over all ranks, for writing and reading
  double real_s = 0;
  std::int64_t memory = 0;  // beyond the file, for each rank
};

// `move(world, write)` is the work of a rank after a barrier. Both times are those of the last
// call.
template <class Make>
result timed(virtual_run const& o, io::lab::virtual_files const& files, Make&& make) {
  result r;
  bool const real = o.contents == io::lab::contents::real;
  std::optional<io::lab::hollow_memory> shared;
  auto const mine = static_cast<std::size_t>(geometry(o.ranks, 0, o.local).bytes());
  if (!real)
    shared.emplace(
        std::max(mine, static_cast<std::size_t>(romio<io::lab::virtual_rank>::buffer_bytes)));
  rooms const memory = real ? rooms() : rooms(shared->bytes());
  patterns::forget_peak();
  std::int64_t const before = patterns::peak_rss_bytes();
  auto const began = std::chrono::steady_clock::now();
  io::lab::scenario const s{.ranks = o.ranks, .ranks_per_node = o.per_node, .seed = 1};
  io::lab::virtual_cluster(s, {.contents = o.contents})
      .run([&](io::lab::virtual_rank const& world) {
        geometry const g(o.ranks, world.rank(), o.local);
        std::vector<std::byte> own(real ? static_cast<std::size_t>(g.bytes()) : 0);
        std::span<std::byte> const data = real ? own : shared->bytes().first(mine);
        if (real) g.fill(data);
        auto way = make(world, g, files, memory);
        for (bool const write : {true, false}) {
          double& slowest = write ? r.write_s : r.read_s;
          for (int call = 0; call < o.calls; ++call) {
            if (!write) std::ranges::fill(own, std::byte{});
            io::bench::outcome const done =
                io::bench::measure(world, [&] { write ? way.write(data) : way.read(data); });
            if (done.failed()) throw std::runtime_error(done.error());
            slowest = done.seconds;
          }
        }
        if (real && !g.holds(data))
          throw std::runtime_error("what was read is not what was written");
        r.messages += way.messages();
        way.close();
      });
  r.real_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  r.memory = (patterns::peak_rss_bytes() - before - (real ? files.allocated_bytes() : 0)) / o.ranks;
  return r;
}

template <class Way>
struct by_hand {
  Way way;
  io::extend::any_handle file;
  void write(std::span<std::byte const> data) { way.write(file, data); }
  void read(std::span<std::byte> data) { way.read(file, data); }
  std::int64_t messages() const { return way.messages(); }
  void close() { file.close(); }
};

io::extend::any_handle opened(io::lab::virtual_rank const& world,
                              io::lab::virtual_files const& files) {
  std::error_code error;
  if (world.rank() == 0)
    files.opener()("lattice", {.read = true, .write = true, .create = true}, error).close();
  world.barrier();
  io::extend::any_handle file = files.opener()("lattice", {.read = true, .write = true}, error);
  if (error) throw std::system_error(error);
  return file;
}

struct ours {
  io::basic_file<io::lab::virtual_rank> file;
  std::int64_t sent = 0;
  void write(std::span<std::byte const> data) { sent += file.write_at_all(0, data).messages; }
  void read(std::span<std::byte> data) { sent += file.read_at_all(0, data).messages; }
  std::int64_t messages() const { return sent; }
  void close() { file.close(); }
};

}  // namespace

void print_head() {
  std::printf("%6s %6s %9s | %36s | %36s | %36s | %17s | %7s\n", "", "", "",
              "ROMIO's way: write, read", "transposition", "argosy", "argosy is faster", "real");
  std::printf("%6s %6s %9s", "ranks", "nodes", "MB");
  for (int way = 0; way < 3; ++way)
    std::printf(" | %8s %8s %8s %9s", "ms", "ms", "messages", "memory");
  std::printf(" | %8s %8s | %7s\n", "write", "read", "s");
}

void run(virtual_run const& o) {
  bool const real = o.contents == io::lab::contents::real;
  geometry const g(o.ranks, 0, o.local);
  io::lab::virtual_disk disk;
  disk.servers = o.servers;
  io::lab::virtual_files const first(disk, o.contents), second(disk, o.contents),
      third(disk, o.contents);
  auto const takes_part = [&](std::string_view way) { return o.way.empty() || o.way == way; };
  std::optional<result> of_romio, by_user, of_argosy;
  if (takes_part("romio"))
    of_romio =
        timed(o, first,
              [&](auto const& world, geometry const& mine, auto const& files, rooms const& memory) {
                return by_hand<romio<io::lab::virtual_rank>>{{world, mine, memory, o.per_node},
                                                             opened(world, files)};
              });
  if (takes_part("transposition"))
    by_user =
        timed(o, second,
              [&](auto const& world, geometry const& mine, auto const& files, rooms const& memory) {
                return by_hand<transposition<io::lab::virtual_rank>>{{world, mine, memory},
                                                                     opened(world, files)};
              });
  if (takes_part("argosy"))
    of_argosy = timed(
        o, third, [&](auto const& world, geometry const& mine, auto const& files, rooms const&) {
          auto f = io::basic_file<io::lab::virtual_rank>::open(
              world, "lattice", io::mode::create | io::mode::read_write, {}, files.opener());
          f.set_view(0, {io::bytes(1), mine.view()});
          return ours{std::move(f)};
        });
  if (real && o.way.empty() &&
      (first.content("lattice") != third.content("lattice") ||
       second.content("lattice") != third.content("lattice")))
    throw std::runtime_error("the three files differ");
  std::printf("%6d %6d %9.1f", o.ranks, (o.ranks + o.per_node - 1) / o.per_node,
              static_cast<double>(g.file_bytes()) / 1e6);
  double real_s = 0;
  for (auto const* const r : {&of_romio, &by_user, &of_argosy}) {
    if (!*r) {
      std::printf(" | %8s %8s %8s %9s", "-", "-", "-", "-");
      continue;
    }
    std::printf(" | %8.2f %8.2f %8.1f %9lld", (*r)->write_s * 1e3, (*r)->read_s * 1e3,
                static_cast<double>((*r)->messages) / o.ranks / (2 * o.calls),
                static_cast<long long>((*r)->memory));
    real_s += (*r)->real_s;
  }
  if (by_user && of_argosy)
    std::printf(" | %7.2fx %7.2fx", by_user->write_s / of_argosy->write_s,
                by_user->read_s / of_argosy->read_s);
  else
    std::printf(" | %8s %8s", "-", "-");
  std::printf(" | %7.1f\n", real_s);
  std::fflush(stdout);
}

}  // namespace lattice

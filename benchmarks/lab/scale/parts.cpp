// A collective write of parts of a file: time, messages, metadata and memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/benchmark/virtual_time.hpp>
#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/two_phase.hpp>

#include "scale.hpp"

namespace io = argosy;

namespace scale {
namespace {

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

struct told {
  sum_and_most messages, view_bytes;
  void add(io::report const& r) {
    messages.add(r.messages);
    view_bytes.add(r.view_bytes);
  }
};

io::two_phase policy_of(setting const& s) {
  io::two_phase p{.aggregators = s.aggregators, .layers = s.layers};
  if (s.window_bytes > 0) {
    p.window_bytes = s.window_bytes;
    p.buffer_bytes = 2 * s.window_bytes;
  }
  return p;
}

// The calls of one virtual rank. The last one is timed.
void write_part(io::bench::virtual_case const& on, setting const& s, std::string_view view,
                std::span<std::byte const> shared, io::lab::virtual_files const& files, told& first,
                told& last) {
  auto const& world = on.world();
  io::layout const mine = part(view, world.rank(), world.size(), s.bytes);
  auto const size = static_cast<std::size_t>(mine.size());
  std::vector<std::byte> own;
  if (s.is_real()) own.resize(size, static_cast<std::byte>(world.rank()));
  std::span<std::byte const> const data = own.empty() ? shared.first(size) : own;
  io::two_phase const together = policy_of(s);
  auto f = io::lab::virtual_file::open(world, "state", io::mode::create | io::mode::read_write, {},
                                       files.opener());
  f.set_view(0, {io::bytes(1), mine});
  io::report r;
  auto const write = [&] { return r = f.write_at_all(0, data, together); };
  for (int call = 1; call < s.calls; ++call) {
    write();
    if (call == 1) first.add(r);
  }
  on.time(write);
  if (s.calls == 1) first.add(r);
  last.add(r);
  f.close();
}

void run(benchmark::State& state, setting const& s, std::string_view view) {
  io::lab::virtual_files const files({}, s.contents);
  io::lab::virtual_cluster const cluster({.ranks = static_cast<int>(state.range(0)),
                                          .ranks_per_node = s.per_node == 0 ? 16 : s.per_node,
                                          .seed = 1},
                                         {.contents = s.contents});
  io::lab::hollow_memory const shared(static_cast<std::size_t>(s.bytes));
  footprint const taken;
  told first, last;
  io::bench::run_virtual(state, cluster, [&](io::bench::virtual_case const& on) {
    write_part(on, s, view, shared.bytes(), files, first, last);
  });
  taken.count(state, s.is_real() ? files.allocated_bytes() : 0);
  count_of_ranks(state, "messages_1st", first.messages);
  count_of_ranks(state, "messages", last.messages);
  count_of_ranks(state, "view_bytes_1st", first.view_bytes);
  count_of_ranks(state, "view_bytes", last.view_bytes);
}

}  // namespace

void enter_parts(setting const& s) {
  for (std::string const view : {"tile", "cyclic", "random"})
    enter(s, view, [=](benchmark::State& state) { run(state, s, view); });
}

}  // namespace scale

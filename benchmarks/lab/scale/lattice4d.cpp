// A lattice in four dimensions, written and read in three ways. The files must be equal.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/benchmark/virtual_time.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "lattice.hpp"
#include "scale.hpp"

namespace io = argosy;

namespace scale {
namespace {

using io::lab::virtual_files;
using io::lab::virtual_rank;
using lattice::geometry;

template <class Way>
struct by_hand {
  Way way;
  io::extend::any_handle file;
  void write(std::span<std::byte const> data) { way.write(file, data); }
  void read(std::span<std::byte> data) { way.read(file, data); }
  std::int64_t messages() const { return way.messages(); }
  std::int64_t view_bytes() const { return 0; }
  void close() { file.close(); }
};

struct ours {
  io::lab::virtual_file file;
  std::int64_t sent = 0, told = 0;
  void add(io::report const& r) {
    sent += r.messages;
    told += r.view_bytes;
  }
  void write(std::span<std::byte const> data) { add(file.write_at_all(0, data)); }
  void read(std::span<std::byte> data) { add(file.read_at_all(0, data)); }
  std::int64_t messages() const { return sent; }
  std::int64_t view_bytes() const { return told; }
  void close() { file.close(); }
};

io::extend::any_handle opened(virtual_rank const& world, virtual_files const& files) {
  std::error_code error;
  if (world.rank() == 0)
    files.opener()("lattice", {.read = true, .write = true, .create = true}, error).close();
  world.barrier();
  io::extend::any_handle file = files.opener()("lattice", {.read = true, .write = true}, error);
  if (error) throw std::system_error(error);
  return file;
}

// Facts that all ranks of a case share.
struct ground {
  virtual_files const& files;
  lattice::rooms const& memory;
  int per_node;
};

by_hand<lattice::romio<virtual_rank>> romio_of(virtual_rank const& world, geometry const& mine,
                                               ground const& g) {
  return {{world, mine, g.memory, g.per_node}, opened(world, g.files)};
}
by_hand<lattice::transposition<virtual_rank>> transposition_of(virtual_rank const& world,
                                                               geometry const& mine,
                                                               ground const& g) {
  return {{world, mine, g.memory}, opened(world, g.files)};
}
ours argosy_of(virtual_rank const& world, geometry const& mine, ground const& g) {
  auto f = io::lab::virtual_file::open(world, "lattice", io::mode::create | io::mode::read_write,
                                       {}, g.files.opener());
  f.set_view(0, {io::bytes(1), mine.view()});
  return {std::move(f)};
}

struct result {
  double write_s = 0, read_s = 0;  // the last call alone
  sum_and_most messages, view_bytes;
};

// The calls of one virtual rank: the last write and the last read are timed.
template <class Way>
void write_and_read(io::bench::virtual_case const& on, int calls, geometry const& mine,
                    std::span<std::byte> data, bool is_real, Way& way, result& all) {
  auto const write = [&] { way.write(data); };
  auto const read = [&] { way.read(data); };
  for (int call = 1; call < calls; ++call) write();
  all.write_s = on.time(write);
  for (int call = 1; call < calls; ++call) read();
  if (is_real) std::ranges::fill(data, std::byte{});
  all.read_s = on.time(read);
  if (is_real && !mine.holds(data))
    throw std::runtime_error("what was read is not what was written");
  all.messages.add(way.messages());
  all.view_bytes.add(way.view_bytes());
}

// The files of the ways that have run, by the number of ranks.
using hashes = std::map<std::int64_t, std::size_t>;

template <class Make>
void run(benchmark::State& state, setting const& s, Make const& make, hashes& written) {
  auto const ranks = static_cast<int>(state.range(0));
  int const per_node = s.per_node == 0 ? 8 : s.per_node;
  io::lab::virtual_disk disk;
  disk.servers = s.servers;
  virtual_files const files(disk, s.contents);
  auto const bytes = static_cast<std::size_t>(geometry(ranks, 0, s.local).bytes());
  std::optional<io::lab::hollow_memory> shared;
  if (!s.is_real())
    shared.emplace(
        std::max(bytes, static_cast<std::size_t>(lattice::romio<virtual_rank>::buffer_bytes)));
  lattice::rooms const memory = s.is_real() ? lattice::rooms() : lattice::rooms(shared->bytes());
  ground const g{files, memory, per_node};
  footprint const taken;
  result all;
  int closed = 0;
  io::lab::virtual_cluster const cluster({.ranks = ranks, .ranks_per_node = per_node, .seed = 1},
                                         {.contents = s.contents});
  io::bench::run_virtual(state, cluster, [&](io::bench::virtual_case const& on) {
    geometry const mine(ranks, on.world().rank(), s.local);
    std::vector<std::byte> own(s.is_real() ? bytes : 0);
    std::span<std::byte> const data = s.is_real() ? own : shared->bytes().first(bytes);
    if (s.is_real()) mine.fill(data);
    auto way = make(on.world(), mine, g);
    write_and_read(on, s.calls, mine, data, s.is_real(), way, all);
    way.close();
    ++closed;
  });
  if (closed < ranks) return;  // a rank failed, and the case has its error
  taken.count(state, s.is_real() ? files.allocated_bytes() : 0);
  state.counters["write_ms"] = 1e3 * all.write_s;
  state.counters["read_ms"] = 1e3 * all.read_s;
  count_of_ranks(state, "messages", all.messages, 2 * s.calls);
  count_of_ranks(state, "view_bytes", all.view_bytes, 2 * s.calls);
  if (!s.is_real() || files.allocated_bytes() == 0) return;
  auto const content = files.content("lattice");
  std::size_t const hash = std::hash<std::string_view>()(
      {reinterpret_cast<char const*>(content.data()), content.size()});
  if (written.try_emplace(ranks, hash).first->second != hash)
    state.SkipWithError("the file differs from that of another way");
}

}  // namespace

void enter_lattice(setting const& s) {
  auto const written = std::make_shared<hashes>();
  auto const enter_way = [&](char const* name, auto make) {
    enter(s, std::string("lattice4d/") + name,
          [=](benchmark::State& state) { run(state, s, make, *written); });
  };
  enter_way("romio", romio_of);
  enter_way("transposition", transposition_of);
  enter_way("argosy", argosy_of);
}

}  // namespace scale

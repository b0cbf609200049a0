// Implements the stage of workload.hpp: a row's machine, its tasks, and their clock.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/lab/cluster/contents.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include <gpfs/directives.hpp>

#include "workload.hpp"

namespace papers {

namespace io = argosy;

namespace {

io::lab::gpfs::machine scaled(io::lab::gpfs::machine m, std::int64_t scale, std::uint64_t seed) {
  m.pagepool_bytes =
      std::max(m.pagepool_bytes / scale, std::min(m.pagepool_bytes, 8 * m.block_bytes));
  m.server_cache_bytes /= scale;
  m.server_dirty_bytes /= scale;
  m.noise_seed = static_cast<std::int64_t>(seed);
  return m;
}

void require(std::error_code const& error, char const* what) {
  if (error) throw std::system_error(error, what);
}

// A handle whose locks cost nothing, and exclude no task.
struct lockless : io::extend::forwarding<lockless, io::extend::any_handle> {
  using forwarding::forwarding;
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    bool const locks = call.kind == io::file_call::lock || call.kind == io::file_call::unlock;
    return locks ? io::extend::io_result{1, {}} : act();
  }
};

struct slowest {
  double seconds = 0;
  void combine(slowest const& other) { seconds = std::max(seconds, other.seconds); }
};

}  // namespace

std::int64_t setup::bytes(std::int64_t unit) const {
  return std::max<std::int64_t>(1, what.bytes_per_task / scale / unit) * unit;
}

turns always_by_turns(setup const& s) {
  if (!find_software(s.what.software)->by_turns || s.what.largeblock) return {};
  return [](std::string const& path) { return !io::lab::detail::is_hidden(path); };
}

rates play(setup const& s, std::function<void(player&)> const& program, turns const& by_turns) {
  rates measured;
  std::optional<io::lab::virtual_gpfs> gpfs;
  std::optional<io::lab::virtual_files> striped;
  if (s.machine.is_striped)
    striped.emplace(s.machine.disk, io::lab::contents::none);
  else
    gpfs.emplace(scaled(s.machine.fs, s.scale, s.seed), s.what.nodes, io::lab::gpfs::troubles(),
                 io::lab::contents::none);
  if (gpfs) gpfs->write_synchronously(by_turns);
  io::opener const opener = gpfs ? gpfs->opener() : striped->opener();
  io::lab::scenario scene{
      .ranks = s.what.tasks(), .ranks_per_node = s.what.per_node, .seed = s.seed};
  scene.network = s.machine.net;
  scene.network.polls_in_files = find_software(s.what.software)->agents && !s.what.largeblock;
  io::lab::virtual_cluster const cluster(
      scene, {.stack_bytes = std::size_t{1} << 20, .contents = io::lab::contents::none});
  measured.events = cluster
                        .run([&](io::lab::virtual_rank const& world) {
                          player p(world, s, opener, gpfs ? &*gpfs : nullptr, measured);
                          program(p);
                        })
                        .events;
  return measured;
}

void player::time(io::access_kind kind, std::int64_t bytes, std::function<void()> const& f) {
  world.barrier();
  double const began = world.now();
  f();
  slowest all{world.now() - began};
  world.all_reduce(all);
  if (is_first())
    (kind == io::access_kind::write ? measured_.write : measured_.read) =
        static_cast<double>(bytes) / 1e6 / all.seconds;
}

void player::fill(std::int64_t bytes) {
  constexpr std::int64_t most = 1 << 20;
  io::lab::hollow_memory const memory(most);
  std::int64_t const n = world.size(), each = (bytes + n - 1) / n / most * most + most;
  io::lab::virtual_gpfs_handle f = open_plain();
  for (std::int64_t at = world.rank() * each, end = std::min(bytes, at + each); at < end;
       at += most)
    require(
        f.write(at, memory.bytes().first(static_cast<std::size_t>(std::min(most, end - at)))).error,
        "write");
  require(f.sync(), "sync");
  require(f.close(), "close");
  world.barrier();
}

void player::forget() {
  world.barrier();
  io::lab::virtual_gpfs_handle f = open_plain();
  shapes::free_all hint;
  require(f.fcntl(hint), "free range");
  require(f.close(), "close");
  world.barrier();
}

software const& player::how() const { return *find_software(s.what.software); }
io::extend::any_policy player::policy() const { return how().policy(s.what, s.machine); }

// Hidden files of the library have the locks that they need.
io::opener player::opener() const {
  if (how().locks) return opener_;
  return opener_.opening([all = opener_](std::string const& file, io::extend::open_flags flags,
                                         std::error_code& error) -> io::extend::any_handle {
    io::extend::any_handle opened = all(file, flags, error);
    if (error || io::lab::detail::is_hidden(file)) return opened;
    return lockless(std::move(opened));
  });
}

io::mode player::amode() const {
  io::mode const m = io::mode::create | io::mode::read_write;
  return s.what.unique ? m | io::mode::unique_open : m;
}

io::hints player::hints_for_agents() const {
  io::hints h{.largeblock_io = io::largeblock::off};
  if (s.what.stripe_bytes > 0) h.io_buffer_bytes = s.what.stripe_bytes;
  if (s.what.max_acc) h.max_ranges = *s.what.max_acc;
  return h;
}

io::lab::virtual_gpfs_handle player::open_plain() const {
  if (gpfs_ == nullptr)
    throw std::invalid_argument(s.machine.name + " has no GPFS, whose calls " + s.what.key +
                                " makes");
  std::error_code error;
  io::lab::virtual_gpfs_handle f =
      gpfs_->open(path, {.read = true, .write = true, .create = true}, error);
  require(error, "open");
  return f;
}

plain_file::plain_file(player const& p) : handle_(p.open_plain()), partitioned_(p.s.what.unique) {
  if (!partitioned_) return;
  shapes::start_partitioning all;
  all.start.numInstances = p.world.size();
  require(handle_.fcntl(all), "start of partitioning");
}

void plain_file::write(std::int64_t offset, std::span<std::byte const> memory) {
  require(handle_.write(offset, memory).error, "write");
}
void plain_file::read(std::int64_t offset, std::span<std::byte> memory) {
  require(handle_.read(offset, memory).error, "read");
}
void plain_file::close() {
  if (shapes::stop_partitioning all; partitioned_)
    require(handle_.fcntl(all), "stop of partitioning");
  require(handle_.close(), "close");
}

}  // namespace papers

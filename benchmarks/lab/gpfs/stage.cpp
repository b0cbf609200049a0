// SPDX-License-Identifier: BSD-3-Clause
#include "stage.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "directives.hpp"

namespace shapes {

namespace io = argosy;

namespace {

int nodes_of(int ranks, int per_node) { return (ranks + per_node - 1) / per_node; }

// Ranks communicate through the adapters and memories of the machine.
io::lab::scenario scenario_of(options const& o, int ranks, io::lab::gpfs::machine const& m) {
  io::lab::scenario s{.ranks = ranks, .ranks_per_node = o.per_node, .seed = 1};
  s.network.latency_ns = static_cast<std::int64_t>(m.message_us * 1000);
  s.network.adapter_mb_per_s =
      static_cast<std::int64_t>(m.nic_mb_per_s * static_cast<double>(m.adapters_per_node));
  s.network.node_latency_ns = s.network.latency_ns / 10;
  s.network.node_mb_per_s = static_cast<std::int64_t>(m.copy_mb_per_s);
  s.network.overhead_ns = static_cast<std::int64_t>(m.segment_us * 1000);
  return s;
}

struct sum_and_slowest {
  double seconds = 0;
  std::int64_t messages = 0;
  void combine(sum_and_slowest const& other) {
    seconds = std::max(seconds, other.seconds);
    messages += other.messages;
  }
};

}  // namespace

stage::stage(options const& o, int ranks, io::lab::gpfs::machine const& m)
    : files(m, nodes_of(ranks, o.per_node)),
      ranks_(ranks),
      cluster_(scenario_of(o, ranks, m), {.stack_bytes = 1 << 20}) {}

measured stage::counted() const {
  io::lab::gpfs::client_counters const c = files.counters();
  return {0, c.token_messages() + c.token_releases + 2 * c.ships_sent, c.revokes_sent, c.calls};
}

measured stage::run(std::function<void(player&)> const& program) {
  now_ = {};
  cluster_.run([&](io::lab::virtual_rank const& world) {
    player p(world, *this);
    program(p);
  });
  return now_;
}

void player::start() {
  {
    std::error_code error;
    io::lab::virtual_gpfs_handle f =
        stage_.files.open(stage::path, {.read = true, .write = true, .create = true}, error);
    require(error, "open");
    free_all hint;
    require(f.fcntl(hint), "free range");
    require(f.close(), "close");
  }
  world_.barrier();
  if (world_.rank() == 0) stage_.now_ = stage_.counted();
  world_.barrier();
  began_ = world_.now();
}

void player::stop(io::report const& r) {
  sum_and_slowest all{world_.now() - began_, r.messages};
  world_.all_reduce(all);
  if (world_.rank() != 0) return world_.barrier();
  measured const before = stage_.now_, after = stage_.counted();
  stage_.now_ = {all.seconds, after.messages - before.messages + all.messages,
                 after.revocations - before.revocations, after.file_calls - before.file_calls};
  world_.barrier();
}

void fill(std::span<std::byte> bytes, std::int64_t offset, std::uint64_t salt) {
  for (std::byte& b : bytes) b = byte_at(offset++, salt);
}

void require(std::span<std::byte const> bytes, std::int64_t offset, std::uint64_t salt) {
  for (std::byte const b : bytes) {
    if (b != byte_at(offset, salt))
      throw std::runtime_error("wrong data at byte " + std::to_string(offset));
    ++offset;
  }
}

void require(std::error_code const& error, char const* what) {
  if (error) throw std::system_error(error, what);
}

io::lab::virtual_gpfs_handle opened(player& p) {
  std::error_code error;
  io::lab::virtual_gpfs_handle f =
      p.where().files.open(stage::path, {.read = true, .write = true, .create = true}, error);
  require(error, "open");
  return f;
}

}  // namespace shapes

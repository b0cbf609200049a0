// Implements lab/gpfs/block_server.hpp: reads and writes blocks, and computes how long that takes.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/block_server.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <variant>

namespace argosy::lab::gpfs {

block_server::block_server(int index, machine const& m, std::shared_ptr<block_store> store, troubles const& t)
    : index_(index), machine_(m), store_(std::move(store)), positioning_(static_cast<std::size_t>(m.disks_per_server)) {
  for (slow_server const& s : t.slow) {
    if (s.server != index) continue;
    machine_.server_mb_per_s /= s.factor;
    machine_.disk_mb_per_s /= s.factor;
    machine_.disk_us *= s.factor;
  }
  for (server_fault const& f : t.faults)
    if (f.server == index || f.server == -1) faults_.push_back(f);
}

int block_server::fails(bool is_write) {
  if (!has_faults_) return 0;
  std::int64_t const number = ++(is_write ? writes_seen_ : reads_seen_);
  for (server_fault const& f : faults_)
    if (f.of_writes == is_write && number >= f.first && number - f.first < f.times) return f.error;
  return 0;
}

instant block_server::serve(file_id file, std::int64_t block, bool is_write, bool on_disk, instant now) {
  while (!queue_.empty() && queue_.top() <= now) queue_.pop();
  auto const length = static_cast<std::int64_t>(queue_.size()) + 1;
  counters_.longest_queue = std::max(counters_.longest_queue, length);
  if (length > machine_.queue_limit) ++counters_.overloaded;
  double const slower = 1 / machine_.efficiency(length, is_write);
  auto const takes = [&](double mb_per_s) {
    return duration_of(machine::seconds(machine_.block_bytes, mb_per_s) * slower);
  };

  instant at = now;
  if (is_write) at = adapter_.take(at, takes(machine_.server_mb_per_s));
  if (on_disk) {
    fifo& disk = positioning_[static_cast<std::size_t>(place_of(machine_, file, block).disk)];
    at = disk.take(at, duration_of(machine_.disk_us * 1e-6 * slower));
    at = streaming_.take(at, takes(machine_.disk_mb_per_s));
  }
  if (!is_write) at = adapter_.take(at, takes(machine_.server_mb_per_s));
  queue_.push(at);
  return at;
}

void block_server::receive(message const& m, instant now, outbox& out) {
  address const me{role::server, index_};
  if (auto const* const r = std::get_if<block_read>(&m.body)) {
    block_data answer{r->id, r->file, r->block, 0, {}};
    bool const there = store_->has(r->file, r->block);
    answer.data = payload::of_zeros(machine_.block_bytes, store_->is_hollow(r->file, r->block));
    answer.error = fails(false);
    if (answer.error == 0 && !answer.data.is_hollow())
      answer.error = store_->read(r->file, r->block, answer.data.memory());
    if (answer.error != 0) {
      answer.data = {};
      ++counters_.errors;
    }
    ++counters_.reads;
    if (!there) ++counters_.hole_reads;
    counters_.bytes_read += machine_.block_bytes;
    out.send(me, m.from, std::move(answer), serve(r->file, r->block, false, there, now), machine_.block_bytes);
  } else if (auto const* const w = std::get_if<block_write>(&m.body)) {
    block_written answer{w->id, w->file, w->block, 0};
    if (fenced_.contains(m.from.index)) {
      answer.error = ESTALE;
      ++counters_.refused;
    } else {
      answer.error = fails(true);
      for (block_piece const& p : w->pieces) {
        if (answer.error != 0) break;
        answer.error = p.data.is_hollow() ? store_->write_hollow(w->file, w->block)
                                          : store_->write(w->file, w->block, p.offset, p.data.bytes());
        if (answer.error == 0) counters_.bytes_written += p.data.size();
      }
      if (answer.error != 0) ++counters_.errors;
    }
    ++counters_.writes;
    out.send(me, m.from, answer, serve(w->file, w->block, true, true, now));
  } else if (auto const* const c = std::get_if<cut_blocks>(&m.body)) {
    int const error = fenced_.contains(m.from.index) ? ESTALE : store_->cut(c->file, c->bytes);
    out.send(me, m.from, blocks_cut{c->id, error}, now);
  } else if (auto const* const f = std::get_if<fence>(&m.body)) {
    fenced_.insert(f->node);
    fenced answer{f->node};
    for (auto const& [file, blocks] : f->doubtful) {
      block_set there;
      for (block_range const& range : blocks.ranges) there.add(store_->written(file, range));
      if (!there.empty()) answer.written.push_back({file, std::move(there)});
    }
    out.send(me, m.from, std::move(answer), now);
  }
}

}  // namespace argosy::lab::gpfs

// Implements lab/gpfs/detail/block_server.hpp: reads and writes blocks, and computes the time for
// that.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/block_server.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <variant>

namespace argosy::lab::gpfs::detail {

block_server::block_server(int index, machine const& m, std::shared_ptr<block_store> store,
                           troubles const& t)
    : index_(index),
      machine_(m),
      store_(std::move(store)),
      positioning_(static_cast<std::size_t>(m.disks_per_server)),
      last_(static_cast<std::size_t>(m.disks_per_server), block_key{-1, -1}) {
  for (slow_server const& s : t.slow) {
    if (s.server != index) continue;
    machine_.server_mb_per_s /= s.factor;
    machine_.server_read_mb_per_s /= s.factor;
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

instant block_server::move(block_key key, std::int64_t bytes, double slower, instant at) {
  auto const k = static_cast<std::size_t>(place_of(machine_, key.first, key.second).disk);
  std::int64_t const disks = machine_.servers * machine_.disks_per_server;
  bool const follows =
      machine_.disk_streams > 0 && last_[k] == block_key{key.first, key.second - disks};
  last_[k] = key;
  if (!follows) at = positioning_[k].take(at, duration_of(machine_.disk_us * 1e-6 * slower));
  return streaming_.take(at, duration_of(machine::seconds(bytes, machine_.disk_mb_per_s) * slower));
}

instant block_server::accept(block_key key, std::int64_t bytes, double slower, instant at) {
  auto const settle = [&](instant now) {
    at = std::max(at, now);
    for (; !unwritten_.empty() && unwritten_.begin()->first <= at;
         unwritten_.erase(unwritten_.begin())) {
      auto const d = dirty_.find(unwritten_.begin()->second);
      dirty_bytes_ -= d->second.second;
      dirty_.erase(d);
    }
  };
  settle(at);
  if (dirty_.contains(key)) return at;
  while (dirty_bytes_ + bytes > machine_.server_dirty_bytes && !unwritten_.empty())
    settle(unwritten_.begin()->first);
  instant const done = move(key, bytes, slower, at);
  if (bytes > machine_.server_dirty_bytes) return done;
  dirty_bytes_ += bytes;
  dirty_[key] = {done, bytes};
  unwritten_.insert({done, key});
  return at;
}

void block_server::cache(block_key key) {
  std::int64_t const most = machine_.server_cache_bytes / machine_.block_bytes;
  if (most <= 0) return;
  if (auto const there = cached_.find(key); there != cached_.end()) {
    order_.splice(order_.end(), order_, there->second);
    return;
  }
  if (static_cast<std::int64_t>(order_.size()) >= most) {
    cached_.erase(order_.front());
    order_.pop_front();
  }
  cached_[key] = order_.insert(order_.end(), key);
}

bool block_server::loses(std::int64_t bytes, bool is_write, instant now) {
  if (machine_.server_buffer_bytes <= 0) return false;
  for (; !buffers_.empty() && buffers_.top().first <= now; buffers_.pop())
    buffered_bytes_ -= buffers_.top().second;
  if (buffers_.empty() || buffered_bytes_ + bytes <= machine_.server_buffer_bytes) return false;
  ++counters_.lost;
  if (is_write) adapter_.take(now, duration_of(machine::seconds(bytes, machine_.server_mb_per_s)));
  return true;
}

instant block_server::serve(block_key key, std::int64_t bytes, bool is_write, bool on_disk,
                            instant now) {
  while (!queue_.empty() && queue_.top() <= now) queue_.pop();
  auto const length = static_cast<std::int64_t>(queue_.size()) + 1;
  counters_.longest_queue = std::max(counters_.longest_queue, length);
  if (length > machine_.queue_limit) ++counters_.overloaded;
  double const slower = 1 / machine_.efficiency(length, is_write);
  bool const as_writes = is_write || machine_.server_read_mb_per_s <= 0;
  instant const passes =
      duration_of(machine::seconds(
                      bytes, as_writes ? machine_.server_mb_per_s : machine_.server_read_mb_per_s) *
                  slower);

  instant at = now;
  if (is_write) {
    at = adapter_.take(at, passes);
    at = machine_.server_dirty_bytes > 0 ? accept(key, bytes, slower, at)
                                         : move(key, bytes, slower, at);
  } else {
    if (on_disk && !is_cached(key)) at = move(key, bytes, slower, at);
    at = adapter_.take(at, passes);
  }
  if (on_disk) cache(key);
  queue_.push(at);
  if (machine_.server_buffer_bytes > 0) {
    buffers_.push({at, bytes});
    buffered_bytes_ += bytes;
  }
  return at;
}

void block_server::receive(message const& m, instant now, outbox& out) {
  if (auto const* const r = std::get_if<block_read>(&m.body))
    carry_out(m.from, *r, now, out);
  else if (auto const* const w = std::get_if<block_write>(&m.body))
    carry_out(m.from, *w, now, out);
  else if (auto const* const c = std::get_if<cut_blocks>(&m.body))
    carry_out(m.from, *c, now, out);
  else if (auto const* const f = std::get_if<fence>(&m.body))
    carry_out(m.from, *f, now, out);
}

void block_server::carry_out(address from, block_read const& r, instant now, outbox& out) {
  std::int64_t const bytes = r.length > 0 ? r.length : machine_.block_bytes;
  block_data answer{r.id, r.file, r.block, 0, {}, r.begin};
  answer.lost = loses(bytes, false, now);
  if (answer.lost) return out.send(me(), from, std::move(answer), now);
  bool const there = store_->has(r.file, r.block);
  answer.data = payload::of_zeros(machine_.block_bytes, store_->is_hollow(r.file, r.block));
  answer.error = fails(false);
  if (answer.error == 0 && !answer.data.is_hollow())
    answer.error = store_->read(r.file, r.block, answer.data.memory());
  if (answer.error != 0) {
    answer.data = {};
    ++counters_.errors;
  } else if (bytes < machine_.block_bytes) {
    answer.data = answer.data.part(r.begin, r.begin + bytes);
  }
  ++counters_.reads;
  if (!there) ++counters_.hole_reads;
  counters_.bytes_read += bytes;
  out.send(me(), from, std::move(answer), serve({r.file, r.block}, bytes, false, there, now),
           bytes);
}

void block_server::carry_out(address from, block_write const& w, instant now, outbox& out) {
  block_written answer{w.id, w.file, w.block, 0};
  std::uint32_t parts = 0;
  for (block_piece const& p : w.pieces)
    parts |= machine_.parts_of(p.offset, p.offset + p.data.size());
  answer.lost = loses(machine_.bytes_of(parts), true, now);
  if (answer.lost) return out.send(me(), from, answer, now);
  if (fenced_.contains(from.index)) {
    answer.error = ESTALE;
    ++counters_.refused;
  } else {
    answer.error = fails(true);
    for (block_piece const& p : w.pieces) {
      if (answer.error != 0) break;
      answer.error = p.data.is_hollow() ? store_->write_hollow(w.file, w.block)
                                        : store_->write(w.file, w.block, p.offset, p.data.bytes());
      if (answer.error == 0) counters_.bytes_written += p.data.size();
    }
    if (answer.error != 0) ++counters_.errors;
  }
  ++counters_.writes;
  out.send(me(), from, answer, serve({w.file, w.block}, machine_.bytes_of(parts), true, true, now));
}

void block_server::carry_out(address from, cut_blocks const& c, instant now, outbox& out) {
  int const error = fenced_.contains(from.index) ? ESTALE : store_->cut(c.file, c.bytes);
  out.send(me(), from, blocks_cut{c.id, error}, now);
}

void block_server::carry_out(address from, fence const& f, instant now, outbox& out) {
  fenced_.insert(f.node);
  fenced answer{f.node};
  for (auto const& [file, blocks] : f.doubtful) {
    block_set there;
    for (block_range const& range : blocks.ranges) there.add(store_->written(file, range));
    if (!there.empty()) answer.written.push_back({file, std::move(there)});
  }
  out.send(me(), from, std::move(answer), now);
}

}  // namespace argosy::lab::gpfs::detail

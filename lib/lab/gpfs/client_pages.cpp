// Implements the page pool of a client node (client_pages.hpp): finding, filling, flushing and
// dropping pages. One page because each of them relies on the same two orders of pages.
// SPDX-License-Identifier: BSD-3-Clause
#include "client_pages.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <utility>

namespace argosy::lab::gpfs::detail::client {

auto page_pool::find(page_key key) -> page* {
  auto const p = pages_.find(key);
  return p == pages_.end() ? nullptr : &p->second;
}

auto page_pool::add(page_key key, bool hollow) -> page& {
  entry& e = *pages_.try_emplace(key).first;
  e.second.data = payload::of_zeros(block_bytes(), hollow);
  e.second.place = order_.insert(order_.end(), &e);
  return e.second;
}

void page_pool::discard(page_key key) {
  auto const p = pages_.find(key);
  if (p->second.unsaved()) unsaved_.erase(p->second.unsaved_place);
  use(key, p->second);
  order_.erase(p->second.place);
  pages_.erase(p);
  context_.changed();
}

// Removes the page from those read ahead of a stream.
void page_pool::use(page_key key, page& p) {
  if (!p.ahead_of) return;
  auto const stream = ahead_.find(*p.ahead_of);
  stream->second.erase(key);
  if (stream->second.empty()) ahead_.erase(stream);
  p.ahead_of.reset();
  --blocks_ahead_;
}

// Returns true if there is a free buffer, if necessary after dropping a clean page. If a call needs
// the buffer, may drop a page that was read ahead, and otherwise starts to flush the oldest dirty
// block. Reading ahead does neither: two blocks would drop each other for ever.
bool page_pool::make_room(bool is_needed) {
  if (static_cast<std::int64_t>(pages_.size()) < settings().pool_blocks()) return true;
  entry const* drop = nullptr;
  for (entry const* const e : order_) {
    page const& p = e->second;
    if (!p.idle() || p.pinned > 0 || p.unsaved()) continue;
    if (p.ahead_of && !is_needed) continue;
    if (drop == nullptr || !p.ahead_of) drop = e;
    if (!p.ahead_of) break;  // pages that a stream has not used yet stay, if possible
  }
  if (drop != nullptr) {
    ++context_.counters().evictions;
    discard(page_key(drop->first));
    return true;
  }
  if (!is_needed) return false;
  bool const under_way = std::any_of(unsaved_.begin(), unsaved_.end(),
                                     [](entry const* e) { return e->second.flushing; });
  if (!under_way && !unsaved_.empty())
    start_flush(unsaved_.front()->first, unsaved_.front()->second);
  return false;
}

// Reads one contiguous piece of the block, from the first of these parts to the last.
void page_pool::start_read(page_key key, page& p, std::uint32_t parts) {
  p.reading = true;
  p.asked_at = context_.now();
  ++context_.counters().block_reads;
  p.asked = parts;
  p.read = {context_.now()};
  send_read(key, p);
}

void page_pool::send_read(page_key key, page const& p) {
  std::int64_t const begin = std::countr_zero(p.asked) * settings().part_bytes(),
                     end = std::bit_width(p.asked) * settings().part_bytes();
  context_.tell_server(
      context_.server_of(key.first, key.second),
      block_read{0, key.first, key.second, begin, p.asked == all_parts() ? 0 : end - begin},
      p.read.at);
}

void page_pool::put_off(page::sending& s) {
  ++context_.counters().resends;
  constexpr int most_doublings = 6;
  double const timeout =
      settings().retry_ms * 1e-3 * static_cast<double>(1 << std::min(s.lost++, most_doublings));
  s.at = std::max(context_.now(), s.at + duration_of(timeout));
}

void page_pool::take(block_data const& m) {
  page* const p = find({m.file, m.block});
  if (p == nullptr || !p->reading) return;
  if (m.lost) {
    put_off(p->read);
    return send_read({m.file, m.block}, *p);
  }
  p->reading = false;
  if (std::exchange(p->by_thread, false)) --threads_;
  p->ready_at = context_.pass(read_path_, m.error == 0 ? m.data.size() : block_bytes(),
                              settings().client_read_mb_per_s);
  double const took = std::chrono::duration<double>(p->ready_at - p->asked_at).count();
  read_latency_s_ = read_latency_s_ > 0 ? 0.75 * read_latency_s_ + 0.25 * took : took;
  p->error = m.error;
  if (m.error == 0) {
    std::uint32_t const come =
        settings().parts_within(m.begin, m.begin + m.data.size()) & ~p->there;
    for (std::uint32_t left = come; left != 0; left &= left - 1) {
      std::int64_t const at = std::countr_zero(left) * settings().part_bytes();
      if (!m.data.is_hollow())
        p->data.copy_in(at, m.data.bytes().data() + (at - m.begin), settings().part_bytes());
    }
    p->there |= come;
    if ((p->asked & ~p->there) != 0) p->error = EIO;  // other bytes came than were requested
  }
  if (p->error != 0 && p->held == 0) {
    // No operation waits, and later ones try again.
    if (p->unsaved())
      p->error = 0;
    else
      discard({m.file, m.block});
  }
}

void page_pool::start_flush(page_key key, page& p) {
  p.writing = std::exchange(p.dirty, {});
  p.flushing = true;
  p.flushing_writers = std::exchange(p.writers, {});
  ++context_.counters().block_writes;
  p.write = {context_.pass(write_path_, bytes_to_write(p), settings().client_write_mb_per_s)};
  send_write(key, p);
}

// Returns the bytes of all parts with dirty bytes; in a partitioned file of the whole block.
std::int64_t page_pool::bytes_to_write(page const& p) const {
  if (p.whole) return block_bytes();
  std::uint32_t parts = 0;
  for (byte_range const& d : p.writing) parts |= settings().parts_of(d.begin, d.end);
  return settings().bytes_of(parts);
}

// May include data written to the page since the flush began, which is also written again later.
void page_pool::send_write(page_key key, page const& p) {
  block_write w{0, key.first, key.second, {}};
  for (byte_range const& d : p.writing) w.pieces.push_back({d.begin, p.data.part(d.begin, d.end)});
  context_.tell_server(context_.server_of(key.first, key.second), std::move(w), p.write.at,
                       bytes_to_write(p));
}

void page_pool::take(block_written const& m) {
  page* const p = find({m.file, m.block});
  if (p == nullptr || !p->flushing) return;
  if (m.lost) {
    put_off(p->write);
    return send_write({m.file, m.block}, *p);
  }
  p->flushing = false;
  p->writing.clear();
  if (p->dirty.empty()) unsaved_.erase(p->unsaved_place);
  auto const writers = std::exchange(p->flushing_writers, {});
  if (m.error != 0) {
    ++context_.counters().flush_errors;
    for (writer const& w : writers) lost_(m.file, w, m.error);
    p->stale = true;
  }
  if (p->to_be_dropped()) discard({m.file, m.block});
}

// Limits the number of dirty pages.
bool page_pool::room_for_dirty(operation& o, std::int64_t block) {
  page const* const p = find({o.file, block});
  if ((p != nullptr && p->unsaved()) ||
      dirty_blocks() < std::max<std::int64_t>(1, settings().write_behind_max_blocks))
    return true;
  if (!o.missed) ++context_.counters().write_behind_waits;
  o.missed = true;
  if (!unsaved_.empty() && !unsaved_.front()->second.flushing)
    start_flush(unsaved_.front()->first, unsaved_.front()->second);
  return false;
}

// The page is the last one in the order of use, so it is the last one among the unsaved pages, too.
void page_pool::soil(page& p, byte_range bytes, writer const& w) {
  if (!p.unsaved()) p.unsaved_place = unsaved_.insert(unsaved_.end(), *p.place);
  auto const first = std::find_if(p.dirty.begin(), p.dirty.end(),
                                  [&](byte_range d) { return d.end >= bytes.begin; });
  auto last = first;
  for (; last != p.dirty.end() && last->begin <= bytes.end; ++last)
    bytes = {std::min(bytes.begin, last->begin), std::max(bytes.end, last->end)};
  p.dirty.insert(p.dirty.erase(first, last), bytes);
  p.writers.insert(w);
}

void page_pool::hold(operation& o, page_key key, page& p) {
  if (o.held == key) return;
  let_go(o);
  o.held = key;
  ++p.held;
}

void page_pool::let_go(operation& o) {
  if (!o.held) return;
  page* const p = find(*o.held);
  page_key const key = *o.held;
  o.held.reset();
  if (p == nullptr) return;
  --p->held;
  // the page cannot be dropped, and later operations try again
  if (p->held == 0 && p->unsaved()) p->error = 0;
  if (p->to_be_dropped()) discard(key);
  context_.changed();
}

auto page_pool::need(operation& o, file const& f, std::int64_t block, byte_range wanted)
    -> ready_page {
  page_key const key{o.file, block};
  page* p = find(key);
  if (p != nullptr && p->stale) {
    // Flushes the page's other dirty bytes, then reads it again.
    if (!p->flushing && !p->dirty.empty()) start_flush(key, *p);
    let_go(o);
    p = find(key);
    if (p != nullptr) return {};
  }
  if (p == nullptr) {
    if (!make_room(true)) {
      ++context_.counters().pool_waits;
      return {};
    }
    ++context_.counters().page_misses;
    p = &add(key, f.hollow);
    // a hole, perhaps below the end of file
    bool const is_new = o.is_write && !f.allocated.contains(block);
    if (is_new) {
      ++context_.counters().new_blocks;
      p->there = all_parts();
    } else if (o.is_write && wanted.begin == 0 && wanted.end == block_bytes()) {
      ++context_.counters().full_block_writes;
    }
    o.missed = true;
  }
  p->whole = f.mode.is_on();
  std::uint32_t const touched =
                          p->whole ? all_parts() : settings().parts_of(wanted.begin, wanted.end),
                      kept = o.is_write ? settings().parts_within(wanted.begin, wanted.end) : 0,
                      missing = touched & ~kept & ~p->there;
  if (missing != 0 && !p->reading && p->error == 0) {
    if (o.is_write) ++context_.counters().merge_reads;
    start_read(key, *p, o.is_write ? missing : all_parts());
    o.missed = true;
  }
  if (p->reading) {
    hold(o, key, *p);
    return {};
  }
  if (p->error != 0) {
    o.error = p->error;
    let_go(o);
    return {};
  }
  if (!o.missed) ++context_.counters().page_hits;
  o.missed = false;
  if (std::exchange(p->prefetched, false)) ++context_.counters().prefetch_hits;
  use(key, *p);
  touch(*p);
  o.ready = std::max(o.ready, p->ready_at);
  return {*this, *p};
}

void page_pool::ready_page::read(std::int64_t inside, std::byte* into, std::int64_t n) const {
  page_->data.copy_out(inside, into, n);
}

void page_pool::ready_page::write(std::int64_t inside, std::byte const* from, std::int64_t n,
                                  writer const& who) {
  page_->data.copy_in(inside, from, n);
  page_->there |= pool_->settings().parts_within(inside, inside + n);
  pool_->soil(*page_, {inside, inside + n}, who);
}

void page_pool::ready_page::write_behind(bool streams) {
  page& p = *page_;
  bool const whole =
      p.dirty.size() == 1 && p.dirty[0].begin == 0 && p.dirty[0].end == pool_->block_bytes();
  if ((!whole && !streams) || p.flushing) return;
  ++pool_->context_.counters().write_behinds;
  pool_->start_flush((*p.place)->first, p);
}

bool page_pool::read_ahead(page_key key, bool hollow, reader const& stream, bool prefetches) {
  auto const mine = ahead_.find(stream);
  std::int64_t const streams =
                         static_cast<std::int64_t>(ahead_.size()) + (mine == ahead_.end() ? 1 : 0),
                     has =
                         mine == ahead_.end() ? 0 : static_cast<std::int64_t>(mine->second.size()),
                     share = std::max<std::int64_t>(1, settings().blocks_ahead() / streams);
  if (blocks_ahead_ >= settings().blocks_ahead() || threads_ >= settings().prefetch_threads ||
      has >= share || !make_room(false))
    return false;
  page& fresh = add(key, hollow);
  fresh.ahead_of = stream;
  ahead_[stream].insert(key);
  ++blocks_ahead_;
  fresh.by_thread = true;
  ++threads_;
  fresh.prefetched = prefetches;
  if (prefetches) ++context_.counters().prefetches;
  start_read(key, fresh, all_parts());
  return true;
}

void page_pool::end_stream(reader const& stream) {
  auto const mine = ahead_.find(stream);
  if (mine == ahead_.end()) return;
  for (page_key const& key : mine->second) pages_.at(key).ahead_of.reset();
  blocks_ahead_ -= static_cast<std::int64_t>(mine->second.size());
  ahead_.erase(mine);
}

bool page_pool::prefetch(page_key key, bool hollow) {
  if (!make_room(true)) return false;
  page& fresh = add(key, hollow);
  fresh.prefetched = true;
  ++context_.counters().prefetches;
  start_read(key, fresh, all_parts());
  return true;
}

void page_pool::pin(page_key key) { ++pages_.at(key).pinned; }

// The page may have been dropped meanwhile, and read again without the pin.
void page_pool::unpin(page_key key) {
  if (page* const p = find(key); p != nullptr && p->pinned > 0) --p->pinned;
}

void page_pool::flush_behind(page_key key) {
  page* const p = find(key);
  if (p == nullptr || p->flushing || p->dirty.empty()) return;
  ++context_.counters().write_behinds;
  start_flush(key, *p);
}

bool page_pool::clean(file_id id, block_range range, bool drop, std::int64_t* flushes) {
  if (!drop) return flush(id, range, flushes);
  bool done = true;
  std::vector<page_key> gone;
  for (auto at = pages_.lower_bound({id, range.begin}); at != pages_.end(); ++at) {
    auto& [key, p] = *at;
    if (key.first != id || key.second >= range.end) break;
    if (!p.flushing && !p.dirty.empty()) {
      start_flush(key, p);
      if (flushes != nullptr) ++*flushes;
    }
    if (p.flushing || p.reading || p.held > 0)
      done = false;
    else
      gone.push_back(key);
  }
  if (done)
    for (page_key const& key : gone) discard(key);
  return done;
}

// Calls come again at every event until all is flushed, so only unsaved pages are visited.
bool page_pool::flush(file_id id, block_range range, std::int64_t* flushes) {
  bool done = true;
  std::vector<entry*> dirty;
  for (entry* const e : unsaved_) {
    if (e->first.first != id || !range.contains(e->first.second)) continue;
    done = false;
    if (!e->second.flushing) dirty.push_back(e);
  }
  std::sort(dirty.begin(), dirty.end(),
            [](entry const* a, entry const* b) { return a->first < b->first; });
  for (entry* const e : dirty) {
    start_flush(e->first, e->second);
    if (flushes != nullptr) ++*flushes;
  }
  return done;
}

bool page_pool::has_unsaved(file_id id) const {
  return std::any_of(pages_.lower_bound({id, 0}), pages_.lower_bound({id + 1, 0}),
                     [](auto const& p) { return p.second.unsaved(); });
}

std::vector<block_piece> page_pool::unsaved(file_id id, bool on_its_way) const {
  std::vector<block_piece> all;
  for (auto at = pages_.lower_bound({id, 0}); at != pages_.end() && at->first.first == id; ++at) {
    page const& p = at->second;
    for (auto const* const ranges : {&p.writing, &p.dirty})
      for (byte_range const& r : *ranges) {
        if (ranges == &p.writing && !on_its_way) break;
        all.push_back({at->first.second * block_bytes() + r.begin, p.data.part(r.begin, r.end)});
      }
  }
  return all;
}

std::int64_t page_pool::pinned_blocks() const {
  return std::count_if(pages_.begin(), pages_.end(),
                       [](auto const& p) { return p.second.pinned > 0; });
}

}  // namespace argosy::lab::gpfs::detail::client

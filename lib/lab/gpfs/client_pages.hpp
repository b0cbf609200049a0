// The page pool of a client node: blocks in memory, blocks under way from and to the servers, and
// their order of use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/detail/block_range.hpp>
#include <argosy/lab/gpfs/detail/message.hpp>
#include <argosy/lab/gpfs/detail/outbox.hpp>
#include <argosy/lab/gpfs/detail/payload.hpp>

#include "client_context.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail::client {

// Has blocks, and whether they are on disk, but no tokens, sizes or modes: callers must have the
// right to a page. Changes these members of an operation: those of its page (held, missed), its
// error, and the time at which it is ready.
class page_pool {
  struct page;
  using entry = std::pair<page_key const, page>;

 public:
  // Called for every instance that wrote to a block that could not be flushed.
  using lost_write = std::function<void(file_id, writer const&, int error)>;

  page_pool(context& shared, lost_write lost) : context_(shared), lost_(std::move(lost)) {}
  page_pool(page_pool const&) = delete;
  page_pool& operator=(page_pool const&) = delete;

  // A page that an operation may read or write now, until the operation releases it or requests
  // another one.
  class ready_page {
   public:
    ready_page() = default;
    ready_page(page_pool& pool, page& p) : pool_(&pool), page_(&p) {}
    explicit operator bool() const { return page_ != nullptr; }

    void read(std::int64_t inside, std::byte* into, std::int64_t n) const;
    void write(std::int64_t inside, std::byte const* from, std::int64_t n, writer const& who);
    // Called when the last byte of a block is written. The operation may have released the page,
    // because dirty pages stay. Flushes the block if it was written as a whole or in a stream,
    // because it will not be written again soon.
    void write_behind(bool streams);

   private:
    page_pool* pool_ = nullptr;
    page* page_ = nullptr;
  };

  // Returns the page of this block with the data of the wanted bytes, or with room for them.
  // Returns none while the data is under way, or with o.error set.
  ready_page need(operation& o, file const& f, std::int64_t block, byte_range wanted);
  void let_go(operation& o);
  // Limits the number of dirty pages. Returns false if the operation, which will write to the
  // block, has to wait.
  bool room_for_dirty(operation& o, std::int64_t block);

  // Starts to read a block that is not in the pool, before this stream requests it. Returns false
  // if there is no room, or no share left. Blocks that are read ahead and not yet used occupy a
  // limited part of the pool, of which each stream may have an equal share.
  bool read_ahead(page_key key, bool hollow, reader const& stream, bool prefetches);
  // Called when a stream ends, or continues elsewhere. Blocks read ahead for it become ordinary
  // blocks of the pool.
  void end_stream(reader const& stream);
  // Reads a block for a range of a hint, which has a quota of its own.
  bool prefetch(page_key key, bool hollow);

  // Pages of range hints stay in the pool until they are unpinned.
  void pin(page_key key);
  void unpin(page_key key);
  void flush_behind(page_key key);

  // Flushes the range and returns false until that is done. Then drops its pages if `drop` is set.
  bool clean(file_id id, block_range range, bool drop, std::int64_t* flushes = nullptr);

  void take(block_data const& m);
  void take(block_written const& m);

  bool contains(page_key key) const { return pages_.contains(key); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(pages_.size()); }
  std::int64_t dirty_blocks() const { return static_cast<std::int64_t>(unsaved_.size()); }
  std::int64_t pinned_blocks() const;
  bool has_unsaved(file_id id) const;
  std::vector<block_piece> unsaved(file_id id, bool on_its_way) const;
  double read_latency_s() const { return read_latency_s_; }  // mean of the last reads

 private:
  struct page {
    payload data;
    bool reading = false, flushing = false, prefetched = false;
    std::optional<reader> ahead_of;
    bool by_thread = false;         // being read ahead
    bool whole = false;             // the file is partitioned, so the block is moved as a whole
    int error = 0;                  // error of reading, which waiting operations get
    std::vector<byte_range> dirty;  // inside the block, sorted, disjoint
    std::vector<byte_range> writing;
    std::uint32_t there = 0;  // parts whose bytes are in memory
    std::uint32_t asked = 0;  // parts that are being read
    bool stale = false;  // some bytes did not reach the disk, so the page must not be read any more
    std::set<writer> writers, flushing_writers;
    int held = 0;    // number of operations that need its data
    int pinned = 0;  // number of range hints
    instant ready_at{}, asked_at{};
    // The request under way: when it was sent, and how often it was lost.
    struct sending {
      instant at{};
      int lost = 0;
    } read, write;
    std::list<entry*>::iterator place;          // place in the order of use
    std::list<entry*>::iterator unsaved_place;  // place among the unsaved pages, if it is one
    bool unsaved() const { return flushing || !dirty.empty(); }
    bool idle() const { return !reading && !flushing && held == 0; }
    bool to_be_dropped() const { return held == 0 && (error != 0 || stale) && !unsaved(); }
  };

  page* find(page_key key);
  page& add(page_key key, bool hollow);
  void discard(page_key key);
  void use(page_key key, page& p);
  bool make_room(bool is_needed);
  void start_read(page_key key, page& p, std::uint32_t parts);
  void start_flush(page_key key, page& p);
  bool flush(file_id id, block_range range, std::int64_t* flushes);
  void send_read(page_key key, page const& p);
  void send_write(page_key key, page const& p);
  std::int64_t bytes_to_write(page const& p) const;
  // Counts a request that was lost, and sets the time at which it is sent again.
  void put_off(page::sending& s);
  void soil(page& p, byte_range bytes, writer const& w);
  void hold(operation& o, page_key key, page& p);
  void touch(page& p) {
    order_.splice(order_.end(), order_, p.place);
    if (p.unsaved()) unsaved_.splice(unsaved_.end(), unsaved_, p.unsaved_place);
  }

  machine const& settings() const { return context_.machine(); }
  std::int64_t block_bytes() const { return context_.block_bytes(); }
  std::uint32_t all_parts() const { return settings().parts_of(0, block_bytes()); }

  context& context_;
  lost_write lost_;
  std::map<page_key, page> pages_;
  std::list<entry*> order_;    // in the order of last use; traversed often
  std::list<entry*> unsaved_;  // pages that are dirty or on their way, in the order of last use
  context::software_path write_path_, read_path_;
  double read_latency_s_ = 0;
  std::map<reader, std::set<page_key>> ahead_;  // blocks read ahead, by stream
  // sums over all streams: blocks read ahead, and those of them being read
  std::int64_t blocks_ahead_ = 0, threads_ = 0;
};

}  // namespace argosy::lab::gpfs::detail::client

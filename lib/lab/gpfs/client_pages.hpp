// The page pool of a client node: blocks in memory, those on their way from and to the servers, and
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

#include <argosy/lab/gpfs/block_range.hpp>
#include <argosy/lab/gpfs/message.hpp>
#include <argosy/lab/gpfs/outbox.hpp>
#include <argosy/lab/gpfs/payload.hpp>

#include "client_context.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::client {

// Knows blocks, and whether they are on disk; nothing of tokens, sizes or modes: whoever asks for a
// page has the right to. Of an operation it changes what belongs to its page (held, missed), its
// error and the time at which it is ready.
class page_pool {
  struct page;
  using entry = std::pair<page_key const, page>;

 public:
  // Is told of every instance that wrote to a block that could not be flushed.
  using lost_write = std::function<void(file_id, writer const&, int error)>;

  page_pool(context& shared, lost_write lost) : context_(shared), lost_(std::move(lost)) {}
  page_pool(page_pool const&) = delete;
  page_pool& operator=(page_pool const&) = delete;

  // A page that an operation may read or write now: until it lets go of it, or asks for another.
  class ready_page {
   public:
    ready_page() = default;
    ready_page(page_pool& pool, page& p) : pool_(&pool), page_(&p) {}
    explicit operator bool() const { return page_ != nullptr; }

    void read(std::int64_t inside, std::byte* into, std::int64_t n) const;
    void write(std::int64_t inside, std::byte const* from, std::int64_t n, writer const& who);
    // Called when the last byte of a block is written; the operation may have let go of it, as
    // dirty pages stay. Flushes the block if it was written whole or in a stream: nobody will come
    // back to it soon.
    void write_behind(bool streams);

   private:
    page_pool* pool_ = nullptr;
    page* page_ = nullptr;
  };

  // The page of this block with the data of the wanted bytes, or room for them; none while the data
  // is on its way, or with o.error set.
  ready_page need(operation& o, file const& f, std::int64_t block, byte_range wanted);
  void let_go(operation& o);
  // Keeps the number of dirty pages within the limit: false if the operation, which will write to
  // the block, has to wait.
  bool room_for_dirty(operation& o, std::int64_t block);

  // Starts to read a block that is not in the pool, before this stream asks for it. False if there
  // is no room, or no share left: what is read ahead and not yet used is a part of the pool for all
  // streams, of which each may have an equal one.
  bool read_ahead(page_key key, bool hollow, reader const& stream, bool prefetches);
  // This stream goes on elsewhere, or ends: what has been read ahead for it is of the pool, as
  // other blocks are.
  void end_stream(reader const& stream);
  // The same for a range of a hint, which has a quota of its own.
  bool prefetch(page_key key, bool hollow);

  // Pages of range hints stay until they are unpinned.
  void pin(page_key key);
  void unpin(page_key key);
  void flush_behind(page_key key);

  // Flushes, waits (false), and then drops what is there.
  bool clean(file_id id, block_range range, bool drop, std::int64_t* flushes = nullptr);

  void take(block_data const& m);
  void take(block_written const& m);

  bool contains(page_key key) const { return pages_.contains(key); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(pages_.size()); }
  std::int64_t dirty_blocks() const { return unsaved_; }
  std::int64_t pinned_blocks() const;
  bool has_unsaved(file_id id) const;
  std::vector<block_piece> unsaved(file_id id, bool on_its_way) const;
  double read_latency_s() const { return read_latency_s_; }  // a mean of the last reads

 private:
  struct page {
    payload data;
    bool reading = false, flushing = false, prefetched = false;
    std::optional<reader> ahead_of;
    bool by_thread = false;         // is being read ahead
    int error = 0;                  // of reading; waiting operations take it
    std::vector<byte_range> dirty;  // inside the block, sorted, disjoint
    std::vector<byte_range> writing;
    std::uint32_t there = 0;  // the parts whose bytes it has
    std::uint32_t asked = 0;  // those that it waits for
    bool stale = false;       // some bytes did not reach the disk, and must not be read any more
    std::set<writer> writers, flushing_writers;
    int held = 0;    // by operations that need its data
    int pinned = 0;  // by range hints
    instant ready_at{}, asked_at{};
    // Of the request under way: when it was sent, and how often it was lost.
    struct sending {
      instant at{};
      int lost = 0;
    } read, write;
    std::list<entry*>::iterator place;  // in the order of use
    bool unsaved() const { return flushing || !dirty.empty(); }
    bool idle() const { return !reading && !flushing && held == 0; }
    bool to_be_dropped() const { return held == 0 && (error != 0 || stale) && !unsaved(); }
  };

  page* find(page_key key);
  page& add(page_key key, bool hollow);
  void discard(page_key key);
  void use(page_key key, page& p);
  bool make_room(bool may_flush);
  void start_read(page_key key, page& p, std::uint32_t parts);
  void start_flush(page_key key, page& p);
  void send_read(page_key key, page const& p);
  void send_write(page_key key, page const& p);
  std::int64_t bytes_to_write(page const& p) const;
  // Counts a request that was lost, and says when it goes again.
  void put_off(page::sending& s);
  void soil(page& p, byte_range bytes, writer const& w);
  void hold(operation& o, page_key key, page& p);
  void touch(page& p) { order_.splice(order_.end(), order_, p.place); }

  machine const& settings() const { return context_.machine(); }
  std::int64_t block_bytes() const { return context_.block_bytes(); }
  std::uint32_t all_parts() const { return settings().parts_of(0, block_bytes()); }

  context& context_;
  lost_write lost_;
  std::map<page_key, page> pages_;
  std::list<entry*> order_;   // of last use; it is walked often
  std::int64_t unsaved_ = 0;  // pages that are dirty or on their way
  context::software_path write_path_, read_path_;
  double read_latency_s_ = 0;
  std::map<reader, std::set<page_key>> ahead_;  // by stream
  // of all streams; and those of them that are being read
  std::int64_t blocks_ahead_ = 0, threads_ = 0;
};

}  // namespace argosy::lab::gpfs::client

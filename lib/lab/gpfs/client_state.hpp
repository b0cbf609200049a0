// The state of a client node. Every event is noted first; then `advance` makes all waiting operations look again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/lab/gpfs/access_pattern.hpp>
#include <argosy/lab/gpfs/block_server.hpp>
#include <argosy/lab/gpfs/client_node.hpp>
#include <argosy/lab/gpfs/detail/token_map.hpp>

namespace argosy::lab::gpfs {

class client_node::state {
 public:
  state(node_id node, machine const& m) : me_{role::client, node}, machine_(m) {}

  std::int64_t submit(call c, instant now, outbox& out);
  void interrupt(std::int64_t ticket, instant now, outbox& out);
  void receive(message const& m, instant now, outbox& out);

  client_counters counters_;
  std::int64_t cached_blocks() const { return static_cast<std::int64_t>(pages_.size()); }
  std::int64_t dirty_blocks() const { return unsaved_; }
  std::int64_t pinned_blocks() const;
  token_mode token(file_id id, std::int64_t block) const;
  std::vector<block_piece> unsaved(file_id id, bool on_its_way) const;
  known_size size(file_id id) const;
  bool is_hollow(int instance) const;

 private:
  using page_key = std::pair<file_id, std::int64_t>;
  using writer = std::pair<node_id, int>;  // an open instance, perhaps of another node
  struct byte_range {
    std::int64_t begin = 0, end = 0;
  };

  struct page {
    payload data;
    bool reading = false, flushing = false, prefetched = false;
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
    std::list<page_key>::iterator place;  // in the order of use
    bool unsaved() const { return flushing || !dirty.empty(); }
    bool idle() const { return !reading && !flushing && held == 0; }
    bool to_be_dropped() const { return held == 0 && (error != 0 || stale) && !unsaved(); }
  };

  struct instance {
    file_id file = 0;
    bool read = false, write = false, synchronous = false;
    int error = 0;  // not yet told
    bool prefetch_read = true, prefetch_write = true;
    access_pattern pattern;
    instant last_end{};  // of the last access
    double bytes_per_s = 0;
    std::int64_t ship_epoch = 0;  // it takes part
    // A range of a hint, until it is released; the operation that gets its block knows it by the number.
    struct accepted_range {
      gpfsRangeArray_t range;
      std::int64_t hint = 0;
      bool pinned = false;
    };
    std::vector<accepted_range> accepted;
  };

  struct revocation {
    node_id from = 0;
    revoke asked;
    bool started = false;
    block_range given;
    std::int64_t number = 0;
  };

  struct ship_state {
    enum class stage { off, entering, on } now = stage::off;
    std::int64_t epoch = 0;
    partition_map map;
  };

  struct file {
    detail::token_map tokens;
    std::int64_t grants_seen = 0;
    known_size size;
    known_size told;        // what the manager surely knows of the size
    block_set allocated;    // right for blocks whose token the node has, or which it owns
    bool hollow = false;    // has no bytes: see open_answer
    bool resizing = false;  // the manager is about to be told a new size by this node
    std::list<revocation> revocations;
    ship_state ship;
    std::int64_t ended_epoch = 0;  // the last epoch that others have reported as ended
    std::int64_t leaving_epoch = 0;
    bool told_ready = false;
    int ship_error = 0;         // of flushes since the mode began
    int serving = 0;            // operations for others, or for itself as owner
    int orphan_error = 0;       // an error of instances that are closed
    std::int64_t position = 0;  // where the last access ended
    bool sequential = false;
  };

  // A piece of a shipped call.
  struct shipped {
    std::int64_t offset = 0, length = 0;
    node_id owner = 0;
    bool done = false, ended = false;
    int error = 0;
  };

  enum class phase { begin, route, resize_cut, size, blocks, flush, ship, ship_size, answer, directive };

  struct operation {
    enum class what { call, serve, hint } kind = what::call;
    std::int64_t id = 0;
    call asked;
    phase at = phase::begin;
    file_id file = 0;
    int instance = 0;
    bool is_write = false;
    std::byte* into = nullptr;
    std::byte const* from = nullptr;
    std::int64_t offset = 0, length = 0, done = 0, value = 0;
    int error = 0;
    bool begun = false, finished = false, locked = false, asked_token = false, missed = false;
    std::int64_t request = -1;
    std::optional<page_key> held;
    instant ready{};
    bool answered = false;
    std::int64_t awaited = 0;  // answers
    std::vector<shipped> pieces;
    // serve
    ship_call served;
    node_id origin = 0;
    payload buffer;
    bool started = false;  // something has been asked for
    writer who{};          // to be told of errors
    // fcntl
    int structure = 0;   // where the current one begins
    int advance_by = 0;  // and how long it is
    bool charged = false;
    gpfsRangeArray_t range;  // of a hint
  };

  struct lock {
    std::int64_t operation = 0;
    file_id file = 0;
    byte_range bytes;
    bool is_write = false;
  };

  struct request {
    token_request asked;
    std::int64_t at = 0;
    std::set<node_id> awaited;
  };

  // client_node.cpp: events and calls
  void advance();
  void run(operation& o);
  void run_open(operation& o);
  void run_close(operation& o);
  void run_sync(operation& o);
  void run_size(operation& o);
  void run_resize(operation& o);
  void run_lock(operation& o);
  void finish(operation& o, int error, std::int64_t value = 0);
  operation* find(std::int64_t id);
  file& file_of(operation const& o) { return files_[o.file]; }
  void remember_error(file_id id, writer const& w, int error);
  void on(node_id from, open_answer const& m);
  void on(node_id from, name_answer const& m);
  void on(node_id from, size_query const& m);
  void on(node_id from, size_answer const& m);
  void on(node_id from, blocks_cut const& m);
  void on(node_id from, late_error const& m);
  void on(node_id from, lock_answer const& m);
  void on(node_id from, node_failed const& m);

  // client_access.cpp: reading and writing
  void run_access(operation& o);
  bool run_blocks(operation& o);
  void read_ahead(operation& o, std::int64_t block);
  void write_behind(operation& o, std::int64_t block, page& p);
  void prefetch(instance& i, file& f);
  std::int64_t depth(instance const& i) const;
  bool size_certain(file const& f) const;
  bool learn_size(operation& o);  // asks; true when answered
  bool tell_size(operation& o);   // so that the size survives this node; true when the manager has it
  bool take_lock(operation& o, byte_range bytes, bool is_write);
  void unlock(operation& o);
  void charge_copy(operation& o, std::int64_t bytes);

  // client_pages.cpp: the pool
  page* find_page(file_id id, std::int64_t block);
  page* need_page(operation& o, std::int64_t block, byte_range wanted);
  page& add_page(page_key key);
  void drop_page(page_key key);
  bool make_room(bool may_flush);
  void start_read(page_key key, page& p, std::uint32_t parts);
  void start_flush(page_key key, page& p);
  bool room_for_dirty(operation& o, page const* p);
  void soil(page& p, byte_range bytes, writer const& w);
  void hold(operation& o, page_key key, page& p);
  void let_go(operation& o);
  void touch(page& p) { order_.splice(order_.end(), order_, p.place); }
  // Flushes, waits (false), and then drops what is there.
  bool clean(file_id id, block_range range, bool drop, std::int64_t* flushes = nullptr);
  void on(node_id from, block_data const& m);
  void on(node_id from, block_written const& m);

  // client_tokens.cpp
  bool need_token(operation& o, file& f, block_range range, token_mode mode, block_range desired, std::int64_t at);
  block_range desired_range(instance const& i, block_range required) const;
  void renew(request& r);
  bool run_revocation(file_id id, file& f, revocation& r);
  block_range surrender_range(file const& f, revoke const& r) const;
  bool locked_against(file_id id, block_range range, token_mode wanted) const;
  void on(node_id from, token_grant const& m);
  void on(node_id from, token_conflict const& m);
  void on(node_id from, token_refusal const& m);
  void on(node_id from, revoke const& m);
  void on(node_id from, revoke_answer const& m);

  // client_fcntl.cpp: hints
  void run_fcntl(operation& o);
  int run_structure(operation& o, std::byte* at, int room, gpfsStructHeader_t const& s);  // errno, or `not_yet`
  int access_range_hint(operation& o, gpfsAccessRange_t const& s);
  int free_range_hint(operation& o, block_range range, bool tokens);
  int multiple_access_range_hint(operation& o, gpfsMultipleAccessRange_t& s);
  int start_directive(operation& o, std::byte const* at, int room);
  int stop_directive(operation& o);
  void run_hint(operation& o);
  void release_range(instance& i, gpfsRangeArray_t const& r);
  void forget_hints(instance& i);
  std::int64_t accepted_blocks() const;

  // client_shipping.cpp
  void start_shipping(operation& o);
  void run_shipping(operation& o);
  void run_serve(operation& o);
  void run_transition(file_id id, file& f);
  void ship_piece_done(std::int64_t id, int error, bool ended, std::int64_t epoch, payload const* data);
  void on(node_id from, ship_begin const& m);
  void on(node_id from, ship_go const& m);
  void on(node_id from, ship_end const& m);
  void on(node_id from, ship_done const& m);
  void on(node_id from, ship_call const& m);
  void on(node_id from, ship_answer const& m);

  // After another node has set the size, nothing is right any more of what this one knew: it had given up all its tokens for
  // that, and told then what it had allocated.
  void learn(file& f, known_size const& size) const {
    if (size.generation > f.size.generation && !f.resizing) f.allocated = {};
    f.size.learn(size);
  }
  // Takes a size from the manager.
  void learn_from_manager(file& f, known_size const& size) const {
    learn(f, size);
    f.told.learn(size);
  }
  void tell_manager(message_body body, instant departs) {
    out_->send(me_, {role::manager, 0}, std::move(body), std::max(now_, departs));
  }
  void tell_node(node_id node, message_body body, instant departs, std::int64_t bytes = 0) {
    out_->send(me_, {role::client, node}, std::move(body), std::max(now_, departs), bytes);
  }
  address server_of(page_key key) const { return {role::server, place_of(machine_, key.first, key.second).server}; }
  std::int64_t block_bytes() const { return machine_.block_bytes; }
  std::uint32_t all_parts() const { return machine_.parts_of(0, block_bytes()); }
  void changed() { changed_ = true; }

  static constexpr int not_yet = -1;

  address me_;
  machine machine_;
  outbox* out_ = nullptr;
  instant now_{};
  bool changed_ = false;
  std::int64_t next_id_ = 1;
  int next_instance_ = 1;
  std::list<operation> operations_;
  std::map<int, instance> instances_;
  std::map<file_id, file> files_;
  std::map<page_key, page> pages_;
  std::list<page_key> order_;  // of last use
  std::int64_t unsaved_ = 0;   // pages that are dirty or on their way
  std::list<lock> locks_;
  std::map<std::int64_t, request> requests_;
  std::map<std::int64_t, std::pair<std::int64_t, std::size_t>> ship_waits_;  // id: operation, piece
  std::set<node_id> dead_;
  fifo cpu_, write_path_, read_path_;
  double read_latency_s_ = 0;
};

}  // namespace argosy::lab::gpfs

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
#include <argosy/lab/gpfs/client_node.hpp>

#include "client_context.hpp"
#include "client_locks.hpp"
#include "client_pages.hpp"
#include "client_tokens.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs {

class client_node::state {
 public:
  state(node_id node, machine const& m) : context_(node, m) {}

  std::int64_t submit(call c, instant now, outbox& out);
  void interrupt(std::int64_t ticket, instant now, outbox& out);
  void receive(message const& m, instant now, outbox& out);

  client_counters const& counters() const { return context_.counters(); }
  std::int64_t cached_blocks() const { return pool_.blocks(); }
  std::int64_t dirty_blocks() const { return pool_.dirty_blocks(); }
  std::int64_t pinned_blocks() const { return pool_.pinned_blocks(); }
  token_mode token(file_id id, std::int64_t block) const;
  std::vector<block_piece> unsaved(file_id id, bool on_its_way) const { return pool_.unsaved(id, on_its_way); }
  known_size size(file_id id) const;
  bool is_hollow(int instance) const;

 private:
  using writer = client::writer;
  using byte_range = client::byte_range;
  using instance = client::instance;
  using ship_state = client::ship_state;
  using file = client::file;
  using shipped = client::shipped;
  using phase = client::phase;
  using operation = client::operation;

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
  void on(node_id, block_data const& m) { pool_.take(m); }
  void on(node_id, block_written const& m) { pool_.take(m); }
  void on(node_id, token_grant const& m) { tokens_.take(m); }
  void on(node_id, token_conflict const& m) { tokens_.take(m); }
  void on(node_id, token_refusal const& m) { tokens_.take(m); }
  void on(node_id from, revoke const& m) { tokens_.take(from, m); }
  void on(node_id from, revoke_answer const& m) { tokens_.take(from, m); }

  // client_access.cpp: reading and writing
  void run_access(operation& o);
  bool run_blocks(operation& o);
  void read_ahead(operation& o, std::int64_t block);
  void write_behind(operation const& o, client::page_pool::ready_page& p);
  void prefetch(instance& i, file& f);
  std::int64_t depth(instance const& i) const;
  bool size_certain(file const& f) const;
  bool learn_size(operation& o);  // asks; true when answered
  bool tell_size(operation& o);   // so that the size survives this node; true when the manager has it
  void charge_copy(operation& o, std::int64_t bytes);

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

  std::int64_t block_bytes() const { return context_.block_bytes(); }

  static constexpr int not_yet = -1;

  client::context context_;
  client::file_table files_;
  client::operation_locks locks_{context_};
  client::page_pool pool_{context_, [this](file_id id, writer const& w, int error) { remember_error(id, w, error); }};
  client::token_cache tokens_{context_, files_, locks_, pool_};
  int next_instance_ = 1;
  std::list<operation> operations_;
  std::map<int, instance> instances_;
  std::map<std::int64_t, std::pair<std::int64_t, std::size_t>> ship_waits_;  // id: operation, piece
};

}  // namespace argosy::lab::gpfs

// The state of a client node: its parts, events and calls. Every event is recorded first, then
// `advance` makes all waiting operations check again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/detail/client_node.hpp>

#include "client_blocks.hpp"
#include "client_context.hpp"
#include "client_fcntl.hpp"
#include "client_locks.hpp"
#include "client_operations.hpp"
#include "client_pages.hpp"
#include "client_shipping.hpp"
#include "client_sizes.hpp"
#include "client_tokens.hpp"
#include "client_types.hpp"

namespace argosy::lab::gpfs::detail {

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
  std::vector<block_piece> unsaved(file_id id, bool on_its_way) const {
    return pool_.unsaved(id, on_its_way);
  }
  known_size size(file_id id) const;
  bool is_hollow(int instance) const;
  std::optional<file_id> file_of(int instance) const;
  void set_processors(processor_time f) { context_.set_processors(std::move(f)); }

 private:
  using writer = client::writer;
  using instance = client::instance;
  using file = client::file;
  using phase = client::phase;
  using operation = client::operation;

  // client_node.cpp: events and calls
  void advance();
  void run(operation& o);
  // Charges the time of a call to its task. `i` is null if the call names a file.
  void begin_call(operation& o, instance* i);
  void run_open(operation& o);
  void run_close(operation& o);
  void run_sync(operation& o);
  void run_size(operation& o);
  void run_resize(operation& o);
  void run_lock(operation& o);
  void run_name(operation& o);
  void finish(operation& o, int error, std::int64_t value = 0) {
    operations_.finish(o, error, value);
  }
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
  void on(node_id from, ship_done const& m);
  void on(node_id, block_data const& m) { pool_.take(m); }
  void on(node_id, block_written const& m) { pool_.take(m); }
  void on(node_id, token_grant const& m) { tokens_.take(m); }
  void on(node_id, token_conflict const& m) { tokens_.take(m); }
  void on(node_id, token_refusal const& m) { tokens_.take(m); }
  void on(node_id from, revoke const& m) { tokens_.take(from, m); }
  void on(node_id from, revoke_answer const& m) { tokens_.take(from, m); }
  void on(node_id, ship_begin const& m) { shipping_.take(m); }
  void on(node_id, ship_go const& m) { shipping_.take(m); }
  void on(node_id, ship_end const& m) { shipping_.take(m); }
  void on(node_id from, ship_call const& m) { shipping_.take(from, m); }
  void on(node_id, ship_answer const& m) { shipping_.take(m); }

  // client_access.cpp: reading and writing
  void run_access(operation& o);
  bool waits_for_disk(operation const& o, instance const& i) const;
  void begin_access(operation& o, instance& i);
  // Gets a token and a lock for the access, or ships it to the owners of its blocks.
  void route_access(operation& o, instance& i, file& f);
  void note_rate(instance& i, std::int64_t length) const;

  std::int64_t block_bytes() const { return context_.block_bytes(); }

  // A part has references only to parts above it, by its constructor, and to the context.
  client::context context_;
  client::file_table files_;
  client::instance_table instances_;
  int next_instance_ = 1;
  client::operation_locks locks_{context_};
  client::page_pool pool_{
      context_, [this](file_id id, writer const& w, int error) { remember_error(id, w, error); }};
  client::token_cache tokens_{context_, files_, locks_, pool_};
  client::operations operations_{context_, locks_, pool_};
  client::sizes sizes_{context_};
  client::block_access blocks_{context_, instances_, pool_};
  client::shipping shipping_{context_, files_,      instances_, locks_,
                             pool_,    operations_, sizes_,     blocks_};
  client::fcntl_calls fcntl_{context_, files_, instances_, locks_, pool_, tokens_, operations_};
};

}  // namespace argosy::lab::gpfs::detail

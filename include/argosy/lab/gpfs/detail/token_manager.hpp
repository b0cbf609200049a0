// The token manager, which is also the file system manager: names, open instances, tokens, sizes,
// partitioning.
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

#include <argosy/lab/cluster/contents.hpp>
#include <argosy/lab/gpfs/counters.hpp>
#include <argosy/lab/gpfs/detail/lock_table.hpp>
#include <argosy/lab/gpfs/detail/outbox.hpp>
#include <argosy/lab/gpfs/detail/token_map.hpp>
#include <argosy/lab/gpfs/machine.hpp>

namespace argosy::lab::gpfs::detail {

// Grants a token request if it conflicts with no token. Otherwise it sends the requester the list
// of nodes that hold conflicting tokens. The requester revokes these tokens, and sends the request
// again with the answers. Meanwhile requests that conflict with an earlier one wait for it, in the
// order of arrival. A desired range is never granted into a range that another node requires, so
// every node gets its turn.
//
// Messages between one client and the manager must arrive in order.
class token_manager {
 public:
  // Has the nodes 0 ... clients - 1. `kept`: whether new files have contents.
  token_manager(machine const& m, int clients, contents kept = contents::real);

  // Adds or removes a node at run time. A node must have flushed and closed all files before
  // `dismiss`.
  void admit(node_id node, instant now, outbox& out);
  void dismiss(node_id node, instant now, outbox& out);
  // Registers a file that existed before it was opened first, and returns its number. If the name
  // is known already, `bytes` is not used.
  file_id adopt(std::string path, std::int64_t bytes);

  void receive(message const& m, instant now, outbox& out);
  void expire(std::int64_t timer, instant now, outbox& out);

  manager_counters const& counters() const { return counters_; }
  std::optional<file_id> find(std::string const& path) const;
  // true if it has been opened at least once
  bool knows(file_id id) const { return files_.contains(id); }
  std::vector<std::string> names() const;  // sorted
  bool is_hollow(file_id id) const;
  known_size size(file_id id) const;  // the size last reported
  std::size_t open_instances(file_id id) const;
  // Returns the number of token ranges of all nodes.
  std::size_t token_count(file_id id) const;
  token_mode mode_of(file_id id, node_id node, std::int64_t block) const;
  // Returns the number of ranges that are locked.
  std::size_t lock_count(file_id id) const;

 private:
  struct pending {
    node_id node = 0;
    token_request request;
    bool asking = false;  // the requester is revoking tokens of the holders
  };
  struct instance {
    bool write = false;
    bool ships = false;  // takes part in partitioning
  };
  struct holder {
    token_map tokens;
    std::int64_t number = 0;
  };
  struct waiter {
    std::int64_t call = 0;
    ship_start start;
  };
  using instance_id = std::pair<node_id, int>;
  struct shipping {
    enum class stage { off, gathering, entering, on, leaving } now = stage::off;
    std::int64_t epoch = 0;
    partition_map map;
    std::map<instance_id, waiter> starters;
    std::map<instance_id, std::int64_t> stoppers;  // with their calls; -1: closed
    std::set<instance_id> members;
    std::set<node_id> awaited;  // nodes that have not flushed yet
    // the timer of instances that wait for other instances to start or stop
    std::int64_t deadline = 0;
    int error = 0;
    bool failed = false;  // an owner or member died
  };
  struct file {
    std::string path;
    fifo inode;  // the time of the node that has its inode
    bool hollow = false;
    known_size size;
    // without blocks that nodes have written, in their tokens or as owners, and not reported yet
    block_set allocated;
    std::map<instance_id, instance> instances;
    std::map<node_id, holder> holders;
    std::list<pending> requests;
    shipping ship;
    lock_table locks;
  };
  struct size_round {
    node_id node = 0;
    std::int64_t request = 0;
    file_id file = 0;
    std::set<node_id> awaited;
  };

  void on(node_id from, open_request const& m);
  void on(node_id from, close_notice const& m);
  void on(node_id from, remove_request const& m);
  void on(node_id from, rename_request const& m);
  void on(node_id from, token_request const& m);
  void on(node_id from, token_release const& m);
  void on(node_id from, size_request const& m);
  void on(node_id from, size_report const& m);
  void on(node_id from, size_notice const& m);
  void on(node_id from, resize_request const& m);
  void on(node_id from, lock_request const& m);
  void on(node_id from, unlock_notice const& m);
  void on(node_id from, ship_start const& m);
  void on(node_id from, ship_stop const& m);
  void on(node_id from, ship_interrupt const& m);
  void on(node_id from, ship_ready const& m);
  void lost(node_id node);
  void buried(node_id node);  // called when all servers refuse its writes
  void forget(node_id node);
  // Returns the blocks that the node may have allocated without reporting it.
  std::vector<file_blocks> doubtful(node_id node) const;
  void allocate(std::vector<file_blocks> const& written);

  void serve(file_id id, file& f);
  bool waits(file const& f, std::list<pending>::const_iterator p) const;
  block_range grantable(file const& f, pending const& p) const;
  bool has_no_conflict(file const& f, pending const& p, block_range range) const;
  void finish_size(std::int64_t query);
  void tell_locked(file& f);
  void start_ship_if_all(file_id id, file& f);
  void take_directive();
  void fail_start(file& f, int error);
  void fail_stop(shipping& s, int error);
  void set_deadline(shipping& s);
  void deadline(std::int64_t timer);
  void stop_ship_if_all(file_id id, file& f);
  void ship_flushed(file_id id, file& f);
  void tell(node_id node, message_body body);
  // Delays all further messages about this event until the node with the file's inode has worked
  // for `us`.
  void update_inode(file& f, double us) {
    departs_ = f.inode.take(departs_, duration_of(us * 1e-6));
  }

  machine machine_;
  contents kept_;
  std::set<node_id> nodes_;
  fifo service_;
  instant departs_{};
  outbox* out_ = nullptr;  // output for the event being handled
  instant now_{};
  std::map<std::string, file_id> names_;
  std::map<file_id, file> files_;
  std::map<std::int64_t, size_round> size_rounds_;
  std::map<node_id, int> fences_;  // number of missing answers of servers, for each node
  std::set<node_id> dead_;
  std::int64_t next_file_ = 0, next_query_ = 0, next_epoch_ = 0, last_deadline_ = 0;
  manager_counters counters_;
};

}  // namespace argosy::lab::gpfs::detail

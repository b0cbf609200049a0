// The parts of files of the virtual cluster: a disk with its servers, the bytes of files, their
// locks, and open files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <argosy/handle/handle.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "held_locks.hpp"
#include "scheduler.hpp"

namespace argosy::lab::detail {

struct open_virtual_file;

inline constexpr int outside = -1;  // the node of a caller outside of a run

// A part of a file. For blocks written since their last sync, it also has the safe content and the
// nodes that have written them.
struct page {
  static constexpr std::int64_t blocks = 16;
  struct unsynced {
    int node;
    std::bitset<blocks> dirty;
  };
  std::vector<std::byte> bytes;
  std::vector<std::byte> safe;  // if a block is dirty and this is empty, the safe content is zeros
  std::bitset<blocks> allocated, dirty;
  std::vector<unsynced> nodes;

  void written(std::size_t block, int node);
  // Syncs the blocks of a node. A block is safe when all nodes that have written it have synced.
  void sync(int node);
};

struct lock_wait {
  std::int64_t begin, end;
  lock_kind kind;
  task* who;
  open_virtual_file* through;
};

struct stored_file {
  std::uint64_t number = 0;  // in the order in which files were made
  bool hollow = false;       // the file has no bytes
  unsigned permissions = 0666;
  std::int64_t size = 0, safe_size = 0;
  std::vector<int> resized_by;  // nodes that have resized it since their last sync
  bool is_safe = false;         // true if its name survives a crash
  std::map<std::int64_t, page> pages;
  held_locks locks;
  std::list<lock_wait> waiting;

  file_identity identity() const noexcept { return {.number = number}; }
};

struct disk_state {
  explicit disk_state(virtual_disk d);
  // Uses the scheduler's disk if none was given to the constructor and a file is opened in a run.
  void follow(scheduler* s);

  struct server {
    picoseconds free = 0;
    std::uint64_t file = 0;
    std::int64_t next = -1;  // end of the last transfer
  };

  virtual_disk disk;
  contents kept = contents::real;
  bool is_given = true;
  std::map<std::string, std::shared_ptr<stored_file>> files;
  std::map<std::string, bool> directories;
  // New names that may be lost in a crash: the first ones stay, up to a number drawn from the seed.
  struct new_name {
    std::string from, to;
    std::shared_ptr<stored_file> file, before;  // null if there was none
  };
  using renaming = std::vector<new_name>;  // names that change at once
  std::vector<renaming> unsettled;
  bool read_only = false;
  std::uint64_t next_number = 0;
  std::int64_t allocated_blocks = 0;
  std::vector<server> free;
  std::uint64_t run = 0;  // the run to which `free` belongs

  std::int64_t page_bytes() const { return disk.block_bytes * page::blocks; }
  std::int64_t most_blocks() const { return disk.capacity_bytes / disk.block_bytes; }

  // Writes until the disk is full, and returns the bytes written. A block that exists already costs
  // no space.
  std::int64_t write(stored_file& f, std::int64_t offset, std::span<std::byte const> from);
  std::int64_t read(stored_file const& f, std::int64_t offset, std::span<std::byte> into) const;
  void set_size(stored_file& f, std::int64_t bytes);
  void resize(stored_file& f, std::int64_t bytes);
  void sync(stored_file& f, int node = outside);
  void forget(stored_file const& f);

  bool allocate(page& p, std::size_t block);
  page& page_at(stored_file& f, std::int64_t number);
  std::shared_ptr<stored_file> make_file(std::string const& path);

  // Returns when the servers have transferred these parts, which pass the adapter of the rank's
  // node.
  template <class Part>
  picoseconds serve(scheduler& s, stored_file const& f, std::span<Part const> parts, bool writing);
};

struct open_virtual_file {
  std::shared_ptr<disk_state> disk;
  std::shared_ptr<stored_file> file;
  std::string path;
  open_flags flags;

  ~open_virtual_file() { unlock_all(); }

  // Returns true if the lock conflicts with locks of other tasks, or with locks through other
  // handles.
  bool conflicts(std::int64_t begin, std::int64_t end, lock_kind kind, task const* owner) const;
  // Locks the range. Returns true if that replaces exclusive locks of the owner by a shared one.
  bool hold(std::int64_t begin, std::int64_t end, lock_kind kind, task const* owner);
  // Grants the waiting requests that no lock prevents any more. Locks have been given up in this
  // range, so only requests that overlap it are looked at.
  void grant(std::int64_t begin, std::int64_t end);
  void unlock_all();
};

// Returns the node of the caller.
int node_here();

}  // namespace argosy::lab::detail

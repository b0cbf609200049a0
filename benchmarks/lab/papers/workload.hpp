// The workloads of the papers: a fixed set of programs, each of which writes a file and reads it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <argosy/file/hints.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/hollow_memory.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy/any_policy.hpp>

#include "machine_file.hpp"
#include "rows.hpp"
#include "software.hpp"

namespace papers {

// In 10^6 bytes of all tasks per second, until the slowest task ends; 0 if not measured.
struct rates {
  double write = 0, read = 0;
  // for programs that measure more than these two, by row::op
  std::map<std::string, double> others = {};
  std::int64_t events = 0;
};

// T of beffio, as published.
inline constexpr double full_seconds = 1800;

// A row's run: a number of tasks on its machine. With a scale, the data of tasks, pools and caches
// are divided by it. Such a run shows that a program works, but its rates mean nothing.
struct setup {
  row const& what;
  paper_machine const& machine;
  std::int64_t scale = 1;
  std::uint64_t seed = 1;
  double seconds = full_seconds;  // T of beffio

  // Returns a task's bytes, in whole units.
  std::int64_t bytes(std::int64_t unit) const;
};

using workload_function = rates (*)(setup const& s);
// Returns null if there is none of this name.
workload_function find_workload(std::string_view name);

// One task of a run: its world, the file system, and a clock that all tasks start and stop
// together.
class player {
 public:
  // `gpfs`: the file system if it is one, otherwise null.
  player(argosy::lab::virtual_rank const& mine, setup const& of, argosy::opener const& opens,
         argosy::lab::virtual_gpfs* gpfs, rates& measured)
      : world(mine), s(of), opener_(opens), gpfs_(gpfs), measured_(measured) {}

  argosy::lab::virtual_rank const& world;
  setup const& s;
  static constexpr char const* path = "data";

  bool is_first() const { return world.rank() == 0; }
  // Times f between two barriers. Collective. `bytes` are those of the whole run.
  void time(argosy::access_kind kind, std::int64_t bytes, std::function<void()> const& f);
  // Makes a file of that many bytes. Collective, not timed.
  void fill(std::int64_t bytes);
  // Drops the cache and the tokens of the file on all nodes. Collective, not timed.
  void forget();

  // Returns the software of the row.
  software const& how() const;
  argosy::extend::any_policy policy() const;
  argosy::opener opener() const;
  argosy::mode amode() const;
  // Returns true if the software's agents carry out independent calls, too.
  bool ships_alone() const { return how().agents && !s.what.largeblock; }
  argosy::hints hints_for_agents() const;
  // If agents carry out independent calls, a file opened `unique` is partitioned in the same way.
  argosy::hints hints_if_unique() const {
    return s.what.unique && ships_alone() ? hints_for_agents() : argosy::hints();
  }
  // Returns a handle of the file, for calls of GPFS. Throws std::invalid_argument if the file
  // system is no GPFS, and std::system_error.
  argosy::lab::virtual_gpfs_handle open_plain() const;

 private:
  argosy::opener const& opener_;
  argosy::lab::virtual_gpfs* gpfs_;
  rates& measured_;
};

// Returns true if agents of a file now work by turns: an agent waits until its window is on disk,
// and only then the tasks exchange the next one.
using turns = std::function<bool(std::string const& path)>;
// Returns the turns of a program whose calls are all collective.
turns always_by_turns(setup const& s);

// Runs `program` once on each task, on the row's machine, without contents.
rates play(setup const& s, std::function<void(player&)> const& program, turns const& by_turns = {});

// An open file, accessed by calls of the file system. If the row opens it `unique`, all tasks open
// and close it, and it is partitioned meanwhile. Throws std::system_error.
class plain_file {
 public:
  explicit plain_file(player const& p);
  void write(std::int64_t offset, std::span<std::byte const> memory);
  void read(std::int64_t offset, std::span<std::byte> memory);
  void close();
  argosy::lab::virtual_gpfs_handle& handle() { return handle_; }

 private:
  argosy::lab::virtual_gpfs_handle handle_;
  bool partitioned_ = false;
};

}  // namespace papers

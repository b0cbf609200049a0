// What is common to all that is measured: a rank's memory, what belongs into it and into the file,
// and the clock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "../support/statistics.hpp"
#include "pattern.hpp"

namespace patterns {

enum class operation { write, rewrite, read };
constexpr char const* name_of(operation op) {
  return op == operation::read ? "read" : op == operation::write ? "write" : "rewrite";
}

struct effort {
  int repeat = 0;              // rounds; 0: as many as the group of patterns usually has
  double seconds = 0.0005;     // that a round of one implementation lasts at least
  double row_seconds = 1.5;    // fewer rounds where they would last longer
  std::string directory = {};  // of the file
  // after each write, outside of the timing: hosts have caches of their own
  bool sync = false;
  bool timed_sync = false;  // inside
};

// The bytes of one pattern on one rank. `salt` tells one filling from the next; 0 is what the file
// holds before.
class trial {
 public:
  // Collective. A file name of its own for each program that runs.
  trial(MPI_Comm comm, pattern const& p, std::string const& directory);
  trial(trial const&) = delete;
  trial& operator=(trial const&) = delete;
  ~trial();

  MPI_Comm comm() const { return comm_; }
  pattern const& what() const { return pattern_; }
  std::string const& path() const { return path_; }
  std::byte* memory() const { return memory_; }
  std::int64_t bytes() const { return bytes_; }          // of this rank
  std::int64_t all_bytes() const { return all_bytes_; }  // of all ranks

  void spoil() const { std::fill_n(memory_, memory_bytes_, nobody); }
  void fill(int salt) const;
  // Only the first of its bytes, or all.
  bool memory_holds(int salt, bool all = true) const;

  // Collective: one rank writes what the file holds before.
  void make_file() const;
  // The next one has another name: on several hosts the old one is remembered for some time.
  void remove_file();
  // Collective: what all ranks wrote, what was there before around it, and nothing else. Each rank
  // looks at a part.
  bool file_holds(int salt) const;

 private:
  void take_next_name();

  static constexpr std::byte nobody{0x5a};
  std::vector<std::byte> file_image(std::int64_t from, std::int64_t to, int salt) const;

  MPI_Comm comm_;
  pattern const& pattern_;
  int rank_;
  std::string base_, path_;
  int number_ = 0;
  std::int64_t bytes_, memory_bytes_, all_bytes_ = 0;
  std::byte* memory_;
};

// Of `f`, from the first rank that begins to the last that is done: where there are more ranks than
// processors, ranks that need not wait for each other run one after the other, and the clock of
// each one by itself would not see it. Collective.
template <class F>
double slowest(MPI_Comm comm, F&& f) {
  MPI_Barrier(comm);
  double const start = MPI_Wtime();
  f();
  MPI_Barrier(comm);
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

using bench::median;
using bench::speed;

}  // namespace patterns

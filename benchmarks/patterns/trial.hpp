// The common part of all measurements: a rank's memory, the expected contents of memory and file,
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
  int repeat = 0;              // rounds; 0: the default of the group of patterns
  double seconds = 0.0005;     // that a round of one implementation lasts at least
  double row_seconds = 1.5;    // fewer rounds if they would last longer
  std::string directory = {};  // for the file
  // after each write, outside of the timing, because hosts have caches of their own
  bool sync = false;
  bool timed_sync = false;  // inside of the timing
};

// The bytes of one pattern on one rank. `salt` distinguishes fillings; 0 is the content of the file
// before.
class trial {
 public:
  // Collective. Each program that runs has a file name of its own.
  trial(MPI_Comm comm, pattern const& p, std::string const& directory);
  trial(trial const&) = delete;
  trial& operator=(trial const&) = delete;
  ~trial();

  MPI_Comm comm() const { return comm_; }
  pattern const& what() const { return pattern_; }
  std::string const& path() const { return path_; }
  std::byte* memory() const { return memory_; }
  std::int64_t bytes() const { return bytes_; }          // number on this rank
  std::int64_t all_bytes() const { return all_bytes_; }  // number on all ranks

  void spoil() const { std::fill_n(memory_, memory_bytes_, nobody); }
  void fill(int salt) const;
  // Returns true if memory holds the expected bytes. Checks all bytes, or only the first.
  bool memory_holds(int salt, bool all = true) const;

  // Makes the file with its content before, by one rank. Collective.
  void make_file() const;
  // Removes the file. The next one has another name, because some hosts cache the old name for some
  // time.
  void remove_file();
  // Returns true if the file holds the data of all ranks, the old content around it, and nothing
  // else. Collective. Each rank checks a part.
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

// Returns the time of `f`, from the first rank that begins to the last that ends. Collective. If
// there are more ranks than processors, ranks that need not wait for each other run one after the
// other, which the clock of a single rank would not show.
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

// A program for the virtual cluster, as a value: what all ranks do one after the other, in which world, with which faults.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <argosy/file/mode.hpp>
#include <argosy/handle/gpfs/machine.hpp>
#include <argosy/handle/gpfs/troubles.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/world/virtual/scenario.hpp>

namespace argosy::explore {

enum class op {
  open,
  close,
  set_view,
  set_size,
  preallocate,
  sync,
  clear_sync,
  set_atomic,
  seek_shared,
  compute,
  wait,  // for all requests
  read_at,
  write_at,
  iread_at,
  iwrite_at,
  read_at_all,
  write_at_all,
  read,
  write,
  iread,
  iwrite,
  read_all,
  write_all,
  read_shared,
  write_shared,
  iread_shared,
  iwrite_shared,
  read_ordered,
  write_ordered
};
inline constexpr std::size_t ops = 29;
char const* name_of(op o) noexcept;

// Of reads and writes.
constexpr bool moves_data(op o) noexcept { return o >= op::read_at; }
constexpr int place_in_six(op o) noexcept { return (static_cast<int>(o) - static_cast<int>(op::read_at)) % 6; }
constexpr bool writes(op o) noexcept { return moves_data(o) && place_in_six(o) % 2 == 1; }
constexpr bool is_request(op o) noexcept { return moves_data(o) && place_in_six(o) / 2 == 1; }
constexpr bool is_collective(op o) noexcept {
  return moves_data(o) ? place_in_six(o) / 2 == 2 : o <= op::seek_shared && o != op::clear_sync;
}
constexpr bool at_offset(op o) noexcept { return o >= op::read_at && o <= op::write_at_all; }
constexpr bool at_pointer(op o) noexcept { return o >= op::read && o <= op::write_all; }
constexpr bool at_shared_pointer(op o) noexcept { return o >= op::read_shared; }

// Where the bytes of a rank's view lie. In `dealt` and `woven` no byte belongs to two ranks; in the others all ranks see
// the same.
enum class shape {
  plain,   // all bytes
  dealt,   // blocks of etypes, each given to some rank or to nobody
  woven,   // a random datatype, of one rank after the other
  common,  // a random datatype, the same for all
};
struct view_choice {
  explore::shape shape = shape::plain;
  std::uint64_t seed = 0;
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;  // of plain and dealt
  bool operator==(view_choice const&) const = default;
};
constexpr bool is_own(shape s) noexcept { return s == shape::dealt || s == shape::woven; }

enum class policy_kind { of_hints, independent, sieving, two_phase, automatic, data_shipping };
struct policy_choice {
  policy_kind kind = policy_kind::of_hints;
  std::int64_t buffer_bytes = 0;  // 0: the policy's own; so for all
  std::int64_t window_bytes = 0;
  std::int64_t aggregators = 0;
  std::int64_t align_bytes = 0;
  int merge = 0;  // automatic, always, never
  bool operator==(policy_choice const&) const = default;
};
any_policy to_policy(policy_choice const& p);

// One rank's mistake.
enum class slip { none, negative_offset, null_address, other_size };

// What all ranks do. Members are used as the call needs them.
struct step {
  op what = op::compute;
  std::int64_t offset = 0;   // etypes, or a size in bytes; of calls at the individual pointer: -1: where it stands
  std::int64_t count = 0;    // etypes that a rank moves
  std::uint64_t salt = 0;    // some ranks move fewer, or nothing; 0: all the same
  std::uint64_t memory = 0;  // the datatype in memory; 0: contiguous
  policy_choice policy = {};
  view_choice view = {};
  int file = 0;  // of open: which
  argosy::mode modes = mode::create | mode::read_write;
  std::vector<std::pair<std::string, std::string>> hints = {};
  bool later = false;  // of a request: goes on until the next `wait`
  bool loose = false;  // the ranks go on without waiting for each other
  bool on = true;      // of set_atomic
  slip mistake = slip::none;
  int culprit = 0;
  bool operator==(step const&) const = default;
};

// The simulated GPFS on which a program runs.
struct gpfs_choice {
  gpfs::machine machine = {};
  gpfs::troubles troubles = {};
  bool operator==(gpfs_choice const&) const = default;
};

struct program {
  argosy::scenario world = {};
  std::optional<gpfs_choice> gpfs = {};           // none: virtual_files
  std::array<std::int64_t, 2> before = {-1, -1};  // sizes of the files that are there; -1: none
  std::vector<step> steps = {};
  std::int64_t crash_every = 0;  // look at what a crash would leave, after every so many-th file call; 0: never
  bool operator==(program const&) const = default;
};

// The program with the steps that it needs to make sense: waits for requests before what may not meet them, and no `loose`
// where ranks would touch the same bytes.
std::vector<step> complete(program const& p);

// A test case for test/explore.cpp.
std::string to_test(program const& p, std::string const& name);

// One program for each seed; `ranks`: 0 for any number.
program random_program(std::uint64_t seed, int ranks = 0);
// The same on a simulated GPFS with troubles of its own.
program random_gpfs_program(std::uint64_t seed, int ranks = 0);

}  // namespace argosy::explore

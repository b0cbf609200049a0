// A program for the virtual cluster, as a value: what all ranks do one after the other, in which
// world, with which faults.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/datatype/basic.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/file/seek_from.hpp>
#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/lab/gpfs/machine.hpp>
#include <argosy/lab/gpfs/troubles.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/detail/policy_traits.hpp>

#include "calls.hpp"
#include "codec.hpp"

namespace argosy::explore {

// Where the bytes of a rank's view lie. In `dealt` and `woven` no byte belongs to two ranks; in
// `plain` and `common` all ranks see the same.
enum class shape {
  plain,   // all bytes
  dealt,   // blocks of etypes, each given to some rank or to nobody
  woven,   // a random datatype, of one rank after the other
  common,  // a random datatype, the same for all
  // dealt, and the borders of the neighbours besides; what is written depends on the place in the
  // file alone
  ghosts,
};
struct view_choice {
  explore::shape shape = shape::plain;
  std::uint64_t seed = 0;
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;  // of plain, dealt and ghosts, where the item is a byte
  basic item = basic::byte;      // the etype, where it has a type
  representation_choice representation = representation_choice::native;
  bool operator==(view_choice const&) const = default;
};
constexpr bool is_own(shape s) noexcept { return s == shape::dealt || s == shape::woven; }
constexpr bool is_one_for_all(shape s) noexcept { return s == shape::plain || s == shape::common; }

// Those of typed views.
inline constexpr std::array items{basic::byte,          basic::int16,          basic::int32,
                                  basic::int64,         basic::float64,        basic::long_int,
                                  basic::unsigned_long, basic::wide_character, basic::int128};

enum class policy_kind { of_hints, independent, sieving, two_phase, automatic, data_shipping };
inline constexpr std::array<std::string_view, 6> policy_kind_names{
    "of_hints", "independent", "sieving", "two_phase", "automatic", "data_shipping"};
static_assert(std::ranges::all_of(detail::policy_table, [](detail::policy_facts const& p) {
  return std::ranges::find(policy_kind_names, p.name) != policy_kind_names.end();
}));
constexpr std::string_view name_of(policy_kind k) noexcept {
  return policy_kind_names[static_cast<std::size_t>(k)];
}
struct policy_choice {
  policy_kind kind = policy_kind::of_hints;
  std::int64_t buffer_bytes = 0;  // 0: the policy's own; so for all
  std::int64_t window_bytes = 0;
  std::int64_t aggregators = 0;
  std::int64_t align_bytes = 0;
  std::int64_t layers = 0;
  int merge = 0;  // automatic, always, never
  bool operator==(policy_choice const&) const = default;
};
any_policy to_policy(policy_choice const& p);

// One rank's mistake.
enum class slip { none, negative_offset, null_address, other_size, cut_etype };

// What code of the program does that the library calls.
enum class trouble {
  none,
  misfit,         // one value of one rank does not fit the representation
  item_throws,    // converting one value of one rank throws
  handle_throws,  // one rank's handle throws, in its next read or write
  policy_throws,  // the policy of all ranks
};

// Around a handle, the last one outside.
enum class decorator { counting, tracing, throttled };

// What all ranks do. Members are used as the call needs them.
struct step {
  op what = op::compute;
  // etypes, or a size in bytes; of calls at the individual pointer: -1: where it stands
  std::int64_t offset = 0;
  std::int64_t count = 0;    // etypes that a rank moves
  std::uint64_t salt = 0;    // some ranks move fewer, or nothing; 0: all the same
  std::uint64_t memory = 0;  // the datatype in memory; 0: contiguous
  policy_choice policy = {};
  view_choice view = {};
  int file = 0;  // of open: which
  argosy::mode modes = mode::create | mode::read_write;
  std::vector<std::pair<std::string, std::string>> hints = {};
  // of a request: goes on until the next `wait`; of close: requests are pending
  bool later = false;
  bool loose = false;  // the ranks go on without waiting for each other
  bool on = true;      // of set_atomic
  seek_from whence = seek_from::start;
  int slot = 0;           // of the two files that may be open
  std::uint64_t mix = 0;  // of local calls: some ranks do it by the other policy; 0: all the same
  policy_choice other = {};
  bool both_ways = false;              // and the other way: some read while others write
  std::vector<decorator> around = {};  // of open
  explore::trouble trouble = trouble::none;
  slip mistake = slip::none;
  int culprit = 0;
  bool operator==(step const&) const = default;
};

// What a rank does in it, and how.
bool is_mixed(step const& s, int rank) noexcept;
op what_of(step const& s, int rank) noexcept;
policy_choice const& policy_of(step const& s, int rank) noexcept;

// The simulated GPFS on which a program runs.
struct gpfs_choice {
  lab::gpfs::machine machine = {};
  lab::gpfs::troubles troubles = {};
  bool operator==(gpfs_choice const&) const = default;
};

struct program {
  argosy::lab::scenario world = {};
  std::optional<gpfs_choice> gpfs = {};           // none: virtual_files
  std::array<std::int64_t, 2> before = {-1, -1};  // sizes of the files that are there; -1: none
  std::vector<step> steps = {};
  // look at what a crash would leave, after every so many-th file call; 0: never
  std::int64_t crash_every = 0;
  bool operator==(program const&) const = default;
};

char const* name_of(representation_choice r) noexcept;
char const* name_of(trouble t) noexcept;
char const* name_of(shape s) noexcept;

// The program with the steps that it needs to make sense: waits for requests before what may not
// meet them, and no `loose` where ranks would touch the same bytes.
std::vector<step> complete(program const& p);

// A test case for test/lab/cluster/explore.cpp.
std::string to_test(program const& p, std::string const& name);

// One program for each seed; `ranks`: 0 for any number.
program random_program(std::uint64_t seed, int ranks = 0);
// The same on a simulated GPFS with troubles of its own.
program random_gpfs_program(std::uint64_t seed, int ranks = 0);

}  // namespace argosy::explore

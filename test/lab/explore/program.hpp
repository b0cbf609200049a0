// A program for the virtual cluster, as a value: the steps of all ranks in their order, the world,
// and the faults.
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

#include <argosy/datatype/basic_type.hpp>
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

using namespace extend;

// The place of a rank's bytes in the file. In `dealt` and `woven` no byte belongs to two ranks. In
// `plain` and `common` all ranks have the same view.
enum class shape {
  plain,   // all bytes
  dealt,   // blocks of etypes, each dealt to one rank or to none
  woven,   // one random datatype, repeated for rank after rank
  common,  // one random datatype for all ranks
  // blocks as in dealt, but each rank also has the borders of its neighbours; the value of a
  // written byte depends only on its place in the file
  ghosts,
};
struct view_choice {
  explore::shape shape = shape::plain;
  std::uint64_t seed = 0;
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;        // for plain, dealt and ghosts, if the item is a byte
  basic_type item = basic_type::byte;  // the type of the etype, if it has one
  representation_choice representation = representation_choice::native;
  bool operator==(view_choice const&) const = default;
};
constexpr bool is_own(shape s) noexcept { return s == shape::dealt || s == shape::woven; }
constexpr bool is_one_for_all(shape s) noexcept { return s == shape::plain || s == shape::common; }

// The items of typed views.
inline constexpr std::array items{
    basic_type::byte,          basic_type::int16,          basic_type::int32,
    basic_type::int64,         basic_type::float64,        basic_type::long_int,
    basic_type::unsigned_long, basic_type::wide_character, basic_type::int128};

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
  std::int64_t buffer_bytes = 0;  // 0: the policy's default; the same for all members
  std::int64_t window_bytes = 0;
  std::int64_t aggregators = 0;
  std::int64_t align_bytes = 0;
  std::int64_t layers = 0;
  int merge = 0;  // 0: automatic, 1: always, 2: never
  bool operator==(policy_choice const&) const = default;
};
any_policy to_policy(policy_choice const& p);

// A mistake in the arguments of one rank.
enum class slip { none, negative_offset, null_address, other_size, cut_etype };

// A failure of the program's own code that the library calls.
enum class trouble {
  none,
  misfit,         // one value of one rank does not fit the representation
  item_throws,    // the conversion of one value of one rank throws
  handle_throws,  // one rank's handle throws at its next read or write
  policy_throws,  // the policy throws on all ranks
};

// Decorators of a handle; the last one is the outermost.
enum class decorator { counting, tracing, throttled };

// A step of all ranks. Each call uses the members that it needs.
struct step {
  op what = op::compute;
  // in etypes, or a size in bytes; -1 at the individual pointer: where it stands
  std::int64_t offset = 0;
  std::int64_t count = 0;    // etypes that a rank moves
  std::uint64_t salt = 0;    // some ranks move fewer, or nothing; 0: all move `count`
  std::uint64_t memory = 0;  // seed of the datatype in memory; 0: contiguous
  // in place of `memory`: the first number of a datatype that the compiler knows; 0: none
  int static_type = 0;
  int views = 0;  // for read_views_all and write_views_all: the number of views
  policy_choice policy = {};
  view_choice view = {};
  int file = 0;  // for open: which file
  argosy::mode modes = mode::create | mode::read_write;
  std::vector<std::pair<std::string, std::string>> hints = {};
  // for a request: pending until the next `wait`; for close: requests are pending
  bool later = false;
  bool loose = false;  // the ranks continue without waiting for each other
  bool on = true;      // for set_atomic
  seek_from whence = seek_from::start;
  int slot = 0;           // which of the two open files
  std::uint64_t mix = 0;  // for local calls: some ranks use the policy `other`; 0: none
  policy_choice other = {};
  bool both_ways = false;  // the ranks that use `other` read if the others write, and the reverse
  std::vector<decorator> around = {};  // for open
  explore::trouble trouble = trouble::none;
  slip mistake = slip::none;
  int culprit = 0;
  bool operator==(step const&) const = default;
};

// Return what a rank does in a step, and with which policy.
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
  std::optional<gpfs_choice> gpfs = {};  // empty: virtual_files
  // sizes of the files that exist before; -1: no file
  std::array<std::int64_t, 2> before = {-1, -1};
  std::vector<step> steps = {};
  // checks the content after a crash, at every so many-th file call; 0: never
  std::int64_t crash_every = 0;
  bool operator==(program const&) const = default;
};

char const* name_of(representation_choice r) noexcept;
char const* name_of(trouble t) noexcept;
char const* name_of(shape s) noexcept;

// Returns the program's steps, completed so that they make sense. A `wait` is added before steps
// that must not be concurrent with pending requests. `loose` is cleared if ranks would touch the
// same bytes.
std::vector<step> complete(program const& p);

// Returns the source of a test case for test/lab/cluster/explore.cpp.
std::string to_test(program const& p, std::string const& name);

// Returns the program of a seed. `ranks`: 0 for any number.
program random_program(std::uint64_t seed, int ranks = 0);
// Returns the program of a seed on a simulated GPFS with faults of its own.
program random_gpfs_program(std::uint64_t seed, int ranks = 0);

}  // namespace argosy::explore

// Counts features that come up while programs run. A zero in the table is a feature that the
// generator never produces.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argosy::explore {

struct program;

enum class feature {
  call,
  policy,  // the policy of the report, which carried out the call
  asked,   // the policy that the call was given
  shape,
  item,
  representation,
  mode,
  hint,
  handle,  // the decorators around the handle
  fault,   // the file call that returned an error
  error,   // the error of the file call
  memory,  // the datatypes that the compiler knows
  world,   // features of the program's world
  event,   // other things worth counting
};
inline constexpr std::size_t feature_count = 14;
std::string_view name_of(feature f) noexcept;

// Returns the names of all features that should come up on these files.
std::vector<std::string> names_of(feature f, bool gpfs);
// Returns the pairs of features that are counted together.
std::span<std::pair<feature, feature> const> feature_pairs() noexcept;

class features {
 public:
  void add(feature f, std::string_view name, std::int64_t n = 1);
  void add(feature f, std::string_view name, feature g, std::string_view other);
  void add(features const& more);

  std::int64_t of(feature f, std::string_view name) const;
  std::map<std::string, std::int64_t, std::less<>> const& of(feature f) const {
    return single_[static_cast<std::size_t>(f)];
  }
  // Returns names such as "policy two_phase" for each feature that never came up.
  std::vector<std::string> zeros(bool gpfs) const;
  // Returns all counts, then the pairs that never came up.
  std::string table(bool gpfs) const;

 private:
  std::array<std::map<std::string, std::int64_t, std::less<>>, feature_count> single_;
  // keyed by names such as "call write_at" and "policy sieving"
  std::map<std::pair<std::string, std::string>, std::int64_t> pairs_;
};

// Counts features of the program's world: faults that handles hide, deaths, disks.
void count_world(program const& p, features& all);

}  // namespace argosy::explore

// What programs did while they ran, counted: a table whose zeros are what the generator never
// makes.
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
  policy,  // that carried it out, as the report says
  asked,   // that the call was given
  shape,
  item,
  representation,
  mode,
  hint,
  handle,  // what is around it
  fault,   // the call to a file that gave an error
  error,   // that it gave
  world,   // of the program
  event,   // what else is worth seeing
};
inline constexpr std::size_t feature_count = 13;
std::string_view name_of(feature f) noexcept;

// Everything that is to come up, on these files.
std::vector<std::string> names_of(feature f, bool gpfs);
// Those that are counted together.
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
  // "policy two_phase", for each that never came up.
  std::vector<std::string> zeros(bool gpfs) const;
  // All numbers; then the pairs that never came up.
  std::string table(bool gpfs) const;

 private:
  std::array<std::map<std::string, std::int64_t, std::less<>>, feature_count> single_;
  // "call write_at", "policy sieving"
  std::map<std::pair<std::string, std::string>, std::int64_t> pairs_;
};

// Of the world of a program: faults that nobody above sees, deaths, disks.
void count_world(program const& p, features& all);

}  // namespace argosy::explore

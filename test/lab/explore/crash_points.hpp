// Crashes between the calls of a run: checks which content may, and which must, be found
// afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <argosy/lab/cluster/virtual_files.hpp>

namespace argosy::explore {

// After a crash, each byte must have the value that it had when the file was last safe, or at some
// call after that. The check uses no blocks or caches, only how the files looked.
class crash_points {
 public:
  // Crashes after every `every`-th file call; 0: never.
  crash_points(lab::virtual_files files, std::int64_t every, std::uint64_t seed)
      : files_(std::move(files)), every_(every), seed_(seed) {}

  bool any() const noexcept { return every_ > 0; }
  // Notes that the file is safe from now on, or that it is gone.
  void keep(std::string const& name);
  // Called after each file call. The first mistake found stays in wrong().
  void look();
  std::string const& wrong() const noexcept { return wrong_; }

 private:
  using content = std::vector<std::byte>;
  // The values of a file since it was safe. At each call only bytes that have changed are added, so
  // a look costs no more than a comparison.
  struct seen {
    std::optional<content> safe;  // empty if the file was never safe
    content last = {};
    std::set<std::size_t> sizes = {};
    std::vector<std::bitset<256>> values = {};  // the values that each byte has had

    void take(content now);
    bool had(std::size_t offset, std::byte value) const;
  };
  void compare(std::string const& name, seen const& s, lab::virtual_files const& left);

  lab::virtual_files files_;
  std::int64_t every_;
  std::uint64_t seed_;
  std::uint64_t calls_ = 0;
  std::map<std::string, seen> seen_;
  std::string wrong_;
};

}  // namespace argosy::explore

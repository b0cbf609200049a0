// Crashes between the calls of a run: what may be found afterwards, and what must be.
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

// A byte of what a crash leaves is as it was when the file was last safe, or as it was at some call
// after that. It knows nothing of blocks and caches: only how the files looked.
class crash_points {
 public:
  // After every so many-th call; 0: never.
  crash_points(lab::virtual_files files, std::int64_t every, std::uint64_t seed)
      : files_(std::move(files)), every_(every), seed_(seed) {}

  bool any() const noexcept { return every_ > 0; }
  // From now on nothing of it may be lost; or it is not there any more.
  void keep(std::string const& name);
  // After a call to a file. What is wrong first, stays.
  void look();
  std::string const& wrong() const noexcept { return wrong_; }

 private:
  using content = std::vector<std::byte>;
  // How a file looked since it was safe. Only what changed at a call is taken in, so a look costs
  // what a comparison costs.
  struct seen {
    std::optional<content> safe;  // none: the file was never safe
    content last = {};
    std::set<std::size_t> sizes = {};
    std::vector<std::bitset<256>> values = {};  // of each byte

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

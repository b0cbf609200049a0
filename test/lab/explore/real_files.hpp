// Files of the operating system under a random program, and its faults as those of system calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files.hpp"

namespace argosy::explore {

// In a directory that all ranks see and nobody else uses. What is looked at here, no fault strikes.
class real_files final : public file_system {
 public:
  // `makes`: one rank puts what is there before, for all.
  real_files(std::string directory, bool makes) : directory_(std::move(directory)), makes_(makes) {}
  std::string directory() const override { return directory_ + "/"; }
  opener files() override;
  bool exists(std::string const& path) const override;
  std::vector<std::string> names() const override;
  std::vector<std::byte> content(std::string const& path) const override;
  void put(std::string const& path, std::span<std::byte const> bytes) override;
  // Nobody can pull the plug of this machine.
  std::vector<std::byte> after_crash(std::string const& path, std::uint64_t) const override {
    return content(path);
  }

  // All of them.
  void remove() const;

 private:
  std::string directory_;
  bool makes_;
};

// The program, with what processes can do: nobody dies or crashes, and what takes its time takes
// less of it.
program for_processes(program p);

// What argosy_faults() takes, for one rank.
std::string system_faults(program const& p, int rank);

}  // namespace argosy::explore

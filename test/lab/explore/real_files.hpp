// Files of the operating system under a random program. Its faults become faults of system calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files.hpp"

namespace argosy::explore {

// Files in a directory that all ranks see and no other program uses. No fault strikes the checks of
// this class.
class real_files final : public file_system {
 public:
  // `makes`: this rank writes the initial files, for all ranks.
  real_files(std::string directory, bool makes) : directory_(std::move(directory)), makes_(makes) {}
  std::string directory() const override { return directory_ + "/"; }
  opener files() override;
  bool exists(std::string const& path) const override;
  std::vector<std::string> names() const override;
  std::vector<std::byte> content(std::string const& path) const override;
  void put(std::string const& path, std::span<std::byte const> bytes) override;
  // A crash cannot be simulated on this machine, so this returns the present content.
  std::vector<std::byte> after_crash(std::string const& path, std::uint64_t) const override {
    return content(path);
  }

  // Removes all files.
  void remove() const;

 private:
  std::string directory_;
  bool makes_;
};

// Returns the program without what processes cannot do: deaths, crashes, slow ranks, pauses. Delays
// are shortened.
program for_processes(program p);

// Returns the faults of one rank in the syntax of argosy_faults().
std::string system_faults(program const& p, int rank);

}  // namespace argosy::explore

// A directory for one process, in memory if possible.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "fuzz.hpp"

namespace argosy::fuzz {

class scratch {
 public:
  scratch() {
    std::error_code error;
    bool const memory = std::filesystem::is_directory("/dev/shm", error);
    path_ = (memory ? std::string("/dev/shm") : std::filesystem::temp_directory_path().string()) +
            "/argosy-fuzz-XXXXXX";
    FUZZ_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  scratch(scratch const&) = delete;
  ~scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string const& path() const { return path_; }
  void clear() const {
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator(path_, error))
      std::filesystem::remove_all(entry, error);
  }

 private:
  std::string path_;
};

}  // namespace argosy::fuzz

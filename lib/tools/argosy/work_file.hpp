// A file for measurements in a directory of the user. The destructor removes it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

namespace argosy::tool {

class work_file {
 public:
  // `remove` is true on only one rank.
  work_file(std::string path, bool remove) : path_(std::move(path)), remove_(remove) {}
  work_file(work_file const&) = delete;
  work_file& operator=(work_file const&) = delete;
  ~work_file() {
    if (remove_) ::unlink(path_.c_str());
  }
  std::string const& path() const noexcept { return path_; }

 private:
  std::string path_;
  bool remove_;
};

}  // namespace argosy::tool

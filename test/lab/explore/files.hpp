// The files on which a program runs, and what the file system itself promises of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/handle/file_call.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "program.hpp"

namespace argosy::explore {

// Something is not as it must be; ends the run.
struct found_wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bytes that were written, and are not there any more: whoever wrote them is told, or dead.
struct loss {
  std::string path;
  std::int64_t offset = 0;
  std::vector<std::byte> lost;  // empty: whatever was there
  std::vector<std::byte> left;  // in its place
  std::int64_t size = -1;       // of the file, at least
};

// Looks whether one open file is told what it must be told.
class watch {
 public:
  virtual ~watch() = default;
  virtual void writes(std::int64_t offset, std::span<std::byte const> bytes) = 0;
  virtual void wrote(std::span<write_part const> parts, std::int64_t done) = 0;
  virtual std::int64_t begin() = 0;  // the result is for end()
  virtual void end(file_call kind, std::int64_t begun, std::error_code error, bool tells) = 0;
};

class file_system {
 public:
  virtual ~file_system() = default;
  virtual opener files() = 0;
  virtual std::string directory() const { return {}; }  // before all names
  virtual bool exists(std::string const& path) const = 0;
  virtual std::vector<std::string> names() const = 0;
  virtual std::vector<std::byte> content(std::string const& path) const = 0;
  virtual void put(std::string const& path, std::span<std::byte const> bytes) = 0;
  virtual std::vector<std::byte> after_crash(std::string const& path, std::uint64_t seed) const = 0;

  // Those that can crash at any call.
  virtual lab::virtual_files const* on_disk() const { return nullptr; }

  // Since the last time.
  virtual std::vector<loss> take_losses() { return {}; }
  // Somebody was not told what he had to be told.
  virtual std::string complaint() const { return {}; }
  virtual std::int64_t time() const { return 0; }
  // `began`: the time when the open began. Null: nothing to watch.
  virtual std::shared_ptr<watch> opened(int, std::string const&, open_flags, std::int64_t) {
    return nullptr;
  }
};

std::unique_ptr<file_system> files_for(program const& p);

}  // namespace argosy::explore

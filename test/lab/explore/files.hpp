// The files on which a program runs, and the promises of the file system about them.
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

using namespace extend;

// Thrown when a check fails; ends the run.
struct found_wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Written bytes that are gone. The rank that wrote them must have got an error, or be dead.
struct loss {
  std::string path;
  std::int64_t offset = 0;
  std::vector<std::byte> lost;  // empty: any content
  std::vector<std::byte> left;  // the bytes that are there instead
  std::int64_t size = -1;       // least size of the file; -1: no loss of size
};

// Checks that calls on one open file report the errors that they must report.
class watch {
 public:
  virtual ~watch() = default;
  virtual void writes(std::int64_t offset, std::span<std::byte const> bytes) = 0;
  virtual void wrote(std::span<write_part const> parts, std::int64_t done) = 0;
  virtual std::int64_t begin() = 0;  // the result is passed to end()
  virtual void end(file_call kind, std::int64_t begun, std::error_code error, bool tells) = 0;
};

class file_system {
 public:
  virtual ~file_system() = default;
  virtual opener files() = 0;
  virtual std::string directory() const { return {}; }  // prefix of all names
  virtual bool exists(std::string const& path) const = 0;
  virtual std::vector<std::string> names() const = 0;
  virtual std::vector<std::byte> content(std::string const& path) const = 0;
  virtual void put(std::string const& path, std::span<std::byte const> bytes) = 0;
  virtual std::vector<std::byte> after_crash(std::string const& path, std::uint64_t seed) const = 0;

  // Returns the files if they can crash at any call; otherwise null.
  virtual lab::virtual_files const* on_disk() const { return nullptr; }

  // Returns the losses since the last call of this function.
  virtual std::vector<loss> take_losses() { return {}; }
  // Describes an error that a rank should have been told about; empty if there is none.
  virtual std::string complaint() const { return {}; }
  virtual std::int64_t time() const { return 0; }
  // `began`: the time at which the open began. Returns null if there is nothing to watch.
  virtual std::shared_ptr<watch> opened(int, std::string const&, open_flags, std::int64_t) {
    return nullptr;
  }
};

std::unique_ptr<file_system> files_for(program const& p);

}  // namespace argosy::explore

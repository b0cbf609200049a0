// A file of the operating system that may lie on a real GPFS: hints and directives go to its library, if there is one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>

namespace argosy {

// What libgpfs.so offers, loaded when it is first asked for. Nothing of it is needed to build or to run.
class gpfs_library {
 public:
  // Of an empty name: that in the environment variable ARGOSY_GPFS_LIBRARY, or libgpfs.so. Null, and the reason, if it
  // cannot be loaded or has no gpfs_fcntl. A library that was loaded stays.
  static std::shared_ptr<gpfs_library const> load(std::string const& name, std::string& why_not);

  // Each returns an errno, or 0; ENOSYS where the library has no such function.
  int fcntl(int descriptor, void* argument) const;
  int prealloc(int descriptor, long long start, long long bytes) const;

 private:
  int (*fcntl_)(int, void*) = nullptr;
  int (*prealloc_)(int, long long, long long) = nullptr;
};

// As `posix`, also where there is no GPFS: then only hints and directives are refused, and `why_not` says why.
//
//   auto f = argosy::gpfs_real::open("state.dat", {.write = true}, error);
//   argosy::gpfs::gpfsFreeRange_t ... in a struct behind a gpfsFcntlHeader_t
//   f.fcntl(argument);     // the same call as of a file on the simulated GPFS
class gpfs_real : public posix {
 public:
  struct settings {
    std::string library;           // see gpfs_library::load
    bool any_file_system = false;  // believe that it is GPFS
  };

  gpfs_real() = default;
  static gpfs_real open(std::string const& path, open_flags flags, std::error_code& error);
  static gpfs_real open(std::string const& path, open_flags flags, settings const& s, std::error_code& error);

  bool is_on_gpfs() const noexcept { return library_ != nullptr; }
  std::string const& why_not() const noexcept { return why_not_; }

  // A struct of a header and structures; what the call writes into it is there afterwards. Errors of GPFS as they are, but:
  // not on GPFS, errc::unsupported; a directive of data shipping that this release does not know, errc::unsupported, too.
  template <class Argument>
    requires(!std::convertible_to<Argument&, std::span<std::byte>>)
  std::error_code fcntl(Argument& argument) {
    return fcntl(std::as_writable_bytes(std::span(&argument, 1)));
  }
  std::error_code fcntl(std::span<std::byte> argument);

  bool takes_hints() const noexcept { return is_on_gpfs(); }
  int node() const noexcept { return unknown_node; }  // the public interface does not tell

  // By gpfs_prealloc where there is one.
  std::error_code preallocate(std::int64_t bytes);

 private:
  explicit gpfs_real(posix&& file) : posix(std::move(file)) {}

  std::shared_ptr<gpfs_library const> library_;
  std::string why_not_;
};

static_assert(openable<gpfs_real> && hinting<gpfs_real>);

opener gpfs_real_opener(gpfs_real::settings s = {});

}  // namespace argosy

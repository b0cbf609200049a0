// A file of the operating system that may lie on a real GPFS. Hints and directives are given to the
// library of GPFS, if there is one.
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

namespace detail {

// The functions of libgpfs.so, loaded on first use. argosy builds and runs without the library.
class gpfs_library {
 public:
  // Loads the library. If the name is empty, it is the value of the environment variable
  // ARGOSY_GPFS_LIBRARY, or libgpfs.so. Returns null, and sets `why_not`, if the library cannot be
  // loaded or has no gpfs_fcntl. A loaded library is never unloaded.
  static std::shared_ptr<gpfs_library const> load(std::string const& name, std::string& why_not);

  // Each returns an errno, or 0. ENOSYS if the library has no such function.
  int fcntl(int descriptor, void* argument) const;
  int prealloc(int descriptor, long long start, long long bytes) const;

 private:
  int (*fcntl_)(int, void*) = nullptr;
  int (*prealloc_)(int, long long, long long) = nullptr;
};

}  // namespace detail

// Like `posix`, with hints and directives. Without GPFS only those are refused, and `why_not` gives
// the reason.
//
//   auto f = argosy::gpfs_real::open("state.dat", {.write = true}, error);
//   argosy::gpfs::gpfsFreeRange_t ... in a struct behind a gpfsFcntlHeader_t
//   f.fcntl(argument);     // the same call as of a file on the simulated GPFS
class gpfs_real : public posix {
 public:
  struct settings {
    std::string library;           // see gpfs_library::load
    bool any_file_system = false;  // assume that it is GPFS
  };

  gpfs_real() = default;
  static gpfs_real open(std::string const& path, extend::open_flags flags, std::error_code& error);
  static gpfs_real open(std::string const& path, extend::open_flags flags, settings const& s,
                        std::error_code& error);

  bool is_on_gpfs() const noexcept { return library_ != nullptr; }
  std::string const& why_not() const noexcept { return why_not_; }

  // Calls gpfs_fcntl. `argument` is a struct of a header and structures, and receives the results.
  // Local. Returns the errors of GPFS. Returns errc::unsupported for a file that is not on GPFS,
  // and for a data shipping directive that this release does not know. Before that, checks the
  // header: EBADF if the file is not open, EINVAL for an impossible totalLength, E2BIG for one
  // beyond fcntl_length_max.
  template <class Argument>
    requires(!std::convertible_to<Argument&, std::span<std::byte>>)
  std::error_code fcntl(Argument& argument) {
    return fcntl(std::as_writable_bytes(std::span(&argument, 1)));
  }
  std::error_code fcntl(std::span<std::byte> argument);

  bool takes_hints() const noexcept { return is_on_gpfs(); }
  int node() const noexcept {
    return extend::unknown_node;
  }  // the public interface does not report it

  // Allocates space like posix::preallocate, by gpfs_prealloc if the library has it. Local.
  std::error_code preallocate(std::int64_t bytes);

 private:
  explicit gpfs_real(posix&& opened) : posix(std::move(opened)) {}

  std::shared_ptr<detail::gpfs_library const> library_;
  std::string why_not_;
};

static_assert(extend::openable<gpfs_real> && extend::takes_fcntl<gpfs_real>);

// Returns an opener of gpfs_real files.
opener gpfs_real_opener(gpfs_real::settings s = {});

}  // namespace argosy

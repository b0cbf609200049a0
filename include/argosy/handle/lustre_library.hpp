// The functions of liblustreapi.so that set and read the stripes of a file, loaded when a file on
// Lustre is opened.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <argosy/handle/handle.hpp>

namespace argosy {

namespace detail {

// The library. argosy builds and runs without it.
class lustre_library {
 public:
  static constexpr std::uint32_t magic_number = 0x0bd00bd0;  // f_type of statfs on Lustre

  // Loads the library. If the name is empty, it is the value of the environment variable
  // ARGOSY_LUSTRE_LIBRARY, or liblustreapi.so. Returns null, and sets `why_not`, if the library
  // cannot be loaded or lacks a function. A loaded library is never unloaded.
  static std::shared_ptr<lustre_library const> load(std::string const& name, std::string& why_not);

  // Opens like open(2). A file that is created gets these stripes, or those of its directory for
  // numbers that are 0. Returns -1 and sets errno if it fails.
  int open(std::string const& path, int flags, unsigned permissions,
           file_stripes const& wanted) const;
  // Returns the stripes of an open file, or zeros if they cannot be read.
  file_stripes stripes_of(int descriptor) const;

 private:
  struct llapi_layout;
  llapi_layout* (*alloc_)() = nullptr;
  void (*free_)(llapi_layout*) = nullptr;
  int (*count_set_)(llapi_layout*, std::uint64_t) = nullptr;
  int (*size_set_)(llapi_layout*, std::uint64_t) = nullptr;
  int (*count_get_)(llapi_layout const*, std::uint64_t*) = nullptr;
  int (*size_get_)(llapi_layout const*, std::uint64_t*) = nullptr;
  int (*file_open_)(char const*, int, unsigned, llapi_layout const*) = nullptr;
  llapi_layout* (*get_by_fd_)(int, std::uint32_t) = nullptr;
};

// The library to load, and whether every file is assumed to lie on Lustre, for tests.
struct lustre_settings {
  std::string library;  // see lustre_library::load
  bool any_file_system = false;
};

}  // namespace detail

}  // namespace argosy

// The functions of liblustreapi.so that choose and tell the stripes of a file, loaded when a file
// on Lustre is opened.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <argosy/handle/handle.hpp>

namespace argosy {

namespace detail {

// argosy builds and runs without the library. Each of its functions returns what lustreapi(7) says.
class lustre_library {
 public:
  static constexpr std::uint32_t magic_number = 0x0bd00bd0;  // what statfs tells of Lustre

  // An empty name stands for the environment variable ARGOSY_LUSTRE_LIBRARY, or liblustreapi.so.
  // Returns null, and the reason, if the library cannot be loaded or lacks a function. A loaded
  // library is never unloaded.
  static std::shared_ptr<lustre_library const> load(std::string const& name, std::string& why_not);

  // Like open(2), for a file that gets these stripes if it is made now; where they are 0, those of
  // its directory. -1 and errno.
  int open(std::string const& path, int flags, unsigned permissions,
           file_stripes const& wanted) const;
  // Those of an open file; zeros if they cannot be told.
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

// Whose library it is, and whether to believe that every file lies on Lustre: for tests.
struct lustre_settings {
  std::string library;  // see lustre_library::load
  bool any_file_system = false;
};

}  // namespace detail

}  // namespace argosy

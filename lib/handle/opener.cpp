// Implements what handle/opener.hpp needs of the operating system: names of files.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/opener.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <argosy/handle/posix.hpp>

namespace argosy {

opener posix_opener() { return opener_of<posix>(); }

namespace detail {
namespace {

std::error_code errno_of(int result) {
  return result == 0 ? std::error_code() : std::error_code(errno, std::system_category());
}

}  // namespace

std::error_code remove_file(std::string const& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return {EISDIR, std::system_category()};  // an empty one would go
  if (!std::filesystem::remove(path, error) && !error)
    error.assign(static_cast<int>(std::errc::no_such_file_or_directory), std::system_category());
  return error;
}

std::error_code rename_file(std::string const& from, std::string const& to) {
  return errno_of(std::rename(from.c_str(), to.c_str()));
}

std::error_code settle_names(std::string const& path) {
  std::string directory = std::filesystem::path(path).parent_path().string();
  if (directory.empty()) directory = ".";
  int const d = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (d < 0) return errno_of(-1);
  std::error_code error = errno_of(::fsync(d));
  // File systems that cannot sync a directory keep names in another way, or have no storage.
  if (error == std::errc::invalid_argument || error == std::errc::not_supported) error.clear();
  ::close(d);
  return error;
}

}  // namespace detail
}  // namespace argosy

// Implements the functions of handle/opener.hpp for names of files in the operating system.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/opener.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <argosy/handle/posix.hpp>

namespace argosy {

opener posix_opener() { return extend::opener_of<posix>(); }

std::optional<extend::file_identity> opener::find(std::string const& path,
                                                  std::error_code& error) const {
  error.clear();
  if (names_.find) return names_.find(path, error);
  extend::any_handle f = open_(path, {.read = true}, error);
  if (error) return std::nullopt;
  auto const found = f.identity();
  f.close();
  if (!found) error = errc::unsupported;
  return found;
}

std::error_code opener::remove(std::string const& path,
                               std::optional<extend::file_identity> const& of) const {
  if (!of) return remove_(path);
  if (names_.remove) return names_.remove(path, *of);
  std::error_code error;
  auto const found = find(path, error);
  if (error) return error;
  if (!found || !detail::same_file(*found, *of)) return {ENOENT, std::system_category()};
  return remove_(path);
}

std::error_code opener::rename(std::string const& from, std::string const& to,
                               std::optional<extend::file_identity> const& of) const {
  if (of && finds()) {
    std::error_code error;
    auto const found = find(from, error);
    if (error) return error;
    if (!found || !detail::same_file(*found, *of)) return {ENOENT, std::system_category()};
  }
  return rename(from, to);
}

namespace detail {
namespace {

std::error_code errno_of(int result) {
  return result == 0 ? std::error_code() : std::error_code(errno, std::system_category());
}

std::optional<file_identity> identity_of(int descriptor, char const* path, int flags,
                                         std::error_code& error) {
  struct statx about = {};
  int outcome = 0;
  while ((outcome = ::statx(descriptor, path, flags, STATX_TYPE | STATX_INO | STATX_BTIME,
                            &about)) != 0 &&
         errno == EINTR) {
  }
  error = errno_of(outcome);
  if (error) return std::nullopt;
  file_identity found{.device = std::uint64_t{about.stx_dev_major} << 32 | about.stx_dev_minor,
                      .number = about.stx_ino};
  if ((about.stx_mask & STATX_BTIME) != 0)
    found.born_ns = about.stx_btime.tv_sec * 1'000'000'000 + about.stx_btime.tv_nsec;
  return found;
}

bool is_now(std::string const& path, file_identity const& of) {
  std::error_code error;
  auto const found = identity_of_name(path, error);
  return found && same_file(*found, of);
}

// Returns an unused name in the same directory.
std::string name_beside(std::string const& path) {
  static std::atomic<std::uint64_t> last{0};
  auto const now =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::string const name =
      ".argosy-removes-" + std::to_string(::getpid()) + "-" + std::to_string(now + ++last);
  return (std::filesystem::path(path).parent_path() / name).string();
}

}  // namespace

std::error_code remove_file(std::string const& path) {
  std::error_code error;
  // An empty directory would be removed.
  if (std::filesystem::is_directory(path, error)) return {EISDIR, std::system_category()};
  if (!std::filesystem::remove(path, error) && !error)
    error.assign(static_cast<int>(std::errc::no_such_file_or_directory), std::system_category());
  return error;
}

std::optional<file_identity> identity_of_file(int descriptor, std::error_code& error) {
  return identity_of(descriptor, "", AT_EMPTY_PATH, error);
}

std::optional<file_identity> identity_of_name(std::string const& path, std::error_code& error) {
  return identity_of(AT_FDCWD, path.c_str(), AT_STATX_FORCE_SYNC, error);
}

std::error_code remove_file_of(std::string const& path, file_identity const& of) {
  std::error_code error;
  auto const found = identity_of_name(path, error);
  if (error) return error;
  if (!same_file(*found, of)) return {ENOENT, std::system_category()};
  return take_away(path, of);
}

std::error_code take_away(std::string const& path, file_identity const& of) {
  std::string const aside = name_beside(path);
  auto const rename = [](std::string const& from, std::string const& to) {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
  };
  // A full disk may have no room for another name, and some file systems do not support this
  // rename.
  if (!rename(path, aside)) {
    if (errno == ENOENT || !is_now(path, of)) return {ENOENT, std::system_category()};
    return errno_of(::unlink(path.c_str()));
  }
  if (is_now(aside, of)) {
    std::error_code const kept = errno_of(::unlink(aside.c_str()));
    if (kept) rename(aside, path);
    return kept;
  }
  // If a third file has the name by now, the second one stays under the temporary name, with its
  // data.
  if (!rename(aside, path) && ::link(aside.c_str(), path.c_str()) == 0) ::unlink(aside.c_str());
  return {ENOENT, std::system_category()};
}

std::string absolute_path(std::string const& path) {
  std::error_code unknown;
  std::filesystem::path const found = std::filesystem::absolute(path, unknown);
  return unknown ? path : found.string();
}

opener::name_functions names_of_system() {
  return {absolute_path, identity_of_name, remove_file_of};
}

namespace {

std::error_code make_directories(std::string const& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error;
}

// File systems that cannot exchange two names leave a moment in which `to` has no directory.
std::error_code exchange_names(std::string const& from, std::string const& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  bool const cannot = errno == EINVAL || errno == ENOSYS;
  if (!cannot && errno != EEXIST) return errno_of(-1);
  if (!cannot && ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0)
    return {};
  if (errno != EINVAL && errno != ENOSYS) return errno_of(-1);
  struct stat about = {};
  if (::lstat(to.c_str(), &about) != 0)
    return errno == ENOENT ? rename_file(from, to) : errno_of(-1);
  std::string const aside = from + ".old";
  if (std::error_code const error = rename_file(to, aside)) return error;
  if (std::error_code const error = rename_file(from, to)) {
    rename_file(aside, to);
    return error;
  }
  return rename_file(aside, from);
}

std::error_code remove_with_files(std::string const& path) {
  std::error_code error;
  bool const some = std::filesystem::remove_all(path, error) > 0;
  if (!error && !some) return {ENOENT, std::system_category()};
  return error;
}

std::error_code names_in(std::string const& path, std::vector<std::string>& names) {
  names.clear();
  std::error_code error;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    names.push_back(at->path().filename().string());
  return error;
}

}  // namespace

opener::directory_functions directories_of_system() {
  return {make_directories, exchange_names, remove_with_files, names_in};
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
  // File systems that cannot sync a directory store names in another way, or have no storage.
  if (error == std::errc::invalid_argument || error == std::errc::not_supported) error.clear();
  ::close(d);
  return error;
}

}  // namespace detail
}  // namespace argosy

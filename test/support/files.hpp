// Files of a test: a directory of its own, a small file system, and child processes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace argosy::test {

// Returns a directory where syncing costs nothing, if there is one; otherwise TMPDIR.
inline std::filesystem::path in_memory() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

// A new directory in TMPDIR (default /tmp), removed by the destructor.
class scratch {
 public:
  explicit scratch(std::filesystem::path const& in = std::filesystem::temp_directory_path()) {
    std::string name = (in / "argosy_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(std::string const& name) const { return (path_ / name).string(); }
  std::string string() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Returns the size of a file as another host has left it, or -1 if it cannot be found out. A
// program that uses no argosy needs these calls, because clients cache pages and sizes
// (docs/use/file_systems.md).
inline std::int64_t look_at_server(int descriptor) {
  struct ::statx found{};
  ::fdatasync(descriptor);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  if (::statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &found) != 0)
    return -1;
  return static_cast<std::int64_t>(found.stx_size);
}
inline std::int64_t size_at_server(std::string const& path) {
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  std::int64_t const size = look_at_server(descriptor);
  ::close(descriptor);
  return size;
}

// Returns true if a name is gone. A client of a distributed file system may see a name for up to a
// second after another host has removed it, so this waits there. On other file systems the name is
// gone at once.
inline bool is_gone(std::string const& path) {
  constexpr auto fuse = 0x65735546;
  struct ::statfs of{};
  bool const at_once =
      ::statfs(std::filesystem::path(path).parent_path().c_str(), &of) != 0 || of.f_type != fuse;
  for (int tries = 0; std::filesystem::exists(path); ++tries) {
    if (at_once || tries == 50) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

// A small file system of its own. It needs root: check mounted(), and skip with skipped() if false.
class small_tmpfs {
 public:
  small_tmpfs(std::string where, std::string const& options) : where_(std::move(where)) {
    std::filesystem::create_directories(where_);
    mounted_ = ::mount("argosy_test", where_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  small_tmpfs(small_tmpfs const&) = delete;
  small_tmpfs& operator=(small_tmpfs const&) = delete;
  ~small_tmpfs() {
    if (mounted_) ::umount2(where_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  bool make_read_only() {
    return ::mount("argosy_test", where_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  std::string where_;
  bool mounted_ = false;
};

inline void skipped(char const* why) { std::printf("skipped: %s\n", why); }

inline std::size_t open_descriptors() {
  std::filesystem::directory_iterator const all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Runs `body` in a child process. Returns 0 if `body` returned true, 1 if false, and 1000 + n if
// signal n ended the child.
template <class Body>
int in_child(Body&& body) {
  std::fflush(nullptr);
  pid_t const child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

inline std::string content_of(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace argosy::test

// Files of a test: a directory of its own, and what a process can be made to suffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace argosy::test {

// Where syncing costs nothing; else TMPDIR.
inline std::filesystem::path in_memory() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

// A new directory in TMPDIR (default /tmp), removed at the end.
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

// A small file system of its own. Needs root: ask mounted(), and skip with skipped() otherwise.
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

// Runs `body` in a child process. 0 if it returned true, 1 if false, 1000 + n if signal n ended it.
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

// Implements fault_shim.hpp. One page because each system call has its replacement here.
// SPDX-License-Identifier: BSD-3-Clause
#include "fault_shim.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum kind {
  k_open,
  k_close,
  k_read,
  k_write,
  k_fsync,
  k_ftruncate,
  k_fallocate,
  k_lock,
  k_unlock,
  k_fstat,
  k_fstatfs,
  k_sync_file_range,
  kinds
};
char const* const kind_names[kinds] = {"open",   "close",     "read",      "write",
                                       "fsync",  "ftruncate", "fallocate", "lock",
                                       "unlock", "fstat",     "fstatfs",   "sync_file_range"};
enum action { act_fail, act_short, act_torn, act_late, act_full, act_type };

struct fault {
  kind call;
  long first, times;
  action what;
  long value;  // an errno, bytes, microseconds, or a type of file system
  int then;    // for torn: the errno of the next call
};

// The range of the file that a call concerns.
struct range {
  long long offset = 0;
  long long bytes = 0;
};

struct verdict {
  int error = 0;
  long most = -1;
  long type = 0;  // type of the file system that is reported; 0: the real one
};

struct errno_name {
  char const* name;
  int value;
};
constexpr errno_name errno_names[] = {
    {"EPERM", EPERM},     {"ENOENT", ENOENT},       {"EINTR", EINTR},
    {"EIO", EIO},         {"ENXIO", ENXIO},         {"EBADF", EBADF},
    {"EAGAIN", EAGAIN},   {"ENOMEM", ENOMEM},       {"EACCES", EACCES},
    {"EBUSY", EBUSY},     {"EEXIST", EEXIST},       {"ENODEV", ENODEV},
    {"ENOTDIR", ENOTDIR}, {"EISDIR", EISDIR},       {"EINVAL", EINVAL},
    {"ENFILE", ENFILE},   {"EMFILE", EMFILE},       {"ETXTBSY", ETXTBSY},
    {"EFBIG", EFBIG},     {"ENOSPC", ENOSPC},       {"EROFS", EROFS},
    {"EDEADLK", EDEADLK}, {"ENOLCK", ENOLCK},       {"ENOSYS", ENOSYS},
    {"ELOOP", ELOOP},     {"ENOTSUP", ENOTSUP},     {"ESTALE", ESTALE},
    {"EDQUOT", EDQUOT},   {"ETIMEDOUT", ETIMEDOUT}, {"ENAMETOOLONG", ENAMETOOLONG}};

constexpr int most_faults = 64;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> active{false};
fault faults[most_faults];
int fault_count = 0;
long calls[kinds];
long struck = 0;
argosy_range last_range{};
char path_part[4096];

// Returns the function of libc. Several threads may look it up at the same time.
template <class F>
F* real(std::atomic<void*>& cached, char const* name) {
  void* found = cached.load(std::memory_order_relaxed);
  if (!found) cached.store(found = dlsym(RTLD_NEXT, name), std::memory_order_relaxed);
  return reinterpret_cast<F*>(found);
}
#define REAL(function, name)                            \
  static std::atomic<void*> function##_cached{nullptr}; \
  auto* const actual = real<decltype(function)>(function##_cached, name)

bool parse_errno(char const* text, long& value) {
  for (auto const& e : errno_names)
    if (std::strcmp(e.name, text) == 0) {
      value = e.value;
      return true;
    }
  value = std::atol(text);
  return value > 0;
}

bool parse(char const* text, fault& f) {
  char call[32], what[64];
  long first = 0;
  int used = 0;
  if (std::sscanf(text, " %31[a-z_]@%ld%n", call, &first, &used) != 2) return false;
  text += used;
  f.first = first;
  f.times = 1;
  if (*text == '+') {
    f.times = __LONG_MAX__;
    ++text;
  } else if (*text == 'x') {
    char* end = nullptr;
    f.times = std::strtol(text + 1, &end, 10);
    text = end;
  }
  if (*text != '=' || std::sscanf(text + 1, " %63[A-Za-z0-9:]", what) != 1) return false;
  int k = 0;
  while (k < kinds && std::strcmp(kind_names[k], call) != 0) ++k;
  if (k == kinds) return false;
  f.call = static_cast<kind>(k);
  struct {
    char const* prefix;
    action what;
  } const with_number[] = {{"short:", act_short},
                           {"torn:", act_torn},
                           {"late:", act_late},
                           {"full:", act_full},
                           {"type:", act_type}};
  for (auto const& w : with_number)
    if (std::strncmp(what, w.prefix, std::strlen(w.prefix)) == 0) {
      f.what = w.what;
      char* rest = nullptr;
      f.value = std::strtol(what + std::strlen(w.prefix), &rest, w.what == act_type ? 16 : 10);
      if (w.what == act_late) {
        if (std::strcmp(rest, "us") == 0) return true;
        f.value *= 1000;
      }
      f.then = EIO;
      if (w.what != act_torn || *rest != ':') return *rest == 0;
      long then = 0;
      if (!parse_errno(rest + 1, then)) return false;
      f.then = static_cast<int>(then);
      return true;
    }
  f.what = act_fail;
  return parse_errno(what, f.value);
}

bool chosen_rank() {
  char const* const ranks = std::getenv("ARGOSY_FAULT_RANKS");
  if (!ranks) return true;
  char const* mine = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!mine) mine = std::getenv("PMIX_RANK");
  if (!mine) mine = std::getenv("PMI_RANK");
  if (!mine) return false;
  long const rank = std::atol(mine);
  for (char const* at = ranks; *at;) {
    char* end = nullptr;
    if (std::strtol(at, &end, 10) == rank && end != at) return true;
    at = *end ? end + 1 : end;
  }
  return false;
}

[[gnu::constructor]] void from_environment() {
  char const* const path = std::getenv("ARGOSY_FAULT_PATH");
  char const* const text = std::getenv("ARGOSY_FAULTS");
  if (!path || !text || !chosen_rank()) return;
  if (argosy_faults(path, text) != 0)
    std::fprintf(stderr, "argosy_fault_shim: cannot read ARGOSY_FAULTS=%s\n", text);
}

bool concerned(char const* path) { return path_part[0] && std::strstr(path, path_part) != nullptr; }

bool concerned(int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t const length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  return concerned(path);
}

verdict judge(kind call, range const& where) {
  verdict v;
  long late_us = 0;
  pthread_mutex_lock(&mutex);
  long const number = ++calls[call];
  for (int i = 0; i < fault_count; ++i) {
    fault const& f = faults[i];
    if (f.call != call) continue;
    long const since = number - f.first;
    if (f.what == act_torn && since == 1) v.error = f.then;
    if (since < 0 || since >= f.times) continue;
    if (f.what == act_full) {
      long long const left = f.value - where.offset;
      if (left >= where.bytes) continue;
      if (left <= 0 || call == k_fallocate)
        v.error = ENOSPC;
      else
        v.most = v.most < 0 || left < v.most ? static_cast<long>(left) : v.most;
    }
    ++struck;
    if (f.what == act_fail) v.error = static_cast<int>(f.value);
    if (f.what == act_short || f.what == act_torn) v.most = f.value;
    if (f.what == act_late) late_us += f.value;
    if (f.what == act_type) v.type = f.value;
  }
  pthread_mutex_unlock(&mutex);
  if (late_us > 0) {
    timespec const t{late_us / 1000000, late_us % 1000000 * 1000};
    nanosleep(&t, nullptr);
  }
  return v;
}

template <class File>
verdict judge(kind call, File file, range const& where = {}) {
  int const saved = errno;
  verdict v;
  if (active.load(std::memory_order_acquire) && concerned(file)) v = judge(call, where);
  errno = saved;
  return v;
}

size_t shortened(size_t bytes, long most) {
  return most >= 0 && static_cast<size_t>(most) < bytes ? static_cast<size_t>(most) : bytes;
}

// A copy of a vector, cut to at most `most` bytes.
struct short_vector {
  iovec elements[1024];
  int count = 0;
  short_vector(iovec const* from, int n, long most) {
    for (int i = 0; i < n && most > 0; ++i) {
      elements[count] = from[i];
      elements[count].iov_len = shortened(from[i].iov_len, most);
      most -= static_cast<long>(elements[count++].iov_len);
    }
    if (count == 0) elements[count++] = {from[0].iov_base, 0};
  }
};

#define FAIL_IF(v)     \
  if ((v).error) {     \
    errno = (v).error; \
    return -1;         \
  }

template <class F>
int opened(F* actual, char const* path, int flags, mode_t mode) {
  verdict const v = judge(k_open, path);
  FAIL_IF(v)
  return actual(path, flags, mode);
}
template <class F, class B>
ssize_t moved(F* actual, kind k, int fd, B* memory, size_t bytes, off_t offset) {
  verdict const v = judge(k, fd, {offset, static_cast<long long>(bytes)});
  FAIL_IF(v)
  return actual(fd, memory, shortened(bytes, v.most), offset);
}
template <class F>
ssize_t moved_vector(F* actual, kind k, int fd, iovec const* vector, int count, off_t offset) {
  long long bytes = 0;
  for (int i = 0; i < count; ++i) bytes += static_cast<long long>(vector[i].iov_len);
  verdict const v = judge(k, fd, {offset, bytes});
  FAIL_IF(v)
  if (v.most < 0) return actual(fd, vector, count, offset);
  short_vector const less(vector, count, v.most);
  return actual(fd, less.elements, less.count, offset);
}
template <class F>
int allocated(F* actual, int fd, int mode, off_t offset, off_t bytes) {
  verdict const v = judge(k_fallocate, fd, {offset, bytes});
  FAIL_IF(v)
  return actual(fd, mode, offset, bytes);
}
template <class F, class... Arguments>
int called(F* actual, kind k, int fd, Arguments... arguments) {
  verdict const v = judge(k, fd);
  FAIL_IF(v)
  return actual(fd, arguments...);
}
template <class F>
int controlled(F* actual, int fd, int command, void* argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
      command == F_OFD_SETLKW) {
    auto const* const lock = static_cast<struct flock const*>(argument);
    verdict const v = judge(lock->l_type == F_UNLCK ? k_unlock : k_lock, fd);
    FAIL_IF(v)
  }
  return actual(fd, command, argument);
}

}  // namespace

extern "C" {

int argosy_faults(char const* path, char const* text) {
  pthread_mutex_lock(&mutex);
  fault_count = 0;
  struck = 0;
  std::memset(calls, 0, sizeof calls);
  std::snprintf(path_part, sizeof path_part, "%s", path ? path : "");
  int result = 0;
  for (char const* at = text; at && *at;) {
    if (fault_count == most_faults || !parse(at, faults[fault_count])) {
      result = -1;
      break;
    }
    ++fault_count;
    at = std::strchr(at, ';');
    if (at) ++at;
  }
  active = path_part[0] != 0;
  pthread_mutex_unlock(&mutex);
  return result;
}

long argosy_fault_calls(char const* call) {
  pthread_mutex_lock(&mutex);
  long number = -1;
  for (int k = 0; k < kinds; ++k)
    if (std::strcmp(kind_names[k], call) == 0) number = calls[k];
  pthread_mutex_unlock(&mutex);
  return number;
}

long argosy_faults_struck() {
  pthread_mutex_lock(&mutex);
  long const number = struck;
  pthread_mutex_unlock(&mutex);
  return number;
}

argosy_range argosy_last_range() {
  pthread_mutex_lock(&mutex);
  argosy_range const range = last_range;
  pthread_mutex_unlock(&mutex);
  return range;
}

#define OPEN(name)                                        \
  int name(char const* path, int flags, ...) {            \
    mode_t mode = 0;                                      \
    if (flags & (O_CREAT | O_TMPFILE)) {                  \
      va_list arguments;                                  \
      va_start(arguments, flags);                         \
      mode = static_cast<mode_t>(va_arg(arguments, int)); \
      va_end(arguments);                                  \
    }                                                     \
    REAL(name, #name);                                    \
    return opened(actual, path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(close, "close");
  verdict const v = judge(k_close, fd);
  int const result = actual(fd);  // closed although an error is reported, as the kernel does
  FAIL_IF(v)
  return result;
}

#define MOVE(name, memory, k)                                     \
  ssize_t name(int fd, memory data, size_t bytes, off_t offset) { \
    REAL(name, #name);                                            \
    return moved(actual, k, fd, data, bytes, offset);             \
  }
MOVE(pread, void*, k_read)
MOVE(pread64, void*, k_read)
MOVE(pwrite, void const*, k_write)
MOVE(pwrite64, void const*, k_write)

#define MOVE_VECTOR(name, k)                                           \
  ssize_t name(int fd, iovec const* vector, int count, off_t offset) { \
    REAL(name, #name);                                                 \
    return moved_vector(actual, k, fd, vector, count, offset);         \
  }
MOVE_VECTOR(preadv, k_read)
MOVE_VECTOR(preadv64, k_read)
MOVE_VECTOR(pwritev, k_write)
MOVE_VECTOR(pwritev64, k_write)

int fsync(int fd) {
  REAL(fsync, "fsync");
  return called(actual, k_fsync, fd);
}
int fdatasync(int fd) {
  REAL(fdatasync, "fdatasync");
  return called(actual, k_fsync, fd);
}
int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags) {
  REAL(sync_file_range, "sync_file_range");
  pthread_mutex_lock(&mutex);
  last_range = {offset, bytes, flags};
  pthread_mutex_unlock(&mutex);
  return called(actual, k_sync_file_range, fd, offset, bytes, flags);
}
int ftruncate(int fd, off_t bytes) noexcept {
  REAL(ftruncate, "ftruncate");
  return called(actual, k_ftruncate, fd, bytes);
}
int ftruncate64(int fd, off_t bytes) noexcept {
  REAL(ftruncate64, "ftruncate64");
  return called(actual, k_ftruncate, fd, bytes);
}
int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  REAL(fallocate, "fallocate");
  return allocated(actual, fd, mode, offset, bytes);
}
int fallocate64(int fd, int mode, off_t offset, off_t bytes) {
  REAL(fallocate64, "fallocate64");
  return allocated(actual, fd, mode, offset, bytes);
}
int fstat(int fd, struct stat* about) noexcept {
  REAL(fstat, "fstat");
  return called(actual, k_fstat, fd, about);
}
int fstatfs(int fd, struct statfs* about) noexcept {
  REAL(fstatfs, "fstatfs");
  verdict const v = judge(k_fstatfs, fd);
  FAIL_IF(v)
  int const result = actual(fd, about);
  if (result == 0 && v.type != 0) about->f_type = v.type;
  return result;
}

#define CONTROL(name)                                 \
  int name(int fd, int command, ...) {                \
    va_list arguments;                                \
    va_start(arguments, command);                     \
    void* const argument = va_arg(arguments, void*);  \
    va_end(arguments);                                \
    REAL(name, #name);                                \
    return controlled(actual, fd, command, argument); \
  }
CONTROL(fcntl)
CONTROL(fcntl64)

}  // extern "C"

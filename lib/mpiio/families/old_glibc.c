/* Functions of glibc that are younger than 2.28, for parts that are linked for older systems:
   cmake/families.sh --glibc. The C++ runtime inside of a part calls them. They are hidden, so no
   other object finds them.
   SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* 2.36 */
uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}

/* 2.32: false, because nothing tells. Then the C++ runtime counts owners by atomic operations. */
char __libc_single_threaded = 0;

/* 2.35: finds the table for stack unwinding of the object with an address. */
struct dl_find_object;
struct found_object { /* struct dl_find_object of x86-64 and aarch64 */
  unsigned long long flags;
  void *begin, *end;
  struct link_map* map;
  void* eh_frame;
  unsigned long long reserved[7];
};
struct search {
  uintptr_t address;
  struct found_object* found;
};

static int look_into(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct search* const s = data;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  void* table = NULL;
  int is_here = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    ElfW(Phdr) const* const p = &info->dlpi_phdr[i];
    uintptr_t const from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
    if (p->p_type == PT_GNU_EH_FRAME) table = (void*)from;
    if (p->p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (to > end) end = to;
    if (s->address >= from && s->address < to) is_here = 1;
  }
  if (!is_here || !table) return is_here;
  s->found->begin = (void*)begin;
  s->found->end = (void*)end;
  s->found->eh_frame = table;
  return 1;
}

int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search s = {(uintptr_t)address, (struct found_object*)result};
  memset(s.found, 0, sizeof *s.found);
  dl_iterate_phdr(look_into, &s);
  return s.found->eh_frame ? 0 : -1;
}

/* 2.33: they were inline functions before, which called these. */
extern int __xstat(int, char const*, struct stat*);
extern int __lxstat(int, char const*, struct stat*);
extern int __fxstat(int, int, struct stat*);
extern int __fxstatat(int, int, char const*, struct stat*, int);
#ifdef __x86_64__
enum { stat_version = 1 };
#else
enum { stat_version = 0 };
#endif
int stat(char const* path, struct stat* s) { return __xstat(stat_version, path, s); }
int lstat(char const* path, struct stat* s) { return __lxstat(stat_version, path, s); }
int fstat(int fd, struct stat* s) { return __fxstat(stat_version, fd, s); }
int fstatat(int fd, char const* path, struct stat* s, int flags) {
  return __fxstatat(stat_version, fd, path, s, flags);
}
/* On systems of 64 bits the two kinds of struct are the same. */
int stat64(char const* path, struct stat64* s) { return stat(path, (struct stat*)s); }
int lstat64(char const* path, struct stat64* s) { return lstat(path, (struct stat*)s); }
int fstat64(int fd, struct stat64* s) { return fstat(fd, (struct stat*)s); }

/* 2.32: argosy writes the number of an error if its name is not known. */
char const* strerrorname_np(int number) {
  (void)number;
  return NULL;
}

/* 2.30: waits by a given clock. Returns the same time by the clock of the older functions. */
static struct timespec by_real_time(clockid_t clock, struct timespec const* until) {
  struct timespec now, real, result;
  if (clock == CLOCK_REALTIME) return *until;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  result.tv_sec = real.tv_sec + until->tv_sec - now.tv_sec;
  result.tv_nsec = real.tv_nsec + until->tv_nsec - now.tv_nsec;
  for (; result.tv_nsec < 0; result.tv_nsec += 1000000000) --result.tv_sec;
  for (; result.tv_nsec >= 1000000000; result.tv_nsec -= 1000000000) ++result.tv_sec;
  return result;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           struct timespec const* until) {
  struct timespec const when = by_real_time(clock, until);
  return pthread_cond_timedwait(condition, mutex, &when);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, struct timespec const* until) {
  struct timespec const when = by_real_time(clock, until);
  return pthread_mutex_timedlock(mutex, &when);
}

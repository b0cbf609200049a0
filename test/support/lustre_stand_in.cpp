// Stands in for liblustreapi.so. It makes files in any file system, and remembers in memory which
// stripes they were given.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <utility>

extern "C" {

// The stripes that files of a directory get by default, and what the library was called with.
struct stand_in_record {
  std::uint64_t default_bytes, default_count;
  int opened, layouts;  // layouts: made and not yet freed
  int open_errno, get_errno;
};
stand_in_record stand_in;

struct llapi_layout {
  std::uint64_t bytes = 0, count = 0;
};

}  // extern "C"

namespace {

std::map<std::pair<dev_t, ino_t>, llapi_layout>& files() {
  static std::map<std::pair<dev_t, ino_t>, llapi_layout> all;
  return all;
}
std::pair<dev_t, ino_t> name_of(int descriptor) {
  struct stat about{};
  ::fstat(descriptor, &about);
  return {about.st_dev, about.st_ino};
}

}  // namespace

extern "C" {

// Forgets all files and calls. Without that, a file of the next test could get the inode number,
// and so the stripes, of a file that was removed.
stand_in_record* stand_in_anew() {
  files().clear();
  stand_in = {1 << 20, 1, 0, 0, 0, 0};
  return &stand_in;
}

llapi_layout* llapi_layout_alloc() {
  ++stand_in.layouts;
  return new llapi_layout;
}
void llapi_layout_free(llapi_layout* l) {
  --stand_in.layouts;
  delete l;
}
int llapi_layout_stripe_count_set(llapi_layout* l, std::uint64_t n) {
  l->count = n;
  return 0;
}
int llapi_layout_stripe_size_set(llapi_layout* l, std::uint64_t n) {
  if (n % 65536 != 0) {
    errno = EINVAL;
    return -1;
  }
  l->bytes = n;
  return 0;
}
int llapi_layout_stripe_count_get(llapi_layout const* l, std::uint64_t* n) {
  *n = l->count;
  return 0;
}
int llapi_layout_stripe_size_get(llapi_layout const* l, std::uint64_t* n) {
  *n = l->bytes;
  return 0;
}
int llapi_layout_file_open(char const* path, int flags, mode_t permissions, llapi_layout const* l) {
  ++stand_in.opened;
  if (stand_in.open_errno != 0) {
    errno = stand_in.open_errno;
    return -1;
  }
  struct stat about{};
  bool const is_new = ::stat(path, &about) != 0;
  int const descriptor = ::open(path, flags, permissions);
  if (descriptor >= 0 && is_new) files()[name_of(descriptor)] = *l;
  return descriptor;
}
llapi_layout* llapi_layout_get_by_fd(int descriptor, std::uint32_t) {
  if (stand_in.get_errno != 0) {
    errno = stand_in.get_errno;
    return nullptr;
  }
  auto* const l = llapi_layout_alloc();
  if (auto const found = files().find(name_of(descriptor)); found != files().end())
    *l = found->second;
  if (l->bytes == 0) l->bytes = stand_in.default_bytes;
  if (l->count == 0) l->count = stand_in.default_count;
  return l;
}
}

// Helpers of the checks, declared in check.h.
// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

int rank, ranks;
char directory[1000], path[1040];

void* function_named(char const* name) { return dlsym(RTLD_DEFAULT, name); }

MPI_File opened_by(MPI_Comm comm, int amode) {
  MPI_File file = MPI_FILE_NULL;
  OK(MPI_File_open(comm, path, amode, MPI_INFO_NULL, &file));
  return file;
}
MPI_File opened(int amode) { return opened_by(MPI_COMM_WORLD, amode); }
MPI_File fresh(void) { return opened(MPI_MODE_CREATE | MPI_MODE_RDWR); }
void closed(MPI_File* file) { OK(MPI_File_close(file)); }
void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
int on_any_rank(int holds) {
  int any = 0;
  MPI_Allreduce(&holds, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return any;
}

unsigned char pattern(long long at) { return (unsigned char)(at * 7 + at / 251 + 3); }
void fill(void* data, size_t bytes, long long at) {
  for (size_t i = 0; i < bytes; ++i) ((unsigned char*)data)[i] = pattern(at + (long long)i);
}
int patterned(void const* data, size_t bytes, long long at) {
  for (size_t i = 0; i < bytes; ++i)
    if (((unsigned char const*)data)[i] != pattern(at + (long long)i)) return 0;
  return 1;
}
int all_are(void const* data, size_t bytes, int byte) {
  for (size_t i = 0; i < bytes; ++i)
    if (((unsigned char const*)data)[i] != (unsigned char)byte) return 0;
  return 1;
}

void made(long long bytes) {
  if (rank == 0) {
    int const fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    unsigned char* data = malloc((size_t)bytes + 1);
    fill(data, (size_t)bytes, 0);
    EQUAL(write(fd, data, (size_t)bytes), bytes);
    free(data);
    close(fd);
  }
  barrier();
}
int byte_at(long long at) {
  unsigned char byte = 0;
  int const fd = open(path, O_RDONLY);
  ssize_t const got = fd < 0 ? -1 : pread(fd, &byte, 1, at);
  if (fd >= 0) close(fd);
  return got == 1 ? byte : -1;
}
long long posix_size(char const* name) {
  struct stat s;
  return stat(name, &s) == 0 ? (long long)s.st_size : -1;
}
int file_has(long long at, void const* data, size_t bytes) {
  unsigned char* there = malloc(bytes + 1);
  int const fd = open(path, O_RDONLY);
  ssize_t const got = fd < 0 ? -1 : pread(fd, there, bytes, at);
  if (fd >= 0) close(fd);
  int const same = got == (ssize_t)bytes && memcmp(there, data, bytes) == 0;
  free(there);
  return same;
}

int count_of(MPI_Status* status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(status, type, &count);
  return count;
}
long long position(MPI_File file) {
  MPI_Offset at = -1;
  OK(MPI_File_get_position(file, &at));
  return at;
}
long long position_shared(MPI_File file) {
  MPI_Offset at = -1;
  OK(MPI_File_get_position_shared(file, &at));
  return at;
}
long long size_of(MPI_File file) {
  MPI_Offset size = -1;
  OK(MPI_File_get_size(file, &size));
  return size;
}

MPI_Datatype strided(MPI_Datatype old, int block, int stride) {
  MPI_Datatype blocks, type;
  MPI_Aint lb, extent;
  MPI_Type_get_extent(old, &lb, &extent);
  MPI_Type_contiguous(block, old, &blocks);
  MPI_Type_create_resized(blocks, 0, extent * stride, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&blocks);
  return type;
}
void dealt(MPI_File file, long long displacement, MPI_Datatype old, int block) {
  MPI_Datatype type = strided(old, block, block * ranks);
  int bytes = 0;
  MPI_Type_size(old, &bytes);
  MPI_Offset const at = displacement + (long long)rank * block * bytes;
  OK(MPI_File_set_view(file, at, old, type, "native", MPI_INFO_NULL));
  MPI_Type_free(&type);
}

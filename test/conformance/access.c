// The calls of access.h.
// SPDX-License-Identifier: BSD-3-Clause
#include "access.h"

// Parameters and arguments of the two kinds. The third kind of each macro has large counts.
#define AT_PARAMETERS MPI_File f, MPI_Offset at, void *data, int count, MPI_Datatype type
#define AT_TYPES MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype
#define AT_ARGUMENTS f, at, data, count, type
#define POINTER_PARAMETERS MPI_File f, void *data, int count, MPI_Datatype type
#define POINTER_TYPES MPI_File, void*, MPI_Count, MPI_Datatype
#define POINTER_ARGUMENTS f, data, count, type

#define BLOCKING(kind, name)                                 \
  int do_##name(kind##_PARAMETERS, MPI_Status* status) {     \
    return MPI_File_##name(kind##_ARGUMENTS, status);        \
  }                                                          \
  int do_##name##_c(kind##_PARAMETERS, MPI_Status* status) { \
    FOUND(MPI_File_##name##_c, kind##_TYPES, MPI_Status*)    \
    return found(kind##_ARGUMENTS, status);                  \
  }
#define NONBLOCKING(kind, name)                                     \
  int do_##name(kind##_PARAMETERS, MPI_Status* status) {            \
    MPI_Request request;                                            \
    int const code = MPI_File_##name(kind##_ARGUMENTS, &request);   \
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, status); \
  }                                                                 \
  int do_##name##_c(kind##_PARAMETERS, MPI_Status* status) {        \
    FOUND(MPI_File_##name##_c, kind##_TYPES, MPI_Request*)          \
    MPI_Request request;                                            \
    int const code = found(kind##_ARGUMENTS, &request);             \
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, status); \
  }
#define SPLIT(kind, name)                                                       \
  int do_##name##_split(kind##_PARAMETERS, MPI_Status* status) {                \
    int const code = MPI_File_##name##_begin(kind##_ARGUMENTS);                 \
    return code != MPI_SUCCESS ? code : MPI_File_##name##_end(f, data, status); \
  }                                                                             \
  int do_##name##_split_c(kind##_PARAMETERS, MPI_Status* status) {              \
    FOUND_SPLIT(MPI_File_##name##_begin_c, kind##_TYPES)                        \
    int const code = found(kind##_ARGUMENTS);                                   \
    return code != MPI_SUCCESS ? code : MPI_File_##name##_end(f, data, status); \
  }
// `found` is a function of MPI 4. If the library does not have it, the check ends as absent.
#define FOUND_SPLIT(name, ...)             \
  int (*found)(__VA_ARGS__);               \
  *(void**)&found = function_named(#name); \
  if (found == NULL) {                     \
    absent(#name);                         \
    return MPI_SUCCESS;                    \
  }
#define FOUND(name, types, ...) FOUND_SPLIT(name, types, __VA_ARGS__)

BLOCKING(AT, write_at)
NONBLOCKING(AT, iwrite_at)
BLOCKING(AT, write_at_all)
NONBLOCKING(AT, iwrite_at_all)
SPLIT(AT, write_at_all)
BLOCKING(POINTER, write)
BLOCKING(POINTER, write_all)
NONBLOCKING(POINTER, iwrite)
NONBLOCKING(POINTER, iwrite_all)
SPLIT(POINTER, write_all)
BLOCKING(POINTER, write_shared)
NONBLOCKING(POINTER, iwrite_shared)
BLOCKING(POINTER, write_ordered)
SPLIT(POINTER, write_ordered)
BLOCKING(AT, read_at)
NONBLOCKING(AT, iread_at)
BLOCKING(AT, read_at_all)
NONBLOCKING(AT, iread_at_all)
SPLIT(AT, read_at_all)
BLOCKING(POINTER, read)
BLOCKING(POINTER, read_all)
NONBLOCKING(POINTER, iread)
NONBLOCKING(POINTER, iread_all)
SPLIT(POINTER, read_all)
BLOCKING(POINTER, read_shared)
NONBLOCKING(POINTER, iread_shared)
BLOCKING(POINTER, read_ordered)
SPLIT(POINTER, read_ordered)

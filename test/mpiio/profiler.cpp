// A small profiling tool that counts calls. PROFILER_GOES_ON selects how it calls the real
// function:
//   PROFILER_BY_LINK      calls PMPI_X (mpiP, IPM, Score-P, Extrae, TAU)
//   PROFILER_NEXT_PMPI    looks for the next PMPI_X behind it (Darshan)
//   PROFILER_NEXT_MPI     looks for the next MPI_X behind it (EZTrace)
// PROFILER_NAME is the name of the function that returns the counts, because a program may have
// several tools.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#define PROFILER_BY_LINK 1
#define PROFILER_NEXT_PMPI 2
#define PROFILER_NEXT_MPI 3

namespace {

// Not destroyed at exit, because a program may call MPI there.
auto& counts() {
  static auto& all = *new std::map<std::string, int, std::less<>>;
  return all;
}

[[maybe_unused]] void* next(char const* name) {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  std::printf("not so: there is no %s behind the profiler\n", name);
  std::abort();
}

}  // namespace

#if PROFILER_GOES_ON == PROFILER_BY_LINK
#define GOES_ON(name) P##name
#elif PROFILER_GOES_ON == PROFILER_NEXT_PMPI
#define GOES_ON(name) reinterpret_cast<decltype(::name)*>(next("P" #name))
#else
#define GOES_ON(name) reinterpret_cast<decltype(::name)*>(next(#name))
#endif

// Ends a program that calls itself without end with a message instead of a signal.
#define COUNTED(name, parameters, arguments)                       \
  extern "C" int name parameters {                                 \
    static thread_local int depth = 0;                             \
    if (++depth > 100) {                                           \
      std::printf("not so: " #name " calls itself without end\n"); \
      std::abort();                                                \
    }                                                              \
    ++counts()[#name];                                             \
    int const code = GOES_ON(name) arguments;                      \
    --depth;                                                       \
    return code;                                                   \
  }

extern "C" int PROFILER_NAME(char const* name);
extern "C" int PROFILER_NAME(char const* name) {
  auto const found = counts().find(std::string(name));
  return found == counts().end() ? 0 : found->second;
}

COUNTED(MPI_Finalize, (), ())
COUNTED(MPI_Wait, (MPI_Request * r, MPI_Status* s), (r, s))
COUNTED(MPI_Test, (MPI_Request * r, int* flag, MPI_Status* s), (r, flag, s))
COUNTED(MPI_Waitall, (int n, MPI_Request r[], MPI_Status s[]), (n, r, s))
COUNTED(MPI_Testall, (int n, MPI_Request r[], int* flag, MPI_Status s[]), (n, r, flag, s))
COUNTED(MPI_Waitany, (int n, MPI_Request r[], int* at, MPI_Status* s), (n, r, at, s))
COUNTED(MPI_Testany, (int n, MPI_Request r[], int* at, int* flag, MPI_Status* s),
        (n, r, at, flag, s))
COUNTED(MPI_Waitsome, (int n, MPI_Request r[], int* ended, int at[], MPI_Status s[]),
        (n, r, ended, at, s))
COUNTED(MPI_Testsome, (int n, MPI_Request r[], int* ended, int at[], MPI_Status s[]),
        (n, r, ended, at, s))
COUNTED(MPI_Request_free, (MPI_Request * r), (r))
COUNTED(MPI_Request_get_status, (MPI_Request r, int* flag, MPI_Status* s), (r, flag, s))
COUNTED(MPI_Errhandler_free, (MPI_Errhandler * h), (h))
COUNTED(MPI_Error_string, (int e, char* text, int* length), (e, text, length))

COUNTED(MPI_File_open, (MPI_Comm c, char const* name, int mode, MPI_Info info, MPI_File* f),
        (c, name, mode, info, f))
COUNTED(MPI_File_close, (MPI_File * f), (f))
COUNTED(MPI_File_delete, (char const* name, MPI_Info info), (name, info))
COUNTED(MPI_File_get_size, (MPI_File f, MPI_Offset* bytes), (f, bytes))
COUNTED(MPI_File_create_errhandler, (MPI_File_errhandler_function * call, MPI_Errhandler* h),
        (call, h))
COUNTED(MPI_File_set_errhandler, (MPI_File f, MPI_Errhandler h), (f, h))
COUNTED(MPI_File_set_view,
        (MPI_File f, MPI_Offset at, MPI_Datatype etype, MPI_Datatype filetype, char const* as,
         MPI_Info info),
        (f, at, etype, filetype, as, info))
COUNTED(MPI_File_write_all, (MPI_File f, void const* data, int n, MPI_Datatype t, MPI_Status* s),
        (f, data, n, t, s))
COUNTED(MPI_File_read_at,
        (MPI_File f, MPI_Offset at, void* data, int n, MPI_Datatype t, MPI_Status* s),
        (f, at, data, n, t, s))
COUNTED(MPI_File_iwrite_at,
        (MPI_File f, MPI_Offset at, void const* data, int n, MPI_Datatype t, MPI_Request* r),
        (f, at, data, n, t, r))
COUNTED(MPI_File_iwrite_at_all,
        (MPI_File f, MPI_Offset at, void const* data, int n, MPI_Datatype t, MPI_Request* r),
        (f, at, data, n, t, r))

// Tells which files a program of MPI has written around MPI-IO, by functions of the C library:
// docs/use/mpiio.md. `argosy run --report` preloads it. At the end of a process that has an MPI
// library, it prints a line. Files that the MPI library or argosy opened do not count.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The header <fcntl.h> has other declarations of the names that are defined here.
constexpr int access_mask = 03, read_only = 0, path_only = 010000000;
constexpr int may_create = 0100, is_temporary = 020200000;

// --- What was opened ---

struct written_file {
  std::string path;
  std::string opener;  // the library or program that opened it
};

struct written_files {
  std::mutex mutex;
  std::vector<written_file> list;
  bool is_whole = true;

  static constexpr std::size_t most = 4096;
  void add(std::string_view path, std::string_view opener) {
    auto const is_it = [&](written_file const& f) { return f.path == path; };
    if (std::any_of(list.begin(), list.end(), is_it)) return;
    if (list.size() == most)
      is_whole = false;
    else
      list.push_back({std::string(path), std::string(opener)});
  }
};

// Never destroyed, because programs open files as long as they run.
written_files& files() {
  static auto& all = *new written_files;
  return all;
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// True for the libraries of argosy, this one too, and of MPI.
bool is_of_mpi(std::string_view library) {
  constexpr std::string_view known[] = {
      "libargosy", "openmpi.so", "mpich.so", "standard.so", "libmpi", "libopen-", "libompi", "mca_",
      "libpmi",    "libprrte",   "libpsm",   "libfabric",   "libuc",  "libhwloc", "libevent"};
  return std::any_of(std::begin(known), std::end(known),
                     [&](std::string_view begin) { return library.starts_with(begin); });
}

std::string_view opener_at(void const* caller) {
  Dl_info where;
  if (dladdr(caller, &where) == 0 || where.dli_fname == nullptr) return "";
  std::string_view const name = name_in(where.dli_fname);
  // The runtime of a language opens for the program.
  if (name.starts_with("libstdc++") || name.starts_with("libgfortran"))
    return program_invocation_short_name;
  return name;
}

// Remembers a file that the code at `caller` has opened for writing.
void remember(int fd, void const* caller) {
  int const before = errno;
  struct stat state;
  std::array<char, PATH_MAX> path;
  if (fd >= 0 && fstat(fd, &state) == 0 && S_ISREG(state.st_mode) && state.st_nlink > 0) {
    std::string_view const opener = opener_at(caller);
    ssize_t const length =
        readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
    // Does not wait: this may be a handler of a signal, or a forked process whose other threads,
    // one of which has the mutex, are gone. Then one file is missing.
    std::unique_lock const only(files().mutex, std::try_to_lock);
    if (length > 0 && only && !is_of_mpi(opener)) {
      std::string_view const name(path.data(), static_cast<std::size_t>(length));
      if (!name.starts_with("/dev/") && !name.starts_with("/proc/") && !name.starts_with("/sys/"))
        files().add(name, opener);
    }
  }
  errno = before;
}

// --- The line at the end ---

int find_mpi(dl_phdr_info* library, std::size_t, void* found) {
  std::string_view const name = name_in(library->dlpi_name);
  if (name.starts_with("libmpi") && name.find(".so") != name.npos)
    *static_cast<bool*>(found) = true;
  return 0;
}

bool has_mpi() {
  bool found = dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr;
  if (!found) dl_iterate_phdr(find_mpi, &found);
  return found;
}

std::string rank_of_process() {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (char const* const rank = std::getenv(name)) return rank;
  return "?";
}

std::string text_of_size(double bytes) {
  constexpr char const* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text.data();
}

std::string_view what_to_do(std::string_view opener) {
  if (opener.starts_with("libpnetcdf")) return "set PNETCDF_HINTS=nc_driver=mpiio";
  if (opener.starts_with("libhdf5")) return "open the file with H5Pset_fapl_mpio";
  if (opener.starts_with("libnetcdf")) return "make the file by nc_create_par";
  if (opener.starts_with("libadios2")) return "take the engine HDF5";
  return "see \"Programs that go around MPI-IO\" in docs/use/mpiio.md";
}

// Sizes are those of the files as they are now. What is gone does not count.
[[gnu::destructor]] void tell() {
  std::unique_lock const only(files().mutex, std::try_to_lock);
  if (!only || !has_mpi()) return;
  std::size_t count = 0;
  double bytes = 0, most = -1;
  written_file const* largest = nullptr;
  for (written_file const& file : files().list) {
    struct stat state;
    if (stat(file.path.c_str(), &state) != 0) continue;
    ++count;
    auto const size = static_cast<double>(state.st_size);
    bytes += size;
    if (size > most) {
      most = size;
      largest = &file;
    }
  }
  if (largest == nullptr) return;
  std::string line = "argosy: rank " + rank_of_process() + " opened ";
  if (!files().is_whole) line += "at least ";
  line += std::to_string(count) + (count == 1 ? " file" : " files") +
          " for writing without MPI-IO, of " + text_of_size(bytes) + "; the largest is '" +
          largest->path + "' (" + text_of_size(most) + "), opened by " + largest->opener +
          ". What to do: ";
  (line += what_to_do(largest->opener)) += ".\n";
  std::fputs(line.c_str(), stderr);
}

// --- The functions of the C library ---

bool writes(int flags) { return (flags & access_mask) != read_only && (flags & path_only) == 0; }

// Returns the argument after `flags`, if there is one.
mode_t mode_of(int flags, va_list words) {
  bool const has_mode = (flags & may_create) != 0 || (flags & is_temporary) == is_temporary;
  return has_mode ? va_arg(words, mode_t) : 0;
}

// Returns the C library's function of a name.
template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

using open_function = int(char const*, int, ...);
using openat_function = int(int, char const*, int, ...);
using creat_function = int(char const*, mode_t);
using fopen_function = FILE*(char const*, char const*);

}  // namespace

#define ARGOSY_CALLER __builtin_return_address(0)
#define ARGOSY_INTERPOSED extern "C" [[gnu::visibility("default")]]

#define ARGOSY_OPEN(name)                                        \
  ARGOSY_INTERPOSED int name(char const* path, int flags, ...) { \
    static auto* const real = next<open_function>(#name);        \
    va_list words;                                               \
    va_start(words, flags);                                      \
    int const fd = real(path, flags, mode_of(flags, words));     \
    va_end(words);                                               \
    if (writes(flags)) remember(fd, ARGOSY_CALLER);              \
    return fd;                                                   \
  }
ARGOSY_OPEN(open)
ARGOSY_OPEN(open64)

#define ARGOSY_OPENAT(name)                                                     \
  ARGOSY_INTERPOSED int name(int directory, char const* path, int flags, ...) { \
    static auto* const real = next<openat_function>(#name);                     \
    va_list words;                                                              \
    va_start(words, flags);                                                     \
    int const fd = real(directory, path, flags, mode_of(flags, words));         \
    va_end(words);                                                              \
    if (writes(flags)) remember(fd, ARGOSY_CALLER);                             \
    return fd;                                                                  \
  }
ARGOSY_OPENAT(openat)
ARGOSY_OPENAT(openat64)

// The compiler calls these where it has checked the arguments (_FORTIFY_SOURCE).
#define ARGOSY_CHECKED_OPEN(name, unchecked)                \
  ARGOSY_INTERPOSED int name(char const* path, int flags) { \
    int const fd = unchecked(path, flags);                  \
    if (writes(flags)) remember(fd, ARGOSY_CALLER);         \
    return fd;                                              \
  }
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): glibc's names
ARGOSY_CHECKED_OPEN(__open_2, open)
ARGOSY_CHECKED_OPEN(__open64_2, open64)

#define ARGOSY_CHECKED_OPENAT(name, unchecked)                             \
  ARGOSY_INTERPOSED int name(int directory, char const* path, int flags) { \
    int const fd = unchecked(directory, path, flags);                      \
    if (writes(flags)) remember(fd, ARGOSY_CALLER);                        \
    return fd;                                                             \
  }
ARGOSY_CHECKED_OPENAT(__openat_2, openat)
ARGOSY_CHECKED_OPENAT(__openat64_2, openat64)
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

#define ARGOSY_CREAT(name)                                    \
  ARGOSY_INTERPOSED int name(char const* path, mode_t mode) { \
    static auto* const real = next<creat_function>(#name);    \
    int const fd = real(path, mode);                          \
    remember(fd, ARGOSY_CALLER);                              \
    return fd;                                                \
  }
ARGOSY_CREAT(creat)
ARGOSY_CREAT(creat64)

#define ARGOSY_FOPEN(name)                                           \
  ARGOSY_INTERPOSED FILE* name(char const* path, char const* mode) { \
    static auto* const real = next<fopen_function>(#name);           \
    FILE* const file = real(path, mode);                             \
    if (file != nullptr && std::strpbrk(mode, "wa+") != nullptr)     \
      remember(fileno(file), ARGOSY_CALLER);                         \
    return file;                                                     \
  }
ARGOSY_FOPEN(fopen)
ARGOSY_FOPEN(fopen64)

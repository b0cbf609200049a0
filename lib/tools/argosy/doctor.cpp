// argosy doctor: reports what works on this machine, what will be slow, and why.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <ostream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <argosy/argosy.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <argosy/version.hpp>
#include <layout/axis.hpp>

#include "../arguments/arguments.hpp"
#include "commands.hpp"
#include "crowd.hpp"
#include "json.hpp"
#include "mpi_session.hpp"
#include "work_file.hpp"

namespace argosy::tool {
namespace {

enum class verdict { good, slow, broken };

struct finding {
  std::string what;
  verdict how = verdict::good;
  std::string words;
};

std::string_view name_of(verdict v) {
  return v == verdict::good ? "ok" : v == verdict::slow ? "slow" : "BROKEN";
}

std::string error_text(int code) { return std::system_category().message(code); }

// --- MPI and memory ---

finding mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0, major = 0, minor = 0, level = 0;
  MPI_Get_library_version(text.data(), &length);
  MPI_Get_version(&major, &minor);
  MPI_Query_thread(&level);
  std::string library(text.data(), static_cast<std::size_t>(length));
  library = library.substr(0, library.find_first_of("\n,"));
  finding f{"MPI", verdict::good, fmt::format("{}, MPI {}.{}", library, major, minor)};
  if (major < 3) f = {f.what, verdict::broken, f.words + ": MPI 3 is needed"};
  if (level < MPI_THREAD_FUNNELED)
    f = {f.what, verdict::broken, f.words + ": MPI_THREAD_FUNNELED is needed, and MPI gives less"};
  return f;
}

finding ranks(mpi const& world, int near) {
  std::string const words =
      fmt::format("{}, {} of them on the node of rank 0{}", detail::counted(world.size(), "rank"),
                  near, world.size() == 1 ? "; messages are looked at under mpiexec" : "");
  std::string const crowd = words_of_crowd(world);
  return {"ranks", crowd.empty() ? verdict::good : verdict::slow,
          crowd.empty() ? words : words + "; " + crowd};
}

finding shared_memory_of(mpi const& near) {
  constexpr std::size_t bytes = 8 << 20;
  std::error_code error;
  shared_memory const m = near.share(bytes, error);
  if (error)
    return {
        "shared memory", verdict::slow,
        error.message() + ": ranks of a node exchange by messages; look at the space of /dev/shm"};
  struct statvfs s{};
  std::string const room =
      ::statvfs("/dev/shm", &s) == 0
          ? ", " + argosy::detail::bytes_text(static_cast<std::int64_t>(s.f_bavail * s.f_frsize)) +
                " free in /dev/shm"
          : "";
  return {"shared memory", verdict::good, "ranks of a node share memory" + room};
}

finding limit(char const* name, __rlimit_resource which, rlim_t enough, char const* needed) {
  rlimit l{};
  if (::getrlimit(which, &l) != 0) return {name, verdict::slow, error_text(errno)};
  bool const endless = l.rlim_cur == RLIM_INFINITY;
  std::string const value = endless ? "unlimited" : std::to_string(l.rlim_cur);
  if (endless || l.rlim_cur >= enough) return {name, verdict::good, value};
  return {name, verdict::slow, value + ": " + needed};
}

// --- The directory ---

struct file_system {
  long type;
  char const* name;
  verdict how;
  char const* words;
};
constexpr std::array known_systems{
    file_system{0xef53, "ext4", verdict::good,
                "small writes cost more than on tmpfs: argosy calibrate tells the library"},
    file_system{0x58465342, "xfs", verdict::good, ""},
    file_system{0x9123683e, "btrfs", verdict::good,
                "copies on write: files that are rewritten in small pieces become scattered"},
    file_system{0x01021994, "tmpfs", verdict::good, "in memory: data is gone after a restart"},
    file_system{
        0x6969, "nfs", verdict::slow,
        "locks ask the server and caches are dropped for them; ranks of several nodes should write "
        "together "
        "(romio_cb_write = enable), never by read and write back (romio_ds_write = disable)"},
    file_system{0x794c7630, "overlay", verdict::slow,
                "a layer of a container: the first write copies the whole file; use a volume"},
    file_system{0x0bd00bd0, "lustre", verdict::good,
                "set stripes of the directory with lfs; locks need the mount option flock"},
    file_system{0x47504653, "gpfs", verdict::good,
                "cb_block_size and data shipping follow its block"},
    file_system{0x19830326, "beegfs", verdict::good, "locks need tuneUseGlobalFileLocks"},
    file_system{0x00c36400, "ceph", verdict::good, ""},
    file_system{0x65735546, "fuse", verdict::slow, "every call goes to a process and back"},
    file_system{0x01021997, "9p", verdict::slow, "every call goes to the host and back"},
    file_system{static_cast<long>(0xff534d42), "cifs", verdict::slow,
                "every lock goes to the server"}};

finding system_of(std::string const& directory) {
  struct statfs s{};
  if (::statfs(directory.c_str(), &s) != 0)
    return {"file system", verdict::broken, directory + ": " + error_text(errno)};
  std::string const facts =
      fmt::format("blocks of {}, {} free", argosy::detail::bytes_text(s.f_bsize),
                  argosy::detail::bytes_text(static_cast<std::int64_t>(s.f_bavail) * s.f_bsize));
  for (file_system const& k : known_systems)
    if (static_cast<unsigned long>(k.type) == (static_cast<unsigned long>(s.f_type) & 0xffffffffUL))
      return {"file system", k.how,
              fmt::format("{}, {}{}{}", k.name, facts, *k.words ? ": " : "", k.words)};
  return {"file system", verdict::good,
          fmt::format("of type {:#x}, {}", static_cast<unsigned long>(s.f_type), facts)};
}

// A descriptor that is closed by the destructor.
struct opened {
  explicit opened(std::string const& path)
      : descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
        error(descriptor < 0 ? errno : 0) {}
  opened(opened const&) = delete;
  opened& operator=(opened const&) = delete;
  ~opened() {
    if (descriptor >= 0) ::close(descriptor);
  }
  int descriptor;
  int error;
};

// Checks that a lock of one open file excludes a lock of another.
finding locks(opened const& a, opened const& b) {
#if defined(F_OFD_SETLK)
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  whole.l_len = 4096;
  struct flock other = whole;
  if (::fcntl(a.descriptor, F_OFD_SETLK, &whole) != 0)
    return {"locks", verdict::slow,
            error_text(errno) +
                ": writes with holes go by pieces, atomic mode and the shared pointer across nodes "
                "do not work"};
  int const second = ::fcntl(b.descriptor, F_OFD_SETLK, &other);
  int const code = errno;
  if (second == 0)
    return {"locks", verdict::broken,
            "two open files hold the same lock: data of several ranks may be lost"};
  if (code != EAGAIN && code != EACCES) return {"locks", verdict::slow, error_text(code)};
  return {"locks", verdict::good, "a range is locked by one open file at a time"};
#else
  (void)a, (void)b;
  return {"locks", verdict::slow, "this system has no locks of open files"};
#endif
}

finding written_and_read(opened const& a, opened const& b) {
  std::array<char, 6> const text{'a', 'r', 'g', 'o', 's', 'y'};
  std::array<char, 6> back{};
  constexpr off_t far = off_t{1} << 32;  // tests files beyond 4 GiB, with a hole
  if (::pwrite(a.descriptor, text.data(), text.size(), far) != static_cast<ssize_t>(text.size()))
    return {"writing", errno == EFBIG ? verdict::slow : verdict::broken,
            "at 4 GiB: " + error_text(errno)};
  if (::pread(b.descriptor, back.data(), back.size(), far) != static_cast<ssize_t>(back.size()) ||
      back != text)
    return {"writing", verdict::broken, "what one open file wrote, another one does not read"};
  if (::ftruncate(a.descriptor, 0) != 0)
    return {"writing", verdict::broken, "cannot set the size: " + error_text(errno)};
  return {"writing", verdict::good, "beyond 4 GiB, with holes, seen by other open files at once"};
}

finding space(opened const& a) {
  int const code = ::posix_fallocate(a.descriptor, 0, 1 << 20);
  if (code != 0)
    return {"preallocation", verdict::slow, error_text(code) + ": preallocate() writes zeros"};
  return {"preallocation", verdict::good, "the file system reserves space"};
}

finding syncing(opened const& a) {
  std::array<char, 4096> const block{};
  if (::pwrite(a.descriptor, block.data(), block.size(), 0) < 0 || ::fsync(a.descriptor) != 0)
    return {"sync", verdict::broken, error_text(errno)};
  double const begin = MPI_Wtime();
  if (::pwrite(a.descriptor, block.data(), block.size(), 4096) < 0 || ::fsync(a.descriptor) != 0)
    return {"sync", verdict::broken, error_text(errno)};
  double const took = MPI_Wtime() - begin;
  constexpr double long_s = 0.1;
  return {"sync", took > long_s ? verdict::slow : verdict::good,
          fmt::format("4 KiB are on the disk after {:.2f} ms", took * 1e3)};
}

std::vector<finding> look_at_directory(std::string const& directory) {
  std::vector<finding> all{system_of(directory)};
  if (all.back().how == verdict::broken) return all;
  work_file const scratch(
      directory + fmt::format("/argosy-doctor-{:016x}", argosy::detail::random_name()), true);
  opened const a(scratch.path()), b(scratch.path());
  if (a.error != 0 || b.error != 0) {
    all.push_back({"writing", verdict::broken,
                   "cannot make a file in " + directory + ": " +
                       error_text(a.error != 0 ? a.error : b.error)});
    return all;
  }
  all.push_back(written_and_read(a, b));
  all.push_back(locks(a, b));
  all.push_back(space(a));
  all.push_back(syncing(a));
  return all;
}

}  // namespace

int run_doctor(arguments const& given, std::ostream& out, std::ostream&) {
  begin_mpi();
  mpi const world(MPI_COMM_WORLD);
  mpi const near = world.node();
  std::vector<finding> all{mpi_library(), ranks(world, near.size()), shared_memory_of(near)};
  if (world.rank() != 0) return success;
  all.push_back(
      limit("open files", RLIMIT_NOFILE, 256, "each rank needs some for every file; ulimit -n"));
  all.push_back(limit("size of files", RLIMIT_FSIZE, RLIM_INFINITY,
                      "larger files end with an error; ulimit -f"));
  all.push_back(
      limit("address space", RLIMIT_AS, RLIM_INFINITY, "staging memory may be refused; ulimit -v"));
  for (finding& f : look_at_directory(given.operands().empty() ? "." : given.operands()[0]))
    all.push_back(std::move(f));
  bool broken = false;
  for (finding const& f : all) broken = broken || f.how == verdict::broken;
  if (given.json()) {
    json_writer j(out);
    j.open('{')
        .member("version", version())
        .member("directory", given.operands().empty() ? "." : given.operands()[0]);
    j.member("works", !broken).key("findings").open('[');
    for (finding const& f : all)
      j.open('{')
          .member("what", f.what)
          .member("verdict", name_of(f.how))
          .member("words", f.words)
          .close('}');
    j.close(']').close('}');
    out << "\n";
  } else {
    for (finding const& f : all)
      out << fmt::format("{:<15} {:<7} {}\n", f.what, name_of(f.how), f.words);
  }
  return broken ? failed : success;
}

}  // namespace argosy::tool

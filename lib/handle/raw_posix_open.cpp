// Implements handle/raw_posix.hpp: opens a file, and reads what its file system offers.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/detail/size_limit.hpp>
#include <argosy/handle/detail/storage_by_type.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace argosy {
namespace {

// Returns the type of a file system, which `ask` reads; 0 if unknown.
template <class Ask>
std::uint32_t type_of_file_system(Ask&& ask) {
  struct statfs where = {};
  int outcome = 0;
  while ((outcome = ask(&where)) != 0 && errno == EINTR) {
  }
  return outcome == 0 ? static_cast<std::uint32_t>(where.f_type) : 0;
}

// Returns null if the file system is not Lustre, or its library cannot be loaded.
std::shared_ptr<detail::lustre_library const> library_for(std::uint32_t type,
                                                          detail::lustre_settings const& lustre) {
  if (!lustre.any_file_system && type != detail::lustre_library::magic_number) return nullptr;
  std::string why_not;  // ignored: files work without stripes, too
  return detail::lustre_library::load(lustre.library, why_not);
}

// Returns the type of the file system of the directory of this name.
std::uint32_t type_of_directory(std::string const& path) {
  std::string directory = std::filesystem::path(path).parent_path().string();
  if (directory.empty()) directory = ".";
  return type_of_file_system(
      [&](struct statfs* where) { return ::statfs(directory.c_str(), where); });
}

// Calls `open`, and repeats it after errors that only clients of network file systems return. They
// look up and create in two steps, so if two nodes create a file at the same time, one of them gets
// EEXIST. For about a second after another node has replaced a file, its name may return ESTALE.
template <class Open>
int open_patiently(std::string const& path, int mode, Open&& open) {
  int descriptor = open(mode);
  bool const makes = (mode & (O_CREAT | O_EXCL)) == O_CREAT;
  auto const is_odd = [&] {
    return descriptor < 0 && (errno == ESTALE || (makes && errno == EEXIST));
  };
  if (!is_odd()) return descriptor;
  int const first = errno;
  if (!detail::storage_by_type(type_of_directory(path)).separate_caches) {
    errno = first;
    return descriptor;
  }
  errno = first;
  for (int tries = 0; tries < 40 && is_odd(); ++tries) {
    if (errno == EEXIST) descriptor = ::open(path.c_str(), mode & ~O_CREAT);
    if (descriptor >= 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    descriptor = open(mode);
  }
  return descriptor;
}

// Returns the descriptor, or -1 with errno set. Opens by the library of Lustre if it is given.
int open_descriptor(std::string const& path, extend::open_flags flags,
                    detail::lustre_library const* library) {
  int mode = flags.read && flags.write ? O_RDWR : flags.write ? O_WRONLY : O_RDONLY;
  if (flags.create) mode |= O_CREAT | (flags.exclusive ? O_EXCL : 0);
  mode |= O_CLOEXEC | O_NOCTTY;
  auto const open_by = [&](int how) {
    return library ? library->open(path, how, flags.permissions, flags.stripes)
                   : ::open(path.c_str(), how, flags.permissions);
  };
  // Opens with O_NONBLOCK, because the path may be a pipe. EAGAIN then means that another process
  // must first return a lease, so the call waits.
  int const descriptor = open_patiently(path, mode | O_NONBLOCK, open_by);
  if (descriptor >= 0 || errno != EAGAIN) return descriptor;
  return open_patiently(path, mode, open_by);
}

// Reads the status of a new descriptor, and has its later calls wait. Returns an errno if a file of
// this kind cannot be used.
int prepare_descriptor(int descriptor, struct stat& about) {
  if (::fstat(descriptor, &about) != 0) return errno;
  if (S_ISDIR(about.st_mode)) return EISDIR;
  if (!S_ISREG(about.st_mode) && ::lseek(descriptor, 0, SEEK_CUR) < 0) return errno;
  int const status = ::fcntl(descriptor, F_GETFL);
  if (status < 0 || ::fcntl(descriptor, F_SETFL, status & ~O_NONBLOCK) < 0) return errno;
  return 0;
}

// Returns null if no write should be early.
std::unique_ptr<detail::early_writes> early_writes_for(extend::open_flags flags) {
  if (!flags.write || flags.early_writes == false) return nullptr;
  return std::make_unique<detail::early_writes>(flags.early_writes == true);
}

// Sets `told` to the storage of a file. Returns null if all nodes see each write at once.
std::unique_ptr<detail::separate_cache> cache_for(int descriptor, struct stat const& about,
                                                  std::uint32_t type, extend::open_flags flags,
                                                  extend::storage& told) {
  bool const in_user_space = type == detail::fuse_type;
  auto const mount = in_user_space ? detail::mounted_as(about.st_dev) : detail::mounted();
  told = in_user_space ? detail::storage_behind_fuse(mount) : detail::storage_by_type(type);
  if (!told.separate_caches) return nullptr;
  auto cache = std::make_unique<detail::separate_cache>();
  detail::separate_cache::read_nothing_ahead(descriptor);
  if (flags.read && detail::keeps_reads(mount))
    told.reads_late = !cache->read_at_server(descriptor);
  return cache;
}

}  // namespace

extend::raw_posix extend::raw_posix::open(std::string const& path, extend::open_flags flags,
                                          std::error_code& error) {
  return open(path, flags, detail::lustre_settings{}, error);
}

extend::raw_posix extend::raw_posix::open(std::string const& path, extend::open_flags flags,
                                          detail::lustre_settings const& lustre,
                                          std::error_code& error) {
  extend::raw_posix opened;
  auto const failed = [&](int reason) { error = {reason, std::system_category()}; };
  error.clear();
  if ((!flags.read && !flags.write) || path.find('\0') != std::string::npos) {
    failed(EINVAL);
    return opened;
  }
  // before there is a descriptor that could be lost
  auto locks = std::make_unique<detail::range_locks>();
  auto early = early_writes_for(flags);

  std::shared_ptr<detail::lustre_library const> dealing;
  if (flags.create && flags.stripes != detail::file_stripes{})
    dealing = library_for(type_of_directory(path), lustre);
  int const descriptor = open_descriptor(path, flags, dealing.get());
  if (descriptor < 0) {
    // A pipe without a reader, or a socket. Both are refused like one that could be opened.
    failed(errno == ENXIO ? ESPIPE : errno);
    return opened;
  }
  opened.descriptor_ = descriptor;
  opened.process_ = ::getpid();
  struct stat about{};
  if (int const reason = prepare_descriptor(descriptor, about)) {
    // Removes the file that this call has created, while it is open. By name alone it could be
    // another file by now.
    if (flags.create && flags.exclusive)
      if (auto const mine = opened.identity()) detail::remove_file_of(path, *mine);
    opened.close();
    failed(reason);
    return opened;
  }
  opened.readable_ = flags.read;
  opened.heeds_signal_ = flags.write;
  if (flags.write) detail::heed_size_signal();
  if (about.st_blksize > 0) opened.block_bytes_ = about.st_blksize;
  opened.size_limit_.store(detail::size_limit(), std::memory_order_relaxed);
  opened.locks_ = std::move(locks);
  std::uint32_t const type =
      type_of_file_system([&](struct statfs* where) { return ::fstatfs(descriptor, where); });
  opened.cache_ = cache_for(descriptor, about, type, flags, opened.storage_);
  // Early writes were measured on local file systems only.
  if (detail::is_local(opened.storage_)) opened.early_ = std::move(early);
  if (auto const library = library_for(type, lustre)) {
    detail::file_stripes const told = library->stripes_of(descriptor);
    opened.storage_.stripe_bytes = told.bytes;
    opened.storage_.stripe_count = told.count;
    // bytes that one server has in one piece
    if (told.bytes > 0) opened.block_bytes_ = told.bytes;
  }
  return opened;
}

}  // namespace argosy

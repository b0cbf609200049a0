// Implements handle/raw_posix.hpp: the calls on an open file, each made and checked here.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/size_limit.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <limits>
#include <utility>

namespace argosy {

template class extend::retrying<extend::raw_posix>;

namespace {

static_assert(sizeof(off_t) == 8,
              "argosy needs 64-bit file offsets: compile with -D_FILE_OFFSET_BITS=64");

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
// Writes of this size read the limit, because getrlimit costs as much as a small pwrite.
constexpr std::int64_t look_up_limit_bytes = 128 << 10;

std::error_code from_errno(int error) { return {error, std::system_category()}; }

extend::io_result result(ssize_t bytes) {
  if (bytes < 0) return {0, from_errno(errno)};
  return {bytes, {}};
}

std::int64_t end_of_range(std::int64_t offset, std::int64_t length) {
  return length > largest - offset ? largest : offset + length;
}

// Returns true if the error of fcntl means that another owner has the lock.
bool is_held(int error) { return error == EAGAIN || error == EACCES; }

std::error_code lock_error(int error) {
  switch (error) {
    case 0:
      return {};
    case EDEADLK:
    case ENOLCK:
    case ENOTSUP:
    case ENOSYS:
    case EINVAL:
      return errc::no_locks;
    default:
      return from_errno(error);
  }
}

// The first run of parts as one vector. Parts that are adjacent in memory, too, are one element.
struct vector_of_parts {
  std::array<iovec, 1024> elements;
  int count = 0;
  std::int64_t bytes = 0;

  template <class Part>
  vector_of_parts(std::span<Part const> parts, std::int64_t most_bytes) {
    static_assert(std::tuple_size_v<decltype(elements)> <= IOV_MAX);
    std::int64_t const begin = parts.front().offset;
    for (Part const& p : parts) {
      if (p.memory.empty()) continue;
      if (p.offset != begin + bytes || bytes == most_bytes) break;
      auto* const from = const_cast<std::byte*>(p.memory.data());
      auto const length =
          static_cast<std::size_t>(std::min(detail::bytes_of(p), most_bytes - bytes));
      auto& last = elements[static_cast<std::size_t>(std::max(count - 1, 0))];
      if (count > 0 && static_cast<std::byte*>(last.iov_base) + last.iov_len == from) {
        last.iov_len += length;
      } else {
        if (static_cast<std::size_t>(count) == elements.size()) break;
        elements[static_cast<std::size_t>(count++)] = {from, length};
      }
      bytes += static_cast<std::int64_t>(length);
    }
  }
};

}  // namespace

extend::raw_posix::raw_posix(extend::raw_posix&& other) noexcept
    : most_bytes(other.most_bytes),
      longest_lock_wait(other.longest_lock_wait),
      descriptor_(std::exchange(other.descriptor_, -1)),
      process_(other.process_),
      heeds_signal_(std::exchange(other.heeds_signal_, false)),
      readable_(other.readable_),
      block_bytes_(other.block_bytes_),
      size_limit_(other.size_limit_.load(std::memory_order_relaxed)),
      storage_(std::move(other.storage_)),
      locks_(std::move(other.locks_)),
      cache_(std::move(other.cache_)),
      early_(std::move(other.early_)) {}

extend::raw_posix& extend::raw_posix::operator=(extend::raw_posix&& other) noexcept {
  if (this == &other) return *this;
  close();
  most_bytes = other.most_bytes;
  longest_lock_wait = other.longest_lock_wait;
  process_ = other.process_;
  heeds_signal_ = std::exchange(other.heeds_signal_, false);
  descriptor_ = std::exchange(other.descriptor_, -1);
  readable_ = other.readable_;
  block_bytes_ = other.block_bytes_;
  size_limit_.store(other.size_limit_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  storage_ = std::move(other.storage_);
  locks_ = std::move(other.locks_);
  cache_ = std::move(other.cache_);
  early_ = std::move(other.early_);
  return *this;
}

extend::raw_posix::~raw_posix() { close(); }

std::int64_t extend::raw_posix::limit_for(std::int64_t bytes) {
  if (bytes >= look_up_limit_bytes)
    size_limit_.store(detail::size_limit(), std::memory_order_relaxed);
  return size_limit_.load(std::memory_order_relaxed);
}

template <class Write>
extend::io_result extend::raw_posix::written(std::int64_t end, std::int64_t bytes, Write&& write) {
  extend::io_result done;
  if (std::int64_t const limit = limit_for(bytes); end <= limit) {
    detail::writing_now const now;
    done = result(write());
  } else {
    detail::size_limit_guard guard(end, limit);
    done = result(write());
    guard.note(done.error.value());
  }
  if (cache_) cache_->note_write();
  begin_way_to_disk(end - bytes, done.bytes);
  return done;
}

// The write has succeeded. An error of the disk is returned by the next sync.
void extend::raw_posix::begin_way_to_disk(std::int64_t offset, std::int64_t bytes) noexcept {
  if (early_ && early_->is_early(offset, bytes) &&
      ::sync_file_range(descriptor_, offset, bytes, SYNC_FILE_RANGE_WRITE) != 0)
    early_->note_error(errno);
}

extend::io_result extend::raw_posix::read(std::int64_t offset, std::span<std::byte> memory) {
  auto const bytes = std::min(memory.size(), static_cast<std::size_t>(most_bytes));
  if (int const stale = cache_ ? cache_->freshen(descriptor_) : 0) return {0, from_errno(stale)};
  ssize_t const got = ::pread(reader(), memory.data(), bytes, offset);
  return result(got);
}

extend::io_result extend::raw_posix::write(std::int64_t offset, std::span<std::byte const> memory) {
  auto const bytes = std::min(static_cast<std::int64_t>(memory.size()), most_bytes);
  return written(end_of_range(offset, bytes), bytes, [&] {
    return ::pwrite(descriptor_, memory.data(), static_cast<std::size_t>(bytes), offset);
  });
}

extend::io_result extend::raw_posix::read(std::span<read_part const> parts) {
  while (!parts.empty() && parts.front().memory.empty()) parts = parts.subspan(1);
  if (parts.empty()) return {};
  if (parts.size() == 1 || parts[1].offset != parts[0].offset + detail::bytes_of(parts[0]))
    return read(parts[0].offset, parts[0].memory);
  vector_of_parts const vector(parts, most_bytes);
  if (int const stale = cache_ ? cache_->freshen(descriptor_) : 0) return {0, from_errno(stale)};
  ssize_t const got =
      ::preadv(reader(), vector.elements.data(), vector.count, parts.front().offset);
  return result(got);
}

extend::io_result extend::raw_posix::write(std::span<write_part const> parts) {
  while (!parts.empty() && parts.front().memory.empty()) parts = parts.subspan(1);
  if (parts.empty()) return {};
  if (parts.size() == 1 || parts[1].offset != parts[0].offset + detail::bytes_of(parts[0]))
    return write(parts[0].offset, parts[0].memory);
  vector_of_parts const vector(parts, most_bytes);
  return written(end_of_range(parts.front().offset, vector.bytes), vector.bytes, [&] {
    return ::pwritev(descriptor_, vector.elements.data(), vector.count, parts.front().offset);
  });
}

std::error_code extend::raw_posix::lock(std::int64_t offset, std::int64_t length,
                                        extend::lock_kind kind) {
  if (!is_open()) return from_errno(EBADF);
  if (length == 0) return {};
  if (!readable_) kind = extend::lock_kind::exclusive;
  int const error =
      locks_->lock(descriptor_, offset, end_of_range(offset, length), kind, longest_lock_wait);
  if (is_held(error)) return errc::file_in_use;
  if (error == 0 && cache_) cache_->distrust();
  return lock_error(error);
}

bool extend::raw_posix::try_lock(std::int64_t offset, std::int64_t length, extend::lock_kind kind,
                                 std::error_code& error) {
  error = is_open() ? std::error_code() : from_errno(EBADF);
  if (error || length == 0) return !error;
  if (!readable_) kind = extend::lock_kind::exclusive;
  int const code = locks_->try_lock(descriptor_, offset, end_of_range(offset, length), kind);
  if (is_held(code)) return false;
  error = lock_error(code);
  if (!error && cache_) cache_->distrust();
  return !error;
}

// Writes all pending data, because the next call may come only when the lock or the file is gone.
int extend::raw_posix::write_out() {
  int error = 0;
  do error = cache_ ? cache_->flush(descriptor_) : 0;
  while (error == EINTR);
  return error;
}

std::error_code extend::raw_posix::unlock(std::int64_t offset, std::int64_t length) {
  if (!is_open()) return from_errno(EBADF);
  if (length == 0) return {};
  int const lost = write_out();  // the lock is released even so
  std::error_code const error =
      lock_error(locks_->unlock(descriptor_, offset, end_of_range(offset, length)));
  return error || lost == 0 ? error : from_errno(lost);
}

namespace {

// Asks the kernel for a conflicting lock of another owner. Its type is F_UNLCK if there is none.
// Returns false if the kernel does not answer.
bool ask_who_locks(int descriptor, std::int64_t offset, std::int64_t length, int type,
                   struct flock& told) {
  told = {};
  told.l_type = static_cast<short>(type);
  told.l_whence = SEEK_SET;
  told.l_start = offset;
  told.l_len = end_of_range(offset, length) == largest ? 0 : length;
  return ::fcntl(descriptor, F_OFD_GETLK, &told) == 0;
}

}  // namespace

std::optional<bool> extend::raw_posix::is_locked(std::int64_t offset, std::int64_t length) const {
  struct flock told{};
  if (!ask_who_locks(descriptor_, offset, length, F_WRLCK, told)) return std::nullopt;
  return told.l_type != F_UNLCK;
}

std::optional<extend::locked_range> extend::raw_posix::lock_in_the_way(
    std::int64_t offset, std::int64_t length, extend::lock_kind kind) const {
  struct flock told{};
  bool const shared = kind == extend::lock_kind::shared && readable_;
  if (!ask_who_locks(descriptor_, offset, length, shared ? F_RDLCK : F_WRLCK, told))
    return std::nullopt;
  if (told.l_type == F_UNLCK) return std::nullopt;
  return extend::locked_range{told.l_start, told.l_len == 0 ? largest - told.l_start : told.l_len};
}

std::optional<extend::file_identity> extend::raw_posix::identity() const {
  std::error_code unknown;
  return detail::identity_of_file(descriptor_, unknown);
}

std::int64_t extend::raw_posix::size(std::error_code& error) {
  error.clear();
  if (cache_) {  // the cached size may be stale
    if (int const stale = cache_->renew(descriptor_)) error = from_errno(stale);
    if (error) return 0;
  }
  struct stat about{};
  if (::fstat(descriptor_, &about) != 0) {
    error = from_errno(errno);
    return 0;
  }
  if (!S_ISBLK(about.st_mode)) return about.st_size;
  off_t const end = ::lseek(descriptor_, 0, SEEK_END);  // the position is not used
  if (end < 0) error = from_errno(errno);
  return std::max<off_t>(end, 0);
}

std::error_code extend::raw_posix::resize(std::int64_t bytes) {
  detail::size_limit_guard guard(bytes, limit_for(largest));
  int const error = ::ftruncate(descriptor_, bytes) == 0 ? 0 : errno;
  guard.note(error);
  return from_errno(error);
}

std::error_code extend::raw_posix::preallocate(std::int64_t bytes) {
  if (!is_open()) return from_errno(EBADF);
  if (bytes == 0) return {};
  auto const unsupported = [](int error) {
    return error == ENOTSUP || error == EOPNOTSUPP || error == ENOSYS;
  };
  auto const allocate = [&](int mode) {
    detail::size_limit_guard guard(bytes, limit_for(largest));
    int const error = ::fallocate(descriptor_, mode, 0, bytes) == 0 ? 0 : errno;
    guard.note(error);
    return error;
  };
  // Allocates first and sets the size then, so that the size stays if there is not enough space.
  int error = allocate(FALLOC_FL_KEEP_SIZE);
  if (error == 0 || unsupported(error)) error = allocate(0);  // NFS supports the second form only
  if (!unsupported(error) && error != ENODEV) return from_errno(error);

  std::error_code unknown;
  std::int64_t const now = size(unknown);
  if (unknown || now >= bytes) return unknown;
  return resize(bytes);
}

std::error_code extend::raw_posix::sync() {
  limit_for(largest);
  if (early_) early_->note_sync();
  int error = ::fsync(descriptor_) == 0 ? 0 : errno;
  if (error == EINTR || error == EAGAIN) return from_errno(error);  // the call is repeated
  if (early_)
    if (int const lost = early_->take_error(); error == 0) error = lost;
  if (cache_) {
    if (int const lost = cache_->take_lost(); error == 0) error = lost;
    cache_->distrust();
  }
  return from_errno(error);
}

std::error_code extend::raw_posix::reconcile() {
  if (!is_open()) return from_errno(EBADF);
  if (!cache_) return {};
  int const lost = cache_->flush(descriptor_);
  cache_->distrust();
  return from_errno(lost);
}

std::error_code extend::raw_posix::close() {
  if (!is_open()) return from_errno(EBADF);
  write_out();  // some clients do it only after close has returned
  // A child made by fork shares the open file description, and would hold the locks as long as it
  // lives.
  bool const is_mine = process_ == ::getpid();
  if (is_mine && locks_ && locks_->was_used())
    detail::threads_and_kernel::control(descriptor_, F_UNLCK, 0, largest);
  int error = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (int const lost = cache_ ? cache_->take_lost() : 0; error == 0) error = lost;
  if (std::exchange(heeds_signal_, false) && is_mine) detail::leave_size_signal();
  locks_.reset();
  cache_.reset();
  early_.reset();
  return from_errno(error == EINTR ? 0 : error);
}

}  // namespace argosy

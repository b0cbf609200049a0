// Implements gpfs_real of handle/gpfs_real.hpp: a POSIX file whose hints go to the GPFS library.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/handle/gpfs_real.hpp>

namespace argosy {

namespace {

std::string not_on_gpfs(int descriptor, std::string const& path) {
  struct statfs where = {};
  int outcome = 0;
  while ((outcome = ::fstatfs(descriptor, &where)) != 0 && errno == EINTR) {
  }
  if (outcome != 0) return "the file system of " + path + " is unknown: " + std::strerror(errno);
  if (static_cast<long>(where.f_type) == gpfs::magic_number) return {};
  return path + " is not on GPFS";
}

// Returns the type of the structure at errorOffset; 0 if there is none.
int type_at(std::span<std::byte const> argument, int offset) {
  gpfs::gpfsStructHeader_t s;
  if (offset < static_cast<int>(sizeof(gpfs::gpfsFcntlHeader_t)) ||
      static_cast<std::size_t>(offset) + sizeof s > argument.size())
    return 0;
  std::memcpy(&s, argument.data() + offset, sizeof s);
  return s.structType;
}

bool is_data_shipping(int type) {
  return type == gpfs::data_ship_start || type == gpfs::data_ship_map ||
         type == gpfs::data_ship_stop;
}

}  // namespace

gpfs_real gpfs_real::open(std::string const& path, extend::open_flags flags,
                          std::error_code& error) {
  return open(path, flags, settings{}, error);
}

gpfs_real gpfs_real::open(std::string const& path, extend::open_flags flags, settings const& s,
                          std::error_code& error) {
  gpfs_real f(posix::open(path, flags, error));
  if (error) return f;
  if (!s.any_file_system) f.why_not_ = not_on_gpfs(f.raw().descriptor(), path);
  if (f.why_not_.empty()) f.library_ = detail::gpfs_library::load(s.library, f.why_not_);
  return f;
}

std::error_code gpfs_real::fcntl(std::span<std::byte> argument) {
  gpfs::gpfsFcntlHeader_t header;
  if (!is_open()) return std::make_error_code(std::errc::bad_file_descriptor);
  if (argument.size() < sizeof header) return std::make_error_code(std::errc::invalid_argument);
  std::memcpy(&header, argument.data(), sizeof header);
  // The library reads as many bytes as the header says.
  if (header.totalLength < static_cast<int>(sizeof header) ||
      static_cast<std::size_t>(header.totalLength) > argument.size())
    return std::make_error_code(std::errc::invalid_argument);
  if (header.totalLength > gpfs::fcntl_length_max)
    return std::make_error_code(std::errc::argument_list_too_long);
  if (!library_) return errc::unsupported;

  int const outcome = library_->fcntl(raw().descriptor(), argument.data());
  if (outcome == 0) return {};
  std::memcpy(&header, argument.data(), sizeof header);
  // Later releases dropped these directives. Their errors for them are not documented.
  bool const is_gone = outcome == EINVAL || outcome == ENOSYS || outcome == ENOTSUP;
  if (is_gone && is_data_shipping(type_at(argument, header.errorOffset))) return errc::unsupported;
  return {outcome, std::system_category()};
}

std::error_code gpfs_real::preallocate(std::int64_t bytes) {
  if (!library_ || bytes == 0) return posix::preallocate(bytes);
  int const outcome = library_->prealloc(raw().descriptor(), 0, bytes);
  if (outcome == ENOSYS) return posix::preallocate(bytes);
  if (outcome != 0) return {outcome, std::system_category()};
  // Its documentation does not say whether it makes the file longer.
  std::error_code error;
  std::int64_t const now = size(error);
  return error || now >= bytes ? error : resize(bytes);
}

opener gpfs_real_opener(gpfs_real::settings s) {
  return posix_opener().opening([s = std::move(s)](std::string const& path,
                                                   extend::open_flags flags,
                                                   std::error_code& error) -> extend::any_handle {
    gpfs_real f = gpfs_real::open(path, flags, s, error);
    if (error) return {};
    return extend::any_handle(std::move(f));
  });
}

}  // namespace argosy

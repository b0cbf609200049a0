// Implements error/errc.hpp: the error category, the class of an errno, and the remedies.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include <argosy/error/errc.hpp>

namespace argosy {
namespace {

struct words {
  errc code;
  std::string_view what;
  std::string_view remedy;
};

// One row for each code, in their order.
constexpr words all_words[] = {
    {errc::access, "permission denied", "check the permissions of the file and of its directories"},
    {errc::bad_file, "not the name of a file",
     "give the path of a regular file, every part of it short enough"},
    {errc::file, "the file handle is no longer valid", "close the file and open it again"},
    {errc::file_exists, "the file exists", "leave mode::exclusive out, or choose another name"},
    {errc::file_in_use, "the file is in use",
     "wait until the other program has ended, or choose another name"},
    {errc::io, "input/output error", "look at the system log of the node and at the file system"},
    {errc::no_space, "no space left on the file system", "free some space, or write elsewhere"},
    {errc::no_such_file, "no such file", "check the path on that rank, or add mode::create"},
    {errc::quota, "quota exceeded", "free some of your space, or ask for more"},
    {errc::read_only, "read-only file or file system",
     "choose a directory that can be written, or open with mode::read"},
    {errc::file_too_large, "the file is larger than the process or the file system allows",
     "raise the limit (ulimit -f), or write less"},
    {errc::too_many_files, "too many open files", "close some, or raise the limit (ulimit -n)"},
    {errc::no_memory, "out of memory",
     "ask for less at a time, or give the ranks of that node more memory"},
    {errc::no_locks, "no byte-range locks on this file system",
     "avoid atomic mode here, or open with mode::unique_open"},
    {errc::truncated, "the file became shorter while it was read",
     "keep other programs from truncating it meanwhile"},
    {errc::damaged, "the file is damaged, or of another format",
     "check the path; if it is the right one, take a copy of the file"},
    {errc::amode, "access modes do not allow this", "open the file with a mode that does"},
    {errc::argument, "invalid argument", "mend the argument"},
    {errc::datatype, "invalid datatype for this use", "build the datatype as the message says"},
    {errc::representation, "unknown data representation",
     "use native, internal or external32, or register_representation on every rank"},
    {errc::duplicate_representation, "the name of the representation is taken",
     "choose another name"},
    {errc::conversion, "a value does not fit the data representation",
     "choose a type in the file that holds it"},
    {errc::user_code, "code of the program threw", "mend what threw on that rank"},
    {errc::hint, "the value of a hint means nothing here",
     "choose one that the table of hints has"},
    {errc::not_same, "arguments differ between ranks", "give the same on every rank"},
    {errc::unsupported, "unsupported operation", "choose another mode, handle or file system"},
    {errc::error_on_another_rank, "error on another rank", "see what that rank reports"},
    {errc::rank_failed, "a rank died", "start again from data that was complete before"},
};

constexpr bool are_in_order() {
  int next = 1;
  for (words const& w : all_words)
    if (static_cast<int>(w.code) != next++) return false;
  return next == static_cast<int>(errc::rank_failed) + 1;
}
static_assert(are_in_order(), "each code has its words, in the order of the codes");

words words_of(errc e) noexcept {
  auto const place = static_cast<std::size_t>(e) - 1;
  if (place < std::size(all_words)) return all_words[place];
  return {e, "unknown error", "report it"};
}

class error_category_of_argosy final : public std::error_category {
 public:
  char const* name() const noexcept override { return "argosy"; }
  std::string message(int value) const override {
    return std::string(words_of(static_cast<errc>(value)).what);
  }
  std::error_condition default_error_condition(int value) const noexcept override {
    switch (static_cast<errc>(value)) {
      case errc::access:
        return std::errc::permission_denied;
      case errc::bad_file:
        return std::errc::is_a_directory;
      case errc::file:
        return std::errc::bad_file_descriptor;
      case errc::file_exists:
        return std::errc::file_exists;
      case errc::file_in_use:
        return std::errc::device_or_resource_busy;
      case errc::io:
        return std::errc::io_error;
      case errc::no_space:
        return std::errc::no_space_on_device;
      case errc::no_such_file:
        return std::errc::no_such_file_or_directory;
      case errc::read_only:
        return std::errc::read_only_file_system;
      case errc::file_too_large:
        return std::errc::file_too_large;
      case errc::too_many_files:
        return std::errc::too_many_files_open;
      case errc::no_memory:
        return std::errc::not_enough_memory;
      case errc::no_locks:
        return std::errc::no_lock_available;
      case errc::amode:
      case errc::argument:
      case errc::datatype:
        return std::errc::invalid_argument;
      case errc::conversion:
        return std::errc::result_out_of_range;
      case errc::unsupported:
        return std::errc::operation_not_supported;
      case errc::rank_failed:
        return std::errc::owner_dead;
      default:
        return {value, *this};
    }
  }
};

}  // namespace

std::error_category const& category() noexcept {
  static error_category_of_argosy const it;
  return it;
}

std::string_view remedy(errc e) noexcept { return words_of(e).remedy; }

errc classify(std::error_code const& code) noexcept {
  if (code.category() == category()) return static_cast<errc>(code.value());
  if (!detail::is_errno(code)) return errc::io;
  switch (code.value()) {
    case EACCES:
    case EPERM:
      return errc::access;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return errc::bad_file;
    case EBADF:
    case EBADFD:    // GlusterFS, after its server came back
    case ENOTCONN:  // FUSE without its client, and clients without their server
    case ESTALE:
      return errc::file;
    case EEXIST:
      return errc::file_exists;
    case EBUSY:
    case ETXTBSY:
      return errc::file_in_use;
    case ENOSPC:
      return errc::no_space;
    case ENOENT:
      return errc::no_such_file;
    case EDQUOT:
      return errc::quota;
    case EROFS:
      return errc::read_only;
    case EFBIG:
    case EOVERFLOW:
      return errc::file_too_large;
    case EMFILE:
    case ENFILE:
      return errc::too_many_files;
    case ENOMEM:
      return errc::no_memory;
    case ENOLCK:
      return errc::no_locks;
    case EINVAL:
      return errc::argument;
    case EOPNOTSUPP:
    case ENOSYS:
      return errc::unsupported;
    default:
      return errc::io;
  }
}

}  // namespace argosy

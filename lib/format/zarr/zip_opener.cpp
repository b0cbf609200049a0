// Implements format/zarr_zip.hpp: the files of a zip file as handles.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/zarr_zip.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include <argosy/format/detail/zarr/zip_file.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/detail/parts.hpp>

#include "crc32c.hpp"

namespace argosy {

namespace detail {

namespace {

std::error_code zip_errno(int n) { return {n, std::system_category()}; }

// A stored entry: a range of the zip file that can be read only.
class zip_entry_handle {
 public:
  zip_entry_handle(any_handle file, std::int64_t begin, std::int64_t bytes)
      : file_(std::move(file)), begin_(begin), bytes_(bytes) {}

  io_result read(std::int64_t offset, std::span<std::byte> into) {
    std::int64_t const n = std::clamp<std::int64_t>(bytes_ - offset, 0, std::ssize(into));
    return n == 0 ? io_result{}
                  : file_.read(begin_ + offset, into.first(static_cast<std::size_t>(n)));
  }
  io_result read(std::span<read_part const> parts) {
    return one_by_one(parts, [&](std::int64_t offset, std::span<std::byte> memory) {
      return read(offset, memory);
    });
  }
  io_result write(std::int64_t, std::span<std::byte const>) { return {0, zip_errno(EROFS)}; }
  io_result write(std::span<write_part const>) { return {0, zip_errno(EROFS)}; }
  // No other handle writes.
  std::error_code lock(std::int64_t, std::int64_t, lock_kind) { return {}; }
  std::error_code unlock(std::int64_t, std::int64_t) { return {}; }
  std::int64_t size(std::error_code& error) const {
    error.clear();
    return bytes_;
  }
  std::error_code resize(std::int64_t) { return zip_errno(EROFS); }
  std::error_code preallocate(std::int64_t) { return zip_errno(EROFS); }
  std::error_code sync() { return {}; }
  std::error_code close() { return file_.close(); }
  bool is_open() const { return file_.is_open(); }
  std::int64_t block_bytes() const { return file_.block_bytes(); }

 private:
  any_handle file_;
  std::int64_t begin_, bytes_;
};
static_assert(handle<zip_entry_handle>);

class zip_store {
 public:
  zip_store(std::string path, opener files) : path_(std::move(path)), files_(std::move(files)) {}

  any_handle open(std::string const& path, open_flags flags, std::error_code& error) {
    if (flags.write || flags.create) return error = zip_errno(EROFS), any_handle();
    std::string const name = name_of(path, error);
    any_handle f;
    if (!error) f = files_(path_, {.read = true}, error);
    if (!error) error = read_directory(f);
    if (error) return closed(std::move(f));
    auto const e = entries_.find(name);
    if (e == entries_.end()) {
      error = zip_errno(ENOENT);
      return closed(std::move(f));
    }
    constexpr std::int64_t header = 30;
    std::array<std::byte, header> start{};
    io_result const got = f.read(e->second.offset, start);
    // The header may be longer than the line in the directory says.
    std::int64_t const begin = e->second.offset + header + little<std::uint16_t>(&start[26]) +
                               little<std::uint16_t>(&start[28]);
    if (!got.error && (got.bytes < header || begin > end_ - e->second.bytes)) error = errc::damaged;
    if (got.error) error = got.error;
    if (error) return closed(std::move(f));
    return any_handle(zip_entry_handle(std::move(f), begin, e->second.bytes));
  }

  std::error_code list(std::string const& path, std::vector<std::string>& names) {
    names.clear();
    std::error_code error;
    any_handle f = files_(path_, {.read = true}, error);
    if (!error) error = read_directory(f);
    closed(std::move(f));
    if (error) return error;
    std::string below = path == path_ ? "" : name_of(path, error) + "/";
    if (error) return error;
    std::set<std::string> found;
    for (auto e = entries_.lower_bound(below); e != entries_.end() && e->first.starts_with(below);
         ++e) {
      std::string const rest = e->first.substr(below.size());
      found.insert(rest.substr(0, rest.find('/')));
    }
    names.assign(found.begin(), found.end());
    return names.empty() ? zip_errno(ENOENT) : std::error_code();
  }

 private:
  static any_handle closed(any_handle f) {
    if (f.is_open()) f.close();
    return {};
  }
  std::string name_of(std::string const& path, std::error_code& error) const {
    if (path.starts_with(path_ + "/")) return path.substr(path_.size() + 1);
    error = zip_errno(ENOENT);
    return {};
  }
  // Reads the directory once. A zip file is not changed while it is open.
  std::error_code read_directory(any_handle& f) {
    std::lock_guard const guard(mutex_);
    if (known_) return {};
    std::error_code error;
    std::int64_t const size = f.size(error);
    if (error) return error;
    auto const get = [&](std::int64_t from, std::int64_t n, std::vector<std::byte>& into) {
      into.resize(static_cast<std::size_t>(n));
      io_result const got = f.read(from, into);
      return got.error       ? got.error
             : got.bytes < n ? make_error_code(errc::damaged)
                             : std::error_code();
    };
    std::vector<std::byte> bytes;
    std::int64_t const end = std::min(size, longest_zip_end);
    if ((error = get(size - end, end, bytes))) return error;
    zip_directory where;
    if (failure f1 = find_zip_directory(bytes, size, where)) return f1.code;
    if ((error = get(where.offset, where.bytes, bytes))) return error;
    std::vector<zip_entry> all;
    if (failure f2 = parse_zip_directory(bytes, where, all)) return f2.code;
    for (zip_entry& e : all) {
      std::string name = e.name;
      entries_.insert_or_assign(std::move(name), std::move(e));
    }
    end_ = where.offset;
    known_ = true;
    return {};
  }

  std::string path_;
  opener files_;
  std::mutex mutex_;
  bool known_ = false;
  std::int64_t end_ = 0;  // the end of the entries
  std::map<std::string, zip_entry> entries_;
};

}  // namespace

}  // namespace detail

opener zip_opener(std::string path, opener files) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  auto const store = std::make_shared<detail::zip_store>(std::move(path), std::move(files));
  auto const open = [store](std::string const& name, extend::open_flags flags,
                            std::error_code& error) { return store->open(name, flags, error); };
  auto const refuse = [](auto const&...) { return detail::zip_errno(EROFS); };
  return opener(open, refuse)
      .with_directories({.make = refuse,
                         .exchange = refuse,
                         .remove = refuse,
                         .list = [store](std::string const& name, std::vector<std::string>& names) {
                           return store->list(name, names);
                         }});
}

}  // namespace argosy

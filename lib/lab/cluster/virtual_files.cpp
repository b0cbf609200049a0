// Implements lab/cluster/virtual_files.hpp: the file system by names, and its state after a crash.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "file_action.hpp"
#include "virtual_disk.hpp"
#include "virtual_handle.hpp"

namespace argosy::lab {

using namespace detail;

virtual_files::virtual_files() : state_(std::make_shared<disk_state>(virtual_disk())) {
  state_->is_given = false;
}

virtual_files::virtual_files(virtual_disk disk, contents kept)
    : state_(std::make_shared<disk_state>(disk)) {
  state_->kept = kept;
}

namespace {

virtual_handle open_stored(std::shared_ptr<disk_state> const& d, std::string const& path,
                           open_flags flags, std::error_code& error) {
  d->follow(scheduler::running());
  file_action act(file_call::open, 0, d->disk.call_ns);
  auto const fail = [&](int e) {
    error = errno_code(e);
    act.end(0, -1, e);
    return virtual_handle();
  };
  if (act.skipped()) return fail(EIO);
  if (!flags.read && !flags.write) return fail(EINVAL);
  if (path.empty()) return fail(ENOENT);
  if (d->directories.contains(path)) return fail(flags.create && flags.exclusive ? EEXIST : EISDIR);
  auto found = d->files.find(path);
  if (found != d->files.end() && flags.create && flags.exclusive) return fail(EEXIST);
  if (found == d->files.end()) {
    if (!flags.create) return fail(ENOENT);
    if (d->read_only) return fail(EROFS);
    std::shared_ptr<stored_file> file = d->make_file(path);
    file->permissions = flags.permissions;
    found = d->files.emplace(path, std::move(file)).first;
  } else {
    unsigned const p = found->second->permissions;
    if ((flags.read && !(p & 0400)) || (flags.write && !(p & 0200))) return fail(EACCES);
    if (flags.write && d->read_only) return fail(EROFS);
  }
  auto opened = std::make_unique<open_virtual_file>();
  opened->disk = d;
  opened->file = found->second;
  opened->path = path;
  opened->flags = flags;
  act.end(static_cast<std::int64_t>(found->second->number));
  return virtual_handle(std::move(opened));
}

// Removes a name. If `of` is given, the name must be that file's. No other rank runs between the
// check and the removal.
std::error_code remove_stored(std::shared_ptr<disk_state> const& d, std::string const& path,
                              file_identity const* of) {
  file_action act(file_call::open, 0, d->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  auto const found = d->files.find(path);
  int const error = d->directories.contains(path)                                      ? EISDIR
                    : found == d->files.end()                                          ? ENOENT
                    : of && !argosy::detail::same_file(found->second->identity(), *of) ? ENOENT
                    : d->read_only                                                     ? EROFS
                                                                                       : 0;
  if (error == 0) {
    d->forget(*found->second);
    d->files.erase(found);
  }
  act.end(0, -1, error);
  return error == 0 ? std::error_code() : errno_code(error);
}

std::error_code rename_stored(std::shared_ptr<disk_state> const& d, std::string const& from,
                              std::string const& to) {
  file_action act(file_call::open, 0, d->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  auto const found = d->files.find(from);
  int const error = found == d->files.end()       ? ENOENT
                    : d->directories.contains(to) ? EISDIR
                    : d->read_only                ? EROFS
                                                  : 0;
  if (error == 0 && from != to) {
    std::shared_ptr<stored_file> const file = found->second;
    d->files.erase(found);
    std::shared_ptr<stored_file>& place = d->files[to];
    if (place) d->forget(*place);
    d->unsettled.push_back({{from, to, file, std::exchange(place, file)}});
  }
  act.end(0, -1, error);
  return error == 0 ? std::error_code() : errno_code(error);
}

// Returns the names of all files below a directory. Directories need not have been made.
std::vector<std::string> names_below(disk_state const& d, std::string const& directory) {
  std::vector<std::string> names;
  std::string const begin = directory + "/";
  for (auto f = d.files.lower_bound(begin); f != d.files.end() && f->first.starts_with(begin); ++f)
    names.push_back(f->first);
  return names;
}

// Exchanges the names of all files below two directories at once.
std::error_code exchange_stored(std::shared_ptr<disk_state> const& d, std::string const& from,
                                std::string const& to) {
  file_action act(file_call::open, 0, d->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  auto const here = names_below(*d, from), there = names_below(*d, to);
  int const error = here.empty() && !d->directories.contains(from) ? ENOENT
                    : d->read_only                                 ? EROFS
                                                                   : 0;
  if (error == 0) {
    std::map<std::string, std::shared_ptr<stored_file>> moved;
    disk_state::renaming all;
    auto const take = [&](std::vector<std::string> const& names, std::string const& old,
                          std::string const& now) {
      for (std::string const& name : names) {
        auto const found = d->files.find(name);
        std::string const other = now + name.substr(old.size());
        all.push_back({name, other, found->second, nullptr});
        moved[other] = found->second;
        d->files.erase(found);
      }
    };
    take(here, from, to);
    take(there, to, from);
    for (auto& [name, file] : moved) d->files[name] = file;
    d->unsettled.push_back(std::move(all));
  }
  act.end(0, -1, error);
  return error == 0 ? std::error_code() : errno_code(error);
}

std::error_code remove_stored_below(std::shared_ptr<disk_state> const& d, std::string const& path) {
  file_action act(file_call::open, 0, d->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  auto const names = names_below(*d, path);
  int const error = names.empty() && !d->directories.contains(path) ? ENOENT
                    : d->read_only                                  ? EROFS
                                                                    : 0;
  if (error == 0) {
    for (std::string const& name : names) {
      d->forget(*d->files.at(name));
      d->files.erase(name);
    }
    d->directories.erase(path);
  }
  act.end(0, -1, error);
  return error == 0 ? std::error_code() : errno_code(error);
}

std::error_code settle_renamings(std::shared_ptr<disk_state> const& d) {
  file_action act(file_call::sync, 0, d->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  d->unsettled.clear();
  act.end();
  return {};
}

std::optional<file_identity> identity_of(disk_state const& d, std::string const& path,
                                         std::error_code& error) {
  auto const found = d.files.find(path);
  error = found == d.files.end() ? errno_code(ENOENT) : std::error_code();
  return error ? std::nullopt : std::optional(found->second->identity());
}

// Lists the names in a directory. A directory exists if some file lies in it.
std::error_code list_stored(disk_state const& d, std::string const& path,
                            std::vector<std::string>& names) {
  std::set<std::string> found;
  for (std::string const& name : names_below(d, path)) {
    std::string const rest = name.substr(path.size() + 1);
    found.insert(rest.substr(0, rest.find('/')));
  }
  names.assign(found.begin(), found.end());
  return names.empty() && !d.directories.contains(path) ? errno_code(ENOENT) : std::error_code();
}

// Returns the names after a crash. Of the renamings that are not settled, the first ones survive.
std::map<std::string, std::shared_ptr<stored_file>> names_after_crash(disk_state const& before,
                                                                      std::uint64_t seed) {
  auto names = before.files;
  std::size_t const renamed = mixed(seed ^ 0x6e616d6573) % (before.unsettled.size() + 1);
  for (std::size_t k = before.unsettled.size(); k > renamed; --k) {
    disk_state::renaming const& all = before.unsettled[k - 1];
    for (auto const& r : all) names.erase(r.to);
    for (auto const& r : all) names[r.from] = r.file;
    for (auto const& r : all)
      if (r.before) names[r.to] = r.before;
  }
  return names;
}

// Returns how many bytes of an unsynced block are new after a crash. With probability one third
// each: all, none, or those up to a sector.
std::int64_t new_after_crash(std::int64_t block_bytes, std::uint64_t x) {
  constexpr std::int64_t sector = 512;
  if (x % 3 == 0) return block_bytes;
  if (x % 3 == 1) return 0;
  std::int64_t const sectors = block_bytes / sector;
  return static_cast<std::int64_t>((x >> 8) % static_cast<std::uint64_t>(sectors)) * sector;
}

// Returns a page after a crash. `first` is its offset in the file, and `size` the size that the
// file then has.
page page_after_crash(page const& p, std::int64_t first, std::int64_t size,
                      std::int64_t block_bytes, std::uint64_t of_file) {
  page survived;
  survived.bytes = p.bytes;
  survived.allocated = p.allocated;
  for (std::int64_t b = 0; b < page::blocks; ++b) {
    if (!p.dirty[static_cast<std::size_t>(b)]) continue;
    auto const block = static_cast<std::uint64_t>(first / block_bytes + b);
    std::int64_t const kept = new_after_crash(block_bytes, mixed(of_file ^ mixed(block)));
    std::int64_t const begin = b * block_bytes + kept, end = (b + 1) * block_bytes;
    if (p.safe.empty())
      std::fill(survived.bytes.begin() + begin, survived.bytes.begin() + end, std::byte{});
    else
      std::copy(p.safe.begin() + begin, p.safe.begin() + end, survived.bytes.begin() + begin);
  }
  std::int64_t const page_bytes = block_bytes * page::blocks;
  // Bytes beyond the size do not survive.
  if (size < first + page_bytes)
    std::fill(survived.bytes.begin() + std::max<std::int64_t>(size - first, 0),
              survived.bytes.end(), std::byte{});
  return survived;
}

}  // namespace

opener virtual_files::opener() const {
  auto const open = [d = state_](std::string const& path, open_flags flags,
                                 std::error_code& error) {
    return open_stored(d, path, flags, error);
  };
  auto const remove = [d = state_](std::string const& path) {
    return remove_stored(d, path, nullptr);
  };
  auto const rename = [d = state_](std::string const& from, std::string const& to) {
    return rename_stored(d, from, to);
  };
  auto const settle = [d = state_](std::string const&) { return settle_renamings(d); };
  auto const find = [d = state_](std::string const& path, std::error_code& error) {
    return identity_of(*d, path, error);
  };
  auto const remove_if = [d = state_](std::string const& path, file_identity const& of) {
    return remove_stored(d, path, &of);
  };
  auto const exchange = [d = state_](std::string const& from, std::string const& to) {
    return exchange_stored(d, from, to);
  };
  auto const remove_below = [d = state_](std::string const& path) {
    return remove_stored_below(d, path);
  };
  auto const list = [d = state_](std::string const& path, std::vector<std::string>& names) {
    return list_stored(*d, path, names);
  };
  // Names need no directories.
  auto const make = [](std::string const&) { return std::error_code(); };
  return opener_in_run(open, remove, rename, settle)
      .naming({.find = find, .remove = remove_if})
      .with_directories({.make = make, .exchange = exchange, .remove = remove_below, .list = list});
}

bool virtual_files::exists(std::string const& path) const { return state_->files.contains(path); }

std::vector<std::string> virtual_files::names() const {
  std::vector<std::string> all;
  for (auto const& [name, file] : state_->files) all.push_back(name);
  return all;
}

std::vector<std::byte> virtual_files::content(std::string const& path) const {
  auto const found = state_->files.find(path);
  if (found == state_->files.end()) return {};
  if (found->second->hollow)
    throw std::logic_error("argosy::lab::virtual_files: the bytes of a file without contents");
  std::vector<std::byte> all(static_cast<std::size_t>(found->second->size));
  state_->read(*found->second, 0, all);
  return all;
}

void virtual_files::put(std::string const& path, std::span<std::byte const> bytes) {
  auto& file = state_->files[path];
  if (file) state_->forget(*file);
  file = state_->make_file(path);
  if (state_->write(*file, 0, bytes) < static_cast<std::int64_t>(bytes.size()))
    throw std::length_error("argosy::lab::virtual_files: the disk is full");
  state_->sync(*file);
}

void virtual_files::make_directory(std::string const& path) { state_->directories[path] = true; }

void virtual_files::set_permissions(std::string const& path, unsigned permissions) {
  state_->files.at(path)->permissions = permissions;
}

void virtual_files::set_read_only(bool on) { state_->read_only = on; }

std::int64_t virtual_files::allocated_bytes() const {
  return state_->allocated_blocks * state_->disk.block_bytes;
}

virtual_files virtual_files::crash(std::uint64_t seed) const {
  if (state_->kept == contents::none)
    throw std::logic_error("argosy::lab::virtual_files: a crash of files without contents");
  auto const left = std::make_shared<disk_state>(state_->disk);
  left->directories = state_->directories;
  left->next_number = state_->next_number;
  for (auto const& [name, file] : names_after_crash(*state_, seed)) {
    std::uint64_t const of_file = mixed(seed ^ mixed(file->number));
    if (!file->is_safe && of_file % 2 == 0) continue;
    auto copy = std::make_shared<stored_file>();
    copy->number = file->number;
    copy->permissions = file->permissions;
    copy->size = mixed(of_file) % 2 == 0 ? file->size : file->safe_size;
    for (auto const& [number, p] : file->pages) {
      page survived = page_after_crash(p, number * state_->page_bytes(), copy->size,
                                       state_->disk.block_bytes, of_file);
      left->allocated_blocks += static_cast<std::int64_t>(survived.allocated.count());
      copy->pages.emplace(number, std::move(survived));
    }
    left->sync(*copy);
    left->files.emplace(name, std::move(copy));
  }
  return virtual_files(left);
}

}  // namespace argosy::lab

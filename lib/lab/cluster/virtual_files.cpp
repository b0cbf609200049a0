// Implements lab/cluster/virtual_files.hpp: blocks in memory, servers with queues, locks, crashes.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/virtual_files.hpp>

#include <algorithm>
#include <array>
#include <bitset>
#include <cerrno>
#include <cstring>
#include <limits>
#include <list>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/parts.hpp>

#include "file_action.hpp"
#include "scheduler.hpp"

namespace argosy::lab {
namespace detail {

namespace {

// The node of the caller.
constexpr int outside = -1;  // of a run
int node_here() {
  scheduler* const s = scheduler::running();
  return s ? s->me().node : outside;
}

}  // namespace

// --- Bytes ---

// A page remembers, for blocks written since their last sync, the safe content and the nodes that have written them.
struct page {
  static constexpr std::int64_t blocks = 16;
  struct unsynced {
    int node;
    std::bitset<blocks> dirty;
  };
  std::vector<std::byte> bytes;
  std::vector<std::byte> safe;  // empty: zeros, if anything is dirty
  std::bitset<blocks> allocated, dirty;
  std::vector<unsynced> nodes;

  void written(std::size_t block, int node) {
    dirty[block] = true;
    auto n = std::find_if(nodes.begin(), nodes.end(), [=](unsynced const& u) { return u.node == node; });
    if (n == nodes.end()) n = nodes.insert(n, {node, {}});
    n->dirty[block] = true;
  }
  // A block is safe when all nodes that have written it have synced.
  void sync(int node) {
    std::bitset<blocks> left;
    std::erase_if(nodes, [&](unsynced const& u) {
      bool const synced = node == outside || u.node == node;
      if (!synced) left |= u.dirty;
      return synced;
    });
    if (left.none()) {
      safe = {};
    } else if (left != dirty) {
      safe.resize(bytes.size());
      auto const block_bytes = static_cast<std::ptrdiff_t>(bytes.size()) / blocks;
      for (std::ptrdiff_t b = 0; b < blocks; ++b)
        if (dirty[static_cast<std::size_t>(b)] && !left[static_cast<std::size_t>(b)])
          std::copy_n(bytes.begin() + b * block_bytes, block_bytes, safe.begin() + b * block_bytes);
    }
    dirty = left;
  }
};

struct held_lock {
  std::int64_t begin, end;
  lock_kind kind;
  task const* owner;  // null: outside of runs
  open_virtual_file const* through;
};

struct lock_wait {
  std::int64_t begin, end;
  lock_kind kind;
  task* who;
  open_virtual_file const* through;
};

struct stored_file {
  std::uint64_t number = 0;  // in the order in which they were made
  unsigned permissions = 0666;
  std::int64_t size = 0, safe_size = 0;
  std::vector<int> resized_by;  // nodes, since their last sync
  bool is_safe = false;         // its name survives
  std::map<std::int64_t, page> pages;
  std::list<held_lock> locks;
  std::list<lock_wait> waiting;
};

struct disk_state {
  explicit disk_state(virtual_disk d) : disk(d), free(static_cast<std::size_t>(std::max(d.servers, 1))) {}

  struct server {
    picoseconds free = 0;
    std::uint64_t file = 0;
    std::int64_t next = -1;  // where the last stretch ended
  };

  virtual_disk disk;
  std::map<std::string, std::shared_ptr<stored_file>> files;
  std::map<std::string, bool> directories;
  bool read_only = false;
  std::uint64_t next_number = 0;
  std::int64_t allocated_blocks = 0;
  std::vector<server> free;
  std::uint64_t run = 0;  // for which `free` counts

  std::int64_t page_bytes() const { return disk.block_bytes * page::blocks; }
  std::int64_t most_blocks() const { return disk.capacity_bytes / disk.block_bytes; }

  // Bytes until the disk is full. A block that is there already costs nothing.
  std::int64_t write(stored_file& f, std::int64_t offset, std::span<std::byte const> from) {
    auto const length = static_cast<std::int64_t>(from.size());
    std::int64_t done = 0;
    while (done < length) {
      std::int64_t const at = offset + done;
      page& p = page_at(f, at / page_bytes());
      std::int64_t const within = at % page_bytes(), block = within / disk.block_bytes;
      std::int64_t const n = std::min(length - done, (block + 1) * disk.block_bytes - within);
      if (!allocate(p, static_cast<std::size_t>(block))) break;
      std::memcpy(p.bytes.data() + within, from.data() + done, static_cast<std::size_t>(n));
      done += n;
    }
    if (done > 0 && offset + done > f.size) set_size(f, offset + done);
    return done;
  }

  void set_size(stored_file& f, std::int64_t bytes) {
    int const node = node_here();
    f.size = bytes;
    if (std::find(f.resized_by.begin(), f.resized_by.end(), node) == f.resized_by.end()) f.resized_by.push_back(node);
  }

  bool allocate(page& p, std::size_t block) {
    bool const fresh = p.allocated.none();
    if (!p.allocated[block]) {
      // The rest of the capacity is less than a block, and is lost.
      if (allocated_blocks >= most_blocks()) return false;
      ++allocated_blocks;
      p.allocated[block] = true;
    }
    if (p.dirty.none() && !fresh) p.safe = p.bytes;
    p.written(block, node_here());
    return true;
  }

  page& page_at(stored_file& f, std::int64_t number) {
    page& p = f.pages[number];
    if (p.bytes.empty()) p.bytes.resize(static_cast<std::size_t>(page_bytes()));
    return p;
  }

  std::int64_t read(stored_file const& f, std::int64_t offset, std::span<std::byte> into) const {
    std::int64_t const length = std::clamp<std::int64_t>(f.size - offset, 0, static_cast<std::int64_t>(into.size()));
    for (std::int64_t done = 0; done < length;) {
      std::int64_t const at = offset + done, within = at % page_bytes(),
                         n = std::min(length - done, page_bytes() - within);
      auto const p = f.pages.find(at / page_bytes());
      if (p == f.pages.end())
        std::memset(into.data() + done, 0, static_cast<std::size_t>(n));
      else
        std::memcpy(into.data() + done, p->second.bytes.data() + within, static_cast<std::size_t>(n));
      done += n;
    }
    return length;
  }

  void resize(stored_file& f, std::int64_t bytes) {
    if (bytes < f.size) {
      std::int64_t const last = bytes / page_bytes();
      for (auto p = f.pages.lower_bound(last); p != f.pages.end(); ++p) {
        std::int64_t const from = p->first == last ? bytes % page_bytes() : 0;
        for (std::int64_t b = from / disk.block_bytes; b < page::blocks; ++b) {
          auto const block = static_cast<std::size_t>(b);
          if (!p->second.allocated[block]) continue;
          std::int64_t const begin = std::max(from, b * disk.block_bytes);
          allocate(p->second, block);
          std::memset(p->second.bytes.data() + begin, 0, static_cast<std::size_t>((b + 1) * disk.block_bytes - begin));
          if (begin == b * disk.block_bytes) {
            p->second.allocated[block] = false;
            --allocated_blocks;
          }
        }
      }
    }
    set_size(f, bytes);
  }

  void sync(stored_file& f, int node = outside) {
    for (auto p = f.pages.begin(); p != f.pages.end();) {
      p->second.sync(node);
      p = p->second.allocated.none() && p->second.dirty.none() ? f.pages.erase(p) : std::next(p);
    }
    std::erase_if(f.resized_by, [=](int n) { return node == outside || n == node; });
    if (f.resized_by.empty()) f.safe_size = f.size;
    f.is_safe = true;
  }

  void forget(stored_file const& f) {
    for (auto const& [number, p] : f.pages) allocated_blocks -= static_cast<std::int64_t>(p.allocated.count());
  }

  // --- Time ---

  // The time at which the servers have finished these stretches, which pass the adapter of the rank's node.
  template <class Part>
  picoseconds serve(scheduler& s, stored_file const& f, std::span<Part const> parts, bool writing) {
    task const& t = s.now();
    if (run != s.run_number()) {
      run = s.run_number();
      for (server& x : free) x = {};
    }
    virtual_network const& net = s.scenario().network;
    std::int64_t const bytes = argosy::detail::total_bytes(parts);
    picoseconds const through = ps_of_bytes(bytes, net.adapter_mb_per_s), latency = ps_of_ns(net.latency_ns);
    picoseconds const sent = writing ? s.leave_node(t.rank->node, t.time, through) + through : t.time;
    picoseconds end = sent + latency;
    for (Part const& p : parts) {
      auto const length = static_cast<std::int64_t>(p.memory.size());
      for (std::int64_t done = 0; done < length;) {
        std::int64_t const at = p.offset + done, stripe = at / disk.stripe_bytes;
        std::int64_t const n = std::min(length - done, (stripe + 1) * disk.stripe_bytes - at);
        server& x = free[static_cast<std::size_t>((static_cast<std::uint64_t>(stripe) + f.number) % free.size())];
        // The next stripe of this server follows the last one there.
        bool const follows =
            x.file == f.number &&
            (x.next == at || (at % disk.stripe_bytes == 0 &&
                              x.next == at - (static_cast<std::int64_t>(free.size()) - 1) * disk.stripe_bytes));
        x.free = std::max(x.free, sent + latency) + (follows ? 0 : ps_of_ns(disk.request_ns)) +
                 ps_of_bytes(n, disk.server_mb_per_s);
        x.file = f.number;
        x.next = at + n;
        end = std::max(end, x.free);
        done += n;
      }
    }
    end += latency;
    return writing ? end : s.enter_node(t.rank->node, end, through);
  }
};

struct open_virtual_file {
  std::shared_ptr<disk_state> disk;
  std::shared_ptr<stored_file> file;
  std::string path;
  open_flags flags;

  ~open_virtual_file() { unlock_all(); }

  bool conflicts(std::int64_t begin, std::int64_t end, lock_kind kind, task const* owner) const {
    return std::any_of(file->locks.begin(), file->locks.end(), [&](held_lock const& l) {
      return l.owner != owner && l.begin < end && begin < l.end &&
             (kind == lock_kind::exclusive || l.kind == lock_kind::exclusive);
    });
  }
  // Takes [begin, end) from the locks for which `mine` holds; true if there were any.
  template <class Mine>
  bool trim(std::int64_t begin, std::int64_t end, Mine&& mine) {
    bool found = false;
    for (auto l = file->locks.begin(); l != file->locks.end();) {
      if (!mine(*l) || l->end <= begin || end <= l->begin) {
        ++l;
        continue;
      }
      found = true;
      if (l->end > end) {
        held_lock rest = *l;
        rest.begin = end;
        file->locks.insert(l, rest);
      }
      if (l->begin < begin)
        (l++)->end = begin;
      else
        l = file->locks.erase(l);
    }
    return found;
  }
  void grant() {
    scheduler* const s = scheduler::running();
    if (!s) return;
    for (auto w = file->waiting.begin(); w != file->waiting.end();) {
      if (conflicts(w->begin, w->end, w->kind, w->who)) {
        ++w;
        continue;
      }
      trim(w->begin, w->end, [&](held_lock const& l) { return l.owner == w->who; });
      file->locks.push_back({w->begin, w->end, w->kind, w->who, w->through});
      s->wake(*w->who, s->now().time + ps_of_ns(disk->disk.lock_ns));
      w = file->waiting.erase(w);
    }
  }
  void unlock_all() {
    if (std::erase_if(file->locks, [this](held_lock const& l) { return l.through == this; }) > 0) grant();
  }
};

namespace {

template <class Part>
io_result transfer(open_virtual_file* f, std::span<Part const> parts) {
  constexpr bool writing = std::same_as<Part, write_part>;
  if (!f) return {0, errno_code(EBADF)};
  disk_state& d = *f->disk;
  file_action act(writing ? file_call::write : file_call::read, f->file->number, d.disk.call_ns);
  if (act.skipped()) return {0, errno_code(EIO)};
  if (writing ? !f->flags.write : !f->flags.read) {
    act.end(0, 0, EBADF);
    return {0, errno_code(EBADF)};
  }
  io_result done;
  for (Part const& p : parts) {
    auto const length = static_cast<std::int64_t>(p.memory.size());
    if (p.offset < 0 || length > std::numeric_limits<std::int64_t>::max() - p.offset) {
      done.error = errno_code(p.offset < 0 ? EINVAL : EFBIG);
      break;
    }
    std::int64_t n = 0;
    if constexpr (writing)
      n = d.write(*f->file, p.offset, p.memory);
    else
      n = d.read(*f->file, p.offset, p.memory);
    done.bytes += n;
    if (n < length) {
      if (writing) done.error = errno_code(ENOSPC);
      break;
    }
  }
  if (act) {
    auto const moved = argosy::detail::first_bytes(parts, done.bytes);
    act->now().time =
        std::max(act->now().time, d.serve(*act.operator->(), *f->file, std::span<Part const>(moved), writing));
  }
  act.end(parts.empty() ? 0 : parts.front().offset, done.bytes, done.error.value());
  return done;
}

}  // namespace
}  // namespace detail

using namespace detail;

// --- The handle ---

virtual_handle::virtual_handle(std::unique_ptr<open_virtual_file> open) : open_(std::move(open)) {}
virtual_handle::virtual_handle(virtual_handle&& other) noexcept = default;
virtual_handle& virtual_handle::operator=(virtual_handle&& other) noexcept = default;
virtual_handle::~virtual_handle() = default;

io_result virtual_handle::read(std::int64_t offset, std::span<std::byte> memory) {
  read_part const all{offset, memory};
  return transfer<read_part>(open_.get(), {&all, 1});
}
io_result virtual_handle::write(std::int64_t offset, std::span<std::byte const> memory) {
  write_part const all{offset, memory};
  return transfer<write_part>(open_.get(), {&all, 1});
}
io_result virtual_handle::read(std::span<read_part const> parts) { return transfer(open_.get(), parts); }
io_result virtual_handle::write(std::span<write_part const> parts) { return transfer(open_.get(), parts); }

std::error_code virtual_handle::lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
  open_virtual_file* const f = open_.get();
  if (!f) return errno_code(EBADF);
  if (!f->disk->disk.has_locks) return errc::no_locks;
  file_action act(file_call::lock, f->file->number, f->disk->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  if (length == 0) return {};
  std::int64_t const end = length > std::numeric_limits<std::int64_t>::max() - offset
                               ? std::numeric_limits<std::int64_t>::max()
                               : offset + length;
  task* const me = act ? &act->now() : nullptr;
  // Does not wait for waiting requests, like the kernel's locks.
  if (!f->conflicts(offset, end, kind, me)) {
    f->trim(offset, end, [&](held_lock const& l) { return l.owner == me; });
    f->file->locks.push_back({offset, end, kind, me, f});
    if (act) act->charge(ps_of_ns(f->disk->disk.lock_ns));
    act.end(offset, length);
    return {};
  }
  if (!act) return errno_code(EDEADLK);
  f->file->waiting.push_back({offset, end, kind, me, f});
  std::string holders;
  for (held_lock const& l : f->file->locks)
    if (l.owner != me && l.begin < end && offset < l.end)
      holders += fmt::format("{}rank {}", holders.empty() ? "" : ", ", l.owner ? l.owner->rank->number : -1);
  std::string const words = fmt::format("lock of bytes [{}, {}) of '{}', held by {}", offset, end, f->path, holders);
  try {
    act->block({.kind = call_kind::file, .words = &words});
  } catch (...) {
    std::erase_if(f->file->waiting, [&](lock_wait const& w) { return w.who == me; });
    std::erase_if(f->file->locks, [&](held_lock const& l) { return l.owner == me; });
    f->grant();
    throw;
  }
  act.end(offset, length);
  return {};
}

std::error_code virtual_handle::unlock(std::int64_t offset, std::int64_t length) {
  open_virtual_file* const f = open_.get();
  if (!f) return errno_code(EBADF);
  if (!f->disk->disk.has_locks) return errc::no_locks;
  file_action act(file_call::unlock, f->file->number, 0);
  task* const me = scheduler::running() ? &scheduler::running()->now() : nullptr;
  std::int64_t const end = length > std::numeric_limits<std::int64_t>::max() - offset
                               ? std::numeric_limits<std::int64_t>::max()
                               : offset + length;
  if (!f->trim(offset, end, [&](held_lock const& l) { return l.owner == me; }))
    f->trim(offset, end, [&](held_lock const& l) { return l.through == f && l.begin == offset && l.end == end; });
  f->grant();
  act.end(offset, length);
  return {};
}

std::int64_t virtual_handle::size(std::error_code& error) {
  error.clear();
  if (!open_) {
    error = errno_code(EBADF);
    return 0;
  }
  file_action act(file_call::size, open_->file->number, open_->disk->disk.call_ns);
  act.end(open_->file->size);
  return open_->file->size;
}

std::error_code virtual_handle::resize(std::int64_t bytes) {
  if (!open_) return errno_code(EBADF);
  file_action act(file_call::resize, open_->file->number, open_->disk->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  if (!open_->flags.write) return errno_code(EINVAL);
  open_->disk->resize(*open_->file, bytes);
  act.end(bytes);
  return {};
}

std::error_code virtual_handle::preallocate(std::int64_t bytes) {
  if (!open_) return errno_code(EBADF);
  disk_state& d = *open_->disk;
  stored_file& f = *open_->file;
  file_action act(file_call::preallocate, open_->file->number, d.disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  if (!open_->flags.write) return errno_code(EBADF);
  // Checks first whether there is room: a call that fails leaves everything as it was.
  std::int64_t const blocks = bytes / d.disk.block_bytes + (bytes % d.disk.block_bytes != 0);
  std::int64_t there = 0;
  for (auto const& [number, p] : f.pages)
    for (std::int64_t b = 0; b < page::blocks; ++b)
      there += number * page::blocks + b < blocks && p.allocated[static_cast<std::size_t>(b)];
  if (blocks - there > d.most_blocks() - d.allocated_blocks) {
    act.end(bytes, -1, ENOSPC);
    return errno_code(ENOSPC);
  }
  for (std::int64_t b = 0; b < blocks; ++b)
    d.allocate(d.page_at(f, b / page::blocks), static_cast<std::size_t>(b % page::blocks));
  if (bytes > f.size) d.set_size(f, bytes);
  act.end(bytes);
  return {};
}

std::error_code virtual_handle::sync() {
  if (!open_) return errno_code(EBADF);
  disk_state& d = *open_->disk;
  file_action act(file_call::sync, open_->file->number, d.disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  d.sync(*open_->file, node_here());
  // The queues of all servers are waited for.
  if (act && d.run == act->run_number())
    for (auto const& x : d.free) act->now().time = std::max(act->now().time, x.free + ps_of_ns(d.disk.request_ns));
  act.end();
  return {};
}

std::error_code virtual_handle::close() {
  if (!open_) return errno_code(EBADF);
  {
    file_action act(file_call::close, open_->file->number, open_->disk->disk.call_ns);
    act.end();
  }
  open_.reset();
  return {};
}

std::int64_t virtual_handle::block_bytes() const noexcept { return open_ ? open_->disk->disk.block_bytes : 4096; }

// --- The file system ---

virtual_files::virtual_files(virtual_disk disk) : state_(std::make_shared<disk_state>(disk)) {
  if (disk.servers < 1 || disk.stripe_bytes < 1 || disk.block_bytes < 512 || disk.block_bytes % 512 != 0)
    throw std::invalid_argument(
        "argosy::virtual_files: servers and stripe_bytes must be positive, block_bytes a multiple of 512");
}

opener virtual_files::opener() const {
  auto const open = [d = state_](std::string const& path, open_flags flags, std::error_code& error) -> virtual_handle {
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
      auto file = std::make_shared<stored_file>();
      file->number = ++d->next_number;
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
  };
  auto const remove = [d = state_](std::string const& path) -> std::error_code {
    file_action act(file_call::open, 0, d->disk.call_ns);
    if (act.skipped()) return errno_code(EIO);
    auto const found = d->files.find(path);
    int const error = d->directories.contains(path) ? EISDIR
                      : found == d->files.end()     ? ENOENT
                      : d->read_only                ? EROFS
                                                    : 0;
    if (error == 0) {
      d->forget(*found->second);
      d->files.erase(found);
    }
    act.end(0, -1, error);
    return error == 0 ? std::error_code() : errno_code(error);
  };
  return opener_in_run(open, remove);
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
  std::vector<std::byte> all(static_cast<std::size_t>(found->second->size));
  state_->read(*found->second, 0, all);
  return all;
}

void virtual_files::put(std::string const& path, std::span<std::byte const> bytes) {
  auto& file = state_->files[path];
  if (file) state_->forget(*file);
  file = std::make_shared<stored_file>();
  file->number = ++state_->next_number;
  if (state_->write(*file, 0, bytes) < static_cast<std::int64_t>(bytes.size()))
    throw std::length_error("argosy::virtual_files: the disk is full");
  state_->sync(*file);
}

void virtual_files::make_directory(std::string const& path) { state_->directories[path] = true; }

void virtual_files::set_permissions(std::string const& path, unsigned permissions) {
  state_->files.at(path)->permissions = permissions;
}

void virtual_files::set_read_only(bool on) { state_->read_only = on; }

std::int64_t virtual_files::allocated_bytes() const { return state_->allocated_blocks * state_->disk.block_bytes; }

virtual_files virtual_files::crash(std::uint64_t seed) const {
  constexpr std::int64_t sector = 512;
  auto const left = std::make_shared<disk_state>(state_->disk);
  left->directories = state_->directories;
  left->next_number = state_->next_number;
  std::int64_t const block_bytes = state_->disk.block_bytes;
  for (auto const& [name, file] : state_->files) {
    std::uint64_t const of_file = mixed(seed ^ mixed(file->number));
    if (!file->is_safe && of_file % 2 == 0) continue;
    auto copy = std::make_shared<stored_file>();
    copy->number = file->number;
    copy->permissions = file->permissions;
    copy->size = mixed(of_file) % 2 == 0 ? file->size : file->safe_size;
    for (auto const& [number, p] : file->pages) {
      page survived;
      survived.bytes = p.bytes;
      survived.allocated = p.allocated;
      for (std::int64_t b = 0; b < page::blocks; ++b) {
        auto const block = static_cast<std::size_t>(b);
        if (!p.dirty[block]) continue;
        std::uint64_t const x = mixed(of_file ^ mixed(static_cast<std::uint64_t>(number * page::blocks + b)));
        std::int64_t const sectors = block_bytes / sector;
        // A third each: new, old, and new up to a sector.
        std::int64_t const kept =
            x % 3 == 0   ? block_bytes
            : x % 3 == 1 ? 0
                         : static_cast<std::int64_t>((x >> 8) % static_cast<std::uint64_t>(sectors)) * sector;
        std::int64_t const begin = b * block_bytes + kept, end = (b + 1) * block_bytes;
        if (p.safe.empty())
          std::fill(survived.bytes.begin() + begin, survived.bytes.begin() + end, std::byte{});
        else
          std::copy(p.safe.begin() + begin, p.safe.begin() + end, survived.bytes.begin() + begin);
      }
      // Beyond the size that survived there is nothing.
      std::int64_t const first = number * state_->page_bytes();
      if (copy->size < first + state_->page_bytes())
        std::fill(survived.bytes.begin() + std::max<std::int64_t>(copy->size - first, 0), survived.bytes.end(),
                  std::byte{});
      left->allocated_blocks += static_cast<std::int64_t>(survived.allocated.count());
      copy->pages.emplace(number, std::move(survived));
    }
    left->sync(*copy);
    left->files.emplace(name, std::move(copy));
  }
  return virtual_files(left);
}

}  // namespace argosy::lab

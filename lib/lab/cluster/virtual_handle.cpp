// Implements lab/cluster/virtual_handle.hpp: the calls of an open file in virtual time, and its
// locks.
// SPDX-License-Identifier: BSD-3-Clause
#include "virtual_handle.hpp"

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <argosy/error/errc.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/detail/range_list.hpp>

#include "file_action.hpp"
#include "virtual_disk.hpp"

namespace argosy::lab::detail {

using argosy::detail::overlaps;

bool open_virtual_file::conflicts(std::int64_t begin, std::int64_t end, lock_kind kind,
                                  task const* owner) const {
  return file->locks.any(begin, end, [&](held_lock const& l) {
    return !(l.owner == owner && l.through == this) &&
           (kind == lock_kind::exclusive || l.kind == lock_kind::exclusive);
  });
}

bool open_virtual_file::hold(std::int64_t begin, std::int64_t end, lock_kind kind,
                             task const* owner) {
  bool weaker = false;
  file->locks.trim(begin, end, [&](held_lock const& l) {
    if (l.owner != owner || l.through != this) return false;
    weaker = weaker || l.kind > kind;
    return true;
  });
  file->locks.add({begin, end, kind, owner, this});
  return weaker;
}

void open_virtual_file::grant(std::int64_t begin, std::int64_t end) {
  scheduler* const s = scheduler::running();
  if (!s) return;
  for (auto w = file->waiting.begin(); w != file->waiting.end();) {
    if (!overlaps(*w, begin, end) || w->through->conflicts(w->begin, w->end, w->kind, w->who)) {
      ++w;
      continue;
    }
    lock_wait const granted = *w;
    w = file->waiting.erase(w);
    bool const weaker =
        granted.through->hold(granted.begin, granted.end, granted.kind, granted.who);
    s->wake(*granted.who, s->now().time + ps_of_ns(disk->disk.lock_ns));
    if (weaker) {  // requests before this one may have waited for the stronger lock
      begin = std::min(begin, granted.begin);
      end = std::max(end, granted.end);
      w = file->waiting.begin();
    }
  }
}

void open_virtual_file::unlock_all() {
  if (file->locks.trim_all(this)) grant(0, std::numeric_limits<std::int64_t>::max());
}

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
    act->now().time = std::max(act->now().time, d.serve(*act.operator->(), *f->file,
                                                        std::span<Part const>(moved), writing));
  }
  act.end(parts.empty() ? 0 : parts.front().offset, done.bytes, done.error.value(),
          argosy::detail::count_runs(parts));
  return done;
}

std::int64_t end_of(std::int64_t offset, std::int64_t length) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return length > largest - offset ? largest : offset + length;
}

// Acquires the lock if no other lock conflicts. It ignores requests that wait, as the kernel does.
bool take(open_virtual_file& f, file_action& act, std::int64_t begin, std::int64_t end,
          lock_kind kind) {
  task* const me = act ? &act->now() : nullptr;
  if (f.conflicts(begin, end, kind, me)) return false;
  if (f.hold(begin, end, kind, me)) f.grant(begin, end);
  if (act) act->charge(ps_of_ns(f.disk->disk.lock_ns));
  return true;
}

}  // namespace

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
io_result virtual_handle::read(std::span<read_part const> parts) {
  return transfer(open_.get(), parts);
}
io_result virtual_handle::write(std::span<write_part const> parts) {
  return transfer(open_.get(), parts);
}

std::error_code virtual_handle::lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
  open_virtual_file* const f = open_.get();
  if (!f) return errno_code(EBADF);
  if (!f->disk->disk.has_locks) return errc::no_locks;
  file_action act(file_call::lock, f->file->number, f->disk->disk.call_ns);
  if (act.skipped()) return errno_code(EIO);
  if (length == 0) return {};
  std::int64_t const end = end_of(offset, length);
  task* const me = act ? &act->now() : nullptr;
  if (take(*f, act, offset, end, kind)) {
    act.end(offset, length);
    return {};
  }
  if (!act) return errno_code(EDEADLK);
  f->file->waiting.push_back({offset, end, kind, me, f});
  std::string holders;
  f->file->locks.any(offset, end, [&](held_lock const& l) {
    if (l.owner != me || l.through != f)
      holders += fmt::format("{}rank {}", holders.empty() ? "" : ", ",
                             l.owner ? l.owner->rank->number : -1);
    return false;
  });
  std::string const words =
      fmt::format("lock of bytes [{}, {}) of '{}', held by {}", offset, end, f->path, holders);
  try {
    act->block({.kind = call_kind::file, .words = &words});
  } catch (...) {
    std::erase_if(f->file->waiting, [&](lock_wait const& w) { return w.who == me; });
    f->file->locks.erase_if([&](held_lock const& l) { return l.owner == me; });
    f->grant(0, std::numeric_limits<std::int64_t>::max());
    throw;
  }
  act.end(offset, length);
  return {};
}

bool virtual_handle::try_lock(std::int64_t offset, std::int64_t length, lock_kind kind,
                              std::error_code& error) {
  open_virtual_file* const f = open_.get();
  error = !f                        ? errno_code(EBADF)
          : f->disk->disk.has_locks ? std::error_code()
                                    : make_error_code(errc::no_locks);
  if (error) return false;
  file_action act(file_call::lock, f->file->number, f->disk->disk.call_ns);
  if (act.skipped()) error = errno_code(EIO);
  if (error || length == 0) return !error;
  bool const taken = take(*f, act, offset, end_of(offset, length), kind);
  act.end(offset, length);
  return taken;
}

std::error_code virtual_handle::unlock(std::int64_t offset, std::int64_t length) {
  open_virtual_file* const f = open_.get();
  if (!f) return errno_code(EBADF);
  if (!f->disk->disk.has_locks) return errc::no_locks;
  file_action act(file_call::unlock, f->file->number, 0);
  task* const me = scheduler::running() ? &scheduler::running()->now() : nullptr;
  std::int64_t const end = end_of(offset, length);
  held_locks& locks = f->file->locks;
  if (!locks.trim(offset, end, [&](held_lock const& l) { return l.owner == me && l.through == f; }))
    locks.trim(offset, end, [&](held_lock const& l) {
      return l.through == f && l.begin == offset && l.end == end;
    });
  f->grant(offset, end);
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
  // Checks first whether there is space, because a call that fails changes nothing.
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
  // Waits for the queues of all servers.
  if (act && d.run == act->run_number())
    for (auto const& x : d.free)
      act->now().time = std::max(act->now().time, x.free + ps_of_ns(d.disk.request_ns));
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

std::optional<file_identity> virtual_handle::identity() const {
  return open_ ? std::optional(open_->file->identity()) : std::nullopt;
}

argosy::extend::storage virtual_handle::storage() const {
  argosy::extend::storage s{.name = "the virtual disk"};
  if (!open_) return s;
  virtual_disk const& d = open_->disk->disk;
  // Pieces that do not follow one another are one request each.
  s.prices.call_ns = s.prices.write_call_ns = static_cast<double>(d.call_ns + d.request_ns);
  s.prices.lock_ns = static_cast<double>(d.lock_ns);
  s.exchange.server_call_ns = static_cast<double>(d.request_ns) / std::max(1, d.servers);
  if (d.server_mb_per_s > 0) {
    s.prices.byte_ns = 1e3 / static_cast<double>(d.server_mb_per_s);
    s.exchange.server_byte_ns = s.prices.byte_ns / std::max(1, d.servers);
  }
  s.exchange.crowd = s.exchange.write = 1;
  return s;
}
std::int64_t virtual_handle::block_bytes() const noexcept {
  return open_ ? open_->disk->disk.block_bytes : 4096;
}

}  // namespace argosy::lab::detail

// A client of a distributed file system without coherence between nodes. It wraps the handles of a
// node, caches the pages that were read, and writes later, at some later call. Its cache becomes
// coherent with the file only at the calls that `separate_cache` makes, as in raw_posix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/detail/parts.hpp>
#include <argosy/handle/detail/range_list.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>

#include "support/random.hpp"

namespace argosy::test {

using namespace extend;

// The cache of one file on one node.
struct kept_file {
  static constexpr std::int64_t page_bytes = 128;
  struct pending {
    std::int64_t offset;
    std::vector<std::byte> bytes;
  };
  // by page number; the last page may be short
  std::map<std::int64_t, std::vector<std::byte>> pages;
  // written by the program but not yet in the file, in this order
  std::deque<pending> later;
  bool is_writing = false;  // true while a rank writes the first element of `later` into the file
  std::uint64_t drops = 0;
  struct range {
    std::int64_t begin, end;
  };
  // The locked ranges. While one is locked, writes are not widened to whole pages, as on NFS.
  std::list<range> locks;

  void drop() {
    pages.clear();
    ++drops;
  }
  // Copies the pending writes over the bytes of a page that was read.
  void lay(std::int64_t number, std::vector<std::byte>& page) const {
    std::int64_t const begin = number * page_bytes;
    for (pending const& p : later) {
      std::int64_t const end = p.offset + std::ssize(p.bytes);
      if (end <= begin) continue;
      auto const length =
          static_cast<std::size_t>(std::clamp<std::int64_t>(end - begin, 0, page_bytes));
      if (page.size() < length) page.resize(length);
      std::int64_t const from = std::max(p.offset, begin), to = std::min(end, begin + page_bytes);
      for (std::int64_t at = from; at < to; ++at)
        page[static_cast<std::size_t>(at - begin)] =
            p.bytes[static_cast<std::size_t>(at - p.offset)];
    }
  }
};

// The caches of all files on all nodes.
struct kept_files {
  std::map<std::pair<int, std::string>, std::shared_ptr<kept_file>> all;
  engine random;
  bool writes_pages = false;
  bool reads_late = false;    // dropped pages may come back
  bool locks_refresh = true;  // false: locks do not reach other nodes, as if mounted without locks

  std::shared_ptr<kept_file> of(int node, std::string const& path) {
    std::shared_ptr<kept_file>& f = all[{node, path}];
    if (!f) f = std::make_shared<kept_file>();
    return f;
  }
};

class caching_client : public forwarding<caching_client, any_handle> {
 public:
  caching_client(any_handle inner, std::shared_ptr<kept_files> clients,
                 std::shared_ptr<kept_file> mine)
      : forwarding(std::move(inner)), clients_(std::move(clients)), mine_(std::move(mine)) {}

  io_result read(std::int64_t offset, std::span<std::byte> memory) {
    if (fresh_ < wanted_) {
      std::uint64_t const now = wanted_;
      if (std::error_code const e = write_out()) return {0, e};
      if (!clients_->reads_late || one_in(clients_->random, 2)) mine_->drop();
      fresh_ = now;
    }
    io_result done;
    while (done.bytes < std::ssize(memory)) {
      std::int64_t const at = offset + done.bytes, number = at / kept_file::page_bytes;
      std::vector<std::byte> const page = page_of(number, done.error);
      std::int64_t const from = at - number * kept_file::page_bytes;
      std::int64_t const count = std::min(std::ssize(page) - from, std::ssize(memory) - done.bytes);
      if (done.error || count <= 0) break;
      std::copy_n(page.begin() + from, count, memory.begin() + done.bytes);
      done.bytes += count;
      if (std::ssize(page) < kept_file::page_bytes) break;
    }
    return done;
  }
  io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    if (memory.empty()) return {};
    kept_file::pending p{offset, {memory.begin(), memory.end()}};
    std::int64_t const first = offset / kept_file::page_bytes;
    std::int64_t const last = (offset + std::ssize(memory) - 1) / kept_file::page_bytes;
    if (clients_->writes_pages && mine_->locks.empty()) widen(p, first, last);
    mine_->later.push_back(std::move(p));
    for (auto& [number, page] : mine_->pages)
      if (number <= last) mine_->lay(number, page);
    if (one_in(clients_->random, 3))
      if (std::error_code const e = write_one()) return {0, e};
    return {std::ssize(memory), {}};
  }
  io_result read(std::span<read_part const> parts) {
    return detail::one_by_one(parts,
                              [&](std::int64_t at, std::span<std::byte> m) { return read(at, m); });
  }
  io_result write(std::span<write_part const> parts) {
    return detail::one_by_one(
        parts, [&](std::int64_t at, std::span<std::byte const> m) { return write(at, m); });
  }

  std::error_code lock(std::int64_t offset, std::int64_t length, lock_kind kind) {
    std::error_code const e = forwarding::lock(offset, length, kind);
    if (!e) note_lock(offset, length);
    return e;
  }
  bool try_lock(std::int64_t offset, std::int64_t length, lock_kind kind, std::error_code& error) {
    bool const had = forwarding::try_lock(offset, length, kind, error);
    if (had) note_lock(offset, length);
    return had;
  }
  std::error_code unlock(std::int64_t offset, std::int64_t length) {
    std::error_code const lost = write_out(), e = forwarding::unlock(offset, length);
    take_back(offset, length);
    return e ? e : lost;
  }
  std::int64_t size(std::error_code& error) {
    if ((error = write_out())) return 0;
    return forwarding::size(error);
  }
  std::error_code resize(std::int64_t length) {
    if (std::error_code const e = write_out()) return e;
    mine_->drop();
    return forwarding::resize(length);
  }
  std::error_code preallocate(std::int64_t length) {
    if (std::error_code const e = write_out()) return e;
    mine_->drop();
    return forwarding::preallocate(length);
  }
  std::error_code sync() {
    std::error_code const lost = write_out(), e = forwarding::sync();
    ++wanted_;
    return e ? e : lost;
  }
  std::error_code reconcile() {
    std::error_code const lost = write_out();
    ++wanted_;
    return lost;
  }
  std::error_code close() {
    std::error_code const lost = write_out(), e = forwarding::close();
    return e ? e : lost;
  }
  argosy::extend::storage storage() const {
    argosy::extend::storage told = forwarding::storage();
    told.over_network = told.separate_caches = true;
    told.exact_writes = !clients_->writes_pages;
    told.reads_late = clients_->reads_late;
    return told;
  }

 private:
  static std::int64_t end_of(std::int64_t offset, std::int64_t length) {
    return length > std::numeric_limits<std::int64_t>::max() - offset
               ? std::numeric_limits<std::int64_t>::max()
               : offset + length;
  }
  void take_back(std::int64_t offset, std::int64_t length) {
    detail::trim(mine_->locks, offset, end_of(offset, length), [](auto const&) { return true; });
  }
  void note_lock(std::int64_t offset, std::int64_t length) {
    if (clients_->locks_refresh) ++wanted_;
    take_back(offset, length);
    mine_->locks.push_back({offset, end_of(offset, length)});
  }

  // Returns a page from the cache or the file. Other ranks of the node may write to the cache while
  // the file is read.
  std::vector<std::byte> page_of(std::int64_t number, std::error_code& error) {
    if (auto const kept = mine_->pages.find(number); kept != mine_->pages.end())
      return kept->second;
    std::uint64_t const drops = mine_->drops;
    std::vector<std::byte> page(kept_file::page_bytes);
    kept_file const before = *mine_;  // the read may miss bytes that are written meanwhile
    io_result const got = forwarding::read(number * kept_file::page_bytes, page);
    error = got.error;
    page.resize(static_cast<std::size_t>(got.bytes));
    before.lay(number, page);
    mine_->lay(number, page);
    if (!error && drops == mine_->drops) mine_->pages[number] = page;
    return page;
  }
  // Extends a write to the boundaries of its first and last page, as far as these are cached.
  void widen(kept_file::pending& p, std::int64_t first, std::int64_t last) {
    if (auto const page = mine_->pages.find(last); page != mine_->pages.end()) {
      std::int64_t const end = p.offset + std::ssize(p.bytes) - last * kept_file::page_bytes;
      if (std::ssize(page->second) > end)
        p.bytes.insert(p.bytes.end(), page->second.begin() + end, page->second.end());
    }
    if (auto const page = mine_->pages.find(first); page != mine_->pages.end()) {
      std::int64_t const before =
          std::min(p.offset - first * kept_file::page_bytes, std::ssize(page->second));
      if (before == p.offset - first * kept_file::page_bytes) {
        p.bytes.insert(p.bytes.begin(), page->second.begin(), page->second.begin() + before);
        p.offset -= before;
      }
    }
  }
  // Writes the oldest pending bytes into the file. Only one rank of the node does so at a time.
  // Another rank asks the file for its size meanwhile, as a way to wait, and returns.
  std::error_code write_one() {
    if (mine_->later.empty()) return {};
    std::error_code e;
    if (mine_->is_writing) return forwarding::size(e), e;
    mine_->is_writing = true;
    kept_file::pending const p = mine_->later.front();
    e = forwarding::write(p.offset, p.bytes).error;
    mine_->later.pop_front();
    mine_->is_writing = false;
    return e;
  }
  std::error_code write_out() {
    std::error_code first;
    while (!mine_->later.empty())
      if (std::error_code const e = write_one(); !first) first = e;
    return first;
  }

  std::shared_ptr<kept_files> clients_;
  std::shared_ptr<kept_file> mine_;
  std::uint64_t wanted_ = 1, fresh_ = 0;
};

// Returns an opener for the ranks of `node`.
inline opener caching(opener const& files, std::shared_ptr<kept_files> clients, int node) {
  return files.opening(
      [files, clients = std::move(clients), node](std::string const& path, open_flags flags,
                                                  std::error_code& error) -> any_handle {
        any_handle opened = files(path, flags, error);
        if (error) return {};
        return any_handle(caching_client(std::move(opened), clients, clients->of(node, path)));
      });
}

}  // namespace argosy::test

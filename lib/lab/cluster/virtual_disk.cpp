// Implements virtual_disk.hpp: the bytes of files, which of them are safe, and when servers have
// transferred them.
// SPDX-License-Identifier: BSD-3-Clause
#include "virtual_disk.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <argosy/handle/detail/parts.hpp>

namespace argosy::lab::detail {

int node_here() {
  scheduler* const s = scheduler::running();
  return s ? s->me().node : outside;
}

// --- Bytes ---

void page::written(std::size_t block, int node) {
  dirty[block] = true;
  auto n =
      std::find_if(nodes.begin(), nodes.end(), [=](unsynced const& u) { return u.node == node; });
  if (n == nodes.end()) n = nodes.insert(n, {node, {}});
  n->dirty[block] = true;
}

void page::sync(int node) {
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

disk_state::disk_state(virtual_disk d) : disk(d) {
  if (d.servers < 1 || d.stripe_bytes < 1 || d.block_bytes < 512 || d.block_bytes % 512 != 0)
    throw std::invalid_argument(
        "argosy::lab::virtual_files: servers and stripe_bytes must be positive, block_bytes a "
        "multiple of 512");
  free.resize(static_cast<std::size_t>(d.servers));
}

void disk_state::follow(scheduler* s) {
  if (!s) return;
  virtual_disk const& wanted = s->scenario().disk;
  if (!is_given && (files.empty() || wanted.block_bytes == disk.block_bytes)) {
    free = disk_state(wanted).free;
    disk = wanted;
  }
  is_given = true;
  if (disk == wanted) s->disk_opened = true;
}

std::shared_ptr<stored_file> disk_state::make_file(std::string const& path) {
  auto file = std::make_shared<stored_file>();
  file->number = ++next_number;
  file->hollow = !keeps_bytes(kept, path);
  return file;
}

std::int64_t disk_state::write(stored_file& f, std::int64_t offset,
                               std::span<std::byte const> from) {
  auto const length = static_cast<std::int64_t>(from.size());
  std::int64_t done = 0;
  while (done < length) {
    std::int64_t const at = offset + done;
    page& p = page_at(f, at / page_bytes());
    std::int64_t const within = at % page_bytes(), block = within / disk.block_bytes;
    std::int64_t const n = std::min(length - done, (block + 1) * disk.block_bytes - within);
    if (!allocate(p, static_cast<std::size_t>(block))) break;
    if (!f.hollow)
      std::memcpy(p.bytes.data() + within, from.data() + done, static_cast<std::size_t>(n));
    done += n;
  }
  if (done > 0 && offset + done > f.size) set_size(f, offset + done);
  return done;
}

void disk_state::set_size(stored_file& f, std::int64_t bytes) {
  int const node = node_here();
  f.size = bytes;
  if (std::find(f.resized_by.begin(), f.resized_by.end(), node) == f.resized_by.end())
    f.resized_by.push_back(node);
}

bool disk_state::allocate(page& p, std::size_t block) {
  bool const fresh = p.allocated.none();
  if (!p.allocated[block]) {
    // The disk is full. The rest of its capacity is less than a block, and is lost.
    if (allocated_blocks >= most_blocks()) return false;
    ++allocated_blocks;
    p.allocated[block] = true;
  }
  if (p.dirty.none() && !fresh) p.safe = p.bytes;
  p.written(block, node_here());
  return true;
}

page& disk_state::page_at(stored_file& f, std::int64_t number) {
  page& p = f.pages[number];
  if (p.bytes.empty() && !f.hollow) p.bytes.resize(static_cast<std::size_t>(page_bytes()));
  return p;
}

std::int64_t disk_state::read(stored_file const& f, std::int64_t offset,
                              std::span<std::byte> into) const {
  std::int64_t const length =
      std::clamp<std::int64_t>(f.size - offset, 0, static_cast<std::int64_t>(into.size()));
  for (std::int64_t done = f.hollow ? length : 0; done < length;) {
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

void disk_state::resize(stored_file& f, std::int64_t bytes) {
  if (bytes < f.size) {
    std::int64_t const last = bytes / page_bytes();
    for (auto p = f.pages.lower_bound(last); p != f.pages.end(); ++p) {
      std::int64_t const from = p->first == last ? bytes % page_bytes() : 0;
      for (std::int64_t b = from / disk.block_bytes; b < page::blocks; ++b) {
        auto const block = static_cast<std::size_t>(b);
        if (!p->second.allocated[block]) continue;
        std::int64_t const begin = std::max(from, b * disk.block_bytes);
        allocate(p->second, block);
        if (!f.hollow)
          std::memset(p->second.bytes.data() + begin, 0,
                      static_cast<std::size_t>((b + 1) * disk.block_bytes - begin));
        if (begin == b * disk.block_bytes) {
          p->second.allocated[block] = false;
          --allocated_blocks;
        }
      }
    }
  }
  set_size(f, bytes);
}

void disk_state::sync(stored_file& f, int node) {
  for (auto p = f.pages.begin(); p != f.pages.end();) {
    p->second.sync(node);
    p = p->second.allocated.none() && p->second.dirty.none() ? f.pages.erase(p) : std::next(p);
  }
  std::erase_if(f.resized_by, [=](int n) { return node == outside || n == node; });
  if (f.resized_by.empty()) f.safe_size = f.size;
  f.is_safe = true;
}

void disk_state::forget(stored_file const& f) {
  for (auto const& [number, p] : f.pages)
    allocated_blocks -= static_cast<std::int64_t>(p.allocated.count());
}

// --- Time ---

template <class Part>
picoseconds disk_state::serve(scheduler& s, stored_file const& f, std::span<Part const> parts,
                              bool writing) {
  task const& t = s.now();
  if (run != s.run_number()) {
    run = s.run_number();
    for (server& x : free) x = {};
  }
  virtual_network const& net = s.scenario().network;
  std::int64_t const bytes = argosy::detail::total_bytes(parts);
  picoseconds const through = ps_of_bytes(bytes, net.adapter_mb_per_s),
                    latency = ps_of_ns(net.latency_ns);
  picoseconds const sent = writing ? s.leave_node(t.rank->node, t.time, through) + through : t.time;
  picoseconds end = sent + latency;
  for (Part const& p : parts) {
    auto const length = static_cast<std::int64_t>(p.memory.size());
    for (std::int64_t done = 0; done < length;) {
      std::int64_t const at = p.offset + done, stripe = at / disk.stripe_bytes;
      std::int64_t const n = std::min(length - done, (stripe + 1) * disk.stripe_bytes - at);
      server& x = free[static_cast<std::size_t>((static_cast<std::uint64_t>(stripe) + f.number) %
                                                free.size())];
      // True if this is the server's next stripe after the last one.
      bool const follows =
          x.file == f.number &&
          (x.next == at ||
           (at % disk.stripe_bytes == 0 &&
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

template picoseconds disk_state::serve(scheduler&, stored_file const&, std::span<read_part const>,
                                       bool);
template picoseconds disk_state::serve(scheduler&, stored_file const&, std::span<write_part const>,
                                       bool);

}  // namespace argosy::lab::detail

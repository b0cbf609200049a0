// Implements reads and writes through the page pool (client_blocks.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include "client_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace argosy::lab::gpfs::detail::client {

bool block_access::run(operation& o, file& f) {
  while (o.done < o.length) {
    std::int64_t const at = o.offset + o.done;
    std::int64_t const block = at / context_.block_bytes(), inside = at % context_.block_bytes();
    std::int64_t const n = std::min(context_.block_bytes() - inside, o.length - o.done);
    if (o.is_write && !pool_.room_for_dirty(o, block)) return false;
    auto p = pool_.need(o, f, block, {inside, inside + n});
    if (!p) {
      if (o.error != 0) return true;
      if (!o.is_write) read_ahead(o, f, block + 1);
      return false;
    }
    if (o.is_write) {
      p.write(inside, o.from + o.done, n, o.who);
      f.allocated.add(block_range{block, block + 1});
      f.size.bytes = std::max(f.size.bytes, at + n);
    } else {
      p.read(inside, o.into + o.done, n);
    }
    pool_.let_go(o);
    o.done += n;
    o.ready = std::max(o.ready, context_.copy(n, o.asked.owner));
    if (o.is_write && inside + n == context_.block_bytes()) write_behind(o, p);
  }
  return true;
}

// Starts reading the following blocks that the call needs, so that their reads run while the call
// waits for this one.
void block_access::read_ahead(operation const& o, file const& f, std::int64_t block) {
  std::int64_t const end = blocks_of(o.offset, o.length, context_.block_bytes()).end;
  std::int64_t const limit = std::min({end, block + context_.machine().prefetch_max_blocks - 1,
                                       block + context_.machine().blocks_ahead()});
  for (; block < limit; ++block) {
    if (pool_.contains({o.file, block})) continue;
    if (block * context_.block_bytes() >= f.size.bytes ||
        !pool_.read_ahead({o.file, block}, f.hollow, o.who, false))
      return;
  }
}

void block_access::write_behind(operation const& o, page_pool::ready_page& p) {
  auto const i = o.kind == operation::what::call ? instances_.find(o.instance) : instances_.end();
  if (i != instances_.end() && !i->second.prefetch_write) return;
  p.write_behind(i != instances_.end() &&
                 i->second.pattern.found() == access_pattern::kind::sequential);
}

// Returns how many blocks to prefetch: as many as the task consumes while one is read.
std::int64_t block_access::depth(instance const& i) const {
  double const wanted = std::ceil(i.bytes_per_s * pool_.read_latency_s() /
                                  static_cast<double>(context_.block_bytes()));
  std::int64_t const most =
      std::min(context_.machine().prefetch_max_blocks, context_.machine().blocks_ahead());
  if (most <= 0) return 0;
  return wanted >= static_cast<double>(most)
             ? most
             : std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
}

void block_access::prefetch(instance const& i, file const& f, reader const& stream) {
  using kind = access_pattern::kind;
  access_pattern const& p = i.pattern;
  if (!i.prefetch_read || p.found() == kind::unknown || !f.mode.is_off()) return;
  std::int64_t left = depth(i);
  auto const fetch = [&](std::int64_t block) {
    --left;
    if (block * context_.block_bytes() >= f.size.bytes || f.tokens.at(block) == token_mode::none)
      return false;
    return pool_.contains({i.file, block}) ||
           pool_.read_ahead({i.file, block}, f.hollow, stream, true);
  };
  if (p.found() == kind::sequential) {
    for (std::int64_t block = (p.end() - 1) / context_.block_bytes() + 1; left > 0 && fetch(block);
         ++block) {
    }
    return;
  }
  for (std::int64_t offset = p.offset() + p.distance(); left > 0; offset += p.distance()) {
    block_range const blocks = blocks_of(offset, p.length(), context_.block_bytes());
    for (std::int64_t block = blocks.begin; block < blocks.end && left > 0; ++block)
      if (!fetch(block)) return;
  }
}

}  // namespace argosy::lab::gpfs::detail::client

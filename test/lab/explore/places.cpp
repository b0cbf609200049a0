// SPDX-License-Identifier: BSD-3-Clause
#include "places.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include <argosy/datatype/indexed.hpp>
#include <argosy/datatype/resized.hpp>
#include <argosy/datatype/vector.hpp>

#include "support/random_tree.hpp"

namespace argosy::explore {

using namespace extend;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t x = a + 0x9e3779b97f4a7c15u * (b + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::byte byte_of(std::uint64_t key, std::int64_t i) noexcept {
  return static_cast<std::byte>(mixed(key, static_cast<std::uint64_t>(i)) >> 56);
}

namespace {

// A tree that is usable as a filetype or as memory.
struct sound {
  std::vector<piece> pieces;
  std::int64_t extent, bytes;
  layout form;  // lower bound 0, this extent
};

test::growth const small{.depth = 3, .most_pieces = 40, .huge = false};

// Returns the tree of a seed if its pieces are ascending and disjoint, as those of filetypes must
// be.
std::optional<sound> as_filetype(std::uint64_t seed) {
  test::tree const t = test::random_tree(seed, small);
  std::vector<piece> const all = test::joined(test::expand(t, test::bounds_rule::hull).pieces);
  std::int64_t end = 0, bytes = 0;
  for (piece const& p : all) {
    if (p.offset < end) return {};
    end = p.end();
    bytes += p.length;
  }
  if (bytes == 0 || end > 400) return {};
  return sound{all, end, bytes,
               argosy::resized(test::to_layout(t, test::bounds_rule::hull), 0, end)};
}

// Returns the tree of a seed if its pieces are disjoint, also when it is repeated. They may have
// any order.
std::optional<sound> as_memory(std::uint64_t seed) {
  test::tree const t = test::random_tree(seed, small);
  test::type_map const map = test::expand(t, test::bounds_rule::hull);
  std::vector<piece> const all = test::joined(map.pieces);
  std::vector<piece> sorted = all;
  std::sort(sorted.begin(), sorted.end(),
            [](piece const& a, piece const& b) { return a.offset < b.offset; });
  if (sorted.empty()) return {};
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].offset < sorted[i - 1].end()) return {};
    bytes += sorted[i].length;
  }
  std::int64_t const span = sorted.back().end() - sorted.front().offset;
  if (span > 2000) return {};
  return sound{
      all, span, bytes,
      argosy::resized(test::to_layout(t, test::bounds_rule::hull), sorted.front().offset, span)};
}

// Returns the first usable tree of a seed, or null. Results are cached, because making trees takes
// longer than anything else here.
template <class F>
sound const* found(std::uint64_t seed, F&& f) {
  static std::map<std::uint64_t, std::optional<sound>> known;
  auto [at, is_new] = known.try_emplace(seed);
  for (std::uint64_t i = 0; is_new && i < 12 && !at->second; ++i) at->second = f(mixed(seed, i));
  return at->second ? &*at->second : nullptr;
}

// The etypes that belong to each rank.
using stretches = std::vector<std::vector<piece>>;

stretches dealt(test::engine& random, int ranks, std::int64_t extent) {
  stretches all(static_cast<std::size_t>(ranks));
  std::int64_t const longest = test::one_in(random, 4) ? 20 : 3;
  for (std::int64_t at = 0; at < extent;) {
    std::int64_t const length = std::min(test::pick(random, 1, longest), extent - at);
    auto const owner = static_cast<std::size_t>(test::pick(random, 0, ranks));
    if (owner < all.size()) all[owner].push_back({at, length});
    at += length;
  }
  return all;
}

// Extends each stretch into those of its neighbours. Some ranks then lose every second part of the
// file.
void add_ghosts(test::engine& random, stretches& all, std::int64_t extent) {
  std::int64_t const border = test::one_in(random, 3) ? extent / 2 : test::pick(random, 1, 4);
  std::int64_t const part = std::int64_t{1} << test::pick(random, 1, 6);
  bool const some_parts = test::one_in(random, 2);
  for (std::vector<piece>& mine : all) {
    std::vector<bool> has(static_cast<std::size_t>(extent));
    std::int64_t const absent = some_parts ? test::pick(random, 0, 2) : 2;
    bool const has_holes = test::one_in(random, 2);
    for (piece const& p : mine)
      for (std::int64_t at = std::max<std::int64_t>(0, p.offset - border);
           at < std::min(extent, p.end() + border); ++at)
        has[static_cast<std::size_t>(at)] = at / part % 2 != absent && !(has_holes && at % 5 == 2);
    mine.clear();
    for (std::int64_t at = 0; at < extent; ++at)
      if (has[static_cast<std::size_t>(at)]) {
        if (!mine.empty() && mine.back().end() == at)
          ++mine.back().length;
        else
          mine.push_back({at, 1});
      }
  }
}

// Moves the later pieces of the stream by a few extents, so that copies of the filetype interleave.
void interleave(test::engine& random, stretches& all, std::int64_t extent) {
  for (std::vector<piece>& mine : all) {
    if (mine.size() < 2) continue;
    auto const from =
        static_cast<std::size_t>(test::pick(random, 1, static_cast<std::int64_t>(mine.size()) - 1));
    std::int64_t const by = extent * test::pick(random, 1, 3);
    for (std::size_t i = from; i < mine.size(); ++i) mine[i].offset += by;
  }
}

std::int64_t etype_bytes_of(view_choice const& v) {
  return v.item == basic_type::byte ? v.etype_bytes : file_bytes_of(v.representation, v.item);
}

// Makes a tile of blocks of etypes.
tile tile_of(view_choice const& v, std::vector<piece> const& etypes, std::int64_t extent) {
  std::int64_t const e = etype_bytes_of(v);
  tile t{{}, extent * e, 0, v.displacement, e, {}, {}, {v.item}, {}};
  std::vector<std::int64_t> lengths, starts;
  for (piece const& p : etypes) {
    t.pieces.push_back({p.offset * e, p.length * e});
    t.bytes += p.length * e;
    t.blocks.push_back({p.offset * e, p.length});
    lengths.push_back(p.length);
    starts.push_back(p.offset * e);
  }
  t.pieces = test::joined(t.pieces);
  if (v.item != basic_type::byte) return t;
  t.etype = bytes(e);
  t.filetype = argosy::resized(hindexed(lengths, starts, bytes(e)).form(), 0, t.extent);
  return t;
}

std::vector<tile> deal(view_choice const& v, int ranks) {
  test::engine random(v.seed);
  std::int64_t extent = test::pick(random, 1, 6 * ranks);
  if (v.shape == shape::ghosts) extent *= test::pick(random, 1, 8);
  stretches all = dealt(random, ranks, extent);
  if (v.shape == shape::ghosts) add_ghosts(random, all, extent);
  if (v.shape == shape::dealt && test::one_in(random, 5)) interleave(random, all, extent);
  std::vector<tile> tiles;
  for (std::vector<piece> const& mine : all) tiles.push_back(tile_of(v, mine, extent));
  return tiles;
}

std::vector<tile> made(view_choice const& v, int ranks) {
  if (v.shape == shape::dealt || v.shape == shape::ghosts) return deal(v, ranks);
  sound const* const s = v.shape == shape::plain ? nullptr : found(2 * v.seed, as_filetype);
  std::vector<tile> all(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < all.size(); ++r) {
    tile& t = all[r];
    if (v.shape == shape::plain) {
      t = tile_of(v, {{0, 1}}, 1);
      continue;
    }
    // If no usable tree was found, the view has single bytes.
    std::int64_t const extent = s ? s->extent : 1, ways = v.shape == shape::woven ? ranks : 1;
    t = {s ? s->pieces : std::vector<piece>{{0, 1}},
         extent * ways,
         s ? s->bytes : 1,
         v.displacement,
         1,
         bytes(1),
         {},
         {},
         {}};
    if (v.shape == shape::woven) t.displacement += static_cast<std::int64_t>(r) * extent;
    t.filetype = argosy::resized(s ? s->form : bytes(1), 0, t.extent);
  }
  return all;
}

}  // namespace

// The last result is cached, because every rank asks for the same view.
std::vector<tile> const& tiles_of(view_choice const& v, int ranks) {
  static view_choice of;
  static std::vector<tile> all;
  if (all.size() != static_cast<std::size_t>(ranks) || of != v) all = made(v, ranks);
  of = v;
  return all;
}

std::vector<piece> tile::locate(std::int64_t from, std::int64_t count) const {
  std::vector<piece> all;
  if (count == 0) return all;
  std::int64_t at = displacement + from / bytes * extent, within = from % bytes;
  for (std::size_t i = 0; count > 0; i = (i + 1) % pieces.size(), at += i == 0 ? extent : 0) {
    piece const& p = pieces[i];
    if (within >= p.length) {
      within -= p.length;
      continue;
    }
    std::int64_t const length = std::min(p.length - within, count);
    if (!all.empty() && all.back().end() == at + p.offset + within)
      all.back().length += length;
    else
      all.push_back({at + p.offset + within, length});
    within = 0;
    count -= length;
  }
  return all;
}

bool tile::interleaves() const {
  return !pieces.empty() && pieces.back().end() - pieces.front().offset > extent;
}

std::int64_t tile::etypes_before(std::int64_t size) const {
  if (size <= displacement || bytes == 0) return 0;
  if (interleaves()) {  // the first etype beyond the end, even if later ones lie before the end
    std::int64_t const of_tile = bytes / etype_bytes;
    std::int64_t const whole =
        std::max<std::int64_t>(0, (size - displacement - pieces.back().end()) / extent);
    for (std::int64_t k = whole * of_tile;; ++k)
      if (locate(k * etype_bytes, 1)[0].offset >= size) return k;
  }
  std::int64_t const inside = (size - displacement) % extent;
  std::int64_t before = (size - displacement) / extent * (bytes / etype_bytes), at = 0;
  // Etypes lie in the order of the stream; one may consist of several pieces.
  for (piece const& p : pieces)
    for (std::int64_t i = 0; i < p.length; ++i, ++at)
      if (at % etype_bytes == 0 && p.offset + i < inside) ++before;
  return before;
}

memory_map memory_of(std::uint64_t seed, std::int64_t n) {
  constexpr std::int64_t margin = 16;
  memory_map m;
  m.base = margin;
  sound const* s = seed == 0 || n == 0 ? nullptr : found(2 * seed + 1, as_memory);
  if (s && n % s->bytes == 0) {
    std::int64_t const low = s->form.lower_bound();
    m.base = margin - low;
    for (std::int64_t i = 0; i < n / s->bytes; ++i)
      for (piece const& p : s->pieces)
        m.pieces.push_back({m.base + i * s->extent + p.offset, p.length});
    m.form = repeat(n / s->bytes, s->extent, s->form);
    m.buffer_bytes = 2 * margin + n / s->bytes * s->extent;
  } else if (seed != 0 && n > 0 && n <= 600) {
    // the bytes lie backwards in memory
    std::int64_t const stride = 1 + static_cast<std::int64_t>(seed % 4);
    m.base = margin + (n - 1) * stride;
    for (std::int64_t i = 0; i < n; ++i) m.pieces.push_back({m.base - i * stride, 1});
    m.form = hvector(n, 1, -stride, bytes(1)).form();
    m.buffer_bytes = 2 * margin + n * stride;
  } else {
    if (n > 0) m.pieces.push_back({margin, n});
    m.form = bytes(n);
    m.buffer_bytes = 2 * margin + n;
  }
  return m;
}

}  // namespace argosy::explore

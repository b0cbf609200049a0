// Random trees of datatypes. All properties of a layout are compared with plain lists of offsets
// and lengths. One page because one oracle checks all properties.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <argosy/layout/copy.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/print.hpp>

#include "support/random_tree.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"
#include "support/sparse_memory.hpp"

namespace io = argosy;
using namespace argosy::test;

namespace {

constexpr std::uint64_t trees = sanitized ? 8'000 : 24'000;
constexpr std::int64_t widest_memory = 1 << 18;  // largest layout that is really packed

// The first fault of a case, so that a failing seed prints one line.
struct verdict {
  std::string fault;
  void expect(bool good, char const* what) {
    if (!good && fault.empty()) fault = what;
  }
};

// Calls `check` for each case. ARGOSY_TEST_SEED=<seed> starts with that case.
template <class Check>
void for_each_tree(Check check) {
  for (std::uint64_t i = 0; i < trees; ++i) {
    std::uint64_t const case_seed = seed() + i;
    tree const t = random_tree(case_seed);
    io::layout const l = to_layout(t, bounds_rule::hull);
    engine random(~case_seed);
    verdict v;
    check(t, l, random, v);
    if (!v.fault.empty())
      FAIL(v.fault << "\nARGOSY_TEST_SEED=" << case_seed << "\ntree:   " << to_text(t)
                   << "\nlayout: " << io::to_string(l));
  }
}

std::vector<io::extend::piece> pieces_of(io::layout const& l) {
  std::vector<io::extend::piece> result;
  for (io::extend::cursor at(l); !at.done(); at.next()) result.push_back(at.current());
  return result;
}

bool same_nodes(io::layout const& a, io::layout const& b) {
  return std::ranges::equal(a.nodes(), b.nodes()) && std::ranges::equal(a.places(), b.places()) &&
         std::ranges::equal(a.tables(), b.tables()) && a.origin() == b.origin();
}

// --- The oracle's answers: one loop each over the list ---

std::int64_t total(std::vector<io::extend::piece> const& pieces) {
  std::int64_t bytes = 0;
  for (io::extend::piece const& p : pieces) bytes += p.length;
  return bytes;
}

std::int64_t below(std::vector<io::extend::piece> const& pieces, std::int64_t offset) {
  std::int64_t bytes = 0;
  for (io::extend::piece const& p : pieces)
    bytes += std::clamp<std::int64_t>(offset - p.offset, 0, p.length);
  return bytes;
}

bool overlap(std::vector<io::extend::piece> pieces) {
  std::ranges::sort(pieces, {}, &io::extend::piece::offset);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].offset < pieces[i - 1].end()) return true;
  return false;
}

bool monotonic(std::vector<io::extend::piece> const& pieces) {
  return std::ranges::is_sorted(pieces, {}, &io::extend::piece::offset);
}

// Returns bytes [from, to) of the stream, as pieces.
std::vector<io::extend::piece> cut(std::vector<io::extend::piece> const& pieces, std::int64_t from,
                                   std::int64_t to) {
  std::vector<io::extend::piece> result;
  std::int64_t start = 0;
  for (io::extend::piece const& p : pieces) {
    std::int64_t const begin = std::max(from, start) - start,
                       end = std::min(to, start + p.length) - start;
    if (begin < end) result.push_back({p.offset + begin, end - begin});
    start += p.length;
  }
  return result;
}

// --- Memory that a layout fits into, with room around it ---

class memory {
 public:
  explicit memory(io::layout const& l) : low_(l.true_lower_bound() - margin) {
    bytes_.resize(static_cast<std::size_t>(l.true_extent() + 2 * margin));
  }
  memory(io::layout const& l, engine& random) : memory(l) {
    for (std::byte& b : bytes_) b = static_cast<std::byte>(random() >> 32);
  }
  std::byte* origin() { return bytes_.data() - low_; }
  void write(std::vector<io::extend::piece> const& pieces, std::byte const* stream) {
    for (io::extend::piece const& p : pieces) {
      std::memcpy(origin() + p.offset, stream, static_cast<std::size_t>(p.length));
      stream += p.length;
    }
  }
  std::vector<std::byte> read(std::vector<io::extend::piece> const& pieces) {
    std::vector<std::byte> stream(static_cast<std::size_t>(total(pieces)));
    std::byte* to = stream.data();
    for (io::extend::piece const& p : pieces) {
      std::memcpy(to, origin() + p.offset, static_cast<std::size_t>(p.length));
      to += p.length;
    }
    return stream;
  }
  friend bool operator==(memory const& a, memory const& b) { return a.bytes_ == b.bytes_; }

 private:
  static constexpr std::int64_t margin = 64;
  std::int64_t low_;
  std::vector<std::byte> bytes_;
};

}  // namespace

TEST_CASE("random trees: pieces, sizes and bounds", "[layout][random]") {
  std::array<std::size_t, forms> seen{};
  std::array<std::size_t, 6> deep{};
  std::size_t fortran = 0, dealt_in_cycles = 0, zero_counts = 0, negative_strides = 0, holes = 0;
  std::size_t empty = 0, far = 0, backward = 0, overlapping = 0, other_by_markers = 0;
  std::int64_t most = 0;
  for_each_tree([&](tree const& t, io::layout const& l, engine&, verdict& v) {
    auto const count_forms = [&](auto const& self, tree const& at) -> std::size_t {
      ++seen[static_cast<std::size_t>(at.form)];
      fortran += at.fortran;
      dealt_in_cycles += std::ranges::any_of(
          at.rules, [](auto r) { return r.kind == io::distribute::kind::cyclic; });
      bool const counted =
          at.form == form::contiguous || at.form == form::vector || at.form == form::hvector;
      zero_counts += (counted && at.count == 0) || std::ranges::count(at.lengths, 0) > 0;
      negative_strides += at.stride < 0 && at.count > 1;
      std::size_t below = 0;
      for (tree const& p : at.parts) below = std::max(below, self(self, p));
      return below + (at.form != form::leaf);
    };
    ++deep.at(count_forms(count_forms, t));
    type_map const want = expand(t, bounds_rule::hull);
    std::vector<io::extend::piece> const pieces = joined(want.pieces);
    std::int64_t low = 0, high = 0;
    for (io::extend::piece const& p : pieces) {
      low = &p == pieces.data() ? p.offset : std::min(low, p.offset);
      high = &p == pieces.data() ? p.end() : std::max(high, p.end());
    }
    v.expect(pieces_of(l) == pieces, "pieces differ");
    v.expect(l.pieces() == static_cast<std::int64_t>(pieces.size()), "number of pieces");
    v.expect(l.size() == total(pieces), "size");
    v.expect(l.empty() == pieces.empty(), "empty");
    v.expect(l.is_contiguous() == (pieces.size() <= 1), "is_contiguous");
    v.expect(l.lower_bound() == want.limits.low || (pieces.empty() && l.extent() == 0),
             "lower bound");
    v.expect(l.extent() == want.limits.extent(), "extent");
    v.expect(l.true_lower_bound() == low, "true lower bound");
    v.expect(l.true_extent() == high - low, "true extent");
    v.expect(l.is_monotonic() == monotonic(pieces), "is_monotonic");
    v.expect(l.overlaps() == overlap(pieces), "overlaps");

    auto const marked = expand(t, bounds_rule::markers).limits;
    other_by_markers += marked.low != want.limits.low || marked.high != want.limits.high;
    most = std::max(most, l.pieces());
    empty += l.empty();
    far += l.true_extent() > std::int64_t{1} << 31;
    backward += !l.is_monotonic();
    overlapping += l.overlaps();
    holes += l.size() < l.extent();
  });
  WARN(trees << " trees: " << empty << " empty, " << far << " wider than 2^31, " << backward
             << " not monotonic, " << overlapping << " overlap, at most " << most << " pieces; "
             << other_by_markers
             << " have other bounds where a bound set by hand outweighs others");
  for (std::size_t f = 0; f < forms; ++f) {
    INFO(name_of(static_cast<form>(f)));
    CHECK(seen[f] >= trees / 24);
  }
  for (std::size_t depth = 0; depth <= 4; ++depth) CHECK(deep[depth] >= trees / 24);
  CHECK(fortran >= trees / 24);
  CHECK(dealt_in_cycles >= trees / 24);
  CHECK(zero_counts >= trees / 24);
  CHECK(negative_strides >= trees / 24);
  CHECK(holes >= trees / 24);
  CHECK(far >= trees / 48);
  CHECK(backward >= trees / 24);
  CHECK(overlapping >= trees / 24);
}

TEST_CASE("random trees: copies in place", "[layout][random]") {
  for_each_tree([](tree const&, io::layout const& l, engine& random, verdict& v) {
    std::int64_t const count = pick(random, 0, 3);
    std::int64_t const strides[] = {l.size(), l.extent(), -l.extent(), pick(random, -50, 50)};
    std::int64_t const stride = strides[pick(random, 0, 3)];
    auto const copies = [&](bool in_place) -> std::optional<io::layout> {
      try {
        if (!in_place) return repeat(count, stride, l);
        io::layout form = l;
        io::detail::multiply(form, count, stride);
        return form;
      } catch (io::invalid_layout const&) {
        return {};
      }
    };
    v.expect(copies(true) == copies(false), "multiply");
  });
}

TEST_CASE("random trees: every way of seeking", "[layout][cursor][random]") {
  for_each_tree([](tree const& t, io::layout const& l, engine& random, verdict& v) {
    std::vector<io::extend::piece> const pieces = joined(expand(t, bounds_rule::hull).pieces);
    bool const sorted = monotonic(pieces) && !overlap(pieces);
    std::int64_t const low = l.true_lower_bound() - 3, high = l.true_upper_bound() + 3;
    for (int i = 0; i < 6; ++i) {
      std::int64_t from = pick(random, low, high), to = pick(random, low, high);
      if (!pieces.empty() && one_in(random, 2)) {  // also at the ends of pieces
        io::extend::piece const& p =
            pieces[static_cast<std::size_t>(pick(random, 0, l.pieces() - 1))];
        from = pick(random, 0, 1) == 0 ? p.offset + pick(random, -1, 1)
                                       : p.end() + pick(random, -1, 1);
      }
      v.expect(l.bytes_before(from) == below(pieces, from), "bytes_before");
      v.expect(
          l.bytes_within(from, to) == (to <= from ? 0 : below(pieces, to) - below(pieces, from)),
          "bytes_within");

      std::int64_t const position = pick(random, 0, l.size());
      io::extend::cursor c(l);
      c.seek(position);
      v.expect(c.position() == position, "position after seek");
      auto const rest = cut(pieces, position, l.size());
      std::size_t k = 0;
      for (; !c.done() && k < rest.size() && c.current() == rest[k]; ++k) c.next();
      v.expect(c.done() && k == rest.size(), "pieces after seek");
      if (position < l.size()) {
        auto const place = io::detail::place_of(l, position);
        v.expect(place.piece == l.pieces() - static_cast<std::int64_t>(rest.size()), "piece");
        v.expect(place.offset == rest[0].offset, "offset");
        v.expect(l.piece_at(position) == place.piece, "piece_at");
      }

      // Whole runs, and steps of any size, must end at the same place.
      io::extend::cursor runs(l, position);
      k = 0;
      while (!runs.done()) {
        io::extend::piece_run const r = runs.current_run();
        for (std::int64_t n = 0; n < r.count; ++n, ++k)
          v.expect(
              k < rest.size() && rest[k] == io::extend::piece{r.offset + n * r.stride, r.length},
              "runs");
        runs.skip(r.count);
      }
      v.expect(k == rest.size(), "number of pieces in runs");
      io::extend::cursor steps(l);
      for (std::int64_t at = 0; !steps.done();) {
        v.expect(steps.position() == at, "position of a stepping cursor");
        std::int64_t const step = pick(random, 1, 1 + l.size() / 3);
        auto const piece = cut(pieces, at, l.size());
        v.expect(!piece.empty() && piece[0] == steps.current(), "piece of a stepping cursor");
        steps.advance(step);
        at = std::min(at + step, l.size());
      }

      if (!sorted) continue;
      io::extend::cursor by_offset(l);
      by_offset.seek_offset(from);
      auto const first =
          std::ranges::find_if(pieces, [&](io::extend::piece const& p) { return p.end() > from; });
      v.expect(by_offset.done() == (first == pieces.end()), "done after seek_offset");
      if (first != pieces.end() && !by_offset.done()) {
        std::int64_t const begin = std::max(first->offset, from);
        v.expect(by_offset.current() == io::extend::piece{begin, first->end() - begin},
                 "piece after seek_offset");
      }
    }
  });
}

TEST_CASE("random trees: equal bytes are equal layouts, however they are described",
          "[layout][random]") {
  std::size_t other_by_table = 0, other_by_pieces = 0, other_by_repeat = 0, other_by_concat = 0,
              irregular = 0;
  for_each_tree([&](tree const& t, io::layout const& l, engine& random, verdict& v) {
    type_map const want = expand(t, bounds_rule::hull);
    list offsets, lengths;
    for (io::extend::piece const& p : joined(want.pieces)) {
      offsets.push_back(p.offset);
      lengths.push_back(p.length);
    }
    io::layout const by_table = resized(io::table(offsets, lengths), l.lower_bound(), l.extent());
    v.expect(by_table == l && l == by_table, "not equal to a table of its pieces");
    other_by_table += !same_nodes(by_table, l);
    irregular += !l.is_regular();

    std::vector<io::layout> leaves;
    for (io::extend::piece const& p : want.pieces)
      leaves.push_back(at(p.offset, io::bytes(p.length)));
    io::layout const by_pieces = resized(io::concat(leaves), l.lower_bound(), l.extent());
    v.expect(by_pieces == l, "not equal to its leaves, one after the other");
    other_by_pieces += !same_nodes(by_pieces, l);

    // A normal form must be its own normal form.
    io::layout const once = repeat(1, pick(random, -99, 99), l), alone = io::concat(l);
    v.expect(once == l || l.extent() == 0, "repeat(1) is not the layout");
    v.expect(alone == l || l.extent() == 0, "a list of one is not the layout");
    v.expect(same_nodes(at(-7, at(7, l)), l), "at and back has other nodes");
    other_by_repeat += !same_nodes(once, l);
    other_by_concat += !same_nodes(alone, l);

    // A repeat of a repeat must be one repeat, whatever is inside.
    std::int64_t const stride = pick(random, -300, 300);
    v.expect(same_bytes(repeat(2, 3 * stride, repeat(3, stride, l)), repeat(6, stride, l)),
             "nested repeats");

    if (!l.empty()) {
      std::int64_t const step = pick(random, 1, 9);
      v.expect(at(step, l) != l, "equal though moved");
      v.expect(resized(l, l.lower_bound(), l.extent() + step) != l,
               "equal though the extent differs");
      lengths[static_cast<std::size_t>(pick(random, 0, l.pieces() - 1))] += step;
      v.expect(resized(io::table(offsets, lengths), l.lower_bound(), l.extent()) != l,
               "equal though a piece is longer");
    }
  });
  WARN(trees << " trees: " << other_by_table
             << " have other nodes when made from a table of their pieces, " << other_by_pieces
             << " from a list of their leaves, " << other_by_repeat
             << " as one copy of themselves, " << other_by_concat << " as a list of themselves; "
             << irregular << " hold a table");
}

TEST_CASE("random trees: pack, unpack and copy", "[layout][pack][random]") {
  std::size_t packed = 0, unpacked = 0, copied = 0;
  // Copies go to the tree of the previous seed, so that one seed determines both.
  tree const before = random_tree(seed() - 1);
  io::layout previous = to_layout(before, bounds_rule::hull);
  std::vector<io::extend::piece> previous_pieces = joined(expand(before, bounds_rule::hull).pieces);
  for_each_tree([&](tree const& t, io::layout const& l, engine& random, verdict& v) {
    std::vector<io::extend::piece> const pieces = joined(expand(t, bounds_rule::hull).pieces);
    io::layout const target_layout = std::exchange(previous, l);
    std::vector<io::extend::piece> const target_pieces = std::exchange(previous_pieces, pieces);
    if (l.true_extent() > widest_memory) return;
    ++packed;
    memory source(l, random);
    std::vector<std::byte> const want = source.read(pieces);
    std::vector<std::byte> got(want.size());
    pack(l, source.origin(), got.data());
    v.expect(got == want, "pack");

    std::int64_t const from = pick(random, 0, l.size()), to = pick(random, from, l.size());
    std::vector<std::byte> part(static_cast<std::size_t>(to - from));
    pack(l, source.origin(), from, to, part.data());
    v.expect(std::equal(part.begin(), part.end(), want.begin() + from), "pack of a range");

    // Overlapping bytes may be written in any order. All others must be exact, and no other byte
    // may change.
    if (!overlap(pieces)) {
      ++unpacked;
      memory target(l, random), expected = target;
      expected.write(pieces, want.data());
      unpack(l, want.data(), target.origin());
      v.expect(target == expected, "unpack");
      memory partly(l, random), partly_expected = partly;
      partly_expected.write(cut(pieces, from, to), part.data());
      unpack(l, part.data(), from, to, partly.origin());
      v.expect(partly == partly_expected, "unpack of a range");
    }
    if (target_layout.true_extent() <= widest_memory && !overlap(target_pieces)) {
      std::int64_t const most = std::min(l.size(), target_layout.size());
      std::int64_t const size = one_in(random, 3) ? most : pick(random, 0, most);
      std::int64_t const here = pick(random, 0, l.size() - size),
                         there = pick(random, 0, target_layout.size() - size);
      copied += size > 0;
      memory target(target_layout, random), expected = target;
      expected.write(cut(target_pieces, there, there + size), want.data() + here);
      copy(l, source.origin(), here, target_layout, target.origin(), there, size);
      v.expect(target == expected, "copy to the tree of the seed before");
    }
  });
  WARN(packed << " trees packed, " << unpacked << " unpacked, " << copied << " copied to another");
  CHECK(packed >= trees / 6 * 5);
  CHECK(unpacked >= trees / 2);
  CHECK(copied >= trees / 4);
}

TEST_CASE("random trees wider than 2^31: pack and unpack", "[layout][pack][large][random]") {
  std::size_t packed = 0, unpacked = 0, refused = 0;
  for_each_tree([&](tree const& t, io::layout const& l, engine& random, verdict& v) {
    if (l.true_extent() <= std::int64_t{1} << 31 || l.true_extent() > sparse_memory::widest) return;
    sparse_memory source(l), target(l);
    if (!source.good() || !target.good()) {
      ++refused;
      return;
    }
    ++packed;
    std::vector<io::extend::piece> const pieces = joined(expand(t, bounds_rule::hull).pieces);
    std::vector<std::byte> data(static_cast<std::size_t>(l.size())), got(data.size());
    for (std::byte& b : data) b = static_cast<std::byte>(random() >> 32);
    source.write(pieces, data.data());
    // not `data`, because pieces may overlap
    std::vector<std::byte> const want = source.read(pieces);
    pack(l, source.origin(), got.data());
    v.expect(got == want, "pack");
    if (overlap(pieces)) return;
    ++unpacked;
    unpack(l, want.data(), target.origin());
    v.expect(target.read(pieces) == want, "unpack");
  });
  WARN(packed << " trees packed, " << unpacked << " unpacked, " << refused
              << " refused by the system");
  if (refused == 0) {
    CHECK(packed >= trees / 100);
    CHECK(unpacked >= trees / 240);
  }
}

namespace {

// Returns hundreds of pieces with features for which the normal form has rules: joints, runs, a
// period, a tail, steps back.
std::vector<io::extend::piece> long_list(engine& random) {
  std::int64_t const kind = pick(random, 0, 6), period = pick(random, 100, 500);
  std::int64_t const n = kind == 1 ? period * pick(random, 2, 4) : pick(random, 200, 1500);
  std::int64_t const widest = pick(random, 1, 6), longest = pick(random, 1, 4);
  std::vector<io::extend::piece> steps, pieces;
  std::int64_t at = pick(random, 0, 100);
  for (std::int64_t i = 0; i < n; ++i) {
    io::extend::piece step{pick(random, 0, 5) == 0 ? 0 : pick(random, 0, widest),
                           pick(random, 1, longest)};
    if (kind == 1 && i >= period) step = steps[static_cast<std::size_t>(i - period)];
    if (kind == 2 && i % 50 < 20) step = {3, 2};
    if (kind == 3) step.length = 1;
    if (kind == 4 && pick(random, 0, 30) == 0) step.offset = -pick(random, 0, 20);
    if (kind == 5 && i + 1 == n) step.length += 7;
    if (kind == 6) step = {1, i % 397 == 0 ? 2 : 1};
    steps.push_back(step);
    at += step.offset;
    pieces.push_back({at, step.length});
    at += step.length;
  }
  return pieces;
}

io::layout one_by_one(std::vector<io::extend::piece> const& pieces) {
  std::vector<io::layout> parts;
  for (io::extend::piece const& p : pieces) parts.push_back(io::at(p.offset, io::bytes(p.length)));
  return io::concat(parts);
}

io::layout as_lists(std::vector<io::extend::piece> const& pieces) {
  std::vector<std::int64_t> offsets, lengths;
  for (io::extend::piece const& p : pieces) {
    offsets.push_back(p.offset);
    lengths.push_back(p.length);
  }
  return io::table(offsets, lengths);
}

}  // namespace

TEST_CASE("long lists of pieces: told at once they are what they are one by one",
          "[layout][table][random]") {
  for (std::uint64_t i = 0; i < 1500; ++i) {
    engine random(seed() + i);
    std::vector<io::extend::piece> const pieces = long_list(random);
    CAPTURE(seed() + i, pieces.size());
    io::layout const slow = one_by_one(pieces), fast = as_lists(pieces);
    REQUIRE(same_nodes(fast, slow));
    // Copies that join, and copies that do not: the pieces must be those of a plain walk.
    std::int64_t const count = pick(random, 2, 5), stride = fast.true_extent() + pick(random, 0, 1);
    std::vector<io::extend::piece> all;
    for (std::int64_t c = 0; c < count; ++c)
      for (io::extend::piece const& p : pieces_of(fast)) {
        io::extend::piece const moved{p.offset + c * stride, p.length};
        if (!all.empty() && all.back().end() == moved.offset)
          all.back().length += moved.length;
        else
          all.push_back(moved);
      }
    io::layout const copies = io::repeat(count, stride, fast);
    REQUIRE(pieces_of(copies) == all);
    REQUIRE(same_nodes(copies, io::repeat(count, stride, slow)));
  }
}

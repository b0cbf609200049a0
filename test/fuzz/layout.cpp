// Layouts from bytes. An accepted layout must serialize and read back, answer without
// contradiction, and be safe to use.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <argosy/layout/pack.hpp>
#include <argosy/layout/print.hpp>
#include <argosy/layout/serialize.hpp>

using namespace argosy;

namespace {

constexpr std::int64_t most_pieces = 300, most_bytes = 4096;
constexpr std::int64_t most_distance = std::int64_t{1} << 32;  // no program has memory so far away

std::optional<layout> read(std::span<std::byte const> bytes) {
  try {
    return deserialize(bytes);
  } catch (invalid_layout const&) {
    return {};
  }
}

bool same_nodes(layout const& a, layout const& b) {
  return std::ranges::equal(a.nodes(), b.nodes()) && std::ranges::equal(a.places(), b.places()) &&
         std::ranges::equal(a.tables(), b.tables()) && a.origin() == b.origin() &&
         a.lower_bound() == b.lower_bound() && a.extent() == b.extent();
}

// Compares the properties of the tree with each other.
void ask(layout const& l) {
  FUZZ_CHECK(l.size() >= 0 && l.pieces() >= 0 && l.size() >= l.pieces());
  FUZZ_CHECK(l.empty() == (l.size() == 0));
  FUZZ_CHECK(l.upper_bound() - l.lower_bound() == l.extent());
  FUZZ_CHECK(l.true_upper_bound() - l.true_lower_bound() == l.true_extent());
  FUZZ_CHECK(l.empty() ||
             (l.true_lower_bound() <= l.origin() && l.origin() < l.true_upper_bound()));
  FUZZ_CHECK(l.depth() <= l.nodes().size());
  FUZZ_CHECK(!to_string(l).empty() && !to_tree(l).empty());
  // The cost of these is the number of pieces that lie across an offset: one in sorted layouts, all
  // of them in others.
  bool const sorted = l.empty() || (l.is_monotonic() && detail::measure(l).nests());
  if (!sorted && l.pieces() > most_pieces) return;
  FUZZ_CHECK(l.bytes_within(l.true_lower_bound(), l.true_upper_bound()) == l.size());
  std::int64_t before = 0;
  std::int64_t const low = l.true_lower_bound(), half = low + l.true_extent() / 2;
  for (std::int64_t const x :
       {std::numeric_limits<std::int64_t>::min(), low, low + l.true_extent() / 3, half,
        l.true_upper_bound() - (l.empty() ? 0 : 1), std::numeric_limits<std::int64_t>::max()}) {
    std::int64_t const now = l.bytes_before(x);
    FUZZ_CHECK(now >= before && now <= l.size());
    before = now;
  }
  FUZZ_CHECK(before == l.size());
  for (std::int64_t const part : {0, 1, 2, 3}) {
    std::int64_t const position = l.size() / 4 * part;
    extend::cursor const at(l, position);
    FUZZ_CHECK(at.done() == l.empty());
    if (at.done()) break;
    FUZZ_CHECK(at.position() == position && at.current().length > 0);
    FUZZ_CHECK(at.current().offset >= low && at.current().end() <= l.true_upper_bound());
    std::int64_t const number = l.piece_at(position);
    FUZZ_CHECK(number >= 0 && number < l.pieces());
    if (sorted) FUZZ_CHECK(l.bytes_before(at.current().offset) == position);
  }
}

// Walks all pieces, and compares with seeking.
void walk(layout const& l) {
  std::int64_t pieces = 0, bytes = 0, low = 0, high = 0, last = 0;
  bool rises = true;
  for (extend::cursor at(l); !at.done(); at.next()) {
    extend::piece const p = at.current();
    FUZZ_CHECK(at.position() == bytes && p.length > 0);
    extend::cursor const found(l, bytes + p.length / 2);
    FUZZ_CHECK(found.current().offset == p.offset + p.length / 2);
    FUZZ_CHECK(found.current().length == p.length - p.length / 2);
    FUZZ_CHECK(l.piece_at(bytes + p.length / 2) == pieces);
    low = pieces == 0 ? p.offset : std::min(low, p.offset);
    high = pieces == 0 ? p.end() : std::max(high, p.end());
    rises = rises && (pieces == 0 || p.offset >= last);
    last = p.offset;
    bytes += p.length;
    ++pieces;
  }
  FUZZ_CHECK(pieces == l.pieces() && bytes == l.size());
  FUZZ_CHECK(low == l.true_lower_bound() && high == l.true_upper_bound());
  FUZZ_CHECK(rises == l.is_monotonic());
  l.overlaps();
}

// The copy loops must stay within the bounds, and copy the same bytes as the cursor.
void move_bytes(layout const& l) {
  std::vector<std::byte> memory(static_cast<std::size_t>(l.true_extent()));
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<std::byte>(i * 31 + i / 251);
  std::byte* const base = memory.data() - l.true_lower_bound();
  std::vector<std::byte> stream(static_cast<std::size_t>(l.size())), expected, part = stream;
  pack(l, base, stream.data());
  for (extend::cursor at(l); !at.done(); at.next()) {
    std::byte const* const from = base + at.current().offset;
    expected.insert(expected.end(), from, from + at.current().length);
  }
  FUZZ_CHECK(stream == expected);
  std::int64_t const third = l.size() / 3;
  pack(l, base, third, l.size(), part.data());
  FUZZ_CHECK(std::equal(stream.begin() + third, stream.end(), part.begin()));
  std::vector<std::byte> const before = memory;
  unpack(l, stream.data(), base);
  FUZZ_CHECK(memory == before);
}

// Constructors must refuse a layout that was received, or give the right result.
void build_upon(layout const& l) {
  try {
    layout const twice = concat(l, l);
    FUZZ_CHECK(twice.size() == 2 * l.size());
    layout const thrice = repeat(3, l.extent(), l);
    FUZZ_CHECK(thrice.size() == 3 * l.size());
    FUZZ_CHECK(deserialize(serialize(thrice)) == thrice);
    if (l.origin() == std::numeric_limits<std::int64_t>::min()) return;  // has no negative
    FUZZ_CHECK(same_bytes(at(-l.origin(), l), at(-l.origin(), resized(l, 0, 7))));
  } catch (invalid_layout const&) {
  }
}

void use(layout const& l) {
  auto const bytes = serialize(l);
  auto const again = read(bytes);
  FUZZ_CHECK(again && same_nodes(*again, l) && *again == l && serialize(*again) == bytes);
  ask(l);
  if (l.pieces() <= most_pieces) {
    walk(l);
    build_upon(l);
    bool const in_memory =
        -most_distance <= l.true_lower_bound() && l.true_lower_bound() <= most_distance;
    if (in_memory && l.true_extent() <= most_bytes && l.size() <= most_bytes) move_bytes(l);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const given = fuzz::bytes_of(data, size);
  if (auto const l = read(given)) use(*l);
  // The checksum protects from accidents only, so the bytes are tried with a right one, too.
  std::vector<std::byte> sealed(given.begin(), given.end());
  std::uint32_t const sum = detail::check_sum(given);
  for (std::size_t i = 0; i < detail::check_sum_bytes; ++i)
    sealed.push_back(static_cast<std::byte>(sum >> (8 * i)));
  if (auto const l = read(sealed)) use(*l);
  return 0;
}

// The bytes of a layout, written and read.
//   version, lower bound, extent, origin, number of nodes, nodes, check sum
// Numbers are varints, 7 bits to a byte and the lowest first. Signed ones are folded: 0, -1, 1, -2
// ... Nodes have the order of layout::nodes(), children first, and refer to a child by the distance
// back to it. Values that can be computed are not sent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <argosy/layout/detail/builder.hpp>
#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/compact_numbers.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/serialize.hpp>

namespace argosy::detail {

inline constexpr std::uint8_t serial_version = 1;
inline constexpr std::size_t check_sum_bytes = 4;

enum class serial_tag : std::uint8_t { bytes, repeat, concat, table_of_equal, table };

// Returns FNV-1a. It finds every change within one byte. It protects against accidents, not against
// attackers.
inline std::uint32_t check_sum(std::span<std::byte const> bytes) {
  std::uint32_t sum = 2166136261u;
  for (std::byte b : bytes) sum = (sum ^ static_cast<std::uint32_t>(b)) * 16777619u;
  return sum;
}

class byte_writer {
 public:
  void byte(std::uint8_t b) { out_.push_back(static_cast<std::byte>(b)); }
  void count(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) byte(static_cast<std::uint8_t>(n | 0x80));
    byte(static_cast<std::uint8_t>(n));
  }
  void number(std::int64_t n) {
    std::uint64_t const bits = static_cast<std::uint64_t>(n);
    count((bits << 1) ^ (n < 0 ? ~std::uint64_t{0} : 0));
  }
  // Writes a difference. It wraps, so that any two numbers have one.
  void step(std::int64_t from, std::int64_t to) {
    number(static_cast<std::int64_t>(static_cast<std::uint64_t>(to) -
                                     static_cast<std::uint64_t>(from)));
  }
  std::vector<std::byte> finish() {
    std::uint32_t const sum = check_sum(out_);
    for (std::size_t i = 0; i < check_sum_bytes; ++i)
      byte(static_cast<std::uint8_t>(sum >> (8 * i)));
    return std::move(out_);
  }

 private:
  std::vector<std::byte> out_;
};

[[noreturn]] inline void throw_corrupt(char const* what) {
  throw invalid_layout("argosy::deserialize: " + std::string(what) +
                       "; these are not the bytes that serialize() wrote");
}

class byte_reader {
 public:
  explicit byte_reader(std::span<std::byte const> in) : in_(in) {}

  std::size_t left() const { return in_.size() - at_; }
  std::uint8_t byte() {
    if (left() == 0) throw_corrupt("the bytes end early");
    return static_cast<std::uint8_t>(in_[at_++]);
  }
  std::uint64_t count() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      std::uint64_t const b = byte();
      n |= (b & 0x7f) << shift;
      if (b < 0x80) {
        if (shift == 63 && b > 1) throw_corrupt("a number has more than 64 bits");
        return n;
      }
    }
    throw_corrupt("a number has more than 64 bits");
  }
  // Reads a number of entries. Every entry takes at least a byte, so a number larger than the rest
  // of the bytes is refused.
  std::size_t entries() {
    std::uint64_t const n = count();
    if (n > left()) throw_corrupt("more entries are announced than there are bytes");
    return static_cast<std::size_t>(n);
  }
  std::int64_t positive() {
    std::uint64_t const n = count();
    if (n == 0 || n > static_cast<std::uint64_t>(INT64_MAX))
      throw_corrupt("a length or count is out of range");
    return static_cast<std::int64_t>(n);
  }
  std::int64_t number() {
    std::uint64_t const n = count();
    return static_cast<std::int64_t>((n >> 1) ^ (0 - (n & 1)));
  }
  std::int64_t step(std::int64_t from) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) +
                                     static_cast<std::uint64_t>(number()));
  }

 private:
  std::span<std::byte const> in_;
  std::size_t at_ = 0;
};

inline void write_table(byte_writer& out, piece_table const& t) {
  bool const equal = t.equal_lengths();
  out.byte(static_cast<std::uint8_t>(equal ? serial_tag::table_of_equal : serial_tag::table));
  out.count(t.size());
  if (equal) out.count(static_cast<std::uint64_t>(t.length(0)));
  std::int64_t end = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i > 0) out.step(end, t.offset(i));
    if (!equal) out.count(static_cast<std::uint64_t>(t.length(i)));
    end = t[i].end();
  }
}

inline void write_node(byte_writer& out, layout const& l, std::size_t i) {
  layout_node const& n = l.nodes()[i];
  switch (n.kind) {
    case node_kind::bytes:
      out.byte(static_cast<std::uint8_t>(serial_tag::bytes));
      return out.count(static_cast<std::uint64_t>(n.size));
    case node_kind::repeat:
      out.byte(static_cast<std::uint8_t>(serial_tag::repeat));
      out.count(i - n.child);
      out.count(static_cast<std::uint64_t>(n.count));
      return out.number(n.stride);
    case node_kind::concat: {
      out.byte(static_cast<std::uint8_t>(serial_tag::concat));
      out.count(static_cast<std::uint64_t>(n.count));
      std::int64_t before = 0;
      for (layout_place const& p : l.places().subspan(n.child, static_cast<std::size_t>(n.count))) {
        out.count(i - static_cast<std::size_t>(p.node));
        out.step(before, p.displacement);
        before = p.displacement;
      }
      return;
    }
    case node_kind::table:
      return write_table(out, l.tables()[n.child]);
  }
}

// Reads nodes bottom up and hands them to the builder. Sizes and hulls are computed, never read.
// Each node must be a possible part of a normal form: at least two copies, places or pieces, none
// of which continues the one before, and no list in a list. A repeat doubles the size, which has 63
// bits, so depth is bounded, too.
class layout_reader {
 public:
  explicit layout_reader(std::span<std::byte const> bytes) : in_(body(bytes)) {}

  layout read() {
    std::int64_t const lower_bound = in_.number(), extent = in_.number(), origin = in_.number();
    std::size_t const count = in_.entries();
    parts_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) parts_.push_back(read_part());
    if (in_.left() > 0) throw_corrupt("bytes are left over");
    if (parts_.empty()) return resized(layout(), lower_bound, extent);
    return resized(at(origin, builder_.finish_normal(items(parts_.back()), {})), lower_bound,
                   extent);
  }

 private:
  struct part {
    node_kind kind;
    item made{};                      // unless a concat
    std::size_t first = 0, last = 0;  // for a concat: its range in members_
    std::int64_t low = 0, high = 0;   // like in layout_node
    piece tail{};                     // the last piece
  };

  static std::span<std::byte const> body(std::span<std::byte const> bytes) {
    if (bytes.size() < 1 + check_sum_bytes) throw_corrupt("the bytes end early");
    if (static_cast<std::uint8_t>(bytes[0]) != serial_version)
      throw invalid_layout(
          "argosy::deserialize: version " + std::to_string(static_cast<int>(bytes[0])) +
          " is unknown, this library reads version " + std::to_string(serial_version));
    auto const content = bytes.first(bytes.size() - check_sum_bytes);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < check_sum_bytes; ++i)
      sum |= static_cast<std::uint32_t>(bytes[content.size() + i]) << (8 * i);
    if (sum != check_sum(content)) throw_corrupt("the check sum does not match");
    return content.subspan(1);
  }

  part const& child() {
    std::uint64_t const back = in_.count();
    if (back == 0 || back > parts_.size())
      throw_corrupt("a node refers to one that does not stand before it");
    return parts_[parts_.size() - static_cast<std::size_t>(back)];
  }

  item_list items(part const& p) const {
    item_list list;
    if (p.kind != node_kind::concat) list.push_back(p.made);
    for (std::size_t i = p.first; i < p.last; ++i) list.push_back(members_[i]);
    return list;
  }

  // Checks that the difference of any two offsets fits.
  static void require_sane(part const& p) {
    std::int64_t span = 0;
    if (__builtin_sub_overflow(p.high, p.low, &span))
      throw_corrupt("data spans more than 2^63 - 1 bytes");
  }

  part read_part() {
    part p = read_content();
    require_sane(p);
    return p;
  }

  part read_content() {
    switch (static_cast<serial_tag>(in_.byte())) {
      case serial_tag::bytes:
        return read_bytes();
      case serial_tag::repeat:
        return read_repeat();
      case serial_tag::concat:
        return read_concat();
      case serial_tag::table_of_equal:
        return read_table(true);
      case serial_tag::table:
        return read_table(false);
    }
    throw_corrupt("a node is of no known kind");
  }

  part read_bytes() {
    std::int64_t const n = in_.positive();
    item_list one;
    builder_.append_bytes(one, 0, n);
    part p{node_kind::bytes, one[0]};
    p.high = n;
    p.tail = {0, n};
    return p;
  }

  part read_repeat() {
    part const& once = child();
    std::int64_t const count = in_.positive(), stride = in_.number();
    if (count < 2) throw_corrupt("a repeat has one copy");
    if (once.tail.end() == stride) throw_corrupt("copies of a repeat continue each other");
    std::int64_t const last = mul(count - 1, stride);
    part p{node_kind::repeat, {}};
    p.low = add(std::min<std::int64_t>(0, last), once.low);
    p.high = add(std::max<std::int64_t>(0, last), once.high);
    require_sane(p);
    p.tail = {last + once.tail.offset, once.tail.length};
    item_list all;
    builder_.append_repeat(all, count, stride, items(once));
    p.made = all[0];
    return p;
  }

  part read_concat() {
    std::size_t const count = in_.entries();
    if (count < 2) throw_corrupt("a list has one member");
    part p{node_kind::concat, {}, members_.size()};
    std::int64_t displacement = 0;
    for (std::size_t i = 0; i < count; ++i) {
      part const& member = child();
      displacement = in_.step(displacement);
      if (member.kind == node_kind::concat) throw_corrupt("a list is a member of a list");
      if (i == 0 && displacement != 0) throw_corrupt("the first member of a list is displaced");
      if (i > 0 && p.tail.end() == displacement)
        throw_corrupt("members of a list continue each other");
      p.low = std::min(p.low, add(displacement, member.low));
      p.high = std::max(p.high, add(displacement, member.high));
      require_sane(p);
      p.tail = {displacement + member.tail.offset, member.tail.length};
      members_.push_back({displacement, member.made.node});
    }
    p.last = members_.size();
    return p;
  }

  part read_table(bool equal) {
    std::size_t const count = in_.entries();
    if (count < 2) throw_corrupt("a table has one piece");
    std::int64_t const length = equal ? in_.positive() : 0;
    compact_numbers offsets, lengths;
    offsets.reserve(count);
    if (!equal) lengths.reserve(count);
    part p{node_kind::table, {}};
    std::int64_t bytes = 0;  // overflow is checked before the table is made
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t const end = p.tail.end();
      std::int64_t const offset = i == 0 ? 0 : in_.step(end);
      if (i > 0 && offset == end) throw_corrupt("pieces of a table continue each other");
      p.tail = {offset, equal ? length : in_.positive()};
      p.low = std::min(p.low, offset);
      p.high = std::max(p.high, add(offset, p.tail.length));
      bytes = add(bytes, p.tail.length);
      require_sane(p);
      offsets.push_back(offset);
      if (!equal) lengths.push_back(p.tail.length);
    }
    item_list one;
    builder_.append_table(one, piece_table(std::move(offsets), std::move(lengths), length), 0);
    p.made = one[0];
    return p;
  }

  byte_reader in_;
  builder builder_;
  std::vector<part> parts_;
  std::vector<item> members_;
};

}  // namespace argosy::detail

namespace argosy {

ARGOSY_ONCE std::vector<std::byte> serialize(layout const& l) {
  detail::byte_writer out;
  out.byte(detail::serial_version);
  out.number(l.lower_bound());
  out.number(l.extent());
  out.number(l.origin());
  out.count(l.nodes().size());
  for (std::size_t i = 0; i < l.nodes().size(); ++i) detail::write_node(out, l, i);
  return out.finish();
}

ARGOSY_ONCE layout deserialize(std::span<std::byte const> bytes) {
  return detail::layout_reader(bytes).read();
}

}  // namespace argosy

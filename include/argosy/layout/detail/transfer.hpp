// Moves bytes between scattered memory and the dense stream, in either direction, for any layout
// and any range of its stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <argosy/layout/detail/strided.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::detail {

enum class direction { pack, unpack };

// Returns the address `offset` bytes from `address`, computed as an integer. If a range of a stream
// is moved, only its pieces need be in memory. In a window far into a file, no valid pointer
// reaches the first byte of the layout. Reads and writes both use this function.
inline std::byte* moved(void const* address, std::int64_t offset) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                      static_cast<std::uintptr_t>(offset));
}

// Stands for "no node is known at compile time".
struct no_element {};

// Moves node `I` of a form known at compile time. The compiler walks the tree.
template <direction Way, auto Form, std::size_t I>
inline void static_transfer(std::byte* __restrict memory, std::byte* __restrict stream);

// `Element` is the form of one node of the layout, if that is known at compile time.
template <direction Way, auto Element = no_element{}>
class transfer {
 public:
  explicit transfer(layout const& l, layout_node const* element = nullptr)
      : layout_(l), element_(element) {}

  // Moves all of node `n`, with its first piece at `memory`.
  void all(layout_node const& n, std::byte* memory, std::byte* stream) const {
    copies(n, memory, 0, stream, 1);
  }

  // Moves bytes [from, to) of the stream of node `n`. `stream` is the address of byte `from`.
  void range(layout_node const& n, std::byte* memory, std::byte* stream, std::int64_t from,
             std::int64_t to) const {
    if (from >= to) return;
    if (from == 0 && to == n.size) return all(n, memory, stream);
    switch (n.kind) {
      case node_kind::bytes:
        return block(moved(memory, from), stream, to - from);
      case node_kind::repeat:
        return range_of_copies(n, memory, stream, from, to);
      case node_kind::concat:
        return range_of_places(n, memory, stream, from, to);
      case node_kind::table:
        return range_of_pieces(table(n), memory, stream, from, to);
    }
  }

 private:
  // Copies of a record are moved in batches that stay in the first-level cache while each member is
  // visited.
  static constexpr std::int64_t batch_bytes = 8192;
  static constexpr bool has_element =
      !std::same_as<std::remove_const_t<decltype(Element)>, no_element>;

  layout_node const& child(layout_node const& n) const { return layout_.nodes()[n.child]; }
  layout_node const& child(layout_place const& p) const {
    return layout_.nodes()[static_cast<std::size_t>(p.node)];
  }
  std::span<layout_place const> places(layout_node const& n) const {
    return layout_.places().subspan(n.child, static_cast<std::size_t>(n.count));
  }
  piece_table const& table(layout_node const& n) const { return layout_.tables()[n.child]; }

  template <class Length>
  static void block(std::byte* memory, std::byte* stream, Length length) {
    if constexpr (Way == direction::pack)
      copy_piece(stream, memory, length);
    else
      copy_piece(memory, stream, length);
  }

  static void strided(std::byte* memory, std::int64_t memory_stride, std::byte* stream,
                      std::int64_t stream_stride, std::int64_t count, std::int64_t length) {
    if constexpr (Way == direction::pack)
      copy_strided(stream, stream_stride, memory, memory_stride, count, length);
    else
      copy_strided(memory, memory_stride, stream, stream_stride, count, length);
  }

  // Moves `count` copies of `n`, `stride` apart in memory and dense in the stream. The outer loop
  // depends on the kind of `n`, so that the innermost loop is always a long one over pieces of one
  // length.
  void copies(layout_node const& n, std::byte* memory, std::int64_t stride, std::byte* stream,
              std::int64_t count) const {
    if constexpr (has_element)
      if (&n == element_) return elements(memory, stride, stream, count);
    switch (n.kind) {
      case node_kind::bytes:
        return strided(memory, stride, stream, n.size, count, n.size);
      case node_kind::repeat:
        if (child(n).kind == node_kind::bytes) return two_strides(n, memory, stride, stream, count);
        for (std::int64_t i = 0; i < count; ++i)
          copies(child(n), memory + i * stride, n.stride, stream + i * n.size, n.count);
        return;
      case node_kind::concat: {
        std::int64_t const batch = std::max<std::int64_t>(1, batch_bytes / n.size);
        for (std::int64_t i = 0; i < count; i += batch)
          members(n, memory + i * stride, stride, stream + i * n.size, std::min(batch, count - i));
        return;
      }
      case node_kind::table:
        for (std::int64_t i = 0; i < count; ++i)
          gather(table(n), 0, table(n).size(), memory + i * stride, stream + i * n.size);
        return;
    }
  }

  static void elements(std::byte* __restrict memory, std::int64_t stride,
                       std::byte* __restrict stream, std::int64_t count)
    requires has_element
  {
    constexpr std::size_t root = Element.nodes.size() - 1;
    for (std::int64_t i = 0; i < count; ++i)
      static_transfer<Way, Element, root>(memory + i * stride,
                                          stream + i * Element.nodes[root].size);
  }

  void members(layout_node const& n, std::byte* memory, std::int64_t stride, std::byte* stream,
               std::int64_t count) const {
    for (layout_place const& p : places(n)) {
      layout_node const& member = child(p);
      if (member.kind == node_kind::bytes)
        strided(memory + p.displacement, stride, stream + p.start, n.size, count, member.size);
      else
        for (std::int64_t i = 0; i < count; ++i)
          all(member, memory + i * stride + p.displacement, stream + i * n.size + p.start);
    }
  }

  // Moves rows of pieces. The specialisation is chosen once for all rows, and the longer of the two
  // loops is the inner one.
  static void two_strides(layout_node const& rows, std::byte* memory, std::int64_t stride,
                          std::byte* stream, std::int64_t count) {
    std::int64_t const length = rows.size / rows.count;
    with_length(length, [&](auto n) {
      if constexpr (is_fixed<decltype(n)>) {
        for (std::int64_t i = 0; i < count; ++i)
          row(memory + i * stride, rows.stride, stream + i * rows.size, rows.count, n);
      } else {
        for (std::int64_t i = 0; i < count; ++i)
          strided(memory + i * stride, rows.stride, stream + i * rows.size, length, rows.count,
                  length);
      }
    });
  }

  template <class Length>
  static void row(std::byte* memory, std::int64_t stride, std::byte* stream, std::int64_t count,
                  Length n) {
    constexpr auto twice = constant<2 * Length::value>;
    if constexpr (Way == direction::pack) {
      if constexpr (n <= 16)
        if (stride == twice) return copy_pieces(stream, n, memory, twice, count, n);
      copy_pieces(stream, n, memory, stride, count, n);
    } else {
      if constexpr (n <= 16)
        if (stride == twice) return copy_pieces(memory, twice, stream, n, count, n);
      copy_pieces(memory, stride, stream, n, count, n);
    }
  }

  // Moves the pieces [first, last) of a table.
  static void gather(piece_table const& t, std::size_t first, std::size_t last, std::byte* memory,
                     std::byte* stream) {
    t.with_offsets([&](auto const all) {
      auto const offsets = all.subspan(first, last - first);
      std::byte* const origin = moved(memory, -std::int64_t{all[0]});
      if (t.equal_lengths())
        return with_length(t.length(0), [=](auto n) { gather(offsets, origin, stream, n); });
      t.with_lengths([&](auto const lengths) {
        auto const copy = [&](auto usual) {
          gather(offsets, lengths.subspan(first, last - first), origin, stream, usual);
        };
        // Some pieces have 4 GiB or more; a special loop for the others would not pay.
        if constexpr (sizeof(lengths[0]) == 8)
          copy(t.usual_length());
        else
          with_length(t.usual_length(), copy);
      });
    });
  }

  // Separate functions, so that values which a store of bytes cannot alias stay in registers.
  template <class Offset, class Length>
  static void gather(std::span<Offset const> offsets, std::byte* __restrict memory,
                     std::byte* __restrict stream, Length n) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
      block(moved(memory, offsets[i]), stream + static_cast<std::int64_t>(i) * n, n);
  }
  template <class Offset, class Number, class Length>
  static void gather(std::span<Offset const> offsets, std::span<Number const> lengths,
                     std::byte* __restrict memory, std::byte* __restrict stream, Length usual) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      std::int64_t const length = lengths[i];
      if (length == usual)
        block(moved(memory, offsets[i]), stream, usual);
      else
        block(moved(memory, offsets[i]), stream, length);
      stream += length;
    }
  }

  void range_of_copies(layout_node const& n, std::byte* memory, std::byte* stream,
                       std::int64_t from, std::int64_t to) const {
    layout_node const& c = child(n);
    std::int64_t const first = from / c.size, last = to / c.size;
    std::int64_t const begin = from - first * c.size, end = to - last * c.size;
    if (first == last) return range(c, moved(memory, first * n.stride), stream, begin, end);
    std::int64_t whole = first;
    if (begin > 0) {
      range(c, moved(memory, first * n.stride), stream, begin, c.size);
      stream += c.size - begin;
      ++whole;
    }
    if (whole < last) copies(c, moved(memory, whole * n.stride), n.stride, stream, last - whole);
    if (end > 0) range(c, moved(memory, last * n.stride), stream + (last - whole) * c.size, 0, end);
  }

  void range_of_places(layout_node const& n, std::byte* memory, std::byte* stream,
                       std::int64_t from, std::int64_t to) const {
    auto const all_places = places(n);
    auto p = std::upper_bound(all_places.begin() + 1, all_places.end(), from,
                              [](std::int64_t x, layout_place const& q) { return x < q.start; }) -
             1;
    for (; p != all_places.end() && p->start < to; ++p) {
      std::int64_t const begin = std::max(from, p->start),
                         end = std::min(to, p->start + child(*p).size);
      range(child(*p), moved(memory, p->displacement), stream + (begin - from), begin - p->start,
            end - p->start);
    }
  }

  static void range_of_pieces(piece_table const& t, std::byte* memory, std::byte* stream,
                              std::int64_t from, std::int64_t to) {
    std::size_t i = t.find(from);
    if (std::int64_t const begun = from - t.start(i); begun > 0) {
      std::int64_t const length = std::min(t.length(i) - begun, to - from);
      block(moved(memory, t.offset(i) + begun), stream, length);
      stream += length;
      from += length;
      ++i;
    }
    if (from == to) return;
    std::size_t const last = to == t.bytes() ? t.size() : t.find(to);
    gather(t, i, last, memory, stream);
    if (last < t.size() && t.start(last) < to)
      block(moved(memory, t.offset(last)), stream + (t.start(last) - from), to - t.start(last));
  }

  layout const& layout_;
  layout_node const* element_;
};

}  // namespace argosy::detail

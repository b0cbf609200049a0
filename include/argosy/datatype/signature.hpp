// A signature: the basic types along the stream of a datatype, in compressed form. A layout has the
// places, a signature the types. A representation needs both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/extend.hpp>
#include <argosy/layout/detail/checked.hpp>
#include <argosy/layout/detail/linked.hpp>
#include <argosy/layout/detail/small_array.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

namespace extend {

class signature;

}  // namespace extend

namespace detail {

// A node, in prefix order: a run of `count` items of one type, or a loop of the next `body` nodes,
// `count` times.
struct signature_node {
  basic_type type;
  std::uint32_t body;  // 0 for a run
  std::int64_t count;
  constexpr std::uint32_t span() const noexcept { return body + 1; }
  friend constexpr bool operator==(signature_node const&, signature_node const&) = default;
};

// The functions that the library compiles; `once` chooses.
namespace linked {
void append(signature& all, signature const& part, std::int64_t copies);
}  // namespace linked

}  // namespace detail

namespace extend {

// The basic types along a stream.
//
//   3 float64, int32                  of struct { double x[3]; int id; }
//   1000 x (3 float64, int32)         of a thousand of them
// A regular value. Its memory does not grow with counts, and needs no heap for small structs.
class signature {
 public:
  constexpr signature() = default;
  constexpr explicit signature(basic_type type, std::int64_t count = 1) {
    detail::require_not_negative("signature", "the count", count);
    if (count == 0) return;
    size_ = detail::mul(count, detail::size_in(detail::native_sizes, type));
    nodes_.push_back({type, 0, count});
  }

  // Returns the bytes in memory: the size of the layout that belongs to it.
  constexpr std::int64_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return nodes_.empty(); }
  constexpr std::span<detail::signature_node const> nodes() const noexcept { return nodes_; }

  // Returns the bytes for other sizes of items.
  constexpr std::int64_t size_with(basic_sizes const& sizes) const {
    return sum(0, nodes_.size(), sizes);
  }

  // Appends `part`, `copies` times. O(nodes of part).
  constexpr signature& append(signature const& part, std::int64_t copies = 1) {
    detail::require_not_negative("signature", "the number of copies", copies);
    if (part.empty() || copies == 0) return *this;
    detail::once([&] { append_here(part, copies); },
                 [&] { detail::linked::append(*this, part, copies); });
    return *this;
  }
  constexpr void append_here(signature const& part, std::int64_t copies) {
    if (this == &part) return append_here(signature(part), copies);
    size_ = detail::add(size_, detail::mul(copies, part.size_));
    detail::signature_node const first = part.nodes_[0];
    if (first.span() == part.nodes_.size())  // One run or one loop: its count grows.
      append_copies(part.nodes_, detail::mul(first.count, copies));
    else if (copies == 1)
      for (std::size_t i = 0; i < part.nodes_.size(); i += part.nodes_[i].span())
        append_copies(part.nodes().subspan(i, part.nodes_[i].span()), part.nodes_[i].count);
    else
      append_loop(part.nodes_, copies);
  }

  // Returns true if the normal forms are equal. Equal forms are equal sequences of types. Equal
  // sequences have equal forms only if they were built alike.
  friend constexpr bool operator==(signature const&, signature const&) = default;

 private:
  // Appends one run or one loop, `nodes`, `count` times.
  constexpr void append_copies(std::span<detail::signature_node const> nodes, std::int64_t count) {
    if (ends_with(nodes)) {
      nodes_[last_].count = detail::add(nodes_[last_].count, count);
      return;
    }
    last_ = nodes_.size();
    for (detail::signature_node const& n : nodes) nodes_.push_back(n);
    nodes_[last_].count = count;
  }
  constexpr void append_loop(std::span<detail::signature_node const> body, std::int64_t count) {
    last_ = nodes_.size();
    nodes_.push_back({basic_type::byte, static_cast<std::uint32_t>(body.size()), count});
    for (detail::signature_node const& n : body) nodes_.push_back(n);
  }
  // Returns true if the last run or loop equals `nodes`, except for its count.
  constexpr bool ends_with(std::span<detail::signature_node const> nodes) const {
    if (nodes_.size() - last_ != nodes.size() || nodes_.empty()) return false;
    detail::signature_node const &a = nodes_[last_], &b = nodes[0];
    return a.type == b.type && a.body == b.body &&
           std::equal(nodes.begin() + 1, nodes.end(), nodes_.begin() + last_ + 1);
  }
  constexpr std::int64_t sum(std::size_t from, std::size_t to, basic_sizes const& sizes) const {
    std::int64_t bytes = 0;
    for (std::size_t i = from; i < to; i += nodes_[i].span()) {
      detail::signature_node const& n = nodes_[i];
      bytes =
          detail::add(bytes, detail::mul(n.count, n.body == 0 ? detail::size_in(sizes, n.type)
                                                              : sum(i + 1, i + n.span(), sizes)));
    }
    return bytes;
  }

  detail::small_array<detail::signature_node, 6> nodes_;
  std::size_t last_ = 0;  // start of the last run or loop
  std::int64_t size_ = 0;
};

// Returns "4 x (3 float64, int32)". Long texts are cut. Local.
std::string to_string(signature const& s);

}  // namespace extend

using extend::to_string;

}  // namespace argosy

#ifndef ARGOSY_LINKED
#include <argosy/datatype/detail/signature_text.hpp>
#endif

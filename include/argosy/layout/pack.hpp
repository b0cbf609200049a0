// Pack and unpack: from scattered memory into a dense stream of bytes, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <argosy/detail/layout/static_transfer.hpp>
#include <argosy/detail/layout/transfer.hpp>
#include <argosy/layout/element_layout.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy {

// Copies the bytes that `l` names, relative to `memory`, to `stream`, which has room for l.size() bytes.
// Local; no allocation; as fast as a loop written for that layout.
//
//   std::vector<std::byte> dense(l.size());
//   io::pack(l, array.data(), dense.data());
inline void pack(layout const& l, void const* memory, void* stream) {
  if (l.empty()) return;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(memory)) + l.origin();  // only read: the way is pack
  detail::transfer<detail::direction::pack>(l).all(l.root(), first, static_cast<std::byte*>(stream));
}

// The same for bytes [from, to) of the stream; `stream` receives byte `from` first.
inline void pack(layout const& l, void const* memory, std::int64_t from, std::int64_t to, void* stream) {
  from = std::max<std::int64_t>(from, 0);
  to = std::min(to, l.size());
  if (from >= to) return;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(memory)) + l.origin();
  detail::transfer<detail::direction::pack>(l).range(l.root(), first, static_cast<std::byte*>(stream), from, to);
}

// The way back: bytes of `memory` that `l` does not name stay as they are.
inline void unpack(layout const& l, void const* stream, void* memory) {
  if (l.empty()) return;
  auto* const first = static_cast<std::byte*>(memory) + l.origin();
  auto* const source = static_cast<std::byte*>(const_cast<void*>(stream));  // only read: the way is unpack
  detail::transfer<detail::direction::unpack>(l).all(l.root(), first, source);
}

inline void unpack(layout const& l, void const* stream, std::int64_t from, std::int64_t to, void* memory) {
  from = std::max<std::int64_t>(from, 0);
  to = std::min(to, l.size());
  if (from >= to) return;
  auto* const first = static_cast<std::byte*>(memory) + l.origin();
  auto* const source = static_cast<std::byte*>(const_cast<void*>(stream));
  detail::transfer<detail::direction::unpack>(l).range(l.root(), first, source, from, to);
}

// A layout known at compile time needs no tree at run time: the call becomes the loop one would write by hand.
template <auto Form>
inline void pack(static_layout<Form>, void const* memory, void* stream) {
  if constexpr (!Form.nodes.empty())
    detail::static_transfer<detail::direction::pack, Form, Form.nodes.size() - 1>(
        static_cast<std::byte*>(const_cast<void*>(memory)) + Form.origin, static_cast<std::byte*>(stream));
}
template <auto Form>
inline void unpack(static_layout<Form>, void const* stream, void* memory) {
  if constexpr (!Form.nodes.empty())
    detail::static_transfer<detail::direction::unpack, Form, Form.nodes.size() - 1>(
        static_cast<std::byte*>(memory) + Form.origin, static_cast<std::byte*>(const_cast<void*>(stream)));
}

// Copies of an element known at compile time, as many as is known at run time.
template <auto Element>
inline void pack(element_layout<Element> const& l, void const* memory, void* stream) {
  layout const& whole = l;
  if (whole.empty()) return;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(memory)) + whole.origin();
  detail::transfer<detail::direction::pack, Element>(whole, l.element()).all(whole.root(), first, static_cast<std::byte*>(stream));
}
template <auto Element>
inline void unpack(element_layout<Element> const& l, void const* stream, void* memory) {
  layout const& whole = l;
  if (whole.empty()) return;
  auto* const first = static_cast<std::byte*>(memory) + whole.origin();
  auto* const source = static_cast<std::byte*>(const_cast<void*>(stream));
  detail::transfer<detail::direction::unpack, Element>(whole, l.element()).all(whole.root(), first, source);
}

}  // namespace argosy

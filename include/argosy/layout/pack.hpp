// Pack and unpack: from scattered memory into a dense stream of bytes, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <argosy/layout/detail/static_transfer.hpp>
#include <argosy/layout/detail/transfer.hpp>
#include <argosy/layout/element_layout.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/static_layout.hpp>

namespace argosy {
namespace detail {

// Both directions take plain pointers: pack only reads memory, unpack only reads the stream.
template <direction Way, auto Element = no_element{}>
inline void transfer_all(layout const& l, layout_node const* element, void const* memory,
                         void const* stream) {
  if (!l.empty())
    transfer<Way, Element>(l, element).all(l.root(), moved(memory, l.origin()), moved(stream, 0));
}

template <direction Way>
inline void transfer_range(layout const& l, void const* memory, void const* stream,
                           std::int64_t from, std::int64_t to) {
  from = std::max<std::int64_t>(from, 0);
  to = std::min(to, l.size());
  if (from < to)
    transfer<Way>(l).range(l.root(), moved(memory, l.origin()), moved(stream, 0), from, to);
}

template <direction Way, auto Form>
inline void transfer_static(void const* memory, void const* stream) {
  if constexpr (!Form.nodes.empty())
    static_transfer<Way, Form, Form.nodes.size() - 1>(moved(memory, Form.origin), moved(stream, 0));
}

}  // namespace detail

// Copies the bytes that `l` names, relative to `memory`, to `stream`, which has room for l.size()
// bytes. Local. Does not allocate. As fast as a loop written for that layout.
//
//   std::vector<std::byte> dense(l.size());
//   io::pack(l, array.data(), dense.data());
inline void pack(layout const& l, void const* memory, void* stream) {
  detail::transfer_all<detail::direction::pack>(l, nullptr, memory, stream);
}
// Copies `stream` to the bytes that `l` names, relative to `memory`. All other bytes of `memory`
// are unchanged. Local.
inline void unpack(layout const& l, void const* stream, void* memory) {
  detail::transfer_all<detail::direction::unpack>(l, nullptr, memory, stream);
}

// Copies bytes [from, to) of the stream, or the part of that range that exists. A negative `from`
// counts as 0. `stream` is the address of the first byte that is copied, not of byte 0. Local.
inline void pack(layout const& l, void const* memory, std::int64_t from, std::int64_t to,
                 void* stream) {
  detail::transfer_range<detail::direction::pack>(l, memory, stream, from, to);
}
inline void unpack(layout const& l, void const* stream, std::int64_t from, std::int64_t to,
                   void* memory) {
  detail::transfer_range<detail::direction::unpack>(l, memory, stream, from, to);
}

// Copies a layout known at compile time. There is no tree at run time: the call becomes the loop
// that one would write by hand.
template <auto Form>
inline void pack(extend::static_layout<Form>, void const* memory, void* stream) {
  detail::transfer_static<detail::direction::pack, Form>(memory, stream);
}
template <auto Form>
inline void unpack(extend::static_layout<Form>, void const* stream, void* memory) {
  detail::transfer_static<detail::direction::unpack, Form>(memory, stream);
}

// Copies elements known at compile time; their number is known at run time.
template <auto Element>
inline void pack(detail::element_layout<Element> const& l, void const* memory, void* stream) {
  detail::transfer_all<detail::direction::pack, Element>(l, l.element(), memory, stream);
}
template <auto Element>
inline void unpack(detail::element_layout<Element> const& l, void const* stream, void* memory) {
  detail::transfer_all<detail::direction::unpack, Element>(l, l.element(), memory, stream);
}

}  // namespace argosy

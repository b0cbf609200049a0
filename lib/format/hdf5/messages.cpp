// Implements messages.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "messages.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "../literal.hpp"
#include "datatype.hpp"
#include "filters.hpp"

namespace argosy::detail::hdf5 {

namespace {

constexpr std::size_t most_message_bytes = 0xffff;

std::uint64_t bits_of(std::int64_t n) { return static_cast<std::uint64_t>(n); }

bool multiply(std::int64_t& product, std::int64_t by) {
  return !__builtin_mul_overflow(product, by, &product) && product < std::int64_t{1} << 62;
}

}  // namespace

void header_writer::add(message kind, std::span<std::byte const> content) {
  if (content.size() > most_message_bytes)
    throw unreadable{
        {errc::argument,
         "an attribute or a type has more than 65535 bytes, which HDF5 has no room for",
         "make a dataset of a large attribute"}};
  if (kind == message::attribute && !std::exchange(has_attributes_, true))
    add(message::attribute_info,
        writer().number(0, 2).number(undefined, 8).number(undefined, 8).all());  // no heap
  messages_.number(static_cast<unsigned>(kind), 1).number(content.size(), 2).number(0, 1);
  messages_.bytes(content);
}

std::vector<std::byte> header_writer::finish() && {
  constexpr unsigned size_in_4_bytes = 2;
  writer all;
  all.text("OHDR").number(2, 1).number(size_in_4_bytes, 1).number(messages_.size(), 4);
  all.bytes(messages_.all()).checksum();
  return std::move(all.all());
}

std::vector<std::byte> dataspace_of(std::span<std::int64_t const> shape,
                                    std::span<std::int64_t const> most) {
  writer to;
  to.number(2, 1).number(shape.size(), 1).number(most.empty() ? 0 : 1, 1);
  to.number(shape.empty() ? 0 : 1, 1);
  for (std::int64_t const n : shape) to.number(bits_of(n), 8);
  for (std::int64_t const n : most) to.number(bits_of(n), 8);
  return std::move(to.all());
}

std::vector<std::byte> fill_value_of(hdf5_place const& p) {
  constexpr unsigned early = 1, late = 2, by_and_by = 3, write_if_set = 2u << 2;
  unsigned const when = p.what == hdf5_place::kind::implicit     ? early
                        : p.what == hdf5_place::kind::contiguous ? late
                                                                 : by_and_by;
  writer to;
  to.number(3, 1).number(when | write_if_set, 1);
  return std::move(to.all());
}

std::vector<std::byte> layout_of_data(hdf5_place const& p, std::int64_t element_bytes) {
  writer to;
  if (!p.is_chunked()) {
    to.number(3, 1).number(1, 1).number(bits_of(p.address), 8).number(bits_of(p.bytes), 8);
    return std::move(to.all());
  }
  std::int64_t longest = element_bytes;
  for (std::int64_t const n : p.chunk) longest = std::max(longest, n);
  int const bytes = bytes_for(bits_of(longest));
  to.number(4, 1).number(2, 1).number(0, 1);
  to.number(p.chunk.size() + 1, 1).number(bits_of(bytes), 1);
  for (std::int64_t const n : p.chunk) to.number(bits_of(n), bytes);
  to.number(bits_of(element_bytes), bytes);
  if (p.what == hdf5_place::kind::implicit)
    to.number(2, 1);
  else
    to.number(3, 1).number(fixed_array::page_bits, 1);
  to.number(bits_of(p.address), 8);
  return std::move(to.all());
}

std::vector<std::byte> filters_of(std::vector<hdf5_step> const& steps) {
  constexpr int first_with_name = 256;
  writer to;
  to.number(2, 1).number(steps.size(), 1);
  for (hdf5_step const& s : steps) {
    to.number(bits_of(s.id), 2);
    std::string_view const name = s.id < first_with_name ? "" : filter_name(s.id);
    if (s.id >= first_with_name) to.number(name.size() + 1, 2);
    to.number(0, 2).number(s.values.size(), 2);
    if (s.id >= first_with_name) to.text(name).number(0, 1);
    for (std::uint32_t const v : s.values) to.number(v, 4);
  }
  return std::move(to.all());
}

std::vector<std::byte> link_to(std::string_view name, std::int64_t address, std::int64_t order) {
  constexpr unsigned length_in_2_bytes = 1, has_order = 4, has_charset = 16;
  writer to;
  to.number(1, 1).number(length_in_2_bytes | has_order | has_charset, 1);
  to.number(bits_of(order), 8).number(is_ascii(name) ? 0 : 1, 1);
  to.number(name.size(), 2).text(name).number(bits_of(address), 8);
  return std::move(to.all());
}

std::vector<std::byte> link_info_of(std::int64_t links) {
  constexpr unsigned order_is_known = 1;
  writer to;
  to.number(0, 1).number(order_is_known, 1).number(bits_of(links), 8);
  to.number(undefined, 8).number(undefined, 8);
  return std::move(to.all());
}

std::vector<std::byte> raw_attribute(std::string_view name, std::span<std::byte const> type,
                                     std::span<std::int64_t const> shape,
                                     std::span<std::byte const> value) {
  std::vector<std::byte> const space = dataspace_of(shape);
  writer to;
  to.number(3, 1).number(0, 1).number(name.size() + 1, 2).number(type.size(), 2);
  to.number(space.size(), 2).number(is_ascii(name) ? 0 : 1, 1);
  to.text(name).number(0, 1).bytes(type).bytes(space).bytes(value);
  return std::move(to.all());
}

std::vector<std::byte> attribute_of(hdf5_attribute const& a) {
  writer type;
  std::string_view const text(reinterpret_cast<char const*>(a.value.data()), a.value.size());
  if (a.type.kind == 'S')
    put_text(type, a.type.bytes, text_end::zeros, !is_ascii(text));
  else
    put_datatype(type, a.type);
  return raw_attribute(a.name, type.all(), a.shape, a.value);
}

std::int64_t chunks_of(hdf5_place const& p) noexcept {
  std::int64_t all = 1;
  for (std::size_t k = 0; k < p.chunk.size(); ++k)
    if (!multiply(all, (p.most[k] + p.chunk[k] - 1) / p.chunk[k])) return -1;
  return all;
}

std::int64_t chunk_bytes_of(hdf5_place const& p, std::int64_t element_bytes) noexcept {
  std::int64_t all = element_bytes;
  for (std::int64_t const n : p.chunk)
    if (!multiply(all, n)) return -1;
  return all;
}

fixed_array fixed_array::of(hdf5_place const& p, std::int64_t element_bytes) {
  fixed_array a{.entries = chunks_of(p), .filtered = !p.steps.empty()};
  // The number of bytes is that of a chunk, and one more, because encoded chunks may be longer.
  std::uint64_t const bytes = bits_of(chunk_bytes_of(p, element_bytes));
  a.size_bytes = std::min(8, 1 + bytes_for(bytes));
  return a;
}

std::vector<std::byte> fixed_array::bytes(std::int64_t address,
                                          std::span<hdf5_chunk const> chunks) const {
  constexpr std::size_t header_bytes = 28;
  writer to;
  to.text("FAHD").number(0, 1).number(filtered ? 1 : 0, 1).number(bits_of(entry_bytes()), 1);
  to.number(page_bits, 1).number(bits_of(entries), 8);
  to.number(bits_of(address) + header_bytes, 8).checksum();
  to.text("FADB").number(0, 1).number(filtered ? 1 : 0, 1).number(bits_of(address), 8);
  auto const put = [&](std::int64_t i) {
    hdf5_chunk const c =
        i < std::ssize(chunks) ? chunks[static_cast<std::size_t>(i)] : hdf5_chunk{};
    to.number(bits_of(c.address), 8);
    if (filtered) to.number(bits_of(c.bytes), size_bytes).number(c.left_out, 4);
  };
  if (!has_pages()) {
    for (std::int64_t i = 0; i < entries; ++i) put(i);
    to.checksum(header_bytes);
    return std::move(to.all());
  }
  // All pages are there. The bits say so, from the highest bit of each byte on.
  for (std::int64_t i = 0; i < pages(); i += 8)
    to.number(i + 8 <= pages() ? 0xff : 0xff00u >> (pages() - i) & 0xff, 1);
  to.checksum(header_bytes);
  for (std::int64_t i = 0; i < entries;) {
    std::size_t const start = to.size();
    std::int64_t const end = std::min(entries, i + (std::int64_t{1} << page_bits));
    for (; i < end; ++i) put(i);
    to.checksum(start);
  }
  return std::move(to.all());
}

}  // namespace argosy::detail::hdf5

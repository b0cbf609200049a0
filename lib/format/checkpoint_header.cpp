// Implements format/checkpoint_header.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/checkpoint_header.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "crc32.hpp"
#include "dtype_text.hpp"
#include "literal.hpp"

namespace argosy {

namespace {

using detail::literal;

constexpr std::string_view magic =
    "\x93"
    "ARGOSY\x01";
constexpr std::size_t prefix = 16;
constexpr std::uint32_t longest_text = 16 << 20;
constexpr std::int64_t most_members = 65536;  // of all arrays that are records
constexpr std::int64_t alignment = 4096;
constexpr std::int64_t least_block = 512, most_block = std::int64_t{1} << 30;

failure damaged(std::string words) { return {errc::damaged, "the header of the checkpoint: " + std::move(words)}; }

std::uint32_t word_at(std::span<std::byte const> from, std::size_t at) {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < 4; ++i) all |= std::to_integer<std::uint32_t>(from[at + i]) << (8 * i);
  return all;
}

std::int64_t rounded_up(std::int64_t n) { return (n + alignment - 1) / alignment * alignment; }

bool array_bytes(detail::checkpoint_array const& a, std::int64_t& bytes) {
  bytes = a.type.bytes;
  if (std::ranges::find(a.shape, 0) != a.shape.end()) {
    bytes = 0;
    return true;
  }
  return std::ranges::all_of(a.shape, [&](std::int64_t n) { return !__builtin_mul_overflow(bytes, n, &bytes); });
}

std::string text_of(checkpoint_header const& h) {
  std::string text =
      "{'blocks': " + std::to_string(h.block_bytes) + ", 'size': " + std::to_string(h.file_bytes) + ", 'arrays': [";
  for (detail::checkpoint_array const& a : h.arrays)
    text += "\n  {'name': " + detail::python_text(a.name) + ", 'descr': " + to_string(a.type) +
            ", 'fortran_order': " + (a.order == order::fortran ? "True" : "False") +
            ", 'shape': " + detail::python_tuple(a.shape) + ", 'offset': " + std::to_string(a.offset) +
            ", 'sums': " + std::to_string(a.sums) + "},";
  return text + "\n]}\n";
}

bool is_number(literal const* l) { return l && l->what == literal::kind::number; }

// A name as errors show it: a damaged header may have a long one.
std::string shown(std::string_view name) {
  return "'" + std::string(name.substr(0, 100)) + (name.size() > 100 ? "..." : "") + "'";
}

// How many members a type has, and the members of it.
std::int64_t members_of(dtype const& type) {
  std::int64_t all = 0;
  for (detail::dtype_field const& f : type.fields) all += 1 + members_of(f.type);
  return all;
}

// Takes an array out of what the text says of it. Empty if all is well.
std::string array_from(literal& from, detail::checkpoint_array& a) {
  literal const *name = from.find("name"), *descr = from.find("descr"), *fortran = from.find("fortran_order"),
                *shape = from.find("shape"), *offset = from.find("offset"), *sums = from.find("sums");
  if (!name || !descr || !fortran || !shape || !is_number(offset) || !is_number(sums) || from.items.size() != 12 ||
      name->what != literal::kind::text || name->text.empty() || fortran->what != literal::kind::truth)
    return "an array has a name, descr, fortran_order, shape, offset and sums";
  a.name = std::move(const_cast<literal*>(name)->text);
  a.order = fortran->number == 1 ? order::fortran : order::c;
  a.offset = offset->number;
  a.sums = sums->number;
  std::string words;
  if (!detail::dtype_from(*descr, a.type, words)) return words;
  if (!detail::read_tuple(*shape, a.shape) || a.shape.size() > 64)
    return "the shape of " + shown(a.name) + " is none";
  std::int64_t bytes = 0;
  if (!array_bytes(a, bytes)) return shown(a.name) + " is larger than any file";
  return {};
}

// Arrays and sums lie behind the header, one behind the other, in the file. No name is there twice.
std::string misplaced(checkpoint_header const& h, std::int64_t end) {
  std::vector<std::string_view> names;
  names.reserve(h.arrays.size());
  for (detail::checkpoint_array const& a : h.arrays) {
    names.push_back(a.name);
    auto const follow = [&](std::int64_t at, std::int64_t bytes) {
      return at >= end && !__builtin_add_overflow(at, bytes, &end) && end <= h.file_bytes;
    };
    std::int64_t const bytes = a.bytes();
    if (!follow(a.offset, bytes) || !follow(a.sums, 4 * (bytes / h.block_bytes + (bytes % h.block_bytes != 0))))
      return shown(a.name) + " has no place of its own in the file";
  }
  std::ranges::sort(names);
  auto const twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::string() : shown(*twice) + " is there twice";
}

}  // namespace

std::int64_t detail::checkpoint_array::bytes() const {
  std::int64_t all = 0;
  return array_bytes(*this, all) ? all : -1;
}

detail::checkpoint_array const* checkpoint_header::find(std::string_view name) const {
  auto const found = std::ranges::find(arrays, name, &detail::checkpoint_array::name);
  return found == arrays.end() ? nullptr : &*found;
}

std::optional<std::int64_t> detail::checkpoint_header_bytes(std::span<std::byte const> start, failure& why) {
  why = {};
  if (start.size() < prefix || std::memcmp(start.data(), magic.data(), magic.size() - 1) != 0) {
    why = {errc::damaged, "this is no checkpoint: it does not begin with \\x93ARGOSY"};
    return {};
  }
  if (start[7] != std::byte{1}) {
    why = damaged("version " + std::to_string(std::to_integer<int>(start[7])) + " is not known; 1 is");
    return {};
  }
  std::uint32_t const length = word_at(start, 8);
  if (length > longest_text) {
    why = damaged(std::to_string(length) + " bytes of text are more than a header has");
    return {};
  }
  return static_cast<std::int64_t>(prefix) + length;
}

std::optional<checkpoint_header> detail::parse_checkpoint_header(std::span<std::byte const> start, failure& why) {
  auto const size = checkpoint_header_bytes(start, why);
  if (!size) return {};
  auto const no = [&](std::string words) -> std::optional<checkpoint_header> {
    why = damaged(std::move(words));
    return {};
  };
  if (static_cast<std::int64_t>(start.size()) < *size) return no("the file ends inside of it");
  auto const text = start.subspan(prefix, static_cast<std::size_t>(*size) - prefix);
  if (detail::crc32(text) != word_at(start, 12)) return no("its checksum is not that of its text");
  literal all;
  std::string words;
  checkpoint_header h;
  std::int64_t members = 0;
  auto const take = [&](literal& item) -> std::string {
    std::string wrong = array_from(item, h.arrays.emplace_back());
    if (wrong.empty() && (members += members_of(h.arrays.back().type)) > most_members)
      wrong = "its arrays have more members than a header has";
    return wrong;
  };
  std::string_view const characters(reinterpret_cast<char const*>(text.data()), text.size());
  if (!detail::parse_literal(characters, false, all, words, take))
    return no(std::move(words));
  literal const *blocks = all.find("blocks"), *bytes = all.find("size"), *arrays = all.find("arrays");
  if (!is_number(blocks) || !is_number(bytes) || !arrays || arrays->what != literal::kind::list ||
      all.items.size() != 6)
    return no("it must have blocks, size and arrays, and nothing else");
  h.block_bytes = blocks->number;
  h.file_bytes = bytes->number;
  if (h.block_bytes < least_block || h.block_bytes > most_block) return no("its blocks have no sensible size");
  if (*size > h.file_bytes) return no("the file is shorter than it");
  words = misplaced(h, *size);
  if (!words.empty()) return no(std::move(words));
  return h;
}

std::vector<std::byte> detail::checkpoint_header_of(checkpoint_header const& h) {
  std::string const text = text_of(h);
  auto const content = std::as_bytes(std::span(text)), start = std::as_bytes(std::span(magic));
  std::vector<std::byte> head(prefix + text.size());
  auto at = std::copy(start.begin(), start.end(), head.begin());
  auto const append = [&](std::uint32_t word) {
    for (int i = 0; i < 4; ++i) *at++ = static_cast<std::byte>(word >> (8 * i) & 0xff);
  };
  append(static_cast<std::uint32_t>(text.size()));
  append(detail::crc32(content));
  std::copy(content.begin(), content.end(), at);
  return head;
}

void detail::place_arrays(checkpoint_header& h) {
  // Numbers that are not known yet take as much room as the largest.
  checkpoint_header longest = h;
  longest.file_bytes = INT64_MAX;
  for (detail::checkpoint_array& a : longest.arrays) a.offset = a.sums = INT64_MAX;
  std::int64_t end = rounded_up(static_cast<std::int64_t>(prefix + text_of(longest).size()));
  for (detail::checkpoint_array& a : h.arrays) {
    a.offset = end;
    a.sums = (a.offset + a.bytes() + 3) / 4 * 4;
    end = rounded_up(a.sums + 4 * h.blocks(a));
  }
  h.file_bytes = end;
}

std::string to_string(checkpoint_header const& h) {
  std::string all;
  for (detail::checkpoint_array const& a : h.arrays)
    all += a.name + ": " + to_string(a.type) + " " + detail::python_tuple(a.shape) +
           (a.order == order::fortran ? ", Fortran order" : "") + ", from byte " + std::to_string(a.offset) + " on\n";
  return all;
}

}  // namespace argosy

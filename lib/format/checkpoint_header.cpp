// Implements format/checkpoint_header.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/checkpoint_header.hpp>

#include <algorithm>
#include <array>
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
    "ARGOSY";
constexpr std::size_t prefix = 16;
constexpr std::uint32_t longest_text = 16 << 20;
constexpr std::int64_t alignment = 4096;
constexpr std::int64_t least_block = detail::least_encoded_block,
                       most_block = std::int64_t{1} << 30;
// Decoded blocks lie below this place.
constexpr std::int64_t most_decoded = std::int64_t{1} << 62;

extend::failure damaged(std::string words) {
  return {errc::damaged, "the header of the checkpoint: " + std::move(words)};
}

std::uint32_t word_at(std::span<std::byte const> from, std::size_t at) {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < 4; ++i)
    all |= std::to_integer<std::uint32_t>(from[at + i]) << (8 * i);
  return all;
}

std::int64_t rounded_up(std::int64_t n) { return (n + alignment - 1) / alignment * alignment; }

bool array_bytes(detail::checkpoint_array const& a, std::int64_t& bytes) {
  bytes = a.type.bytes;
  if (std::ranges::find(a.shape, 0) != a.shape.end()) {
    bytes = 0;
    return true;
  }
  return std::ranges::all_of(
      a.shape, [&](std::int64_t n) { return !__builtin_mul_overflow(bytes, n, &bytes); });
}

std::string text_of(checkpoint_header const& h) {
  std::string text =
      "{'blocks': " + std::to_string(h.block_bytes) + ", 'size': " + std::to_string(h.file_bytes);
  if (!h.codecs.empty()) {
    text += ", 'codecs': (";
    for (zarr_codec const& c : h.codecs) text += "'" + std::string(c.name()) + "',";
    text += ")";
  }
  text += ", 'arrays': [";
  for (detail::checkpoint_array const& a : h.arrays)
    text += "\n  {'name': " + detail::python_text(a.name) + ", 'descr': " + to_string(a.type) +
            ", 'fortran_order': " + (a.order == order::fortran ? "True" : "False") +
            ", 'shape': " + detail::python_tuple(a.shape) +
            ", 'offset': " + std::to_string(a.offset) + ", 'sums': " + std::to_string(a.sums) +
            "},";
  return text + "\n]}\n";
}

bool is_number(literal const* l) { return l && l->what == literal::kind::number; }

// Returns a name for an error, cut to 100 characters, because a damaged header may have a long one.
std::string shown(std::string_view name) {
  return "'" + std::string(name.substr(0, 100)) + (name.size() > 100 ? "..." : "") + "'";
}

// Reads an array from the text. Returns an empty string if it succeeds.
std::string array_from(literal& from, detail::checkpoint_array& a) {
  literal const *name = from.find("name"), *descr = from.find("descr"),
                *fortran = from.find("fortran_order"), *shape = from.find("shape"),
                *offset = from.find("offset"), *sums = from.find("sums");
  if (!name || !descr || !fortran || !shape || !is_number(offset) || !is_number(sums) ||
      from.items.size() != 12 || name->what != literal::kind::text || name->text.empty() ||
      fortran->what != literal::kind::truth)
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

// Reads the sizes from the text. Returns false if arrays cannot be placed with them.
bool sizes_from(literal const& all, checkpoint_header& h) {
  literal const *blocks = all.find("blocks"), *bytes = all.find("size");
  if (!is_number(blocks) || !is_number(bytes)) return false;
  h.block_bytes = blocks->number;
  h.file_bytes = bytes->number;
  return h.block_bytes >= least_block &&
         h.block_bytes <= (h.codecs.empty() ? most_block : detail::most_encoded_block);
}

// Reads the names of codecs from the text. Returns an empty string if it succeeds.
std::string codecs_from(literal const& all, std::vector<zarr_codec>& into) {
  std::array const known = {zarr_codec::gzip(), zarr_codec::zstd(), zarr_codec::blosc(),
                            zarr_codec::crc32c()};
  into.clear();
  literal const* const names = all.find("codecs");
  if (!names || names->what != literal::kind::tuple || names->items.empty() ||
      names->items.size() > detail::most_codecs)
    return "it must name 1 to 8 codecs";
  for (literal const& name : names->items) {
    auto const found = std::ranges::find_if(known, [&](zarr_codec const& c) {
      return name.what == literal::kind::text && c.name() == name.text;
    });
    if (found == known.end()) return "the codec " + shown(name.text) + " is not known";
    into.push_back(*found);
  }
  return {};
}

// Checks that the array and its sums lie behind `end`, one behind the other, in the file. Moves
// `end` behind them. Returns an empty string if it succeeds.
std::string misplaced(checkpoint_header const& h, detail::checkpoint_array const& a,
                      std::int64_t& end) {
  auto const follow = [&](std::int64_t at, std::int64_t bytes) {
    return at >= end && !__builtin_add_overflow(at, bytes, &end) && end <= h.file_bytes;
  };
  std::int64_t const bytes = a.bytes();
  std::int64_t const blocks = bytes / h.block_bytes + (bytes % h.block_bytes != 0);
  if (!h.codecs.empty()) {
    bool const sized = a.offset % h.block_bytes == 0 && a.offset <= most_decoded - bytes;
    if (sized && blocks <= h.file_bytes / detail::table_entry_bytes &&
        follow(a.sums, blocks * detail::table_entry_bytes))
      return {};
    return "the table of " + shown(a.name) + " has no place of its own in the file";
  }
  if (follow(a.offset, bytes) && follow(a.sums, 4 * blocks)) return {};
  return shown(a.name) + " has no place of its own in the file";
}

// Reads the sizes from the text, and counts its arrays into `arrays`. No array is stored, so a
// header that is refused here takes no more memory than its largest array. Returns an empty string
// if it succeeds.
std::string look_through(std::string_view text, bool encoded, std::int64_t header_bytes,
                         checkpoint_header& h, std::size_t& arrays) {
  literal all;
  std::string words;
  std::int64_t end = header_bytes;
  auto const sizes_known = [&] {
    return (!encoded || codecs_from(all, h.codecs).empty()) && sizes_from(all, h);
  };
  auto const check = [&](literal& item) -> std::string {
    detail::checkpoint_array a;
    std::string wrong = array_from(item, a);
    ++arrays;
    if (!wrong.empty() || !sizes_known() || h.file_bytes < header_bytes) return wrong;
    return misplaced(h, a, end);
  };
  if (!detail::parse_literal(text, false, all, words, check)) return words;
  literal const* const list = all.find("arrays");
  if (!is_number(all.find("blocks")) || !is_number(all.find("size")) || !list ||
      list->what != literal::kind::list || all.items.size() != (encoded ? 8 : 6))
    return encoded ? "it must have blocks, size, codecs and arrays, and nothing else"
                   : "it must have blocks, size and arrays, and nothing else";
  if (encoded)
    if (words = codecs_from(all, h.codecs); !words.empty()) return words;
  bool const sizes = sizes_from(all, h);
  if (!sizes) return "its blocks have no sensible size";
  return header_bytes > h.file_bytes ? "the file is shorter than it" : "";
}

// Checks that arrays and sums lie behind the header, one behind the other, in the file, and that no
// name is used twice. Decoded blocks must lie one behind the other, too.
std::string misplaced(checkpoint_header const& h, std::int64_t end) {
  std::vector<std::string_view> names;
  names.reserve(h.arrays.size());
  std::int64_t decoded = 0;
  for (detail::checkpoint_array const& a : h.arrays) {
    names.push_back(a.name);
    if (std::string wrong = misplaced(h, a, end); !wrong.empty()) return wrong;
    if (h.codecs.empty()) continue;
    if (a.offset < decoded) return "blocks of " + shown(a.name) + " are those of another array";
    decoded = a.offset + h.blocks(a) * h.block_bytes;
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

std::optional<std::int64_t> detail::checkpoint_header_bytes(std::span<std::byte const> start,
                                                            extend::failure& why) {
  why = {};
  if (start.size() < prefix || std::memcmp(start.data(), magic.data(), magic.size()) != 0) {
    why = {errc::damaged, "this is no checkpoint: it does not begin with \\x93ARGOSY"};
    return {};
  }
  if (start[7] != std::byte{1} && start[7] != std::byte{2}) {
    why = damaged("version " + std::to_string(std::to_integer<int>(start[7])) +
                  " is not known; 1 and 2 are");
    return {};
  }
  std::uint32_t const length = word_at(start, 8);
  if (length > longest_text) {
    why = damaged(std::to_string(length) + " bytes of text are more than a header has");
    return {};
  }
  return static_cast<std::int64_t>(prefix) + length;
}

std::optional<checkpoint_header> detail::parse_checkpoint_header(std::span<std::byte const> start,
                                                                 extend::failure& why) {
  auto const size = checkpoint_header_bytes(start, why);
  if (!size) return {};
  auto const no = [&](std::string words) -> std::optional<checkpoint_header> {
    why = damaged(std::move(words));
    return {};
  };
  if (static_cast<std::int64_t>(start.size()) < *size) return no("the file ends inside of it");
  auto const text = start.subspan(prefix, static_cast<std::size_t>(*size) - prefix);
  if (detail::crc32(text) != word_at(start, 12)) return no("its checksum is not that of its text");
  checkpoint_header h;
  std::size_t arrays = 0;
  std::string_view const characters(reinterpret_cast<char const*>(text.data()), text.size());
  std::string words = look_through(characters, start[7] == std::byte{2}, *size, h, arrays);
  if (!words.empty()) return no(std::move(words));
  h.arrays.reserve(arrays);
  literal all;
  auto const take = [&](literal& item) { return array_from(item, h.arrays.emplace_back()); };
  if (!detail::parse_literal(characters, false, all, words, take)) return no(std::move(words));
  words = misplaced(h, *size);
  if (!words.empty()) return no(std::move(words));
  return h;
}

std::vector<std::byte> detail::checkpoint_header_of(checkpoint_header const& h) {
  std::string const text = text_of(h);
  auto const content = std::as_bytes(std::span(text)), start = std::as_bytes(std::span(magic));
  std::vector<std::byte> head(prefix + text.size());
  auto at = std::copy(start.begin(), start.end(), head.begin());
  *at++ = h.codecs.empty() ? std::byte{1} : std::byte{2};
  auto const append = [&](std::uint32_t word) {
    for (int i = 0; i < 4; ++i) *at++ = static_cast<std::byte>(word >> (8 * i) & 0xff);
  };
  append(static_cast<std::uint32_t>(text.size()));
  append(detail::crc32(content));
  std::copy(content.begin(), content.end(), at);
  return head;
}

void detail::place_arrays(checkpoint_header& h) {
  // Numbers that are not known yet get as much room as the largest.
  checkpoint_header longest = h;
  longest.file_bytes = INT64_MAX;
  for (detail::checkpoint_array& a : longest.arrays) a.offset = a.sums = INT64_MAX;
  std::int64_t end = rounded_up(static_cast<std::int64_t>(prefix + text_of(longest).size()));
  std::int64_t decoded = 0;
  for (detail::checkpoint_array& a : h.arrays) {
    if (!h.codecs.empty()) {
      a.offset = decoded;
      a.sums = end;
      decoded += h.blocks(a) * h.block_bytes;
      end += h.blocks(a) * table_entry_bytes;
      continue;
    }
    a.offset = end;
    a.sums = (a.offset + a.bytes() + 3) / 4 * 4;
    end = rounded_up(a.sums + 4 * h.blocks(a));
  }
  h.file_bytes = end;
}

std::int64_t detail::bytes_of_block(checkpoint_header const& h, checkpoint_array const& a,
                                    std::int64_t block) {
  return std::min(h.block_bytes, a.bytes() - block * h.block_bytes);
}

std::string detail::codec_names(std::vector<zarr_codec> const& all) {
  std::string names;
  for (zarr_codec const& c : all) names += (names.empty() ? "" : ", ") + std::string(c.name());
  return names;
}

std::string detail::codec_settings(std::vector<zarr_codec> const& all) {
  std::string text;
  for (zarr_codec const& c : all) {
    text += (text.empty() ? "" : ", ") + std::string(c.name());
    for (std::int64_t const n :
         {std::int64_t{c.level()}, std::int64_t{c.checksum()}, std::int64_t{c.item_bytes()},
          c.block_bytes(), static_cast<std::int64_t>(c.shuffling())})
      text += " " + std::to_string(n);
    if (!c.compressor().empty()) text += " " + c.compressor();
  }
  return text;
}

std::string to_string(checkpoint_header const& h) {
  std::string all;
  for (detail::checkpoint_array const& a : h.arrays)
    all += a.name + ": " + to_string(a.type) + " " + detail::python_tuple(a.shape) +
           (a.order == order::fortran ? ", Fortran order" : "") +
           (h.codecs.empty() ? ", from byte " + std::to_string(a.offset) + " on"
                             : ", " + detail::codec_names(h.codecs)) +
           "\n";
  return all;
}

}  // namespace argosy

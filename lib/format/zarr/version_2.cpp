// Reads metadata of version 2 of Zarr. Implements metadata_reader.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "metadata_reader.hpp"
#include "types.hpp"

namespace argosy::detail {

namespace {

// Returns the bytes that a text of Base64 stands for, or no value if it is none.
std::optional<std::vector<std::uint8_t>> base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return {};
  std::vector<std::uint8_t> bytes;
  unsigned value = 0, bits = 0;
  std::size_t padding = 0;
  for (char const c : text) {
    if (c == '=') {
      ++padding;
      continue;
    }
    std::size_t const digit = digits.find(c);
    if (digit == std::string_view::npos || padding > 0) return {};
    value = value << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(value >> bits & 0xffu));
  }
  return padding > 2 ? std::nullopt : std::optional(std::move(bytes));
}

// The first fault ends the reading.
class reader_of_version_2 : metadata_reader {
 public:
  explicit reader_of_version_2(failure& why) : metadata_reader(why) {}

  bool array(json::object const& o, zarr_header& h) {
    h.version = 2;
    return shape(o, h) && numbers(find(o, "chunks"), "chunks", 1, h.options.chunks) && type(o, h) &&
           order_of(o, h) && bytes_of_numbers(h) && no_filters(o) && compressor(o, h) &&
           names(o, h) && fill(o, h) && attributes(o, h) && dimensions(h);
  }

 private:
  bool type(json::object const& o, zarr_header& h) {
    json::value const* const v = find(o, "dtype");
    if (!v) return damaged("it has no 'dtype'");
    std::string_view const name = text_of(v);
    auto const refused = [&] { return unknown("the data type " + json_text(*v)); };
    if (name.size() < 3 || std::string_view("<>|").find(name[0]) == std::string_view::npos)
      return refused();
    std::int64_t bytes = 0;
    for (char const c : name.substr(2)) {
      if (c < '0' || c > '9' || bytes > (1 << 20)) return refused();
      bytes = 10 * bytes + (c - '0');
    }
    big_endian_ = name[0] == '>';
    bool const ordered = bytes > 1 && name[1] != 'V';
    h.type = {.kind = name[1], .order = ordered ? native_order : '|', .bytes = bytes, .fields = {}};
    return !zarr_name_of(h.type).empty() || refused();
  }
  // Fortran order is a transposition.
  bool order_of(json::object const& o, zarr_header& h) {
    std::string_view const order = text_of(find(o, "order"));
    if (order != "C" && order != "F") return damaged("its 'order' is neither C nor F");
    if (order == "C" || h.shape.size() < 2) return true;
    std::vector<int> reversed(h.shape.size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    h.options.codecs.push_back(zarr_codec::transpose(std::move(reversed)));
    return true;
  }
  bool bytes_of_numbers(zarr_header& h) const {
    h.options.codecs.push_back(zarr_codec::bytes(big_endian_));
    return true;
  }
  bool no_filters(json::object const& o) {
    json::value const* const f = find(o, "filters");
    if (!f || f->is_null()) return true;
    if (!f->is_array()) return damaged("its 'filters' are no list");
    if (f->get_array().empty()) return true;
    json::value const& first = f->get_array()[0];
    return unknown("the filter " +
                   quoted(first.is_object() ? text_of(find(first.get_object(), "id")) : "?"));
  }
  bool compressor(json::object const& o, zarr_header& h) {
    json::value const* const c = find(o, "compressor");
    if (!c) return damaged("it has no 'compressor'");
    if (c->is_null()) return true;
    if (!c->is_object()) return damaged("its 'compressor' is no object");
    json::object const& with = c->get_object();
    std::string_view const id = text_of(find(with, "id"));
    json::value const* const level = find(with, "level");
    auto const in_range = [&](std::int64_t low, std::int64_t high) {
      return std::clamp(level && level->is_int64() ? level->get_int64() : 1, low, high);
    };
    std::vector<zarr_codec>& all = h.options.codecs;
    if (id == "blosc") return blosc(with, h);
    // A reader needs no level, and zlib has one that means its default.
    if (id == "zlib")
      all.push_back(zarr_codec::zlib(static_cast<int>(in_range(0, 9))));
    else if (id == "gzip")
      all.push_back(zarr_codec::gzip(static_cast<int>(in_range(0, 9))));
    else if (id == "zstd")
      all.push_back(zarr_codec::zstd(static_cast<int>(in_range(-131072, 22))));
    else
      return id.empty() ? damaged("its 'compressor' has no 'id'")
                        : unknown("the compressor " + quoted(id));
    return true;
  }
  bool blosc(json::object const& with, zarr_header& h) {
    std::int64_t level = 0, block = 0;
    json::value const* const size = find(with, "blocksize");
    if (!whole(find(with, "clevel"), "clevel", level) || (size && !whole(size, "blocksize", block)))
      return false;
    json::value const* const how = find(with, "shuffle");
    std::int64_t const shuffle = how && how->is_int64() ? how->get_int64() : -2;
    if (shuffle < -1 || shuffle > 2) return damaged("its 'shuffle' is none of -1, 0, 1 and 2");
    // -1 shuffles bits of single bytes, and bytes of anything else.
    std::int64_t const chosen = shuffle >= 0 ? shuffle : h.type.bytes == 1 ? 2 : 1;
    h.options.codecs.push_back(
        zarr_codec::blosc(std::string(text_of(find(with, "cname"))), static_cast<int>(level),
                          static_cast<zarr_codec::shuffle>(chosen), 0, block));
    return true;
  }
  bool names(json::object const& o, zarr_header& h) {
    h.options.version_2_names = true;
    h.options.separator = '.';
    json::value const* const s = find(o, "dimension_separator");
    if (!s || s->is_null()) return true;
    if (text_of(s) != "/" && text_of(s) != ".")
      return damaged("its 'dimension_separator' is not / or .");
    h.options.separator = text_of(s)[0];
    return true;
  }
  bool fill(json::object const& o, zarr_header& h) {
    json::value const* const v = find(o, "fill_value");
    if (!v) return damaged("it has no 'fill_value'");
    json::value value = v->is_null() ? json::value(0) : *v;  // null: any value may be read
    if (h.type.kind == 'V' && value.is_string()) {
      auto const bytes = base64(text_of(&value));
      if (!bytes) return damaged("its 'fill_value' is no Base64");
      value = json::value_from(*bytes);
    }
    if (!fill_bytes(h.type, value)) return damaged("its 'fill_value' is none of the data type");
    h.options.fill_value = json_text(value);
    return true;
  }
  // xarray puts the names of dimensions into the attributes.
  bool dimensions(zarr_header& h) {
    if (h.options.attributes.empty()) return true;
    auto const all = json_in(h.options.attributes);
    json::value const* const n = find(all->get_object(), "_ARRAY_DIMENSIONS");
    if (!n || !n->is_array() || n->get_array().size() != h.shape.size()) return true;
    for (json::value const& one : n->get_array())
      h.options.dimension_names.emplace_back(text_of(&one));
    return true;
  }

  bool big_endian_ = false;
};

}  // namespace

bool read_version_2(json::object const& o, zarr_header& h, failure& why) {
  return reader_of_version_2(why).array(o, h);
}

}  // namespace argosy::detail

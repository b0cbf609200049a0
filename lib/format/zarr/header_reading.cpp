// Implements format/zarr_header.hpp: reads the metadata of arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include <argosy/format/zarr_header.hpp>

#include "json.hpp"
#include "metadata_reader.hpp"
#include "types.hpp"

namespace argosy {

namespace {

namespace json = detail::json;
using detail::quoted;
using extend::failure;

// Reads one zarr.json. The first fault ends the reading.
class reader : detail::metadata_reader {
 public:
  explicit reader(failure& why) : metadata_reader(why) {}

  std::optional<zarr_header> array(std::string_view text) {
    if (text.size() > detail::most_zarr_json) {
      damaged("it has more than 16 MiB");
      return {};
    }
    auto const root = detail::json_in(text);
    if (!root || !root->is_object()) {
      damaged("it is no JSON object, or a number in it is too large");
      return {};
    }
    json::object const& o = root->get_object();
    zarr_header h;
    if (!version(o)) return {};
    bool const well = is_old_ ? detail::read_version_2(o, h, why_)
                              : fields(o) && shape(o, h) && type(o, h) && chunks(o, h) &&
                                    names(o, h) && codecs(o, h) && rest(o, h);
    if (well) {
      why_ = detail::complete(h);
      // Numbers that fit no array of a program may still be valid in the file.
      if (why_ && why_.code != make_error_code(errc::unsupported)) damaged(why_.detail);
    }
    if (why_) return {};
    return h;
  }

 private:
  bool version(json::object const& o) {
    json::value const* const v = find(o, "zarr_format");
    if (!v || !v->is_int64()) return damaged("it has no 'zarr_format'");
    is_old_ = v->get_int64() == 2;
    if (v->get_int64() != 3 && !is_old_)
      return unknown("version " + std::to_string(v->get_int64()) + " of the format");
    if (text_of(find(o, "node_type")) == "group")
      return why_ = {errc::datatype, "it is a group and no array",
                     "give the path of an array in the group"},
             false;
    return is_old_ || text_of(find(o, "node_type")) == "array" || damaged("it has no 'node_type'");
  }
  bool fields(json::object const& o) {
    constexpr std::array<std::string_view, 11> known = {
        "zarr_format", "node_type",         "shape",
        "data_type",   "chunk_grid",        "fill_value",
        "attributes",  "dimension_names",   "storage_transformers",
        "codecs",      "chunk_key_encoding"};
    for (auto const& [key, v] : o) {
      if (std::ranges::find(known, std::string_view(key)) != known.end()) continue;
      json::value const* const must =
          v.is_object() ? v.get_object().if_contains("must_understand") : nullptr;
      if (!must || !must->is_bool() || must->get_bool())
        return unknown("the extension " + quoted(key));
    }
    json::value const* const t = find(o, "storage_transformers");
    return !t || (t->is_array() && t->get_array().empty()) || unknown("storage transformers");
  }
  bool type(json::object const& o, zarr_header& h) {
    json::value const* const v = find(o, "data_type");
    if (!v) return damaged("it has no 'data_type'");
    auto const found = detail::zarr_type_of(text_of(v));
    if (!found) return unknown("the data type " + detail::json_text(*v));
    h.type = *found;
    return true;
  }

  // A name with a configuration: a codec, a grid, or an encoding of names.
  struct named {
    std::string_view name;
    json::object const* with = nullptr;
  };
  named named_in(json::value const* v) {
    if (!v) return {};
    if (v->is_string()) return {text_of(v)};
    if (!v->is_object()) return {};
    json::value const* const with = find(v->get_object(), "configuration");
    return {text_of(find(v->get_object(), "name")),
            with && with->is_object() ? &with->get_object() : nullptr};
  }
  static json::value const* in(named const& n, std::string_view key) {
    return n.with ? find(*n.with, key) : nullptr;
  }

  bool chunks(json::object const& o, zarr_header& h) {
    named const grid = named_in(find(o, "chunk_grid"));
    if (grid.name.empty()) return damaged("it has no 'chunk_grid'");
    if (grid.name != "regular") return unknown("the chunk grid " + quoted(grid.name));
    return numbers(in(grid, "chunk_shape"), "chunk_shape", 1, h.options.chunks);
  }
  bool names(json::object const& o, zarr_header& h) {
    named const n = named_in(find(o, "chunk_key_encoding"));
    if (n.name != "default" && n.name != "v2")
      return n.name.empty() ? damaged("it has no 'chunk_key_encoding'")
                            : unknown("names of chunks by " + quoted(n.name));
    h.options.version_2_names = n.name == "v2";
    h.options.separator = h.options.version_2_names ? '.' : '/';
    json::value const* const s = in(n, "separator");
    if (!s) return true;
    if (text_of(s) != "/" && text_of(s) != ".") return damaged("its 'separator' is not / or .");
    h.options.separator = text_of(s)[0];
    return true;
  }
  bool codecs(json::object const& o, zarr_header& h) {
    json::value const* const list = find(o, "codecs");
    if (!list || !list->is_array()) return damaged("it has no list 'codecs'");
    json::array const& all = list->get_array();
    bool const shards = !all.empty() && named_in(&all[0]).name == "sharding_indexed";
    if (!shards) return steps(all, h.options.codecs, h.shape.size());
    if (all.size() > 1) return unknown("codecs around 'sharding_indexed'");
    return sharding(named_in(&all[0]), h);
  }
  bool sharding(named const& n, zarr_header& h) {
    if (h.shape.empty()) return unknown("shards of an array without dimensions");
    h.options.shards = std::exchange(h.options.chunks, {});
    if (!numbers(in(n, "chunk_shape"), "chunk_shape", 1, h.options.chunks)) return false;
    json::value const* const list = in(n, "codecs");
    if (!list || !list->is_array()) return damaged("'sharding_indexed' has no list 'codecs'");
    if (!steps(list->get_array(), h.options.codecs, h.shape.size())) return false;
    std::string_view const place = text_of(in(n, "index_location"));
    if (!place.empty() && place != "start" && place != "end")
      return damaged("its 'index_location' is neither start nor end");
    h.options.index_at_start = place == "start";
    json::value const* const index = in(n, "index_codecs");
    std::vector<zarr_codec> of_index;
    if (!index || !index->is_array()) return damaged("it has no list 'index_codecs'");
    if (!steps(index->get_array(), of_index, 0)) return false;
    h.options.index_checksum = of_index.size() == 2;
    if (of_index.empty() || of_index[0] != zarr_codec::bytes() || of_index.size() > 2 ||
        (of_index.size() == 2 && of_index[1] != zarr_codec::crc32c()))
      return unknown("an index of other codecs than little-endian bytes and crc32c");
    return true;
  }
  bool steps(json::array const& list, std::vector<zarr_codec>& into, std::size_t dimensions) {
    for (json::value const& v : list)
      if (!step(named_in(&v), into, dimensions)) return false;
    return !into.empty() || damaged("its list of codecs is empty");
  }
  bool step(named const& n, std::vector<zarr_codec>& into, std::size_t dimensions) {
    if (n.name.empty()) return damaged("a codec has no name");
    json::value const* const level = in(n, "level");
    std::int64_t const asked = level && level->is_int64() ? level->get_int64() : 0;
    if (asked < -131072 || asked > 22) return damaged("a level is out of range");
    if (n.name == "bytes") {
      std::string_view const endian = text_of(in(n, "endian"));
      if (!endian.empty() && endian != "big" && endian != "little")
        return damaged("its 'endian' is neither big nor little");
      into.push_back(zarr_codec::bytes(endian == "big"));
    } else if (n.name == "transpose") {
      std::vector<std::int64_t> order;
      if (!numbers(in(n, "order"), "order", 0, order)) return false;
      if (order.size() > dimensions) return damaged("a transposition has too many dimensions");
      std::vector<int> narrow;
      for (std::int64_t const k : order)
        narrow.push_back(static_cast<int>(std::min<std::int64_t>(k, 99)));
      into.push_back(zarr_codec::transpose(std::move(narrow)));
    } else if (n.name == "gzip") {
      into.push_back(zarr_codec::gzip(static_cast<int>(asked)));
    } else if (n.name == "zstd") {
      json::value const* const sum = in(n, "checksum");
      into.push_back(
          zarr_codec::zstd(static_cast<int>(asked), sum && sum->is_bool() && sum->get_bool()));
    } else if (n.name == "crc32c") {
      into.push_back(zarr_codec::crc32c());
    } else if (n.name == "blosc") {
      return blosc(n, into);
    } else {
      return unknown("the codec " + quoted(n.name));
    }
    return true;
  }
  bool blosc(named const& n, std::vector<zarr_codec>& into) {
    std::string_view const how = text_of(in(n, "shuffle"));
    auto const known = std::ranges::find(detail::blosc_shuffles, how);
    if (known == detail::blosc_shuffles.end())
      return damaged("its 'shuffle' is none of noshuffle, shuffle and bitshuffle");
    std::int64_t level = 0, item = 1, block = 0;
    if (!whole(in(n, "clevel"), "clevel", level) || !whole(in(n, "blocksize"), "blocksize", block))
      return false;
    // The size of an item may be missing if bytes are not shuffled.
    if (json::value const* const t = in(n, "typesize"))
      if (!whole(t, "typesize", item)) return false;
    into.push_back(
        zarr_codec::blosc(std::string(text_of(in(n, "cname"))), static_cast<int>(level),
                          static_cast<zarr_codec::shuffle>(known - detail::blosc_shuffles.begin()),
                          static_cast<int>(item), block));
    return true;
  }
  bool rest(json::object const& o, zarr_header& h) {
    json::value const* const fill = find(o, "fill_value");
    if (!fill) return damaged("it has no 'fill_value'");
    if (!detail::fill_bytes(h.type, *fill))
      return damaged("its 'fill_value' is none of the data type");
    h.options.fill_value = detail::json_text(*fill);
    if (json::value const* const n = find(o, "dimension_names"); n && !n->is_null()) {
      if (!n->is_array()) return damaged("its 'dimension_names' are no list");
      for (json::value const& one : n->get_array()) {
        if (!one.is_null() && !one.is_string()) return damaged("a dimension's name is no text");
        h.options.dimension_names.emplace_back(text_of(&one));
      }
    }
    return attributes(o, h);
  }

  bool is_old_ = false;  // the metadata is of version 2
};

}  // namespace

std::optional<zarr_header> detail::parse_zarr_header(std::string_view text, failure& why) {
  return reader(why).array(text);
}

}  // namespace argosy

// Implements format/zarr_header.hpp: completes the metadata of arrays, and writes it as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/zarr_header.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <argosy/format/detail/zarr/zarr_grid.hpp>

#include "codec_settings.hpp"
#include "format/literal.hpp"
#include "json.hpp"
#include "metadata_reader.hpp"
#include "types.hpp"

namespace argosy {

namespace {

namespace json = detail::json;
using extend::failure;

constexpr std::int64_t most_chunk_bytes = (std::int64_t{1} << 31) - (1 << 16);
constexpr std::int64_t most_chunks_in_shard = std::int64_t{1} << 24;

json::value json_of(zarr_codec const& c) {
  using kind = zarr_codec::kind;
  json::object o{{"name", std::string(c.name())}};
  switch (c.what()) {
    case kind::bytes:
      o["configuration"] = json::object{{"endian", c.big_endian() ? "big" : "little"}};
      break;
    case kind::transpose:
      o["configuration"] = json::object{{"order", json::value_from(c.order())}};
      break;
    case kind::gzip:
      o["configuration"] = json::object{{"level", c.level()}};
      break;
    case kind::zstd:
      o["configuration"] = json::object{{"level", c.level()}, {"checksum", c.checksum()}};
      break;
    case kind::blosc:
      o["configuration"] = json::object{
          {"cname", c.compressor()},
          {"clevel", c.level()},
          {"shuffle",
           json::string_view(detail::blosc_shuffles[static_cast<std::size_t>(c.shuffling())])},
          {"typesize", c.item_bytes()},
          {"blocksize", c.block_bytes()}};
      break;
    case kind::zlib:  // version 3 has no such codec
    case kind::crc32c:
      break;
  }
  return o;
}

json::array json_of(std::vector<zarr_codec> const& all) {
  json::array list;
  for (zarr_codec const& c : all) list.push_back(json_of(c));
  return list;
}

// Chooses chunks of about 1 MiB: the longest side is halved until they are as small.
std::vector<std::int64_t> usual_chunks(zarr_header const& h) {
  std::vector<std::int64_t> chunk;
  double bytes = static_cast<double>(h.type.bytes);
  for (std::int64_t const n : h.shape) {
    chunk.push_back(std::max<std::int64_t>(n, 1));
    bytes *= static_cast<double>(chunk.back());
  }
  while (bytes > 0x1p20) {
    auto const longest = std::ranges::max_element(chunk);
    if (longest == chunk.end() || *longest == 1) break;
    std::int64_t const half = *longest / 2 + *longest % 2;
    bytes *= static_cast<double>(half) / static_cast<double>(*longest);
    *longest = half;
  }
  return chunk;
}

failure wrong(std::string words, std::string advice = {}) {
  return {errc::argument, std::move(words), std::move(advice)};
}

failure complete_chunks(zarr_header& h) {
  zarr_options& how = h.options;
  if (how.chunks.empty()) how.chunks = how.shards.empty() ? usual_chunks(h) : how.shards;
  if (how.chunks.size() != h.shape.size() ||
      (!how.shards.empty() && how.shards.size() != h.shape.size()))
    return wrong("chunks and shards need a number for each of the " +
                 std::to_string(h.shape.size()) + " dimensions");
  std::int64_t bytes = h.type.bytes, inside = 1;
  for (std::size_t k = 0; k < h.shape.size(); ++k) {
    if (h.shape[k] < 0) return wrong("a size is negative");
    if (how.chunks[k] < 1) return wrong("a chunk has no elements", "give 1 or more");
    if (__builtin_mul_overflow(bytes, how.chunks[k], &bytes) || bytes > most_chunk_bytes)
      return {errc::unsupported, "a chunk has more than 2 GiB", "give smaller chunks"};
    if (how.shards.empty()) continue;
    if (how.shards[k] < 1 || how.shards[k] % how.chunks[k] != 0)
      return wrong("a shard of " + std::to_string(how.shards[k]) +
                       " elements is not of chunks of " + std::to_string(how.chunks[k]),
                   "give shards that are multiples of chunks");
    if (__builtin_mul_overflow(inside, how.shards[k] / how.chunks[k], &inside) ||
        inside > most_chunks_in_shard)
      return {errc::unsupported, "a shard has more than 2^24 chunks", "give smaller shards"};
  }
  return detail::fits_zarr_grid(h);
}

failure complete_codecs(zarr_header& h) {
  using kind = zarr_codec::kind;
  std::vector<zarr_codec>& all = h.options.codecs;
  auto const is_transposition = [](zarr_codec const& c) { return c.what() == kind::transpose; };
  auto first = std::ranges::find_if_not(all, is_transposition);
  if (first == all.end() || first->what() != kind::bytes)
    first = all.insert(first, zarr_codec::bytes());
  if (h.type.bytes == 1 || h.type.kind == 'V') *first = zarr_codec::bytes();
  for (auto c = all.begin(); c != all.end(); ++c) {
    if (c > first && (c->what() == kind::bytes || is_transposition(*c)))
      return wrong("the codec '" + std::string(c->name()) + "' stands behind the bytes");
    if (is_transposition(*c)) {
      std::vector<int> sorted = c->order();
      std::ranges::sort(sorted);
      bool well = sorted.size() == h.shape.size();
      for (std::size_t k = 0; well && k < sorted.size(); ++k)
        well = sorted[k] == static_cast<int>(k);
      if (!well) return wrong("the order of a transposition is no permutation of the dimensions");
    }
    if (c->what() == kind::zlib && h.version == 3)
      return wrong("version 3 of the format has no codec 'zlib'", "use gzip, which is zlib's, too");
    if (failure f = detail::complete_codec(*c, h.type.bytes)) return f;
  }
  return {};
}

// A fill value has NaN and Infinity in quotes.
json::value with_names_quoted(json::value v) {
  if (v.is_array())
    for (json::value& one : v.get_array()) one = with_names_quoted(one);
  if (v.is_double() && !std::isfinite(v.get_double())) v = json::string(detail::json_text(v));
  return v;
}

failure complete_words(zarr_header& h) {
  zarr_options& how = h.options;
  if (how.separator != '/' && how.separator != '.') return wrong("a separator is / or .");
  if (how.fill_value.empty()) how.fill_value = "0";
  auto const fill = detail::json_in(how.fill_value);
  if (!fill || !detail::fill_bytes(h.type, *fill))
    return wrong("the fill value " + how.fill_value + " is none of the type " + to_string(h.type),
                 "give it as JSON, such as 1.5, NaN, true or [0, 1]");
  // Readers expect a truth value, two numbers or bytes, also for zeros.
  if (h.type.kind == 'b') how.fill_value = fill->is_bool() && fill->get_bool() ? "true" : "false";
  if (h.type.kind == 'c' && fill->is_number()) how.fill_value = "[" + how.fill_value + ",0.0]";
  if (h.type.kind == 'V' && !fill->is_array()) {
    how.fill_value = "[0";
    for (std::int64_t i = 1; i < h.type.bytes; ++i) how.fill_value += ",0";
    how.fill_value += "]";
  }
  how.fill_value = detail::json_text(with_names_quoted(*detail::json_in(how.fill_value)));
  if (!how.dimension_names.empty() && how.dimension_names.size() != h.shape.size())
    return wrong("there are " + std::to_string(how.dimension_names.size()) + " names for " +
                 std::to_string(h.shape.size()) + " dimensions");
  for (std::string const& name : how.dimension_names)
    if (!detail::is_utf8(name)) return wrong("the name of a dimension is not UTF-8");
  if (how.attributes.empty()) return {};
  auto const a = detail::json_in(how.attributes);
  if (!a || !a->is_object())
    return wrong("the attributes are no JSON object, or a number in them is too large");
  how.attributes = a->get_object().empty() ? "" : detail::json_text(*a);
  return {};
}

}  // namespace

std::string to_string(zarr_header const& h) {
  auto const numbers = [](std::vector<std::int64_t> const& all) {
    return detail::python_tuple(all);
  };
  std::string text =
      to_string(h.type) + " " + numbers(h.shape) + ", chunks " + numbers(h.options.chunks);
  if (!h.options.shards.empty()) text += ", shards " + numbers(h.options.shards);
  for (zarr_codec const& c : h.options.codecs)
    if (c != zarr_codec::bytes()) text += ", " + std::string(c.name());
  if (h.version != 3) text += ", version " + std::to_string(h.version);
  return text;
}

namespace detail {

failure complete(zarr_header& h) {
  if (h.shape.size() > most_zarr_dimensions)
    return {errc::unsupported, "Zarr arrays of this library have at most 8 dimensions"};
  if (zarr_name_of(h.type).empty())
    return {errc::datatype, "Zarr has no data type for " + to_string(h.type),
            "write numbers, or the members of a record as arrays of their own"};
  failure f = complete_chunks(h);
  if (!f) f = complete_codecs(h);
  if (!f) f = complete_words(h);
  return f;
}

std::vector<std::byte> fill_element(zarr_header const& h) {
  return fill_bytes(h.type, *detail::json_in(h.options.fill_value)).value();
}

namespace {

// Returns a name with a configuration.
json::object named(char const* name, json::object with) {
  return {{"name", name}, {"configuration", std::move(with)}};
}

// Returns all codecs of the file of a shard.
json::array codecs_of(zarr_options const& how) {
  json::array codecs = json_of(how.codecs);
  if (how.shards.empty()) return codecs;
  std::vector<zarr_codec> index{zarr_codec::bytes()};
  if (how.index_checksum) index.push_back(zarr_codec::crc32c());
  json::array all;
  all.push_back(
      named("sharding_indexed", {{"chunk_shape", json::value_from(how.chunks)},
                                 {"codecs", std::move(codecs)},
                                 {"index_codecs", json_of(index)},
                                 {"index_location", how.index_at_start ? "start" : "end"}}));
  return all;
}

}  // namespace

std::string zarr_json_of(zarr_header const& h) {
  zarr_options const& how = h.options;
  json::object grid, encoding;
  grid["chunk_shape"] = json::value_from(how.shards.empty() ? how.chunks : how.shards);
  encoding["separator"] = std::string(1, how.separator);
  json::object o;
  o["zarr_format"] = 3;
  o["node_type"] = "array";
  o["shape"] = json::value_from(h.shape);
  o["data_type"] = zarr_name_of(h.type);
  o["chunk_grid"] = named("regular", std::move(grid));
  o["chunk_key_encoding"] = named(how.version_2_names ? "v2" : "default", std::move(encoding));
  o["fill_value"] = *detail::json_in(how.fill_value);
  o["codecs"] = codecs_of(how);
  o["attributes"] =
      how.attributes.empty() ? json::value(json::object()) : *detail::json_in(how.attributes);
  if (!how.dimension_names.empty()) {
    json::array names;
    for (std::string const& name : how.dimension_names)
      names.push_back(name.empty() ? json::value() : json::value(name));
    o["dimension_names"] = std::move(names);
  }
  o["storage_transformers"] = json::array();
  return detail::json_text(o);
}

std::string zarr_group_json(std::string const& attributes, failure& why) {
  auto const a = attributes.empty() ? json::value(json::object()) : detail::json_in(attributes);
  if (!a || !a->is_object()) {
    why = wrong("the attributes are no JSON object, or a number in them is too large");
    return {};
  }
  json::object o;
  o["zarr_format"] = 3;
  o["node_type"] = "group";
  o["attributes"] = *a;
  return detail::json_text(o);
}

}  // namespace detail
}  // namespace argosy

// argosy refs: writes the places of arrays in their files as Kerchunk references (version 1), by
// which fsspec and zarr open them without a copy.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <argosy/format/checkpoint.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/world/self.hpp>
#include <format/hdf5/filters.hpp>
#include <format/literal.hpp>

#include "any_file.hpp"
#include "attributes.hpp"
#include "boxes.hpp"
#include "commands.hpp"
#include "json.hpp"

namespace argosy::tool {
namespace {

// A range of a file by the name of a chunk.
struct reference {
  std::string path;
  std::int64_t offset = 0, bytes = 0;
};

// The texts of metadata, and the ranges of chunks.
struct references {
  std::map<std::string, std::string> texts;
  std::map<std::string, reference> ranges;
};

[[noreturn]] void cannot(array_name const& name, std::string const& why) {
  throw std::runtime_error("'" + name.text() + "': " + why +
                           "; copy it by argosy convert to a Zarr array");
}

std::string chunk_name(any_sizes const& index) {
  std::string text;
  for (std::int64_t const i : index) text += (text.empty() ? "" : ".") + std::to_string(i);
  return text.empty() ? "0" : text;
}

// The steps of the encoding, with the names of numcodecs.
std::string filters_of(array_name const& name, detail::hdf5_place const& p) {
  if (p.steps.empty()) return "null";
  std::ostringstream text;
  json_writer j(text);
  j.open('[');
  for (detail::hdf5_step const& s : p.steps) {
    std::string_view const id = detail::hdf5::filter_name(s.id);
    bool const has_number = id != "fletcher32";
    if ((has_number && s.values.empty()) ||
        (id != "shuffle" && id != "deflate" && id != "zstd" && id != "fletcher32"))
      cannot(name, "the filter " + std::string(id) + " has no codec in references");
    j.open('{').member("id", id == "deflate" ? std::string_view("zlib") : id);
    if (has_number) j.member(id == "shuffle" ? "elementsize" : "level", s.values[0]);
    j.close('}');
  }
  j.close(']');
  return text.str();
}

// Returns the metadata of the array, as version 2 of Zarr has it.
std::string zarray(array_name const& name, array_facts const& a, any_sizes const& chunks,
                   std::string const& filters) {
  std::string type = to_string(a.of.type);
  if (a.of.type.kind == 'r') cannot(name, "references have no records");
  std::ostringstream text;
  json_writer j(text);
  auto const sizes = [&](std::string_view key, any_sizes const& all) {
    j.key(key).open('[');
    for (std::int64_t const n : all) j.value(n);
    j.close(']');
  };
  j.open('{').member("zarr_format", 2);
  sizes("shape", a.shape);
  sizes("chunks", chunks);
  j.member("dtype", type.substr(1, type.size() - 2));
  j.member("order", a.in == order::c ? "C" : "F");
  j.close('}');
  std::string all = text.str();
  all.pop_back();
  return all + R"(, "compressor": null, "fill_value": null, "filters": )" + filters + "}";
}

// Returns the chunks of an array that is one range: equal shares of its slowest dimension, because
// the last chunk of a Zarr array is as large as the others.
any_sizes shares_of(array_facts const& a, std::int64_t bytes) {
  constexpr std::int64_t wanted = std::int64_t{16} << 20, most = 10000;
  any_sizes chunks = a.shape;
  for (std::int64_t& n : chunks) n = std::max<std::int64_t>(n, 1);
  if (chunks.empty() || bytes <= wanted) return chunks;
  std::int64_t& slowest = a.in == order::c ? chunks.front() : chunks.back();
  std::int64_t best = 1;
  for (std::int64_t k = 1; k <= std::min(slowest, most) && bytes / best > wanted; ++k)
    if (slowest % k == 0) best = k;
  slowest /= best;
  return chunks;
}

void add_range(references& all, std::string const& key, array_name const& name,
               array_facts const& a) {
  std::int64_t const bytes = elements_of(a.shape) * a.element_bytes();
  any_sizes const chunks = shares_of(a, bytes);
  all.texts[key + "/.zarray"] = zarray(name, a, chunks, "null");
  any_sizes index(a.shape.size());
  std::int64_t const one = elements_of(chunks) * a.element_bytes();
  for (std::int64_t i = 0; i * one < bytes; ++i) {
    if (!index.empty()) (a.in == order::c ? index.front() : index.back()) = i;
    all.ranges[key + "/" + chunk_name(index)] = {name.path, a.offset + i * one, one};
  }
}

// --- HDF5 ---

detail::hdf5_place place_of(array_name const& name) {
  std::ifstream file(name.path, std::ios::binary);
  detail::hdf5_read const read = [&](std::int64_t offset, std::span<std::byte> into) {
    file.seekg(offset);
    file.read(reinterpret_cast<char*>(into.data()), std::ssize(into));
    if (!file) throw std::runtime_error("'" + name.path + "' cannot be read");
  };
  auto const bytes = static_cast<std::int64_t>(std::filesystem::file_size(name.path));
  detail::hdf5_file f;
  failure wrong = detail::find_hdf5(read, bytes, f);
  auto const d = std::ranges::find(f.content.datasets, name.inside, &hdf5_dataset::name);
  if (wrong || d == f.content.datasets.end()) cannot(name, wrong.detail);
  detail::hdf5_place p = f.places[static_cast<std::size_t>(d - f.content.datasets.begin())];
  if (p.unreadable) cannot(name, p.unreadable.detail);
  if (p.is_chunked()) wrong = detail::find_hdf5_chunks(read, bytes, *d, p);
  if (wrong) cannot(name, wrong.detail);
  return p;
}

void add_hdf5(references& all, std::string const& key, array_name const& name, array_facts a) {
  detail::hdf5_place const p = place_of(name);
  // References have no value for elements that were never written.
  std::string const unwritten = "some of its elements were never written";
  if (p.what == detail::hdf5_place::kind::compact) cannot(name, "the data is in the metadata");
  if (!p.is_chunked()) {
    a.offset = p.address;
    if (p.address < 0 && elements_of(a.shape) > 0) cannot(name, unwritten);
    return add_range(all, key, name, a);
  }
  any_sizes const chunks(p.chunk.begin(), p.chunk.begin() + std::ssize(a.shape));
  all.texts[key + "/.zarray"] = zarray(name, a, chunks, filters_of(name, p));
  boxes const grid(a.shape, chunks, 1, order::c);
  for (std::int64_t i = 0; i < grid.count(); ++i) {
    auto const c =
        i < std::ssize(p.chunks) ? p.chunks[static_cast<std::size_t>(i)] : detail::hdf5_chunk();
    if (c.left_out != 0) cannot(name, "a chunk was not encoded by all filters");
    if (c.address < 0) cannot(name, unwritten);
    any_sizes index = grid.box(i).starts;
    for (std::size_t d = 0; d < index.size(); ++d) index[d] /= chunks[d];
    all.ranges[key + "/" + chunk_name(index)] = {name.path, c.address, c.bytes};
  }
}

// --- Files ---

// Returns the arrays of a file: all of them, unless the user names one.
std::vector<array_name> arrays_in(array_name const& name) {
  std::vector<array_name> all;
  auto const add = [&](std::string const& inside) {
    all.push_back(name);
    all.back().inside = inside;
  };
  if (!name.inside.empty())
    add(name.inside);
  else if (name.format == array_format::hdf5)
    for (hdf5_dataset const& d : basic_hdf5<self>::content_of(self(), name.path).datasets)
      add(d.name);
  else if (name.format == array_format::checkpoint)
    for (detail::checkpoint_array const& a :
         basic_checkpoint<self>::header_of(self(), name.path).arrays)
      add(a.name);
  else
    add({});
  return all;
}

// Returns the attributes, with the names of dimensions that xarray needs.
std::string zattrs(std::string const& key, array_facts const& a) {
  std::string text = zarr_attributes(a);
  text = text.empty() || text == "{}" ? "{" : text.substr(0, text.size() - 1) + ", ";
  text += R"("_ARRAY_DIMENSIONS": [)";
  std::string const own = key.substr(key.rfind('/') + 1);
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    bool const named = d < a.dimension_names.size() && !a.dimension_names[d].empty();
    text += d == 0 ? "" : ", ";
    text += tool::quoted(named ? a.dimension_names[d] : fmt::format("{}_dim_{}", own, d));
  }
  return text + "]}";
}

void add_array(references& all, array_name const& name, arguments const& given) {
  if (name.format == array_format::zarr)
    throw std::runtime_error("'" + name.path + "' is a Zarr array, which needs no references");
  if (!detail::is_utf8(name.text())) cannot(name, "the name is not UTF-8, so JSON cannot have it");
  array_facts const raw = name.format == array_format::raw ? raw_array(given) : array_facts();
  array_reader<self> reader(self(), name, raw);
  array_facts const& a = reader.facts();
  if (!a.codecs.empty())
    cannot(name, "its blocks are encoded by " + a.codecs + "; argosy convert writes a Zarr array");
  std::string const key =
      name.inside.empty() ? std::filesystem::path(name.path).stem().string() : name.inside;
  if (all.texts.contains(key + "/.zarray") || all.texts.contains(key + "/.zgroup"))
    cannot(name, "there is another array '" + key + "'");
  if (name.format == array_format::hdf5)
    add_hdf5(all, key, name, a);
  else
    add_range(all, key, name, a);
  all.texts[key + "/.zattrs"] = zattrs(key, a);
  constexpr char const* group = R"({"zarr_format": 2})";
  all.texts[".zgroup"] = group;
  for (std::size_t at = key.find('/'); at != std::string::npos; at = key.find('/', at + 1)) {
    std::string const above = key.substr(0, at);
    if (all.texts.contains(above + "/.zarray"))
      cannot(name, "there is an array '" + above + "', so it can be no group");
    all.texts[above + "/.zgroup"] = group;
  }
}

// Returns the metadata of all that lies below a group, because not every reader can list groups.
std::string consolidated(references const& all, std::string const& group) {
  std::string text;
  for (auto const& [name, content] : all.texts)
    if (name.starts_with(group))
      text += (text.empty() ? "" : ", ") + tool::quoted(name.substr(group.size())) + ": " + content;
  return R"({"zarr_consolidated_format": 1, "metadata": {)" + text + "}}";
}

void consolidate(references& all) {
  std::map<std::string, std::string> more;
  for (auto const& [name, content] : all.texts)
    if (name.ends_with(".zgroup")) {
      std::string const group = name.substr(0, name.size() - 7);
      more[group + ".zmetadata"] = consolidated(all, group);
    }
  all.texts.merge(more);
}

std::string json_of(references const& all) {
  std::ostringstream text;
  json_writer j(text);
  j.open('{').member("version", 1).key("refs").open('{');
  for (auto const& [name, content] : all.texts) j.member(name, content);
  for (auto const& [name, r] : all.ranges)
    j.key(name).open('[').value(r.path).value(r.offset).value(r.bytes).close(']');
  j.close('}').close('}');
  return text.str() + "\n";
}

}  // namespace

int run_refs(arguments const& given, std::ostream& out, std::ostream&) {
  references all;
  for (std::string const& words : given.operands()) {
    array_name name = existing_array(words, given.value("--from"));
    name.path = std::filesystem::absolute(name.path).lexically_normal();
    for (array_name const& one : arrays_in(name)) add_array(all, one, given);
  }
  consolidate(all);
  if (given.has("--output"))
    write_file(given.value("--output"), json_of(all));
  else
    out << json_of(all);
  return success;
}

}  // namespace argosy::tool

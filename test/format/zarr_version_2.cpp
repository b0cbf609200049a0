// Metadata of version 2 of Zarr, and of groups: read, and refused in words.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/any_world.hpp>
#include <argosy/format/zarr.hpp>

#include "format/zarr/compression.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;
using io::zarr_codec;
using zarr = io::basic_zarr<io::self>;

namespace {

std::string old(std::string const& key = {}, std::string const& value = {}) {
  std::vector<std::pair<std::string, std::string>> all = {
      {"zarr_format", "2"},
      {"shape", "[5, 3]"},
      {"chunks", "[2, 3]"},
      {"dtype", "\">i2\""},
      {"order", "\"F\""},
      {"fill_value", "7"},
      {"filters", "null"},
      {"compressor", "null"},
      {"attributes", "{\"units\": \"K\", \"_ARRAY_DIMENSIONS\": [\"y\", \"x\"]}"}};
  std::string text = "{";
  bool known = false;
  for (auto const& [k, v] : all) {
    known = known || k == key;
    text += (text.size() > 1 ? ", \"" : "\"") + k + "\": " + (k == key ? value : v);
  }
  if (!key.empty() && !known) text += ", \"" + key + "\": " + value;
  return text + "}";
}

io::zarr_header read(std::string const& json) {
  io::extend::failure why;
  auto const h = io::detail::parse_zarr_header(json, why);
  CAPTURE(json, why.detail);
  REQUIRE(h);
  return *h;
}

void refuse(std::string const& json, io::errc code, std::string const& words) {
  io::extend::failure why;
  CAPTURE(json, why.detail);
  CHECK_FALSE(io::detail::parse_zarr_header(json, why));
  CHECK(why.code == code);
  CHECK_THAT(why.detail, ContainsSubstring(words));
}

void refuse_group(std::string const& json, io::errc code, std::string const& words) {
  io::extend::failure why;
  CAPTURE(json);
  CHECK_FALSE(io::detail::parse_zarr_group(json, why));
  CHECK(why.code == code);
  CHECK_THAT(why.detail, ContainsSubstring(words));
}

void write(std::string const& path, std::string const& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("metadata of version 2 is read", "[format][zarr]") {
  io::zarr_header const h = read(old());
  CHECK(h.version == 2);
  CHECK(h.shape == std::vector<std::int64_t>{5, 3});
  CHECK(h.type == io::extend::dtype_of<std::int16_t>());
  CHECK(h.options.codecs == std::vector{zarr_codec::transpose({1, 0}), zarr_codec::bytes(true)});
  CHECK(h.options.dimension_names == std::vector<std::string>{"y", "x"});
  CHECK(h.options.version_2_names);
  CHECK(h.options.separator == '.');
  CHECK(h.options.fill_value == "7");
  CHECK(to_string(h) == "'<i2' (5, 3), chunks (2, 3), transpose, bytes, version 2");
  CHECK(read(old("dimension_separator", "\"/\"")).options.separator == '/');
  CHECK(read(old("order", "\"C\"")).options.codecs == std::vector{zarr_codec::bytes(true)});
  CHECK(read(old("fill_value", "null")).options.fill_value == "0");
  CHECK(read(old("filters", "[]")) == h);
  auto const with = [&](std::string const& compressor) {
    return read(old("compressor", compressor)).options.codecs.back();
  };
  if (io::detail::has_zlib()) {
    CHECK(with(R"({"id": "zlib", "level": 4})") == zarr_codec::zlib(4));
    CHECK(with(R"({"id": "gzip", "level": -1})") == zarr_codec::gzip(0));
  }
  if (io::detail::has_zstd()) CHECK(with(R"({"id": "zstd", "level": 9})") == zarr_codec::zstd(9));
  if (io::detail::has_blosc())
    CHECK(with(R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1, "blocksize": 0})") ==
          zarr_codec::blosc("lz4", 5, zarr_codec::shuffle::bytes, 2));
}

TEST_CASE("metadata of version 2 that is broken or not read is refused in words",
          "[format][zarr]") {
  refuse(old("filters", R"([{"id": "delta"}])"), io::errc::unsupported, "the filter 'delta'");
  refuse(old("compressor", R"({"id": "bz2"})"), io::errc::unsupported, "the compressor 'bz2'");
  refuse(old("dtype", "\"<U5\""), io::errc::unsupported, "the data type \"<U5\"");
  refuse(old("dtype", R"([["a", "<i4"]])"), io::errc::unsupported, "the data type [[");
  refuse(old("dtype", "\"<i99999999999999999999\""), io::errc::unsupported, "the data type");
  refuse(old("order", "\"K\""), io::errc::damaged, "neither C nor F");
  refuse(old("chunks", "[2]"), io::errc::damaged, "2 dimensions");
  refuse(old("chunks", "[2, 0]"), io::errc::damaged, "from 1 on");
  refuse(old("fill_value", "1.5"), io::errc::damaged, "'fill_value'");
  refuse(old("dimension_separator", "\"-\""), io::errc::damaged, "'dimension_separator'");
  refuse(old("compressor", "{}"), io::errc::damaged, "no 'id'");
  refuse(old("compressor", R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 9})"),
         io::errc::damaged, "'shuffle'");
  refuse(old("attributes", "3"), io::errc::damaged, "'attributes'");
}

TEST_CASE("an array of version 2 is read in any part, and never written", "[format][zarr]") {
  scratch const here;
  std::string const path = here / "u";
  std::string json = old();
  write(path + "/.zarray", json.substr(0, json.find(", \"attributes\"")) + "}");
  write(path + "/.zattrs", R"({"units": "K"})");
  // Element (y, x) is 10 y + x. Chunks are in Fortran order, and numbers big-endian.
  for (std::int64_t chunk = 0; chunk < 2; ++chunk) {  // the third one is missing
    std::string chunk_bytes;
    for (std::int64_t x = 0; x < 3; ++x)
      for (std::int64_t y = 2 * chunk; y < 2 * chunk + 2; ++y) {
        chunk_bytes += '\0';
        chunk_bytes += static_cast<char>(10 * y + x);
      }
    write(path + "/" + std::to_string(chunk) + ".0", chunk_bytes);
  }
  io::self const alone;
  io::darray<std::int16_t, 2> const all({5, 3}, io::distribute::block, {1, 1}, 0);
  auto z = zarr::open(alone, path, all);
  CHECK(z.header().options.attributes == R"({"units":"K"})");
  std::vector<std::int16_t> back(15);
  z.read_all(back);
  z.close();
  for (std::size_t i = 0; i < 15; ++i)
    CHECK(back[i] == (i < 12 ? static_cast<std::int16_t>(10 * (i / 3) + i % 3) : 7));
  std::error_code error;
  zarr refused = zarr::open(alone, path, all, io::mode::read_write, error);
  CHECK(error == io::errc::unsupported);
  CHECK_THAT(refused.what_failed(), ContainsSubstring("version 2"));
  zarr::create(alone, path, all, {}, error);
  CHECK(error == io::errc::file_exists);
  zarr::create_group(alone, path, {}, error);
  CHECK(error == io::errc::file_exists);
}

TEST_CASE("a group of version 2 is read, with and without consolidated metadata",
          "[format][zarr]") {
  scratch const here;
  std::string const array = old("attributes", "{}");
  write(here / "run/.zgroup", R"({"zarr_format": 2})");
  write(here / "run/.zattrs", R"({"title": "a run"})");
  write(here / "run/a/u/.zarray", array);
  write(here / "run/a/.zgroup", R"({"zarr_format": 2})");
  write(here / "run/a/u/.zattrs", R"({"units": "m"})");
  write(here / "run/other/text", "no array");
  io::self const alone;
  io::zarr_group const listed = zarr::group_of(alone, here / "run");
  CHECK(listed.version == 2);
  CHECK_FALSE(listed.consolidated);
  CHECK(listed.attributes == R"({"title":"a run"})");
  REQUIRE(listed.members.size() == 2);
  CHECK(listed.members[0].path == "a");
  CHECK(listed.members[0].is_group);
  REQUIRE(listed.members[1].array);
  CHECK(listed.members[1].array->options.attributes == R"({"units":"m"})");
  write(here / "run/.zmetadata",
        R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, )"
        R"("a/.zgroup": {"zarr_format": 2}, "a/u/.zattrs": {"units": "m"}, "a/u/.zarray": )" +
            array + "}}");
  io::zarr_group read = zarr::group_of(alone, here / "run");
  CHECK(read.consolidated);
  read.consolidated = false;
  CHECK(read == listed);
  std::error_code error;
  zarr::consolidate(alone, here / "run", error);
  CHECK(error == io::errc::datatype);
  zarr::header_of(alone, here / "run", error);
  CHECK(error == io::errc::datatype);
}

TEST_CASE("metadata of groups that is broken is refused in words", "[format][zarr]") {
  std::string const begin = R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": )";
  auto const with = [&](std::string const& members) {
    return begin + R"({"kind": "inline", "metadata": {)" + members + "}}}";
  };
  io::extend::failure why;
  CHECK(io::detail::parse_zarr_group(with(R"("a": {"node_type": "group"})"), why));
  refuse_group("3", io::errc::damaged, "no JSON object");
  refuse_group(R"({"zarr_format": 3, "node_type": "array"})", io::errc::datatype, "an array");
  refuse_group(R"({"zarr_format": 4, "node_type": "group"})", io::errc::unsupported, "version 4");
  refuse_group(begin + "3}", io::errc::damaged, "no list of its members");
  for (char const* const name : {"../a", "a/..", "/a", "a//b", "", "."})
    refuse_group(with("\"" + std::string(name) + R"(": {"node_type": "group"})"), io::errc::damaged,
                 "is none");
  refuse_group(with(R"("a": 3)"), io::errc::damaged, "'a' is none");
  // An array that cannot be read does not hide the others.
  auto const g = io::detail::parse_zarr_group(
      with(R"("b": {"node_type": "group"}, "a": {"zarr_format": 9})"), why);
  REQUIRE(g);
  CHECK(g->members[0].path == "a");
  CHECK_THAT(g->members[0].unread, ContainsSubstring("version 9"));
  CHECK(to_string(*g) == "a: this library does not read version 9 of the format\nb: group\n");
}

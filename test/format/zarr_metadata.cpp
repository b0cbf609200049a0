// The metadata of Zarr arrays: written, read back, and refused in words.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/zarr_header.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <argosy/format/detail/zarr/zarr_grid.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::zarr_codec;

namespace {

io::zarr_header header() {
  return {{30, 20},
          io::extend::dtype_of<double>(),
          {.chunks = {5, 4},
           .shards = {15, 8},
           .codecs = {zarr_codec::transpose({1, 0}), zarr_codec::bytes(true), zarr_codec::crc32c()},
           .fill_value = "NaN",
           .dimension_names = {"y", ""},
           .attributes = R"({"units": "K", "list": [1, 2.5, null]})",
           .index_at_start = true}};
}

io::zarr_header read(std::string const& json) {
  io::extend::failure why;
  auto const h = io::detail::parse_zarr_header(json, why);
  CAPTURE(json, why.detail);
  REQUIRE(h);
  CHECK_FALSE(why);
  return *h;
}

// Replaces the only occurrence of a text.
std::string with(std::string json, std::string const& old, std::string const& now) {
  std::size_t const at = json.find(old);
  CAPTURE(json, old);
  REQUIRE(at != std::string::npos);
  return json.replace(at, old.size(), now);
}

void refuse(std::string const& json, io::errc code, std::string const& words) {
  io::extend::failure why;
  CAPTURE(json);
  CHECK_FALSE(io::detail::parse_zarr_header(json, why));
  CHECK(why.code == code);
  CHECK_THAT(why.detail, ContainsSubstring(words));
}

std::string plain() {
  io::zarr_header h{{6}, io::extend::dtype_of<std::int16_t>(), {.chunks = {4}}};
  REQUIRE_FALSE(io::detail::complete(h));
  return io::detail::zarr_json_of(h);
}

template <class T>
T fill_of(std::string const& value) {
  io::zarr_header h{{}, io::extend::dtype_of<T>(), {.fill_value = value}};
  io::extend::failure const f = io::detail::complete(h);
  CAPTURE(value, f.detail);
  REQUIRE_FALSE(f);
  auto const bytes = io::detail::fill_element(read(io::detail::zarr_json_of(h)));
  REQUIRE(bytes.size() == sizeof(T));
  T x;
  std::memcpy(&x, bytes.data(), sizeof x);
  return x;
}

std::string fault(io::zarr_header h) { return io::detail::complete(h).detail; }

}  // namespace

TEST_CASE("metadata that is written is read back", "[format][zarr]") {
  io::zarr_header h = header();
  REQUIRE_FALSE(io::detail::complete(h));
  CHECK(read(io::detail::zarr_json_of(h)) == h);
  CHECK(to_string(h) == "'<f8' (30, 20), chunks (5, 4), shards (15, 8), transpose, bytes, crc32c");
  io::zarr_header const p = read(plain());
  CHECK(p.options.codecs == std::vector{zarr_codec::bytes()});
  CHECK(p.options.fill_value == "0");
  CHECK(io::detail::zarr_json_of(p) == plain());
}

TEST_CASE("numbers of metadata are read exactly", "[format][zarr]") {
  std::mt19937_64 random(seed());
  for (int i = 0; i < 500; ++i) {
    double const value = std::ldexp(std::uniform_real_distribution(1.0, 2.0)(random),
                                    std::uniform_int_distribution(-1022, 1023)(random));
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    CAPTURE(text.data());
    CHECK(fill_of<double>(text.data()) == value);
    io::zarr_header h{{6}, io::extend::dtype_of<double>(), {.fill_value = text.data()}};
    h.options.attributes = "{\"a\":" + h.options.fill_value + "}";
    REQUIRE_FALSE(io::detail::complete(h));
    io::zarr_header const once = read(io::detail::zarr_json_of(h));
    CHECK(once == h);
    CHECK(std::stod(once.options.attributes.substr(5)) == value);
  }
  CHECK(fill_of<double>("1e-400") == 0);
  CHECK(fill_of<double>("4.9406564584124654e-324") == std::numeric_limits<double>::denorm_min());
}

TEST_CASE("metadata has NaN and Infinity, as Python writes them", "[format][zarr]") {
  std::string const p = plain(), all = R"({"NaN":[NaN,null,-Infinity,Infinity],"b":"\"NaN\\\\"})";
  auto const with_attributes = [&](std::string const& text) {
    return with(p, "\"attributes\":{}", "\"attributes\":" + text);
  };
  io::zarr_header const h = read(with_attributes(all));
  CHECK(h.options.attributes == all);
  CHECK(read(io::detail::zarr_json_of(h)) == h);
  for (char const* const bad : {"-NaN", "NaN0", "[nan]", "Infinity5", "nullNaN"})
    refuse(with_attributes("{\"a\":" + std::string(bad) + "}"), io::errc::damaged, "no JSON");
  CHECK(std::isnan(fill_of<float>("NaN")));
  CHECK(fill_of<double>("-Infinity") == -std::numeric_limits<double>::infinity());
  io::zarr_header c{{}, io::extend::dtype_of<std::complex<float>>(), {.fill_value = "[1,NaN]"}};
  REQUIRE_FALSE(io::detail::complete(c));
  CHECK(c.options.fill_value == R"([1,"NaN"])");
}

TEST_CASE("what is left out is filled in", "[format][zarr]") {
  io::zarr_header h{{3000, 3000}, io::extend::dtype_of<float>()};
  REQUIRE_FALSE(io::detail::complete(h));
  io::detail::zarr_grid const grid(h);
  CHECK(grid.chunk_bytes() <= 1 << 20);
  CHECK(grid.chunk_bytes() > 1 << 18);
  io::zarr_header shards{{64}, io::extend::dtype_of<float>(), {.shards = {16}}};
  REQUIRE_FALSE(io::detail::complete(shards));
  CHECK(shards.options.chunks == std::vector<std::int64_t>{16});
}

TEST_CASE("fill values are those of the type", "[format][zarr]") {
  CHECK(fill_of<std::int8_t>("-7") == -7);
  CHECK(fill_of<std::uint64_t>("18446744073709551615") == ~std::uint64_t{0});
  CHECK(fill_of<std::int64_t>("-9223372036854775808") == INT64_MIN);
  CHECK(fill_of<std::int32_t>("1e3") == 1000);
  CHECK(fill_of<bool>("true"));
  CHECK(fill_of<float>("1.5") == 1.5f);
  CHECK(fill_of<double>("-Infinity") == -HUGE_VAL);
  CHECK(std::isnan(fill_of<double>("NaN")));
  CHECK(fill_of<double>("\"0x3ff8000000000000\"") == 1.5);
  CHECK(fill_of<std::complex<float>>("[1.5, -2]") == std::complex<float>(1.5f, -2));
  CHECK(fill_of<std::complex<double>>("0") == std::complex<double>());
  auto const half = [](std::string const& value) {
    io::zarr_header h{{}, {.kind = 'f', .order = '<', .bytes = 2, .fields = {}}};
    h.options.fill_value = value;
    REQUIRE_FALSE(io::detail::complete(h));
    auto const b = io::detail::fill_element(h);
    return static_cast<int>(b[0]) | static_cast<int>(b[1]) << 8;
  };
  CHECK(half("1") == 0x3c00);
  CHECK(half("-2.5") == 0xc100);
  CHECK(half("65504") == 0x7bff);
  CHECK(half("65520") == 0x7c00);
  CHECK(half("6e-8") == 1);
  CHECK(half("6.1e-5") == 0x0400 - 1 + 0);
  CHECK(half("0.000061035156") == 0x0400);
  CHECK(half("2047.9") == 0x6800);
}

TEST_CASE("choices that no array can have are refused in words", "[format][zarr]") {
  io::zarr_header const ok{{6, 6}, io::extend::dtype_of<float>()};
  auto const wrong = [&](auto change) {
    io::zarr_header h = ok;
    change(h);
    return fault(h);
  };
  CHECK_THAT(wrong([](auto& h) { h.options.chunks = {3}; }), ContainsSubstring("2 dimensions"));
  CHECK_THAT(wrong([](auto& h) { h.options.chunks = {3, 0}; }), ContainsSubstring("no elements"));
  CHECK_THAT(wrong([](auto& h) {
               h.options.chunks = {2, 2};
               h.options.shards = {4, 3};
             }),
             ContainsSubstring("is not of chunks of 2"));
  CHECK_THAT(wrong([](auto& h) { h.options.chunks = {1 << 20, 1 << 20}; }),
             ContainsSubstring("more than 2 GiB"));
  CHECK_THAT(wrong([](auto& h) {
               h.shape = {INT64_MAX, INT64_MAX};
               h.options.chunks = {1, 1};
             }),
             ContainsSubstring("2^61"));
  CHECK_THAT(wrong([](auto& h) {
               h.options.chunks = {1, 1};
               h.options.shards = {1 << 13, 1 << 13};
             }),
             ContainsSubstring("2^24 chunks"));
  CHECK_THAT(wrong([](auto& h) { h.options.codecs = {zarr_codec::transpose({0, 0})}; }),
             ContainsSubstring("no permutation"));
  CHECK_THAT(wrong([](auto& h) { h.options.codecs = {zarr_codec::crc32c(), zarr_codec::bytes()}; }),
             ContainsSubstring("'bytes' stands behind the bytes"));
  CHECK_THAT(wrong([](auto& h) { h.options.codecs = {zarr_codec::gzip(10)}; }),
             ContainsSubstring("levels 0 to 9"));
  CHECK_THAT(wrong([](auto& h) { h.options.codecs = {zarr_codec::zlib()}; }),
             ContainsSubstring("version 3 of the format has no codec 'zlib'"));
  CHECK_THAT(wrong([](auto& h) { h.options.codecs = {zarr_codec::blosc("lz77")}; }),
             ContainsSubstring("no compressor 'lz77'"));
  CHECK_THAT(wrong([](auto& h) { h.options.codecs = {zarr_codec::blosc("lz4", 10)}; }),
             ContainsSubstring("levels 0 to 9"));
  CHECK_THAT(wrong([](auto& h) { h.options.fill_value = "[1]"; }),
             ContainsSubstring("is none of the type '<f4'"));
  CHECK_THAT(wrong([](auto& h) { h.options.dimension_names = {"x"}; }),
             ContainsSubstring("1 names for 2"));
  CHECK_THAT(wrong([](auto& h) { h.options.dimension_names = {"x", "\xff"}; }),
             ContainsSubstring("UTF-8"));
  CHECK_THAT(wrong([](auto& h) { h.options.attributes = "[1]"; }),
             ContainsSubstring("no JSON object"));
  CHECK_THAT(wrong([](auto& h) { h.options.attributes = R"({"a": [1, -1e400]})"; }),
             ContainsSubstring("a number in them is too large"));
  CHECK_THAT(wrong([](auto& h) { h.options.fill_value = "1e400"; }),
             ContainsSubstring("is none of the type '<f4'"));
  CHECK_THAT(wrong([](auto& h) { h.options.separator = '-'; }), ContainsSubstring("/ or ."));
  CHECK_THAT(wrong([](auto& h) { h.type.kind = 'r'; }), ContainsSubstring("no data type"));
  CHECK_THAT(wrong([](auto& h) { h.shape.assign(9, 1); }), ContainsSubstring("at most 8"));
}

TEST_CASE("metadata that is broken, or of features that are not read, is refused in words",
          "[format][zarr]") {
  std::string const p = plain();
  refuse("", io::errc::damaged, "no JSON object");
  refuse("[]", io::errc::damaged, "no JSON object");
  refuse(std::string(100000, '['), io::errc::damaged, "no JSON object");
  auto const with_number = [&](std::string const& number) {
    return with(p, "\"attributes\":{}", "\"attributes\":{\"a\":[0,{\"b\":" + number + "}]}");
  };
  read(with_number("-1e308"));
  refuse(with_number("-1e309"), io::errc::damaged, "a number in it is too large");
  refuse(with(p, "\"zarr_format\":3", "\"zarr_format\":4"), io::errc::unsupported, "version 4");
  refuse(with(p, "\"node_type\":\"array\"", "\"node_type\":\"group\""), io::errc::datatype,
         "a group");
  refuse(with(p, "\"shape\":[6]", "\"shape\":[-6]"), io::errc::damaged, "whole numbers from 0");
  refuse(with(p, "\"shape\":[6]", "\"shape\":[6,6]"), io::errc::damaged, "2 dimensions");
  refuse(with(p, "\"shape\":[6]", "\"shape\":[1,1,1,1,1,1,1,1,1]"), io::errc::unsupported,
         "9 dimensions");
  refuse(
      R"({"zarr_format":3,"node_type":"array","shape":[],"data_type":"int8",
          "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},
          "chunk_key_encoding":{"name":"default"},"fill_value":0,
          "codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[],
            "codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]}}]})",
      io::errc::unsupported, "shards of an array without dimensions");
  refuse(with(p, "\"int16\"", "\"int13\""), io::errc::unsupported, "data type \"int13\"");
  refuse(with(p, "\"regular\"", "\"rectilinear\""), io::errc::unsupported, "'rectilinear'");
  refuse(with(p, "\"chunk_shape\":[4]", "\"chunk_shape\":[0]"), io::errc::damaged,
         "numbers from 1");
  refuse(with(p, "\"name\":\"bytes\"", "\"name\":\"lz77\""), io::errc::unsupported, "codec 'lz77'");
  refuse(with(p, "\"fill_value\":0", "\"fill_value\":\"x\""), io::errc::damaged, "'fill_value'");
  refuse(with(p, "\"fill_value\":0", "\"fill_value\":70000"), io::errc::damaged, "'fill_value'");
  refuse(with(p, "\"attributes\":{}", "\"attributes\":3"), io::errc::damaged, "'attributes'");
  refuse(with(p, "\"attributes\":{}", "\"attributes\":{},\"more\":{}"), io::errc::unsupported,
         "extension 'more'");
  read(with(p, "\"attributes\":{}",
            "\"attributes\":{},\"more\":{\"must_understand\":false,\"name\":1}"));
  refuse(with(p, "\"default\"", "\"other\""), io::errc::unsupported, "'other'");
  refuse(with(p, "\"storage_transformers\":[]", "\"storage_transformers\":[{\"name\":\"x\"}]"),
         io::errc::unsupported, "storage transformers");
  std::string const d = [] {
    io::zarr_header h = header();
    REQUIRE_FALSE(io::detail::complete(h));
    return io::detail::zarr_json_of(h);
  }();
  refuse(with(d, "\"order\":[1,0]", "\"order\":[1,1]"), io::errc::damaged, "no permutation");
  refuse(with(d, "\"order\":[1,0]", "\"order\":[0,1,2]"), io::errc::damaged, "too many");
  refuse(with(d, "\"index_location\":\"start\"", "\"index_location\":\"middle\""),
         io::errc::damaged, "neither start nor end");
  refuse(with(d, "\"index_codecs\":[", "\"index_codecs\":[{\"name\":\"crc32c\"},"),
         io::errc::unsupported, "an index of other codecs");
  refuse(with(d, "\"chunk_shape\":[15,8]", "\"chunk_shape\":[14,8]"), io::errc::damaged,
         "is not of chunks of 5");
}

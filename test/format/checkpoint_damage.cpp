// Checkpoints with codecs: damage in blocks, in the table and in the header.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/checkpoint_codecs.hpp"
#include "support/catch.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// One array of 100 numbers in blocks of 512 bytes: 512 and 288. Returns its file.
io::lab::virtual_files two_blocks(codecs const& by) {
  io::lab::virtual_files files;
  std::vector<std::int64_t> u(100);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = number_at(static_cast<std::int64_t>(i));
  io::basic_checkpoint<io::self> c;
  c.add_value("u", u).encode(by, 512).save(io::self(), "f", {}, files.opener());
  return files;
}

// Loads that file. Returns the text of the error, or an empty string if all numbers are right.
std::string load_two_blocks(io::lab::virtual_files const& files) {
  std::vector<std::int64_t> u(100, -1);
  std::error_code error;
  io::basic_checkpoint<io::self> c;
  c.add_value("u", u).load(io::self(), "f", error, files.opener());
  bool well = true;
  for (std::size_t i = 0; i < u.size(); ++i)
    well = well && u[i] == number_at(static_cast<std::int64_t>(i));
  if (!error && !well) return "wrong numbers";
  CHECK((!error || error == io::errc::damaged));
  return error ? c.what_failed() : "";
}

io::checkpoint_header header_in(std::vector<std::byte> const& content) {
  io::extend::failure why;
  auto const h = io::detail::parse_checkpoint_header(content, why);
  REQUIRE(h.has_value());
  return *h;
}

void put_word(std::vector<std::byte>& content, std::int64_t at, std::uint32_t word) {
  for (std::size_t i = 0; i < 4; ++i)
    content[static_cast<std::size_t>(at) + i] = static_cast<std::byte>(word >> (8 * i) & 0xff);
}

}  // namespace

TEST_CASE("damage of encoded blocks and of their table is found and named",
          "[format][checkpoint][codecs][damage]") {
  for (codecs const& by : all_codecs()) {
    CAPTURE(io::detail::codec_names(by));
    io::lab::virtual_files files = two_blocks(by);
    std::vector<std::byte> const good = files.content("f");
    CHECK(load_two_blocks(files).empty());
    io::checkpoint_header const h = header_in(good);
    std::int64_t const table = h.arrays[0].sums, data = table + 32;
    REQUIRE(h.blocks(h.arrays[0]) == 2);
    // Bits of the table and of encoded bytes. If a change means nothing to the codec, the numbers
    // must be right.
    for (std::int64_t bit = 8 * table; bit < 8 * h.file_bytes; bit += bit < 8 * data ? 3 : 41) {
      std::vector<std::byte> content = good;
      content[static_cast<std::size_t>(bit / 8)] ^= std::byte{1} << bit % 8;
      files.put("f", content);
      std::string const words = load_two_blocks(files);
      bool const in_table = bit < 8 * data;
      std::int64_t const block = in_table ? (bit / 8 - table) / 16 : -1;
      CAPTURE(bit, block, words);
      if (in_table) CHECK_FALSE(words.empty());
      if (words.empty()) continue;
      CHECK_THAT(words, ContainsSubstring("' is damaged: "));
      auto const found = io::find_damage("f", {}, files.opener());
      REQUIRE(found.size() == 1);
      CHECK_THAT(words, ContainsSubstring("block " + std::to_string(found[0].block) + " of 'u'"));
      CHECK((!in_table || found[0].block == block));
    }
  }
}

TEST_CASE("a table that lies about sizes and places is refused",
          "[format][checkpoint][codecs][damage]") {
  for (codecs const& by : all_codecs()) {
    io::lab::virtual_files files = two_blocks(by);
    std::vector<std::byte> const good = files.content("f");
    io::checkpoint_header const h = header_in(good);
    std::int64_t const table = h.arrays[0].sums;
    auto const with = [&](auto&& change) {
      std::vector<std::byte> content = good;
      change(content);
      files.put("f", content);
      return load_two_blocks(files);
    };
    CHECK_THAT(with([&](auto& c) { put_word(c, table + 8, 0xffffffff); }),
               ContainsSubstring("its table says that it has 4294967295 encoded bytes"));
    CHECK_THAT(with([&](auto& c) { put_word(c, table + 4, 0x7fffffff); }),
               ContainsSubstring("its table says that it lies behind the end of the file"));
    CHECK_THAT(with([&](auto& c) { put_word(c, table + 4, 0xffffffff); }),
               ContainsSubstring("its table says that it lies behind the end of the file"));
    // The second block has 288 bytes, and gets the encoded 512 bytes of the first one.
    CHECK_THAT(with([&](auto& c) { std::copy_n(c.begin() + table, 16, c.begin() + table + 16); }),
               ContainsSubstring("block 1 of 'u' is damaged: "));
    CHECK_THAT(with([&](auto& c) { c.pop_back(); }), ContainsSubstring("its header speaks of"));
  }
}

TEST_CASE("headers with codecs that are unknown, or with other places, are refused in words",
          "[format][checkpoint][codecs][damage]") {
  io::lab::virtual_files files = two_blocks({io::zarr_codec::crc32c()});
  io::checkpoint_header const good = header_in(files.content("f"));
  auto const words = [](std::vector<std::byte> const& content) {
    io::extend::failure why;
    CHECK_FALSE(io::detail::parse_checkpoint_header(content, why).has_value());
    return why.detail;
  };
  auto const changed = [&](auto&& change) {
    io::checkpoint_header h = good;
    change(h);
    return words(io::detail::checkpoint_header_of(h));
  };
  CHECK_THAT(changed([](auto& h) { h.codecs = {io::zarr_codec::transpose({0})}; }),
             ContainsSubstring("the codec 'transpose' is not known"));
  CHECK_THAT(changed([](auto& h) { h.codecs.assign(9, io::zarr_codec::crc32c()); }),
             ContainsSubstring("it must name 1 to 8 codecs"));
  CHECK_THAT(changed([](auto& h) { h.block_bytes = std::int64_t{128} << 20; }),
             ContainsSubstring("its blocks have no sensible size"));
  CHECK_THAT(changed([](auto& h) { h.arrays[0].sums = h.file_bytes - 16; }),
             ContainsSubstring("the table of 'u' has no place of its own"));
  CHECK_THAT(changed([](auto& h) { h.arrays[0].offset = 8; }), ContainsSubstring("the table of"));
  CHECK_THAT(changed([](auto& h) { h.arrays[0].shape = {std::int64_t{1} << 59}; }),
             ContainsSubstring("the table of 'u' has no place of its own"));
  CHECK_THAT(changed([](auto& h) {
               h.arrays.push_back(h.arrays[0]);
               h.arrays[1].name = "v";
               h.arrays[1].sums += 32;
               h.file_bytes += 1000;
             }),
             ContainsSubstring("blocks of 'v' are those of another array"));
  std::vector<std::byte> as_first = io::detail::checkpoint_header_of(good);
  as_first[7] = std::byte{1};
  CHECK_THAT(words(as_first), ContainsSubstring("'u' has no place of its own in the file"));
}

TEST_CASE("numbers of the other byte order are converted after decoding",
          "[format][checkpoint][codecs]") {
  io::lab::virtual_files files = two_blocks(all_codecs().back());
  std::vector<std::byte> content = files.content("f");
  io::checkpoint_header h = header_in(content);
  h.arrays[0].type.order = h.arrays[0].type.order == '<' ? '>' : '<';
  std::ranges::copy(io::detail::checkpoint_header_of(h), content.begin());
  files.put("f", content);
  std::vector<std::int64_t> u(100), expected(100);
  for (std::size_t i = 0; i < u.size(); ++i) {
    auto bytes = std::bit_cast<std::array<std::byte, 8>>(number_at(static_cast<std::int64_t>(i)));
    std::ranges::reverse(bytes);
    expected[i] = std::bit_cast<std::int64_t>(bytes);
  }
  io::basic_checkpoint<io::self> c;
  c.add_value("u", u).load(io::self(), "f", {}, files.opener());
  CHECK(u == expected);
}

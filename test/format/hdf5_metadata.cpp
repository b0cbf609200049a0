// The metadata of HDF5 files: written, read again, and damaged.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>
#include <argosy/format/hdf5_content.hpp>

#include "format/array_cases.hpp"
#include "format/hdf5/bytes.hpp"
#include "format/hdf5/messages.hpp"

namespace io = argosy;
using namespace io::test;
using namespace io::detail;

namespace {

hdf5_read reading(std::vector<std::byte> const& file) {
  return [&](std::int64_t offset, std::span<std::byte> into) {
    std::ranges::copy(std::span(file).subspan(static_cast<std::size_t>(offset), into.size()),
                      into.begin());
  };
}

io::hdf5_content some_content() {
  io::hdf5_content c;
  io::array_part const u = io::darray<double, 2>({6, 5}, io::distribute::block, {1, 1}, 0);
  c.add("fields/u", u,
        {.dimension_names = {"y", "x"},
         .attributes = {{"units", "K"},
                        {"factor", 2.5},
                        {"range", std::array{1, 2, 3}},
                        {"axes", std::array{"y", "longer"}}}});
  c.add("fields/y", io::array_part({6}, io::contiguous(6, io::type<double>)),
        {.dimension_names = {"y"}});
  c.add("p", io::array_part({4}, io::contiguous(4, io::type<particle>)),
        {.chunks = {3}, .filters = {io::hdf5_filter::shuffle()}, .most = 3000 * 3});
  c.add("step", io::type<bool>).add_group("", {{"title", "caf\u00e9"}}).add_group("none");
  return c;
}

std::vector<std::byte> some_file(hdf5_file& f) {
  REQUIRE_FALSE(plan_hdf5(some_content(), f));
  std::vector<std::byte> all = hdf5_head_of(f);
  REQUIRE(std::ssize(all) == f.head_bytes);
  all.resize(static_cast<std::size_t>(f.end));
  return all;
}

// A file whose root group has a continuation of so many bytes, with right checksums.
std::vector<std::byte> file_with_continuation(std::int64_t bytes) {
  constexpr std::uint64_t superblock = 48, root = 64, block = 128, end = 160;
  hdf5_file f;
  std::vector<std::byte> const begin = some_file(f);
  hdf5::writer all;
  all.bytes(std::span(begin).first(28)).number(end, 8).number(root, 8).checksum();
  REQUIRE(all.size() == superblock);
  hdf5::header_writer header;
  header.add(hdf5::message::link_info, hdf5::link_info_of(0));
  header.add(hdf5::message::continuation,
             hdf5::writer().number(block, 8).number(static_cast<std::uint64_t>(bytes), 8).all());
  all.pad(root).bytes(std::move(header).finish()).pad(block);
  all.text("OCHK").checksum(block).pad(end);
  REQUIRE(all.size() == end);
  return all.all();
}

}  // namespace

TEST_CASE("checksums of metadata are those of lookup3", "[format][hdf5]") {
  // Values that the author of lookup3 gives for hashlittle.
  auto const sum = [](std::string_view text) {
    return hdf5::metadata_checksum(std::as_bytes(std::span(text)));
  };
  CHECK(sum("") == 0xdeadbeef);
  CHECK(sum("Four score and seven years ago") == 0x17770551);
}

TEST_CASE("content that was written is found again", "[format][hdf5]") {
  hdf5_file f, found;
  std::vector<std::byte> const file = some_file(f);
  auto const why = find_hdf5(reading(file), std::ssize(file), found);
  CAPTURE(why.detail);
  REQUIRE_FALSE(why);
  for (io::hdf5_dataset const& d : f.content.datasets) {
    CAPTURE(d.name);
    io::hdf5_dataset const* const same = found.content.find(d.name);
    REQUIRE(same);
    CHECK(*same == d);
  }
  CHECK(found.content.datasets.size() == f.content.datasets.size());
  CHECK(found.content.groups.size() == 2);
  CHECK(found.content.groups[0].attributes[0].text() == "caf\u00e9");
  CHECK(found.content.find("fields/u")->options.attributes[2].numbers<int>() ==
        std::vector<int>{1, 2, 3});
  io::hdf5_attribute const& axes = found.content.find("fields/u")->options.attributes[3];
  CHECK(axes.texts() == std::vector<std::string>{"y", "longer"});
  CHECK_FALSE(axes.text());
  for (std::size_t i = 0; i < found.places.size(); ++i)
    if (found.places[i].what == hdf5_place::kind::fixed_array)
      REQUIRE_FALSE(find_hdf5_chunks(reading(file), std::ssize(file), found.content.datasets[i],
                                     found.places[i]));
  CHECK(own_hdf5_head(reading(file), std::ssize(file), found).size() ==
        static_cast<std::size_t>(f.head_bytes));
}

TEST_CASE("a header is in one block, and groups with attributes are first", "[format][hdf5]") {
  io::hdf5_content c;
  for (int i = 0; i < 100; ++i)
    c.add("a/data/array with a long name " + std::to_string(i), io::type<double>);
  c.add_group("a", {{"type", "some"}}).add_group("a/steps", {{"number", 1}});
  c.add("a/steps/values", io::type<double>, {.attributes = {{"units", "s"}}});
  c.add("a/z", io::type<double>);
  hdf5_file f;
  REQUIRE_FALSE(plan_hdf5(c, f));
  std::vector<std::byte> const head = hdf5_head_of(f);
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < f.places.size(); ++i) {
    std::int64_t const at = f.places[i].header;
    std::uint32_t messages = 0;
    std::memcpy(&messages, head.data() + at + 6, sizeof messages);
    CHECK(at / 4096 == (at + 10 + messages + 4 - 1) / 4096);
    blocks = std::max(blocks, at / 4096);
  }
  CHECK(blocks > 0);
  CHECK(f.places[100].header < 4096);
  CHECK(f.places[101].header < 4096);
}

TEST_CASE("each byte of the metadata is either found to be damaged, or means nothing",
          "[format][hdf5][errors]") {
  hdf5_file f, whole;
  std::vector<std::byte> const file = some_file(f);
  REQUIRE_FALSE(find_hdf5(reading(file), std::ssize(file), whole));
  std::mt19937_64 random(seed());
  int damaged = 0;
  // Heaps have no checksum. That of the scales lies behind all object headers.
  constexpr std::string_view heap = "GCOL";
  auto const headers =
      std::ranges::search(file, std::as_bytes(std::span(heap))).begin() - file.begin();
  REQUIRE(headers > 1000);
  REQUIRE(headers < std::ssize(file));
  for (std::int64_t at = 0; at < headers; ++at) {
    std::vector<std::byte> other = file;
    other[static_cast<std::size_t>(at)] ^= static_cast<std::byte>(1 + random() % 255);
    hdf5_file found;
    auto const why = find_hdf5(reading(other), std::ssize(other), found);
    CAPTURE(at, static_cast<int>(other[static_cast<std::size_t>(at)]), to_string(found.content));
    if (why) {
      CHECK((why.code == io::errc::damaged || why.code == io::errc::unsupported));
      CHECK_FALSE(why.detail.empty());
      ++damaged;
    } else {
      CHECK(found.content == whole.content);
    }
  }
  CHECK(damaged > headers * 9 / 10);
  for (std::int64_t const n : {0, 7, 47, 48, 100, 500}) {
    hdf5_file found;
    std::vector<std::byte> cut(file.begin(), file.begin() + n);
    CHECK(find_hdf5(reading(cut), n, found).code == io::errc::damaged);
  }
}

TEST_CASE("a continuation of a header that is shorter than its frame is refused",
          "[format][hdf5][errors]") {
  for (std::int64_t bytes = 0; bytes <= 8; ++bytes) {
    std::vector<std::byte> const file = file_with_continuation(bytes);
    hdf5_file found;
    auto const why = find_hdf5(reading(file), std::ssize(file), found);
    CAPTURE(bytes, why.detail);
    if (bytes == 8)
      CHECK_FALSE(why);
    else
      CHECK(why.code == io::errc::damaged);
  }
}

TEST_CASE("a file that is no HDF5 file is refused", "[format][hdf5][errors]") {
  std::vector<std::byte> const file(100);
  hdf5_file found;
  auto const why = find_hdf5(reading(file), 100, found);
  CHECK(why.code == io::errc::damaged);
  CHECK_THAT(why.detail, Catch::Matchers::ContainsSubstring("this is no HDF5 file"));
}

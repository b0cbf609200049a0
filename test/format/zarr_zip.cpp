// Zarr stores in zip files: packed, read, and refused if they are damaged.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/format/detail/zarr/zip_file.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/format/zarr_zip.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;
using io::detail::zip_directory;
using io::detail::zip_entry;
using zarr = io::basic_zarr<io::self>;

namespace {

std::span<std::byte const> bytes_in(std::string const& text) {
  return std::as_bytes(std::span(text));
}

// Parses the directory of a zip file that has only its end.
io::extend::failure read(std::string const& end, std::int64_t before, std::vector<zip_entry>& all) {
  zip_directory where;
  std::int64_t const size = before + std::ssize(end);
  if (auto f = io::detail::find_zip_directory(bytes_in(end), size, where)) return f;
  if (where.offset < before) return {io::errc::damaged, "the directory lies in other bytes"};
  auto const at = static_cast<std::size_t>(where.offset - before);
  return io::detail::parse_zip_directory(
      bytes_in(end).subspan(at, static_cast<std::size_t>(where.bytes)), where, all);
}

std::string end_of(std::vector<zip_entry> const& all, std::int64_t before) {
  std::string lines;
  for (zip_entry const& e : all) lines += io::detail::zip_line(e);
  return lines + io::detail::zip_end(std::ssize(all), before, std::ssize(lines));
}

void write(zarr&& z, std::vector<float> const& v) {
  z.write_all(v);
  z.close();
}

}  // namespace

TEST_CASE("the directory of a zip file is read back, with small and large numbers",
          "[format][zarr][zip]") {
  std::int64_t const big = std::int64_t{5} << 32;
  std::vector<std::vector<zip_entry>> const cases = {
      {},
      {{"zarr.json", 7, 0, 99}},
      {{"a", 1, 0, 1}, {"b/c", big, 40, 2}, {"d", 3, big + 100, 3}, {"e", big, 2 * big, 4}}};
  for (auto const& all : cases) {
    std::int64_t const before = 4 * big;
    std::vector<zip_entry> back;
    auto const f = read(end_of(all, before), before, back);
    CAPTURE(f.detail);
    CHECK_FALSE(f);
    CHECK(back == all);
    for (zip_entry const& e : all)
      CHECK(std::ssize(io::detail::zip_header(e)) == io::detail::zip_header_bytes(e));
  }
  std::vector<zip_entry> many;
  for (int i = 0; i < 70000; ++i) many.push_back({"c/" + std::to_string(i), 1, 40 * i, 5});
  std::vector<zip_entry> back;
  CHECK_FALSE(read(end_of(many, 4000000), 4000000, back));
  CHECK(back == many);
}

TEST_CASE("a directory of a zip file that is damaged is refused, and never read beyond",
          "[format][zarr][zip][random]") {
  std::mt19937_64 random(seed());
  std::string const good = end_of({{"zarr.json", 7, 0, 99}, {"c/0", 30, 50, 7}}, 200);
  std::vector<zip_entry> all;
  for (std::size_t n = 0; n < good.size(); ++n) CHECK(read(good.substr(0, n), 200, all));
  for (int i = 0; i < 2000; ++i) {
    std::string broken = good;
    for (auto k = 1 + random() % 3; k > 0; --k)
      broken[random() % broken.size()] = static_cast<char>(random());
    if (read(broken, 200, all)) continue;
    for (zip_entry const& e : all) CHECK((e.offset >= 0 && e.bytes >= 0 && e.bytes <= 200));
  }
  auto const with = [&](std::size_t at, char c) {
    std::string other = good;
    other[at] = c;
    return read(other, 200, all).detail;
  };
  CHECK_THAT(with(10, 8), ContainsSubstring("'zarr.json' of the zip file is compressed"));
  CHECK_THAT(with(8, 1), ContainsSubstring("'zarr.json' of the zip file is encrypted"));
  CHECK_THAT(read("no zip file at all", 0, all).detail, ContainsSubstring("no directory"));
}

TEST_CASE("a packed store is read, and is the same file again", "[format][zarr][zip]") {
  scratch const here;
  io::self const alone;
  io::darray<float, 2> const part({60, 50}, io::distribute::block, {1, 1}, 0);
  std::vector<float> v(3000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i) / 8;
  zarr::create_group(alone, here / "run", R"({"title": "a run"})");
  write(zarr::create(alone, here / "run/u", part, {.chunks = {20, 20}, .shards = {40, 40}}), v);
  write(zarr::create(alone, here / "run/more", part, {.chunks = {20, 20}}), v);
  std::filesystem::create_directory(here / "run/v.0123456789abcdef.part");
  std::ofstream(here / "run/v.0123456789abcdef.part/zarr.json") << "{}";
  zarr::pack(alone, here / "run", here / "run.zip");
  std::string const first = content_of(here / "run.zip");
  io::opener const zip = io::zip_opener(here / "run.zip");
  for (char const* const name : {"/u", "/more"}) {
    zarr z =
        zarr::open(alone, here / ("run.zip" + std::string(name)), part, io::mode::read, {}, zip);
    std::vector<float> back(v.size());
    z.read_all(back);
    z.close();
    CHECK(back == v);
  }
  io::zarr_group const g = zarr::group_of(alone, here / "run.zip", {}, zip);
  CHECK(g == zarr::group_of(alone, here / "run"));
  CHECK(g.members.size() == 2);
  zarr::pack(alone, here / "run", here / "run.zip");
  CHECK(content_of(here / "run.zip") == first);
  CHECK(first.find(".part") == std::string::npos);

  // A zip file refuses writes, and other files stay as they are.
  std::error_code error;
  zarr z = zarr::open(alone, here / "run.zip/u", part, io::mode::read_write, {error}, zip);
  CHECK(error == io::errc::read_only);
  z = zarr::open(alone, here / "run.zip/w", part, io::mode::read, {error}, zip);
  CHECK(error == io::errc::no_such_file);
  z = zarr::create(alone, here / "run.zip/w", part, {}, {error}, zip);
  CHECK(error);
  std::ofstream(here / "text") << "no zip file, which must stay as it is";
  zarr::pack(alone, here / "run", here / "text", error);
  CHECK(error == io::errc::file_exists);
  CHECK(content_of(here / "text").starts_with("no zip"));
  zarr::pack(alone, here / "nowhere", here / "new.zip", error);
  CHECK(error == io::errc::no_such_file);
  CHECK_FALSE(std::filesystem::exists(here / "new.zip"));
  std::ofstream(here / "text.zip") << first.substr(0, first.size() / 2);
  zarr::group_of(alone, here / "text.zip", {error}, io::zip_opener(here / "text.zip"));
  CHECK(error == io::errc::damaged);
}

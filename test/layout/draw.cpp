// Pictures: well formed, bounded in size, and with the right owners.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/draw.hpp>
#include <argosy/layout/draw_owners.hpp>
#include <layout/svg.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/expected.hpp"

using namespace argosy;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    ++n;
  return n;
}

// Returns an attribute of the element in which `what` stands first.
double number_in(std::string const& svg, std::string const& what, std::string const& name) {
  std::size_t const element = svg.rfind('<', svg.find(what));
  std::string const key = " " + name + "=\"";
  return std::stod(svg.substr(svg.find(key, element) + key.size()));
}

// A parser for the XML of pictures: elements must close, and text has no bare < or &.
bool well_formed(std::string_view svg) {
  std::vector<std::string_view> open;
  for (std::size_t i = 0; i < svg.size();) {
    if (svg[i] == '&' && svg.substr(i, 6).find(';') == svg.npos) return false;
    if (svg[i] != '<') {
      ++i;
      continue;
    }
    std::size_t const end = svg.find('>', i);
    if (end == svg.npos) return false;
    std::string_view const tag = svg.substr(i + 1, end - i - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
    i = end + 1;
  }
  return open.empty() && svg.starts_with("<svg ");
}

}  // namespace

TEST_CASE("few pieces are drawn one by one, in the order of the stream", "[draw]") {
  std::string const svg = draw(concat(at(64, bytes(12)), at(8, bytes(20)), at(40, bytes(4))));
  CHECK(well_formed(svg));
  CHECK(svg.find(">0</text>") != svg.npos);
  CHECK(svg.find(">2</text>") != svg.npos);
  CHECK(svg.find("36 bytes in 3 pieces") != svg.npos);
}

TEST_CASE("many pieces cost no more than few", "[draw]") {
  for (std::int64_t n :
       {std::int64_t{1000}, std::int64_t{1'000'000}, std::int64_t{1'000'000'000'000}}) {
    std::string const svg = draw(repeat(n, 3000, repeat(7, 300, bytes(8))));
    CHECK(well_formed(svg));
    CHECK(svg.size() < 1'000'000);
  }
}

TEST_CASE("what has no bytes, lies below zero or ends beyond its bounds is drawn, too", "[draw]") {
  CHECK(well_formed(draw(layout())));
  CHECK(well_formed(draw(resized(bytes(0), -8, 100))));
  CHECK(well_formed(draw(resized(at(-100, repeat(5, 40, bytes(8))), 0, 10))));
  CHECK(well_formed(draw(repeat(5, -40, bytes(8)))));
  CHECK(well_formed(draw(repeat(5000, 0, bytes(8)))));
  std::string const svg = draw(bytes(1 << 30), {.title = "a < b & \"c\"", .row_bytes = 1000});
  CHECK(well_formed(svg));
  CHECK(svg.find("a &lt; b &amp; &quot;c&quot;") != svg.npos);
}

TEST_CASE("rows beyond the limit are counted, not drawn", "[draw]") {
  std::string const svg = draw(repeat(100, 16, bytes(8)), {.row_bytes = 16, .most_rows = 10});
  CHECK(well_formed(svg));
  CHECK(svg.find("and 90 rows more") != svg.npos);
}

TEST_CASE("owners have their colours, blocks are one area each", "[draw]") {
  // 4 x 6 doubles; rank 0 has the left half, rank 1 the right one
  std::vector<layout> const halves{repeat(4, 48, bytes(24)), at(24, repeat(4, 48, bytes(24)))};
  std::string const svg = draw_owners(halves, std::array<std::int64_t, 2>{4, 6}, 8);
  CHECK(well_formed(svg));
  CHECK(count(svg, detail::colour_of_rank(0).text()) == 2);  // the area and the legend
  CHECK(count(svg, detail::colour_of_rank(1).text()) == 2);
  CHECK(svg.find("several") == svg.find("several\" width"));  // only the pattern's name
}

TEST_CASE("what several ranks claim is hatched", "[draw]") {
  std::vector<layout> const both{bytes(48), at(40, bytes(24))};
  CHECK(draw_owners(both, std::array<std::int64_t, 1>{8}, 8).find(">several</text>") !=
        std::string::npos);
}

TEST_CASE("arrays of any shape have their place on the sheet", "[draw]") {
  for (auto const& [rows, columns] : {std::pair{1, 2}, {2, 2}, {2, 300}, {300, 2}, {60, 60}}) {
    CAPTURE(rows, columns);
    std::string const svg = draw_owners(std::vector<layout>{bytes(rows * columns)},
                                        std::array<std::int64_t, 2>{rows, columns}, 1);
    std::string const colour = detail::colour_of_rank(0).text();
    double const width = number_in(svg, "svg", "width"), height = number_in(svg, "svg", "height");
    double const area_width = number_in(svg, colour, "width"),
                 area_height = number_in(svg, colour, "height");
    CHECK(height < 900);
    CHECK(area_width < width);
    CHECK(area_height < height);
    CHECK(area_width <= 40.0 * columns);
  }
}

TEST_CASE("large arrays are drawn in blocks", "[draw]") {
  std::int64_t const n = 1 << 20;
  std::vector<layout> ranks;
  for (std::int64_t r = 0; r < 30; ++r) ranks.push_back(at(r * n / 30 * n, bytes(n / 30 * n)));
  std::string const svg = draw_owners(ranks, std::array<std::int64_t, 2>{n, n}, 1);
  CHECK(well_formed(svg));
  CHECK(svg.size() < 100'000);
  CHECK(svg.find("to rank 29") != svg.npos);
}

TEST_CASE("arrays that cannot be drawn are refused", "[draw]") {
  std::vector<layout> const one{bytes(8)};
  CHECK_THROWS_WITH(draw_owners(one, std::array<std::int64_t, 4>{1, 1, 1, 1}, 8),
                    Catch::Contains("4 dimensions"));
  CHECK_THROWS_AS(draw_owners(one, std::array<std::int64_t, 2>{0, 1}, 8), invalid_layout);
}

TEST_CASE("pictures of layouts are those that people have looked at", "[draw][expected]") {
  using test::check_expected;
  check_expected("pieces.svg",
                 draw(resized(concat(at(64, bytes(12)), at(8, bytes(20)), at(40, bytes(4))), 0, 90),
                      {.title = "three pieces", .row_bytes = 40, .width_px = 480}));
  check_expected("strides.svg", draw(repeat(3, 100, repeat(5, 16, bytes(8))), {.width_px = 600}));
  check_expected("shares.svg",
                 draw(at(-500, repeat(21, 3000, repeat(20, 40, bytes(12)))), {.most_rows = 2}));
  check_expected("narrow.svg", draw(layout(), {.width_px = 100}));
}

TEST_CASE("pictures of owners are those that people have looked at", "[draw][expected]") {
  using test::check_expected;
  using sizes = std::vector<std::int64_t>;
  auto const by_rows = [](std::int64_t ranks, std::int64_t bytes_each) {
    std::vector<layout> all;
    for (std::int64_t r = 0; r < ranks; ++r) all.push_back(at(r * bytes_each, bytes(bytes_each)));
    return all;
  };
  check_expected("owners_line.svg",
                 draw_owners(std::vector<layout>{bytes(48), at(40, bytes(24)), at(80, bytes(8))},
                             sizes{12}, 8, {.width_px = 480}));
  check_expected("owners_blocks.svg",
                 draw_owners(by_rows(14, 5 * 150 * 4), sizes{100, 150}, 4, {.most_cells = 16}));
  check_expected("owners_slices.svg",
                 draw_owners(by_rows(5, 48), sizes{10, 4, 6}, 1, {.most_slices = 3}));
}

// Layouts as text.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/layout/fmt.hpp>
#include <argosy/layout/print.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace argosy;

// The text of a layout is the C++ expression that makes it, which the compiler reads here.
#define READS_BACK(...) CHECK(to_string(__VA_ARGS__) == #__VA_ARGS__)

TEST_CASE("a layout prints as the calls that make it", "[print]") {
  READS_BACK(bytes(0));
  READS_BACK(bytes(8));
  READS_BACK(at(24, bytes(8)));
  READS_BACK(at(-24, bytes(8)));
  READS_BACK(repeat(4, 1024, repeat(8, 64, bytes(32))));
  READS_BACK(concat(bytes(8), at(16, bytes(4))));
  READS_BACK(at(8, concat(bytes(8), at(16, repeat(3, -100, bytes(4))))));
  READS_BACK(repeat(1000000000000, 16, bytes(8)));
  READS_BACK(repeat(5, 100, concat(bytes(8), at(16, bytes(4)))));
}

TEST_CASE("only bounds that the data does not have are named", "[print]") {
  READS_BACK(resized(bytes(8), 0, 16));
  READS_BACK(resized(at(4, repeat(3, 16, bytes(8))), -4, 64));
  READS_BACK(resized(bytes(0), 8, 16));
  CHECK(to_string(resized(at(4, bytes(8)), 4, 8)) == "at(4, bytes(8))");
}

TEST_CASE("what is irregular or long is summarised", "[print]") {
  std::vector<std::int64_t> offsets, lengths;
  for (std::int64_t i = 0; i < 1000; ++i) {
    offsets.push_back(16 + i * i);
    lengths.push_back(1 + i % 9 * (i % 2));
  }
  CHECK(to_string(table(offsets, 1)).starts_with("at(16, "));
  layout const irregular = table(offsets, lengths);
  if (!irregular.is_regular()) CHECK(to_string(irregular).size() < 200);

  std::vector<layout> parts;
  for (std::int64_t i = 0; i < 100; ++i)
    parts.push_back(at(i * 10'000, repeat(100 + i, 10, bytes(1 + i % 8))));
  CHECK(to_string(concat(parts)).ends_with("more */)"));
}

TEST_CASE("shared nodes do not make the text explode", "[print]") {
  layout l = concat(bytes(1), at(3, repeat(70, 5, bytes(2))));
  std::int64_t stride = 1000;
  for (int level = 0; level < 10; ++level, stride *= 10)
    l = concat(repeat(3, stride, l), at(4 * stride, repeat(4, stride, l)));
  CHECK(l.nodes().size() < 100);
  CHECK(to_string(l).size() < 50'000);
  CHECK(to_tree(l).size() < 50'000);
}

TEST_CASE("fmt prints a layout as a line or as a tree", "[print][fmt]") {
  layout const l = resized(at(24, repeat(4, 512, concat(bytes(8), at(16, bytes(4))))), 0, 2048);
  CHECK(fmt::format("<{}>", l) ==
        "<resized(at(24, repeat(4, 512, concat(bytes(8), at(16, bytes(4))))), 0, 2048)>");
  CHECK(fmt::format("{:t}", l) ==
        "layout                       bytes  pieces  true extent\n"
        "at 24: 4 copies, stride 512     48       8         1556\n"
        "  list of 2                     12       2           20\n"
        "    at 0: bytes                  8       1            8\n"
        "    at 16: bytes                 4       1            4\n"
        "bounds [0, 2048), extent 2048, density 3.1 %\n");
  CHECK_THROWS_AS(fmt::format(fmt::runtime("{:x}"), l), fmt::format_error);
}

TEST_CASE("a layout without bytes is a tree of one row", "[print]") {
  CHECK(to_tree(layout()) ==
        "layout    bytes  pieces  true extent\n"
        "no bytes      0       0            0\n"
        "bounds [0, 0), extent 0, density 100 %\n");
}

TEST_CASE("a share beyond all numbers is still a text", "[print]") {
  layout const dense = repeat(std::int64_t{1} << 62, 0, bytes(1));
  CHECK(to_tree(dense).ends_with("density over 100000000000 %\n"));
  CHECK(to_tree(repeat(3, 0, bytes(4))).ends_with("density 300 %\n"));
}

TEST_CASE("a tree shows a shared node once", "[print]") {
  layout const record = concat(bytes(8), at(16, bytes(4)));
  std::string const tree =
      to_tree(concat(repeat(50, 100, record), at(9000, repeat(60, 200, record))));
  CHECK(tree.find("list of 2, as in line 3") != std::string::npos);
}

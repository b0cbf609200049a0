// Snippets of pages in docs/use: layouts, copies and plans, without files and without MPI. Their
// claims are asserted. Run: snippets_layouts
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/layout.hpp>
#include <argosy/layout/print.hpp>
#include <argosy/policy.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

void copies() {
  // [copies]
  // A column of one matrix to a row of another, by one loop and without a buffer between.
  std::array<double, 64> from{}, to{};
  for (std::size_t i = 0; i < 64; ++i) from[i] = static_cast<double>(i);
  io::layout const column = io::vector(8, 1, 8, io::type<double>).form();
  io::layout const row = io::contiguous(8, io::type<double>).form();
  io::copy(column, &from[3], row, &to[16]);
  // [copies]
  REQUIRE(to[16] == 3 && to[17] == 11 && to[23] == 59);
}

void made_by_hand() {
  // [by_hand]
  io::layout const pairs = io::repeat(10, 64, io::bytes(16));  // 16 of every 64 bytes
  io::layout const moved = io::at(128, pairs);                 // from byte 128 on
  io::layout const both = io::concat(io::bytes(8), moved);     // one behind the other
  std::array<std::int64_t, 3> const places{0, 100, 40};
  io::layout const pieces = io::table(places, 8);  // 8 bytes at each place
  std::array<io::layout, 2> const parts{pairs, io::bytes(4)};
  std::array<std::int64_t, 2> const lengths{1, 3}, starts{0, 1000};
  io::layout const record = io::record_of(lengths, starts, parts);  // lists of any length
  std::string const tree = io::to_tree(record);                     // lines with numbers
  // [by_hand]
  REQUIRE(both.size() == 168 && pieces.pieces() == 3 && record.size() == 172 && !tree.empty());
}

void views_of_memory() {
  std::vector<double> const u(12);
  // [const_buffer]
  io::const_buffer const all = io::memory(u);  // its bytes can be written, not read into
  // [const_buffer]
  REQUIRE(all.size() == 96);
  // [element]
  static_assert(io::element_type<double> && io::element_type<std::array<float, 3>>);
  static_assert(!io::element_type<std::string>);  // its bytes do not carry its value
  // [element]
}

void plans() {
  // [make_plan]
  // The windows of a policy for a read of 100 doubles, each 1 KiB apart: no file is needed.
  io::layout const in_file = io::repeat(100, 1024, io::bytes(8)), in_memory = io::bytes(800);
  io::access const read{.file = in_file, .bytes = 800, .memory = in_memory};
  io::plan const merged = io::make_plan(io::sieving{.reads = io::sieving_mode::always}, read);
  io::plan const single = io::make_plan(io::independent{}, read);
  // [make_plan]
  REQUIRE(merged.file_calls() == 1 && single.file_calls() == 100 && single.wanted() == 800);
  // [static_plan]
  constexpr auto even =
      io::vector(io::constant<64>, io::constant<1>, io::constant<2>, io::type<double>);
  constexpr auto data = io::contiguous(io::constant<64>, io::type<double>);
  static_assert(io::explain<io::sieving{}>(even, data).windows() == 1);
  static_assert(io::explain<io::independent{}, io::access_kind::write>(even, data).file_calls() ==
                64);
  // [static_plan]
}

}  // namespace

int main() {
  copies();
  made_by_hand();
  views_of_memory();
  plans();
}

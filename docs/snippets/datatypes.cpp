// The snippets of docs/use/datatypes.md, in its order. Assertions check what the page claims.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/layout.hpp>
#include <argosy/layout/draw.hpp>
#include <argosy/layout/draw_owners.hpp>
#include <argosy/layout/print.hpp>
#include <argosy/layout/serialize.hpp>
#include <argosy/world/self.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

}  // namespace

// [describe]
struct particle {
  double x[3];
  float charge;
  std::int32_t id;
};
io::members<&particle::x, &particle::id> describe(particle const&);
// [describe]

namespace {

void elements() {
  // [elements]
  auto const positions = io::contiguous(1000, io::type<particle>);
  // repeat(1000, 32, concat(bytes(24), at(28, bytes(4))))
  io::layout const form = positions.form();
  // [elements]
  REQUIRE(form.size() == 28'000 && form.extent() == 32'000);
}

void packed_records() {
  std::string const path =
      (std::filesystem::temp_directory_path() / "argosy_snippets_packed").string();
  auto f = io::basic_file<io::self>::open(
      io::self(), path, io::mode::create | io::mode::read_write | io::mode::delete_on_close);
  std::vector<particle> particles(50);
  // [packed]
  f.set_view(64, io::packed(io::type<particle>));  // 28 bytes each, without gaps
  f.write_all(particles);                          // the padding in memory does not change
  // [packed]
  REQUIRE(f.size() == 64 + 50 * 28);
  f.set_size(0);
  // [select]
  using positions_only = io::members<&particle::x>;
  f.set_view(64, io::packed(positions_only{}));
  f.write_all({particles, positions_only{}});
  // [select]
  REQUIRE(f.size() == 64 + 50 * 24);
  f.set_view(64, io::packed(io::type<particle>));
  for (int i = 0; i < 50; ++i) particles[static_cast<std::size_t>(i)].id = i;
  f.write_at(0, particles);
  // [fewer]
  // Two members of the 28 bytes of each: x at 0, id at 24.
  auto const ids = io::resized(io::record(io::member(24, io::type<std::int32_t>)), 0, 28);
  f.set_view(64, ids);
  f.read_all({particles, io::members<&particle::id>{}});
  // [fewer]
  REQUIRE(particles[49].id == 49);
  std::vector<std::int32_t> numbers(50);
  REQUIRE(f.read_at(0, numbers).bytes == 200 && numbers[49] == 49);
  f.close();
}

void containers() {
  std::string const path =
      (std::filesystem::temp_directory_path() / "argosy_snippets_containers").string();
  auto f = io::basic_file<io::self>::open(
      io::self(), path, io::mode::create | io::mode::read_write | io::mode::delete_on_close);
  // [containers]
  std::vector<double> u(10 * 10);
  auto const inside = io::subarray({10, 10}, {8, 8}, {1, 1}, io::type<double>);
  f.write_at(0, {u, inside});                // 8 x 8 of the 10 x 10
  f.write_at(512, {u, io::type<double>});    // all elements
  f.read_at(512, {u, io::type<double>, 5});  // the first five
  // [containers]
  REQUIRE(f.size() == 512 + 800);
  // [too_much]
  std::error_code error;
  f.write_at(0, {u, inside, 2}, error);
  std::string const why = f.what_failed();
  // [too_much]
  REQUIRE(error == io::errc::argument && why.find("need 1512 bytes") != std::string::npos);
  // [blocks]
  std::vector<std::unique_ptr<particle>> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(std::make_unique<particle>());
  f.write_at(0, {blocks, io::type<particle>});  // behind each pointer, in the order of the pointers
  std::vector<std::vector<double>> rows(4, std::vector<double>(16));
  f.write_at(140, {rows | std::views::transform([](auto& row) { return row.data(); }),
                   io::type<double>, 16});
  // [blocks]
  f.close();
}

void arrays(std::int64_t ny, std::int64_t nx) {
  // [arrays]
  auto const column = io::vector(ny, 1, nx, io::type<double>);
  auto const inside = io::subarray({ny, nx}, {ny - 2, nx - 2}, {1, 1}, io::type<double>);
  auto const pairs = io::vector(ny, 2, 3, io::type<particle>);  // two of every three particles
  // [arrays]
  REQUIRE(column.form().pieces() == ny);
  REQUIRE(inside.form().pieces() == ny - 2 && inside.form().extent() == ny * nx * 8);
  REQUIRE(pairs.form().size() == ny * 2 * 28);
}

void distributed(int rank) {
  // [distributed]
  using namespace io::distribute;
  io::process_grid const grid(6, 2);  // 3 x 2
  io::darray<double, 2> const tiles({32, 64}, {cyclic(4), cyclic(8)}, grid, rank);
  io::darray<float, 3> const block_of_a_cube({512, 512, 512}, block, io::process_grid(12, 3), rank);
  // [distributed]
  REQUIRE(tiles.form().extent() == 32 * 64 * 8);
  REQUIRE(block_of_a_cube.form().size() > 0);

  // [own_rows]
  // 10 rows on 4 ranks: `block` deals 3, 3, 3, 1. A program that deals 3, 3, 2, 2 names its own
  // rows.
  std::int64_t const ranks = 4, nx = 8, mine = 10 / ranks + (rank < 10 % ranks ? 1 : 0);
  std::int64_t const first = rank * (10 / ranks) + std::min<std::int64_t>(rank, 10 % ranks);
  auto const rows = io::subarray({10, nx}, {mine, nx}, {first, 0}, io::type<double>);
  // [own_rows]
  REQUIRE(rank >= ranks || rows.form().size() == mine * nx * 8);

  // [draw]
  std::vector<io::layout> owners;
  for (int r = 0; r < grid.size(); ++r)
    owners.push_back(io::darray<double, 2>({32, 64}, {cyclic(4), cyclic(8)}, grid, r).form());
  std::string const svg =
      io::draw_owners(owners, std::array<std::int64_t, 2>{32, 64}, sizeof(double));
  // [draw]
  REQUIRE(svg.starts_with("<svg"));
}

void irregular() {
  // [irregular]
  std::vector<std::int64_t> const cells{17, 4, 96, 12, 55};
  // three doubles at each place
  auto const scattered = io::indexed_block(3, cells, io::type<double>);
  auto const uneven = io::indexed({2, 1, 4}, {0, 5, 9}, io::type<float>);  // lengths, then places
  // [irregular]
  REQUIRE(scattered.form().size() == 5 * 24 && uneven.form().size() == 28);
}

void in_bytes() {
  // [in_bytes]
  auto const rows = io::hvector(4, 2, 100, io::type<double>);           // the stride in bytes
  auto const blocks = io::hindexed({2, 1}, {0, 40}, io::type<double>);  // places in bytes
  auto const singles = io::hindexed_block(1, {0, 24, 64}, io::type<double>);
  // [in_bytes]
  REQUIRE(rows.form().size() == 64 && blocks.form().size() == 24 && singles.form().size() == 24);
}

void impossible() {
  // [impossible]
  auto const box = io::subarray({4, 4}, {2, 2}, {1, 3}, io::type<double>);  // leaves the array
  std::string why;
  try {
    (void)box.form();
  } catch (io::invalid_layout const& e) {
    why = e.what();
  }
  // [impossible]
  REQUIRE(why.find("move or shrink the box") != std::string::npos);
}

void records() {
  // [record]
  // A header of 16 bytes, then 100 doubles at offset 64, in a record of 1024 bytes.
  auto const block = io::resized(io::record(io::member(0, io::contiguous(16, io::type<std::byte>)),
                                            io::member(64, io::type<double>, 100)),
                                 0, 1024);
  // [record]
  REQUIRE(block.form().size() == 816 && block.form().extent() == 1024);
}

void fixed_numbers() {
  // [fixed]
  auto const tile = io::subarray(io::list(io::constant<8>, io::constant<8>),
                                 io::list(io::constant<6>, io::constant<6>),
                                 io::list(io::constant<1>, io::constant<1>), io::type<double>);
  auto const form = io::flatten(tile);  // an empty object, whose type is the layout
  static_assert(form.size() == 36 * 8 && form.pieces() == 6);
  static_assert(std::is_empty_v<decltype(form)>);
  // [fixed]
  REQUIRE(io::layout(form) == tile.form());
  // [constant_view]
  constexpr auto even =
      io::vector(io::constant<4>, io::constant<1>, io::constant<2>, io::type<double>);
  constexpr io::view view(64, even);
  static_assert(view.etype_size() == 8 && view.byte_offset(1) == 64 + 16);
  // [constant_view]
  REQUIRE(view == io::view(64, io::vector(4, 1, 2, io::type<double>)));
}

void buffers() {
  // [buffers]
  std::vector<particle> particles(50);
  io::buffer const all = io::memory(particles);  // x and id of each, as described above
  std::vector<std::byte> packed(static_cast<std::size_t>(all.size()));
  io::pack(all.form(), all.address(), packed.data());
  io::unpack(all.form(), packed.data(), all.address());
  // [buffers]
  REQUIRE(packed.size() == 50 * 28);
}

void looking() {
  // [looking]
  io::layout const form = io::vector(4, 2, 8, io::type<double>).form();
  std::string const line = io::to_string(form);  // repeat(4, 64, bytes(16))
  std::string const picture = io::draw(form);    // SVG
  io::layout const back = io::deserialize(io::serialize(form));
  // [looking]
  REQUIRE(line == "repeat(4, 64, bytes(16))" && picture.starts_with("<svg") && back == form);
}

}  // namespace

int main() {
  elements();
  packed_records();
  containers();
  arrays(10, 12);
  distributed(3);
  irregular();
  in_bytes();
  impossible();
  records();
  fixed_numbers();
  buffers();
  looking();
}

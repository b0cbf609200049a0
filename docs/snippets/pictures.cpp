// Writes the pictures of docs/use/ into a directory, or compares them with --check.
// Run: pictures docs/use
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/layout/draw.hpp>
#include <argosy/layout/draw_owners.hpp>
#include <argosy/plan/draw.hpp>
#include <argosy/policy.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace io = argosy;

struct particle {
  double x[3];
  float charge;
  std::int32_t id;
};
io::members<&particle::x, &particle::id> describe(particle const&);

namespace {

std::map<std::string, std::string> pictures() {
  using namespace io::distribute;
  std::vector<io::layout> owners;
  io::process_grid const grid(6, 2);
  for (int rank = 0; rank < grid.size(); ++rank)
    owners.push_back(io::darray<double, 2>({32, 64}, {cyclic(4), cyclic(8)}, grid, rank).form());
  auto const tile = io::darray<int, 2>({8, 8}, block, io::process_grid(4, 2), 1).form();
  // A cube of 64 x 64 x 64 doubles on eight ranks: two aggregators on each of two nodes, windows of
  // 256 KiB.
  std::vector<io::layout> cubes;
  io::extend::access_summary all;
  for (int rank = 0; rank < 8; ++rank) {
    cubes.push_back(
        io::darray<double, 3>({64, 64, 64}, block, io::process_grid(8, 3), rank).form());
    io::layout const& mine = cubes.back();
    all.combine({.low = mine.true_lower_bound(),
                 .high = mine.true_upper_bound(),
                 .bytes = mine.size(),
                 .most_bytes = mine.size(),
                 .pieces = mine.pieces(),
                 .most_pieces = mine.pieces(),
                 .spans = mine.true_extent(),
                 .granule = io::granule_of(mine),
                 .ranks = 1});
  }
  io::two_phase const together{.window_bytes = 256 << 10, .aggregators_per_node = 2};
  // A long piece, pieces close to each other, and pieces far apart.
  io::layout const scattered =
      io::concat(io::bytes(8192), io::at(12288, io::repeat(40, 256, io::bytes(64))),
                 io::at(65536, io::repeat(4, 20480, io::bytes(512))));
  io::layout const memory = io::bytes(scattered.size());
  io::access const wanted{io::access_kind::write, scattered, 0, scattered.size(), memory};
  return {
      {"view.svg",
       io::draw(
           io::resized(io::at(32, io::repeat(2, 256, tile)), 0, 32 + 2 * 256),
           {.title =
                "The view of rank 1 of 4: 32 bytes of header, then its quarter of each 8 x 8 array",
            .row_bytes = 32})},
      {"particles.svg", io::draw(io::contiguous(6, io::type<particle>).form(),
                                 {.title = "x and id of six particles, one to a row",
                                  .row_bytes = sizeof(particle)})},
      {"interior.svg",
       io::draw(
           io::subarray({8, 8, 8}, {6, 6, 6}, {1, 1, 1}, io::type<double>).form(),
           {.title = "6 x 6 x 6 doubles inside their halo, one plane to a row", .row_bytes = 512})},
      {"plan.svg", io::draw(together.plan(io::access_kind::write, all, {.size = 8, .nodes = 2}),
                            {.ranks = cubes})},
      {"windows.svg", io::draw(io::make_plan(io::sieving{}, wanted), {.ranks = {&scattered, 1}})},
      {"matrix_owners.svg",
       io::draw_owners(owners, std::array<std::int64_t, 2>{32, 64}, sizeof(double),
                       {.title = "A 32 x 64 matrix in tiles of 4 x 8 on a 3 x 2 grid of ranks"})},
  };
}

std::string content(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  bool const check = argc > 2 && std::string(argv[1]) == "--check";
  std::string const directory = argc > 1 ? argv[argc - 1] : ".";
  int failed = 0;
  for (auto const& [name, svg] : pictures()) {
    std::string const file = directory + "/" + name;
    if (!check) std::ofstream(file, std::ios::binary) << svg;
    if (content(file) == svg) continue;
    std::fprintf(stderr, check ? "%s is out of date; run pictures docs/use\n" : "cannot write %s\n",
                 file.c_str());
    failed = 1;
  }
  return failed;
}

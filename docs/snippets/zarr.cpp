// Snippets of docs/use/zarr.md: arrays in Zarr stores.
// Run: mpiexec -n 4 build/release/bin/snippets_zarr
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/format/zarr_zip.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace io = argosy;
namespace mpi = boost::mpi;

namespace {

void require(bool well, char const* what) {
  if (!well) throw std::runtime_error(what);
}

void arrays(mpi::communicator const& world) {
  std::int64_t const ny = 64, nx = 16 * world.size();
  std::vector<float> const u(static_cast<std::size_t>(64 * 16),
                             1.0f + static_cast<float>(world.rank()));
  // [zarr_create]
  io::darray<float, 2> const tile({ny, nx}, io::distribute::block, {1, world.size()}, world.rank());
  auto z = io::zarr::create(world, "u.zarr", tile,
                            {.chunks = {16, 16},
                             .shards = {64, 32},
                             .codecs = {io::zarr_codec::zstd(3)},
                             .dimension_names = {"y", "x"},
                             .attributes = R"({"units": "K"})"});
  z.write_all(u);
  z.close();
  // [zarr_create]
  // [zarr_read]
  io::zarr_header const h = io::zarr::header_of(world, "u.zarr");
  io::darray<float, 2> const rows({h.shape[0], h.shape[1]}, io::distribute::block,
                                  {world.size(), 1}, world.rank());
  std::vector<float> mine(static_cast<std::size_t>(io::array_part(rows).elements()));
  auto g = io::zarr::open(world, "u.zarr", rows);
  g.read_all(mine);
  g.close();
  if (world.rank() == 0) std::cout << to_string(h) << "\n";
  // [zarr_read]
  require(mine[0] == 1 && mine.back() == static_cast<float>(world.size()), "the array differs");
  // [zarr_error]
  std::error_code error;
  io::darray<double, 2> const other({ny, nx}, io::distribute::block, {1, world.size()},
                                    world.rank());
  auto wrong = io::zarr::open(world, "u.zarr", other, io::mode::read, error);
  if (error == io::errc::datatype && world.rank() == 0) std::cout << wrong.what_failed() << "\n";
  // [zarr_error]
  require(error == io::errc::datatype, "another array was opened");
  // [zarr_codec]
  for (io::zarr_codec const& c :
       {io::zarr_codec::gzip(), io::zarr_codec::zstd(), io::zarr_codec::blosc("lz4")})
    if (!c.is_available()) std::cout << "this build has no " << c.name() << "\n";
  // [zarr_codec]
}

void steps(mpi::communicator const& world) {
  std::int64_t const nx = 8 * world.size();
  std::vector<double> u(8);
  // [zarr_grow]
  auto const slice = [&](std::int64_t step) {  // this rank's cells of a step
    return io::subarray({step + 1, nx}, {1, 8}, {step, 8 * world.rank()}, io::type<double>);
  };
  io::zarr::create_group(world, "run.zarr", R"({"title": "a test"})");
  auto z = io::zarr::create(world, "run.zarr/u", slice(0),
                            {.chunks = {1, 8}, .shards = {10, 16}, .fill_value = "NaN"});
  z.write_all(u);
  z.close();  // the array has its name from here on
  z = io::zarr::open(world, "run.zarr/u", slice(0), io::mode::read_write);
  for (std::int64_t step = 1; step < 5; ++step) {
    z.grow(slice(step));
    z.write_all(u);
  }
  z.set_part(slice(4));  // a part of the array as it is now
  z.read_all(u);
  z.close();
  // [zarr_grow]
  // [zarr_group]
  io::zarr::consolidate(world, "run.zarr");
  io::zarr_group const run = io::zarr::group_of(world, "run.zarr");
  if (world.rank() == 0)
    for (io::zarr_member const& m : run.members)
      if (m.array) std::cout << m.path << ": " << to_string(*m.array) << "\n";
  // [zarr_group]
  require(run.consolidated && run.members.size() == 1, "the group has other members");
  // [zarr_zip]
  io::zarr::pack(world, "run.zarr", "run.zip");
  io::opener const zip = io::zip_opener("run.zip");
  auto packed = io::zarr::open(world, "run.zip/u", slice(4), io::mode::read, {}, zip);
  packed.read_all(u);
  packed.close();
  // [zarr_zip]
}

void costs(mpi::communicator const& world) {
  std::int64_t const n = 64;
  io::darray<float, 2> const tile({n, n}, io::distribute::block, {1, world.size()}, world.rank());
  std::vector<float> const u(static_cast<std::size_t>(io::array_part(tile).elements()), 1);
  // [zarr_costs]
  auto z = io::zarr::create(
      world, "w.zarr", tile,
      {.chunks = {16, 16}, .shards = {32, 64}, .codecs = {io::zarr_codec::blosc("lz4")}},
      io::hints{.codec_threads = 2});
  io::zarr_plan const p = z.explain_all(io::access_kind::write, u);
  if (world.rank() == 0) std::cout << to_string(p);
  z.write_all(u);
  z.close();
  io::zarr_encoding const e = z.encoding();  // differs by rank
  if (e.encoded.chunks > 0) std::cout << to_string(e);
  // [zarr_costs]
  require(p.shards == 2, "there are other shards");
}

}  // namespace

int main() {
  mpi::environment const env;
  mpi::communicator const world;
  std::string const here = "snippets_zarr";
  if (world.rank() == 0) {
    std::filesystem::remove_all(here);
    std::filesystem::create_directory(here);
  }
  world.barrier();
  std::filesystem::current_path(here);
  arrays(world);
  steps(world);
  costs(world);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove_all(std::filesystem::current_path());
}

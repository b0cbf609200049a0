// Zarr arrays on one rank, and on virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <argosy/format/zarr.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/zarr_cases.hpp"
#include "format/zarr_group_cases.hpp"
#include "format/zarr_whole_cases.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

using rank = io::lab::virtual_rank;

template <class Check>
void in_clusters(Check&& check) {
  for (int const ranks : {1, 2, 3, 7}) {
    CAPTURE(ranks);
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2, .seed = seed()},
                             {.stack_bytes = std::size_t{1} << 20})
        .run([&](rank const& world) { check(world, "f", files.opener()); });
    for (std::string const& name : files.names()) CHECK(name.find(".part") == std::string::npos);
  }
}

// Returns the names of all files below a directory that are not finished.
std::vector<std::string> unfinished_below(std::string const& path) {
  std::vector<std::string> all;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.path().string().find(".part") != std::string::npos)
      all.push_back(entry.path().string());
  return all;
}

}  // namespace

TEST_CASE("what ranks write is the array, and other ranks read and change it in other parts",
          "[format][zarr][random]") {
  in_clusters([](auto const&... all) { check_random_zarrs(all..., 6); });
  scratch const here;
  check_random_zarrs(io::self(), here / "f", io::posix_opener(), 6);
  CHECK(unfinished_below(here.string()).empty());
}

TEST_CASE("ranks write parts of one shard at the same time, and none is lost", "[format][zarr]") {
  in_clusters([](auto const&... all) { check_zarr_alone(all...); });
  scratch const here;
  check_zarr_alone(io::self(), here / "f", io::posix_opener());
}

TEST_CASE("ranks that have whole shards go by themselves", "[format][zarr][random]") {
  in_clusters([](auto const&... all) {
    check_whole_shards(all..., 8);
    check_shared_shards(all...);
  });
  scratch const here;
  check_whole_shards(io::self(), here / "f", io::posix_opener(), 20);
}

TEST_CASE("an array grows along time, and each step is written by itself", "[format][zarr]") {
  in_clusters([](auto const&... all) { check_zarr_growth(all...); });
  scratch const here;
  check_zarr_growth(io::self(), here / "f", io::posix_opener());
}

TEST_CASE("a wrong type, shape, option or amount is an error on all ranks", "[format][zarr]") {
  in_clusters([](auto const&... all) { check_zarr_errors(all...); });
  scratch const here;
  check_zarr_errors(io::self(), here / "f", io::posix_opener());
  CHECK(unfinished_below(here.string()).empty());
}

TEST_CASE("groups have arrays, and no group is replaced by an array", "[format][zarr]") {
  in_clusters([](auto const&... all) { check_zarr_groups(all...); });
  scratch const here;
  check_zarr_groups(io::self(), here / "f", io::posix_opener());
}

TEST_CASE("consolidated metadata is renewed with the arrays", "[format][zarr]") {
  in_clusters([](auto const&... all) { check_consolidated(all...); });
  scratch const here;
  check_consolidated(io::self(), here / "f", io::posix_opener());
  CHECK(unfinished_below(here.string()).empty());
}

TEST_CASE("ranks pack a store into a zip file, and read it", "[format][zarr][zip]") {
  in_clusters([](auto const&... all) { check_packed(all...); });
  scratch const here;
  check_packed(io::self(), here / "f", io::posix_opener());
  CHECK(unfinished_below(here.string()).empty());
}

TEST_CASE("a new array replaces an old one of another shape, and nothing else", "[format][zarr]") {
  using zarr = io::basic_zarr<io::self>;
  scratch const here;
  auto const line = [](std::int64_t n) {
    return io::darray<int, 1>({n}, io::distribute::block, {1}, 0);
  };
  auto const write = [&](std::int64_t n) {
    zarr z = zarr::create(io::self(), here / "u", line(n), {.chunks = {4}});
    std::vector<int> const threes(static_cast<std::size_t>(n), 3);
    z.write_all(threes);
    z.close();
  };
  write(20);
  write(6);
  CHECK(zarr::header_of(io::self(), here / "u").shape == std::vector<std::int64_t>{6});
  CHECK(std::filesystem::exists(here / "u/c/1"));
  CHECK_FALSE(std::filesystem::exists(here / "u/c/2"));
  CHECK(unfinished_below(here.string()).empty());
  // A directory or a file of another kind.
  std::filesystem::create_directory(here / "other");
  std::error_code error;
  zarr::create(io::self(), here / "other", line(3), {}, error);
  CHECK(error == io::errc::file_exists);
  std::ofstream(here / "file") << "text";
  zarr::create(io::self(), here / "file", line(3), {}, error);
  CHECK(error == io::errc::file_exists);
  CHECK(content_of(here / "file") == "text");
  CHECK(unfinished_below(here.string()).empty());
}

TEST_CASE("chunks of the fill value are left out, unless they are asked for", "[format][zarr]") {
  using zarr = io::basic_zarr<io::self>;
  scratch const here;
  io::darray<float, 1> const line({12}, io::distribute::block, {1}, 0);
  for (bool const all : {false, true}) {
    zarr z = zarr::create(io::self(), here / "u", line,
                          {.chunks = {4}, .fill_value = "2", .write_empty_chunks = all});
    std::vector<float> v(12, 2);
    v[5] = 7;
    z.write_all(v);
    z.close();
    CHECK(std::filesystem::exists(here / "u/c/0") == all);
    CHECK(std::filesystem::exists(here / "u/c/1"));
    CHECK(std::filesystem::exists(here / "u/c/2") == all);
    // A shard that becomes empty later is removed.
    z = zarr::open(io::self(), here / "u", line, io::mode::read_write);
    v[5] = 2;
    z.write_all(v);
    std::vector<float> back(12);
    z.read_all(back);
    z.close();
    CHECK(back == v);
    CHECK_FALSE(std::filesystem::exists(here / "u/c/1"));
  }
}

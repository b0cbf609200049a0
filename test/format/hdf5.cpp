// HDF5 files on one rank, and on virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/file/file.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/hdf5_cases.hpp"
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
  }
}

}  // namespace

TEST_CASE("ranks read what other ranks have written to HDF5 files, in other parts",
          "[format][hdf5][random]") {
  in_clusters([](auto const&... all) { check_random_hdf5_files(all..., 6); });
  scratch const here;
  check_random_hdf5_files(io::self(), here / "f", io::posix_opener(), 6);
}

TEST_CASE("wrong content, types, shapes and amounts are errors on all ranks",
          "[format][hdf5][errors]") {
  in_clusters([](auto const&... all) { check_hdf5_errors(all...); });
  scratch const here;
  check_hdf5_errors(io::self(), here / "f", io::posix_opener());
}

TEST_CASE("a dataset grows along its first dimension, step by step", "[format][hdf5]") {
  std::vector<io::hdf5_filter> const filters{io::hdf5_filter::shuffle(),
                                             io::hdf5_filter::fletcher32()};
  in_clusters([&](auto const&... all) {
    check_hdf5_growth(all..., {});
    check_hdf5_growth(all..., filters);
  });
}

// Writing relies on it: as many bytes as a chunk has are taken for all of it.
TEST_CASE("a part that names an element twice is not written", "[format][hdf5][errors]") {
  scratch const here;
  std::int64_t const n = 6;
  io::array_part const all = io::subarray({n}, {n}, {0}, io::type<int>);
  std::vector<std::int64_t> const places{2, 2};
  io::array_part const twice({n}, io::indexed_block(1, places, io::type<int>));
  auto f = io::basic_hdf5<io::self>::create(io::self(), here / "f",
                                            io::hdf5_content().add("u", all, {.chunks = {2}}));
  std::vector<int> const first{1, 2, 3, 4, 5, 6}, nines{9, 9};
  f.write_all("u", all, first);
  std::error_code error;
  f.write_all("u", twice, nines, error);
  CHECK(error == io::errc::datatype);
  std::vector<int> back(6);
  f.read_all("u", all, back);
  CHECK(back == first);
  f.write_all("u", all, first);  // the file is whole again
  f.close();
}

TEST_CASE("chunks of several rounds are encoded on several threads", "[format][hdf5]") {
  scratch const here;
  std::int64_t const n = 5 << 20;
  io::array_part const all = io::subarray({n}, {n}, {0}, io::type<int>);
  auto f = io::basic_hdf5<io::self>::create(
      io::self(), here / "f",
      io::hdf5_content().add(
          "u", all,
          {.chunks = {200000},
           .filters = {io::hdf5_filter::shuffle(), io::hdf5_filter::fletcher32()}}),
      io::hints{.codec_threads = 3});
  std::vector<int> numbers(static_cast<std::size_t>(2 * n)), back(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 2654435761u);
  std::vector<int> every_second(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < every_second.size(); ++i) every_second[i] = numbers[2 * i];
  auto const check = [&](std::vector<int> const& expected) {
    std::ranges::fill(back, 0);
    f.read_all("u", all, back);
    CHECK((back == expected));
  };
  CHECK(f.write_all("u", all, {numbers.data(), io::vector(n, 1, 2, io::type<int>), 1}).rounds > 1);
  check(every_second);
  std::vector<int> const dense(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n));
  f.write_all("u", all, dense);
  check(dense);
  f.close();
}

// Ranks that write at the same time into the same windows must lose nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include "file/random_files.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// How a rank writes its pieces of windows that all ranks write at the same time.
enum class writer { merging, by_pieces, by_default, one_by_one, requests };

// Writes many times, without waiting for other ranks. After each write, a rank must find its own
// bytes.
void write_at_the_same_time(io::mpi const& world, std::string const& path, io::mode modes,
                            std::uint64_t seed, writer even, writer odd) {
  engine random(seed);
  std::int64_t const extent = 1500;
  int const me = world.rank();
  list lengths, starts, owners;
  for (std::int64_t at = 0; at < extent;) {
    std::int64_t const length = std::min(pick(random, 1, 64), extent - at),
                       owner = pick(random, 0, world.size());
    if (owner == me) {
      lengths.push_back(length);
      starts.push_back(at);
    }
    if (owner < world.size())
      owners.insert(owners.end(), static_cast<std::size_t>(length), owner);
    else
      owners.insert(owners.end(), static_cast<std::size_t>(length), -1);
    at += length;
  }
  bytes const before = random_bytes(seed, 2 * extent);
  if (me == 0) fill(path, before);
  world.barrier();
  std::int64_t const mine = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  auto f = io::file::open(world, path, modes);
  f.set_view(0, {io::type<std::byte>,
                 io::resized(io::indexed(lengths, starts, io::type<std::byte>), 0, extent)});
  writer const how = me % 2 == 0 ? even : odd;
  bytes data, got(static_cast<std::size_t>(2 * mine));
  std::int64_t lost = 0;
  for (int i = 0; i < 24 && mine > 0; ++i) {
    data = random_bytes(
        seed + 1000 * static_cast<std::uint64_t>(me) + static_cast<std::uint64_t>(i), 2 * mine);
    std::int64_t const window = pick(random, 20, 3000);
    switch (how) {
      case writer::merging:
        f.write_at(0, data,
                   io::sieving{.write_window_bytes = window, .writes = io::sieving_mode::always});
        break;
      case writer::by_pieces:
        f.write_at(0, data, io::independent{});
        break;
      case writer::by_default:
        f.write_at(0, data);
        break;
      case writer::one_by_one:
        for (std::int64_t at = 0; at < 2 * mine; at += 7)
          f.write_at(at, std::span(data).subspan(
                             static_cast<std::size_t>(at),
                             static_cast<std::size_t>(std::min<std::int64_t>(7, 2 * mine - at))));
        break;
      case writer::requests: {
        std::vector<io::request> all;
        for (std::int64_t at = 0; at < 2 * mine; at += 50)
          all.push_back(f.iwrite_at(
              at,
              std::span(data).subspan(
                  static_cast<std::size_t>(at),
                  static_cast<std::size_t>(std::min<std::int64_t>(50, 2 * mine - at))),
              io::sieving{.write_window_bytes = window, .writes = io::sieving_mode::always}));
        io::wait_all(all);
        break;
      }
    }
    f.read_at(0, got, io::independent{});
    lost += got != data;
  }
  same("writes that lost bytes", lost, 0);
  f.close();
  bytes const file = whole_file(path);
  std::int64_t next = 0, wrong = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::int64_t const owner = owners[i % static_cast<std::size_t>(extent)];
    if (owner == me) wrong += file[i] != data[static_cast<std::size_t>(next++)];
    if (owner < 0) wrong += file[i] != before[i];
  }
  same("bytes of this rank and of nobody", wrong, 0);
  world.barrier();
}

}  // namespace

TEST_CASE("writes at the same time into the same windows lose nothing", "[file][random][locks]") {
  io::mpi const world(MPI_COMM_WORLD);
  std::optional<scratch> here;
  std::string const directory = shared_directory(world, here);
  using io::mode;
  for (int i = 0; i < rounds(2); ++i)
    for (mode m : {mode::read_write, mode::read_write | mode::unique_open})
      for (auto const& [even, odd] : {std::pair(writer::merging, writer::merging),
                                      std::pair(writer::merging, writer::by_pieces),
                                      std::pair(writer::merging, writer::one_by_one),
                                      std::pair(writer::by_default, writer::one_by_one),
                                      std::pair(writer::requests, writer::by_default)}) {
        CAPTURE(seed(), i, static_cast<int>(m), static_cast<int>(even), static_cast<int>(odd));
        write_at_the_same_time(world, directory + "/data", m,
                               seed() + static_cast<std::uint64_t>(i), even, odd);
      }
}

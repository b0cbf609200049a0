// Filetypes whose copies interleave or overlap, or that begin elsewhere than at their lower bound,
// and the views that argosy_lenient allows in addition. Compared with a map of their bytes, and
// with the MPI library's own file. One page because one map of bytes is the oracle of all cases.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/datatype/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/filetype_map.hpp"
#include "support/seed.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

constexpr std::int64_t area = 1 << 15;  // bytes of each rank

}  // namespace

TEST_CASE("filetypes whose copies interleave or overlap read and write the bytes that they name",
          "[file][view]") {
  CAPTURE(seed());
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  random_source common(seed()), own(seed() * 31 + static_cast<std::uint64_t>(world.rank()));
  int interleaved = 0, refused = 0, overlapping = 0, written_twice = 0;
  for (int round = 0; round < 150; ++round) {
    bool const writes = from_to(common, 0, 1) == 0, lenient = from_to(common, 0, 2) == 0,
               atomic = from_to(common, 0, 5) == 0;
    filetype_map const m = random_map(common, 4, lenient);
    CAPTURE(round, m.text(), writes, lenient, atomic);
    std::string const path = here / "data";
    std::vector<std::uint8_t> model = numbers(static_cast<std::size_t>(area), world.rank());
    {
      auto f = io::file::open(world, path, mode::create | mode::write);
      f.write_at_all(area * world.rank(), model);
      f.close();
    }
    auto f = io::file::open(world, path, writes ? mode::read_write : mode::read,
                            io::hints{.lenient = lenient});
    std::error_code error;
    f.set_view(area * world.rank(), {io::type<std::int32_t>, m.filetype()}, error);
    // MPI forbids overlap within a filetype, but not of its copies.
    bool const refuse = writes && m.names_twice(1);
    overlapping += writes && m.names_twice() && !refuse;
    CHECK(error == (refuse ? errc::datatype : std::error_code()));
    refused += refuse;
    if (refuse) {
      f.close();
      continue;
    }
    interleaved += m.extent < m.offsets.back() + m.lengths.back() - m.offsets.front();
    if (atomic) f.set_atomic(true);
    std::int64_t const most = 60;  // etypes of a call; far less than a rank's area
    for (int call = 0; call < 6; ++call) {
      // Short calls often lie in two copies that have no byte in common there.
      std::int64_t const at = from_to(own, 0, most);
      std::int64_t const left = std::array<std::int64_t, 3>{
          most, m.size() / 4, 2}[static_cast<std::size_t>(from_to(common, 0, 2))];
      // Fractions of etypes are allowed at explicit offsets only.
      std::int64_t const bytes =
          lenient && call % 2 == 0 ? from_to(own, 0, 4 * left) : 4 * from_to(own, 0, left);
      bool const reads = !writes || from_to(common, 0, 1) == 0,
                 together = from_to(common, 0, 1) == 0;
      io::extend::any_policy const by = random_policy(common);
      CAPTURE(call, at, bytes, reads, together);
      auto const place = [&](std::int64_t i) {
        return static_cast<std::size_t>(m.offset_of(4 * at + i));
      };
      if (reads) {
        std::vector<std::uint8_t> got(static_cast<std::size_t>(bytes)), expected(got.size());
        for (std::int64_t i = 0; i < bytes; ++i)
          expected[static_cast<std::size_t>(i)] = model[place(i)];
        auto const r = together ? f.read_at_all(at, got, by) : f.read_at(at, got, by);
        CHECK(r.bytes == bytes);
        CHECK(got == expected);
      } else {
        std::set<std::size_t> places;
        for (std::int64_t i = 0; i < bytes; ++i) places.insert(place(i));
        bool const twice = static_cast<std::int64_t>(places.size()) < bytes;
        int twice_somewhere = twice;
        MPI_Allreduce(MPI_IN_PLACE, &twice_somewhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        bool const fails = twice || (together && twice_somewhere != 0);
        auto const data = numbers(static_cast<std::size_t>(bytes), 100 * round + call);
        auto const r =
            together ? f.write_at_all(at, data, {by, error}) : f.write_at(at, data, {by, error});
        CHECK(error == (twice   ? errc::datatype
                        : fails ? errc::error_on_another_rank
                                : std::error_code()));
        written_twice += twice;
        if (fails) continue;
        for (std::int64_t i = 0; i < bytes; ++i)
          model[place(i)] = data[static_cast<std::size_t>(i)];
        CHECK(r.bytes == bytes);
      }
    }
    f.seek(3);
    std::vector<std::uint8_t> got(8);
    CHECK(f.read(got).bytes == 8);
    CHECK(f.position() == 5);
    for (std::int64_t i = 0; i < 8; ++i)
      CHECK(got[static_cast<std::size_t>(i)] ==
            model[static_cast<std::size_t>(m.offset_of(12 + i))]);
    for (std::int64_t e : {0, 1, 7, 40})
      CHECK(f.byte_offset(e) == area * world.rank() + m.offset_of(4 * e));
    f.close();
    std::string const all = content_of(path);
    auto const mine = all.begin() + area * world.rank();
    CHECK(std::equal(model.begin(), model.end(), mine,
                     [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
    world.barrier();
  }
  CHECK(interleaved > 10);
  CHECK(refused > 3);
  CHECK(overlapping > 10);
  CHECK(written_twice > 10);
}

TEST_CASE(
    "at the end of the file a view whose copies interleave ends at the first byte that is not "
    "there",
    "[file][view]") {
  CAPTURE(seed());
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  random_source random(seed());
  for (int round = 0; round < 60; ++round) {
    filetype_map const m = random_map(random, 4, false);
    if (m.extent == 0) continue;
    std::int64_t const size = from_to(random, 0, 120);
    CAPTURE(round, m.text(), size);
    auto const content = numbers(static_cast<std::size_t>(size), round);
    if (world.rank() == 0) {
      std::ofstream out(here / "data", std::ios::binary);
      out.write(reinterpret_cast<char const*>(content.data()), size);
    }
    world.barrier();
    bool const writes = round % 2 == 0 && !m.names_twice(1);
    auto f = io::file::open(world, here / "data", writes ? mode::read_write : mode::read);
    f.set_view(0, {io::type<std::int32_t>, m.filetype()});
    std::int64_t there = 0, first_behind = 0;
    while (m.offset_of(there) < size) ++there;
    while (m.offset_of(4 * first_behind) < size) ++first_behind;
    std::vector<std::uint8_t> got(400, 0xee);
    CHECK(f.read_at(0, got, random_policy(random)).bytes == std::min<std::int64_t>(there, 400));
    for (std::int64_t i = 0; i < 400; ++i)
      CHECK(got[static_cast<std::size_t>(i)] ==
            (i < there ? content[static_cast<std::size_t>(m.offset_of(i))] : 0xee));
    f.seek(0, io::seek_from::end);
    CHECK(f.position() == first_behind);
    f.close();
    world.barrier();
  }
}

TEST_CASE("the MPI library's file takes the same filetypes for the same bytes",
          "[file][view][mpi]") {
  CAPTURE(seed());
  io::mpi const world(MPI_COMM_WORLD);
  if (world.size() > 1) return;
  shared_scratch const here(world);
  random_source random(seed() + 5);
  for (int round = 0; round < 60; ++round) {
    bool const lenient = round % 2 == 0;
    filetype_map m = random_map(random, 4, lenient);
    if (m.extent == 0 || m.names_twice()) continue;
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
    // This ROMIO moves a view by the filetype's lower bound, and refuses the view if bytes then
    // come before its displacement.
    m.lower = 0;
#endif
    std::int64_t const at = from_to(random, 0, 20);
    auto const data = numbers(static_cast<std::size_t>(4 * from_to(random, 1, 30)), round);
    CAPTURE(round, m.text(), at, data.size());
    std::string const ours = here / "ours", theirs = here / "theirs";
    {
      auto f = io::file::open(world, ours, mode::create | mode::read_write,
                              io::hints{.lenient = lenient});
      f.set_size(0);
      f.set_view(3, {io::type<std::int32_t>, m.filetype()});
      f.write_at(at, data);
      f.close();
    }
    MPI_File f = MPI_FILE_NULL;
    MPI_File_open(MPI_COMM_SELF, theirs.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &f);
    MPI_File_set_size(f, 0);
    // Makes zeros, because ROMIO fills holes behind the end with the content of its buffer.
    MPI_File_set_size(f, 1 << 14);
    auto const filetype = io::to_mpi(m.filetype().form());
    REQUIRE(MPI_File_set_view(f, 3, MPI_INT32_T, filetype.get(), "native", MPI_INFO_NULL) ==
            MPI_SUCCESS);
    REQUIRE(MPI_File_write_at(f, at, data.data(), static_cast<int>(data.size()), MPI_BYTE,
                              MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_File_close(&f);
    // The file of Open MPI 4.1 may be longer, because it reserves space. Bytes are compared as far
    // as argosy's file goes.
    std::string const a = content_of(ours), b = content_of(theirs).substr(0, a.size());
    CHECK(a == b);
  }
}

TEST_CASE("what is not lenient, and what stays refused where it is", "[file][view]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  filetype_map const uneven{{0, 6}, {4, 4}, 0, 11}, fraction{{0, 6}, {3, 3}, 0, 11},
      back{{8, 0}, {4, 4}, 0, 16};
  for (bool const lenient : {false, true}) {
    CAPTURE(lenient);
    auto f = io::file::open(world, here / "data", mode::create | mode::read_write,
                            io::hints{.lenient = lenient});
    std::error_code error;
    f.set_view(0, {io::type<std::int32_t>, uneven.filetype()}, error);
    CHECK(error == (lenient ? std::error_code() : errc::datatype));
    for (filetype_map const& m : {fraction, back}) {
      f.set_view(0, {io::type<std::int32_t>, m.filetype()}, error);
      CHECK(error == errc::datatype);
    }
    f.set_view(0, io::type<std::int32_t>);
    std::vector<std::uint8_t> const six = numbers(6, 1);
    f.write_at(100 * world.rank(), six, error);
    CHECK(error == (lenient ? std::error_code() : errc::datatype));
    f.write(six, error);  // the pointer cannot be between two etypes
    CHECK(error == errc::datatype);
    CHECK(f.position() == 0);
    f.set_view(0, {io::type<std::int32_t>, "external32"});
    f.write_at(0, six, error);
    CHECK(error == errc::datatype);
    f.close();
  }
  // The hint may also be given later, and counts from then on.
  auto f = io::file::open(world, here / "data", mode::read_write);
  std::error_code error;
  f.set_view(0, {io::type<std::int32_t>, uneven.filetype()}, {io::hints{.lenient = true}, error});
  CHECK_FALSE(error);
  f.set_hints({.lenient = false});
  f.set_view(0, {io::type<std::int32_t>, uneven.filetype()}, error);
  CHECK(error == errc::datatype);
  f.close();
}

TEST_CASE("copies of a filetype overlap, and the accesses of a program do not", "[file][view]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::int64_t const mine = 1024 * world.rank();
  auto const bytes = [](std::int64_t n) { return numbers(static_cast<std::size_t>(n), 3); };
  for (bool const lenient : {false, true}) {
    CAPTURE(lenient);
    auto f = io::file::open(world, here / "data", mode::create | mode::read_write,
                            io::hints{.lenient = lenient});
    f.set_size(0);
    f.set_size(1024 * world.size());
    std::error_code error;
    // Copy k has the bytes k and k + 100, or k, k + 100 and k + 150.
    filetype_map const two{{0, 100}, {1, 1}, 0, 1}, three{{0, 100, 150}, {1, 1, 1}, 0, 1};
    for (bool const together : {false, true}) {
      CAPTURE(together);
      auto const check = [&](std::int64_t at, std::int64_t n, bool twice) {
        CAPTURE(at, n);
        std::vector<std::uint8_t> const data = bytes(n);
        if (together)
          f.write_at_all(at, data, error);
        else
          f.write_at(at, data, error);
        CHECK(error == (twice ? std::error_code(errc::datatype) : std::error_code()));
        if (twice) {
          CHECK(f.what_failed().find("of the file would be written twice") != std::string::npos);
          return;
        }
        std::vector<std::uint8_t> back(data.size());
        CHECK(f.read_at(at, back).bytes == n);
        CHECK(back == data);
      };
      f.set_view(mine, {io::type<std::uint8_t>, two.filetype()});
      check(200, 200, false);  // copies 100 to 199
      check(200, 201, true);
      check(201, 199, false);
      check(201, 200, true);
      check(10, 2, false);
      check(0, 600, true);
      CHECK(f.what_failed().find("copies 0 and 100 of the filetype") != std::string::npos);
      CHECK(f.what_failed().find("byte " + std::to_string(mine + 100) + " of the file") !=
            std::string::npos);
      CHECK(f.what_failed().find("at most 100 copies") != std::string::npos);
      f.set_view(mine, {io::type<std::uint8_t>, three.filetype()});
      check(32, 149,
            // the last byte of copy 10 is the second one of copy 60, whose first byte is written
            false);
      check(32, 150, true);
      check(30, 150, false);
      check(30, 151, false);
      check(30, 152, true);
      check(30, 153, true);
    }
    f.set_view(0, {io::type<std::uint8_t>, two.filetype()});
    CHECK(f.byte_offset(7) == 103);
    world.barrier();
    if (world.rank() == 0) std::filesystem::resize_file(here / "data", 400);
    world.barrier();
    f.seek(0, io::seek_from::end);
    CHECK(f.position() == 601);
    std::vector<std::uint8_t> all(1000);
    CHECK(f.read_at(0, all).bytes == 601);
    // All copies of a filetype without extent lie at one place.
    f.set_view(mine, {io::type<std::uint8_t>, io::resized(io::bytes(2), 0, 0)});
    std::vector<std::uint8_t> const three_bytes = bytes(3);
    f.write_at(0, {three_bytes, io::bytes(2)});
    f.write_at(1, {three_bytes, io::bytes(2)},
               error);  // the second byte of one copy, and the first of the next
    CHECK_FALSE(error);
    f.write_at(1, three_bytes, error);
    CHECK(error == errc::datatype);
    f.close();
  }
}

TEST_CASE("a program that goes no further than the first copy may have any extent",
          "[file][view]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  // A view that another library makes: a header that only rank 0 has, and behind it a rank's part
  // of an array, whose markers count.
  filetype_map const m{{0, 512, 544, 576}, {64, 8, 8, 8}, 512, 128};
  auto f = io::file::open(world, here / "data", mode::create | mode::read_write);
  std::int64_t const mine = 1024 * world.rank();
  f.set_view(mine, {io::type<std::uint8_t>, m.filetype()});
  std::vector<std::uint8_t> const data = numbers(static_cast<std::size_t>(m.size()), 3);
  std::vector<std::uint8_t> back(data.size());
  for (io::extend::any_policy const& p :
       {io::extend::any_policy(), io::extend::any_policy(io::two_phase{.buffer_bytes = 256}),
        io::extend::any_policy(io::sieving{})}) {
    CAPTURE(std::string(p.has_value() ? p.name() : "as the hints choose"));
    f.write_at_all(0, data, p);
    f.read_at_all(0, back, p);
    CHECK(back == data);
  }
  CHECK(f.byte_offset(64) == mine + 512);
  f.set_view(0, io::type<std::uint8_t>);
  std::string const bytes = content_of(here / "data");
  for (std::int64_t i = 0; i < m.size(); ++i)
    CHECK(static_cast<std::uint8_t>(bytes.at(static_cast<std::size_t>(mine + m.offset_of(i)))) ==
          data[static_cast<std::size_t>(i)]);
  f.close();
}

TEST_CASE("ranks at their pointers meet ranks at offsets, if that is lenient", "[file]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  for (bool const lenient : {false, true}) {
    CAPTURE(lenient);
    auto f = io::file::open(world, here / "data", mode::create | mode::read_write,
                            io::hints{.lenient = lenient});
    std::vector<std::uint8_t> const data = numbers(100, world.rank());
    std::vector<std::uint8_t> back(100);
    bool const nothing = world.rank() > 0;
    auto const expected = lenient || world.size() == 1 ? std::error_code() : errc::not_same;
    std::error_code error;
    if (nothing)
      f.write_all({}, error);
    else
      f.write_at_all(7, data, error);
    CHECK(error == expected);
    if (nothing)
      f.read_all({}, error);
    else
      f.read_at_all(7, back, error);
    CHECK(error == expected);
    CHECK((nothing || error || back == data));
    io::request r = nothing ? f.iwrite_all({}) : f.iwrite_at_all(7, data);
    r.wait(error);
    CHECK(error == expected);
    CHECK(f.position() == 0);
    // Ranks in reads and in writes are in different collective calls.
    if (nothing)
      f.read_all({}, error);
    else
      f.write_at_all(7, data, error);
    CHECK(error == (world.size() == 1 ? std::error_code() : errc::not_same));
    f.close();
  }
}

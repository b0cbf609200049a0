// The checks of develop mode for what several ranks do together, on virtual ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/error/errc.hpp>
#include <argosy/file/detail/protocol/develop_checks.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "support/catch.hpp"

namespace develops {

namespace io = argosy;
using io::errc;
using io::detail::written_note;
using io::lab::virtual_rank;
using sizes = std::vector<std::int64_t>;

namespace {

// A view of ints: an array of these sizes, or no array.
io::view array(std::int64_t at, sizes const& n) {
  if (n.empty()) return io::view(at, io::contiguous(5, io::type<int>));
  return io::view(at, io::subarray(n, sizes(n.size(), 1), sizes(n.size(), 0), io::type<int>));
}

// Returns what each rank finds in these views: the words of its failure, "another rank fails", or
// "".
std::vector<std::string> compared(std::vector<io::view> const& views) {
  std::vector<std::string> found(views.size());
  io::lab::virtual_cluster({.ranks = static_cast<int>(views.size())})
      .run([&](virtual_rank const& world) {
        auto const mine = static_cast<std::size_t>(world.rank());
        auto const f = io::detail::compare_arrays(world, views[mine], {});
        if (!f) return;
        CHECK((!*f || f->code == errc::not_same));
        found[mine] = *f ? f->detail : "another rank fails";
      });
  return found;
}

std::vector<std::string> const nothing(5);
// The result if this rank names the arrays that differ.
std::vector<std::string> from(std::size_t rank, std::string const& words) {
  std::vector<std::string> all(5, "another rank fails");
  all[rank] = "the global sizes of the array differ: " + words;
  return all;
}

written_note note_of(io::view const& v, std::int64_t position, std::int64_t bytes) {
  io::detail::open_file const file(0, 1);
  io::detail::job t;
  t.kind = io::access_kind::write;
  t.where = std::make_shared<io::detail::used_view const>(v);
  t.position = position;
  t.bytes = bytes;
  std::vector<std::byte> const data(static_cast<std::size_t>(bytes));
  t.memory = std::make_shared<io::const_buffer const>(io::source(data).buffer());
  return io::detail::note_of_write(file, t);
}

}  // namespace

TEST_CASE("arrays of different global sizes are found, and the rarest is named",
          "[file][develop]") {
  io::view const none = array(0, {}), small = array(0, {4, 8}), large = array(0, {4, 9}),
                 flat = array(0, {32}), longer = array(0, {33}), away = array(64, {4, 9});
  CHECK(compared({none, none, none, none, none}) == nothing);
  CHECK(compared({small, small, small, small, small}) == nothing);
  CHECK(compared({small, none, none, none, none}) == nothing);
  CHECK(compared({small, small, flat, flat, flat}) == nothing);   // other dimensions
  CHECK(compared({small, small, away, away, small}) == nothing);  // other arrays of the file
  CHECK(compared({small, small, large, small, small}) ==
        from(2, "4 x 9, 144 bytes on rank 2 (), 4 x 8, 128 bytes on the 4 others"));
  CHECK(compared({large, small, small, large, small}) ==
        from(0, "4 x 9, 144 bytes on ranks 0, 3 (), 4 x 8, 128 bytes on the 3 others"));
  CHECK(compared({flat, longer, flat, flat, flat}) ==
        from(1, "33, 132 bytes on rank 1 (), 32, 128 bytes on the 4 others"));
  CHECK(compared({none, none, none, small, large}) ==
        from(4, "4 x 9, 144 bytes on rank 4 (), 4 x 8, 128 bytes on rank 3"));
}

TEST_CASE("a note of a write that is not compared has no bytes", "[file][develop]") {
  auto const is_empty = [](written_note const& n) {
    return n.low == 0 && n.high == 0 && n.position == 0 && n.bytes == 0 && n.length == 0;
  };
  io::view const plain(16, io::contiguous(4, io::type<int>));
  CHECK(is_empty(note_of(plain, 0, 0)));
  written_note const some = note_of(plain, 4, 8);
  CHECK(some.low == 20);
  CHECK(some.high == 28);
  CHECK(some.position == 4);
  CHECK(some.bytes == 8);
  CHECK(some.length > 0);
  CHECK(common_byte(some, some) == 20);
  CHECK(common_byte(some, note_of(plain, 8, 8)) == 24);
  CHECK_FALSE(common_byte(some, note_of(plain, 12, 4)));
  // The pieces fit into the note, their places do not: nothing is compared.
  sizes places;
  for (std::int64_t i = 0; i < 400; ++i) places.push_back(1000 * i + i * i);
  io::view const long_one(0, io::indexed_block(1, places, io::type<int>));
  written_note const cut = note_of(long_one, 0, 1600);
  CHECK(cut.bytes == 1600);
  CHECK(cut.length == 0);
  CHECK_FALSE(common_byte(cut, cut));
}

TEST_CASE("ranks that write the same byte are named, among at most 256 ranks", "[file][develop]") {
  io::lab::virtual_files const files;
  for (int const ranks : {3, 256, 257}) {
    CAPTURE(ranks);
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = ranks},
                             {.stack_bytes = std::size_t{512} << 10})
        .run([&](virtual_rank const& world) {
          auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::read_write,
                                               io::hints{.develop = true}, files.opener());
          int const rank = world.rank();
          bool const last = rank == ranks - 1;
          std::vector<std::byte> const data(4);
          std::error_code error;
          f.write_at_all(last ? 4 * rank - 5 : 4 * rank, data, error);  // the last one is wrong
          if (ranks > 256) {
            CHECK_FALSE(error);
          } else {
            CHECK(error == (rank >= ranks - 3 ? errc::argument : errc::error_on_another_rank));
            if (last)
              CHECK_THAT(f.what_failed(),
                         Catch::Contains("ranks " + std::to_string(ranks - 3) + " and " +
                                         std::to_string(ranks - 1) + " both write byte " +
                                         std::to_string(4 * rank - 5) + " of the file"));
          }
          f.close();
        });
  }
}

}  // namespace develops

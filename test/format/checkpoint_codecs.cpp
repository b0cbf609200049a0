// Checkpoints with codecs: the same promises as without.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/any_world.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/format/checkpoint.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "format/checkpoint_cases.hpp"
#include "format/checkpoint_codecs.hpp"
#include "format/checkpoint_ranks.hpp"
#include "format/looking.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class Checkpoint>
Checkpoint encoded(Checkpoint c, std::int64_t block_bytes = 512) {
  c.encode(all_codecs().back(), block_bytes);
  return c;
}

io::lab::virtual_files with_encoded() {
  io::lab::virtual_files files;
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
    encoded(state(world.rank(), 2, 1, true).named<rank>()).save(world, "f", {}, files.opener());
  });
  REQUIRE(generation_in(files) == 1);
  return files;
}

void save_second(rank const& world, io::opener const& by, std::error_code& error) {
  encoded(state(world.rank(), world.size(), 2, true).named<rank>()).save(world, "f", error, by);
}

}  // namespace

TEST_CASE("what ranks have encoded, other ranks load in other parts",
          "[format][checkpoint][codecs][random]") {
  std::mt19937_64 random(seed());
  std::vector<codecs> const all = all_codecs();
  for (int round = 0; round < 10; ++round) {
    io::lab::virtual_files const files;
    codecs const& by = all[random() % all.size()];
    std::int64_t const block = std::int64_t{512} << random() % 8;
    dealt deal = dealt::any(random, 1);
    for (std::int64_t& n : deal.sizes) n = n * 5 / 2;
    CAPTURE(seed(), round, io::detail::codec_names(by), block, deal.sizes);
    for (bool const saves : {true, false}) {
      int const ranks = 1 + static_cast<int>(random() % 4);
      deal = deal.again(random, ranks);
      std::uint64_t const how = random() % 30;
      io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 2}, small_stacks)
          .run([&](rank const& world) {
            state now(world.rank(), world.size(), 5, saves, how);
            std::vector<std::int64_t> const numbers = deal.numbers(world.rank());
            std::vector<std::int64_t> u, expected;
            for (std::int64_t const n : numbers) expected.push_back(number_at(n));
            u = saves ? expected : std::vector<std::int64_t>(numbers.size(), -1);
            auto c = now.named<rank>();
            c.add("numbers", deal.tile<std::int64_t>(world.rank()), u);
            if (saves) {
              c.encode(by, block).save(world, "f", io::hints{.codec_threads = 2}, files.opener());
            } else {
              c.load(world, "f", {}, files.opener());
              CHECK(now.is(5));
              CHECK(u == expected);
            }
          });
    }
    CHECK(files.names() == std::vector<std::string>{"f"});
    CHECK(io::find_damage("f", {}, files.opener()).empty());
    auto const h = std::get<io::checkpoint_header>(io::read_header("f", {}, files.opener()));
    CHECK(h.block_bytes == block);
    CHECK_THAT(to_string(h), ContainsSubstring("'<i8' (), " + io::detail::codec_names(by)));
    CHECK(std::ssize(files.content("f")) == h.file_bytes);
  }
}

TEST_CASE("all of an array on one rank is encoded in several rounds",
          "[format][checkpoint][codecs]") {
  io::lab::virtual_files const files;
  std::int64_t const n = (std::int64_t{5} << 20) + 77;  // 40 MiB
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
    std::int64_t const mine = world.rank() == 1 ? n : 0;
    std::vector<std::int64_t> u(static_cast<std::size_t>(mine));
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<std::int64_t>(i);
    checkpoint c;
    c.add("u", io::subarray({n}, {mine}, {0}, io::type<std::int64_t>), u)
        .encode({io::zarr_codec::crc32c()})
        .save(world, "f", {}, files.opener());
  });
  std::vector<std::int64_t> back;
  io::basic_checkpoint<io::self> c;
  c.add_value("u", back).load(io::self(), "f", {}, files.opener());
  REQUIRE(std::ssize(back) == n);
  bool well = true;
  for (std::size_t i = 0; i < back.size(); ++i) well = well && std::cmp_equal(back[i], i);
  CHECK(well);
}

TEST_CASE("a crash while blocks are encoded leaves the old checkpoint or the new one",
          "[format][checkpoint][codecs][crash]") {
  io::lab::virtual_files files = with_encoded();
  std::vector<io::lab::virtual_files> left;
  auto const look = [&] { left.push_back(files.crash(seed() + left.size())); };
  io::lab::virtual_cluster({.ranks = 3, .ranks_per_node = 2}, small_stacks)
      .run([&](rank const& world) {
        std::error_code error;
        save_second(world, looking(files.opener(), look), error);
        CHECK_FALSE(error);
      });
  look();
  std::set<std::int64_t> seen;
  for (auto const& l : left) seen.insert(generation_in(l));
  CHECK(left.size() > 30);
  CHECK(seen == std::set<std::int64_t>{1, 2});
  CHECK(generation_in(left.back()) == 2);
}

TEST_CASE("a failure of any rank at any call of an encoding save is an error of all",
          "[format][checkpoint][codecs][errors]") {
  using io::file_call;
  for (file_call const kind : {file_call::resize, file_call::write, file_call::sync})
    for (int who = 0; who < 3; ++who) {
      bool struck = true;
      for (std::int64_t k = 1; struck; ++k) {
        CAPTURE(static_cast<int>(kind), who, k);
        REQUIRE(k < 60);
        io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
        s.faults.push_back({who, io::fail_at(kind, k, std::errc::io_error)});
        io::lab::virtual_files const files = with_encoded();
        int failed = 0, own = 0;
        io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
          std::error_code error;
          save_second(world, files.opener(), error);
          failed += error ? 1 : 0;
          own += error == io::errc::io ? 1 : 0;
        });
        struck = failed > 0;
        CHECK((failed == 0 || (failed == 3 && own == 1)));
        CHECK(generation_in(files) == (struck ? 1 : 2));
        CHECK(files.names() == std::vector<std::string>{"f"});
      }
    }
}

TEST_CASE("a failure of any rank at any call of a load with codecs is an error of all",
          "[format][checkpoint][codecs][errors]") {
  io::lab::virtual_files const files = with_encoded();
  for (int who = 0; who < 3; ++who) {
    int failed = 3;
    for (std::int64_t k = 1; failed > 0; ++k) {
      CAPTURE(who, k);
      REQUIRE(k < 200);
      io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
      s.faults.push_back({who, io::fail_at(io::file_call::read, k, std::errc::io_error)});
      failed = 0;
      io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
        state back(world.rank(), 3, 0, false);
        std::error_code error;
        back.named<rank>().load(world, "f", error, files.opener());
        failed += error ? 1 : 0;
        CHECK((error || back.is(1)));
      });
      CHECK((failed == 0 || failed == 3));
    }
  }
}

TEST_CASE("when a rank dies while blocks are encoded, the checkpoint is the old or the new one",
          "[format][checkpoint][codecs][deaths]") {
  std::set<std::int64_t> seen;
  for (int who = 0; who < 3; ++who)
    for (std::int64_t k = 1; k < 400; k += 31) {
      CAPTURE(who, k);
      io::lab::scenario s{.ranks = 3, .ranks_per_node = 2};
      s.deaths.push_back({.rank = who, .operation = k});
      io::lab::virtual_files const files = with_encoded();
      io::lab::virtual_cluster(s, small_stacks).run([&](rank const& world) {
        std::error_code error;
        save_second(world, files.opener(), error);
        CHECK((!error || error == io::errc::rank_failed));
      });
      seen.insert(generation_in(files));
    }
  CHECK(seen == std::set<std::int64_t>{1, 2});
}

TEST_CASE("codecs that cannot be used are refused on all ranks",
          "[format][checkpoint][codecs][errors]") {
  io::lab::virtual_files const files = with_encoded();
  using c = io::zarr_codec;
  io::lab::virtual_cluster({.ranks = 2}, small_stacks).run([&](rank const& world) {
    auto const refused = [&](codecs by, std::int64_t block, io::errc e, std::string const& words) {
      double const value = 1;
      checkpoint one;
      std::error_code error;
      one.add_value("value", value)
          .encode(std::move(by), block)
          .save(world, "f", error, files.opener());
      CHECK((error == e || error == io::errc::error_on_another_rank));
      CHECK_THAT(one.what_failed(), ContainsSubstring(words));
    };
    refused({c::transpose({0})}, 512, io::errc::unsupported, "have no codec 'transpose'");
    refused({c::bytes()}, 512, io::errc::unsupported, "have no codec 'bytes'");
    refused({c::zlib()}, 512, io::errc::unsupported, "use gzip, zstd, blosc or crc32c");
    refused({c::gzip(10)}, 512, io::errc::argument, "gzip has the levels 0 to 9");
    refused({c::crc32c()}, 511, io::errc::argument, "encoded blocks have 512 bytes to 64 MiB");
    refused(codecs(9, c::crc32c()), 512, io::errc::argument, "has at most 8 codecs");
    refused({c::crc32c()}, 512 << world.rank(), io::errc::not_same, "in blocks of 1024 bytes");
    if (!c::zstd().is_available())
      refused({c::zstd()}, 512, io::errc::unsupported,
              "this build of the library has no codec 'zstd'");
    std::vector<double> const five(5);
    checkpoint overlap;
    std::error_code error;
    overlap.add("u", io::subarray({10}, {5}, {world.rank() * 4}, io::type<double>), five);
    overlap.encode({c::crc32c()}).save(world, "f", error, files.opener());
    CHECK((error == io::errc::datatype || error == io::errc::error_on_another_rank));
    CHECK_THAT(overlap.what_failed(),
               ContainsSubstring("block 0 of 'u', bytes 0 to 80 of the array, is not written "
                                 "exactly once: parts of ranks overlap"));
  });
  CHECK(generation_in(files) == 1);
  CHECK(files.names() == std::vector<std::string>{"f"});
}

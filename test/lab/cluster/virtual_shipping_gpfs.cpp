// Data shipping on a simulated GPFS: guided prefetching, and file partitioning.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/handle/faulty.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/layout/table.hpp>
#include <argosy/policy/data_shipping.hpp>

#include "lab/cluster/virtual_shipping_cases.hpp"
#include "support/catch.hpp"
#include "support/shipping_cases.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using namespace io::test;

// --- Guided prefetching: on a file system that takes hints ---

namespace {

constexpr std::int64_t block = 16 << 10;

io::lab::gpfs::machine with_hints() {
  io::lab::gpfs::machine m;
  m.block_bytes = block;
  m.pagepool_bytes = 256 * block;
  return m;
}

struct guided_run {
  io::lab::gpfs::client_counters counters;
  double seconds = 0;
  std::int64_t hinted = 0, bytes = 0, moved = 0;  // moved: bytes to and from the file
};

// Four ranks, each on a node of its own, read or write some bytes of every few blocks, at random
// places. Checks the bytes.
guided_run scattered(io::access_kind kind, io::data_shipping const& how, bool together,
                     bool strided = false, io::lab::gpfs::troubles troubles = {}) {
  constexpr int ranks = 4, each = 100;
  constexpr std::int64_t length = 200, blocks = 1200;
  bool const reading = kind == io::access_kind::read, broken = !troubles.faults.empty();
  io::lab::virtual_gpfs files(with_hints(), ranks, std::move(troubles));
  std::vector<std::byte> content(static_cast<std::size_t>(blocks * block));
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i * 7 / 5);
  files.put("f", content);
  guided_run result;
  auto const run =
      io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1, .seed = seed()}, roomy)
          .run([&](io::lab::virtual_rank const& world) {
            std::mt19937 random(17 + static_cast<unsigned>(world.rank()));
            std::vector<std::int64_t> offsets;
            for (std::int64_t i = 0; i < each; ++i)
              offsets.push_back((i * ranks + world.rank()) * 3 * block +
                                (strided ? 0 : static_cast<std::int64_t>(random() % (2 * block))));
            auto f =
                virtual_file::open(world, "f", io::mode::read_write, with_agents(), files.opener());
            f.set_view(0, {io::type<std::byte>,
                           io::resized(io::table(offsets, length), 0, blocks * block)});
            std::vector<std::byte> memory(each * length, std::byte{9});
            std::error_code error;
            io::report const r = reading    ? together ? f.read_at_all(0, memory, {how, error})
                                                       : f.read_at(0, memory, {how, error})
                                    : together ? f.write_at_all(0, memory, {how, error})
                                            : f.write_at(0, memory, {how, error});
            CHECK((broken || !error));
            result.hinted += r.hinted_ranges;
            result.bytes += r.bytes;
            result.moved += r.bytes_read + r.bytes_written;
            for (std::int64_t i = 0; i < r.bytes; ++i) {
              auto const at = static_cast<std::size_t>(
                  offsets[static_cast<std::size_t>(i / length)] + i % length);
              if (!reading)
                content[at] = std::byte{9};
              else if (memory[static_cast<std::size_t>(i)] != content[at])
                FAIL("byte " << i << " of rank " << world.rank() << " is not what the file has");
            }
            world.barrier();
            result.counters = files.counters();  // close forgets hints that were not returned
            world.barrier();
            f.close(error);
          });
  result.seconds = run.seconds;
  if (!broken) CHECK(files.content("f") == content);
  CHECK(result.counters.ranges_released == result.counters.ranges_accepted);
  CHECK(result.counters.ranges_unknown == 0);
  return result;
}

}  // namespace

TEST_CASE("agents tell the file system what comes next, and take back all that it accepted",
          "[shipping][guided]") {
  for (auto const kind : {io::access_kind::read, io::access_kind::write})
    for (bool const together : {false, true})
      for (std::int64_t const most : {1, 2, 8}) {
        CAPTURE(static_cast<int>(kind), together, most);
        guided_run const r = scattered(kind, {.sparse = true, .max_ranges = most}, together);
        CHECK(r.bytes == 4 * 100 * 200);
        CHECK(r.moved == r.bytes);  // sparse: holes are not moved
        CHECK(r.counters.ranges_accepted > 100);
        if (!together) CHECK(r.hinted == r.counters.ranges_accepted);
      }
}

TEST_CASE("without the hint, or where the access is regular, nothing is told",
          "[shipping][guided]") {
  for (bool const together : {false, true}) {
    CHECK(scattered(io::access_kind::read, {.sparse = true, .max_ranges = 0}, together)
              .counters.hint_calls == 0);
    CHECK(scattered(io::access_kind::write, {.sparse = true, .max_ranges = 0}, together)
              .counters.hint_calls == 0);
  }
  // The view is regular, and it reaches the agents stripe by stripe.
  io::lab::virtual_gpfs files(with_hints(), 2);
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto f = virtual_file::open(world, "f", io::mode::create | io::mode::read_write,
                                    with_agents(), files.opener());
        f.set_view(100 * world.rank(), {io::type<std::byte>, io::resized(io::bytes(100), 0, 5000)});
        std::vector<std::byte> const data(100'000, std::byte{1});
        CHECK(f.write_at(0, data).bytes == 100'000);
        f.close();
      });
  CHECK(files.counters().hint_calls == 0);
}

TEST_CASE("random reads of agents gain by the hint", "[shipping][guided]") {
  io::data_shipping const plain{.sparse = true, .max_ranges = 0},
      guided{.sparse = true, .max_ranges = 1};
  guided_run const without = scattered(io::access_kind::read, plain, false);
  guided_run const with = scattered(io::access_kind::read, guided, false);
  // Virtual seconds: 0.65 to 0.82, depending on the order of simultaneous events.
  CHECK(with.seconds < 0.9 * without.seconds);
}

TEST_CASE("where blocks cannot be read or written, what was accepted comes back all the same",
          "[shipping][guided][errors]") {
  for (auto const* const what : {"fault=server:-1,call:read,first:30,error:EIO",
                                 "fault=server:1,call:read,first:5,times:3,error:EIO"})
    for (bool const together : {false, true}) {
      guided_run const r = scattered(io::access_kind::read, {.sparse = true, .max_ranges = 2},
                                     together, false, io::lab::gpfs::parse_troubles(what));
      CHECK(r.bytes < 4 * 100 * 200);
      CHECK(r.counters.ranges_accepted > 0);
    }
}

TEST_CASE("what ranks ship to agents over a file system that takes hints",
          "[shipping][guided][random]") {
  for (int const ranks : {1, 3, 7}) {
    io::lab::gpfs::machine m = with_hints();
    m.block_bytes = 512;
    m.range_quota_blocks = ranks;
    io::lab::virtual_gpfs const files(m, ranks);
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1, .seed = seed()}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          check_shipped_transfers(world, "f", files.opener(), 12);
        });
    CHECK(files.counters().ranges_accepted > 0);
    CHECK(files.counters().ranges_unknown == 0);
  }
}

// --- File partitioning, on a file system that has it ---

namespace {

io::hints partitioned(std::int64_t stripe_bytes = 0) {
  io::hints h = with_agents();
  h.io_buffer_bytes = stripe_bytes;
  return h;
}
constexpr io::mode unique = io::mode::create | io::mode::read_write | io::mode::unique_open;

// Writes small records, those of the ranks in turn.
template <class File>
io::report put_records(File& f, io::lab::virtual_rank const& world, std::byte value,
                       std::error_code& error) {
  std::vector<std::byte> const data(100 * 200, value);
  f.set_view(100 * world.rank(),
             {io::type<std::byte>, io::resized(io::bytes(100), 0, 100 * world.size())});
  return f.write_at(0, data, error);
}

}  // namespace

TEST_CASE("a file opened unique whose calls are shipped is partitioned as its agents are",
          "[shipping][partitioning]") {
  for (int const per_node : {1, 2}) {
    constexpr int ranks = 6;
    io::lab::virtual_gpfs files(with_hints(), ranks / per_node);
    io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = per_node, .seed = seed()}, roomy)
        .run([&](io::lab::virtual_rank const& world) {
          auto f = virtual_file::open(world, "f", unique, partitioned(block), files.opener());
          io::lab::gpfs::client_counters const before = files.counters();
          std::vector<std::byte> some(100);
          std::error_code error;
          for (std::int64_t const stripe : {block, 3 * block, 16 * block}) {
            f.set_hints({.io_buffer_bytes = stripe});  // stops, and starts with another map
            io::report const r =
                put_records(f, world, static_cast<std::byte>(world.rank() + 1), error);
            CHECK_FALSE(error);
            CHECK_THAT(r.reason, ContainsSubstring("; partitioned in the file system"));
            CHECK_THAT(f.explain_at(io::access_kind::read, 0, some).reason,
                       ContainsSubstring("partitioned"));
            world.barrier();
          }
          io::lab::gpfs::client_counters const after = files.counters();
          CHECK(after.token_requests == before.token_requests);
          CHECK(after.revokes_received == before.revokes_received);
          // each node writes only blocks that it owns
          CHECK(after.ships_sent == before.ships_sent);
          world.barrier();
          // A partitioned file keeps its size, so the mode ends for this call.
          f.set_size(100 * 200 * ranks);
          f.preallocate(100 * 200 * ranks);
          CHECK_THAT(put_records(f, world, static_cast<std::byte>(world.rank() + 1), error).reason,
                     ContainsSubstring("; partitioned in the file system"));
          CHECK_FALSE(error);
          world.barrier();
          f.close();
        });
    std::vector<std::byte> hoped;
    for (int i = 0; i < 200; ++i)
      for (int r = 0; r < ranks; ++r) hoped.insert(hoped.end(), 100, static_cast<std::byte>(r + 1));
    CHECK(files.on_disk("f") == hoped);  // close stops the mode, which flushes
  }
}

TEST_CASE("with IBM's defaults calls are shipped and a file opened unique is partitioned",
          "[shipping][partitioning][hints]") {
  io::lab::virtual_gpfs const gpfs(with_hints(), 2);
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        std::error_code error;
        for (bool const ibm : {false, true}) {
          auto f = virtual_file::open(world, "f", unique, ibm ? io::hints::ibm() : io::hints(),
                                      gpfs.opener());
          // Unset, the hint has no value: in IBM's words, false would promise shipping.
          CHECK(f.get_hints().find("IBM_largeblock_io")->value == (ibm ? "false" : ""));
          io::report const r = put_records(f, world, std::byte{1}, error);
          CHECK_FALSE(error);
          CHECK((r.policy == "data_shipping") == ibm);
          CHECK(ContainsSubstring("; partitioned in the file system").match(r.reason) == ibm);
          f.close();
        }
        io::hints one_by_one = io::hints::ibm();
        one_by_one.largeblock_io = io::largeblock::on;
        auto f = virtual_file::open(world, "f", unique, one_by_one, gpfs.opener());
        CHECK(put_records(f, world, std::byte{1}, error).policy != "data_shipping");
      });
}

TEST_CASE("what is not partitioned, and why", "[shipping][partitioning]") {
  io::lab::virtual_gpfs const gpfs(with_hints(), 2);
  io::lab::virtual_files const plain;
  io::lab::virtual_cluster({.ranks = 2, .ranks_per_node = 1, .seed = seed()}, roomy)
      .run([&](io::lab::virtual_rank const& world) {
        auto const reason = [&](io::mode modes, io::hints const& h, io::opener files) {
          auto f = virtual_file::open(world, "f", modes, h, std::move(files));
          std::error_code error;
          std::string const said = put_records(f, world, std::byte{1}, error).reason;
          CHECK_FALSE(error);
          f.close();
          return said;
        };
        constexpr io::mode shared = io::mode::create | io::mode::read_write;
        CHECK_THAT(reason(shared, partitioned(), gpfs.opener()), !ContainsSubstring("partitioned"));
        CHECK_THAT(reason(unique, {}, gpfs.opener()), !ContainsSubstring("partitioned"));
        io::hints off = partitioned(), on = partitioned();
        off.partitioning = io::tristate::disable;
        on.partitioning = io::tristate::enable;
        CHECK_THAT(reason(unique, off, gpfs.opener()), !ContainsSubstring("partitioned"));
        CHECK_THAT(reason(shared, on, gpfs.opener()),
                   ContainsSubstring("; partitioned in the file system"));
        CHECK_THAT(reason(unique, partitioned(), plain.opener()),
                   ContainsSubstring("; not partitioned: the file system takes no directives"));
        on.io_buffer_bytes = std::int64_t{4} << 30;
        CHECK_THAT(reason(unique, on, gpfs.opener()),
                   ContainsSubstring("not partitioned: stripes of 2 GiB or more"));
        // Another open may write the file.
        auto other = virtual_file::open(world, "f", shared, {}, gpfs.opener());
        CHECK_THAT(reason(unique, partitioned(), gpfs.opener()), ContainsSubstring("EPERM"));
        other.close();
      });
}

TEST_CASE("a directive that fails on one rank leaves no rank waiting, and the file as it is",
          "[shipping][partitioning][errors]") {
  constexpr int ranks = 3;
  for (int who = 0; who < ranks; ++who)
    for (std::int64_t k = 1; k <= 6;
         ++k) {  // start; stop, start with another map; the same for a size; stop at close
      CAPTURE(who, k);
      io::lab::virtual_gpfs files(with_hints(), ranks);
      int told = 0;
      io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1, .seed = seed()}, roomy)
          .run([&](io::lab::virtual_rank const& world) {
            auto const script = std::make_shared<io::fault_script>();
            if (world.rank() == who)
              script->add(io::fail_at(io::file_call::fcntl, k,
                                      std::error_code(ENOMEM, std::system_category())));
            auto f = virtual_file::open(world, "f", unique, partitioned(block),
                                        io::with_faults(files.opener(), script));
            std::error_code error;
            io::report const r = put_records(f, world, std::byte{1}, error);
            CHECK_FALSE(error);
            if (k == 1)
              CHECK_THAT(r.reason,
                         ContainsSubstring("; not partitioned: ") && ContainsSubstring("ENOMEM"));
            f.set_hints({.io_buffer_bytes = 2 * block}, error);
            told += error ? 1 : 0;
            put_records(f, world, std::byte{2}, error);
            INFO(f.what_failed());
            CHECK_FALSE(error);
            std::vector<std::byte> nothing;
            f.set_size(100 * 200 * ranks, error);
            told += error ? 1 : 0;
            if (error) f.set_size(100 * 200 * ranks);  // the mode was still on, and ends now
            CHECK_THAT(
                f.explain_all(io::access_kind::write, nothing, io::data_shipping{}).reason,
                ContainsSubstring(k == 3 || k == 5 ? "; not partitioned: " : "; partitioned"));
            f.close(error);
            told += error ? 1 : 0;
          });
      // A stop that fails is reported on all ranks.
      CHECK(told == (k % 2 == 0 ? ranks : 0));
      bool const same =
          files.content("f") == std::vector<std::byte>(100 * 200 * ranks, std::byte{2});
      CHECK(same);
    }
}

TEST_CASE("a rank that dies while the file is partitioned", "[shipping][partitioning][death]") {
  int died = 0, told = 0;
  for (std::int64_t k = 1; k < 120; ++k) {
    CAPTURE(k);
    io::lab::virtual_gpfs const files(with_hints(), 3);
    io::lab::scenario s{.ranks = 3, .ranks_per_node = 1, .seed = seed()};
    s.deaths.push_back({1, k});
    auto const r = io::lab::virtual_cluster(s, roomy).run([&](io::lab::virtual_rank const& world) {
      std::error_code error;
      auto f = virtual_file::open(world, "f", unique, {partitioned(block), error}, files.opener());
      bool lost = error == io::errc::rank_failed;
      CHECK((!error || lost));
      if (error) {
        ++told;
        return;
      }
      std::vector<std::byte> const data(1000, std::byte{1});
      f.write_at(1000 * world.rank(), data, error);
      f.set_hints({.io_buffer_bytes = 2 * block}, error);
      lost = lost || error == io::errc::rank_failed;
      f.write_at(1000 * world.rank(), data, error);
      f.close(error);
      lost = lost || error == io::errc::rank_failed;
      told += lost ? 1 : 0;
    });
    // If the rank dies after its part was done, no other rank needs to notice.
    died += r.dead.empty() ? 0 : 1;
  }
  CHECK(died > 20);
  CHECK(told >= 2 * (died - 1));  // both others, unless the dead rank had done its part
}

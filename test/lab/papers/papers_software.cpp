// The software of published rows. ROMIO's plans must move exactly the data of each task, and cut
// the file as ROMIO did.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>

#include <argosy/file/basic_file.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/plan/collective_plan.hpp>

#include <papers/software.hpp>

#include "support/catch.hpp"
#include "support/deal.hpp"
#include "support/seed.hpp"
#include "support/two_phase_cases.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("ROMIO's domains are of equal length, wherever blocks end", "[papers][software]") {
  io::extend::access_summary all;
  all.ranks = 7;
  all.low = 1000;
  all.high = 1000 + 7 * 30'000;
  all.bytes = all.span();
  all.spans = 5 * all.span();
  all.granule = 8;
  papers::romio_1 const romio;
  io::collective_plan const p =
      romio.plan(io::access_kind::write, all, {.size = 7, .block_bytes = 1 << 20});
  REQUIRE(p.together);
  CHECK_FALSE(p.overlap);
  REQUIRE(p.domains.size() == 7);
  std::int64_t at = all.low;
  for (io::extend::file_domain const& d : p.domains) {
    CHECK(d.begin == at);
    CHECK(d.end - d.begin == 30'000);
    at = d.end;
  }
  CHECK(at == all.high);

  all.spans = all.span();  // each task has a stretch of its own
  CHECK_FALSE(romio.plan(io::access_kind::write, all, {.size = 7}).together);
  CHECK_FALSE(romio.plan(io::access_kind::write, {}, {.size = 7}).together);
}

TEST_CASE("what tasks write and read by ROMIO's plans is what each of them has",
          "[papers][software][random]") {
  for (int const tasks : {1, 3, 8}) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = tasks, .ranks_per_node = 2, .seed = seed()},
                             {.stack_bytes = std::size_t{1} << 20})
        .run([&](io::lab::virtual_rank const& world) {
          engine random(seed());
          auto f = io::lab::virtual_file::open(world, "f", io::mode::create | io::mode::read_write,
                                               {}, files.opener());
          int together = 0;
          for (int round = 0; round < 30; ++round) {
            INFO("seed " << seed() << ", round " << round << ", " << tasks << " tasks");
            deal const d(random, tasks, pick(random, 0, 3) == 0, pick(random, 0, 9) == 0);
            io::extend::any_policy const policy =
                papers::romio_1{.buffer_bytes = pick(random, 1, 50'000)};
            bytes const& mine = d.data[static_cast<std::size_t>(world.rank())];
            fill(f, world, d.before);
            d.set_view(f, world.rank());
            io::report const r = f.write_at_all(0, mine, policy);
            CHECK(r.bytes == static_cast<std::int64_t>(mine.size()));
            together += r.rounds > 0 ? 1 : 0;
            CHECK(content_of(f) == d.after);
            d.set_view(f, world.rank());
            bytes back(mine.size(), left_alone);
            f.read_at_all(0, back, policy);
            CHECK(back == mine);
          }
          CHECK((together > 15) == (tasks > 1));
          f.close();
        });
  }
}

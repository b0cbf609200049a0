// Random programs that found a mistake. Each is kept as it was, and must pass now. One page because
// it is a list, with one case for each mistake.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <string>

#include <argosy/lab/cluster/scenario.hpp>
#include <argosy/policy/sieving.hpp>

#include "lab/explore/features.hpp"
#include "lab/explore/program.hpp"
#include "lab/explore/run.hpp"
#include "support/catch.hpp"

using argosy::mode;
using namespace argosy::explore;

TEST_CASE("found: an aggregator dies, and a report counts what only came to its window",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=2 die=1:30");
  p.steps = {
      {.what = op::open},
      {.what = op::write_all,
       .count = 161,
       .policy = {.kind = policy_kind::two_phase, .buffer_bytes = 64, .align_bytes = 8}},
  };
  for (std::int64_t k = 1; k < 60; ++k) {
    p.world.deaths[0].operation = k;
    CAPTURE(k);
    CHECK(verdict_of(p).wrong == "");
  }
}

TEST_CASE(
    "found: the hidden file of the shared pointer loses bytes, and a view begins where another did",
    "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=10 ranks_per_node=1");
  p.gpfs = {.troubles = argosy::lab::gpfs::parse_troubles(
                "fault=server:-1,call:write,first:2,times:1,error:ENOSPC")};
  p.gpfs->machine.block_bytes = 1024;
  p.gpfs->machine.servers = 3;
  p.gpfs->machine.pagepool_bytes = 65536;
  p.gpfs->machine.lease_s = 1;
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create | mode::sequential},
      {.what = op::begin_write_ordered,
       .count = 205,
       .policy = {.kind = policy_kind::data_shipping}},
      {.what = op::set_view},
      {.what = op::set_view},
      {.what = op::begin_write_ordered, .count = 1},
  };
  CHECK(verdict_of(p).wrong == "");
}

// Here the mistake was the oracle's own.
TEST_CASE("found: a node alone knows how long the file is, and dies", "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=15 ranks_per_node=1 die=14:28");
  p.gpfs.emplace();
  p.gpfs->machine.block_bytes = 512;
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 32768;
  p.gpfs->machine.write_behind_max_blocks = 1;
  p.gpfs->machine.lease_s = 1;
  step const nothing{.what = op::iwrite_at_all};
  p.steps = {
      {.what = op::open},
      {.what = op::set_view},
      {.what = op::set_view,
       .view = {.shape = shape::ghosts, .seed = 1569u, .item = argosy::extend::basic_type::int32}},
      nothing,
      {.what = op::set_hints},
      {.what = op::write_at, .offset = 22, .count = 23, .policy = {.kind = policy_kind::sieving}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a partitioning ends with a loss, and the next sync says so again",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=25 ranks_per_node=1");
  p.gpfs = {.troubles = argosy::lab::gpfs::parse_troubles(
                "fault=server:-1,call:write,first:4,times:1,error:EREMOTEIO")};
  p.gpfs->machine.block_bytes = 256;
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 16384;
  p.gpfs->machine.lease_s = 1;
  p.steps = {
      {.what = op::open,
       .modes = mode::read_write | mode::create | mode::unique_open,
       .hints = {{"IBM_largeblock_io", "false"}}},
      {.what = op::begin_write_ordered, .count = 21},
      {.what = op::set_size},
      {.what = op::sync},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: calls of two handles cross in one page, and who wrote last is not known",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=4 ranks_per_node=2");
  p.gpfs = {.troubles = argosy::lab::gpfs::parse_troubles(
                "fault=server:-1,call:write,first:6,times:1,error:EREMOTEIO")};
  p.gpfs->machine.block_bytes = 16384;
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 1048576;
  p.gpfs->machine.write_behind_max_blocks = 1;
  p.gpfs->machine.lease_s = 1;
  p.gpfs->machine.disk_us = 2323;
  p.steps = {
      {.what = op::open,
       .modes = mode::read_write | mode::create | mode::exclusive | mode::unique_open,
       .hints = {{"IBM_largeblock_io", "false"}}},
      {.what = op::write_all, .count = 1, .on = false},
      {.what = op::sync},
      {.what = op::iwrite_at, .count = 1},
      {.what = op::set_view,
       .view = {.shape = shape::ghosts,
                .seed = 846u,
                .item = argosy::extend::basic_type::int128,
                .representation = representation_choice::external32}},
      {.what = op::iwrite_at,
       .offset = 388,
       .count = 236,
       .policy = {.kind = policy_kind::data_shipping,
                  .buffer_bytes = 4096,
                  .window_bytes = 10000,
                  .merge = 2},
       .mix = 571870093u,
       .other = {.kind = policy_kind::independent}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: one rank cannot end a partitioning, and the others wait in vain",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=2 ranks_per_node=1 fault=rank:1,call:fcntl,first:4,error:EMFILE");
  p.gpfs.emplace();
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.pagepool_bytes = 16777216;
  p.steps = {
      {.what = op::open, .hints = {{"argosy_partitioning", "enable"}}},
      {.what = op::set_view, .hints = {{"IBM_io_buffer_size", "512"}}},
      {.what = op::close},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a report counts what lies behind a window that failed", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=6 ranks_per_node=6 fault=rank:4,call:lock,first:3,error:EMFILE");
  p.steps = {
      {.what = op::open},
      {.what = op::write_at_all,
       .count = 26,
       .policy = {.kind = policy_kind::two_phase,
                  .buffer_bytes = 10000,
                  .window_bytes = 16,
                  .align_bytes = 64}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: where open cannot give back the lock that it tries, it succeeds",
          "[explore][found]") {
  program p;
  p.world =
      argosy::lab::parse_scenario("ranks=7 ranks_per_node=1 fault=rank:6,call:unlock,error:ENOLCK");
  p.steps = {
      {.what = op::open},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: an unlock fails, and all others wait for the lock", "[explore][found]") {
  program p;
  p.world =
      argosy::lab::parse_scenario("ranks=5 ranks_per_node=1 fault=rank:4,call:unlock,error:EDQUOT");
  p.steps = {
      {.what = op::open},
      {.what = op::set_view, .view = {.shape = shape::woven}},
      {.what = op::write_at, .count = 27},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: who alone knows what failed dies before it is told", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=6 ranks_per_node=2 fault=rank:5,call:lock,error:EFBIG die=5:7");
  p.before = {13979, -1};
  p.steps = {
      {.what = op::open, .modes = mode::read_write | mode::unique_open},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: who writes nothing at the shared pointer cannot make its file, and need not",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=3 ranks_per_node=1 fault=rank:2,call:open,first:2,error:EPERM");
  p.steps = {
      {.what = op::open},
      {.what = op::write_shared},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: in develop mode a wrong argument of one rank makes the others' policies differ",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1");
  p.steps = {
      {.what = op::open, .hints = {{"argosy_develop", "true"}}},
      {.what = op::read_at_all,
       .count = 1,
       .policy = {.kind = policy_kind::automatic},
       .mistake = slip::null_address},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE(
    "found: in develop mode one rank cannot have the view, and the others are told of arguments",
    "[explore][found]") {
  program p;
  for (char const* const fault :
       {"rank:0,call:lock,error:ENOENT", "rank:0,call:read,times:forever,error:EAGAIN",
        "rank:1,call:lock,error:ENOENT"}) {
    p.world = argosy::lab::parse_scenario(std::string("ranks=3 ranks_per_node=1 fault=") + fault);
    p.steps = {
        {.what = op::open,
         .modes = mode::write | mode::create | mode::append | mode::sequential,
         .hints = {{"argosy_develop", "true"}}},
        {.what = op::set_view, .view = {.item = argosy::extend::basic_type::int32}},
    };
    CAPTURE(fault);
    CHECK(verdict_of(p).wrong == "");
  }
}

TEST_CASE(
    "found: a rank moves the shared pointer late, and the views of a sequential file begin at "
    "several places",
    "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=3 ranks_per_node=1 pause=1:100:300000");
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create | mode::sequential},
      {.what = op::write_shared, .count = 100, .loose = true},
      {.what = op::set_view},
      {.what = op::write_ordered, .count = 1},
      {.what = op::close},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE(
    "found: whoever seeks from an end that nobody tells is told so, although the place would be "
    "none",
    "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=1 fault=rank:-1,call:size,error:ENOSPC");
  p.steps = {{.what = op::open},
             {.what = op::seek, .offset = -1, .whence = argosy::seek_from::end}};
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a split call has wrong arguments, and is told of a death", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1 die=1:26");
  policy_choice const how{.kind = policy_kind::data_shipping};
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create},
      {.what = op::write_at_all, .count = 1, .policy = how},
      {.what = op::sync, .on = false},
      {.what = op::begin_read_at_all, .later = true, .loose = true, .on = false},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: an agent that has left because a rank died", "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=22 ranks_per_node=1 die=21:25");
  view_choice const ints{.shape = shape::plain, .item = argosy::extend::basic_type::int32};
  policy_choice const sieving{.kind = policy_kind::sieving};
  policy_choice const shipping{.kind = policy_kind::data_shipping,
                               .buffer_bytes = 32,
                               .window_bytes = 10000,
                               .align_bytes = 4096,
                               .merge = 2};
  p.steps = {
      {.what = op::open, .view = ints, .hints = {{"IBM_largeblock_io", "switchable"}}},
      {.what = op::set_view,
       .view = {.shape = shape::dealt, .seed = 3u, .item = argosy::extend::basic_type::int32}},
      {.what = op::seek, .view = ints, .whence = argosy::seek_from::end},
      {.what = op::read_at,
       .count = 1,
       .policy = sieving,
       .view = ints,
       .on = false,
       .other = sieving},
      {.what = op::test, .view = ints},
      {.what = op::iread_at,
       .count = 82,
       .policy = shipping,
       .view = ints,
       .loose = true,
       .other = shipping},
      {.what = op::write_at_all, .view = ints},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a handle throws, and the report counts what its window had to bring",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=5 ranks_per_node=5 seed=1031957496");
  policy_choice const how{.kind = policy_kind::two_phase,
                          .buffer_bytes = 4096,
                          .window_bytes = 16,
                          .align_bytes = 64,
                          .merge = 2};
  p.steps = {
      {.what = op::open},
      {.what = op::iwrite_at_all,
       .count = 9,
       .salt = 584950464u,
       .policy = how,
       .trouble = trouble::handle_throws,
       .culprit = 2},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: parts of the file are given back with lost writes while a view is set",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=1");
  p.gpfs = {.machine = {},
            .troubles = argosy::lab::gpfs::parse_troubles(
                "fault=server:-1,call:write,times:1,error:ENOSPC")};
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 16777216;
  view_choice const ints{.shape = shape::plain, .item = argosy::extend::basic_type::int32};
  p.steps = {
      {.what = op::open, .view = ints},
      {.what = op::set_view, .view = ints, .hints = {{"argosy_partitioning", "enable"}}},
      {.what = op::iwrite_at, .count = 1, .view = ints},
      {.what = op::set_view, .hints = {{"cb_config_list", "node0:1"}}},
      {.what = op::ask, .view = ints, .on = false},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: ranks that cannot make the file of the shared pointer ask where it stands",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=2 ranks_per_node=1 fault=rank:-1,call:open,first:2,error:EPERM");
  view_choice const ints{.shape = shape::plain, .item = argosy::extend::basic_type::int32};
  p.before = {0, 17730};
  p.steps = {{.what = op::open}, {.what = op::ask, .view = ints}};
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: ranks seek to different places, all but one before the start",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 ranks_per_node=2");
  view_choice const ints{.shape = shape::plain, .item = argosy::extend::basic_type::int32};
  p.steps = {
      {.what = op::open, .view = ints},
      {.what = op::seek_shared,
       .offset = -1,
       .view = ints,
       .on = false,
       .mistake = slip::other_size},
      {.what = op::seek_shared,
       .offset = -2,
       .view = ints,
       .on = false,
       .mistake = slip::other_size},
      {.what = op::seek_shared,
       .offset = 1,
       .view = ints,
       .on = false,
       .mistake = slip::other_size},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: whoever merges is told that a lock against other opens could not be given back",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=6 ranks_per_node=1 fault=rank:-1,call:unlock,error:ENOLCK");
  p.steps = {
      {.what = op::open,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .hints = {{"IBM_largeblock_io", "switchable"}}},
      {.what = op::set_view,
       .view = {.shape = shape::dealt, .item = argosy::extend::basic_type::int32}},
      {.what = op::read,
       .count = 5,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .mix = 418947032u,
       .both_ways = true},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a call fails as servers do, and a server refuses what it wrote before",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=8 ranks_per_node=1 fault=rank:-1,call:write,first:27,error:ENOSPC");
  p.gpfs = {.troubles = argosy::lab::gpfs::parse_troubles(
                "fault=server:-1,call:write,times:1,error:ENOSPC "
                "fault=server:-1,call:write,first:39,times:1,error:EREMOTEIO")};
  p.gpfs->machine.block_bytes = 256;
  p.gpfs->machine.servers = 2;
  p.gpfs->machine.disks_per_server = 2;
  p.gpfs->machine.pagepool_bytes = 16384;
  p.gpfs->machine.write_behind_max_blocks = 3;
  p.gpfs->machine.open_us = 2829;
  p.gpfs->machine.create_us = 2829;
  p.gpfs->machine.close_us = 2829;
  p.gpfs->machine.tenure_us = 2829;
  p.gpfs->machine.lease_s = 1;
  p.gpfs->machine.server_cache_bytes = 3072;
  p.gpfs->machine.disk_streams = 1;
  p.gpfs->machine.retry_ms = 10;
  p.steps = {
      {.what = op::open,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32}},
      {.what = op::set_view,
       .view = {.shape = shape::dealt,
                .seed = 3945u,
                .displacement = 3784,
                .item = argosy::extend::basic_type::unsigned_long}},
      {.what = op::write_all,
       .offset = 390,
       .count = 91,
       .policy = {.kind = policy_kind::two_phase,
                  .buffer_bytes = 32,
                  .window_bytes = 100,
                  .align_bytes = 4096},
       .other = {.kind = policy_kind::two_phase,
                 .buffer_bytes = 32,
                 .window_bytes = 100,
                 .align_bytes = 4096}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a program ends by a death while work beside it waits for the file system",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=12 ranks_per_node=1 die=6:17");
  p.gpfs.emplace();
  p.gpfs->machine.servers = 1;
  p.gpfs->machine.disks_per_server = 1;
  p.gpfs->machine.pagepool_bytes = 16777216;
  p.steps = {
      {.what = op::open,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32}},
      {.what = op::set_view,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32}},
      {.what = op::iwrite_at_all,
       .count = 1,
       .policy = {.kind = policy_kind::sieving},
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .later = true,
       .loose = true,
       .other = {.kind = policy_kind::sieving}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: of two writes of a handle that are under way one is told of a loss",
          "[explore][found][gpfs]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=12 ranks_per_node=3 seed=474480825 network.piece_ns=16939 network.node_processors=1");
  p.gpfs = {.troubles = argosy::lab::gpfs::parse_troubles(
                "delay_ns=1492753 fault=server:-1,call:write,times:1,error:EREMOTEIO")};
  p.gpfs->machine.block_bytes = 256;
  p.gpfs->machine.servers = 2;
  p.gpfs->machine.disks_per_server = 2;
  p.gpfs->machine.write_call_us = 86;
  p.gpfs->machine.ip_mb_per_s = 914;
  p.gpfs->machine.pagepool_bytes = 16384;
  p.gpfs->machine.shared_adapters = 1;
  p.gpfs->machine.stride_tokens = 1;
  p.gpfs->machine.lease_s = 1;
  p.gpfs->machine.server_read_mb_per_s = 65;
  p.gpfs->machine.disk_streams = 1;
  p.gpfs->machine.retry_ms = 13;
  p.steps = {
      {.what = op::open,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .modes = mode::read_write | mode::create | mode::unique_open,
       .hints = {{"IBM_largeblock_io", "false"}}},
      {.what = op::write_at_all,
       .count = 5,
       .memory = 1u,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32}},
      {.what = op::set_view,
       .view = {.shape = shape::dealt,
                .displacement = 50,
                .item = argosy::extend::basic_type::int32,
                .representation = representation_choice::external32}},
      {.what = op::write,
       .count = 43,
       .policy = {.kind = policy_kind::data_shipping,
                  .buffer_bytes = 100,
                  .window_bytes = 16,
                  .aggregators = 2,
                  .align_bytes = 8},
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .other = {.kind = policy_kind::data_shipping,
                 .buffer_bytes = 100,
                 .window_bytes = 16,
                 .aggregators = 2,
                 .align_bytes = 8}},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: rank 0 is not told why it could not close a file that close removes",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=2 fault=rank:-1,call:close,error:ENOLCK");
  p.steps = {
      {.what = op::open, .modes = mode::write | mode::create | mode::delete_on_close},
      {.what = op::close},
  };
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a file that open has made cannot be asked for its size before it is removed",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario(
      "ranks=4 fault=rank:3,call:lock,error:ENOSPC fault=rank:-1,call:size,error:EDQUOT");
  p.steps = {{.what = op::open}};
  CHECK(verdict_of(p).wrong == "");
}

TEST_CASE("found: a fault of the data in a list of views is told after those of the file",
          "[explore][found]") {
  program p;
  p.world = argosy::lab::parse_scenario("ranks=1 ranks_per_node=1");
  p.steps = {
      {.what = op::open,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .modes = mode::write | mode::create},
      {.what = op::read_views_all,
       .count = 1,
       .views = 1,
       .view = {.shape = shape::plain, .item = argosy::extend::basic_type::int32},
       .mistake = slip::null_address},
  };
  CHECK(verdict_of(p).wrong == "");
}

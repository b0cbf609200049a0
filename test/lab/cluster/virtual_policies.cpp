// Policies of a program that break the rules. The error must name the mistake on the rank that made
// it, no data may be wrong, and no rank may wait for ever.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/lab/gpfs/virtual_gpfs.hpp>
#include <argosy/policy/automatic.hpp>

#include "lab/cluster/elsewhere.hpp"
#include "support/catch.hpp"
#include "support/slipping_policies.hpp"

namespace io = argosy;
using io::lab::virtual_rank;
using io::test::slipping;
using io::test::slipping_plans;

namespace {

using file = io::basic_file<virtual_rank>;
constexpr int each = 800;  // ints of a rank, every fourth of the file

void in_four_ranks(std::function<void(virtual_rank const&, file&)> const& f) {
  for (int const per_node : {2, 4}) {
    io::lab::virtual_files const files;
    io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = per_node},
                             {.stack_bytes = std::size_t{1} << 20})
        .run([&](virtual_rank const& world) {
          file mine =
              file::open(world, "f", io::mode::create | io::mode::read_write, {}, files.opener());
          mine.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 16)});
          f(world, mine);
          mine.close();
        });
  }
}

std::vector<int> numbers(int rank, int salt) {
  std::vector<int> all(each);
  for (int i = 0; i < each; ++i) all[static_cast<std::size_t>(i)] = 10000 * salt + 1000 * rank + i;
  return all;
}

struct outcome {
  std::error_code code;
  std::string words;
  bool thrown = false;  // the policy's exception
};
template <class F>
outcome of(F&& call) {
  try {
    call();
    return {};
  } catch (io::error const& e) {
    return {e.code(), e.what()};
  } catch (std::runtime_error const& e) {
    return {io::make_error_code(io::errc::user_code), e.what(), true};
  }
}

struct place {
  char const* name;
  bool together;
  std::function<void(file&, std::span<int>, io::extend::any_policy const&)> call;
  bool reads = false, only_plans = false;
};
std::vector<place> const& places() {
  static std::vector<place> const all{
      {"write_at", false, [](file& f, auto u, auto const& p) { f.write_at(0, u, p); }},
      {"iwrite_at", false, [](file& f, auto u, auto const& p) { f.iwrite_at(0, u, p).wait(); }},
      {"write_at_all", true, [](file& f, auto u, auto const& p) { f.write_at_all(0, u, p); }},
      {"iwrite_at_all", true,
       [](file& f, auto u, auto const& p) { f.iwrite_at_all(0, u, p).wait(); }},
      {"read_at", false, [](file& f, auto u, auto const& p) { f.read_at(0, u, p); }, true},
      {"read_at_all", true, [](file& f, auto u, auto const& p) { f.read_at_all(0, u, p); }, true},
      {"iread_at_all", true, [](file& f, auto u, auto const& p) { f.iread_at_all(0, u, p).wait(); },
       true},
      {"explain", false,
       [](file& f, auto u, auto const& p) { f.explain(io::access_kind::write, u, p); }, false,
       true},
      {"explain_all", true,
       [](file& f, auto u, auto const& p) { f.explain_all(io::access_kind::write, u, p); }, false,
       true},
  };
  return all;
}

// Every int must be new or old, and ints of other ranks must be untouched.
void check_data(virtual_rank const& world, file& f, place const& p, std::span<int const> data,
                int before) {
  std::vector<int> const now = numbers(world.rank(), before),
                         next = numbers(world.rank(), before + 1);
  world.barrier();
  std::vector<int> there(each);
  f.read_at(0, there);
  for (std::size_t i = 0; i < each; ++i) {
    REQUIRE((there[i] == now[i] || (!p.reads && !p.only_plans && there[i] == next[i])));
    if (p.reads) REQUIRE((data[i] == now[i] || data[i] == -1));
  }
  world.barrier();
}

}  // namespace

TEST_CASE("each slip of a policy is named, wherever it is used, and no byte is wrong",
          "[policy][virtual][errors]") {
  for (auto const& [slip, words] : io::test::window_slips())
    for (int const who : {-1, 1})
      in_four_ranks([&](virtual_rank const& world, file& f) {
        for (place const& p : places()) {
          if (std::string(p.name) == "explain_all") continue;  // calls no policy of one rank
          INFO(words << " " << p.name << " " << who << " " << world.rank());
          std::vector<int> const old = numbers(world.rank(), 1);
          f.write_at(0, old);
          std::vector<int> data = numbers(world.rank(), 2);
          if (p.reads) data.assign(each, -1);
          bool const slips = who < 0 || who == world.rank();
          world.barrier();
          outcome const o = of([&] { p.call(f, data, slipping{slips ? slip : slipping::none}); });
          if (slips) {
            CHECK(o.code == io::errc::argument);
            CHECK(o.words.find("policy 'slipping': ") != std::string::npos);
            CHECK(o.words.find(words) != std::string::npos);
          } else {
            CHECK(o.code == (p.together ? io::make_error_code(io::errc::error_on_another_rank)
                                        : std::error_code()));
          }
          check_data(world, f, p, data, 1);
        }
        // The file must still be usable.
        std::vector<int> const last = numbers(world.rank(), 3);
        std::vector<int> back(each);
        f.write_at_all(0, last, slipping{});
        f.read_at_all(0, back);
        CHECK(back == last);
      });
}

TEST_CASE("a policy that throws on one rank does so there, and the others are told",
          "[policy][virtual][errors]") {
  in_four_ranks([&](virtual_rank const& world, file& f) {
    for (place const& p : places()) {
      if (std::string(p.name) == "explain_all") continue;
      INFO(p.name << " " << world.rank());
      std::vector<int> data = numbers(world.rank(), 2);
      bool const slips = world.rank() == 2;
      outcome const o =
          of([&] { p.call(f, data, slipping{slips ? slipping::throws : slipping::none}); });
      CHECK(o.thrown == slips);
      if (!slips && p.together) CHECK(o.code == io::errc::error_on_another_rank);
    }
  });
}

TEST_CASE("each slip of a plan for all ranks is named, and no rank waits for it",
          "[policy][virtual][errors]") {
  for (auto const& [slip, words] : io::test::plan_slips())
    for (int const who : {-1, 1})
      in_four_ranks([&](virtual_rank const& world, file& f) {
        for (place const& p : places()) {
          if (!p.together) continue;
          INFO(words << " " << p.name << " " << who << " " << world.rank());
          std::vector<int> const old = numbers(world.rank(), 1);
          f.write_at(0, old);
          std::vector<int> data = numbers(world.rank(), 2);
          if (p.reads) data.assign(each, -1);
          bool const slips = who < 0 || who == world.rank();
          world.barrier();
          outcome const o =
              of([&] { p.call(f, data, slipping_plans{slips ? slip : slipping_plans::none}); });
          CHECK(o.code == (slips ? io::errc::argument : io::errc::error_on_another_rank));
          CHECK(o.words.find("policy 'slipping plans': ") != std::string::npos);
          CHECK(o.words.find(words) != std::string::npos);
          check_data(world, f, p, data, 1);
        }
        std::vector<int> const last = numbers(world.rank(), 3);
        std::vector<int> back(each);
        f.write_at_all(0, last, slipping_plans{});
        f.read_at_all(0, back, slipping_plans{});
        CHECK(back == last);
      });
}

TEST_CASE("a plan that is not the same on all ranks, or throws on one, is told to all",
          "[policy][virtual][errors]") {
  using what = slipping_plans::what;
  for (what const slip : {what::differs, what::throws, what::throws_in_key})
    in_four_ranks([&](virtual_rank const& world, file& f) {
      for (place const& p : places()) {
        if (!p.together) continue;
        INFO(p.name << " " << slip << " " << world.rank());
        std::vector<int> data = numbers(world.rank(), 2);
        bool const slips = slip == what::differs || world.rank() == 3;
        outcome const o =
            of([&] { p.call(f, data, slipping_plans{slips ? slip : what::none, world.rank()}); });
        if (slip == what::differs) {
          CHECK(o.code == io::errc::not_same);
          CHECK(o.words.find("'plan'") != std::string::npos);
        } else {
          CHECK(o.thrown == slips);
          if (!slips) CHECK(o.code == io::errc::error_on_another_rank);
        }
      }
      std::vector<int> const last = numbers(world.rank(), 3);
      CHECK(f.write_at_all(0, last).bytes == 4 * each);
    });
}

TEST_CASE("the plan by the histogram is looked at, too", "[policy][virtual][errors]") {
  in_four_ranks([&](virtual_rank const& world, file& f) {
    // the view has a 16th of the file
    f.set_view(16 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 256)});
    std::vector<int> data = numbers(world.rank(), 2);
    slipping_plans const p{slipping_plans::overlap, 0, true};
    CHECK(of([&] { f.write_at_all(0, data, p); }).code == io::errc::argument);
    CHECK(of([&] { f.write_at_all(0, data, slipping_plans{}); }).code == std::error_code());
  });
}

TEST_CASE("nobody's policy is asked where nobody asks for anything", "[policy][virtual]") {
  in_four_ranks([&](virtual_rank const&, file& f) {
    std::vector<int> const none;
    CHECK(f.write_at_all(0, none, slipping_plans{slipping_plans::throws}).bytes == 0);
    CHECK(f.write_at(0, none, slipping{slipping::no_buffer}).bytes == 0);
  });
}

TEST_CASE("plans say what their prices are of, and all ranks have the same ones",
          "[automatic][prices][virtual]") {
  io::lab::virtual_files const disk;
  io::lab::virtual_gpfs const gpfs({.block_bytes = 65536}, 2);
  auto const reason = [](io::opener const& files,
                         std::function<io::extend::storage(int)> const& on = {},
                         io::extend::any_policy const& policy = {}) {
    std::string words;
    io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 2},
                             {.stack_bytes = std::size_t{1} << 20})
        .run([&](virtual_rank const& world) {
          auto const mine = [&](io::extend::any_handle h) {
            return io::extend::any_handle(io::test::elsewhere(std::move(h), on(world.rank())));
          };
          file f = file::open(world, "f", io::mode::create | io::mode::read_write, {},
                              on ? files.wrapping(mine) : files);
          f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 16)});
          std::vector<int> const data = numbers(world.rank(), 1);
          std::string const said = f.write_at_all(0, data, policy).reason;
          CHECK(f.explain_all(io::access_kind::write, data, policy).reason == said);
          if (world.rank() == 0) words = said;
          f.close();
        });
    return words.substr(words.find(", by the prices of ") + 19);
  };
  CHECK(reason(disk.opener()) == "the virtual disk");
  CHECK(reason(gpfs.opener()) == "the simulated GPFS");
  CHECK(reason(disk.opener(), [](int) { return io::extend::storage::gpfs(); }) == "GPFS");
  CHECK(reason(disk.opener(), [](int r) {
          return r < 2 ? io::extend::storage::network() : io::extend::storage();
        }) == "several file systems");
  CHECK(reason(disk.opener(), [](int r) {
          return io::extend::storage{.name = r == 3 ? "" : "local files"};
        }) == "local files");
  // A policy that the program gives has its own prices.
  CHECK(reason(disk.opener(), {}, io::automatic{}) ==
        "local files (of the policy that the program gave; what ranks take alone by those of the "
        "virtual disk)");
  CHECK(reason(disk.opener(), {}, io::automatic{.storage = "not the virtual disk"}) ==
        "not the virtual disk (of the policy that the program gave; what ranks take alone by those "
        "of the virtual "
        "disk)");
  CHECK(reason(
            disk.opener(), [](int) { return io::extend::storage(); }, io::automatic{}) ==
        "local files");
  CHECK(reason(gpfs.opener(), {}, io::automatic{.storage = "the simulated GPFS"}) ==
        "the simulated GPFS");
}

TEST_CASE(
    "on the virtual disk many ranks with small pieces in turn go together, as its servers have "
    "their requests in "
    "common",
    "[automatic][prices][virtual]") {
  for (auto const& [ranks, per_node] : {std::pair(64, 16), std::pair(256, 16)}) {
    io::lab::virtual_files const files;
    auto const seconds = [&](io::extend::any_policy const& policy, std::string& reason) {
      return io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = per_node},
                                      {.stack_bytes = std::size_t{1} << 20})
          .run([&](virtual_rank const& world) {
            file f =
                file::open(world, "f", io::mode::create | io::mode::read_write, {}, files.opener());
            f.set_view(512 * world.rank(),
                       io::resized(io::type<std::byte[512]>, 0, 512 * world.size()));
            std::vector<std::byte> const data(16384);
            std::string const said = f.write_all(data, policy).reason;
            if (world.rank() == 0) reason = said;
            f.close();
          })
          .seconds;
    };
    std::string chosen, other;
    double const automatic = seconds({}, chosen), together = seconds(io::two_phase{}, other),
                 alone = seconds(io::sieving{}, other);
    CAPTURE(ranks, chosen, automatic, together, alone);
    CHECK(chosen.find("together takes about ") != std::string::npos);
    CHECK(together < alone);
    CHECK(automatic < 1.05 * together);  // choosing takes one more reduction
  }
}

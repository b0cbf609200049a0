// The reductions that the ranks make for each collective call, in their order.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/file/detail/call/operation.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/lab/cluster/file.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>
#include <argosy/policy/any_policy.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/catch.hpp"
#include "support/slipping_policies.hpp"

namespace io = argosy;
using io::access_kind;
using io::detail::moment;
using io::detail::operation;
using io::detail::operation_row;
using io::detail::operation_table;
using io::detail::pointer_kind;
using io::detail::ranks_of_call;
using file = io::lab::virtual_file;

namespace {

constexpr std::int64_t bytes = 64;

std::vector<io::viewed_target> own_view(std::int64_t at, std::vector<std::byte>& data) {
  std::vector<io::viewed_target> one(1);
  one[0].through = io::view(at, io::bytes(1));
  one[0].data = data;
  return one;
}

// Makes one call, and waits until it is complete.
void make(file& f, operation what, int rank, io::extend::any_policy const& with) {
  std::vector<std::byte> data(bytes);
  std::int64_t const at = rank * bytes;
  switch (what) {
    case operation::read_at_all:
      f.read_at_all(at, data, with);
      break;
    case operation::write_at_all:
      f.write_at_all(at, data, with);
      break;
    case operation::read_all:
      f.read_all(data, with);
      break;
    case operation::write_all:
      f.write_all(data, with);
      break;
    case operation::read_ordered:
      f.read_ordered(data, with);
      break;
    case operation::write_ordered:
      f.write_ordered(data, with);
      break;
    case operation::read_views_all:
      f.read_views_all(own_view(at, data), with);
      break;
    case operation::write_views_all:
      f.write_views_all(own_view(at, data), with);
      break;
    case operation::explain_read_views_all:
      f.explain_views_all(access_kind::read, own_view(at, data), with);
      break;
    case operation::explain_write_views_all:
      f.explain_views_all(access_kind::write, own_view(at, data), with);
      break;
    case operation::iread_at_all:
      f.iread_at_all(at, data, with).wait();
      break;
    case operation::iwrite_at_all:
      f.iwrite_at_all(at, data, with).wait();
      break;
    case operation::iread_all:
      f.iread_all(data, with).wait();
      break;
    case operation::iwrite_all:
      f.iwrite_all(data, with).wait();
      break;
    case operation::begin_read_at_all:
      f.begin_read_at_all(at, data, with), f.end();
      break;
    case operation::begin_write_at_all:
      f.begin_write_at_all(at, data, with), f.end();
      break;
    case operation::begin_read_all:
      f.begin_read_all(data, with), f.end();
      break;
    case operation::begin_write_all:
      f.begin_write_all(data, with), f.end();
      break;
    case operation::begin_read_ordered:
      f.begin_read_ordered(data, with), f.end();
      break;
    case operation::begin_write_ordered:
      f.begin_write_ordered(data, with), f.end();
      break;
    case operation::explain_read_at_all:
      f.explain_at_all(access_kind::read, at, data, with);
      break;
    case operation::explain_write_at_all:
      f.explain_at_all(access_kind::write, at, data, with);
      break;
    case operation::explain_read_all:
      f.explain_all(access_kind::read, data, with);
      break;
    case operation::explain_write_all:
      f.explain_all(access_kind::write, data, with);
      break;
    default:
      FAIL("the call is no collective one of the table");
  }
}

// Carries out `call` on four ranks of four nodes.
void collective(std::function<void(file&, int rank)> const& call, io::hints const& hints = {},
                std::function<io::opener(io::opener)> const& opening = std::identity()) {
  io::lab::virtual_files const files;
  io::lab::virtual_cluster({.ranks = 4, .ranks_per_node = 1})
      .run([&](io::lab::virtual_rank const& world) {
        file f = file::open(world, "f", io::mode::create | io::mode::read_write, hints,
                            opening(files.opener()));
        call(f, world.rank());
        f.close();
      });
}

// A file that cannot be read while `broken`.
class unreadable : public io::extend::forwarding<unreadable, io::extend::any_handle> {
 public:
  unreadable(io::extend::any_handle inner, bool const& broken)
      : forwarding(std::move(inner)), broken_(&broken) {}
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    if (*broken_ && call.kind == io::file_call::read)
      return {0, std::make_error_code(std::errc::io_error)};
    return act();
  }

 private:
  bool const* broken_;
};

// Returns the collective operations of rank 0 while it makes a call between two barriers.
std::vector<std::string> steps_of(int per_node, std::function<void(file&, int rank)> const& call,
                                  io::hints const& hints = {}) {
  io::lab::virtual_files const files;
  io::lab::scenario const s{.ranks = 4, .ranks_per_node = per_node, .seed = 1};
  auto const r =
      io::lab::virtual_cluster(s, {.timeline = true}).run([&](io::lab::virtual_rank const& world) {
        file f =
            file::open(world, "f", io::mode::create | io::mode::read_write, hints, files.opener());
        call(f, world.rank());  // makes what the first call of a file needs
        f.seek(0);
        f.seek_shared(0);
        world.barrier();
        call(f, world.rank());
        world.barrier();
        f.close();
      });
  std::vector<std::string> all;
  int barriers = 0;
  for (io::lab::virtual_span const& one : r.timeline) {
    if (one.rank != 0 || std::string_view(one.kind) != "collective") continue;
    if (one.name == "barrier")
      ++barriers;
    else if (barriers == 1)
      all.emplace_back(one.name);
  }
  CHECK(barriers == 2);
  return all;
}

using names = std::vector<std::string>;

// Returns the reductions that collective_steps.hpp promises.
names expected(operation_row const& r, bool near, bool together) {
  names all{"all_reduce"};  // begin
  if (r.when == moment::never) return all;
  if (r.pointer == pointer_kind::shared) {
    if (!near) all.push_back("all_reduce");  // whether any rank has used the pointer's file
    all.insert(all.end(), {"broadcast", "exclusive_sum"});
    if (together) all.push_back("all_reduce");  // the places and sizes of all ranks' parts
  }
  if (together && !near) all.push_back("deliver");  // the pieces that ranks exchange
  all.push_back("all_reduce");                      // end
  return all;
}

}  // namespace

TEST_CASE("each collective call makes the reductions of its steps, and no others", "[file]") {
  for (operation_row const& r : operation_table) {
    if (r.ranks != ranks_of_call::all) continue;
    for (bool const near : {false, true})
      for (bool const together : {false, true}) {
        CAPTURE(r.name, r.kind, near, together);
        io::extend::any_policy const with =
            together ? io::extend::any_policy(io::two_phase{}) : io::independent{};
        CHECK(steps_of(near ? 4 : 1, [&](file& f, int rank) { make(f, r.of, rank, with); }) ==
              expected(r, near, together));
      }
  }
}

TEST_CASE("a call that is small for all ranks makes no more than its begin and its end", "[file]") {
  for (operation const what : {operation::read_at_all, operation::write_all})
    for (int const per_node : {1, 4}) {
      CAPTURE(per_node);
      CHECK(steps_of(per_node, [&](file& f, int rank) { make(f, what, rank, {}); }) ==
            names{"all_reduce", "all_reduce"});
    }
}

TEST_CASE("uneven accesses are counted by one more reduction, where that can change the plan",
          "[file]") {
  constexpr std::int64_t part = 1 << 16;
  // Each rank writes one part, at multiples of `stride`.
  auto const reductions = [](std::int64_t stride, io::extend::any_policy const& with) {
    names const all = steps_of(4, [&](file& f, int rank) {
      std::vector<std::byte> const data(part);
      std::error_code error;
      f.write_at_all(rank * stride, data, {with, error});
    });
    return std::count(all.begin(), all.end(), "all_reduce");
  };
  auto const by = [](std::int64_t n) {
    return io::two_phase{.window_bytes = part, .aggregators = n, .layers = 1};
  };
  CHECK(reductions(2 * part, by(4)) == 3);
  CHECK(reductions(2 * part, by(2)) == 3);
  CHECK(reductions(2 * part, by(1)) == 2);
  CHECK(reductions(part, by(4)) == 2);
  CHECK(reductions(10 * part, io::data_shipping{}) == 2);
  CHECK(reductions(10 * part, io::independent{}) == 2);
  // A policy of the program is not asked again after a wrong plan.
  using io::test::slipping_plans;
  CHECK(reductions(2 * part, slipping_plans{.slip = slipping_plans::no_rank}) == 3);
}

TEST_CASE("the plan of uneven accesses gives each aggregator as much", "[file]") {
  constexpr std::int64_t part = 1 << 16;
  collective([](file& f, int rank) {
    std::vector<std::byte> const data(part);
    auto const plan = f.explain_at_all(access_kind::write, (rank == 3 ? 30 : rank) * part, data,
                                       io::two_phase{.window_bytes = part, .aggregators = 2});
    REQUIRE(plan.domains.size() == 2);
    CHECK(plan.domains[1].begin <= 3 * part);
  });
}

TEST_CASE("writes that overlap are refused by develop mode before any is made", "[file]") {
  collective(
      [](file& f, int) {
        std::vector<std::byte> const data(bytes);
        for (io::extend::any_policy const& by :
             {io::extend::any_policy(), io::extend::any_policy(io::test::slipping_plans())}) {
          std::error_code error;
          f.write_at_all(0, data, {by, error});
          CHECK(error);
          CHECK(f.size() == 0);
        }
      },
      {.develop = true});
}

TEST_CASE("if the last rank cannot read the shared pointer, no rank moves data", "[file]") {
  bool broken = false;  // the hidden file, which the last rank reads
  auto const opening = [&](io::opener const& inner) {
    return io::opener(
        [&broken, inner](std::string const& path, io::extend::open_flags how,
                         std::error_code& error) {
          auto h = inner(path, how, error);
          return path == "f" ? std::move(h)
                             : io::extend::any_handle(unreadable(std::move(h), broken));
        },
        [inner](std::string const& path) { return inner.remove(path); });
  };
  auto const write = [&](file& f, int rank) {
    std::vector<std::byte> const data(bytes), more(2 * bytes);
    std::error_code error;
    if (rank == 0) f.write_shared(data);  // uses the hidden file
    f.sync();
    broken = true;
    f.write_ordered(more, {io::two_phase(), error});
    CHECK(error == (rank == 3 ? io::errc::io : io::errc::error_on_another_rank));
    CHECK(f.size() == bytes);
    broken = false;
    f.sync();
    f.write_ordered(more);
    f.sync();
    CHECK(f.size() == 9 * bytes);
  };
  collective(write, {}, opening);
}

TEST_CASE("a call that is wrong on one rank ends where it begins", "[file]") {
  for (int const per_node : {1, 4})
    for (bool const small : {false, true}) {
      CAPTURE(per_node, small);
      auto const wrong = [&](file& f, int rank) {
        std::vector<std::byte> const data(bytes);
        std::error_code error;
        io::extend::any_policy const with = small ? io::extend::any_policy() : io::two_phase{};
        f.write_at_all(rank == 2 ? -1 : 0, data, {with, error});
        CHECK(error == (rank == 2 ? io::errc::argument : io::errc::error_on_another_rank));
      };
      CHECK(steps_of(per_node, wrong) == names{"all_reduce", "all_reduce", "broadcast"});
    }
}

TEST_CASE("develop mode compares the writes of a call after its begin", "[file]") {
  auto const write = [](file& f, int rank) { make(f, operation::write_at_all, rank, {}); };
  auto const explain = [](file& f, int rank) {
    make(f, operation::explain_write_at_all, rank, {});
  };
  names const plan = steps_of(1, explain, {.develop = true});
  names const call = steps_of(1, write, {.develop = true});
  CHECK(plan == names{"all_reduce"});
  CHECK(call.size() > 2);
}

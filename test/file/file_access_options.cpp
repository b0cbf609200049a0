// The argument of type access_options, the error text, and reports, for files of one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/self.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

int line_of(io::on_error e = {}) { return static_cast<int>(e.where().line()); }
int line_of_hinted(io::detail::hinted h = {}) { return static_cast<int>(h.where().line()); }
auto ints_by_name() { return io::contiguous(2, io::type<int>); }

}  // namespace

TEST_CASE("a call knows the line on which it stands", "[file][self]") {
  std::error_code error;
  io::hints const h;
  CHECK(line_of() == __LINE__);
  CHECK(line_of(error) == __LINE__);
  CHECK(line_of_hinted() == __LINE__);
  CHECK(line_of_hinted(error) == __LINE__);
  CHECK(line_of_hinted(h) == __LINE__);
  CHECK(line_of_hinted({h, error}) == __LINE__);
}

TEST_CASE("a shape of a view is made of values, functions and names, inside of the call",
          "[file][view][self]") {
  scratch const dir;
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  auto const ints = io::type<int>;
  auto const pair = [] { return io::contiguous(2, io::type<int>); };
  io::view const wanted(4, ints, pair());
  f.set_view(4, {ints, ints_by_name});
  CHECK(f.view() == wanted);
  f.set_view(4, {&ints_by_name, pair});
  CHECK(f.view() == io::view(4, pair(), pair()));
  f.set_view(4, {ints, pair, "native"}, io::hints{.ind_wr_buffer_bytes = 100});
  CHECK(f.view() == wanted);
  CHECK(f.get_hints().values().ind_wr_buffer_bytes == 100);
  std::error_code error;
  f.set_view(4, {ints, pair, std::string("external32")}, {{.ind_wr_buffer_bytes = 200}, error});
  CHECK(!error);
  CHECK(f.view().representation().name() == "external32");
  CHECK(f.get_hints().values().ind_wr_buffer_bytes == 200);
  f.set_view(4, {ints, ints, "no such representation"}, error);
  CHECK(error == io::errc::representation);
  CHECK(f.view().representation().name() == "external32");
}

TEST_CASE("what failed is empty after a success, also of requests and split calls",
          "[file][error][self]") {
  scratch const dir;
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  std::vector<int> const data(10, 7);
  std::error_code error;
  CHECK(f.what_failed().empty());
  f.write_at(-1, data, error);
  CHECK(f.what_failed().find("the offset is -1") != std::string::npos);
  f.write_at(0, data, error);
  CHECK(f.what_failed().empty());
  f.seek(-1, io::seek_from::start, error);
  CHECK_FALSE(f.what_failed().empty());
  f.size(error);
  CHECK(f.what_failed().empty());
  f.write_at_all(-1, data, error);
  CHECK_FALSE(f.what_failed().empty());
  f.sync(error);
  CHECK(f.what_failed().empty());

  io::request r = f.iwrite_at(-1, data);
  CHECK(r.what_failed().empty());
  r.wait(error);
  CHECK(error == io::errc::argument);
  CHECK(r.what_failed().find("iwrite_at of '") != std::string::npos);
  r.wait(error);  // the request has ended already
  CHECK(r.what_failed().empty());
  r = f.iwrite_at(0, data);
  r.wait(error);
  CHECK(r.what_failed().empty());

  f.begin_write_at_all(-1, data);
  f.end(error);
  CHECK(error == io::errc::argument);
  CHECK(f.what_failed().find("begin_write_at_all of '") != std::string::npos);
  CHECK(code_of([&] {
          f.begin_write_at_all(-1, data);
          f.end();
        }) == io::errc::argument);
  CHECK_FALSE(f.what_failed().empty());
  f.begin_write_at_all(0, data);
  f.end();
  CHECK(f.what_failed().empty());

  f.close();
  f.size(error);
  CHECK(f.what_failed().find("open it first") != std::string::npos);
}

TEST_CASE("an exception carries the report of what was done before", "[file][error][self]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->fill_disk_at(60'000);
  std::vector<char> const data(100'000, 'x');
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write, {},
                      io::with_faults(io::posix_opener(), script));
  auto const done_of = [](auto&& call) -> std::int64_t {
    try {
      call();
    } catch (io::error const& e) {
      CHECK(e.code() == io::errc::no_space);
      return e.report() ? e.report()->bytes : -1;
    }
    return -2;
  };
  CHECK(done_of([&] { f.write_at(0, data); }) == 60'000);
  CHECK(done_of([&] { f.iwrite_at(0, data).wait(); }) == 60'000);
  CHECK(done_of([&] { f.write_at_all(0, data, io::independent{}); }) == 60'000);
  CHECK(done_of([&] { f.preallocate(100'000); }) == -1);  // no read or write
  try {
    f.write_at(-1, data);
  } catch (io::error const& e) {
    REQUIRE(e.report());
    CHECK(e.report()->bytes == 0);
  }
}

TEST_CASE("large local calls, requests and collective ones are timed, small local ones are not",
          "[file][report][self]") {
  scratch const dir;
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  std::vector<char> const large(io::report::least_timed_bytes, 'x'), small(large.size() - 1, 'x');
  auto const check = [](io::report const& r, bool timed) {
    CHECK((r.time_ns > 0) == timed);
    CHECK((r.file_ns > 0) == timed);
    CHECK(r.exchange_ns() >= 0);
    return r;
  };
  check(f.write_at(0, small), false);
  check(f.write_at(0, large), true);
  check(f.iwrite_at(0, small).wait(), true);  // requests always have a report
  check(f.iwrite_at(0, large).wait(), true);
  check(f.write_at_all(0, small), false);  // the only rank makes no agreement
  check(f.write_at_all(0, large), true);
  check(f.write_at_all(0, small, io::two_phase{}), true);
  check(f.iwrite_at_all(0, small).wait(), true);
  f.set_atomic(true);
  CHECK(check(f.write_at(0, large), true).lock_ns > 0);
  CHECK(check(f.write_at(0, small), false).lock_ns == 0);
}

TEST_CASE("a plan says whose policy it is not, and what a rank by itself does",
          "[file][plan][self]") {
  scratch const dir;
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  f.set_view(0, {io::type<int>, io::resized(io::type<int>, 0, 8)});
  std::vector<int> data(100);
  io::plan const local = f.explain(io::access_kind::write, data, io::two_phase{});
  CHECK(local.policy == "sieving");
  CHECK(local.reason.find("two_phase is a policy of all ranks together") != std::string::npos);
  CHECK(f.explain(io::access_kind::write, data).reason.find("together") == std::string::npos);
  CHECK(f.explain(io::access_kind::write, data, io::sieving{}).reason.find("together") ==
        std::string::npos);

  io::collective_plan const all = f.explain_all(io::access_kind::write, data, io::independent{});
  REQUIRE(all.alone);
  CHECK(*all.alone == f.explain(io::access_kind::write, data, io::independent{}));
  CHECK(
      to_string(all).find("this rank: independent write: 400 bytes in 1 window, 100 file calls") !=
      std::string::npos);
  CHECK_FALSE(f.explain_all(io::access_kind::write, data, io::two_phase{}).alone);
  std::vector<int> const nothing;
  CHECK(f.explain_all(io::access_kind::write, nothing, io::sieving{}).alone->windows.empty());
  CHECK(f.explain(io::access_kind::write, nothing, io::sieving{}).reason == "nothing to do");
}

TEST_CASE("the plan of a collective call expects a time by the prices of the storage",
          "[file][plan][self]") {
  scratch const dir;
  auto const slow =
      std::make_shared<io::throttle>(io::throttle_rates{.latency = std::chrono::milliseconds(5)});
  auto const expected = [&](io::opener opener, std::size_t count, io::extend::any_policy by) {
    file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write, {}, opener);
    f.set_view(0, {io::type<int>, io::resized(io::type<int>, 0, 8)});
    std::vector<int> const data(count);
    return f.explain_all(io::access_kind::write, data, std::move(by)).expected_ns;
  };
  for (io::extend::any_policy const& by :
       {io::extend::any_policy(), io::extend::any_policy(io::two_phase{})}) {
    double const few = expected(io::posix_opener(), 10, by);
    CHECK(few > 0);
    CHECK(few < 1e6);
    CHECK(expected(io::posix_opener(), 1'000'000, by) > 10 * few);
    double const slowly = expected(io::with_throttle(io::posix_opener(), slow), 10, by);
    CHECK(slowly > 5e6);
    CHECK(slowly < 100e6);
    CHECK(expected(io::posix_opener(), 0, by) == 0);
  }
}

TEST_CASE("data is an array, chosen members of all elements, or nothing", "[file][self]") {
  struct item {
    double x;
    int id;
  };
  scratch const here;
  file f = file::open(io::self(), here / "data", io::mode::create | io::mode::read_write);
  double out[2][3] = {{1, 2, 3}, {4, 5, 6}}, in[2][3] = {};
  f.write_at(0, out);
  CHECK(f.read_at(0, in).bytes == 48);
  CHECK(std::equal(&out[0][0], &out[0][0] + 6, &in[0][0]));

  std::vector<item> items{{1, 10}, {2, 20}, {3, 30}}, back(3);
  using ids = io::members<&item::id>;
  CHECK(f.write_at_all(0, {items, ids{}}).bytes == 12);
  CHECK(f.read_at_all(0, {back, ids{}}).bytes == 12);
  CHECK(back[2].id == 30);
  CHECK(back[2].x == 0);
  // the count may have any type
  CHECK(f.read_at(0, {back.data(), ids{}, back.size()}).bytes == 12);
  std::error_code error;
  f.read_at(0, {back.data(), ids{}, ~std::size_t{0}}, error);
  CHECK(error == io::errc::argument);
  CHECK(f.what_failed().find("2^63") != std::string::npos);

  CHECK(f.write_at_all(0, {}).bytes == 0);
  CHECK(f.read_at_all(0, {}).bytes == 0);
  CHECK(f.size() == 48);
}

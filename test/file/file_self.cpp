// Files of one rank, without MPI: every call does what it says.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/representations.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/self.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "support/file_cases.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("a file that was never opened does not know its rank, and names none", "[file][errors][self]") {
  io::basic_file<io::self> f;
  std::error_code error;
  f.sync(error);
  CHECK(error == io::errc::file);
  CHECK(f.what_failed() ==
        "argosy: sync failed: the file handle is no longer valid; the file is not open. What to do: open it first.");
  f.close(error);
  CHECK(f.what_failed().find(" rank ") == std::string::npos);
  try {
    f.write_at(0, {});
    FAIL("nothing was thrown");
  } catch (io::error const& e) {
    CHECK(e.failed_rank() == -1);
  }
}

TEST_CASE("files are opened as their modes say, or not at all", "[file][open][self]") { check_open_modes(io::self()); }
TEST_CASE("append starts at the end of the file", "[file][open][self]") { check_append(io::self()); }
TEST_CASE("delete_on_close deletes on close", "[file][open][self]") { check_delete_on_close(io::self()); }
TEST_CASE("sequential files know shared pointers only", "[file][open][self]") { check_sequential(io::self()); }
TEST_CASE("files move, also with a request under way", "[file][open][self]") { check_moves(io::self()); }
TEST_CASE("pointers count etypes of the view", "[file][pointer][self]") { check_pointers(io::self()); }
TEST_CASE("size, space, sync, atomic mode and extents of types", "[file][size][self]") { check_sizes(io::self()); }
TEST_CASE("views are given as values, by functions and by name", "[file][view][self]") { check_views(io::self()); }
TEST_CASE("external32 is big-endian, and long has four bytes", "[file][view][self]") { check_external32(io::self()); }
TEST_CASE("reads end at the end of the file, holes are zeros, nothing does nothing", "[file][read][self]") {
  check_ends_and_holes(io::self());
}
TEST_CASE("a view that names bytes twice may be read", "[file][read][self]") { check_overlapping_reads(io::self()); }
TEST_CASE("ordered calls come in the order of ranks", "[file][shared][self]") { check_ordered(io::self()); }
TEST_CASE("the shared pointer moves while other ranks compute, and every open has its own", "[file][shared][self]") {
  check_shared_pointer(io::self());
}
TEST_CASE("two files are open at once", "[file][open][self]") { check_two_files(io::self()); }
TEST_CASE("offsets reach beyond 8 GiB", "[file][size][self]") { check_far_offsets(io::self()); }
TEST_CASE("requests end by test, wait, wait_all, destructor or close", "[file][request][self]") {
  check_requests(io::self());
}
TEST_CASE("hints are kept, plans say what calls then do", "[file][hints][self]") { check_hints_and_plans(io::self()); }

// --- Both forms of every call -------------------------------------------------------------------------------------------

namespace {

using file = io::basic_file<io::self>;
using quiet = std::function<void(file&, std::error_code&)>;
using loud = std::function<void(file&)>;

std::array<int, 4> const numbers{1, 2, 3, 4};
std::array<int, 4> taken{};

std::map<std::string, quiet> const quiet_calls{
    {"set_view", [](file& f, auto& e) { f.set_view(0, io::type<int>, e); }},
    {"set_view, name", [](file& f, auto& e) { f.set_view(0, {io::type<int>, std::string("native")}, e); }},
    {"set_view, etype", [](file& f, auto& e) { f.set_view(0, {io::type<int>, io::type<int>}, e); }},
    {"set_view, etype, name", [](file& f, auto& e) { f.set_view(0, {io::type<int>, io::type<int>, io::internal}, e); }},
    {"set_view, view", [](file& f, auto& e) { f.set_view(io::view(0, io::type<int>), e); }},
    {"size", [](file& f, auto& e) { f.size(e); }},
    {"set_size", [](file& f, auto& e) { f.set_size(64, e); }},
    {"preallocate", [](file& f, auto& e) { f.preallocate(64, e); }},
    {"sync", [](file& f, auto& e) { f.sync(e); }},
    {"set_atomic", [](file& f, auto& e) { f.set_atomic(false, e); }},
    {"set_hints", [](file& f, auto& e) { f.set_hints({.cb_nodes = 1}, e); }},
    {"read_at", [](file& f, auto& e) { f.read_at(0, taken, e); }},
    {"read_at, policy", [](file& f, auto& e) { f.read_at(0, taken, {io::independent{}, e}); }},
    {"write_at", [](file& f, auto& e) { f.write_at(0, numbers, e); }},
    {"write_at, policy", [](file& f, auto& e) { f.write_at(0, numbers, {io::independent{}, e}); }},
    {"read", [](file& f, auto& e) { f.read(taken, e); }},
    {"read, policy", [](file& f, auto& e) { f.read(taken, {io::independent{}, e}); }},
    {"write", [](file& f, auto& e) { f.write(numbers, e); }},
    {"write, policy", [](file& f, auto& e) { f.write(numbers, {io::independent{}, e}); }},
    {"read_shared", [](file& f, auto& e) { f.read_shared(taken, e); }},
    {"read_shared, policy", [](file& f, auto& e) { f.read_shared(taken, {io::independent{}, e}); }},
    {"write_shared", [](file& f, auto& e) { f.write_shared(numbers, e); }},
    {"write_shared, policy", [](file& f, auto& e) { f.write_shared(numbers, {io::independent{}, e}); }},
    {"iread_at", [](file& f, auto& e) { f.iread_at(0, taken).wait(e); }},
    {"iwrite_at", [](file& f, auto& e) { f.iwrite_at(0, numbers).wait(e); }},
    {"iread", [](file& f, auto& e) { f.iread(taken).wait(e); }},
    {"iwrite", [](file& f, auto& e) { f.iwrite(numbers).wait(e); }},
    {"iread_shared", [](file& f, auto& e) { f.iread_shared(taken).wait(e); }},
    {"iwrite_shared", [](file& f, auto& e) { f.iwrite_shared(numbers).wait(e); }},
    {"read_at_all", [](file& f, auto& e) { f.read_at_all(0, taken, e); }},
    {"read_at_all, policy", [](file& f, auto& e) { f.read_at_all(0, taken, {io::two_phase{}, e}); }},
    {"write_at_all", [](file& f, auto& e) { f.write_at_all(0, numbers, e); }},
    {"write_at_all, policy", [](file& f, auto& e) { f.write_at_all(0, numbers, {io::two_phase{}, e}); }},
    {"read_all", [](file& f, auto& e) { f.read_all(taken, e); }},
    {"read_all, policy", [](file& f, auto& e) { f.read_all(taken, {io::two_phase{}, e}); }},
    {"write_all", [](file& f, auto& e) { f.write_all(numbers, e); }},
    {"write_all, policy", [](file& f, auto& e) { f.write_all(numbers, {io::two_phase{}, e}); }},
    {"read_ordered", [](file& f, auto& e) { f.read_ordered(taken, e); }},
    {"read_ordered, policy", [](file& f, auto& e) { f.read_ordered(taken, {io::two_phase{}, e}); }},
    {"write_ordered", [](file& f, auto& e) { f.write_ordered(numbers, e); }},
    {"write_ordered, policy", [](file& f, auto& e) { f.write_ordered(numbers, {io::two_phase{}, e}); }},
    {"iread_at_all", [](file& f, auto& e) { f.iread_at_all(0, taken).wait(e); }},
    {"iwrite_at_all", [](file& f, auto& e) { f.iwrite_at_all(0, numbers).wait(e); }},
    {"iread_all", [](file& f, auto& e) { f.iread_all(taken).wait(e); }},
    {"iwrite_all", [](file& f, auto& e) { f.iwrite_all(numbers).wait(e); }},
    {"begin_read_at_all", [](file& f, auto& e) { f.begin_read_at_all(0, taken), f.end(e); }},
    {"begin_write_at_all", [](file& f, auto& e) { f.begin_write_at_all(0, numbers), f.end(e); }},
    {"begin_read_all", [](file& f, auto& e) { f.begin_read_all(taken), f.end(e); }},
    {"begin_write_all", [](file& f, auto& e) { f.begin_write_all(numbers), f.end(e); }},
    {"begin_read_ordered", [](file& f, auto& e) { f.begin_read_ordered(taken), f.end(e); }},
    {"begin_write_ordered", [](file& f, auto& e) { f.begin_write_ordered(numbers), f.end(e); }},
    {"seek", [](file& f, auto& e) { f.seek(0, io::seek_from::start, e); }},
    {"seek_shared", [](file& f, auto& e) { f.seek_shared(0, io::seek_from::start, e); }},
    {"close", [](file& f, auto& e) { f.close(e); }},
};

std::map<std::string, loud> const loud_calls{
    {"set_view", [](file& f) { f.set_view(0, io::type<int>); }},
    {"set_view, name", [](file& f) { f.set_view(0, {io::type<int>, std::string("native")}); }},
    {"set_view, etype", [](file& f) { f.set_view(0, {io::type<int>, io::type<int>}); }},
    {"set_view, etype, name", [](file& f) { f.set_view(0, {io::type<int>, io::type<int>, io::internal}); }},
    {"set_view, view", [](file& f) { f.set_view(io::view(0, io::type<int>)); }},
    {"size", [](file& f) { f.size(); }},
    {"set_size", [](file& f) { f.set_size(64); }},
    {"preallocate", [](file& f) { f.preallocate(64); }},
    {"sync", [](file& f) { f.sync(); }},
    {"set_atomic", [](file& f) { f.set_atomic(false); }},
    {"set_hints", [](file& f) { f.set_hints({.cb_nodes = 1}); }},
    {"read_at", [](file& f) { f.read_at(0, taken); }},
    {"write_at", [](file& f) { f.write_at(0, numbers); }},
    {"read", [](file& f) { f.read(taken); }},
    {"write", [](file& f) { f.write(numbers); }},
    {"read_shared", [](file& f) { f.read_shared(taken); }},
    {"write_shared", [](file& f) { f.write_shared(numbers); }},
    {"iwrite_at", [](file& f) { f.iwrite_at(0, numbers).wait(); }},
    {"iwrite_shared", [](file& f) { f.iwrite_shared(numbers).wait(); }},
    {"read_at_all", [](file& f) { f.read_at_all(0, taken); }},
    {"write_at_all", [](file& f) { f.write_at_all(0, numbers); }},
    {"read_all", [](file& f) { f.read_all(taken); }},
    {"write_all", [](file& f) { f.write_all(numbers); }},
    {"read_ordered", [](file& f) { f.read_ordered(taken); }},
    {"write_ordered", [](file& f) { f.write_ordered(numbers); }},
    {"iwrite_at_all", [](file& f) { f.iwrite_at_all(0, numbers).wait(); }},
    {"begin_write_all", [](file& f) { f.begin_write_all(numbers), f.end(); }},
    {"seek", [](file& f) { f.seek(0); }},
    {"seek_shared", [](file& f) { f.seek_shared(0); }},
    {"position_shared", [](file& f) { f.position_shared(); }},
    {"explain", [](file& f) { f.explain(io::access_kind::read, taken); }},
    {"explain_at", [](file& f) { f.explain_at(io::access_kind::write, 0, numbers); }},
    {"explain_all", [](file& f) { f.explain_all(io::access_kind::read, taken); }},
    {"explain_at_all", [](file& f) { f.explain_at_all(io::access_kind::write, 0, numbers); }},
    {"close", [](file& f) { f.close(); }},
};

// The code that `call` throws as argosy::error; none if it throws nothing.
std::error_code code_of(std::function<void()> const& call) {
  try {
    call();
  } catch (io::error const& e) {
    bool const named = std::string(e.what()).find("failed on rank 0") != std::string::npos;
    CHECK(named == (e.failed_rank() == 0));
    CHECK((named || e.code() == io::errc::file));  // never opened: there is no rank to name
    return e.code();
  }
  return {};
}

}  // namespace

TEST_CASE("every call of an open file succeeds in both forms", "[file][self]") {
  scratch const dir;
  for (auto const& [name, call] : quiet_calls) {
    INFO(name);
    file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
    std::error_code error = io::errc::io;
    f.set_size(64);
    call(f, error);
    CHECK_FALSE(error);
  }
  for (auto const& [name, call] : loud_calls) {
    INFO(name);
    file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
    f.set_size(64);
    CHECK_FALSE(code_of([&] { call(f); }));
  }
}

TEST_CASE("a file that is closed, or never was open, says so in every call and in both forms", "[file][self]") {
  scratch const dir;
  file never, closed = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  closed.close();
  for (file* const f : {&never, &closed}) {
    INFO((f == &never ? "never open" : "closed"));
    for (auto const& [name, call] : quiet_calls) {
      INFO(name);
      std::error_code error;
      call(*f, error);
      CHECK(error == io::errc::file);
    }
    for (auto const& [name, call] : loud_calls) {
      INFO(name);
      CHECK(code_of([&] { call(*f); }) == io::errc::file);
    }
  }
  for (loud const& call : {loud([](file& f) { f.view(); }), loud([](file& f) { f.mode(); }),
                           loud([](file& f) { f.get_hints(); }), loud([](file& f) { f.position(); }),
                           loud([](file& f) { f.byte_offset(0); }), loud([](file& f) { f.clear_sync_error(); })})
    CHECK(code_of([&] { call(never); }) == io::errc::file);
}

TEST_CASE("requests are all waited for, whatever their calls throw", "[file][request][self]") {
  struct mine {
    int value;
  };
  scratch const dir;
  std::error_code error;
  io::register_representation(
      "throws on writing",
      {.file_bytes = {}, .read = [](auto...) { return true; }, .write = [](auto...) -> bool { throw mine{5}; }}, error);
  REQUIRE_FALSE(error);
  auto const script = std::make_shared<io::fault_script>();
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write, {},
                      io::with_faults(io::posix_opener(), script));
  std::array<io::request, 4> requests;
  auto const begin_all = [&] {
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i] = f.iwrite_at(static_cast<std::int64_t>(4 * i), numbers);
  };
  // Errors: the first of the list is told.
  f.set_view(0, io::type<int>);
  requests[0] = f.iwrite_at(0, numbers);
  requests[1] = f.iwrite_at(-1, numbers);
  requests[2] = f.iwrite_at(-2, io::source(numbers.data(), io::type<int>, -1));
  CHECK(requests[1].test());
  CHECK(code_of([&] { wait_all(requests); }) == io::errc::argument);
  for (io::request const& r : requests) CHECK_FALSE(r.pending());
  wait_all(requests);  // nothing to wait for
  script->add(
      io::fail_from(io::file_call::write, script->calls(io::file_call::write) + 1, std::errc::no_space_on_device));
  begin_all();
  CHECK(code_of([&] { wait_all(requests); }) == io::errc::no_space);
  for (io::request const& r : requests) CHECK_FALSE(r.pending());
  script->clear();

  // What the user's code threw comes out, of each by itself and of all.
  f.set_view(0, {io::type<int>, io::type<int>, "throws on writing"});
  auto const thrown_by = [](auto const& call) {
    try {
      call();
    } catch (mine const& m) {
      return m.value;
    }
    return 0;
  };
  begin_all();
  CHECK(thrown_by([&] { requests[0].wait(); }) == 5);
  CHECK(thrown_by([&] { requests[1].wait(error); }) == 5);
  CHECK(thrown_by([&] { wait_all(requests, error); }) == 5);
  for (io::request const& r : requests) CHECK_FALSE(r.pending());
  begin_all();
  CHECK(thrown_by([&] { wait_all(requests); }) == 5);
  begin_all();
  for (io::request& r : requests) r = {};  // dropped: kept to themselves
  error = io::errc::io;
  CHECK(io::request().wait(error).bytes == 0);
  CHECK_FALSE(error);
  f.set_view(0, io::type<int>);
  CHECK(f.write_at(0, numbers).bytes == 16);
}

TEST_CASE("data that cannot be described is an error of the call", "[file][self]") {
  scratch const dir;
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  int reached = 0;
  for (int const what : {0, 1}) try {
      f.write_at(0, io::source(
                        numbers.data(),
                        [&]() -> decltype(io::type<int>) {
                          if (what == 0) throw 17;
                          throw io::invalid_layout("drawn wrongly");
                        },
                        4));
    } catch (int const value) {
      reached += value;
    } catch (io::error const& e) {
      CHECK(e.code() == io::errc::argument);
      CHECK(std::string(e.what()).find("drawn wrongly") != std::string::npos);
      reached += 100;
    }
  CHECK(reached == 117);
  CHECK(code_of([&] { f.write_at(0, io::source(static_cast<int const*>(nullptr), io::type<int>, 4)); }) ==
        io::errc::argument);
  CHECK(f.size() == 0);
}

// --- The argument that says how -----------------------------------------------------------------------------------------

namespace {

int line_of(io::on_error e = {}) { return static_cast<int>(e.where().line()); }
int line_of_hinted(io::hinted h = {}) { return static_cast<int>(h.where().line()); }
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

TEST_CASE("a shape of a view is made of values, functions and names, inside of the call", "[file][view][self]") {
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

TEST_CASE("what failed is empty after a success, also of requests and split calls", "[file][error][self]") {
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
  r.wait(error);  // nothing is left to wait for
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

TEST_CASE("large local calls and all collective ones are timed, small local ones are not", "[file][report][self]") {
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
  check(f.iwrite_at(0, small).wait(), false);
  check(f.iwrite_at(0, large).wait(), true);
  check(f.write_at_all(0, small), false);  // the only rank agrees with nobody
  check(f.write_at_all(0, large), true);
  check(f.write_at_all(0, small, io::two_phase{}), true);
  check(f.iwrite_at_all(0, small).wait(), true);
  f.set_atomic(true);
  CHECK(check(f.write_at(0, large), true).lock_ns > 0);
  CHECK(check(f.write_at(0, small), false).lock_ns == 0);
}

TEST_CASE("a plan says whose policy it is not, and what a rank by itself does", "[file][plan][self]") {
  scratch const dir;
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write);
  f.set_view(0, {io::type<int>, io::resized(io::type<int>, 0, 8)});
  std::vector<int> data(100);
  io::plan const local = f.explain(io::access_kind::write, data, io::two_phase{});
  CHECK(local.policy == "sieving");
  CHECK(local.reason.find("two_phase is a policy of all ranks together") != std::string::npos);
  CHECK(f.explain(io::access_kind::write, data).reason.find("together") == std::string::npos);
  CHECK(f.explain(io::access_kind::write, data, io::sieving{}).reason.find("together") == std::string::npos);

  io::collective_plan const all = f.explain_all(io::access_kind::write, data, io::independent{});
  REQUIRE(all.alone);
  CHECK(*all.alone == f.explain(io::access_kind::write, data, io::independent{}));
  CHECK(to_string(all).find("this rank: independent write: 400 bytes in 1 window, 100 file calls") !=
        std::string::npos);
  CHECK_FALSE(f.explain_all(io::access_kind::write, data, io::two_phase{}).alone);
  std::vector<int> const nothing;
  CHECK(f.explain_all(io::access_kind::write, nothing, io::sieving{}).alone->windows.empty());
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
  CHECK(f.read_at(0, {back.data(), ids{}, back.size()}).bytes == 12);  // a count of any type
  std::error_code error;
  f.read_at(0, {back.data(), ids{}, ~std::size_t{0}}, error);
  CHECK(error == io::errc::argument);
  CHECK(f.what_failed().find("2^63") != std::string::npos);

  CHECK(f.write_at_all(0, {}).bytes == 0);
  CHECK(f.read_at_all(0, {}).bytes == 0);
  CHECK(f.size() == 48);
}

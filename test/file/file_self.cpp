// Files of one rank, without MPI: every call must do what its documentation says.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/representations.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/two_phase.hpp>
#include <argosy/world/self.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>

#include "support/file_cases.hpp"
#include "support/file_data_cases.hpp"
#include "support/files.hpp"

namespace io = argosy;
using namespace io::test;

TEST_CASE("a file that was never opened does not know its rank, and names none",
          "[file][errors][self]") {
  io::basic_file<io::self> f;
  std::error_code error;
  f.sync(error);
  CHECK(error == io::errc::file);
  CHECK(f.what_failed() ==
        "argosy: sync failed: the file handle is no longer valid; the file is not open. What to "
        "do: open it first.");
  f.close(error);
  CHECK(f.what_failed().find(" rank ") == std::string::npos);
  try {
    f.write_at(0, {});
    FAIL("nothing was thrown");
  } catch (io::error const& e) {
    CHECK(e.failed_rank() == -1);
  }
}

TEST_CASE("files are opened as their modes say, or not at all", "[file][open][self]") {
  check_open_modes(io::self());
}
TEST_CASE("append starts at the end of the file", "[file][open][self]") {
  check_append(io::self());
}
TEST_CASE("delete_on_close deletes on close", "[file][open][self]") {
  check_delete_on_close(io::self());
}
TEST_CASE("sequential files know shared pointers only", "[file][open][self]") {
  check_sequential(io::self());
}
TEST_CASE("files move, also with a request under way", "[file][open][self]") {
  check_moves(io::self());
}
TEST_CASE("pointers count etypes of the view", "[file][pointer][self]") {
  check_pointers(io::self());
}
TEST_CASE("size, space, sync, atomic mode and extents of types", "[file][size][self]") {
  check_sizes(io::self());
}
TEST_CASE("views are given as values, by functions and by name", "[file][view][self]") {
  check_views(io::self());
}
TEST_CASE("external32 is big-endian, and long has four bytes", "[file][view][self]") {
  check_external32(io::self());
}
TEST_CASE("reads end at the end of the file, holes are zeros, nothing does nothing",
          "[file][read][self]") {
  check_ends_and_holes(io::self());
}
TEST_CASE("a view that names bytes twice may be read", "[file][read][self]") {
  check_overlapping_reads(io::self());
}
TEST_CASE("ordered calls come in the order of ranks", "[file][shared][self]") {
  check_ordered(io::self());
}
TEST_CASE("the shared pointer moves while other ranks compute, and every open has its own",
          "[file][shared][self]") {
  check_shared_pointer(io::self());
}
TEST_CASE("two files are open at once", "[file][open][self]") { check_two_files(io::self()); }
TEST_CASE("offsets reach beyond 8 GiB", "[file][size][self]") { check_far_offsets(io::self()); }
TEST_CASE("requests end by test, wait, wait_all, destructor or close", "[file][request][self]") {
  check_requests(io::self());
}
TEST_CASE("hints are kept, plans say what calls then do", "[file][hints][self]") {
  check_hints_and_plans(io::self());
}

// --- Both forms of every call --------------------------------------------------------------------

namespace {

using file = io::basic_file<io::self>;
using quiet = std::function<void(file&, std::error_code&)>;
using loud = std::function<void(file&)>;

std::array<int, 4> const numbers{1, 2, 3, 4};
std::array<int, 4> taken{};

std::map<std::string, quiet> const quiet_calls{
    {"set_view", [](file& f, auto& e) { f.set_view(0, io::type<int>, e); }},
    {"set_view, name",
     [](file& f, auto& e) { f.set_view(0, {io::type<int>, std::string("native")}, e); }},
    {"set_view, etype", [](file& f, auto& e) { f.set_view(0, {io::type<int>, io::type<int>}, e); }},
    {"set_view, etype, name",
     [](file& f, auto& e) { f.set_view(0, {io::type<int>, io::type<int>, io::internal}, e); }},
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
    {"write_shared, policy",
     [](file& f, auto& e) { f.write_shared(numbers, {io::independent{}, e}); }},
    {"iread_at", [](file& f, auto& e) { f.iread_at(0, taken).wait(e); }},
    {"iwrite_at", [](file& f, auto& e) { f.iwrite_at(0, numbers).wait(e); }},
    {"iread", [](file& f, auto& e) { f.iread(taken).wait(e); }},
    {"iwrite", [](file& f, auto& e) { f.iwrite(numbers).wait(e); }},
    {"iread_shared", [](file& f, auto& e) { f.iread_shared(taken).wait(e); }},
    {"iwrite_shared", [](file& f, auto& e) { f.iwrite_shared(numbers).wait(e); }},
    {"read_at_all", [](file& f, auto& e) { f.read_at_all(0, taken, e); }},
    {"read_at_all, policy",
     [](file& f, auto& e) { f.read_at_all(0, taken, {io::two_phase{}, e}); }},
    {"write_at_all", [](file& f, auto& e) { f.write_at_all(0, numbers, e); }},
    {"write_at_all, policy",
     [](file& f, auto& e) { f.write_at_all(0, numbers, {io::two_phase{}, e}); }},
    {"read_all", [](file& f, auto& e) { f.read_all(taken, e); }},
    {"read_all, policy", [](file& f, auto& e) { f.read_all(taken, {io::two_phase{}, e}); }},
    {"write_all", [](file& f, auto& e) { f.write_all(numbers, e); }},
    {"write_all, policy", [](file& f, auto& e) { f.write_all(numbers, {io::two_phase{}, e}); }},
    {"read_ordered", [](file& f, auto& e) { f.read_ordered(taken, e); }},
    {"read_ordered, policy", [](file& f, auto& e) { f.read_ordered(taken, {io::two_phase{}, e}); }},
    {"write_ordered", [](file& f, auto& e) { f.write_ordered(numbers, e); }},
    {"write_ordered, policy",
     [](file& f, auto& e) { f.write_ordered(numbers, {io::two_phase{}, e}); }},
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
    {"set_view, etype, name",
     [](file& f) { f.set_view(0, {io::type<int>, io::type<int>, io::internal}); }},
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

// Returns the code of the argosy::error that `call` throws; none if it throws nothing.
std::error_code code_of(std::function<void()> const& call) {
  try {
    call();
  } catch (io::error const& e) {
    bool const named = std::string(e.what()).find("failed on rank 0") != std::string::npos;
    CHECK(named == (e.failed_rank() == 0));
    CHECK((named || e.code() == io::errc::file));  // a file that was never open has no rank to name
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

TEST_CASE("a file that is closed, or never was open, says so in every call and in both forms",
          "[file][self]") {
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
  for (loud const& call :
       {loud([](file& f) { f.view(); }), loud([](file& f) { f.mode(); }),
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
  io::extend::register_representation("throws on writing",
                                      {.file_bytes = {},
                                       .read = [](auto...) { return true; },
                                       .write = [](auto...) -> bool { throw mine{5}; }},
                                      error);
  REQUIRE_FALSE(error);
  auto const script = std::make_shared<io::fault_script>();
  file f = file::open(io::self(), dir / "f", io::mode::create | io::mode::read_write, {},
                      io::with_faults(io::posix_opener(), script));
  std::array<io::request, 4> requests;
  auto const begin_all = [&] {
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i] = f.iwrite_at(static_cast<std::int64_t>(4 * i), numbers);
  };
  // Several requests fail: the error of the first one in the list is reported.
  f.set_view(0, io::type<int>);
  requests[0] = f.iwrite_at(0, numbers);
  requests[1] = f.iwrite_at(-1, numbers);
  requests[2] = f.iwrite_at(-2, io::source(numbers.data(), io::type<int>, -1));
  CHECK(requests[1].test());
  CHECK(code_of([&] { wait_all(requests); }) == io::errc::argument);
  for (io::request const& r : requests) CHECK_FALSE(r.pending());
  wait_all(requests);  // no request to wait for
  script->add(io::fail_from(io::file_call::write, script->calls(io::file_call::write) + 1,
                            std::errc::no_space_on_device));
  begin_all();
  CHECK(code_of([&] { wait_all(requests); }) == io::errc::no_space);
  for (io::request const& r : requests) CHECK_FALSE(r.pending());
  script->clear();

  // Exceptions of the user's code come out of wait(), and out of wait_all().
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
  for (io::request& r : requests) r = {};  // dropped: their exceptions are lost
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
  CHECK(code_of([&] {
          f.write_at(0, io::source(static_cast<int const*>(nullptr), io::type<int>, 4));
        }) == io::errc::argument);
  CHECK(f.size() == 0);
}

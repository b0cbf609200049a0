// Traces: settings in the environment. No trouble of a trace may affect the program.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/handle/tracing.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "handle/trace_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::detail::trace_write;
using io::extend::trace_mode;
using io::extend::trace_options;
using namespace io::test;

TEST_CASE("the environment chooses", "[trace]") {
  CHECK(trace_options::from_environment().mode == trace_mode::off);
  CHECK(io::extend::open_trace(trace_options::from_environment()) == nullptr);
  {
    variable const a("ARGOSY_TRACE", "calls"), b("ARGOSY_TRACE_FROM", "4096"),
        c("ARGOSY_TRACE_DIR", "/somewhere"), d("ARGOSY_TRACE_WRITE", "at_once");
    auto const o = trace_options::from_environment(5, "agent2");
    CHECK(o.mode == trace_mode::calls);
    CHECK(o.write == trace_write::at_once);
    CHECK(o.from_offset == 4096);
    CHECK(o.directory == "/somewhere");
    CHECK_THAT(io::extend::tracer(o).path(),
               ContainsSubstring("/somewhere/argosy-") &&
                   ContainsSubstring("-" + std::to_string(::getpid()) + "-rank5-agent2.json"));
  }
  {
    variable const a("ARGOSY_TRACE", "everything"), b("ARGOSY_TRACE_FROM", "-1"),
        c("ARGOSY_TRACE_WRITE", "later");
    auto const o = trace_options::from_environment();
    CHECK(o.mode == trace_mode::off);
    CHECK(o.write == trace_write::gathered);
    CHECK(o.from_offset == 0);
  }
  for (auto const& [value, mode] :
       {std::pair("1", trace_mode::calls), std::pair("0", trace_mode::off)}) {
    variable const a("ARGOSY_TRACE", value);  // allowed as for other variables
    CHECK(trace_options::from_environment().mode == mode);
  }
  variable const t("TMPDIR", "/local");
  trace_options o;
  o.program = "../evil name";
  CHECK_THAT(io::extend::tracer(o).path(), ContainsSubstring("/local/argosy-.._evil_name-"));
  o.program = "~LES3d+{Z}[a]";
  CHECK_THAT(io::extend::tracer(o).path(), ContainsSubstring("/local/argosy-_LES3d+_Z__a_-"));
}

TEST_CASE("what the environment says is read whole, and complained of once", "[trace]") {
  scratch const dir;
  int const good = in_child([&] {
    if (!std::freopen((dir / "complaints").c_str(), "w", stderr)) return false;
    for (char const* from : {"", "12x", "99999999999999999999", "x"}) {
      variable const a("ARGOSY_TRACE", ""), b("ARGOSY_TRACE_FROM", from), c("TMPDIR", "");
      for (int i = 0; i < 2; ++i) {
        auto const o = trace_options::from_environment();
        if (o.mode != trace_mode::off || o.from_offset != 0) return false;
        if (io::extend::tracer(o).path().find("/tmp/argosy-") != 0) return false;
      }
    }
    {
      variable const a("ARGOSY_TRACE_WRITE", "sometimes");
      if (trace_options::from_environment().write != trace_write::gathered) return false;
    }
    {
      variable const a("ARGOSY_TRACE_FORMAT", "text");
      trace_options::from_environment();  // no trace, so no complaint
      for (char const* const mode : {"calls", "phases"}) {
        variable const b("ARGOSY_TRACE", mode);
        trace_options::from_environment();
        trace_options::from_environment(1);
      }
      variable const b("ARGOSY_TRACE", "calls"), c("ARGOSY_TRACE_FORMAT", "chrome");
      trace_options::from_environment();
    }
    // Other ranks mostly have the same environment, so only rank 0 complains.
    variable const other("ARGOSY_TRACE", "everything");
    if (trace_options::from_environment(1).mode != trace_mode::off) return false;
    ::unsetenv("TMPDIR");
    std::fflush(stderr);
    return io::extend::tracer(trace_options()).path().find("/tmp/argosy-") == 0;
  });
  CHECK(good == 0);
  auto const complaints = lines_of(content_of(dir / "complaints"));
  REQUIRE(complaints.size() == 5);
  CHECK_THAT(complaints[0],
             ContainsSubstring("ARGOSY_TRACE_FROM=12x is not understood (a file offset in bytes)"));
  CHECK_THAT(complaints[1], ContainsSubstring("99999999999999999999"));
  CHECK_THAT(
      complaints[3],
      ContainsSubstring("ARGOSY_TRACE_WRITE=sometimes is not understood (gathered or at_once)"));
  CHECK(complaints[4] ==
        "argosy: ARGOSY_TRACE_FORMAT=text is no longer understood: traces are JSON, and `argosy "
        "trace --text FILE...` "
        "prints them as text");
}

TEST_CASE("a trace that cannot be written is told at open, once for each rank, and why",
          "[trace][errors]") {
  scratch const dir;
  int const good = in_child([&] {
    if (!std::freopen((dir / "complaints").c_str(), "w", stderr)) return false;
    trace_options o{.mode = trace_mode::errors, .directory = dir / "missing"};
    for (o.rank = 3; o.rank < 5; ++o.rank)
      for (int i = 0; i < 2; ++i) {
        errno = ERANGE;
        auto const to = io::extend::open_trace(o);
        if (errno != ERANGE) return false;
        std::error_code error;
        io::with_tracing(io::posix_opener(), to)(dir / "no/f", read_write, error);
        if (!error || to->lines() != 0) return false;
      }
    io::extend::open_trace({.mode = trace_mode::calls, .directory = dir.string(), .rank = 5});
    // A directory that is removed while the trace is open.
    std::filesystem::create_directory(dir / "short-lived");
    auto const late = io::extend::open_trace(
        {.mode = trace_mode::calls, .directory = dir / "short-lived", .rank = 6});
    std::filesystem::remove(dir / "short-lived");
    late->note("one");
    late->note("two");
    std::fflush(stderr);
    return true;
  });
  CHECK(good == 0);
  auto const complaints = lines_of(content_of(dir / "complaints"));
  REQUIRE(complaints.size() == 3);
  CHECK(complaints[0] == "argosy: the trace of rank 3 cannot be written to " + (dir / "missing") +
                             ": No such file or directory; make the directory, or name another one "
                             "by ARGOSY_TRACE_DIR");
  CHECK_THAT(complaints[1], ContainsSubstring("the trace of rank 4 cannot be written"));
  CHECK_THAT(complaints[2], ContainsSubstring("the trace of rank 6 cannot be written to " +
                                              (dir / "short-lived")));
}

TEST_CASE("without a trace nothing is wrapped", "[trace]") {
  scratch const dir;
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::posix_opener())(dir / "f", read_write, error);
  CHECK(f.target<io::posix>() != nullptr);
}

TEST_CASE("a trace without a descriptor waits for one; a hundredth of one name is not written",
          "[trace][errors]") {
  scratch const traces;
  trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
  int const good = in_child([&] {
    io::extend::tracer to(o);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit const none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    to.note("lost");
    ::setrlimit(RLIMIT_NOFILE, &before);
    if (to.lines() != 0) return false;
    to.note("kept");
    return to.lines() == 1 && content_of(to.path()).find("kept") != std::string::npos;
  });
  CHECK(good == 0);
  for (auto const& left : std::filesystem::directory_iterator(traces.string()))
    std::filesystem::remove(left.path());
  for (int i = 1; i <= 100; ++i) {
    io::extend::tracer to(o);
    to.note("a line");
    to.note("another");
    CHECK(to.lines() == (i < 100 ? 2 : 0));
  }
}

TEST_CASE("a trace that cannot be written disturbs nothing", "[trace][errors]") {
  scratch const dir, traces;
  std::size_t const before = io::test::open_descriptors();
  auto const works = [&](std::shared_ptr<io::extend::tracer> const& to) {
    std::error_code error;
    io::extend::any_handle f =
        io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
    if (error) return false;
    errno = 4711;
    return f.write(0, data).bytes == 100 && !f.sync() && f.read(0, {}).bytes == 0 && !f.close();
  };
  SECTION("no such directory") {
    trace_options const o{.mode = trace_mode::calls, .directory = "/no/such/directory"};
    auto const to = std::make_shared<io::extend::tracer>(o);
    CHECK(works(to));
    CHECK(to->lines() == 0);
  }
  SECTION("a full disk: whole lines as far as they go") {
    io::test::small_tmpfs const fs(traces / "mount", "size=8k");
    if (!fs.mounted()) return io::test::skipped("no right to mount a tmpfs");
    auto const to = std::make_shared<io::extend::tracer>(
        trace_options{.mode = trace_mode::calls, .directory = traces / "mount"});
    for (int i = 0; i < 50; ++i) CHECK(works(to));
    auto const text = content_of(to->path());
    CHECK(to->lines() > 10);
    CHECK(to->lines() < 200);
    CHECK(text.back() == '\n');
    CHECK(json::valid(text + "]"));
  }
  SECTION("a size limit: the process lives") {
    int const lived = in_child([&] {
      rlimit const limit{1000, 1000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
      auto const to = std::make_shared<io::extend::tracer>(o);
      for (int i = 0; i < 50; ++i)
        if (!works(to)) return false;
      return to->lines() > 1;
    });
    CHECK(lived == 0);
  }
  SECTION("the directory is taken away") {
    trace_options const o{.mode = trace_mode::calls, .directory = traces.string()};
    auto const to = std::make_shared<io::extend::tracer>(o);
    CHECK(works(to));
    std::filesystem::remove_all(traces.string());
    CHECK(works(to));
  }
  CHECK(io::test::open_descriptors() == before);
}

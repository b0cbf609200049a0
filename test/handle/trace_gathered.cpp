// Traces: when the lines gathered in memory are written, however the process ends.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/error/errc.hpp>
#include <argosy/handle/tracing.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "handle/trace_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::file_call;
using io::detail::trace_write;
using io::extend::trace_mode;
using io::extend::trace_options;
using namespace io::test;

TEST_CASE("a process that dies leaves its calls, if each is written at once", "[trace]") {
  scratch const dir, traces;
  int const died = in_child([&]() -> bool {
    trace_options const o{
        .mode = trace_mode::calls, .directory = traces.string(), .write = trace_write::at_once};
    std::error_code error;
    io::extend::any_handle f = io::with_tracing(io::posix_opener(), io::extend::open_trace(o))(
        dir / "f", read_write, error);
    f.write(0, data);
    ::kill(::getpid(), SIGKILL);
    return true;
  });
  CHECK(died == 1000 + SIGKILL);
  auto const text = content_of(only_file(traces.string()));
  CHECK_FALSE(json::valid(text));
  CHECK(json::valid(text + "]"));
  CHECK_THAT(text, ContainsSubstring("\"write\""));
}

namespace {

// Records calls that take no time, so that lines do not become old on a slow machine.
struct still_time {
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();

  void record(io::extend::tracer& to, std::int64_t offset, std::error_code error = {},
              file_call kind = file_call::write) const {
    to.record(
        {.kind = kind, .file = "f", .offset = offset, .begin = now, .end = now, .error = error});
  }
};

std::int64_t lines_in(std::string const& path) {
  auto const text = content_of(path);
  CHECK((text.empty() || text.back() == '\n'));
  return std::count(text.begin(), text.end(), '\n') - 3;  // without the head
}

}  // namespace

TEST_CASE("lines gather until somebody may want them", "[trace][gathered]") {
  scratch const traces;
  still_time at;
  std::string path;
  {
    io::extend::tracer to({.mode = trace_mode::calls, .directory = traces.string()});
    at.now = std::chrono::steady_clock::now();
    auto const gather_two = [&] {
      std::int64_t const before = to.lines();
      for (int i = 0; i < 2; ++i) at.record(to, i);
      CHECK(to.lines() == before);
      CHECK(lines_in(to.path()) == before);
      return before;
    };
    auto const check = [&](std::int64_t lines) {
      CHECK(to.lines() == lines);
      CHECK(lines_in(to.path()) == lines);
    };
    SECTION("asked for") {
      auto const before = gather_two();
      to.flush();
      check(before + 2);
      to.flush();
      check(before + 2);
    }
    SECTION("an error") {
      auto const before = gather_two();
      at.record(to, 2, std::make_error_code(std::errc::io_error));
      check(before + 3);
      gather_two();
    }
    SECTION("a note, or a file is closed") {
      auto const before = gather_two();
      to.note("here");
      check(before + 3);
      gather_two();
      at.record(to, -1, {}, file_call::close);
      check(before + 6);
    }
    SECTION("time has passed") {
      auto const before = gather_two();
      at.now += std::chrono::milliseconds(102);
      at.record(to, 2);
      check(before + 3);
      gather_two();
    }
    SECTION("there are many") {
      std::int64_t recorded = 0;
      while (to.lines() == 0 && recorded < 10'000) at.record(to, recorded++);
      check(recorded);
      auto const size = std::filesystem::file_size(to.path());
      CHECK(size >= 64 << 10);
      CHECK(size < 66 << 10);
      gather_two();
    }
    path = to.path();
    at.record(to, 4711);
  }
  CHECK_THAT(content_of(path), ContainsSubstring("\"offset\":4711"));
}

TEST_CASE("phases gather, too, and closing a file writes them", "[trace][gathered]") {
  scratch const dir, traces;
  auto const to = std::make_shared<io::extend::tracer>(
      trace_options{.mode = trace_mode::phases, .directory = traces.string()});
  std::error_code error;
  io::extend::any_handle f = io::with_tracing(io::posix_opener(), to)(dir / "f", read_write, error);
  auto const now = std::chrono::steady_clock::now(), later = now + std::chrono::nanoseconds(2003);
  std::vector<io::detail::traced_phase> const phases{
      {io::detail::phase::call, {.name = "write_at"}, now, later},
      {io::detail::phase::file, {.bytes = 8, .number = 3}, now, now}};
  std::vector<io::detail::traced_message> const messages{
      {io::detail::message_end::sent, 1, 8, now}};
  to->record(phases, messages, "f");
  to->record(phases, messages, "f");
  to->record({}, {}, "f");
  f.write(0, data);  // has no phase, so it is not recorded
  CHECK(to->lines() == 0);
  f.close();
  CHECK(to->lines() == 6);
  auto const text = content_of(to->path());
  CHECK_THAT(text, ContainsSubstring(R"({"name":"write_at","cat":"call","ph":"X",)") &&
                       ContainsSubstring(R"("dur":2.003,"args":{"file":"f"}})") &&
                       ContainsSubstring(R"({"name":"file","cat":"file","ph":"X",)") &&
                       ContainsSubstring(R"("args":{"file":"f","bytes":8,"number":3}})") &&
                       ContainsSubstring("\"number\":0") && ContainsSubstring("\"number\":1"));
}

TEST_CASE("with at_once, and of errors, no line waits", "[trace][gathered]") {
  scratch const traces;
  still_time const at;
  io::extend::tracer to(
      {.mode = trace_mode::calls, .directory = traces.string(), .write = trace_write::at_once});
  io::extend::tracer errors({.mode = trace_mode::errors, .directory = traces.string(), .rank = 1});
  for (int i = 1; i < 5; ++i) {
    at.record(to, i);
    CHECK(to.lines() == i);
    CHECK(lines_in(to.path()) == i);
    at.record(errors, i, std::make_error_code(std::errc::io_error));
    CHECK(lines_in(errors.path()) == i);
  }
}

TEST_CASE("of what does not fit whole lines stay, and are counted", "[trace][gathered][errors]") {
  scratch const traces;
  auto const fill = [](io::extend::tracer& to) {
    still_time const at;
    for (int i = 0; i < 3000; ++i) at.record(to, i);
    to.flush();
    std::int64_t const lines = to.lines();
    for (int i = 0; i < 3000; ++i) at.record(to, i);  // the trace has ended
    return to.lines() == lines && lines > 500 && lines < 2500 && lines_in(to.path()) == lines;
  };
  for (auto const write : {trace_write::gathered, trace_write::at_once}) {
    SECTION(write == trace_write::gathered ? "a full disk" : "a full disk, line by line") {
      io::test::small_tmpfs const fs(traces / "mount", "size=100k");
      if (!fs.mounted()) return io::test::skipped("no right to mount a tmpfs");
      io::extend::tracer to(
          {.mode = trace_mode::calls, .directory = traces / "mount", .write = write});
      CHECK(fill(to));
    }
    SECTION(write == trace_write::gathered ? "a size limit" : "a size limit, line by line") {
      CHECK(in_child([&] {
              rlimit const limit{100'000, 100'000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              io::extend::tracer to(
                  {.mode = trace_mode::calls, .directory = traces.string(), .write = write});
              return fill(to) && std::filesystem::file_size(to.path()) > 99'000;
            }) == 0);
    }
  }
}

TEST_CASE("a process that is killed loses less than 64 KiB of lines, and no half ones",
          "[trace][gathered]") {
  scratch const dir, traces;
  int const died = in_child([&]() -> bool {
    std::error_code error;
    io::extend::any_handle f = io::with_tracing(
        io::posix_opener(),
        io::extend::open_trace({.mode = trace_mode::calls, .directory = traces.string()}))(
        dir / "f", read_write, error);
    for (int i = 0; i < 5000; ++i) f.write(100 * i, data);
    ::kill(::getpid(), SIGKILL);
    return true;
  });
  CHECK(died == 1000 + SIGKILL);
  auto const calls = static_cast<std::int64_t>(std::filesystem::file_size(dir / "f")) / 100;
  CHECK(calls == 5000);
  std::string const path = only_file(traces.string());
  std::int64_t const lines = lines_in(path);
  auto const length = static_cast<std::int64_t>(std::filesystem::file_size(path)) / (lines + 3);
  CHECK(lines <= calls + 1);  // plus the line of open
  CHECK((calls + 1 - lines) * length < 66 << 10);
}

TEST_CASE("exit writes what has gathered, also of files that are never closed",
          "[trace][gathered]") {
  scratch const dir, traces;
  int const ended = in_child([&]() -> bool {
    std::error_code error;
    auto* const leaked = new io::extend::any_handle(io::with_tracing(
        io::posix_opener(),
        io::extend::open_trace({.mode = trace_mode::calls, .directory = traces.string()}))(
        dir / "f", read_write, error));
    for (int i = 0; i < 10; ++i) leaked->write(100 * i, data);
    std::exit(0);
  });
  CHECK(ended == 0);
  CHECK(lines_in(only_file(traces.string())) == 11);  // no ']', because the file is open
}

TEST_CASE("exit from the handler of a signal ends, wherever the signal came", "[trace][gathered]") {
  scratch const traces;
  for (int i = 0; i < 10; ++i)
    CHECK(in_child([&]() -> bool {
            std::signal(SIGALRM, [](int) { std::exit(0); });
            auto const to =
                io::extend::open_trace({.mode = trace_mode::calls, .directory = traces.string()});
            still_time const at;
            // From here on no memory is allocated, because exit would wait for the lock of malloc,
            // which the handler may have interrupted.
            for (int k = 0; k < 5000; ++k) at.record(*to, 0);
            ::ualarm(static_cast<useconds_t>(2000 + 300 * i), 0);
            for (;;) at.record(*to, 0);
          }) == 0);
  for (auto const& file : std::filesystem::directory_iterator(traces.string()))
    lines_in(file.path().string());
}

TEST_CASE("a child does not write what its parent has gathered", "[trace][gathered]") {
  scratch const traces;
  std::string path;
  {
    still_time const at;
    auto to = std::make_unique<io::extend::tracer>(
        trace_options{.mode = trace_mode::calls, .directory = traces.string()});
    at.record(*to, 1111);
    CHECK(in_child([&] {
            to->flush();
            if (to->lines() != 0) return false;
            at.record(*to, 2222);
            to->flush();
            if (to->lines() != 1) return false;
            to.reset();  // the parent writes the last ']'
            return true;
          }) == 0);
    CHECK(in_child([&] {
            to.reset();
            return true;
          }) == 0);
    at.record(*to, 3333);
    path = to->path();
  }
  auto const text = content_of(path);
  CHECK(json::valid(text));
  auto const thread_of = [&](std::string const& number) {
    std::string const offset = "\"offset\":" + number;
    CAPTURE(offset);
    auto const first = text.find(offset);
    REQUIRE(first != std::string::npos);
    CHECK(text.find(offset, first + 1) == std::string::npos);
    return std::stol(text.substr(text.find("\"tid\":", text.rfind('\n', first)) + 6));
  };
  CHECK(thread_of("1111") == ::gettid());
  CHECK(thread_of("2222") != ::gettid());
  CHECK(thread_of("3333") == ::gettid());
}

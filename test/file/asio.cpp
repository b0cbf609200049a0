// Files on Boost.Asio: completion tokens, executors, errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/asio.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/world/self.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
namespace asio = boost::asio;
using file = io::basic_file<io::self>;
using io::test::content_of;
using io::test::scratch;
using namespace std::chrono_literals;

namespace {

constexpr auto created = io::mode::create | io::mode::read_write;

file opened(std::string const& path, io::opener files = io::posix_opener()) {
  file f = file::open(io::self(), path, created, {}, std::move(files));
  f.set_view(0, io::type<double>);
  return f;
}

std::vector<double> numbers(std::size_t n, double first = 1) {
  std::vector<double> all(n);
  std::iota(all.begin(), all.end(), first);
  return all;
}

}  // namespace

TEST_CASE("futures get the report", "[asio]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(1000);
  std::future<io::report> wrote = io::async_write_at(f, 5, out, asio::use_future);
  CHECK(wrote.get().bytes == 8000);
  CHECK(f.size() == 8040);

  std::vector<double> in(1000);
  CHECK(io::async_read_at(f, 5, in, asio::use_future).get().bytes == 8000);
  CHECK(in == out);
  f.close();
}

TEST_CASE("the end of the file is a short count and no error", "[asio]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(10);
  f.write(out);
  std::vector<double> in(20, -1);
  io::report const r = io::async_read_at(f, 4, in, asio::use_future).get();
  CHECK(r.bytes == 48);
  CHECK(in[5] == 10);
  CHECK(in[6] == -1);
}

TEST_CASE("coroutines await reports, and policies are taken", "[asio]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(100);
  std::vector<double> in(100);
  asio::io_context context;
  bool ended = false;
  auto const work = [&]() -> asio::awaitable<void> {
    io::report const first =
        co_await io::async_write(f, out, io::independent{}, asio::use_awaitable);
    CHECK(first.policy == "independent");
    CHECK(first.bytes == 800);
    CHECK(f.position() == 100);
    io::report const second =
        co_await io::async_write(f, {out.data(), io::type<double>, 50}, asio::use_awaitable);
    CHECK(second.bytes == 400);
    f.seek(50);
    io::report const third = co_await io::async_read(f, in, asio::use_awaitable);
    CHECK(third.bytes == 800);
    ended = true;
  };
  asio::co_spawn(context, work, [](std::exception_ptr e) { CHECK(e == nullptr); });
  context.run();
  REQUIRE(ended);
  CHECK(in[0] == 51);
  CHECK(in[50] == 1);
}

TEST_CASE("callbacks run on their executor, which has work until then", "[asio]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::delay_at(io::file_call::write, 1, 50ms));
  file f = opened(dir / "data", io::with_faults(io::posix_opener(), script));
  auto const out = numbers(10);
  asio::io_context context;
  std::thread::id ran_on;
  io::async_write_at(
      f, 0, out, asio::bind_executor(context, [&](boost::system::error_code error, io::report r) {
        CHECK_FALSE(error);
        CHECK(r.bytes == 80);
        ran_on = std::this_thread::get_id();
      }));
  CHECK(ran_on == std::thread::id());
  context.run();  // does not return before the slow write has ended
  CHECK(ran_on == std::this_thread::get_id());
  CHECK(f.size() == 80);
}

TEST_CASE("handlers that can only be moved are taken", "[asio]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(3);
  asio::io_context context;
  std::int64_t bytes = 0;
  io::async_write(
      f, out,
      asio::bind_executor(context, [&, own = std::make_unique<int>(7)](auto error, io::report r) {
        CHECK_FALSE(error);
        bytes = r.bytes + *own;
      }));
  context.run();
  CHECK(bytes == 31);
}

TEST_CASE("wrong arguments come to the completion, not to the call", "[asio][errors]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(4);
  asio::io_context context;
  bool called = false;
  io::async_write_at(f, -1, out, asio::bind_executor(context, [&](auto error, io::report r) {
                       called = true;
                       CHECK(error == io::errc::argument);
                       CHECK(error == std::errc::invalid_argument);
                       CHECK(std::error_code(error) == io::errc::argument);
                       CHECK(r.bytes == 0);
                     }));
  CHECK_FALSE(called);
  context.run();
  CHECK(called);
  CHECK(f.size() == 0);

  CHECK_THROWS_AS(
      io::async_read_at(f, -1, {(double*)nullptr, io::type<double>, 3}, asio::use_future).get(),
      std::exception);
  f.close();
  std::vector<double> in(4);
  try {
    io::async_read(f, in, asio::use_future).get();
    FAIL("a closed file was read");
  } catch (boost::system::system_error const& e) {
    CHECK(e.code() == io::errc::file);
  }
}

TEST_CASE("errors of the file are thrown out of co_await, and the file stays usable",
          "[asio][errors]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(io::file_call::write, 1, std::errc::no_space_on_device));
  script->add(io::fail_at(io::file_call::write, 2, std::errc::io_error));
  file f = opened(dir / "data", io::with_faults(io::posix_opener(), script));
  auto const out = numbers(10);
  asio::io_context context;
  int steps = 0;
  auto const work = [&]() -> asio::awaitable<void> {
    try {
      co_await io::async_write_at(f, 0, out, asio::use_awaitable);
    } catch (boost::system::system_error const& e) {
      CHECK(e.code() == io::errc::no_space);
      CHECK_THAT(e.what(), Catch::Matchers::ContainsSubstring("no space left"));
      ++steps;
    }
    auto const [error, r] =
        co_await io::async_write_at(f, 0, out, asio::as_tuple(asio::use_awaitable));
    CHECK(error == io::errc::io);
    CHECK(r.bytes == 0);
    ++steps;
    io::report const third = co_await io::async_write_at(f, 0, out, asio::use_awaitable);
    CHECK(third.bytes == 80);
    ++steps;
  };
  asio::co_spawn(context, work, asio::detached);
  context.run();
  CHECK(steps == 3);
}

TEST_CASE("several at once, closing while they run", "[asio]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::delay_at(io::file_call::write, 1, 5ms, 16));
  file f = opened(dir / "data", io::with_faults(io::posix_opener(), script));
  std::vector<std::vector<double>> out;
  for (int i = 0; i < 16; ++i) out.push_back(numbers(100, 100.0 * i));
  asio::io_context context;
  int ended = 0;
  for (int i = 0; i < 16; ++i)
    io::async_write_at(f, 100 * i, out[static_cast<std::size_t>(i)],
                       asio::bind_executor(context, [&](auto error, io::report r) {
                         CHECK_FALSE(error);
                         CHECK(r.bytes == 800);
                         ++ended;
                       }));
  f.close();
  CHECK(ended == 0);
  context.run();
  CHECK(ended == 16);

  file g = opened(dir / "data");
  std::vector<double> in(1600);
  std::vector<std::future<io::report>> reads;
  for (std::size_t i = 0; i < 16; ++i)
    reads.push_back(io::async_read(g, std::span(in).subspan(100 * i, 100), asio::use_future));
  for (auto& r : reads) CHECK(r.get().bytes == 800);
  CHECK(in == numbers(1600, 0));
}

TEST_CASE("deferred operations begin when they are awaited", "[asio]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(10);
  auto operation = io::async_write(f, out, asio::deferred);
  CHECK(f.position() == 0);
  CHECK(std::move(operation)(asio::use_future).get().bytes == 80);
  CHECK(f.position() == 10);
}

namespace {

// An executor that takes time after it has passed a function on.
struct slow_executor {
  asio::io_context::executor_type inner;
  std::atomic<bool>* returned;

  asio::io_context& query(asio::execution::context_t) const noexcept { return inner.context(); }
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.never;
  }
  slow_executor require(asio::execution::blocking_t::never_t) const { return *this; }
  template <class F>
  void execute(F&& f) const {
    asio::post(inner, std::forward<F>(f));
    std::this_thread::sleep_for(50ms);
    *returned = true;
  }
  friend bool operator==(slow_executor const&, slow_executor const&) noexcept = default;
};

}  // namespace

TEST_CASE("no thread of a file is at work after it", "[asio]") {
  scratch const dir;
  asio::io_context context;
  std::atomic<bool> returned = false;
  auto const out = numbers(10);
  {
    file f = opened(dir / "data");
    io::async_write(
        f, out,
        asio::bind_executor(slow_executor{context.get_executor(), &returned}, asio::detached));
    context.run();  // the write has ended, the executor is still busy
  }
  CHECK(returned);
}

TEST_CASE("an operation may begin in the completion of another", "[asio]") {
  scratch const dir;
  file f = opened(dir / "data");
  auto const out = numbers(10);
  asio::io_context context;
  int left = 5;
  struct chain {
    file& f;
    std::vector<double> const& out;
    asio::io_context& context;
    int& left;
    void operator()(boost::system::error_code error = {}, io::report = {}) const {
      CHECK_FALSE(error);
      if (left-- > 0) io::async_write(f, out, asio::bind_executor(context, *this));
    }
  };
  chain{f, out, context, left}();
  context.run();
  CHECK(f.size() == 400);
}

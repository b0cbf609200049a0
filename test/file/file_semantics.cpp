// The contract of MPI beyond reading and writing: errors of a call inside of another one, pointers
// after an error, the end of a sync error, the counts of reports. One page because each case is one
// short rule of the contract.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/error/mpi.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/tracing.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>
#include <argosy/policy/two_phase.hpp>

#include "support/files_on_worlds.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using io::errc;
using io::mode;

namespace {

io::mpi const& world() {
  static io::mpi const all(MPI_COMM_WORLD);
  return all;
}
int rank() { return world().rank(); }
int size() { return world().size(); }

// Returns the error of a call that has only a throwing form.
template <class F>
std::error_code code_of(F&& f) {
  try {
    f();
  } catch (io::error const& e) {
    return e.code();
  }
  return {};
}

}  // namespace

TEST_CASE("a split call that has not begun, or is another one, is not ended", "[file][split]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::vector<int> const mine = numbers_from(rank(), 100);
  std::error_code error;
  f.end(error);
  CHECK(error == errc::argument);
  CHECK(code_of([&] { f.end(); }) == errc::argument);
  f.begin_write_at_all(400 * rank(), mine);
  f.end("begin_read_at_all", error);
  CHECK(error == errc::argument);
  CHECK(f.what_failed().find("begin_write_at_all has begun") != std::string::npos);
  CHECK(code_of([&] { f.end("begin_write_all"); }) == errc::argument);
  CHECK(f.end("begin_write_at_all").bytes == 400);  // the wrong calls before did not end it
  CHECK(code_of([&] { f.end(); }) == errc::argument);
  f.begin_write_at_all(400 * rank(), mine);
  CHECK(f.end().bytes == 400);
  f.close();
  CHECK(code_of([&] { f.end(); }) == errc::file);
}

TEST_CASE("a blocking collective call inside of a split one is an error, and touches nothing",
          "[file][split]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::vector<int> const mine = numbers_from(rank(), 100), other(100, -1);
  std::error_code error;
  f.begin_write_at_all(400 * rank(), mine);
  f.write_at_all(400 * rank(), other, error);
  CHECK(error == errc::argument);
  CHECK(f.end().bytes == 400);
  std::vector<int> got(100);
  f.read_at_all(400 * rank(), got);
  CHECK(got == mine);
  f.close();
}

TEST_CASE("a sequential file has no individual pointer to tell", "[file][pointer]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::write | mode::sequential);
  CHECK(code_of([&] { (void)f.position(); }) == errc::unsupported);
  f.close();
}

TEST_CASE("after a failed nonblocking collective call the pointers are where they were",
          "[file][pointer]") {
  shared_scratch const here(world());
  auto const check = [&](auto const& w) {
    auto f = io::basic_file<std::remove_cvref_t<decltype(w)>>::open(
        w, here / "data", mode::create | mode::read_write);
    std::vector<std::byte> const mine(100);
    std::byte const* const nowhere = nullptr;
    int const bad = size() - 1;
    std::error_code error;
    f.seek(7);
    auto q = rank() == bad ? f.iwrite_all({nowhere, io::bytes(100)}) : f.iwrite_all(mine);
    q.wait(error);
    CHECK(failed_on(w, bad, errc::argument, error));
    CHECK(f.position() == 7);
    // A seek made meanwhile counts.
    auto r = rank() == bad ? f.iwrite_all({nowhere, io::bytes(100)}) : f.iwrite_all(mine);
    f.seek(33);
    CHECK_THROWS_AS(r.wait(), io::error);
    CHECK(f.position() == 33);
    // A request that succeeds moves the pointer.
    f.iwrite_all(mine).wait();
    CHECK(f.position() == 133);
    f.close();
  };
  check(world());
  check(nodes_world(world(), {}));  // its ranks share no memory
}

TEST_CASE("a failed sync is told until the data was written again, as the hint says",
          "[file][sync]") {
  shared_scratch const here(world());
  for (bool const until_written : {false, true}) {
    int const bad = size() - 1;
    auto const script = std::make_shared<io::fault_script>();
    script->add(io::fail_at(io::file_call::sync, 1, std::errc::io_error));
    io::opener const files =
        rank() == bad ? io::with_faults(io::posix_opener(), script) : io::posix_opener();
    io::hints h;
    if (until_written) h.sync_errors = "until_written";
    auto f = io::file::open(world(), here / "data", mode::create | mode::read_write, h, files);
    std::vector<std::byte> const mine(100);
    std::error_code error;
    f.write_at_all(100 * rank(), mine);
    f.sync(error);
    CHECK(failed_on(world(), bad, errc::io, error));
    f.sync(error);  // no write since the error
    CHECK(failed_on(world(), bad, errc::io, error));
    f.write_at_all(100 * rank(), mine);
    f.sync(error);
    if (until_written)
      CHECK_FALSE(error);
    else
      CHECK(failed_on(world(), bad, errc::io, error));
    f.clear_sync_error();
    f.sync(error);
    CHECK_FALSE(error);
    f.close();
  }
}

TEST_CASE("what code of the program throws has a class of its own on the other ranks",
          "[file][errors]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  int const bad = size() - 1;
  auto const told = [&](auto const& make, errc why) {
    try {
      f.set_view(0, {io::type<int>, make});
      FAIL("nothing was thrown");
    } catch (io::error const& e) {
      CHECK(rank() != bad);
      CHECK(e.code() == errc::error_on_another_rank);
      CHECK(e.cause() == why);
    } catch (std::bad_alloc const&) {
      CHECK(rank() == bad);
      CHECK(why == errc::no_memory);
    } catch (std::runtime_error const& e) {
      CHECK(rank() == bad);
      CHECK(why == errc::user_code);
      CHECK(std::string(e.what()) == "mine");
    }
  };
  told(
      [&] {
        if (rank() == bad) throw std::runtime_error("mine");
        return io::layout(io::bytes(4));
      },
      errc::user_code);
  told(
      [&] {
        if (rank() == bad) throw std::bad_alloc();
        return io::layout(io::bytes(4));
      },
      errc::no_memory);
  CHECK(io::to_mpi_class(errc::no_memory) == MPI_ERR_NO_MEM);
  f.close();
}

namespace {
// A handle that reports wrong numbers of moved bytes.
class miscounting : public io::extend::forwarding<miscounting, io::extend::any_handle> {
 public:
  miscounting(io::extend::any_handle inner, std::int64_t wrong)
      : forwarding(std::move(inner)), wrong_(wrong) {}
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    io::extend::io_result done = act();
    if (call.moves_data()) done.bytes += wrong_;
    return done;
  }

 private:
  std::int64_t wrong_;
};
}  // namespace

TEST_CASE("a handle that miscounts what it moved is not believed", "[file][errors]") {
  for (std::int64_t const wrong : {std::int64_t{1}, std::int64_t{100}, std::int64_t{-100'000}}) {
    CAPTURE(wrong);
    shared_scratch const here(world());
    int const bad = 0;  // the aggregator of these few bytes
    io::opener const good = io::posix_opener();
    io::opener const files =
        rank() != bad
            ? good
            : good.opening([&](std::string const& path, io::extend::open_flags flags,
                               std::error_code& error) {
                io::extend::any_handle opened = good(path, flags, error);
                return error ? io::extend::any_handle()
                             : io::extend::any_handle(miscounting(std::move(opened), wrong));
              });
    auto f = io::file::open(world(), here / "data", mode::create | mode::read_write, {}, files);
    f.set_view(16 * rank(), io::resized(io::bytes(16), 0, 16 * size()));
    std::vector<std::byte> data(3200);
    std::error_code error;
    // The mistake counts as an exception of the program's code: that rank gets the exception, and
    // the others an error.
    auto const is_told = [&](char const* name, auto&& call) {
      INFO(name);
      bool told = false;
      try {
        call();
      } catch (std::logic_error const& x) {
        told = std::string_view(x.what()).find("says that it moved") != std::string_view::npos;
      }
      CHECK(told == (rank() == bad));
      if (rank() != bad) CHECK((!error || error == errc::error_on_another_rank));
    };
    is_told("write_at, by pieces", [&] { f.write_at(0, data, {io::independent{}, error}); });
    is_told("write_at, merging",
            [&] { f.write_at(0, data, {io::sieving{.writes = io::sieving_mode::always}, error}); });
    is_told("read_at",
            [&] { f.read_at(0, data, {io::sieving{.reads = io::sieving_mode::always}, error}); });
    is_told("write_at_all",
            [&] { f.write_at_all(0, data, {io::two_phase{.aggregators = size()}, error}); });
    is_told("read_at_all",
            [&] { f.read_at_all(0, data, {io::two_phase{.aggregators = size()}, error}); });
    is_told("iwrite_at", [&] { f.iwrite_at(0, data).wait(error); });
    f.close(error);
    world().barrier();
  }
}

TEST_CASE("exclusive says nothing without create", "[file][open]") {
  shared_scratch const here(world());
  std::error_code error;
  auto f = io::file::open(world(), here / "data", mode::read_write | mode::exclusive, error);
  CHECK(error == errc::no_such_file);
  f = io::file::open(world(), here / "data", mode::create | mode::write);
  f.close();
  f = io::file::open(world(), here / "data", mode::read_write | mode::exclusive);
  CHECK(f.is_open());
  f.close();
}

TEST_CASE("a trace of errors does not show that a file to be made was not there", "[file][trace]") {
  shared_scratch const here(world());
  for (auto const& [mode_of_trace, lines] : {std::pair(io::extend::trace_mode::errors, 0),
                                             std::pair(io::extend::trace_mode::calls, 1)}) {
    scratch const mine;
    io::extend::trace_options o{.mode = mode_of_trace, .directory = mine.string(), .rank = rank()};
    auto const to = std::make_shared<io::extend::tracer>(o);
    auto f = io::file::open(world(), here / std::to_string(lines), mode::create | mode::read_write,
                            {}, io::with_tracing(io::posix_opener(), to));
    to->flush();
    CHECK((to->lines() > 0) == (lines > 0));
    std::error_code error;
    auto g = io::file::open(world(), here / "no/file", mode::create | mode::read_write, error,
                            io::with_tracing(io::posix_opener(), to));
    CHECK(error);
    if (rank() == 0) CHECK(to->lines() > 0);  // that the file cannot be made is an error
    f.close();
  }
}

TEST_CASE(
    "a view without bytes is always at its end: nothing is read, and data to be written has no "
    "place",
    "[file][view]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  f.set_view(0, {io::type<int>, io::layout()});
  std::array<int, 3> data = {1, 2, 3};
  std::error_code error;
  f.write(data, error);
  CHECK(error == io::errc::argument);
  std::array<int, 0> const nothing{};
  CHECK(f.write(nothing).bytes == 0);
  CHECK(f.read(data).bytes == 0);
  CHECK(f.position() == 0);
  CHECK(f.read_at(5, data).bytes == 0);
  CHECK(f.read_at_all(0, data).bytes == 0);
  CHECK(f.iread_at_all(2, data).wait().bytes == 0);
  f.write_ordered(data, error);
  CHECK(error == io::errc::argument);
  f.iwrite_at_all(2, data).wait(error);
  CHECK(error == io::errc::argument);
  CHECK(data == std::array<int, 3>{1, 2, 3});
  CHECK(f.size() == 0);
  f.close();
}

TEST_CASE("data whose types are not its bytes is an error of the call, and no rank waits",
          "[file][representation][error]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::vector<int> const numbers(8, 7);
  f.set_view(0, {io::type<int>, io::external32});
  io::const_buffer const right = io::memory(numbers);
  io::const_buffer const wrong(right.address(), right.form(),
                               io::extend::signature(io::extend::basic_type::int32, 5));
  int const last = world().size() - 1;
  for (io::extend::any_policy const& policy :
       {io::extend::any_policy(io::two_phase{}), io::extend::any_policy(io::independent{})}) {
    std::error_code error;
    if (rank() == last)
      f.write_at_all(8 * rank(), wrong, {policy, error});
    else
      f.write_at_all(8 * rank(), numbers, {policy, error});
    CHECK(error == (rank() == last ? io::errc::argument : io::errc::error_on_another_rank));
    f.iwrite_at_all(8 * rank(), numbers).wait();
  }
  std::error_code error;
  if (rank() == last) f.iwrite_at(8 * rank(), wrong).wait(error);
  CHECK(error == (rank() == last ? make_error_code(io::errc::argument) : std::error_code()));
  f.close();
}

TEST_CASE("reports count bytes in memory, too", "[file][report]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::vector<long> numbers(10, 5);
  auto const check = [](io::report const& r, std::int64_t file, std::int64_t memory) {
    CHECK(r.bytes == file);
    CHECK(r.memory_bytes == memory);
  };
  check(f.write_at(80 * rank(), numbers), 80, 80);
  f.set_view(0, {io::type<long>, io::external32});
  f.set_size(0);
  check(f.write_at_all(10 * rank(), numbers), 40, 80);
  check(f.write_at_all(10 * rank(), numbers, io::two_phase{}), 40, 80);
  check(f.read_at(10 * rank(), numbers), 40, 80);
  check(f.iread_at(10 * rank(), numbers).wait(), 40, 80);
  check(f.iread_at_all(10 * rank(), numbers).wait(), 40, 80);
  f.set_size(40 * size() - 6);  // the last rank's data ends in its ninth number
  bool const last = rank() == size() - 1;
  check(f.read_at_all(10 * rank(), numbers), last ? 34 : 40, last ? 64 : 80);
  check(f.read_at_all(10 * rank(), numbers, io::two_phase{}), last ? 34 : 40, last ? 64 : 80);
  f.close();
}

TEST_CASE("no communicator is an error code, too", "[world]") {
  std::error_code error;
  io::mpi const none(MPI_COMM_NULL, error);
  CHECK(error == std::errc::invalid_argument);
  CHECK(io::to_mpi_class(error) == MPI_ERR_ARG);
  CHECK(none.size() == 0);
  io::mpi const all(MPI_COMM_WORLD, error);
  CHECK_FALSE(error);
  CHECK(all.size() == size());
  CHECK_THROWS_AS(io::mpi(MPI_COMM_NULL), std::invalid_argument);
}

TEST_CASE("threads are as many as are sensible, at most", "[file][hints]") {
  shared_scratch const here(world());
  io::hints h;
  h.io_threads = 3'000'000;
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write, h);
  CHECK(f.get_hints().values().io_threads == 0);
  int number = 5;
  f.iwrite_at(4 * rank(), number).wait();
  f.close();
}

TEST_CASE("memory that ranks share does not count as a file", "[world][limit]") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  io::mpi const c = world().duplicate();
  shared_scratch const here(c);
  rlimit small = before;
  small.rlim_cur = 4096;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::error_code error;
  {
    constexpr std::size_t bytes = 1 << 20;
    io::extend::shared_memory const m = c.share(bytes, error);
    CHECK_FALSE(error);
    if (!error) {
      auto* const numbers = reinterpret_cast<int*>(m.bytes().data());
      numbers[rank()] = rank() + 1;
      numbers[bytes / sizeof(int) - 1 - static_cast<std::size_t>(rank())] = rank();
      c.barrier();
      for (int r = 0; r < size(); ++r) CHECK(numbers[r] == r + 1);
    }
    // A file under the limit must work, including the memory that its calls share.
    auto f = io::file::open(c, here / "data", mode::create | mode::read_write);
    std::array<int, 10> mine{};
    mine.fill(rank());
    CHECK(f.write_at_all(40 * rank(), mine, io::two_phase{}).rounds > 0);
    f.iwrite_at_all(40 * rank(), mine).wait();
    std::array<int, 10> got{};
    f.read_at_all(40 * ((rank() + 1) % size()), got);
    CHECK(got[9] == (rank() + 1) % size());
    f.close();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);  // MPI's own barriers may need a file
}

TEST_CASE("a request may be waited for after close, and again", "[file][requests]") {
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  std::vector<int> const mine(10'000, rank());
  io::request r = f.iwrite_at(40'000 * rank(), mine),
              all = f.iwrite_at_all(40'000 * (size() + rank()), mine);
  f.close();
  for (io::request* one : {&r, &all}) {
    CHECK(one->wait().bytes == 40'000);
    CHECK_FALSE(one->pending());
    CHECK(one->wait().bytes == 0);
  }
  if (rank() == 0)
    CHECK(content_of(here / "data").size() == 80'000 * static_cast<std::size_t>(size()));
}

TEST_CASE("policies of one rank that differ from those of all ranks are told by their names",
          "[file][errors]") {
  if (size() == 1) return;
  shared_scratch const here(world());
  auto f = io::file::open(world(), here / "data", mode::create | mode::read_write);
  int const mine = rank();
  std::error_code error;
  f.write_at_all(4 * rank(), mine,
                 {rank() == 0 ? io::extend::any_policy(io::sieving{}) : io::two_phase{}, error});
  CHECK(error == errc::not_same);
  CHECK(f.what_failed().find("sieving") != std::string::npos);
  CHECK(f.what_failed().find("two_phase") != std::string::npos);
  f.close();
}

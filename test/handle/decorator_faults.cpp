// Decorators that break calls, and decorators that slow them down.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/handle/throttled.hpp>

#include <sys/vfs.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "handle/decorator_cases.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::file_call;
using io::extend::io_result;
using io::extend::lock_kind;
using namespace std::chrono_literals;
using namespace io::test;

TEST_CASE("the k-th call of each kind fails, once or from then on", "[faulty]") {
  scratch const dir;
  for (auto const kind :
       {file_call::read, file_call::write, file_call::lock, file_call::unlock, file_call::size,
        file_call::resize, file_call::preallocate, file_call::sync}) {
    for (bool const lasting : {false, true}) {
      auto const script = std::make_shared<io::fault_script>();
      script->add(lasting ? io::fail_from(kind, 3, std::errc::io_error)
                          : io::fail_at(kind, 3, std::errc::io_error));
      io::extend::faulty f(opened(dir / "f"), script);
      for (int call = 1; call <= 5; ++call) {
        std::vector<std::byte> memory(10);
        std::error_code error;
        switch (kind) {
          case file_call::read:
            error = f.read(0, memory).error;
            break;
          case file_call::write:
            error = f.write(0, data).error;
            break;
          case file_call::lock:
            error = f.lock(0, 1, lock_kind::exclusive);
            break;
          case file_call::unlock:
            error = f.unlock(0, 1);
            break;
          case file_call::size:
            f.size(error);
            break;
          case file_call::resize:
            error = f.resize(10);
            break;
          case file_call::preallocate:
            error = f.preallocate(10);
            break;
          default:
            error = f.sync();
        }
        CAPTURE(io::to_string(kind), call);
        CHECK((error == std::errc::io_error) == (lasting ? call >= 3 : call == 3));
      }
      CHECK(script->calls(kind) == 5);
      CHECK(script->struck() == (lasting ? 3 : 1));
    }
  }
}

TEST_CASE("a failed open opens nothing, a failed close closes", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::fail_at(file_call::open, 1, std::errc::permission_denied));
  script->add(io::fail_at(file_call::close, 1, std::errc::io_error));
  auto const open = io::with_faults(io::posix_opener(), script);
  std::size_t const before = io::test::open_descriptors();
  std::error_code error;
  CHECK_FALSE(open(dir / "f", read_write, error).is_open());
  CHECK(error == std::errc::permission_denied);
  CHECK_FALSE(std::filesystem::exists(dir / "f"));
  io::extend::any_handle f = open(dir / "f", read_write, error);
  CHECK_FALSE(error);
  CHECK(f.close() == std::errc::io_error);
  CHECK_FALSE(f.is_open());
  CHECK(io::test::open_descriptors() == before);
}

TEST_CASE("a failed write leaves the file, a torn one has a true count", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  io::extend::faulty f(opened(dir / "f"), script);
  script->add(io::fail_at(file_call::write, 1, std::errc::io_error));
  CHECK(f.write(0, data).bytes == 0);
  CHECK(content_of(dir / "f").empty());
  script->add(io::write_partly_at(file_call::write, 2, 7, std::errc::no_space_on_device));
  io_result r = f.write(0, data);
  CHECK(r.bytes == 7);
  CHECK(r.error == std::errc::no_space_on_device);
  CHECK(content_of(dir / "f") == "xxxxxxx");
  script->add(io::write_partly_at(file_call::write, 3, 15, std::errc::io_error));
  r = f.write(parts_of({20, 40}, 10));
  CHECK(r.bytes == 15);
  CHECK(content_of(dir / "f").size() == 45);
  script->add(io::write_partly_at(file_call::read, 1, 3, std::errc::io_error));
  std::vector<std::byte> memory(10);
  r = f.read(0, memory);
  CHECK(r.bytes == 3);
  CHECK(r.error == std::errc::io_error);
  script->clear();
  CHECK(f.write(0, data).bytes == 100);
  CHECK(script->calls(file_call::write) == 1);
}

TEST_CASE("a disk that fills", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->fill_disk_at(150);
  for (bool const below_retries : {false, true}) {
    std::filesystem::remove(dir / "f");
    std::error_code error;
    io::extend::any_handle f =
        (below_retries ? io::with_raw_faults(script) : io::with_faults(io::posix_opener(), script))(
            dir / "f", read_write, error);
    CHECK(f.write(0, data).bytes == 100);
    io_result r = f.write(100, data);
    CHECK(r.bytes == 50);
    CHECK(r.error == std::errc::no_space_on_device);
    r = f.write(parts_of({10, 145, 300}, 10));
    CHECK(r.bytes == 15);
    CHECK(r.error == std::errc::no_space_on_device);
    CHECK(f.preallocate(151) == std::errc::no_space_on_device);
    CHECK_FALSE(f.preallocate(150));
    CHECK(content_of(dir / "f").size() == 150);
  }
}

TEST_CASE("storms below the retries are not seen above", "[faulty][retrying]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  for (auto const kind :
       {file_call::open, file_call::write, file_call::read, file_call::lock, file_call::unlock,
        file_call::size, file_call::resize, file_call::preallocate, file_call::sync})
    script->add(io::interrupt_at(kind, 1, 50));
  script->add(io::shorten_at(file_call::write, 60, 1, 30));
  script->add(io::shorten_at(file_call::read, 60, 1, 30));
  script->add(io::fail_at(file_call::write, 70, std::errc::resource_unavailable_try_again));
  script->add(io::fail_at(file_call::close, 1, std::errc::interrupted));
  std::error_code error;
  io::extend::any_handle f = io::with_raw_faults(script)(dir / "f", read_write, error);
  REQUIRE_FALSE(error);
  for (int i = 0; i < 10; ++i) {
    io_result const put = f.write(parts_of({0, 10, 20, 40, 60}, 10));
    REQUIRE_FALSE(put.error);
    REQUIRE(put.bytes == 50);
    std::vector<std::byte> memory(100, std::byte{'-'});
    std::vector<io::read_part> const parts{{0, std::span(memory).first(15)},
                                           {15, std::span(memory).subspan(20, 15)},
                                           {45, std::span(memory).subspan(50, 50)}};
    io_result const got = f.read(parts);
    REQUIRE_FALSE(got.error);
    REQUIRE(got.bytes == 55);
    REQUIRE(memory[34] == std::byte{'x'});
    REQUIRE(memory[75] == std::byte{'-'});
  }
  CHECK_FALSE(f.lock(0, 10, lock_kind::exclusive));
  CHECK_FALSE(f.unlock(0, 10));
  CHECK(f.size(error) == 70);
  CHECK_FALSE(error);
  CHECK_FALSE(f.resize(60));
  CHECK_FALSE(f.preallocate(80));
  CHECK_FALSE(f.sync());
  CHECK_FALSE(f.close());
  CHECK(script->struck() > 500);
}

TEST_CASE("an open below the retries is interrupted, or fails", "[faulty][retrying]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>(std::initializer_list<io::fault>{
      io::interrupt_at(file_call::open, 1, 3),
      io::fail_at(file_call::open, 5, make_error_code(io::errc::io))});
  auto const open = io::with_raw_faults(script);
  std::error_code error;
  CHECK(open(dir / "f", read_write, error).is_open());
  CHECK_FALSE(error);
  CHECK(script->calls(file_call::open) == 4);
  CHECK_FALSE(open(dir / "g", read_write, error).is_open());
  CHECK(error == io::errc::io);
  CHECK_FALSE(std::filesystem::exists(dir / "g"));
}

TEST_CASE("an error below a fault comes out, and a disk may be full from its first byte on",
          "[faulty]") {
  scratch const dir;
  auto const outer = std::make_shared<io::fault_script>(),
             inner = std::make_shared<io::fault_script>();
  io::extend::faulty f(io::extend::faulty(opened(dir / "f"), inner), outer);
  auto const stale = std::error_code(ESTALE, std::system_category());
  std::vector<std::byte> memory(100);
  std::vector<io::read_part> const gets{{0, std::span(memory).first(50)},
                                        {60, std::span(memory).last(10)}};
  REQUIRE(f.write(0, data).bytes == 100);
  // The inner decorator tears the write after 7 bytes with ESTALE, the outer one after 20 with EIO.
  inner->add({.kind = file_call::write, .first = 2, .error = stale, .most_bytes = 7});
  outer->add(io::write_partly_at(file_call::write, 2, 20, std::errc::io_error));
  io_result done = f.write(0, data);
  CHECK(done.bytes == 7);
  CHECK(done.error == stale);
  outer->add(io::fail_at(file_call::read, 1, stale));
  done = f.read(gets);
  CHECK(done.bytes == 0);
  CHECK(done.error == stale);
  outer->add(io::write_partly_at(file_call::read, 2, 55, std::errc::io_error));
  done = f.read(gets);
  CHECK(done.bytes == 55);
  CHECK(done.error == std::errc::io_error);
  inner->add({.kind = file_call::read, .first = 2, .error = stale, .most_bytes = 4});
  done = f.read(0, memory);
  CHECK(done.bytes == 4);
  CHECK(done.error == stale);
  outer->add(io::fail_at(file_call::preallocate, 1, std::errc::io_error));
  CHECK(f.preallocate(1000) == std::errc::io_error);
  CHECK_FALSE(f.preallocate(10));

  outer->fill_disk_at(0);
  done = f.write(0, data);
  CHECK(done.bytes == 0);
  CHECK(done.error == std::errc::no_space_on_device);
  done = f.write(parts_of({0, 20}, 10));
  CHECK(done.bytes == 0);
  CHECK(done.error == std::errc::no_space_on_device);
  CHECK(f.preallocate(1) == std::errc::no_space_on_device);
}

TEST_CASE("delays wait, by the clock of whoever says so", "[faulty]") {
  scratch const dir;
  auto const script = std::make_shared<io::fault_script>();
  script->add(io::delay_at(file_call::sync, 2, 30ms));
  io::extend::faulty f(opened(dir / "f"), script);
  CHECK_FALSE(f.sync());
  auto const begin = std::chrono::steady_clock::now();
  CHECK_FALSE(f.sync());
  CHECK(std::chrono::steady_clock::now() - begin >= 30ms);

  auto const virtual_time = std::make_shared<io::fault_script>();
  std::chrono::nanoseconds slept{0};
  virtual_time->sleep_by([&](std::chrono::nanoseconds t) { slept += t; });
  virtual_time->add(io::delay_at(file_call::write, 1, 1h, 3));
  io::extend::faulty g(opened(dir / "g"), virtual_time);
  for (int i = 0; i < 4; ++i) CHECK(g.write(0, data).bytes == 100);
  CHECK(slept == 3h);
}

TEST_CASE("a throttled device takes its time, and is shared", "[throttled]") {
  scratch const dir;
  using clock = std::chrono::steady_clock;
  auto const device = std::make_shared<io::throttle>(
      io::throttle_rates{.latency = 2ms, .bytes_per_second = 10'000});
  io::extend::throttled a(opened(dir / "a"), device), b(opened(dir / "b"), device);
  auto begin = clock::now();
  CHECK(a.write(0, data).bytes == 100);  // 10 ms, and the latency
  CHECK(clock::now() - begin >= 12ms);
  begin = clock::now();
  std::thread other([&] { b.write(0, data); });
  a.write(0, data);
  other.join();
  CHECK(clock::now() - begin >= 22ms);  // one after the other
  begin = clock::now();
  a.write(parts_of({0, 10, 30, 50}, 1));
  CHECK(clock::now() - begin >= 8ms);  // a latency for each run
  begin = clock::now();
  std::error_code error;
  CHECK(a.size(error) == 100);
  CHECK(clock::now() - begin >= 2ms);

  begin = clock::now();
  io::extend::any_handle c =
      io::with_throttle(io::posix_opener(), device)(dir / "a", read_write, error);
  CHECK(c.is_open());
  CHECK(clock::now() - begin >= 2ms);
}

TEST_CASE("a call that moves no bytes costs a throttled device its latency only", "[throttled]") {
  scratch const dir;
  using clock = std::chrono::steady_clock;
  auto const device = std::make_shared<io::throttle>(
      io::throttle_rates{.bytes_per_second = 0.05});  // a byte takes 20 s
  auto const begin = clock::now();
  std::error_code error;
  io::extend::any_handle f =
      io::with_throttle(io::posix_opener(), device)(dir / "f", read_write, error);
  f.size(error);
  f.resize(100);
  f.sync();
  f.close();
  CHECK(clock::now() - begin < 15s);
}
